//! One key in nanoseconds, by pattern and generator: `cargo bench -p betwixt-core`.
//!
//! A sample makes the keys of 10,000 gaps, so its mean is shown as keys a second too. The gaps are those that the pattern
//! opens with the generator's own keys.

use std::collections::HashSet;

use betwixt_core::id::ItemId;
use betwixt_core::key::{Gap, Hint, Key, SiteNumber, Trail, between};
use betwixt_core::order::{Life, Order};
use divan::{Bencher, black_box, counter::ItemsCount};
use fractional_index::FractionalIndex as Jamsocket;
use loro_fractional_index::FractionalIndex as Loro;

const COUNT: usize = 10_000;
const SITE: SiteNumber = SiteNumber(500);
const PATTERNS: [&str; 3] = ["append", "random", "moves"];

fn main() {
    divan::main();
}

/// Repeatable random numbers (splitmix64).
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let random = mixed ^ (mixed >> 31);
        usize::try_from(random % u64::try_from(end).expect("a small number")).expect("a small number")
    }
}

type Ends<K> = (Option<K>, Option<K>);

/// The gaps that a pattern opens, one for each key that it makes.
fn gaps<K: Clone>(pattern: &str, mut make: impl FnMut(&Ends<K>) -> K) -> Vec<Ends<K>> {
    let mut random = Random(12_345);
    let mut keys: Vec<K> = Vec::new();
    let mut gaps = Vec::new();
    let before = if pattern == "moves" { 1_000 } else { 0 };
    for step in 0..before + COUNT {
        let at = match pattern {
            "random" => random.below(keys.len() + 1),
            "moves" if step >= before => {
                keys.remove(random.below(keys.len()));
                random.below(keys.len() + 1)
            }
            _ => keys.len(),
        };
        let ends = (at.checked_sub(1).and_then(|before| keys.get(before).cloned()), keys.get(at).cloned());
        keys.insert(at, make(&ends));
        if step >= before {
            gaps.push(ends);
        }
    }
    gaps
}

fn gap(ends: &Ends<Key>) -> Gap<'_> {
    Gap::new(ends.0.as_ref(), ends.1.as_ref()).expect("keys ascend")
}

/// Gaps with their hints, and all keys that were made.
fn ours(pattern: &str) -> (Vec<(Ends<Key>, Hint)>, Vec<Key>) {
    let mut trail = Trail::default();
    let mut hints = Vec::new();
    let mut made = Vec::new();
    let all = gaps(pattern, |ends| {
        let gap = gap(ends);
        let hint = trail.hint(gap);
        let key = between(gap, SITE, hint, &mut |_| false).expect("there is room");
        trail.follow(gap, &key);
        hints.push(hint);
        made.push(key.clone());
        key
    });
    let skipped = hints.len() - all.len();
    (all.into_iter().zip(hints.into_iter().skip(skipped)).collect(), made)
}

#[divan::bench(args = PATTERNS)]
fn betwixt(bencher: Bencher<'_, '_>, pattern: &str) {
    let (gaps, _) = ours(pattern);
    bencher.counter(ItemsCount::new(COUNT)).bench(|| {
        for (ends, hint) in &gaps {
            black_box(between(gap(ends), SITE, *hint, &mut |_| false)).expect("there is room");
        }
    });
}

/// With the check that no key is made twice: against those issued, and against a list of them.
///
/// All keys but the one that is made are there, so that each check runs to its end.
#[divan::bench(args = PATTERNS)]
fn betwixt_never_twice(bencher: Bencher<'_, '_>, pattern: &str) {
    let (gaps, made) = ours(pattern);
    // What is looked for is missing, as it is in the app: the keys end in another symbol.
    let others = made.iter().map(|key| Key::parse(&format!("{key}#")).expect("a key"));
    let issued: HashSet<Key> = others.collect();
    let mut order = Order::default();
    for (number, key) in (0_u64..).zip(&issued) {
        order.insert(key.clone(), ItemId::from_bytes(number.to_be_bytes()), Life::Live);
    }
    bencher.counter(ItemsCount::new(COUNT)).bench(|| {
        for (ends, hint) in &gaps {
            let mut taken = |key: &Key| issued.contains(key) || order.has_key(key);
            black_box(between(gap(ends), SITE, *hint, &mut taken)).expect("there is room");
        }
    });
}

#[divan::bench(args = PATTERNS)]
fn fractional_index(bencher: Bencher<'_, '_>, pattern: &str) {
    let make = |ends: &Ends<Jamsocket>| Jamsocket::new(ends.0.as_ref(), ends.1.as_ref()).expect("there is room");
    let gaps = gaps(pattern, make);
    bencher.counter(ItemsCount::new(COUNT)).bench(|| {
        for ends in &gaps {
            black_box(make(ends));
        }
    });
}

#[divan::bench(args = PATTERNS)]
fn loro_fractional_index(bencher: Bencher<'_, '_>, pattern: &str) {
    let make = |ends: &Ends<Loro>| Loro::new(ends.0.as_ref(), ends.1.as_ref()).expect("there is room");
    let gaps = gaps(pattern, make);
    bencher.counter(ItemsCount::new(COUNT)).bench(|| {
        for ends in &gaps {
            black_box(make(ends));
        }
    });
}

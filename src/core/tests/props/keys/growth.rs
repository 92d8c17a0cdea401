//! How long keys become under the ways in which people insert: bounds that a change of the generator must keep.

use std::collections::HashSet;

use betwixt_core::key::{Gap, Key, SiteNumber, between, spaced};

/// A site whose tag takes two bytes, so that the figures hold for the first 2,526 sites of a list.
const SITE: SiteNumber = SiteNumber(500);

/// Repeatable random numbers (splitmix64).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let random = mixed ^ (mixed >> 31);
        usize::try_from(random % u64::try_from(end).expect("a small number")).expect("a small number")
    }
}

/// A list of keys in order, and the longest that was ever made.
struct List {
    keys: Vec<Key>,
    bytes_max: usize,
}

impl List {
    fn new(keys: Vec<Key>) -> Self {
        Self { keys, bytes_max: 0 }
    }

    /// Returns a list of 1,000 items that were inserted in random places.
    fn random() -> Self {
        let mut list = Self::new(Vec::new());
        let mut random = Random(12_345);
        for _ in 0..1_000 {
            list.insert(random.below(list.keys.len() + 1));
        }
        list
    }

    /// Makes a key for an item that comes to stand at row `at`.
    fn insert(&mut self, at: usize) {
        let low = at.checked_sub(1).and_then(|before| self.keys.get(before));
        let gap = Gap::new(low, self.keys.get(at)).expect("the keys ascend");
        let key = between(gap, SITE, &mut |_| false).expect("the gap has room");
        assert!(gap.contains(&key), "{key} in {gap:?}");
        self.bytes_max = self.bytes_max.max(key.len());
        self.keys.insert(at, key);
    }
}

/// Inserts `count` items, each at the row that `row(step, items so far)` says, and checks the longest key made.
#[track_caller]
fn check(keys: &[Key], count: usize, bytes_max: usize, mut row: impl FnMut(usize, usize) -> usize) {
    let mut list = List::new(keys.to_vec());
    for step in 0..count {
        list.insert(row(step, list.keys.len()));
    }
    assert!(list.bytes_max <= bytes_max, "the longest key has {} bytes, not {bytes_max}", list.bytes_max);
}

#[test]
fn appends_and_prepends_grow_with_the_logarithm() {
    for keys in [spaced(0), spaced(1_000)] {
        check(&keys, 10_000, 6, |_, len| len);
        check(&keys, 10_000, 6, |_, _| 0);
    }
}

#[test]
fn inserts_always_after_or_before_one_item_grow_with_the_logarithm() {
    for (keys, after_max, before_max) in [(spaced(2), 6, 6), (spaced(100_000), 8, 10), (List::random().keys, 9, 10)] {
        let middle = keys.len() / 2;
        check(&keys, 10_000, after_max, |_, _| middle);
        check(&keys, 10_000, before_max, |step, _| middle + step);
    }
}

#[test]
fn a_pasted_run_stays_short_in_every_gap_of_a_list() {
    let keys = List::random().keys;
    for middle in (0..=keys.len()).step_by(5) {
        check(&keys, 100, 10, |step, _| middle + step);
    }
}

#[test]
fn inserts_in_random_places_stay_short() {
    let mut random = Random(3);
    check(&[], 10_000, 8, |_, len| random.below(len + 1));
}

#[test]
fn moves_to_random_places_stay_short() {
    let mut random = Random(3);
    let mut list = List::new(spaced(1_000));
    for _ in 0..10_000 {
        list.keys.remove(random.below(list.keys.len()));
        list.insert(random.below(list.keys.len() + 1));
    }
    assert!(list.bytes_max <= 8, "the longest key has {} bytes", list.bytes_max);
}

#[test]
fn items_deleted_and_inserted_again_in_one_gap_stay_short() {
    let keys = spaced(1_000);
    let gaps = [(None, keys.first()), (keys.get(499), keys.get(500)), (keys.last(), None)];
    for (low, high) in gaps {
        let gap = Gap::new(low, high).expect("the keys ascend");
        let mut issued = HashSet::new();
        for _ in 0..1_000 {
            let key = between(gap, SITE, &mut |key| issued.contains(key)).expect("the gap has room");
            assert!(key.len() <= 9, "{key} has {} bytes", key.len());
            issued.insert(key);
        }
    }
}

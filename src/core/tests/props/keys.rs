//! Laws of keys: what is made is canonical and inside its gap, sites never clash, and lengths stay low.

mod faults;
mod growth;
mod oracle;
mod runs;

use betwixt_core::key::{
    BASE, Full, Gap, Hint, KEY_BYTES_MAX, Key, SiteNumber, Tag, between, digit_of, inside, midpoint, spaced, symbol_of,
    tag_of,
};
use proptest::{collection::vec, prelude::*};

use crate::config;

/// Digits at the edges of every rule far more often than others.
fn any_digit() -> impl Strategy<Value = u8> {
    prop_oneof![
        3 => Just(0),
        2 => Just(1),
        2 => Just(BASE - 1),
        1 => prop::sample::select(vec![2, 3, 25, 26, 27, 28, 29, 30, 33, 34, 44, 60, 61, 64, 65, 88, 89, 90]),
        2 => 0..BASE,
    ]
}

fn any_digits() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![9 => vec(any_digit(), 1..10), 1 => vec(any_digit(), 1..=KEY_BYTES_MAX)]
}

/// Returns the key of `digits`, which is made canonical and cut to the limit.
fn key_of(mut digits: Vec<u8>) -> Key {
    digits.truncate(KEY_BYTES_MAX);
    while digits.last() == Some(&0) {
        digits.pop();
    }
    if digits.is_empty() {
        digits.push(1);
    }
    let symbols: Vec<u8> = digits.into_iter().filter_map(symbol_of).collect();
    Key::try_from_bytes(&symbols).expect("the digits are canonical")
}

/// Two keys that ascend, most often close: one goes on where the other ends, or they part at neighbouring digits.
fn any_pair() -> impl Strategy<Value = (Key, Key)> {
    let apart = (any_digits(), any_digits());
    let prefix = (any_digits(), any_digits()).prop_map(|(a, tail)| (a.clone(), [a, tail].concat()));
    let zeros = (any_digits(), 0..6_usize, 1..BASE)
        .prop_map(|(a, count, last)| (a.clone(), [a, vec![0; count], vec![last]].concat()));
    let adjacent = (any_digits(), 0..BASE - 1, any_digits(), any_digits()).prop_map(|(shared, digit, a, b)| {
        let high = [shared.clone(), vec![digit + 1], b].concat();
        ([shared, vec![digit], a].concat(), high)
    });
    let all_highest = (any_digits(), 0..5_usize, 0..BASE - 1).prop_map(|(shared, count, digit)| {
        let high = [shared.clone(), vec![digit + 1]].concat();
        ([shared, vec![digit], vec![BASE - 1; count]].concat(), high)
    });
    prop_oneof![apart, prefix, zeros, adjacent, all_highest]
        .prop_map(|(a, b)| (key_of(a), key_of(b)))
        .prop_filter("two keys bound a gap", |(a, b)| a != b)
        .prop_map(|(a, b)| if a < b { (a, b) } else { (b, a) })
}

/// The bounds of a gap, an open end now and then.
fn any_bounds() -> impl Strategy<Value = (Option<Key>, Option<Key>)> {
    (any_pair(), 0..8_u8).prop_map(|((low, high), open)| match open {
        0 => (None, Some(high)),
        1 => (Some(low), None),
        _ => (Some(low), Some(high)),
    })
}

fn any_site() -> impl Strategy<Value = SiteNumber> {
    prop_oneof![0..2_u32, 2..502_u32, 0..65_536_u32].prop_map(SiteNumber)
}

fn gap<'a>(low: Option<&'a Key>, high: Option<&'a Key>) -> Gap<'a> {
    Gap::new(low, high).expect("the bounds ascend")
}

fn none_taken(_: &Key) -> bool {
    false
}

fn bytes_max(gap: Gap<'_>) -> usize {
    gap.low().map_or(0, Key::len).max(gap.high().map_or(0, Key::len))
}

/// Checks that `made` is a key that fits the gap, grew by `growth` at most, and leaves room for whatever is appended.
#[track_caller]
fn check_made(gap: Gap<'_>, made: &Result<Key, Full>, growth: usize) {
    match made {
        Ok(key) => {
            assert_eq!(Key::try_from_bytes(key.as_bytes()).as_ref(), Ok(key));
            assert!(gap.contains(key), "{key} in {gap:?}");
            assert!(key.len() <= bytes_max(gap) + growth, "{key} in {gap:?}");
            assert!(gap.high().is_none_or(|high| !high.as_bytes().starts_with(key.as_bytes())), "{key} in {gap:?}");
        }
        Err(Full) => assert!(bytes_max(gap) + growth > KEY_BYTES_MAX, "{gap:?} is not full"),
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn any_bytes_are_a_key_or_refused(bytes in vec(any::<u8>(), 0..200)) {
        match Key::try_from_bytes(&bytes) {
            Ok(key) => {
                prop_assert_eq!(key.as_bytes(), &bytes[..]);
                prop_assert_eq!(Key::parse(key.as_str()), Ok(key.clone()));
                let _ = tag_of(&key);
            }
            Err(_) => prop_assert!(
                bytes.is_empty()
                    || bytes.len() > KEY_BYTES_MAX
                    || bytes.ends_with(b"!")
                    || bytes.iter().any(|&byte| digit_of(byte).is_none())
            ),
        }
    }

    #[test]
    fn any_key_is_asked_for_its_tag_without_harm(digits in any_digits()) {
        let key = key_of(digits);
        if let Some(site) = tag_of(&key) {
            prop_assert!(site < SiteNumber(67_526));
        }
    }

    #[test]
    fn bytes_of_keys_sort_as_their_numbers_do((low, high) in any_pair()) {
        prop_assert!(low.as_bytes() < high.as_bytes());
        prop_assert!(oracle::Fraction::of(&low) < oracle::Fraction::of(&high));
    }

    #[test]
    fn midpoint_is_what_slow_arithmetic_says((low, high) in any_bounds()) {
        let gap = gap(low.as_ref(), high.as_ref());
        let made = midpoint(gap);
        check_made(gap, &made, 1);
        let expected = oracle::midpoint_digits(gap);
        match made {
            Ok(key) => {
                let digits: Vec<u8> = key.as_bytes().iter().filter_map(|&symbol| digit_of(symbol)).collect();
                prop_assert_eq!(digits, expected);
            }
            Err(Full) => prop_assert!(expected.len() > KEY_BYTES_MAX),
        }
    }

    #[test]
    fn between_is_inside_any_gap_and_names_its_site((low, high) in any_bounds(), site in any_site()) {
        let gap = gap(low.as_ref(), high.as_ref());
        let made = between(gap, site, Hint::None, &mut none_taken);
        check_made(gap, &made, 4 + Tag::new(site).bytes().len());
        if let Ok(key) = made {
            prop_assert_eq!(tag_of(&key), Some(site));
        }
    }

    #[test]
    fn two_sites_in_one_gap_leave_room_between_them((low, high) in any_bounds(), a in any_site(), b in any_site()) {
        prop_assume!(a != b);
        let gap = gap(low.as_ref(), high.as_ref());
        let made = [a, b].map(|site| between(gap, site, Hint::None, &mut none_taken));
        if let [Ok(first), Ok(second)] = made {
            let (lower, upper) = (first.clone().min(second.clone()), first.max(second));
            for (low, high) in [(gap.low(), Some(&lower)), (Some(&lower), Some(&upper)), (Some(&upper), gap.high())] {
                let inner = Gap::new(low, high).expect("the two differ and are inside");
                check_made(inner, &between(inner, a, Hint::None, &mut none_taken), 4 + Tag::new(a).bytes().len());
            }
        }
    }

    #[test]
    fn sites_never_clash_even_across_gaps(
        first in any_bounds(),
        second in any_bounds(),
        a in any_site(),
        b in any_site(),
    ) {
        prop_assume!(a != b);
        let one = between(gap(first.0.as_ref(), first.1.as_ref()), a, Hint::None, &mut none_taken);
        let other = between(gap(second.0.as_ref(), second.1.as_ref()), b, Hint::None, &mut none_taken);
        prop_assert!(one.is_err() || one != other);
    }

    #[test]
    fn a_taken_key_is_stepped_over((low, high) in any_bounds(), site in any_site(), times in 1..200_usize) {
        let gap = gap(low.as_ref(), high.as_ref());
        let mut refused = Vec::new();
        let made = between(gap, site, Hint::None, &mut |key| {
            let taken = refused.len() < times;
            if taken {
                refused.push(key.clone());
            }
            taken
        });
        prop_assert!(refused.is_sorted_by(|a, b| a < b));
        prop_assert!(refused.iter().all(|key| gap.contains(key)));
        if let Ok(key) = made {
            prop_assert!(gap.contains(&key) && !refused.contains(&key));
            prop_assert_eq!(refused.len(), times);
        }
    }

    #[test]
    fn spaced_keys_ascend_and_are_no_longer_than_they_must(count in prop_oneof![0..300_usize, 0..20_000_usize]) {
        let keys = spaced(count);
        prop_assert_eq!(keys.len(), count);
        prop_assert!(keys.is_sorted_by(|a, b| a < b));
        let bytes_max = (0..9).find(|&width| usize::from(BASE).pow(width) > count).unwrap_or(9);
        for key in &keys {
            prop_assert_eq!(Key::try_from_bytes(key.as_bytes()), Ok(key.clone()));
            prop_assert!(u32::try_from(key.len()).is_ok_and(|bytes| bytes <= bytes_max));
        }
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn keys_ascend_under_any_inserts(inserts in vec((any::<u16>(), 0..8_u8, any_site()), 1..60)) {
        let mut keys = spaced(3);
        for (at, how, site) in inserts {
            let at = usize::from(at) % (keys.len() + 1);
            let gap = gap(at.checked_sub(1).map(|before| &keys[before]), keys.get(at));
            let hint = match how {
                0 => Hint::Up,
                1 => Hint::Down,
                2 => Hint::ThenLower,
                3 => Hint::ThenHigher,
                _ => Hint::None,
            };
            // No hint is ever wrong, and every generator goes with every other.
            let made = if how == 7 { midpoint(gap) } else { between(gap, site, hint, &mut none_taken) };
            if let Ok(key) = made {
                prop_assert!(how == 7 || tag_of(&key) == Some(site));
                keys.insert(at, key);
            }
            prop_assert!(keys.is_sorted_by(|a, b| a < b));
        }
    }

    #[test]
    fn what_is_put_behind_a_place_inside_is_inside_and_names_its_site(
        (low, high) in any_bounds(),
        made_in in any_bounds(),
        site in any_site(),
    ) {
        let gap = gap(low.as_ref(), high.as_ref());
        let made = between(self::gap(made_in.0.as_ref(), made_in.1.as_ref()), site, Hint::None, &mut none_taken);
        if let (Ok(place), Ok(made)) = (inside(gap), made) {
            let moved = Key::try_from_bytes(&[place.as_bytes(), made.as_bytes()].concat());
            if let Ok(moved) = moved {
                prop_assert!(gap.contains(&moved), "{} in {:?}", moved, gap);
                prop_assert_eq!(tag_of(&moved), Some(site));
            } else {
                prop_assert!(place.len() + made.len() > KEY_BYTES_MAX);
            }
        }
    }
}

#[test]
fn spaced_keys_of_every_number_up_to_5_000_and_of_100_000_hold_the_bound() {
    for count in (1..=5_000).chain([100_000]) {
        let keys = spaced(count);
        assert!(keys.len() == count && keys.is_sorted_by(|a, b| a < b), "{count}");
        let bytes_max = (1..9).find(|&width| usize::from(BASE).pow(width) > count).unwrap_or(9);
        assert!(keys.iter().all(|key| u32::try_from(key.len()).is_ok_and(|bytes| bytes <= bytes_max)), "{count}");
    }
}

#[test]
fn keys_nested_by_three_sites_stay_distinct_and_inside() {
    let sites = [0, 25, 500].map(SiteNumber);
    let low = between(Gap::open(), sites[0], Hint::None, &mut none_taken).expect("an empty list has room");
    let high = between(Gap::open(), sites[1], Hint::None, &mut none_taken).expect("an empty list has room");
    let mut keys = vec![low, high];
    keys.sort();
    let mut random = Random(7);
    for _ in 0..1_000 {
        let at = random.below(keys.len() - 1);
        let inner = gap(Some(&keys[at]), Some(&keys[at + 1]));
        // All three open the gap before any of them sees the others' keys.
        let made = sites.map(|site| between(inner, site, Hint::None, &mut none_taken).expect("the gap has room"));
        assert!(made.iter().all(|key| inner.contains(key)));
        keys.extend(made);
        keys.sort();
        assert!(keys.is_sorted_by(|a, b| a < b), "two keys are equal");
    }
}

#[test]
fn a_gap_in_which_everything_is_taken_is_full_after_a_bounded_search() {
    let keys = spaced(3);
    for inner in
        [Gap::open(), gap(Some(&keys[1]), None), gap(None, Some(&keys[1])), gap(Some(&keys[1]), Some(&keys[2]))]
    {
        let mut asked = 0_u32;
        let made = between(inner, SiteNumber(0), Hint::None, &mut |_| {
            asked += 1;
            true
        });
        assert_eq!((made, asked), (Err(Full), 65_536));
    }
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

//! Fresh keys for a whole list.

use super::{BASE, Key, alphabet};

/// Returns `count` untagged keys, ascending and evenly spread.
///
/// The fractions are cut into `count` slots of one size around the even places, and each key is the shortest in its
/// slot; of equally short ones the nearest to the even place. No key is longer than the smallest width that has
/// `count` keys: 1 byte up to 91, 2 up to 8,463, 3 up to 778,687.
///
/// Time: linear in `count`.
#[must_use]
pub fn spaced(count: usize) -> Vec<Key> {
    let count = widen(count);
    let base = u128::from(BASE);
    let mut places = vec![1];
    let mut units = base;
    while units <= count {
        places.push(units);
        units *= base;
    }
    // The even place of `rank` is `rank * units / (count + 1)`; a slot reaches half a step to both sides.
    let at = |half_steps: u128| half_steps * units / (2 * (count + 1));
    let mut below = at(1);
    (1..=count)
        .map(|rank| {
            let last = at(2 * rank + 1);
            let even = at(2 * rank).max(below + 1);
            let value = shortest(below, even, last, &places);
            below = last;
            from_units(value, &places)
        })
        .collect()
}

/// Returns the value in `below < value <= last` with the most trailing zeros; among those, the nearest to `even`.
fn shortest(below: u128, even: u128, last: u128, places: &[u128]) -> u128 {
    places
        .iter()
        .rev()
        .find_map(|&place| {
            let down = even - even % place;
            let up = down + place;
            let candidates = [down, up].into_iter().filter(|&value| below < value && value <= last);
            candidates.min_by_key(|value| value.abs_diff(even))
        })
        .expect("the even place itself is in its slot")
}

/// Returns the key of `value`, which counts units of the last place; the trailing zeros go.
fn from_units(mut value: u128, places: &[u128]) -> Key {
    let digits = places.iter().rev().map_while(|place| {
        let digit = value / place;
        (value > 0).then(|| {
            value %= place;
            u8::try_from(digit).expect("a value is below the base to the number of places")
        })
    });
    Key::from_symbols(digits.map(alphabet::symbol))
}

fn widen(count: usize) -> u128 {
    u128::try_from(count).expect("128 bits hold every count")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(count: usize, bytes_max: usize, bytes_mean_max: f64) {
        let keys = spaced(count);
        assert_eq!(keys.len(), count);
        assert!(keys.is_sorted_by(|a, b| a < b));
        assert!(keys.iter().all(|key| Key::parse(key.as_str()).as_ref() == Ok(key)));
        assert!(keys.iter().all(|key| key.len() <= bytes_max));
        let bytes = u32::try_from(keys.iter().map(Key::len).sum::<usize>()).expect("a small sum");
        let count = u32::try_from(count).expect("a small count");
        assert!(f64::from(bytes) <= f64::from(count) * bytes_mean_max, "{bytes} bytes in {count} keys");
    }

    #[test]
    fn keys_are_as_short_as_their_number_allows() {
        check(0, 0, 0.0);
        check(1, 1, 1.0);
        check(91, 1, 1.0);
        check(92, 2, 1.3);
        check(1_000, 2, 1.95);
        check(8_463, 2, 2.0);
        check(8_464, 3, 2.3);
        check(100_000, 3, 2.95);
    }

    #[test]
    fn no_gap_is_wider_than_two_even_steps() {
        let keys = spaced(20);
        let digits: Vec<u8> = keys.iter().map(|key| alphabet::digit(key.as_bytes()[0])).collect();
        assert!(digits.windows(2).all(|pair| pair[1] - pair[0] <= 2 * (BASE / 21) + 1), "{digits:?}");
    }
}

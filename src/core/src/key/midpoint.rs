//! The textbook generator of fractional keys.

use super::{BASE, Full, Gap, Spelled, alphabet};

/// Returns a key strictly inside `gap`, by the digits alone.
///
/// Two sites that open one gap at the same time get the same key, and inserting always on one side of an item costs a
/// digit for every six inserts or so: [`between`](super::between) exists because of that. The key is never a prefix
/// of the upper bound, so whatever is appended to it is still inside.
///
/// Length: at most one byte more than the longer bound. Time: linear in that length.
///
/// # Errors
/// [`Full`] where the key would be longer than its kind may be.
pub fn midpoint<K: Spelled>(gap: Gap<'_, K>) -> Result<K, Full> {
    K::spelled(&digits_inside(gap.low().map(Spelled::as_bytes), gap.high().map(Spelled::as_bytes)), &[])
}

/// Returns the symbols of a fraction strictly inside a gap, however many they are; the last is not the lowest.
pub(super) fn digits_inside(low: Option<&[u8]>, high: Option<&[u8]>) -> Vec<u8> {
    let digit =
        |key: Option<&[u8]>, place| key.and_then(|key| key.get(place)).map_or(0, |&symbol| alphabet::digit(symbol));
    let mut symbols = Vec::new();
    // Once the prefix is below the upper bound, that bound no longer limits the next digit.
    let mut below_high = high.is_none();
    loop {
        let place = symbols.len();
        let low = digit(low, place);
        let high = if below_high { BASE } else { digit(high, place) };
        debug_assert!(low <= high, "a gap's bounds ascend");
        if low + 1 < high {
            symbols.push(alphabet::symbol(low + (high - low) / 2));
            return symbols;
        }
        below_high |= low < high;
        symbols.push(alphabet::symbol(low));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::{KEY_BYTES_MAX, Key};

    #[track_caller]
    fn check(low: &str, high: &str, expected: Option<&str>) {
        let [low, high] = [low, high].map(|text| Key::parse(text).ok());
        let gap = Gap::new(low.as_ref(), high.as_ref()).expect("the bounds ascend");
        assert_eq!(midpoint(gap).as_ref().map(Key::as_str).ok(), expected);
    }

    #[test]
    fn the_middle_is_copied_prefix_then_half_the_difference() {
        check("", "", Some("P"));
        check("a", "c", Some("b"));
        check("a", "d", Some("b"));
        check("a", "b", Some("aP"));
        check("az", "b", Some("a|"));
        check("a~", "b", Some("a~P"));
        check("xa", "xc", Some("xb"));
        check("a", "a!!#", Some("a!!!P"));
        check("", "#", Some("!P"));
        check("~", "", Some("~P"));
    }

    #[test]
    fn a_gap_that_needs_a_longer_key_is_full() {
        let [fits, long] = [KEY_BYTES_MAX - 1, KEY_BYTES_MAX].map(|bytes| "~".repeat(bytes));
        check(&fits, "", Some(&format!("{fits}P")));
        check(&long, "", None);
    }
}

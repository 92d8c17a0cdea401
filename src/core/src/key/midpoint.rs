//! The textbook generator of fractional keys.

use super::{BASE, Full, Gap, KEY_BYTES_MAX, Key, alphabet};

/// Returns a key strictly inside `gap`, by the digits alone.
///
/// Two sites that open one gap at the same time get the same key, and inserting always on one side of an item costs a
/// digit for every six inserts or so: [`between`](super::between) exists because of that. The key is never a prefix
/// of the upper bound, so whatever is appended to it is still inside.
///
/// Length: at most one byte more than the longer bound. Time: linear in that length.
///
/// # Errors
/// [`Full`] where the key would be longer than [`KEY_BYTES_MAX`].
pub fn midpoint(gap: Gap<'_>) -> Result<Key, Full> {
    let digits = digits_inside(gap);
    if digits.len() > KEY_BYTES_MAX {
        return Err(Full);
    }
    Ok(Key::from_symbols(digits.into_iter().map(alphabet::symbol)))
}

/// Returns the digits of a fraction strictly inside `gap`, however many they are; the last is not 0.
fn digits_inside(gap: Gap<'_>) -> Vec<u8> {
    let mut digits = Vec::new();
    // Once the prefix is below the upper bound, that bound no longer limits the next digit.
    let mut below_high = gap.high().is_none();
    loop {
        let place = digits.len();
        let low = gap.low().map_or(0, |key| key.digit(place));
        let high = match gap.high() {
            Some(key) if !below_high => key.digit(place),
            _ => BASE,
        };
        debug_assert!(low <= high, "a gap's bounds ascend");
        if low + 1 < high {
            digits.push(low + (high - low) / 2);
            return digits;
        }
        below_high |= low < high;
        digits.push(low);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

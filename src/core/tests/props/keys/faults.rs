//! Faults that other generators of fractional keys were reported to have, each with input of our own. The number is that of
//! the report in the list of them that this project keeps.

use betwixt_core::key::{
    Gap, GapError, Hint, KEY_BYTES_MAX, Key, KeyError, SiteNumber, between, inside, midpoint, spaced, tag_of,
};

const SITE: SiteNumber = SiteNumber(7);

fn key(text: &str) -> Key {
    Key::parse(text).expect("the text is a key")
}

/// Makes a key by each generator and checks that it is strictly inside.
#[track_caller]
fn check_room(low: Option<&Key>, high: Option<&Key>) -> Key {
    let gap = Gap::new(low, high).expect("the bounds ascend");
    for made in [midpoint(gap), inside(gap)] {
        assert!(made.as_ref().is_ok_and(|key| gap.contains(key)), "{made:?} in {gap:?}");
    }
    let made = between(gap, SITE, Hint::None, &mut |_| false).expect("the gap has room");
    assert!(gap.contains(&made), "{made} in {gap:?}");
    made
}

#[test]
fn two_sites_in_one_gap_get_two_keys_with_room_between_and_equal_bounds_are_an_error() {
    // 1: an index between two equal ones threw.
    let (low, high) = (key("b16l"), key("b16m"));
    let gap = Gap::new(Some(&low), Some(&high)).expect("the bounds ascend");
    let mut made = [3, 4].map(|site| between(gap, SiteNumber(site), Hint::None, &mut |_| false).expect("room"));
    made.sort();
    check_room(Some(&made[0]), Some(&made[1]));
    assert_eq!(Gap::new(Some(&low), Some(&low)), Err(GapError::Equal));
    assert_eq!(Gap::new(Some(&high), Some(&low)), Err(GapError::Reversed));
}

#[test]
fn there_is_a_key_below_every_key() {
    // 7: below `b0T46n` was an error. 11: below the lowest was the lowest itself. 15: below `0` was no room.
    for text in ["b0T46n", "#", "!#", "!!!!!!!!!#", "!!!~", "%!!!!#", "d"] {
        let mut high = key(text);
        for _ in 0..200 {
            let low = between(Gap::new(None, Some(&high)).expect("an open end"), SITE, Hint::None, &mut |_| false);
            let Ok(low) = low else {
                assert!(high.len() > KEY_BYTES_MAX - 8, "{high} has room below it");
                break;
            };
            assert!(low < high, "{low} below {high}");
            high = low;
        }
        check_room(None, Some(&key(text)));
    }
    for zeros in ["!", "!!", "!!!!!!!!", "a!"] {
        assert_eq!(Key::parse(zeros), Err(KeyError::TrailingLowest));
    }
}

#[test]
fn a_key_right_above_the_lower_bound_leaves_room() {
    // 8: before `a01` with `a0` taken came `a02`.
    for (low, high) in [("a", "a!#"), ("a", "a!!!!#"), ("a!#", "a!$"), ("a", "a#"), ("~", "~#"), ("~~", "~~!5")] {
        check_room(Some(&key(low)), Some(&key(high)));
    }
}

#[test]
fn an_upper_bound_that_holds_the_lowest_symbol_is_never_met() {
    // 9: between `007f80` and `0080` came `0080` again, after 140 prepends.
    check_room(Some(&key("B~P")), Some(&key("C!P")));
    let mut keys = vec![key("C!P")];
    for _ in 0..140 {
        keys.push(check_room(None, keys.last()));
    }
    for pair in keys.windows(2) {
        check_room(Some(&pair[1]), Some(&pair[0]));
    }
}

#[test]
fn what_is_no_key_is_refused_before_it_is_a_bound() {
    // 13: `a!` and `a_` were taken for keys of an alphabet without them. 14: one stored key of zeros made each read fail.
    for text in ["a!", "a\"", "a b", "r\\0", "é", "", "r00000000\n", "\u{0}"] {
        let refused = Key::parse(text);
        assert!(refused.is_err(), "{text:?}");
        assert!(serde_json::from_value::<Key>(text.into()).is_err(), "{text:?}");
    }
    // Whatever is a key may stand anywhere, also one that no generator makes.
    let mut keys = spaced(5);
    keys.extend(["r00000000", "!!!!!!!!#", "~~~~~~~~~", "}", "@", "@@", "`", "`5"].map(key));
    keys.sort();
    keys.dedup();
    check_room(None, keys.first());
    for pair in keys.windows(2) {
        let made = check_room(Some(&pair[0]), Some(&pair[1]));
        assert_eq!(tag_of(&made), Some(SITE));
    }
    check_room(keys.last(), None);
}

//! The part of a key that names the site that made it.
//!
//! Each site has two tokens beside each other: the *left* one begins the keys of its scope that are below its node, the
//! *right* one is the node, and begins the keys above it. The last tag in a key names the site that made the key: inside
//! its own scope a site adds no tag, and any other site adds its own. So keys of different sites differ, *whatever gaps
//! they were made in*.

mod suffix;

use std::{fmt, ops::Range};

use serde::{Deserialize, Serialize};

use super::{
    Key,
    scan::{Cut, Scan},
    token::{TAG_RANGE, Token},
};

/// The highest number that has a tag of its own: more than a list has sites. Those above share its tag.
const NUMBER_MAX: u32 = (TAG_RANGE.1 - TAG_RANGE.0) / 2 - 1;

/// Which of a list's sites one is, counted from 0 in the order in which they joined.
///
/// A list has at most 65,536 sites, so that a tag takes 3 bytes at most.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SiteNumber(pub u32);

impl fmt::Display for SiteNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The side of a site's node on which a tag stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Side {
    Left,
    Right,
}

/// The bytes that name a site in the keys that it makes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Tag {
    bytes: [u8; 4],
    len: usize,
}

impl Tag {
    /// Returns the tag of a site: 1 byte for the first 2, 2 up to number 501, else 3.
    #[must_use]
    pub fn new(site: SiteNumber) -> Self {
        let mut bytes = [0; 4];
        let len = token_of(site, Side::Right).spell(&mut bytes);
        Self { bytes, len }
    }

    /// Returns the symbols: 1 to 3.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

/// Returns the token of a site.
pub(super) fn token_of(number: SiteNumber, side: Side) -> Token {
    Token(TAG_RANGE.0 + 2 * number.0.min(NUMBER_MAX) + u32::from(side == Side::Right))
}

/// Returns whose tag a token is, and on which side; none for a token that is no tag.
pub(super) fn owner_of(token: Token) -> Option<(SiteNumber, Side)> {
    let tag = token.0.wrapping_sub(TAG_RANGE.0);
    let side = if tag.is_multiple_of(2) { Side::Left } else { Side::Right };
    (tag < TAG_RANGE.1 - TAG_RANGE.0).then_some((SiteNumber(tag / 2), side))
}

/// Returns the number of the site that made `key`.
///
/// Right for each key that [`between`](super::between) makes. A key without a tag (of `spaced`, `midpoint` or a script),
/// and one of the generator before this one, reads as none or as some site: this is to be shown and never to be relied on.
/// Where it is known who made the key, [`tag_in`] is right for those too.
#[must_use]
pub fn tag_of(key: &Key) -> Option<SiteNumber> {
    last_tag(key).map(|(site, _)| site).or_else(|| Some(SiteNumber(suffix::site(key.as_bytes())?.0)))
}

/// Returns the symbols of `key` that name `site`; none if the key does not name it.
///
/// Reads keys of the generator before this one too.
#[must_use]
pub fn tag_in(key: &Key, site: SiteNumber) -> Option<&str> {
    let text = key.as_str();
    match (last_tag(key), suffix::site(key.as_bytes())) {
        (Some((owner, place)), _) if owner == site => text.get(place),
        (_, Some((owner, at))) if owner == site.0 => text.get(at..),
        _ => None,
    }
}

/// Returns whose tag is the last in `key`, and where it stands.
fn last_tag(key: &Key) -> Option<(SiteNumber, Range<usize>)> {
    let mut last = None;
    let mut ends_in_node = true;
    for Cut { at, next, .. } in Scan::new(key.as_bytes()) {
        let Some(next) = next else { break };
        let tag = owner_of(next.token).filter(|_| next.whole);
        ends_in_node = next.whole && tag.is_none_or(|(_, side)| side == Side::Right);
        last = tag.map(|(owner, _)| (owner, at..at + next.bytes)).or(last);
    }
    last.filter(|_| ends_in_node)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    const SITES: u32 = 65_536;

    #[test]
    fn no_tag_begins_another() {
        let tags: Vec<Tag> = (0..SITES).map(|number| Tag::new(SiteNumber(number))).collect();
        let all: HashSet<&[u8]> = tags.iter().map(Tag::bytes).collect();
        assert_eq!(all.len(), tags.len());
        for tag in &all {
            for cut in 1..tag.len() {
                assert!(!all.contains(&tag[..cut]), "{tag:?}");
            }
        }
    }

    #[test]
    fn early_sites_have_short_tags() {
        let table = [(0, 1), (1, 1), (2, 2), (500, 2), (501, 2), (502, 3), (SITES - 1, 3), (u32::MAX, 3)];
        for (number, bytes) in table {
            assert_eq!(Tag::new(SiteNumber(number)).bytes().len(), bytes, "site {number}");
        }
    }

    #[test]
    fn a_tag_is_read_back_whatever_stands_before_and_behind_it() {
        for number in (0..SITES).chain([NUMBER_MAX]) {
            let tag = Tag::new(SiteNumber(number));
            for (before, behind) in [("", ""), ("h", ""), ("#55~", "h"), ("$5", "=5"), ("!", "|5h")] {
                let key = [before.as_bytes(), tag.bytes(), behind.as_bytes()].concat();
                let key = Key::try_from_bytes(&key).expect("a tag ends in no lowest symbol");
                assert_eq!(tag_of(&key), Some(SiteNumber(number)), "{key}");
                let named = tag_in(&key, SiteNumber(number)).map(str::as_bytes);
                assert_eq!(named, Some(tag.bytes()), "{key}");
            }
        }
    }

    #[test]
    fn a_key_of_the_generator_before_names_its_site_too() {
        for (key, number, tag) in [("PC", 0, "C"), ("dC", 0, "C"), ("PPC]", 25, "]"), ("=**", 26, "**")] {
            let key = Key::parse(key).expect("the text is a key");
            assert_eq!(tag_in(&key, SiteNumber(number)), Some(tag), "{key}");
        }
    }

    #[test]
    fn a_key_without_a_tag_names_no_site() {
        for text in ["~", "$5", "h~", "#55~", "|5!~"] {
            assert_eq!(tag_of(&Key::parse(text).expect("the text is a key")), None, "{text}");
        }
    }
}

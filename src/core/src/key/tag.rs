//! The part of a key that names the site that made it.
//!
//! It uses the 76 digits 8 to 83, each of which is also a whole counter of one byte, so that a key reads as counters
//! from end to end. They are of two kinds: 26 *plain* ones (digits 33 to 58) and 50 *brackets* (the others). A tag is
//! one plain symbol, or two brackets with plain symbols between them:
//!
//! | Site numbers | Tag | Bytes |
//! |---|---|---|
//! | 0 to 25 | plain | 1 |
//! | 26 to 2,525 | bracket bracket | 2 |
//! | 2,526 to 67,525 | bracket plain bracket | 3 |
//! | and so on | one plain symbol more | 4 to 7 |
//!
//! So a tag ends where its kind of symbol says, read from either side: no tag is the beginning of another, and none is
//! the end of another. Because of the second, keys of different sites differ *whatever gaps they were made in*: equal
//! keys would end in the same tag.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Key, alphabet};

/// The lowest digit of a tag.
const FIRST: u32 = 8;
const PLAIN: u32 = 26;
const BRACKETS: u32 = 50;
/// Half of the brackets are below the plain symbols.
const BRACKETS_BELOW: u32 = BRACKETS / 2;

/// Seven symbols number more sites than 32 bits do.
const TAG_BYTES_MAX: usize = 7;

/// Which of a list's sites one is, counted from 0 in the order in which they joined.
///
/// A list has at most 65,536 sites, so that a tag takes 3 bytes at most; a number above that still has a tag.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SiteNumber(pub u32);

impl fmt::Display for SiteNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The bytes that name a site at the end of the keys that it makes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Tag {
    bytes: [u8; TAG_BYTES_MAX],
    len: usize,
}

impl Tag {
    /// Returns the tag of a site.
    #[must_use]
    pub fn new(site: SiteNumber) -> Self {
        let mut reversed = [0; TAG_BYTES_MAX];
        let mut len = 0;
        let mut push = |symbol| {
            reversed[len] = symbol;
            len += 1;
        };
        match site.0.checked_sub(PLAIN) {
            None => push(plain(site.0)),
            Some(mut rest) => {
                // Each further plain symbol between the brackets makes room for that many times more sites.
                let mut inner = 0;
                let mut room = BRACKETS * BRACKETS;
                while rest >= room {
                    rest -= room;
                    room = room.saturating_mul(PLAIN);
                    inner += 1;
                }
                push(bracket(rest % BRACKETS));
                rest /= BRACKETS;
                for _ in 0..inner {
                    push(plain(rest % PLAIN));
                    rest /= PLAIN;
                }
                push(bracket(rest));
            }
        }
        reversed[..len].reverse();
        Self { bytes: reversed, len }
    }

    /// Returns the symbols: 1 to 3 for every site that a list can have.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

/// Returns the number of the site that made `key`, as its last bytes tell.
///
/// Right for each key that [`between`](super::between) made. A key without a tag (of `spaced`, `midpoint` or a script)
/// reads as none or as some site, so this is to be shown and never to be relied on.
#[must_use]
pub fn tag_of(key: &Key) -> Option<SiteNumber> {
    let mut reversed = key.as_bytes().iter().rev().map(|&symbol| kind(symbol));
    let number = match reversed.next()?? {
        Kind::Plain(value) => u64::from(value),
        Kind::Bracket(closing) => {
            let mut value = u64::from(closing);
            let mut scale = u64::from(BRACKETS);
            let mut skipped = u64::from(PLAIN);
            loop {
                match reversed.next()?? {
                    Kind::Bracket(opening) => break value + u64::from(opening) * scale + skipped,
                    // No tag holds so many: they place the key, and it has no tag.
                    Kind::Plain(_) if scale > u64::from(u32::MAX) => return None,
                    Kind::Plain(inner) => {
                        value += u64::from(inner) * scale;
                        skipped += u64::from(BRACKETS) * scale;
                        scale *= u64::from(PLAIN);
                    }
                }
            }
        }
    };
    // What stands before the tag places the key; a key is never a tag alone.
    reversed.next()?;
    u32::try_from(number).ok().map(SiteNumber)
}

enum Kind {
    Plain(u32),
    Bracket(u32),
}

/// Returns what `symbol` is in a tag; none where no tag holds it.
fn kind(symbol: u8) -> Option<Kind> {
    let value = u32::from(alphabet::digit(symbol)).checked_sub(FIRST).filter(|&value| value < PLAIN + BRACKETS)?;
    Some(match value.checked_sub(BRACKETS_BELOW) {
        None => Kind::Bracket(value),
        Some(plain) if plain < PLAIN => Kind::Plain(plain),
        Some(_) => Kind::Bracket(value - PLAIN),
    })
}

fn plain(value: u32) -> u8 {
    symbol(BRACKETS_BELOW + value)
}

fn bracket(value: u32) -> u8 {
    symbol(if value < BRACKETS_BELOW { value } else { value + PLAIN })
}

fn symbol(value: u32) -> u8 {
    alphabet::symbol(u8::try_from(FIRST + value).expect("plain symbols and brackets are digits"))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    const SITES: u32 = 65_536;

    #[test]
    fn no_tag_begins_or_ends_another() {
        let tags: Vec<Tag> = (0..SITES).map(|number| Tag::new(SiteNumber(number))).collect();
        let all: HashSet<&[u8]> = tags.iter().map(Tag::bytes).collect();
        assert_eq!(all.len(), tags.len());
        for tag in &all {
            for cut in 1..tag.len() {
                assert!(!all.contains(&tag[..cut]) && !all.contains(&tag[cut..]), "{tag:?}");
            }
        }
    }

    #[test]
    fn early_sites_have_short_tags() {
        let table = [(0, 1), (25, 1), (26, 2), (500, 2), (2_525, 2), (2_526, 3), (SITES - 1, 3), (u32::MAX, 7)];
        for (number, bytes) in table {
            assert_eq!(Tag::new(SiteNumber(number)).bytes().len(), bytes, "site {number}");
        }
    }

    #[test]
    fn a_tag_is_read_back_whatever_stands_before_it() {
        let beyond = [67_525, 67_526, 1_757_525, 1_757_526, u32::MAX - 1, u32::MAX];
        for number in (0..SITES).chain(beyond) {
            let tag = Tag::new(SiteNumber(number));
            for before in ["~", "P", "!", "~PPPPPP", "PPPP~!"] {
                let key = Key::from_symbols(before.bytes().chain(tag.bytes().iter().copied()));
                assert_eq!(Key::try_from_bytes(key.as_bytes()), Ok(key.clone()));
                assert_eq!(tag_of(&key), Some(SiteNumber(number)), "{key}");
            }
        }
    }

    #[test]
    fn a_key_without_room_for_a_tag_names_no_site() {
        for text in ["P", "~", "Pa", "aa", "aPa", "P~", "~Pa", "PPPPPPPPPPPPPPPa", "PaPPPPPPPPPPPPPPa"] {
            assert_eq!(tag_of(&Key::parse(text).expect("the text is a key")), None, "{text}");
        }
    }
}

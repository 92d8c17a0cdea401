//! Tags as keys of an earlier generator end in them: still on disks, and read to be shown.
//!
//! It used the 76 digits 8 to 83, of two kinds: 26 *plain* ones (digits 33 to 58) and 50 *brackets* (the others). A tag
//! was one plain symbol, or two brackets with plain symbols between them:
//!
//! | Site numbers | Tag | Bytes |
//! |---|---|---|
//! | 0 to 25 | plain | 1 |
//! | 26 to 2,525 | bracket bracket | 2 |
//! | 2,526 to 67,525 | bracket plain bracket | 3 |
//!
//! So a tag began where its kind of symbol says, read from the end.

use super::super::alphabet;

const FIRST: u32 = 8;
const PLAIN: u32 = 26;
const BRACKETS: u32 = 50;
/// Half of the brackets are below the plain symbols.
const BRACKETS_BELOW: u32 = BRACKETS / 2;

/// Returns the number of the site that the last bytes of `key` name, and where they begin; none where they name none.
pub(super) fn site(key: &[u8]) -> Option<(u32, usize)> {
    let mut reversed = key.iter().rev().map(|&symbol| kind(symbol));
    let (number, bytes) = match reversed.next()?? {
        Kind::Plain(value) => (value, 1),
        Kind::Bracket(closing) => match reversed.next()?? {
            Kind::Bracket(opening) => (PLAIN + opening * BRACKETS + closing, 2),
            Kind::Plain(inner) => match reversed.next()?? {
                Kind::Bracket(opening) => {
                    (PLAIN + BRACKETS * BRACKETS + (opening * PLAIN + inner) * BRACKETS + closing, 3)
                }
                // No list had so many sites: the symbols place the key, and it has no tag.
                Kind::Plain(_) => return None,
            },
        },
    };
    // What stands before the tag places the key; a key was never a tag alone.
    reversed.next()?;
    Some((number, key.len() - bytes))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_the_earlier_generator_name_their_sites() {
        let table = [
            ("PC", Some(0)),
            ("P]", Some(25)),
            ("P**", Some(26)),
            ("PCPC", Some(0)),
            ("P", None),
            ("~", None),
            ("P~", None),
            ("PP*", None),
        ];
        for (key, number) in table {
            assert_eq!(site(key.as_bytes()).map(|(site, _)| site), number, "{key}");
        }
    }
}

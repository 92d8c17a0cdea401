//! What a list is called on a relay, and what a person is called by others.

use core::fmt;
use core::str::FromStr;

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

/// Most bytes of a list's name.
const LIST_NAME_BYTES_MAX: usize = 64;

/// A list's name on one relay: 1 to 64 of letters, digits, `-`, `_` and `.`; not `.` or `..`.
///
/// It never names a file, so that no name can lead out of a folder; ids do.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "SmolStr", into = "SmolStr")]
pub struct ListName(SmolStr);

/// Why a text is no list name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ListNameError {
    /// Empty, or over 64 bytes.
    #[error("a list's name has 1 to 64 characters, not {bytes}")]
    Length {
        /// How many bytes it has.
        bytes: usize,
    },
    /// A character outside the alphabet.
    #[error("a list's name has only letters, digits, '-', '_' and '.', not {found:?}")]
    Character {
        /// The first such character.
        found: char,
    },
    /// `.` and `..` are folders.
    #[error("a list cannot be called '.' or '..'")]
    Dots,
}

impl ListName {
    /// Whether a character is one of those that names are made of.
    #[must_use]
    pub const fn may_hold(c: char) -> bool {
        c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for ListName {
    type Err = ListNameError;

    fn from_str(text: &str) -> Result<Self, ListNameError> {
        if let Some(found) = text.chars().find(|c| !Self::may_hold(*c)) {
            return Err(ListNameError::Character { found });
        }
        if text.is_empty() || text.len() > LIST_NAME_BYTES_MAX {
            return Err(ListNameError::Length { bytes: text.len() });
        }
        if matches!(text, "." | "..") {
            return Err(ListNameError::Dots);
        }
        Ok(Self(SmolStr::new(text)))
    }
}

impl TryFrom<SmolStr> for ListName {
    type Error = ListNameError;

    fn try_from(text: SmolStr) -> Result<Self, ListNameError> {
        text.parse()
    }
}

impl From<ListName> for SmolStr {
    fn from(name: ListName) -> Self {
        name.0
    }
}

impl fmt::Display for ListName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_documented_alphabet_makes_a_list_name() {
        for good in ["inbox", "standup-2026-11-30", "a", "A.b_c", &"x".repeat(64)] {
            assert_eq!(good.parse::<ListName>().map(|name| name.to_string()), Ok(good.to_owned()));
        }
        assert_eq!("../x".parse::<ListName>(), Err(ListNameError::Character { found: '/' }));
        assert_eq!("".parse::<ListName>(), Err(ListNameError::Length { bytes: 0 }));
        assert_eq!("x".repeat(65).parse::<ListName>(), Err(ListNameError::Length { bytes: 65 }));
        assert_eq!("..".parse::<ListName>(), Err(ListNameError::Dots));
        assert_eq!("einkäufe".parse::<ListName>(), Err(ListNameError::Character { found: 'ä' }));
    }
}

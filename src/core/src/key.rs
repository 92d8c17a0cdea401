//! Fractional keys: where an item stands, as one short byte string that sorts by memcmp.
//!
//! A key reads as digits after the point in base 92, most significant first, so byte order is numeric order. It never
//! ends in the lowest digit, so each fraction has exactly one spelling and there is a key below and between any two.
//!
//! | Function | Makes a key | Tagged |
//! |---|---|---|
//! | [`between`] | inside a gap, for a site: what the app uses | yes |
//! | [`inside`] | inside a gap, to put others behind | no |
//! | [`midpoint`] | inside a gap, as the textbook does: to teach and to compare | no |
//! | [`spaced`] | for each item of a whole list: what a rebalance uses | no |

mod alphabet;
mod between;
mod gap;
mod hint;
mod inside;
mod midpoint;
mod run;
mod scan;
mod spaced;
mod spelled;
mod tag;
mod token;

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use smol_str::SmolStr;

pub use self::{
    alphabet::{BASE, LOWEST, digit_of, symbol_of},
    between::between,
    gap::{Full, Gap, GapError},
    hint::{Hint, Trail},
    inside::inside,
    midpoint::midpoint,
    spaced::spaced,
    spelled::{LongKey, Spelled},
    tag::{SiteNumber, Tag, tag_in, tag_of},
};

/// The longest key, in bytes. A gap in which only longer keys are left is [`Full`]; a rebalance cures it.
pub const KEY_BYTES_MAX: usize = 128;

/// Where an item stands: 1 to [`KEY_BYTES_MAX`] symbols of the alphabet, the last of them not the lowest.
///
/// Keys compare by memcmp, and only within one epoch of one list. Up to 23 bytes are held without an allocation; clones
/// share a longer one.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Key(SmolStr);

/// Why bytes are not a key.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// There are no bytes.
    #[error("read a key from no bytes")]
    Empty,
    /// There are more than [`KEY_BYTES_MAX`] bytes.
    #[error("read a key of {bytes} bytes, where {KEY_BYTES_MAX} are the most")]
    TooLong {
        /// How many there are.
        bytes: usize,
    },
    /// A byte is outside the alphabet.
    #[error("read a key with byte {byte:#04x} at offset {at}, which is no key symbol")]
    Symbol {
        /// Offset of the first such byte.
        at: usize,
        /// That byte.
        byte: u8,
    },
    /// The last symbol is the lowest, so that the same fraction has a shorter spelling.
    #[error("read a key that ends in the lowest symbol `!`")]
    TrailingLowest,
}

impl Key {
    /// Returns `text` as a key.
    ///
    /// # Errors
    /// [`KeyError`] says what keeps it from being one; of several reasons, the first in the order of the variants.
    pub fn parse(text: &str) -> Result<Self, KeyError> {
        Self::try_from_bytes(text.as_bytes())
    }

    /// Returns `bytes` as a key.
    ///
    /// # Errors
    /// As [`Key::parse`].
    pub fn try_from_bytes(bytes: &[u8]) -> Result<Self, KeyError> {
        let last = *bytes.last().ok_or(KeyError::Empty)?;
        if bytes.len() > KEY_BYTES_MAX {
            return Err(KeyError::TooLong { bytes: bytes.len() });
        }
        if let Some((at, &byte)) = bytes.iter().enumerate().find(|&(_, &byte)| digit_of(byte).is_none()) {
            return Err(KeyError::Symbol { at, byte });
        }
        if last == LOWEST {
            return Err(KeyError::TrailingLowest);
        }
        Ok(Self::from_symbols(bytes.iter().copied()))
    }

    /// Returns the key as text, all of it ASCII.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the key as bytes, one for each symbol.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }

    /// Returns the length in bytes: 1 to [`KEY_BYTES_MAX`].
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "a key is never empty")]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns the key of symbols that are already known to make one.
    fn from_symbols(symbols: impl IntoIterator<Item = u8>) -> Self {
        let key = Self(symbols.into_iter().map(char::from).collect());
        debug_assert!((1..=KEY_BYTES_MAX).contains(&key.len()), "a made key is within the limit");
        debug_assert!(!key.0.ends_with(char::from(LOWEST)), "a made key is canonical");
        key
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl Serialize for Key {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;

        impl de::Visitor<'_> for Visitor {
            type Value = Key;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a key")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Key, E> {
                Key::parse(text).map_err(E::custom)
            }
        }

        deserializer.deserialize_str(Visitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_a_key_is_refused_with_the_reason() {
        let long = "a".repeat(KEY_BYTES_MAX + 1);
        let table: [(&str, KeyError); 9] = [
            ("", KeyError::Empty),
            (&long, KeyError::TooLong { bytes: 129 }),
            ("!", KeyError::TrailingLowest),
            ("a!!", KeyError::TrailingLowest),
            ("a\"", KeyError::Symbol { at: 1, byte: b'"' }),
            ("\\a", KeyError::Symbol { at: 0, byte: b'\\' }),
            ("a b", KeyError::Symbol { at: 1, byte: b' ' }),
            ("a\u{7f}", KeyError::Symbol { at: 1, byte: 0x7f }),
            ("aé", KeyError::Symbol { at: 1, byte: 0xc3 }),
        ];
        for (text, error) in table {
            assert_eq!(Key::parse(text), Err(error), "{text:?}");
            let json = serde_json::to_string(text).expect("a text has a JSON spelling");
            assert!(serde_json::from_str::<Key>(&json).is_err(), "{text:?}");
        }
    }

    #[test]
    fn errors_name_the_value() {
        assert_eq!(KeyError::TooLong { bytes: 200 }.to_string(), "read a key of 200 bytes, where 128 are the most");
        assert_eq!(
            KeyError::Symbol { at: 3, byte: b' ' }.to_string(),
            "read a key with byte 0x20 at offset 3, which is no key symbol"
        );
    }

    #[test]
    fn a_key_keeps_its_spelling() {
        let longest = "~".repeat(KEY_BYTES_MAX);
        for text in ["#", "!#", "a!b", "~", &longest] {
            let key = Key::parse(text).expect("the text is a key");
            assert_eq!((key.as_str(), key.as_bytes(), key.len()), (text, text.as_bytes(), text.len()));
            assert_eq!(key.to_string(), text);
            let json = serde_json::to_string(&key).expect("a key has a JSON spelling");
            assert_eq!(serde_json::from_str::<Key>(&json).expect("it is read back"), key);
        }
    }
}

//! What generators make keys of: with the limit on their length, and without it.

use std::fmt;

use smol_str::SmolStr;

use super::{Full, KEY_BYTES_MAX, Key};

/// Bytes that are held without an allocation.
const INLINE: usize = 23;

mod sealed {
    pub trait Sealed {}

    impl Sealed for super::Key {}
    impl Sealed for super::LongKey {}
}

/// What a generator can make: a [`Key`], or a [`LongKey`] to see how long one would become.
pub trait Spelled: Clone + Ord + sealed::Sealed {
    /// Returns the symbols, one byte each.
    fn as_bytes(&self) -> &[u8];

    /// Returns what canonical symbols in two parts spell.
    ///
    /// # Errors
    /// [`Full`] where it is longer than its kind may be.
    fn spelled(head: &[u8], tail: &[u8]) -> Result<Self, Full>;
}

impl Spelled for Key {
    fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }

    fn spelled(head: &[u8], tail: &[u8]) -> Result<Self, Full> {
        if head.len() + tail.len() > KEY_BYTES_MAX {
            return Err(Full);
        }
        Ok(Self(joined(head, tail)))
    }
}

/// A key that may be longer than a list takes: for figures on how keys grow, never for an item.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LongKey(SmolStr);

impl LongKey {
    /// Returns the length in bytes.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "a key is never empty")]
    pub fn len(&self) -> usize {
        self.0.len()
    }
}

impl fmt::Display for LongKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl From<Key> for LongKey {
    fn from(key: Key) -> Self {
        Self(key.0)
    }
}

impl Spelled for LongKey {
    fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }

    fn spelled(head: &[u8], tail: &[u8]) -> Result<Self, Full> {
        Ok(Self(joined(head, tail)))
    }
}

fn joined(head: &[u8], tail: &[u8]) -> SmolStr {
    const ASCII: &str = "key symbols are ASCII";
    let bytes = head.len() + tail.len();
    if bytes <= INLINE {
        let mut symbols = [0; INLINE];
        symbols[..head.len()].copy_from_slice(head);
        symbols[head.len()..bytes].copy_from_slice(tail);
        SmolStr::new_inline(std::str::from_utf8(&symbols[..bytes]).expect(ASCII))
    } else {
        String::from_utf8([head, tail].concat()).expect(ASCII).into()
    }
}

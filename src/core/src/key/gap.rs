//! The open space between two neighbouring keys.

use super::{KEY_BYTES_MAX, Key, Spelled};

/// The open space between two neighbouring keys, which ascend; an end may be missing.
#[derive(PartialEq, Eq, Debug)]
pub struct Gap<'a, K = Key> {
    low: Option<&'a K>,
    high: Option<&'a K>,
}

impl<K> Clone for Gap<'_, K> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K> Copy for Gap<'_, K> {}

/// Why two keys do not bound a gap.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GapError {
    /// They are the same key.
    #[error("open a gap between a key and itself")]
    Equal,
    /// The first is above the second.
    #[error("open a gap from a key down to a lower one")]
    Reversed,
}

/// No key of at most [`KEY_BYTES_MAX`] bytes was found in the gap; a rebalance of the list cures it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("make a key of at most {KEY_BYTES_MAX} bytes in a gap that holds none")]
pub struct Full;

impl Gap<'_> {
    /// Returns the gap without ends: an empty list.
    #[must_use]
    pub fn open() -> Self {
        Self { low: None, high: None }
    }
}

impl<'a, K: Spelled> Gap<'a, K> {
    /// Returns the gap between two keys. A missing one leaves that end open.
    ///
    /// # Errors
    /// Where `low` is not below `high`. Equal keys do occur: clones and scripts make them.
    pub fn new(low: Option<&'a K>, high: Option<&'a K>) -> Result<Self, GapError> {
        match (low, high) {
            (Some(low), Some(high)) if low == high => Err(GapError::Equal),
            (Some(low), Some(high)) if low > high => Err(GapError::Reversed),
            _ => Ok(Self { low, high }),
        }
    }

    /// Returns the key below the gap.
    #[must_use]
    pub fn low(&self) -> Option<&'a K> {
        self.low
    }

    /// Returns the key above the gap.
    #[must_use]
    pub fn high(&self) -> Option<&'a K> {
        self.high
    }

    /// Returns whether `key` lies strictly inside.
    #[must_use]
    pub fn contains(&self, key: &K) -> bool {
        self.low.is_none_or(|low| low < key) && self.high.is_none_or(|high| key < high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_ascending_keys_bound_a_gap() {
        let [a, b] = ["a", "a!b"].map(|text| Key::parse(text).expect("the text is a key"));
        assert_eq!(Gap::new(Some(&a), Some(&a)), Err(GapError::Equal));
        assert_eq!(Gap::new(Some(&b), Some(&a)), Err(GapError::Reversed));
        let gap = Gap::new(Some(&a), Some(&b)).expect("a is below b");
        assert_eq!((gap.low(), gap.high()), (Some(&a), Some(&b)));
        assert!(!gap.contains(&a) && !gap.contains(&b));
        assert_eq!(Gap::new(None, None), Ok(Gap::open()));
    }
}

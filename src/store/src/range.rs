//! A range of keys.

use std::ops::Bound;

/// The keys with `start <= key`, and `key < end` if there is an end. One that ends at or before its start is empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRange {
    /// The first key that may be inside.
    pub start: Vec<u8>,
    /// The first key behind the range; `None` reaches to the last key.
    pub end: Option<Vec<u8>>,
}

impl KeyRange {
    /// Returns the range of all keys.
    #[must_use]
    pub fn all() -> Self {
        Self { start: Vec::new(), end: None }
    }

    /// Returns the range of the keys with `start <= key < end`.
    #[must_use]
    pub fn from_to(start: impl Into<Vec<u8>>, end: impl Into<Vec<u8>>) -> Self {
        Self { start: start.into(), end: Some(end.into()) }
    }

    /// Returns the range of the keys that begin with the prefix, which is one of them.
    #[must_use]
    pub fn prefix(prefix: &[u8]) -> Self {
        // 0xff has no successor of its length: the end is that of the part before it.
        let mut end = prefix.to_vec();
        while let Some(last) = end.pop() {
            if let Some(next) = last.checked_add(1) {
                end.push(next);
                return Self { start: prefix.to_vec(), end: Some(end) };
            }
        }
        Self { start: prefix.to_vec(), end: None }
    }

    /// Returns whether the key is inside.
    #[must_use]
    pub fn contains(&self, key: &[u8]) -> bool {
        *self.start <= *key && self.end.as_ref().is_none_or(|end| *key < **end)
    }

    /// Returns whether no key can be inside.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.end.as_ref().is_some_and(|end| *end <= self.start)
    }

    pub(crate) fn bounds(&self) -> (Bound<&[u8]>, Bound<&[u8]>) {
        let end = self.end.as_ref().map_or(Bound::Unbounded, |end| Bound::Excluded(end.as_slice()));
        (Bound::Included(&self.start), end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_prefix(prefix: &[u8], end: Option<&[u8]>) {
        let range = KeyRange::prefix(prefix);
        assert_eq!((&*range.start, range.end.as_deref()), (prefix, end));
    }

    #[test]
    fn the_range_of_a_prefix_ends_behind_its_last_key() {
        check_prefix(b"", None);
        check_prefix(b"a", Some(b"b"));
        check_prefix(b"a\xfe", Some(b"a\xff"));
        check_prefix(b"a\xff", Some(b"b"));
        check_prefix(b"a\xff\xff", Some(b"b"));
        check_prefix(b"\xff\xff", None);
    }

    #[test]
    fn a_range_holds_its_start_and_not_its_end() {
        let range = KeyRange::from_to("b", "d");
        let inside = [&b"a"[..], b"b", b"b\0", b"c\xff", b"d"].map(|key| range.contains(key));
        assert_eq!(inside, [false, true, true, true, false]);
        assert!(KeyRange::all().contains(b"") && KeyRange::all().contains(b"\xff"));
    }

    #[test]
    fn a_range_that_ends_at_its_start_is_empty() {
        assert!(KeyRange::from_to("b", "b").is_empty());
        assert!(KeyRange::from_to("c", "b").is_empty());
        assert!(!KeyRange::from_to("b", "b\0").is_empty());
        assert!(!KeyRange::all().is_empty());
    }
}

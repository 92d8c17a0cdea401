//! Decoding lists from a peer's bytes without believing their length.
//!
//! A decoder that reserves what a length announces lets five bytes ask for a megabyte. These lists grow as their
//! elements come and refuse more than they may hold, so that memory stays in proportion to the input: at most eight
//! times, which `tests/alloc.rs` measures.

use core::fmt;
use core::marker::PhantomData;

use serde::de::{Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// Decodes at most `MAX` elements; for `#[serde(deserialize_with)]`.
pub(crate) fn list<'de, D, T, const MAX: usize>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    list_where::<D, T, MAX>(deserializer, |_, _| true)
}

/// Decodes at most `MAX` elements, of which `accepts` says whether each may follow those before it.
///
/// The first that may not ends the decoding, so that no more than it was held in vain.
pub(crate) fn list_where<'de, D, T, const MAX: usize>(
    deserializer: D,
    accepts: fn(&[T], &T) -> bool,
) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    deserializer.deserialize_seq(Elements::<T, MAX> { accepts, elements: PhantomData })
}

struct Elements<T, const MAX: usize> {
    accepts: fn(&[T], &T) -> bool,
    elements: PhantomData<T>,
}

impl<'de, T: Deserialize<'de>, const MAX: usize> Visitor<'de> for Elements<T, MAX> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at most {MAX} elements")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Vec<T>, A::Error> {
        let mut elements = Vec::new();
        while let Some(element) = seq.next_element()? {
            let count = elements.len();
            if count == MAX {
                return Err(A::Error::custom("a list with more elements than it may have"));
            }
            if !(self.accepts)(&elements, &element) {
                return Err(A::Error::custom("a list with an element that it may not have"));
            }
            if count == elements.capacity() {
                // By half and from one, where `push` would double and begin with four: room unused counts as well.
                elements.reserve_exact((count / 2 + 1).min(MAX - count));
            }
            elements.push(element);
        }
        Ok(elements)
    }
}

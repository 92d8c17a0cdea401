//! Decoding lists from a peer's bytes without believing their length.
//!
//! A decoder that reserves what a length announces lets five bytes ask for a megabyte. These lists grow as their
//! elements come and refuse more than they may hold, so that memory stays in proportion to the input.

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
    struct Elements<T, const MAX: usize>(PhantomData<T>);
    impl<'de, T: Deserialize<'de>, const MAX: usize> Visitor<'de> for Elements<T, MAX> {
        type Value = Vec<T>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "at most {MAX} elements")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Vec<T>, A::Error> {
            let mut elements = Vec::new();
            while let Some(element) = seq.next_element()? {
                if elements.len() == MAX {
                    return Err(A::Error::custom("a list with more elements than it may have"));
                }
                elements.push(element);
            }
            Ok(elements)
        }
    }
    deserializer.deserialize_seq(Elements::<T, MAX>(PhantomData))
}

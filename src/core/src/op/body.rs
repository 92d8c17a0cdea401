//! What an op says, by kind.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use smol_str::SmolStr;

use super::encode;
use crate::bounded;
use crate::id::ItemId;
use crate::key::{Key, KeyError};
use crate::register::Register;

/// The kinds of ops that have a number.
pub mod kind {
    /// The site's first op: gives it its number.
    pub const JOIN: u8 = 1;
    /// A new item.
    pub const ADD: u8 = 2;
    /// A move of an item, a write of its registers, or both.
    pub const PUT: u8 = 3;
    /// A write of the list's own registers.
    pub const LIST: u8 = 4;
    /// Fresh short keys for the whole list. Known by number only: this program cannot carry it out yet.
    pub const REBALANCE: u8 = 5;
    /// Forgetting of long-dead items. Known by number only: this program cannot carry it out yet.
    pub const COLLECT: u8 = 6;
    /// Has no effect. Only programs that are told to know it do: a stand-in, in tests, for the next kind that comes.
    pub const PROBE: u8 = 63;
}

/// The kinds of ops that a program can carry out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kinds(u64);

impl Kinds {
    /// Nothing at all.
    pub const NONE: Self = Self(0);

    /// What this program can carry out.
    pub const KNOWN: Self = Self(1 << kind::JOIN | 1 << kind::ADD | 1 << kind::PUT | 1 << kind::LIST);

    /// These and one more. Kinds from 64 on have no place here, and change nothing.
    #[must_use]
    pub const fn and(self, kind: u8) -> Self {
        if kind < 64 { Self(self.0 | 1 << kind) } else { self }
    }

    /// Whether `kind` is among them.
    #[must_use]
    pub const fn has(self, kind: u8) -> bool {
        kind < 64 && self.0 & 1 << kind != 0
    }
}

/// The first op of a site on a list.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Join {
    /// What the person at the site is called: who did what stays readable when they are gone.
    pub name: SmolStr,
}

/// A new item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Add {
    /// Its id.
    pub item: ItemId,
    /// Where it stands.
    pub key: Key,
    /// What is written at once: an item with text, tags and depth is one op.
    #[serde(deserialize_with = "registers")]
    pub registers: Vec<Register>,
}

/// A change of an item: a move if there is a key, and a write of what registers there are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Put {
    /// Which item.
    pub item: ItemId,
    /// Where it goes.
    pub key: Option<Key>,
    /// What is written.
    #[serde(deserialize_with = "registers")]
    pub registers: Vec<Register>,
}

/// A write of the list's own registers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListPut {
    /// The title that people see.
    pub title: SmolStr,
}

/// What an op says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Body {
    /// See [`kind::JOIN`].
    Join(Join),
    /// See [`kind::ADD`].
    Add(Add),
    /// See [`kind::PUT`].
    Put(Put),
    /// See [`kind::LIST`].
    List(ListPut),
    /// A kind that this program does not know, or a known one in a form that it does not.
    Unread {
        /// The kind's number.
        kind: u8,
        /// The body as it came.
        bytes: Vec<u8>,
    },
}

/// Why a body is [`Body::Unread`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BodyFault {
    /// The kind has no meaning here.
    #[error("unknown kind of op {0}")]
    Kind(u8),
    /// It would read but for its key.
    #[error("bad key in an op")]
    Key(#[source] KeyError),
    /// The bytes are no body of their kind.
    #[error("malformed body of an op of kind {0}")]
    Malformed(u8),
}

impl Body {
    /// Reads a body; what cannot be read is kept as it came.
    #[must_use]
    pub fn read(kind: u8, bytes: &[u8]) -> Self {
        let read = match kind {
            kind::JOIN => decode_whole(bytes).map(Self::Join),
            kind::ADD => decode_whole(bytes).map(Self::Add),
            kind::PUT => decode_whole(bytes).map(Self::Put),
            kind::LIST => decode_whole(bytes).map(Self::List),
            _ => None,
        };
        read.unwrap_or_else(|| Self::Unread { kind, bytes: bytes.to_vec() })
    }

    /// The number of its kind.
    #[must_use]
    pub const fn kind(&self) -> u8 {
        match self {
            Self::Join(_) => kind::JOIN,
            Self::Add(_) => kind::ADD,
            Self::Put(_) => kind::PUT,
            Self::List(_) => kind::LIST,
            Self::Unread { kind, .. } => *kind,
        }
    }

    /// The bytes of the body.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        match self {
            Self::Join(join) => encode(join),
            Self::Add(add) => encode(add),
            Self::Put(put) => encode(put),
            Self::List(list) => encode(list),
            Self::Unread { bytes, .. } => bytes.clone(),
        }
    }

    /// The bytes of the body without its key: what goes under the op's hash.
    #[must_use]
    pub fn keyless_bytes(&self) -> Vec<u8> {
        match self {
            Self::Add(Add { item, registers, .. }) | Self::Put(Put { item, registers, .. }) => {
                encode(&(item, registers))
            }
            _ => self.to_bytes(),
        }
    }

    /// The key that it places an item at.
    #[must_use]
    pub const fn key(&self) -> Option<&Key> {
        match self {
            Self::Add(add) => Some(&add.key),
            Self::Put(put) => put.key.as_ref(),
            _ => None,
        }
    }

    /// The item that it is about.
    #[must_use]
    pub const fn item(&self) -> Option<ItemId> {
        match self {
            Self::Add(Add { item, .. }) | Self::Put(Put { item, .. }) => Some(*item),
            _ => None,
        }
    }

    /// The registers that it writes.
    #[must_use]
    pub fn registers(&self) -> &[Register] {
        match self {
            Self::Add(Add { registers, .. }) | Self::Put(Put { registers, .. }) => registers,
            _ => &[],
        }
    }

    /// Gives a placement another key; anything else stays as it is.
    pub fn set_key(&mut self, new: Key) {
        match self {
            Self::Add(add) => add.key = new,
            Self::Put(put) if put.key.is_some() => put.key = Some(new),
            _ => {}
        }
    }

    /// Why it could not be read; `None` for one that was.
    #[must_use]
    pub fn fault(&self) -> Option<BodyFault> {
        let Self::Unread { kind, bytes } = self else { return None };
        let key = match *kind {
            kind::ADD => decode_whole::<Loose<SmolStr>>(bytes).map(|loose| loose.key),
            kind::PUT => decode_whole::<Loose<Option<SmolStr>>>(bytes).and_then(|loose| loose.key),
            kind::JOIN | kind::LIST => None,
            _ => return Some(BodyFault::Kind(*kind)),
        };
        let fault = key.and_then(|key| Key::parse(&key).err());
        Some(fault.map_or(BodyFault::Malformed(*kind), BodyFault::Key))
    }
}

/// An [`Add`] or a [`Put`] with whatever text stands in the place of its key.
#[derive(Deserialize)]
struct Loose<K> {
    #[serde(rename = "item")]
    _item: ItemId,
    key: K,
    #[serde(rename = "registers", deserialize_with = "registers")]
    _registers: Vec<Register>,
}

/// Decodes bytes that must be one value and nothing more.
fn decode_whole<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Option<T> {
    postcard::take_from_bytes(bytes).ok().and_then(|(value, rest)| rest.is_empty().then_some(value))
}

impl Serialize for Body {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (self.kind(), ByteList(&self.to_bytes())).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Body {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (kind, bytes) = <(u8, &'de [u8])>::deserialize(deserializer)?;
        let body = Self::read(kind, bytes);
        // Another spelling of the same body would hash differently here and at whoever wrote it.
        if body.to_bytes() != bytes {
            return Err(D::Error::custom("a body that is not in its one spelling"));
        }
        Ok(body)
    }
}

/// The registers that an op writes: each of them once.
fn registers<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Register>, D::Error> {
    bounded::list_where::<D, Register, 16>(deserializer, |before, register| {
        before.iter().all(|other| other.field() != register.field())
    })
}

/// Bytes that encode as a list of bytes at once, not one by one.
struct ByteList<'a>(&'a [u8]);

impl Serialize for ByteList<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_without_a_place_among_kinds_changes_none() {
        assert_eq!(Kinds::KNOWN.and(64), Kinds::KNOWN);
        assert!(!Kinds::KNOWN.and(64 + kind::PROBE).has(kind::PROBE));
        assert!(Kinds::KNOWN.and(kind::PROBE).has(kind::PROBE));
    }

    #[test]
    fn a_body_in_another_spelling_is_refused() {
        let spelled = |count: &[u8]| {
            let put = [&[3; 8][..], &[0], count, &[2, 1]].concat();
            postcard::from_bytes::<Body>(&encode(&(kind::PUT, ByteList(&put))))
        };
        let put = Put { item: ItemId::from_bytes([3; 8]), key: None, registers: vec![Register::Done(true)] };
        assert_eq!(spelled(&[1]), Ok(Body::Put(put)));
        // 1 as a varint of two bytes.
        assert!(spelled(&[0x81, 0]).is_err());
    }
}

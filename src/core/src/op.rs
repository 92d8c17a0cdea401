//! Ops: what a site says to a list, in its one spelling under a hash.
//!
//! `betwixt.1` spells an op as below; integers are LEB128 varints unless a width is given, and a list of bytes is its
//! length as a varint and the bytes.
//!
//! | field | bytes | |
//! |---|---|---|
//! | site | 16 | |
//! | ctr | varint | from 1; ctr 1 is the site's `Join` |
//! | prev | varint | ctr of the site's last op that was not refused; 0 before the first |
//! | epoch | 32 | id of the epoch that its key belongs to |
//! | wall, counter, site | varint, varint, 16 | the stamp |
//! | kind | 1 | see [`kind`] |
//! | body | list of bytes | what the kind says |
//! | hash | 32 | SHA-256 over the op without key, epoch and prev, which change when it is re-keyed |
//!
//! A body is kind, length, bytes, so that a program that does not know a kind can carry, store and hash an op that it
//! cannot carry out.

pub mod body;
pub mod check;

use serde::{Deserialize, Serialize};

pub use self::body::{Add, Body, Join, ListPut, Put, kind};
use crate::hlc::Hlc;
use crate::id::{Hash, ListUid, OpId, SiteId};
use crate::key::Key;

/// Which generation of a list's keys: keys compare only within one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct EpochId(pub Hash);

impl EpochId {
    /// The epoch that a new list begins with.
    #[must_use]
    pub fn first(uid: ListUid) -> Self {
        Self(Hash::of(&[b"betwixt epoch", uid.as_bytes()]))
    }
}

/// One immutable change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Op {
    /// The site that says it.
    pub site: SiteId,
    /// The how-manieth op of that site on this list, from 1.
    pub ctr: u64,
    /// Counter of the site's last op that was not refused.
    pub prev: u64,
    /// The epoch that its key belongs to.
    pub epoch: EpochId,
    /// One stamp for all that the op writes. Its site is another one where an op was minted anew.
    pub hlc: Hlc,
    /// What it says.
    pub body: Body,
    /// See [`Op::content_hash`].
    pub hash: Hash,
}

/// The op as it goes under the hash: no key, no epoch, no `prev`.
#[derive(Serialize)]
struct Content<'a> {
    site: SiteId,
    ctr: u64,
    hlc: Hlc,
    kind: u8,
    has_key: bool,
    keyless: &'a [u8],
}

impl Op {
    /// An op with its hash.
    #[must_use]
    pub fn new(id: OpId, prev: u64, epoch: EpochId, hlc: Hlc, body: Body) -> Self {
        let unhashed = Hash::from_bytes([0; 32]);
        let mut op = Self { site: id.site, ctr: id.ctr, prev, epoch, hlc, body, hash: unhashed };
        op.hash = op.content_hash();
        op
    }

    /// Its identity.
    #[must_use]
    pub const fn id(&self) -> OpId {
        OpId { site: self.site, ctr: self.ctr }
    }

    /// The key that it places an item at.
    #[must_use]
    pub const fn key(&self) -> Option<&Key> {
        self.body.key()
    }

    /// The hash over all but key, epoch and prev: two ops of one id and one hash are the same op.
    #[must_use]
    pub fn content_hash(&self) -> Hash {
        let content = Content {
            site: self.site,
            ctr: self.ctr,
            hlc: self.hlc,
            kind: self.body.kind(),
            has_key: self.key().is_some(),
            keyless: &self.body.keyless_bytes(),
        };
        Hash::of(&[&encode(&content)])
    }

    /// The `betwixt.1` spelling, as it stands under the chain's hash.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        encode(self)
    }
}

/// Encodes a value whose encoding cannot fail: our own types into a growing buffer.
pub(crate) fn encode<T: Serialize>(value: &T) -> Vec<u8> {
    postcard::to_stdvec(value).expect("our own types encode into a growing buffer")
}

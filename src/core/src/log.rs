//! A list's log: its ops in their one order, with a hash chain over them.
//!
//! ```text
//! chain[0] = SHA-256("betwixt list", uid)
//! chain[n] = SHA-256(chain[n-1], seq as 8 bytes big-endian, op as in module `op`, state hash if any)
//! ```
//!
//! Two replicas with one chain hash have read the same ops in the same order: a relay that lost its tail, or was
//! restored from a copy, is found out by the first hash that differs.

use serde::{Deserialize, Serialize};

use crate::id::{Hash, ListUid};
use crate::op::Op;

/// The chain over an empty log.
#[must_use]
pub fn chain_start(uid: ListUid) -> Hash {
    Hash::of(&[b"betwixt list", uid.as_bytes()])
}

/// How far a replica has read a list's log: up to `seq`, with the chain hash there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Watermark {
    /// Ops read.
    pub seq: u64,
    /// The chain over them.
    pub chain: Hash,
}

impl Watermark {
    /// The watermark of a list of which nothing has been read.
    #[must_use]
    pub fn start(uid: ListUid) -> Self {
        Self { seq: 0, chain: chain_start(uid) }
    }

    /// The watermark behind one more op.
    #[must_use]
    pub fn next(self, op: &Op, state_hash: Option<&Hash>) -> Self {
        // A snapshot may claim any place in its log, also the last one.
        let seq = self.seq.saturating_add(1);
        let stamped = state_hash.map_or(&[][..], |hash| hash.as_bytes());
        Self { seq, chain: Hash::of(&[self.chain.as_bytes(), &seq.to_be_bytes(), &op.to_bytes(), stamped]) }
    }
}

/// An op as the relay sequenced it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Its place in the log, from 1.
    pub seq: u64,
    /// The op.
    pub op: Op,
    /// The chain up to and with it.
    pub chain: Hash,
    /// What the relay stamps on ops that rewrite the whole list: the hash of the state after it.
    pub state_hash: Option<Hash>,
}

impl Entry {
    /// The entry of `op` behind `head`.
    #[must_use]
    pub fn behind(head: Watermark, op: Op) -> Self {
        let mark = head.next(&op, None);
        Self { seq: mark.seq, op, chain: mark.chain, state_hash: None }
    }

    /// The watermark of a replica that has read up to and with this entry.
    #[must_use]
    pub const fn mark(&self) -> Watermark {
        Watermark { seq: self.seq, chain: self.chain }
    }

    /// The bytes of the entry, as it is stored and sent.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        crate::op::encode(self)
    }

    /// Reads an entry.
    ///
    /// # Errors
    ///
    /// The bytes are not an entry and nothing more.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, EntryError> {
        match postcard::take_from_bytes(bytes) {
            Ok((entry, [])) => Ok(entry),
            Ok(_) => Err(EntryError::Longer),
            Err(source) => Err(EntryError::Malformed(source)),
        }
    }
}

/// Why bytes are no entry.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EntryError {
    /// An entry, and more behind it.
    #[error("bytes behind the end of an entry")]
    Longer,
    /// They do not decode.
    #[error("malformed entry")]
    Malformed(#[source] postcard::Error),
}

//! The log of lists, as the relay needs it: loaded, read on, appended to, deleted, durable.

mod directory;
mod keys;
mod load;
mod migrate;
mod stored;
mod trim;

use betwixt_core::hlc::Millis;
use betwixt_core::id::{Hash, ListUid};
use betwixt_core::list::{ApplyError, List};
use betwixt_core::log::EntryError;
use betwixt_core::name::ListName;
use betwixt_core::op::body::Kinds;
use betwixt_core::snapshot::SnapshotError;
use betwixt_core::wire::{Listed, Listing};
use betwixt_store::{OpenError, StoreError};
use bytes::Bytes;
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

pub use self::directory::LISTED_MAX;
pub use self::stored::{FORMAT, Stored, StoredError};
pub use self::trim::{LogLimits, LogSize};
use crate::snapshot::Snapshot;

/// Where the logs of lists are kept.
///
/// All methods may be called from several threads at once, and block for the disk. Commits are carried out one after
/// the other, and what is read is what was committed.
pub trait Engine: std::fmt::Debug + Send + Sync + 'static {
    /// Loads a list: its last snapshot and the log behind it, with the chain checked. `None` if there is none.
    ///
    /// # Errors
    ///
    /// The list is damaged (others are not), or the store cannot be read.
    fn load(&self, name: &ListName, kinds: Kinds) -> Result<Option<Loaded>, LoadError>;

    /// Reads the entries behind `after`, in order, until they have `bytes_max` bytes; one more than that at most.
    ///
    /// # Errors
    ///
    /// As [`Engine::load`].
    fn read(&self, name: &ListName, after: u64, bytes_max: usize) -> Result<Behind, LoadError>;

    /// The chain up to and with an entry; `None` if there is no such entry.
    ///
    /// # Errors
    ///
    /// As [`Engine::load`].
    fn chain_at(&self, name: &ListName, seq: u64) -> Result<Option<Hash>, LoadError>;

    /// The lists that are asked for, in the order of their names: as many as one message holds, and not more than
    /// [`LISTED_MAX`]. Reads one record of each, however long it is. A list whose identity does not decode is left out.
    ///
    /// # Errors
    ///
    /// The store cannot be read now.
    fn lists(&self, asked: &Listing) -> Result<Page, StoreError>;

    /// The identity of the list that has a name; `None` if the name is free. Also of a list that is damaged otherwise.
    ///
    /// # Errors
    ///
    /// As [`Engine::load`].
    fn identity(&self, name: &ListName) -> Result<Option<ListUid>, LoadError>;

    /// Whether a list of this identity was ever deleted.
    ///
    /// # Errors
    ///
    /// The store cannot be read now.
    fn is_deleted(&self, uid: ListUid) -> Result<bool, StoreError>;

    /// Carries out changes to lists, in order, all or nothing; returns when it is on the disk.
    ///
    /// # Errors
    ///
    /// Nothing of it can be read, but it may be on the disk: that is known after [`Engine::reopen`].
    fn commit(&self, changes: &[Change]) -> Result<(), StoreError>;

    /// Keeps a snapshot of a list, which must be durable up to it, in place of the earlier ones. The log stays. Does
    /// nothing if another list, or none, has the name by now.
    ///
    /// # Errors
    ///
    /// As [`Engine::commit`]; the earlier snapshot still counts then.
    fn save(&self, name: &ListName, snapshot: &Snapshot) -> Result<(), StoreError>;

    /// Takes the oldest entries out of a list's log, as far as it is over the limits: none above `upto`, where its
    /// stored snapshot is, and none of its last ones. Several short commits, the oldest entries first. Returns what is
    /// left; `None`, and nothing is done, if another list, or none, has the name by now.
    ///
    /// # Errors
    ///
    /// As [`Engine::commit`], for a part of them; what is left is a whole end of the log all the same.
    fn trim(
        &self,
        name: &ListName,
        uid: ListUid,
        upto: u64,
        limits: &LogLimits,
        now: Millis,
    ) -> Result<Option<LogSize>, StoreError>;

    /// Opens the store anew, after a commit has failed.
    ///
    /// # Errors
    ///
    /// It cannot be opened now; another attempt is harmless.
    fn reopen(&self) -> Result<(), OpenError>;

    /// Lets go of the store, once those who read it are done. What is asked for later fails.
    fn close(&self);
}

/// A list as it was loaded.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// The list at the head of its log.
    pub list: List,
    /// What its record says.
    pub meta: Meta,
    /// How far its stored snapshot goes; 0 if it has none.
    pub snapshot_seq: u64,
    /// Bytes of that snapshot.
    pub snapshot_bytes: usize,
    /// Bytes of the log behind it.
    pub log_bytes: usize,
    /// The first entry that was not trimmed.
    pub first_seq: u64,
}

/// What of a log is behind a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Behind {
    /// The next entries, or none at its end.
    Entries(Vec<Record>),
    /// The next entry was trimmed: who has read up to there goes on from a snapshot.
    Trimmed,
}

/// An entry as it is stored and sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Its place in the log.
    pub seq: u64,
    /// The encoded entry.
    pub bytes: Bytes,
}

/// What is known of a list without loading it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Meta {
    /// Its identity.
    pub uid: ListUid,
    /// When it was made.
    pub made: Millis,
    /// Its title at the durable head of its log; empty if it has none.
    pub title: SmolStr,
}

/// A part of the directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// Lists, in the order of their names.
    pub lists: Vec<Listed>,
    /// Whether there are more behind the last of them.
    pub more: bool,
}

/// What is done to one list.
#[derive(Debug, Clone)]
pub enum Change {
    /// Its log goes on.
    Append(Append),
    /// It is deleted.
    Delete(Delete),
}

impl Change {
    /// Which list.
    #[must_use]
    pub const fn name(&self) -> &ListName {
        match self {
            Self::Append(append) => &append.name,
            Self::Delete(delete) => &delete.name,
        }
    }

    /// What it weighs in a commit: ops, and their bytes. A deletion counts as one.
    #[must_use]
    pub fn weight(&self) -> (usize, usize) {
        match self {
            Self::Append(append) => {
                (append.records.len(), append.records.iter().map(|record| record.bytes.len()).sum())
            }
            Self::Delete(_) => (1, 0),
        }
    }
}

impl From<Append> for Change {
    fn from(append: Append) -> Self {
        Self::Append(append)
    }
}

impl From<Delete> for Change {
    fn from(delete: Delete) -> Self {
        Self::Delete(delete)
    }
}

/// The deletion of one list: of all that is stored under its name. What stays is that its identity was deleted.
#[derive(Debug, Clone)]
pub struct Delete {
    /// Which list.
    pub name: ListName,
    /// Its identity.
    pub uid: ListUid,
    /// When it is deleted.
    pub at: Millis,
}

/// What is appended to one list.
#[derive(Debug, Clone)]
pub struct Append {
    /// Which list.
    pub name: ListName,
    /// What its record says from now on, if that is another: with its first entries, which make the list, and with one
    /// that writes the title.
    pub meta: Option<Meta>,
    /// The entries, in order.
    pub records: Vec<Record>,
}

/// Why a list cannot be loaded or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// What is stored of it is not what was written. It stays closed; the others work.
    #[error("the list {list} is damaged at entry {seq}")]
    Damaged {
        /// Which list.
        list: ListName,
        /// The entry, or the one that the snapshot goes up to.
        seq: u64,
        /// How it showed.
        #[source]
        reason: Damage,
    },
    /// The store cannot be read now.
    #[error("the list {list} cannot be read")]
    Store {
        /// Which list.
        list: ListName,
        /// What failed.
        #[source]
        source: StoreError,
    },
}

/// How damage to a stored list showed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Damage {
    /// The record of its identity is missing, or that of another list.
    #[error("it has no identity")]
    Meta,
    /// The record of its identity, or a part of its snapshot, does not decode.
    #[error("a record before its log cannot be read")]
    Record(#[source] postcard::Error),
    /// Its snapshot is not whole.
    #[error("its snapshot is not whole")]
    Snapshot(#[source] SnapshotError),
    /// An entry does not decode.
    #[error("the entry cannot be read")]
    Entry(#[source] EntryError),
    /// An entry is missing, or stands where another should.
    #[error("another entry stands there")]
    Place,
    /// An entry does not continue the log.
    #[error("the entry does not continue the log")]
    Apply(#[source] ApplyError),
}

//! What a worker is told: by links, by the committer, and by those who work for it elsewhere.

use std::sync::Arc;

use betwixt_core::id::{ItemId, ListUid};
use betwixt_core::name::ListName;
use betwixt_store::StoreError;
use tokio::sync::{OwnedSemaphorePermit, oneshot};

use super::{Deletion, Hello};
use crate::committer::Durable;
use crate::engine::{LoadError, Loaded, LogSize};
use crate::outbox::SessionId;
use crate::room::sketch::Pushed;
use crate::snapshot::Snapshot;

/// What a worker is told.
#[derive(Debug)]
pub enum Command {
    /// A site opens a list.
    Hello(Box<Hello>),
    /// A site deletes a list.
    Delete(Box<Deletion>),
    /// Ops to be sequenced.
    Push {
        /// Which list.
        name: ListName,
        /// Who pushes.
        session: SessionId,
        /// The ops.
        ops: Pushed,
        /// Held until they are durable.
        permit: OwnedSemaphorePermit,
    },
    /// Where a person is.
    Here {
        /// Which list.
        name: ListName,
        /// Whose session.
        session: SessionId,
        /// The selected item.
        at: Option<ItemId>,
        /// Whether it is being edited.
        editing: bool,
    },
    /// A session ends.
    Leave {
        /// Which list.
        name: ListName,
        /// Which session.
        session: SessionId,
    },
    /// A session has sent the log up to `after`, and would be live.
    CaughtUp {
        /// Which list.
        name: ListName,
        /// Which session.
        session: SessionId,
        /// The last entry that it was sent.
        after: u64,
    },
    /// A list was looked for in the store.
    Loaded {
        /// Which list.
        name: ListName,
        /// What is there.
        found: Result<Found, LoadError>,
    },
    /// The identity of a list that is to be deleted was looked for in the store.
    Identified {
        /// What it is called.
        name: ListName,
        /// Which list is meant.
        uid: Option<ListUid>,
        /// What is there.
        found: Result<Identity, LoadError>,
    },
    /// It was looked for whether a list was deleted that had the name of another one.
    Judged {
        /// What it is, or was, called.
        name: ListName,
        /// Which list.
        uid: ListUid,
        /// Whether it was deleted.
        deleted: Result<bool, StoreError>,
    },
    /// A snapshot was encoded.
    Encoded {
        /// Of which list.
        name: ListName,
        /// The number of failures of storage when it was asked for: a later one may have taken what it holds.
        era: u64,
        /// The snapshot.
        snapshot: Arc<Snapshot>,
    },
    /// A snapshot was stored, or not.
    Saved {
        /// Of which list.
        name: ListName,
        /// The snapshot.
        snapshot: Arc<Snapshot>,
        /// Whether it is there, and what is left of the log if that was trimmed.
        saved: Result<Option<LogSize>, StoreError>,
    },
    /// How lists stand on the disk.
    Committed(Vec<(ListName, Durable)>),
    /// What was not acknowledged is lost, and nothing can be written for now.
    CommitFailed {
        /// The number of failures so far.
        era: u64,
    },
    /// Ops can be written again.
    StorageBack {
        /// The number of failures so far.
        era: u64,
    },
    /// Answer when everything that came before is durable, or lost; more ops are not taken.
    Drain(oneshot::Sender<()>),
}

/// What the store knows of a list that is to be deleted.
#[derive(Debug, Clone, Copy)]
pub struct Identity {
    /// The list that has the name.
    pub held: Option<ListUid>,
    /// Whether the one that is meant was deleted before.
    pub deleted: bool,
}

/// What the store has under the name of a list that a site opens.
#[derive(Debug)]
pub enum Found {
    /// A list.
    List(Box<Loaded>),
    /// Nothing: the name is free.
    Nothing {
        /// The list that the site knows by that name.
        uid: Option<ListUid>,
        /// Whether that one was deleted: it is never made again.
        deleted: bool,
    },
}

//! What a worker is told: by links, by the committer, and by those who work for it elsewhere.

use std::sync::Arc;

use betwixt_core::id::ItemId;
use betwixt_core::log::Watermark;
use betwixt_core::name::ListName;
use betwixt_core::op::Op;
use betwixt_store::StoreError;
use tokio::sync::{OwnedSemaphorePermit, oneshot};

use super::Hello;
use crate::engine::{LoadError, Loaded};
use crate::outbox::SessionId;
use crate::snapshot::Snapshot;

/// What a worker is told.
#[derive(Debug)]
pub enum Command {
    /// A site opens a list.
    Hello(Box<Hello>),
    /// Ops to be sequenced.
    Push {
        /// Which list.
        name: ListName,
        /// Who pushes.
        session: SessionId,
        /// The ops.
        ops: Vec<Op>,
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
        found: Result<Option<Box<Loaded>>, LoadError>,
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
        /// Whether it is there.
        saved: Result<(), StoreError>,
    },
    /// Lists are durable up to these.
    Committed(Vec<(ListName, Watermark)>),
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

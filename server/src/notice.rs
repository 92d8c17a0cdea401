//! What the person who runs a relay has to know.

use std::sync::Arc;

use betwixt_core::name::ListName;
use betwixt_store::{OpenError, StoreError};
use tokio::sync::mpsc;

use crate::engine::LoadError;

/// Something that the relay cannot cure by itself, or has just got over.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum Notice {
    /// A list cannot be loaded or read. The others work.
    #[error("a list stays closed")]
    List(#[source] Arc<LoadError>),
    /// A commit failed: what it held was not acknowledged, and comes again.
    #[error("ops cannot be written; reading goes on")]
    Commit(#[source] Arc<StoreError>),
    /// The store could not be opened again; it is tried again.
    #[error("the store cannot be opened again yet")]
    Reopen(#[source] Arc<OpenError>),
    /// Ops are written again.
    #[error("ops are written again")]
    Back,
    /// A snapshot of a list could not be stored, or the log behind it not be trimmed; that is tried again.
    #[error("the snapshot of {list} cannot be stored")]
    Snapshot {
        /// Which list.
        list: ListName,
        /// What failed.
        #[source]
        source: Arc<StoreError>,
    },
}

/// Where notices go; nobody has to listen.
#[derive(Debug, Clone)]
pub struct Notices {
    sender: mpsc::Sender<Notice>,
}

/// Notices that wait for whoever listens; more are dropped.
const NOTICES_MAX: usize = 64;

impl Notices {
    /// Both ends.
    #[must_use]
    pub fn channel() -> (Self, mpsc::Receiver<Notice>) {
        let (sender, receiver) = mpsc::channel(NOTICES_MAX);
        (Self { sender }, receiver)
    }

    /// Passes on a notice.
    pub fn say(&self, notice: Notice) {
        // Nobody listens, or is too slow to: that must not hold up the relay.
        let _ = self.sender.try_send(notice);
    }
}

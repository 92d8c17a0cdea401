//! A list that is being deleted: who is told when that is durable, and who waits for the name meanwhile.
//!
//! ```text
//! open, or only stored --DeleteList--> Deleting --committed--> gone: `Gone` to its sessions and to those who asked
//!                                         |
//!                                         +--commit failed--> not held: links closed, loaded again later
//! ```

use std::sync::Arc;

use betwixt_core::hlc::Millis;
use betwixt_core::id::ListUid;
use betwixt_core::name::ListName;
use betwixt_core::wire::{CloseReason, ToSite};
use tokio::sync::OwnedSemaphorePermit;

use super::ask::Ask;
use super::{Held, Worker};
use crate::clock;
use crate::committer::Durable;
use crate::engine::Delete;
use crate::outbox::{Outbox, SessionId};

/// What a link asks a worker with a site's `DeleteList`.
#[derive(Debug)]
pub struct Deletion {
    /// What the list is called.
    pub name: ListName,
    /// Which list is meant.
    pub uid: ListUid,
    /// The link's outbox.
    pub outbox: Arc<Outbox>,
    /// Held until it is answered.
    pub permit: OwnedSemaphorePermit,
}

/// A list whose deletion is on its way to the disk. It takes nothing more.
pub(super) struct Deleting {
    uid: ListUid,
    sessions: Vec<(SessionId, Arc<Outbox>)>,
    deletions: Vec<Deletion>,
    /// Those who want the name, or whatever has it then.
    waiting: Vec<Ask>,
}

impl Deleting {
    pub(super) fn take(&mut self, ask: Ask) {
        match ask {
            Ask::Delete(deletion) if deletion.uid == self.uid => self.deletions.push(deletion),
            other => self.waiting.push(other),
        }
    }

    pub(super) fn leave(&mut self, session: SessionId) {
        self.sessions.retain(|(id, _)| *id != session);
        self.waiting.retain(|ask| !ask.is_of(session));
    }

    /// Nothing was deleted, as far as one knows.
    pub(super) fn turn_away(self, reason: CloseReason, retry_after: Millis) {
        for (_, outbox) in &self.sessions {
            outbox.close(reason, retry_after);
        }
        for deletion in self.deletions {
            deletion.outbox.close(reason, retry_after);
        }
        for ask in self.waiting {
            ask.turn_away(reason, retry_after);
        }
    }

    /// Ends its sessions, and tells each link once. Returns those who wait.
    fn say_gone(self) -> Vec<Ask> {
        let mut told: Vec<Arc<Outbox>> = self.deletions.into_iter().map(|deletion| deletion.outbox).collect();
        for (session, outbox) in self.sessions {
            outbox.with(|queue| queue.end(session));
            told.push(outbox);
        }
        told.sort_by_key(Arc::as_ptr);
        told.dedup_by(|one, other| Arc::ptr_eq(one, other));
        for outbox in told {
            outbox.reply(&ToSite::Gone { uid: self.uid });
        }
        self.waiting
    }
}

impl Worker {
    /// Deletes the list that has the name, open or not; the caller knows that it is the one that is meant.
    pub(super) fn delete(&mut self, deletion: Deletion) {
        let Deletion { name, uid, .. } = &deletion;
        let (name, uid) = (name.clone(), *uid);
        let sessions = match self.lists.remove(&name) {
            Some(Held::Open(open)) => open.into_sessions(),
            _ => Vec::new(),
        };
        self.timers.set(&name, None);
        self.shared.board.remove(&name);
        let deleting = Deleting { uid, sessions, deletions: vec![deletion], waiting: Vec::new() };
        self.lists.insert(name.clone(), Held::Deleting(Box::new(deleting)));
        // Behind what was appended: the committer keeps the order.
        self.unsent.take(Delete { name, uid, at: clock::now() }.into(), Durable::Deleted(uid));
    }

    /// A list is deleted, durably: whoever waits for its name goes on.
    pub(super) fn note_deleted(&mut self, name: &ListName, uid: ListUid) {
        let held = self.lists.remove(name);
        let Some(Held::Deleting(deleting)) = held else {
            // A list that was lost with a failed commit is none that is being deleted any more.
            self.lists.extend(held.map(|held| (name.clone(), held)));
            return;
        };
        for ask in deleting.say_gone() {
            if ask.uid() == Some(uid) { ask.say_gone(uid) } else { self.admit(ask) }
        }
    }
}

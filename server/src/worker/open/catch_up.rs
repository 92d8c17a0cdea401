//! How sessions come to the end of the log: barrier, snapshot, `Welcome`, entries, live.
//!
//! ```text
//! Hello --head durable--> [snapshot encoded, durable] --> fed by its link --at the end--> live
//! ```

use std::sync::Arc;

use betwixt_core::hlc::Millis;
use betwixt_core::log::Watermark;
use betwixt_core::wire::{CloseReason, Message as _, ToSite, VERSION, Welcome};
use bytes::Bytes;

use super::super::Task;
use super::super::hello::Hello;
use super::super::people::name_of;
use super::{Member, Open};
use crate::clock;
use crate::engine::LogSize;
use crate::outbox::SessionId;
use crate::outbox::queue::{Feed, Next};
use crate::snapshot::Snapshot;

/// Entries behind the stored snapshot from which a new one is stored, if they are larger than it.
const SAVE_ENTRIES_MIN: u64 = 1_000;
/// Entries behind a snapshot in memory up to which it is sent all the same: its links read those behind it.
const CACHED_ENTRIES_MAX: u64 = 1_000;

/// The sessions that wait, and the snapshots that they wait for.
#[derive(Default)]
pub(super) struct CatchUp {
    /// Sessions that are answered when the log is durable up to there.
    barrier: Vec<(u64, Hello)>,
    /// Sessions that are answered with the next snapshot.
    for_snapshot: Vec<Hello>,
    encoding: bool,
    /// Encoded at the head, which is not durable yet.
    undurable: Option<Arc<Snapshot>>,
    cached: Option<Arc<Snapshot>>,
    stored: StoredSnapshot,
}

/// The snapshot in the store, and the log behind it.
#[derive(Default)]
struct StoredSnapshot {
    seq: u64,
    bytes: usize,
    /// Bytes of the durable log behind it.
    log_bytes: usize,
    /// A new one is to be stored when it is encoded.
    wanted: bool,
    saving: bool,
    /// The first entry of the log.
    first: u64,
    /// The log as it was last looked through, with what became durable since.
    log: Option<LogSize>,
}

impl StoredSnapshot {
    fn note_written(&mut self, bytes: usize) {
        self.log_bytes += bytes;
        if let Some(log) = &mut self.log {
            log.bytes += bytes;
        }
    }
}

impl CatchUp {
    pub(super) fn with_stored(seq: u64, bytes: usize, log_bytes: usize, first: u64) -> Self {
        Self { stored: StoredSnapshot { seq, bytes, log_bytes, first, ..StoredSnapshot::default() }, ..Self::default() }
    }

    /// Forgets a session that is gone.
    pub(super) fn forget(&mut self, session: SessionId) {
        self.barrier.retain(|(_, hello)| hello.session != session);
        self.for_snapshot.retain(|hello| hello.session != session);
    }
}

impl Open {
    /// Lets a site in that means this list: closes its older links, and answers it when all that it may have sent before is durable.
    pub(in crate::worker) fn greet(&mut self, hello: Hello, task: &Task<'_>) {
        let older: Vec<SessionId> =
            self.members.iter().filter(|(_, member)| member.site == hello.site).map(|(session, _)| *session).collect();
        for session in older {
            self.turn_away(session, CloseReason::Replaced, Millis(0));
        }
        let member = Member {
            site: hello.site,
            name: name_of(&hello.person),
            at: None,
            editing: false,
            present: false,
            outbox: Arc::clone(&hello.outbox),
        };
        self.members.insert(hello.session, member);
        self.idle_since = None;
        self.figures.note_change();
        let head = self.room.head().seq;
        if self.room.durable().seq == head {
            self.answer(hello, task);
        } else {
            self.catch_up.barrier.push((head, hello));
        }
    }

    /// The log is durable up to `head`: it goes out, and those who waited for it are answered.
    pub(in crate::worker) fn note_durable(&mut self, head: Watermark, task: &Task<'_>) {
        let before = self.room.durable();
        self.room.note_durable(head);
        let durable = self.room.durable();
        self.catch_up.stored.note_written(self.recent.bytes_between(before.seq, durable.seq));
        self.broadcast(before);
        if self.catch_up.undurable.as_ref().is_some_and(|snapshot| snapshot.mark().seq <= durable.seq)
            && let Some(snapshot) = self.catch_up.undurable.take()
        {
            self.note_snapshot(&snapshot, task);
        }
        let waiting = std::mem::take(&mut self.catch_up.barrier);
        let (ready, rest): (Vec<_>, Vec<_>) = waiting.into_iter().partition(|(seq, _)| *seq <= durable.seq);
        self.catch_up.barrier = rest;
        for (_, hello) in ready {
            self.answer(hello, task);
        }
        self.save_if_worthwhile(task);
    }

    /// Starts a session with a snapshot, or without.
    fn answer(&mut self, hello: Hello, task: &Task<'_>) {
        if !hello.wants_snapshot(&self.room, self.catch_up.stored.first) {
            let after = hello.mark.seq;
            self.start(&hello, None, after);
            return;
        }
        let durable = self.room.durable().seq;
        let cached = self.catch_up.cached.as_ref();
        let first = self.catch_up.stored.first;
        let is_near = |mark: Watermark| durable - mark.seq <= CACHED_ENTRIES_MAX && mark.seq + 1 >= first;
        let cached = cached.filter(|snapshot| is_near(snapshot.mark())).cloned();
        if let Some(snapshot) = cached {
            self.start_with(&hello, &snapshot);
        } else {
            self.catch_up.for_snapshot.push(hello);
            self.encode(task);
        }
    }

    fn encode(&mut self, task: &Task<'_>) {
        if !self.catch_up.encoding && self.catch_up.undurable.is_none() {
            self.catch_up.encoding = true;
            task.encode(&self.name, self.room.list().clone());
        }
    }

    /// A snapshot is encoded; it may be of a head that is not durable yet.
    pub(in crate::worker) fn note_encoded(&mut self, snapshot: Arc<Snapshot>, task: &Task<'_>) {
        self.catch_up.encoding = false;
        if snapshot.mark().seq <= self.room.durable().seq {
            self.note_snapshot(&snapshot, task);
        } else {
            self.catch_up.undurable = Some(snapshot);
        }
    }

    /// What was encoded is of a state that storage lost: whoever still waits needs another.
    pub(in crate::worker) fn forget_encoding(&mut self, task: &Task<'_>) {
        self.catch_up.encoding = false;
        if !self.catch_up.for_snapshot.is_empty() {
            self.encode(task);
        }
    }

    /// A snapshot is there, and durable.
    fn note_snapshot(&mut self, snapshot: &Arc<Snapshot>, task: &Task<'_>) {
        self.catch_up.cached = Some(Arc::clone(snapshot));
        for hello in std::mem::take(&mut self.catch_up.for_snapshot) {
            self.start_with(&hello, snapshot);
        }
        if std::mem::take(&mut self.catch_up.stored.wanted) {
            self.catch_up.stored.saving = true;
            let log = self.catch_up.stored.log;
            task.save(&self.name, Arc::clone(snapshot), log);
        }
    }

    fn start_with(&mut self, hello: &Hello, snapshot: &Arc<Snapshot>) {
        self.start(hello, Some((Arc::clone(snapshot), 0)), snapshot.mark().seq);
    }

    fn start(&mut self, hello: &Hello, snapshot: Option<(Arc<Snapshot>, usize)>, after: u64) {
        let Some(member) = self.members.get_mut(&hello.session) else { return };
        let list = self.room.list();
        let welcome = Welcome {
            version: VERSION,
            name: self.name.clone(),
            uid: list.uid(),
            head: self.room.durable().seq,
            limits: hello.limits.clone(),
            clock: clock::now(),
            last: list.site(hello.site).map(|site| (site.ctr, site.hash)),
        };
        let welcome = Some(Bytes::from(ToSite::Welcome(Box::new(welcome)).to_bytes()));
        let feed = Feed { snapshot, welcome, after, next: Next::Ask };
        member.present = true;
        member.outbox.with(|queue| queue.start(hello.session, list.uid(), feed));
        self.people.note_change();
    }

    /// A session was sent the log up to `after`: it is live from here if the rest is in memory, else it reads on.
    pub(in crate::worker) fn caught_up(&mut self, session: SessionId, after: u64) {
        let Some(member) = self.members.get(&session) else { return };
        let durable = self.room.durable().seq;
        if !self.recent.covers(after) {
            member.outbox.with(|queue| queue.read_on(session));
            return;
        }
        let messages = self.recent.messages(self.room.list().uid(), after, durable);
        let notes = [&self.people.message, &self.figures.message];
        member.outbox.with(|queue| {
            if queue.go_live(session, after, messages) {
                for note in notes.into_iter().flatten() {
                    queue.offer_note(session, note);
                }
            }
        });
    }

    /// Has a snapshot stored when loading would have to replay much.
    fn save_if_worthwhile(&mut self, task: &Task<'_>) {
        let stored = &self.catch_up.stored;
        let entries = self.room.durable().seq.saturating_sub(stored.seq);
        let worthwhile = entries > SAVE_ENTRIES_MIN && stored.log_bytes > stored.bytes;
        if worthwhile && !stored.saving && !stored.wanted {
            self.catch_up.stored.wanted = true;
            self.encode(task);
        }
    }

    pub(in crate::worker) fn note_saved(&mut self, snapshot: &Snapshot, log: Option<LogSize>) {
        let stored = &mut self.catch_up.stored;
        // What became durable while it was being stored is behind it; it counts again from the next entry on.
        (stored.seq, stored.bytes, stored.log_bytes) = (snapshot.mark().seq, snapshot.bytes(), 0);
        stored.saving = false;
        if let Some(log) = log {
            (stored.first, stored.log) = (log.first, Some(log));
        }
    }

    /// The snapshot could not be stored: it is tried again when as much has been written again.
    pub(in crate::worker) fn forget_saving(&mut self, _: &Task<'_>) {
        let stored = &mut self.catch_up.stored;
        (stored.saving, stored.log_bytes) = (false, 0);
    }
}

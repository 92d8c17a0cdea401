//! A worker: the thread that owns the lists of its split, and is their one writer.
//!
//! It waits for nothing but commands: lists are loaded, snapshots encoded, logs read and batches committed elsewhere, and
//! come back as commands. It carries out all commands that wait, then hands what was sequenced to the committer.

mod ask;
mod command;
mod deletion;
mod hello;
mod open;
mod people;
mod recent;
mod timers;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvError, RecvTimeoutError, Sender};
use std::thread;
use std::time::Instant;

use betwixt_core::hlc::Millis;
use betwixt_core::id::ListUid;
use betwixt_core::limits::{BATCH_BYTES_MAX, BATCH_OPS_MAX};
use betwixt_core::name::ListName;
use betwixt_core::wire::CloseReason;
use betwixt_store::StoreError;
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, oneshot};

use self::ask::Ask;
pub use self::command::Command;
use self::deletion::Deleting;
pub use self::deletion::Deletion;
pub use self::hello::Hello;
use self::open::Open;
pub(crate) use self::recent::messages_of;
use self::timers::Timers;
use crate::clock;
use crate::committer::{Durable, Job};
use crate::engine::{Change, Engine, LogSize};
use crate::figures::Board;
use crate::notice::{Notice, Notices};
use crate::options::Options;
use crate::outbox::SessionId;
use crate::room::Rules;
use crate::room::sketch::Pushed;
use crate::snapshot::Snapshot;

/// When a site that was turned away for want of storage dials again.
pub const RETRY_STORAGE: Millis = Millis(1_000);
/// When a site that met a damaged list dials again: somebody has to put a copy back first.
pub const RETRY_DAMAGED: Millis = Millis(30_000);
/// Commands that are carried out before what was sequenced is handed to the committer.
const COMMANDS_MAX: usize = 256;

/// What all workers share.
#[derive(Debug)]
pub struct Shared {
    /// The log of lists.
    pub engine: Arc<dyn Engine>,
    /// Limits and kinds.
    pub options: Options,
    /// Where figures go.
    pub board: Board,
    /// Where faults go.
    pub notices: Notices,
    /// Where work that blocks is done.
    pub runtime: Handle,
}

/// The ends of a worker's channels.
#[derive(Debug)]
pub struct Channels {
    /// Its number.
    pub number: usize,
    /// What it is told.
    pub commands: Receiver<Command>,
    /// For those whom it asks to tell it something.
    pub sender: Sender<Command>,
    /// The committer.
    pub jobs: Sender<Job>,
}

/// Starts a worker; it ends when it has drained.
///
/// # Errors
///
/// The operating system gives no thread.
pub fn spawn(channels: Channels, shared: Arc<Shared>) -> std::io::Result<thread::JoinHandle<()>> {
    let name = format!("worker-{}", channels.number);
    let worker = Worker {
        channels,
        shared,
        lists: HashMap::new(),
        judged: Vec::new(),
        timers: Timers::default(),
        storage: Storage::Up,
        era: 0,
        unsent: Unsent::default(),
        draining: None,
    };
    thread::Builder::new().name(name).spawn(move || worker.run())
}

struct Worker {
    channels: Channels,
    shared: Arc<Shared>,
    lists: HashMap<ListName, Held>,
    /// Those whose list may have been deleted: another one has its name.
    judged: Vec<Ask>,
    timers: Timers,
    storage: Storage,
    era: u64,
    unsent: Unsent,
    draining: Option<oneshot::Sender<()>>,
}

/// A list that a worker holds.
enum Held {
    /// It is being loaded, or looked for, for these.
    Loading(Vec<Ask>),
    Open(Box<Open>),
    Deleting(Box<Deleting>),
}

impl Held {
    /// Whether nothing of it waits for the committer.
    fn is_durable(&self) -> bool {
        match self {
            Self::Loading(_) => true,
            Self::Open(open) => open.room().is_durable(),
            Self::Deleting(_) => false,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Storage {
    Up,
    /// Nothing can be written. What is durable is still sent.
    Down,
}

/// What was sequenced and not handed to the committer yet.
#[derive(Default)]
struct Unsent {
    changes: Vec<(Change, Durable)>,
    permits: Vec<OwnedSemaphorePermit>,
    ops: usize,
    bytes: usize,
}

impl Unsent {
    fn take(&mut self, change: Change, durable: Durable) {
        let (ops, bytes) = change.weight();
        self.ops += ops;
        self.bytes += bytes;
        self.changes.push((change, durable));
    }

    const fn is_full(&self) -> bool {
        self.ops >= BATCH_OPS_MAX || self.bytes >= BATCH_BYTES_MAX
    }
}

impl Worker {
    fn run(mut self) {
        while let Ok(first) = self.wait() {
            let waiting = (1..COMMANDS_MAX).map_while(|_| self.channels.commands.try_recv().ok());
            let commands: Vec<Command> = first.into_iter().chain(waiting).collect();
            for command in commands {
                self.carry_out(command);
            }
            self.send_job();
            // Also when commands do not stop coming.
            self.ring();
            if self.has_drained() {
                break;
            }
        }
    }

    /// The next command; `None` if a timer comes first.
    fn wait(&self) -> Result<Option<Command>, RecvError> {
        let Some(due) = self.timers.next_due() else {
            return self.channels.commands.recv().map(Some);
        };
        match self.channels.commands.recv_timeout(due.saturating_duration_since(Instant::now())) {
            Ok(command) => Ok(Some(command)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err(RecvError),
        }
    }

    fn carry_out(&mut self, command: Command) {
        match command {
            Command::Hello(hello) => self.admit(Ask::Hello(*hello)),
            Command::Delete(deletion) => self.admit(Ask::Delete(*deletion)),
            Command::Push { name, session, ops, permit } => self.push(&name, session, ops, permit),
            Command::Here { name, session, at, editing } => {
                self.with_open(&name, |open, _| open.note_here(session, at, editing));
            }
            Command::Leave { name, session } => self.leave(&name, session),
            Command::CaughtUp { name, session, after } => {
                self.with_open(&name, |open, _| open.caught_up(session, after));
            }
            Command::Loaded { name, found } => self.note_loaded(&name, found),
            Command::Identified { name, uid, found } => self.note_identified(&name, uid, found),
            Command::Judged { name, uid, deleted } => self.note_judged(&name, uid, deleted),
            Command::Encoded { name, era, snapshot } => self.note_encoded(&name, era, snapshot),
            Command::Saved { name, snapshot, saved } => self.note_saved(&name, &snapshot, saved),
            Command::Committed(lists) => {
                for (name, durable) in lists {
                    match durable {
                        Durable::Head(head) => self.with_open(&name, |open, task| open.note_durable(head, task)),
                        Durable::Deleted(uid) => self.note_deleted(&name, uid),
                    }
                }
            }
            Command::CommitFailed { era } => self.lose_unacknowledged(era),
            Command::StorageBack { era } if era == self.era => self.storage = Storage::Up,
            Command::StorageBack { .. } => {}
            Command::Drain(done) => self.draining = Some(done),
        }
    }

    fn leave(&mut self, name: &ListName, session: SessionId) {
        // One that is let in after it has left would stay for ever.
        self.judged.retain(|ask| !ask.is_of(session));
        match self.lists.get_mut(name) {
            Some(Held::Loading(waiting)) => waiting.retain(|ask| !ask.is_of(session)),
            Some(Held::Deleting(deleting)) => deleting.leave(session),
            Some(Held::Open(_)) => self.with_open(name, |open, _| open.leave(session)),
            None => {}
        }
    }

    fn push(&mut self, name: &ListName, session: SessionId, ops: Pushed, permit: OwnedSemaphorePermit) {
        if self.draining.is_some() {
            return;
        }
        let Some(Held::Open(open)) = self.lists.get_mut(name) else { return };
        if self.storage == Storage::Down {
            open.turn_away(session, CloseReason::Storage, RETRY_STORAGE);
            return;
        }
        let Options { limits, kinds, .. } = &self.shared.options;
        if let Some(append) = open.push(session, ops, clock::now(), Rules { limits, kinds: *kinds }) {
            let head = open.room().head();
            self.timers.set(name, open.due());
            self.unsent.take(append.into(), Durable::Head(head));
            self.unsent.permits.push(permit);
        }
        if self.unsent.is_full() {
            self.send_job();
        }
    }

    fn note_encoded(&mut self, name: &ListName, era: u64, snapshot: Arc<Snapshot>) {
        let current = era == self.era;
        self.with_list(name, snapshot.uid(), |open, task| {
            if current { open.note_encoded(snapshot, task) } else { open.forget_encoding(task) }
        });
    }

    fn note_saved(&mut self, name: &ListName, snapshot: &Snapshot, saved: Result<Option<LogSize>, StoreError>) {
        let log = match saved {
            Ok(log) => log,
            Err(source) => {
                // If the store has to be opened again, the next append meets the same.
                self.shared.notices.say(Notice::Snapshot { list: name.clone(), source: Arc::new(source) });
                self.with_list(name, snapshot.uid(), Open::forget_saving);
                return;
            }
        };
        self.with_list(name, snapshot.uid(), |open, _| open.note_saved(snapshot, log));
    }

    /// Drops the lists whose head is not on the disk: they are loaded again when the store is open again. Their sites
    /// come back, and send again what was not acknowledged.
    fn lose_unacknowledged(&mut self, era: u64) {
        self.era = era;
        self.storage = Storage::Down;
        self.unsent = Unsent::default();
        let lost: Vec<ListName> =
            self.lists.iter().filter(|(_, held)| !held.is_durable()).map(|(name, _)| name.clone()).collect();
        for name in lost {
            match self.lists.remove(&name) {
                Some(Held::Open(open)) => open.close_all(CloseReason::Storage, RETRY_STORAGE),
                Some(Held::Deleting(deleting)) => deleting.turn_away(CloseReason::Storage, RETRY_STORAGE),
                Some(Held::Loading(_)) | None => {}
            }
            self.shared.board.remove(&name);
        }
    }

    /// Does to an open list what its timer is for.
    fn ring(&mut self) {
        let now = Instant::now();
        while let Some(name) = self.timers.pop_due(now) {
            let idle = match self.lists.get(&name) {
                Some(Held::Open(open)) => open.is_idle_since(now),
                _ => continue,
            };
            if idle {
                self.lists.remove(&name);
                self.shared.board.remove(&name);
            } else {
                let board = self.shared.board.clone();
                self.with_open(&name, |open, _| open.ring(now, clock::now(), &board));
            }
        }
    }

    /// As [`Worker::with_open`], but not to another list that has the name by now.
    fn with_list(&mut self, name: &ListName, uid: ListUid, act: impl FnOnce(&mut Open, &Task<'_>)) {
        if matches!(self.lists.get(name), Some(Held::Open(open)) if open.room().list().uid() == uid) {
            self.with_open(name, act);
        }
    }

    fn with_open(&mut self, name: &ListName, act: impl FnOnce(&mut Open, &Task<'_>)) {
        let Some(Held::Open(open)) = self.lists.get_mut(name) else { return };
        let task = Task { shared: &self.shared, sender: &self.channels.sender, era: self.era };
        act(open, &task);
        self.timers.set(name, open.due());
    }

    fn send_job(&mut self) {
        if self.unsent.changes.is_empty() {
            self.unsent.permits.clear();
            return;
        }
        let Unsent { changes, permits, .. } = std::mem::take(&mut self.unsent);
        let job = Job { worker: self.channels.number, era: self.era, changes, permits };
        // The committer ends after the workers.
        let _ = self.channels.jobs.send(job);
    }

    fn has_drained(&mut self) -> bool {
        if self.draining.is_none() {
            return false;
        }
        if self.storage == Storage::Up && !self.lists.values().all(Held::is_durable) {
            return false;
        }
        if let Some(done) = self.draining.take() {
            let _ = done.send(());
        }
        true
    }
}

/// How an open list has something done elsewhere.
struct Task<'a> {
    shared: &'a Shared,
    sender: &'a Sender<Command>,
    era: u64,
}

impl Task<'_> {
    /// Encodes a snapshot of a list, which comes back as [`Command::Encoded`].
    fn encode(&self, name: &ListName, list: betwixt_core::list::List) {
        let (name, sender, era) = (name.clone(), self.sender.clone(), self.era);
        self.shared.runtime.spawn_blocking(move || {
            let snapshot = Arc::new(Snapshot::of(&list));
            let _ = sender.send(Command::Encoded { name, era, snapshot });
        });
    }

    /// Stores a snapshot and trims the log behind it, and says so with [`Command::Saved`]. `log` is the log's size, if
    /// that is known.
    fn save(&self, name: &ListName, snapshot: Arc<Snapshot>, log: Option<LogSize>) {
        let (name, sender) = (name.clone(), self.sender.clone());
        let (engine, limits) = (Arc::clone(&self.shared.engine), self.shared.options.log);
        self.shared.runtime.spawn_blocking(move || {
            let now = clock::now();
            let saved = engine.save(&name, &snapshot).and_then(|()| {
                if log.is_some_and(|log| !limits.are_over(&log, now)) {
                    return Ok(None);
                }
                engine.trim(&name, snapshot.uid(), snapshot.mark().seq, &limits, now)
            });
            let _ = sender.send(Command::Saved { name, snapshot, saved });
        });
    }
}

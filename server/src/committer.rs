//! The committer: the one thread that makes changes to lists durable.
//!
//! It commits as soon as it is idle; what comes meanwhile is the next batch. There is no timer: an op that comes alone is
//! written alone, and under load one fsync serves as many ops as came during the last one.
//!
//! ```text
//! Up --commit failed--> Down (discards what was made of the lost state) --reopened--> Up
//! ```
//!
//! Each failure begins a new era. Workers put the era on their jobs, so that jobs that build on entries that were lost
//! are told from those that build on what was loaded afterwards.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use betwixt_core::id::ListUid;
use betwixt_core::limits::{BATCH_BYTES_MAX, BATCH_OPS_MAX};
use betwixt_core::log::Watermark;
use betwixt_core::name::ListName;
use betwixt_store::StoreError;
use tokio::sync::OwnedSemaphorePermit;

use crate::engine::{Change, Engine};
use crate::notice::{Notice, Notices};
use crate::worker::Command;

/// The first pause before the store is opened again; doubled up to [`BACK_OFF_MAX`].
const BACK_OFF_FIRST: Duration = Duration::from_millis(50);
/// See [`BACK_OFF_FIRST`].
const BACK_OFF_MAX: Duration = Duration::from_secs(5);

/// How a list stands on the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durable {
    /// Its log goes up to there.
    Head(Watermark),
    /// It is deleted.
    Deleted(ListUid),
}

/// What a worker wants to be durable.
#[derive(Debug)]
pub struct Job {
    /// Which worker is told.
    pub worker: usize,
    /// The number of failures that the worker knew of.
    pub era: u64,
    /// Changes, in order, each with how its list stands behind it.
    pub changes: Vec<(Change, Durable)>,
    /// What bounds the bytes that a link has under way; given back when they are durable.
    pub permits: Vec<OwnedSemaphorePermit>,
}

/// Starts the committer; it ends when all senders of jobs are gone.
///
/// # Errors
///
/// The operating system gives no thread.
pub fn spawn(
    engine: Arc<dyn Engine>,
    jobs: Receiver<Job>,
    workers: Vec<Sender<Command>>,
    notices: Notices,
) -> std::io::Result<thread::JoinHandle<()>> {
    let committer = Committer { engine, jobs, workers, notices, era: 0 };
    thread::Builder::new().name("committer".to_owned()).spawn(move || committer.run())
}

struct Committer {
    engine: Arc<dyn Engine>,
    jobs: Receiver<Job>,
    workers: Vec<Sender<Command>>,
    notices: Notices,
    era: u64,
}

/// Jobs that are committed together.
#[derive(Default)]
struct Batch {
    changes: Vec<Change>,
    /// Whom to tell what.
    done: Vec<(usize, ListName, Durable)>,
    permits: Vec<OwnedSemaphorePermit>,
    ops: usize,
    bytes: usize,
}

impl Batch {
    fn take(&mut self, job: Job) {
        for (change, durable) in job.changes {
            let (ops, bytes) = change.weight();
            self.ops += ops;
            self.bytes += bytes;
            self.done.push((job.worker, change.name().clone(), durable));
            self.changes.push(change);
        }
        self.permits.extend(job.permits);
    }

    const fn is_full(&self) -> bool {
        self.ops >= BATCH_OPS_MAX || self.bytes >= BATCH_BYTES_MAX
    }
}

impl Committer {
    fn run(mut self) {
        while let Ok(job) = self.jobs.recv() {
            let batch = self.gather(job);
            if batch.changes.is_empty() {
                continue;
            }
            // A store may panic over pages that were damaged while it was open: that is a failure like others.
            let committed = catch_unwind(AssertUnwindSafe(|| self.engine.commit(&batch.changes)));
            match committed.unwrap_or(Err(StoreError::Reopen)) {
                Ok(()) => self.acknowledge(batch.done),
                Err(source) => self.recover(source),
            }
        }
    }

    /// The job and those behind it, as far as a batch goes.
    fn gather(&self, first: Job) -> Batch {
        let mut batch = Batch::default();
        let mut next = Some(first);
        while let Some(job) = next {
            // A job of an earlier era is dropped: it continues entries that the store may not have.
            if job.era == self.era {
                batch.take(job);
            }
            next = if batch.is_full() { None } else { self.jobs.try_recv().ok() };
        }
        batch
    }

    fn acknowledge(&self, done: Vec<(usize, ListName, Durable)>) {
        let mut of_worker: Vec<Vec<(ListName, Durable)>> = vec![Vec::new(); self.workers.len()];
        for (worker, name, durable) in done {
            if let Some(lists) = of_worker.get_mut(worker) {
                lists.push((name, durable));
            }
        }
        for (worker, lists) in self.workers.iter().zip(of_worker) {
            if !lists.is_empty() {
                // A worker that is gone has nobody to tell.
                let _ = worker.send(Command::Committed(lists));
            }
        }
    }

    /// Tells the workers that unacknowledged entries are lost, and opens the store again, however long it takes.
    fn recover(&mut self, source: StoreError) {
        self.era += 1;
        self.notices.say(Notice::Commit(Arc::new(source)));
        self.tell_all(|era| Command::CommitFailed { era });
        let mut back_off = BACK_OFF_FIRST;
        loop {
            match self.engine.reopen() {
                Ok(()) => break,
                Err(source) => self.notices.say(Notice::Reopen(Arc::new(source))),
            }
            if !self.pause(back_off) {
                return;
            }
            back_off = (back_off * 2).min(BACK_OFF_MAX);
        }
        self.notices.say(Notice::Back);
        self.tell_all(|era| Command::StorageBack { era });
    }

    /// Waits, and discards the jobs that come meanwhile; `false` if no more will come.
    fn pause(&self, span: Duration) -> bool {
        let until = Instant::now() + span;
        loop {
            match self.jobs.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(_lost) => {}
                Err(RecvTimeoutError::Timeout) => return true,
                Err(RecvTimeoutError::Disconnected) => return false,
            }
        }
    }

    fn tell_all(&self, command: impl Fn(u64) -> Command) {
        for worker in &self.workers {
            let _ = worker.send(command(self.era));
        }
    }
}

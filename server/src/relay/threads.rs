//! The threads of a relay: its workers and its committer.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::committer;
use crate::worker::{self, Channels, Command, Shared};

/// How long what was read may take to become durable at the end.
const DRAIN_MAX: Duration = Duration::from_secs(2);

/// Workers and committer; they end when they have drained, also when this is dropped.
pub(super) struct Threads {
    pub(super) workers: Vec<Sender<Command>>,
    handles: Vec<JoinHandle<()>>,
}

impl Threads {
    /// Starts them.
    pub(super) fn start(count: usize, shared: &Arc<Shared>) -> io::Result<Self> {
        let (jobs, waiting) = channel();
        let (workers, commands): (Vec<_>, Vec<_>) = (0..count).map(|_| channel()).unzip();
        let committer = committer::spawn(Arc::clone(&shared.engine), waiting, workers.clone(), shared.notices.clone())?;
        let mut threads = Self { workers, handles: vec![committer] };
        for (number, commands) in commands.into_iter().enumerate() {
            let sender = threads.workers[number].clone();
            let channels = Channels { number, commands, sender, jobs: jobs.clone() };
            threads.handles.push(worker::spawn(channels, Arc::clone(shared))?);
        }
        Ok(threads)
    }

    /// Waits until all that the workers were told is durable, or cannot be.
    pub(super) async fn drain(&self) {
        let mut drained = Vec::new();
        for done in self.tell_to_drain() {
            drained.push(done);
        }
        let _ = timeout(DRAIN_MAX, async {
            for done in drained {
                // A worker that is gone has nothing left.
                let _ = done.await;
            }
        })
        .await;
    }

    /// Waits until the threads have ended, if they do in time: a disk that does not answer holds them.
    pub(super) async fn join(mut self) {
        let handles = std::mem::take(&mut self.handles);
        drop(self);
        let joined = tokio::task::spawn_blocking(move || {
            for handle in handles {
                let _ = handle.join();
            }
        });
        let _ = timeout(DRAIN_MAX, joined).await;
    }

    fn tell_to_drain(&self) -> Vec<oneshot::Receiver<()>> {
        self.workers
            .iter()
            .map(|worker| {
                let (done, drained) = oneshot::channel();
                let _ = worker.send(Command::Drain(done));
                drained
            })
            .collect()
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        drop(self.tell_to_drain());
    }
}

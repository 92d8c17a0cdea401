//! Keeping the data folder's relay alive: whoever of the folder's processes has its lock runs it.
//!
//! A thread of its own waits in the lock, so that waiting costs nothing and the role passes on the moment its holder is
//! gone, however it went.

use std::path::{Path, PathBuf};
use std::time::Duration;

use betwixt_core::causes::Causes;
use betwixt_relay::Options;
use betwixt_relay::engine::StoredError;
use betwixt_relay::local::{LocalRole, ServeError};
use betwixt_store::OpenError;
use tokio::runtime::Handle;
use tokio::sync::watch;

use crate::place::kinds;

/// How long giving the role back may take: a commit and a word to each link.
const RELEASE_MAX: Duration = Duration::from_secs(3);
/// How long after a fault the role is tried again.
const RETRY: Duration = Duration::from_secs(1);

/// Why the folder's relay cannot be run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    /// In one line, with the way out.
    pub(crate) line: String,
    /// In a few words, where there is no room for the line.
    pub(crate) words: &'static str,
}

impl Fault {
    fn of(error: &ServeError) -> Self {
        let words = match error {
            ServeError::Store(StoredError::Open(OpenError::Damaged { .. })) => "the relay's store is damaged",
            ServeError::Store(StoredError::Open(OpenError::Newer { .. })) => "the store is of a newer betwixt",
            ServeError::Store(_) => "the relay's store does not open",
            _ => "the local relay does not start",
        };
        Self { line: Causes(error).to_string(), words }
    }
}

/// This process's part in keeping the folder's relay alive.
#[derive(Debug)]
pub(crate) struct Keeper {
    wanted: watch::Sender<bool>,
    holding: watch::Receiver<bool>,
    fault: watch::Receiver<Option<Fault>>,
}

impl Keeper {
    /// Takes the role when it is free. Needs a tokio runtime, on which the relay will run.
    pub(crate) fn start(folder: PathBuf) -> Self {
        let (wanted, is_wanted) = watch::channel(true);
        let (holds, holding) = watch::channel(false);
        let (faults, fault) = watch::channel(None);
        let runtime = Handle::current();
        std::thread::spawn(move || {
            let mut work = Work { folder, is_wanted, holds, faults };
            // The channel closes when the keeper is gone.
            while runtime.block_on(work.is_wanted.wait_for(|wanted| *wanted)).is_ok() {
                work.hold(&runtime);
            }
        });
        Self { wanted, holding, fault }
    }

    /// Why the relay cannot be run.
    pub(crate) fn fault(&self) -> Option<Fault> {
        self.fault.borrow().clone()
    }

    /// Changes when there is a fault, or none any more.
    pub(crate) fn faults(&self) -> watch::Receiver<Option<Fault>> {
        self.fault.clone()
    }

    /// Ready when there is a fault.
    pub(crate) async fn faulty(&self) {
        let mut fault = self.faults();
        if fault.wait_for(Option::is_some).await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// Gives the role to another process, and does not take it before [`Keeper::resume`].
    pub(crate) async fn release(&mut self) {
        self.wanted.send_replace(false);
        let released = self.holding.wait_for(|holding| !*holding);
        // After that time the role goes with the process.
        let _ = tokio::time::timeout(RELEASE_MAX, released).await;
    }

    /// Takes the role again when it is free.
    pub(crate) fn resume(&self) {
        self.wanted.send_replace(true);
    }

    /// Gives the role back for good.
    pub(crate) async fn end(mut self) {
        self.release().await;
    }
}

/// What the thread works on.
struct Work {
    folder: PathBuf,
    is_wanted: watch::Receiver<bool>,
    holds: watch::Sender<bool>,
    faults: watch::Sender<Option<Fault>>,
}

impl Work {
    fn hold(&mut self, runtime: &Handle) {
        let served = Self::serve(&self.folder, &mut self.is_wanted, &self.holds, runtime, &self.faults);
        self.holds.send_replace(false);
        if let Err(fault) = served {
            self.faults.send_replace(Some(fault));
            std::thread::sleep(RETRY);
        }
    }

    fn serve(
        folder: &Path,
        is_wanted: &mut watch::Receiver<bool>,
        holds: &watch::Sender<bool>,
        runtime: &Handle,
        faults: &watch::Sender<Option<Fault>>,
    ) -> Result<(), Fault> {
        let role = LocalRole::take_when_free(folder)
            .map_err(|error| Fault { line: Causes(&error).to_string(), words: "the local relay does not start" })?;
        holds.send_replace(true);
        if !*is_wanted.borrow() {
            return Ok(());
        }
        let options = Options { kinds: kinds(), ..Options::default() };
        let shutdown = async {
            // A closed channel means that the keeper is gone: that ends the relay too.
            let _ = is_wanted.wait_for(|wanted| !*wanted).await;
        };
        runtime.block_on(async {
            let ready = role.open(options, Vec::new()).map_err(|error| Fault::of(&error))?;
            faults.send_replace(None);
            ready.serve(shutdown).await.map_err(|error| Fault::of(&error.into()))
        })
    }
}

//! A site slot: one process at a time is this site.

use std::fs::{self, File, TryLockError};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use betwixt_core::id::SiteSecret;
use betwixt_store::{Batch, OpenError, RedbStore, Store, StoreError};

use crate::replica::Randomness;
use crate::session::new_secret;
use crate::store::{self, FORMAT, LoadError};

/// A slot that this process has; free again when it is dropped.
#[derive(Debug)]
pub struct Slot {
    path: PathBuf,
    secret: SiteSecret,
    /// `None` after a fault, until it could be opened again.
    store: Mutex<Option<RedbStore>>,
    marked: Mutex<bool>,
    /// The lock goes last: the store must be closed before another process opens it.
    _lock: File,
}

/// Why a free slot cannot be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SlotError {
    /// Its files cannot be made, read or written.
    #[error("cannot use the site slot {}", path.display())]
    Io {
        /// What could not be used.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Its identity is not one.
    #[error("damaged {}; move the folder it is in away to start a new site", path.display())]
    Identity {
        /// The file.
        path: PathBuf,
    },
    /// Its store cannot be opened.
    #[error(transparent)]
    Store(#[from] OpenError),
}

impl Slot {
    /// Takes the slot, made if it is not there; `None` if another process has it.
    ///
    /// # Errors
    ///
    /// It is free and cannot be opened.
    pub fn try_open(path: &Path, random: Randomness<'_>) -> Result<Option<Self>, SlotError> {
        let io = |source| SlotError::Io { path: path.to_owned(), source };
        fs::DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(io)?;
        let lock = super::open_private(&path.join("lock")).map_err(io)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(source)) => return Err(io(source)),
        }
        let secret = identity(&path.join("identity"), random)?;
        let store = Mutex::new(Some(RedbStore::open(path.join("replica.redb"), &FORMAT)?));
        let marked = Mutex::new(path.join("pending").exists());
        Ok(Some(Self { path: path.to_owned(), secret, store, marked, _lock: lock }))
    }

    /// The secret that this slot's replicas begin with.
    #[must_use]
    pub const fn secret(&self) -> &SiteSecret {
        &self.secret
    }

    /// Uses the store of its replicas; one that a fault has closed is opened again first.
    ///
    /// # Errors
    ///
    /// The store cannot be opened again, or `work` fails.
    pub fn with_store<R, E: From<StoreError>>(&self, work: impl FnOnce(&RedbStore) -> Result<R, E>) -> Result<R, E> {
        let mut store = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        if store.is_none() {
            *store = RedbStore::open(self.path.join("replica.redb"), &FORMAT).ok();
        }
        match store.as_ref() {
            Some(open) => work(open),
            None => Err(StoreError::Reopen.into()),
        }
    }

    /// Carries out a batch. After a fault the store is closed, and opened again for the next use.
    ///
    /// # Errors
    ///
    /// The batch is not on the disk; after an I/O error it may be.
    pub fn commit(&self, batch: &Batch) -> Result<(), StoreError> {
        let committed = self.with_store(|store| store.commit(batch));
        if matches!(committed, Err(StoreError::Io(_) | StoreError::Reopen)) {
            *self.store.lock().unwrap_or_else(PoisonError::into_inner) = None;
        }
        committed
    }

    /// Marks the slot as one with unsent edits: before the first of them is kept. Costs nothing where it is marked.
    ///
    /// # Errors
    ///
    /// The mark cannot be written.
    pub fn mark(&self) -> io::Result<()> {
        let mut marked = self.marked();
        if !*marked {
            super::open_private(&self.path.join("pending"))?.sync_all()?;
            File::open(&self.path)?.sync_all()?;
            *marked = true;
        }
        Ok(())
    }

    /// Takes the mark away if no list of the slot has unsent edits, for whatever relay.
    pub fn unmark_if_sent(&self) {
        let mut marked = self.marked();
        let all_sent = self.with_store(|store| {
            for (uid, _) in store::lists(store)? {
                if store::has_unsent(store, uid)? {
                    return Ok(false);
                }
            }
            Ok::<_, LoadError>(true)
        });
        // A slot that cannot be read keeps its mark.
        if *marked && matches!(all_sent, Ok(true)) {
            // A mark that stays costs a look at the slot, and nothing else.
            *marked = fs::remove_file(self.path.join("pending")).is_err();
        }
    }

    /// Makes the disk fail, as one that is gone does, or brings it back.
    #[cfg(test)]
    pub(crate) fn set_broken(&self, broken: bool) {
        let (path, aside) = (self.path.join("replica.redb"), self.path.join("aside"));
        *self.store.lock().expect("no test panics here") = None;
        if broken {
            fs::rename(&path, &aside).and_then(|()| fs::create_dir(&path)).expect("the disk breaks");
        } else {
            fs::remove_dir(&path).and_then(|()| fs::rename(&aside, &path)).expect("the disk is back");
        }
    }

    fn marked(&self) -> MutexGuard<'_, bool> {
        self.marked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reads the slot's secret, or makes one: written beside and then in place, so that it is whole or not there.
fn identity(path: &Path, random: Randomness<'_>) -> Result<SiteSecret, SlotError> {
    let io = |source| SlotError::Io { path: path.to_owned(), source };
    match fs::read_to_string(path) {
        Ok(text) => text.trim().parse().map_err(|_bad_id| SlotError::Identity { path: path.to_owned() }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let secret = new_secret(random);
            let beside = path.with_extension("new");
            let mut options = File::options();
            let mut file = options.write(true).create(true).truncate(true).mode(0o600).open(&beside).map_err(io)?;
            writeln!(file, "{secret}").and_then(|()| file.sync_all()).map_err(io)?;
            fs::rename(&beside, path).map_err(io)?;
            Ok(secret)
        }
        Err(source) => Err(io(source)),
    }
}

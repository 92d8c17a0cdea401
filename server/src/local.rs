//! The local relay of a data folder: found by the folder, not by a port.
//!
//! | file | is |
//! |---|---|
//! | `relay.lock` | locked by the process that has the role; its pid as text |
//! | `relay.redb` | the store |
//! | `relay.sock` | the socket, or where [`socket_path`] says |
//!
//! Whoever holds the lock is the relay. The lock goes with its process, however that ends, so that another process of
//! the folder takes over at once; only its holder makes and removes the socket.

mod socket;

use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::future::Future;
use std::io::{self, Read as _, Seek as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use rustix::process::{Pid, test_kill_process};
use tokio::sync::{mpsc, watch};

pub use self::socket::{SocketError, socket_path};
use crate::engine::{Stored, StoredError};
use crate::figures::Open;
use crate::notice::Notice;
use crate::options::Options;
use crate::relay::{Listener, Relay, RunError};

const LOCK_FILE: &str = "relay.lock";
const STORE_FILE: &str = "relay.redb";

/// The right to be the relay of a data folder, until it is dropped.
#[derive(Debug)]
pub struct LocalRole {
    data_dir: PathBuf,
    lock: File,
}

/// Why a process cannot ask for the role.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RoleError {
    /// The folder cannot be made.
    #[error("cannot make the folder {}", path.display())]
    Folder {
        /// Which one.
        path: PathBuf,
        /// What the operating system said.
        #[source]
        source: io::Error,
    },
    /// The lock cannot be used.
    #[error("cannot lock {}", path.display())]
    Lock {
        /// Which file.
        path: PathBuf,
        /// What the operating system said.
        #[source]
        source: io::Error,
    },
}

/// Why the local relay cannot serve.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The store cannot be opened; what it says names the way back.
    #[error(transparent)]
    Store(#[from] StoredError),
    /// There is no socket.
    #[error(transparent)]
    Socket(#[from] SocketError),
    /// It could not start.
    #[error(transparent)]
    Run(#[from] RunError),
}

/// A local relay that is ready: its store is open and its socket listens.
#[derive(Debug)]
pub struct Ready {
    relay: Relay,
    listeners: Vec<Listener>,
    socket: PathBuf,
    role: LocalRole,
}

impl LocalRole {
    /// Takes the role if it is free. Makes the folder, for its owner only, if it is missing.
    ///
    /// # Errors
    ///
    /// The folder or its lock cannot be used.
    pub fn try_take(data_dir: &Path) -> Result<Option<Self>, RoleError> {
        let (path, lock) = open_lock(data_dir)?;
        match lock.try_lock() {
            Ok(()) => Self::taken(data_dir, &path, lock).map(Some),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(source)) => Err(RoleError::Lock { path, source }),
        }
    }

    /// Takes the role when it is free. Blocks its thread until then, and costs nothing meanwhile.
    ///
    /// # Errors
    ///
    /// The folder or its lock cannot be used.
    pub fn take_when_free(data_dir: &Path) -> Result<Self, RoleError> {
        let (path, lock) = open_lock(data_dir)?;
        lock.lock().map_err(|source| RoleError::Lock { path: path.clone(), source })?;
        Self::taken(data_dir, &path, lock)
    }

    fn taken(data_dir: &Path, path: &Path, mut lock: File) -> Result<Self, RoleError> {
        let written =
            lock.set_len(0).and_then(|()| lock.rewind()).and_then(|()| write!(lock, "{}", std::process::id()));
        written.map_err(|source| RoleError::Lock { path: path.to_owned(), source })?;
        Ok(Self { data_dir: data_dir.to_owned(), lock })
    }

    /// Opens the store and the socket. Needs a running tokio runtime.
    ///
    /// # Errors
    ///
    /// One of them cannot be opened. The role is free again then.
    pub fn open(self, options: Options, mut listeners: Vec<Listener>) -> Result<Ready, ServeError> {
        let stored = Stored::open(self.data_dir.join(STORE_FILE))?;
        let socket = socket_path(&self.data_dir)?;
        listeners.push(Listener::Unix(socket::listen(&socket)?));
        Ok(Ready { relay: Relay::new(stored, options), listeners, socket, role: self })
    }

    /// Opens the store and the socket, and serves until `shutdown` is ready. The role is free again when this returns.
    ///
    /// # Errors
    ///
    /// As [`LocalRole::open`].
    pub async fn serve(
        self,
        options: Options,
        listeners: Vec<Listener>,
        shutdown: impl Future<Output = ()>,
    ) -> Result<(), ServeError> {
        Ok(self.open(options, listeners)?.serve(shutdown).await?)
    }
}

impl Drop for LocalRole {
    fn drop(&mut self) {
        // For those who look who holds it; the lock goes with the file in any case.
        let _ = self.lock.set_len(0);
    }
}

impl Ready {
    /// The figures of the open lists, as they change.
    #[must_use]
    pub fn figures(&self) -> watch::Receiver<Open> {
        self.relay.figures()
    }

    /// What the person who runs the relay has to know; `None` the second time.
    #[must_use]
    pub fn notices(&mut self) -> Option<mpsc::Receiver<Notice>> {
        self.relay.notices()
    }

    /// Where it listens for this user.
    #[must_use]
    pub fn socket(&self) -> &Path {
        &self.socket
    }

    /// Serves until `shutdown` is ready; the role is free again when this returns.
    ///
    /// # Errors
    ///
    /// It could not start.
    pub async fn serve(self, shutdown: impl Future<Output = ()>) -> Result<(), RunError> {
        let Self { relay, listeners, socket, role } = self;
        let served = relay.run(listeners, shutdown).await;
        // While the lock is held: the next holder's socket must not be taken away.
        let _ = std::fs::remove_file(&socket);
        drop(role);
        served
    }
}

/// The process that holds the role, if there is one that says so.
#[must_use]
pub fn holder_pid(data_dir: &Path) -> Option<u32> {
    let mut text = String::new();
    File::open(data_dir.join(LOCK_FILE)).ok()?.take(16).read_to_string(&mut text).ok()?;
    let pid = text.trim().parse().ok()?;
    // A process that was killed leaves its number behind.
    test_kill_process(Pid::from_raw(pid)?).ok()?;
    u32::try_from(pid).ok()
}

fn open_lock(data_dir: &Path) -> Result<(PathBuf, File), RoleError> {
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(data_dir)
        .map_err(|source| RoleError::Folder { path: data_dir.to_owned(), source })?;
    let path = data_dir.join(LOCK_FILE);
    match OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).open(&path) {
        Ok(lock) => Ok((path, lock)),
        Err(source) => Err(RoleError::Lock { path, source }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_process_has_the_role_until_it_lets_go() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        assert_eq!(holder_pid(&data), None);
        let role = LocalRole::try_take(&data).unwrap().unwrap();
        assert!(LocalRole::try_take(&data).unwrap().is_none());
        assert_eq!(holder_pid(&data), Some(std::process::id()));
        let waiting = std::thread::spawn({
            let data = data.clone();
            move || LocalRole::take_when_free(&data).map(|role| role.data_dir.clone())
        });
        drop(role);
        assert_eq!(waiting.join().unwrap().unwrap(), data);
        assert_eq!(holder_pid(&data), None);
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "").unwrap();
        let error = LocalRole::try_take(&file.join("data")).unwrap_err();
        assert!(matches!(error, RoleError::Folder { .. }) && error.to_string().contains("file/data"), "{error}");
    }
}

//! A data folder: which lists it knows, and its site slots.
//!
//! ```text
//! DATA/              0700
//!   lists.json       names and uids of lists by relay, and the last one opened
//!   lists.lock       held while lists.json is rewritten
//!   sites/N/lock     held by the process that has the slot; never removed
//!   sites/N/identity the slot's secret, with which its replicas begin
//!   sites/N/pending  there while the slot may have unsent edits
//!   sites/N/replica.redb
//! ```
//!
//! A slot is one site. A process takes the first free one, so that two terminals on one folder are two sites; one that
//! starts while another slot has unsent edits can take that slot too, and send them.

mod known;
mod slot;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use betwixt_core::id::ListUid;
use betwixt_core::name::ListName;
use serde::{Deserialize, Serialize};

pub use self::known::Unsent;
pub use self::slot::{Slot, SlotError};

/// Slots of one folder.
const SLOTS_MAX: usize = 1_000;

/// A data folder.
#[derive(Debug, Clone)]
pub struct Folder {
    path: PathBuf,
}

/// Why a data folder cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FolderError {
    /// It cannot be made, read or written.
    #[error("cannot use the data folder {}", path.display())]
    Io {
        /// What could not be used.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Its list of lists does not decode.
    #[error("damaged {}; move it away to start a new one", path.display())]
    Lists {
        /// The file.
        path: PathBuf,
        /// Why.
        source: serde_json::Error,
    },
    /// All slots are taken.
    #[error("all {SLOTS_MAX} site slots of {} are taken", path.display())]
    Slots {
        /// The folder.
        path: PathBuf,
    },
    /// A slot cannot be opened.
    #[error(transparent)]
    Slot(#[from] SlotError),
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Lists {
    last: Option<ListName>,
    relays: BTreeMap<String, BTreeMap<ListName, ListUid>>,
    /// Lists that a slot of this folder has written to.
    written: BTreeSet<ListUid>,
}

impl Folder {
    /// The data folder at `path`, made if it is not there.
    ///
    /// # Errors
    ///
    /// It cannot be made or written.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, FolderError> {
        let path = path.into();
        let sites = path.join("sites");
        fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&sites)
            .and_then(|()| open_private(&path.join("lists.lock")))
            .map_err(|source| FolderError::Io { path: path.clone(), source })?;
        Ok(Self { path })
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The list that was opened last, if any was.
    ///
    /// # Errors
    ///
    /// The record cannot be read.
    pub fn last_list(&self) -> Result<Option<ListName>, FolderError> {
        Ok(self.read_lists()?.last)
    }

    /// Remembers the list that was opened last.
    ///
    /// # Errors
    ///
    /// The record cannot be written.
    pub fn set_last_list(&self, name: &ListName) -> Result<(), FolderError> {
        self.change_lists(|lists| lists.last = Some(name.clone()))
    }

    /// The list of that name on that relay; if none is known here, `fresh` is it from now on.
    ///
    /// # Errors
    ///
    /// The record cannot be read or written.
    pub fn list_uid(&self, relay: &str, name: &ListName, fresh: ListUid) -> Result<ListUid, FolderError> {
        if let Some(uid) = self.read_lists()?.relays.get(relay).and_then(|lists| lists.get(name)) {
            return Ok(*uid);
        }
        let mut uid = fresh;
        self.change_lists(|lists| {
            uid = *lists.relays.entry(relay.to_owned()).or_default().entry(name.clone()).or_insert(fresh);
        })?;
        Ok(uid)
    }

    /// Records that the list of that name on that relay is this one.
    ///
    /// # Errors
    ///
    /// The record cannot be written.
    pub fn set_list_uid(&self, relay: &str, name: &ListName, uid: ListUid) -> Result<(), FolderError> {
        self.change_lists(|lists| {
            lists.relays.entry(relay.to_owned()).or_default().insert(name.clone(), uid);
        })
    }

    /// Whether a slot of this folder has ever written to that list.
    ///
    /// # Errors
    ///
    /// The record cannot be read.
    pub fn is_written(&self, uid: ListUid) -> Result<bool, FolderError> {
        Ok(self.read_lists()?.written.contains(&uid))
    }

    /// Records that a slot writes to that list: before the first edit is kept. An extra call costs a look.
    ///
    /// # Errors
    ///
    /// The record cannot be read or written.
    pub fn note_written(&self, uid: ListUid) -> Result<(), FolderError> {
        if self.is_written(uid)? {
            return Ok(());
        }
        self.change_lists(|lists| {
            lists.written.insert(uid);
        })
    }

    /// Takes the first free slot with unsent edits, else the first free one.
    ///
    /// # Errors
    ///
    /// No slot is free, or a free one cannot be opened.
    pub fn lease(&self, random: crate::replica::Randomness<'_>) -> Result<Slot, FolderError> {
        let with_pending = (0..SLOTS_MAX).take_while(|n| self.slot_path(*n).exists());
        let with_pending: Vec<usize> = with_pending.filter(|n| self.slot_path(*n).join("pending").exists()).collect();
        for number in with_pending.into_iter().chain(0..SLOTS_MAX) {
            if let Some(slot) = Slot::try_open(&self.slot_path(number), random)? {
                return Ok(slot);
            }
        }
        Err(FolderError::Slots { path: self.path.clone() })
    }

    /// Takes the free slots that have unsent edits: those of windows that were closed before all was sent.
    ///
    /// # Errors
    ///
    /// No free slot can be opened, and one that has unsent edits should be.
    pub fn stranded(&self, random: crate::replica::Randomness<'_>) -> Result<Vec<Slot>, FolderError> {
        let mut slots = Vec::new();
        let mut fault = None;
        for path in (0..SLOTS_MAX).map(|n| self.slot_path(n)).take_while(|path| path.exists()) {
            if !path.join("pending").exists() {
                continue;
            }
            // A damaged slot does not hold up the others.
            match Slot::try_open(&path, random) {
                Ok(slot) => slots.extend(slot),
                Err(error) => fault = fault.or(Some(error)),
            }
        }
        match fault {
            Some(fault) if slots.is_empty() => Err(fault.into()),
            _ => Ok(slots),
        }
    }

    fn slot_path(&self, number: usize) -> PathBuf {
        self.path.join("sites").join(number.to_string())
    }

    fn read_lists(&self) -> Result<Lists, FolderError> {
        let path = self.path.join("lists.json");
        match fs::read(&path) {
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(|source| FolderError::Lists { path, source }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Lists::default()),
            Err(source) => Err(FolderError::Io { path, source }),
        }
    }

    /// Rewrites the record whole, beside and then in place, while no other process does.
    fn change_lists(&self, change: impl FnOnce(&mut Lists)) -> Result<(), FolderError> {
        let path = self.path.join("lists.json");
        let io = |source| FolderError::Io { path: path.clone(), source };
        let lock = open_private(&self.path.join("lists.lock")).map_err(io)?;
        lock.lock().map_err(io)?;
        let mut lists = self.read_lists()?;
        change(&mut lists);
        let bytes =
            serde_json::to_vec_pretty(&lists).map_err(|source| FolderError::Lists { path: path.clone(), source })?;
        let beside = self.path.join("lists.json.new");
        let mut file = File::options().write(true).create(true).truncate(true).mode(0o600).open(&beside).map_err(io)?;
        file.write_all(&bytes).and_then(|()| file.sync_all()).map_err(io)?;
        fs::rename(&beside, &path).map_err(io)?;
        // A name that is lost with the power would hide the edits of its list.
        File::open(&self.path).and_then(|folder| folder.sync_all()).map_err(io)
    }
}

/// Opens a file for this user alone, made if it is not there.
fn open_private(path: &Path) -> io::Result<File> {
    File::options().read(true).write(true).create(true).truncate(false).mode(0o600).open(path)
}

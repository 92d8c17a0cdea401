//! Opening a store: whose it is, which format, whether it is whole; and making a new one.

use std::error::Error;
use std::ffi::OsString;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use redb::backends::FileBackend;
use redb::{Database, StorageBackend};

use super::format::{self, Format};
use super::staged::Staged;
use super::{RedbStore, copy};
use crate::StoreError;

/// redb takes up to 1 GiB unless told otherwise.
const CACHE_BYTES_MAX: usize = 64 << 20;

/// A store could not be opened. Its file is as it was, unless writing to it was what failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// A later version of this program wrote the store.
    #[error(
        "the store {} has format {found}, and this betwixt knows formats up to {known}: take a newer betwixt",
        path.display()
    )]
    Newer {
        /// Where the store is.
        path: PathBuf,
        /// The number in the store.
        found: u32,
        /// The number that was asked for.
        known: u32,
    },
    /// An earlier version of this program wrote the store, in a format that there is no migration from.
    #[error(
        "the store {} has format {found}, which this betwixt cannot bring to format {known}; nothing in it was changed: \
         take the betwixt that wrote it, or move it away to start with an empty one",
        path.display()
    )]
    Older {
        /// Where the store is.
        path: PathBuf,
        /// The number in the store.
        found: u32,
        /// The number that was asked for.
        known: u32,
    },
    /// An earlier version of this program wrote the store, and it could not be copied before it is changed.
    #[error(
        "the store {} has format {found} and is copied to {} before it is brought to format {known}, which failed; \
         nothing in it was changed: make room there and start again",
        path.display(), copy.display()
    )]
    Copy {
        /// Where the store is.
        path: PathBuf,
        /// Where the copy was to be.
        copy: PathBuf,
        /// The number in the store.
        found: u32,
        /// The number that was asked for.
        known: u32,
        /// What the operating system said.
        #[source]
        source: io::Error,
    },
    /// An earlier version of this program wrote the store, and it could not be brought to the format of this one.
    #[error("bringing the store {} from format {found} to format {known} failed; it is whole, and of one of them", path.display())]
    Migrate {
        /// Where the store is.
        path: PathBuf,
        /// The number in the store.
        found: u32,
        /// The number that was asked for.
        known: u32,
        /// What failed.
        #[source]
        source: StoreError,
    },
    /// The file is whole, but the store of another program.
    #[error(
        "{} is not a store of `{}`; nothing in it was changed: move it away to start with an empty one",
        path.display(), known.escape_ascii()
    )]
    Foreign {
        /// Where the file is.
        path: PathBuf,
        /// The name that was asked for.
        known: &'static [u8],
    },
    /// The file is no store any more, or never was one.
    #[error(
        "the store {0} is damaged; nothing in it was changed: put a copy of it back as {0}, \
         or move it away to start with an empty one", path.display()
    )]
    Damaged {
        /// Where the file is.
        path: PathBuf,
        /// How the damage showed.
        #[source]
        source: Damage,
    },
    /// Another process has the store open, or this one has.
    #[error("the store {} is in use by another process", path.display())]
    InUse {
        /// Where the store is.
        path: PathBuf,
    },
    /// The operating system refused: rights, a full disk, a failing one.
    #[error("opening the store {} failed", path.display())]
    Io {
        /// Where the store is, or was to be.
        path: PathBuf,
        /// What the operating system said.
        #[source]
        source: io::Error,
    },
}

/// How damage to a store showed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Damage {
    /// The file has no bytes. A store that was ever opened has some.
    #[error("the file is empty")]
    Empty,
    /// The file does not begin as one, was cut off, or a checksum does not fit.
    #[error("its pages do not check out")]
    Pages(#[source] Box<dyn Error + Send + Sync>),
}

/// A store that was read and checked, and not written to yet.
struct Checked<B> {
    database: Database,
    staged: Staged<B>,
}

impl<B: StorageBackend> Checked<B> {
    /// Writes what opening has to write.
    fn release(self, path: &Path) -> Result<RedbStore, OpenError> {
        let Self { database, staged } = self;
        staged.release().map_err(|source| OpenError::Io { path: path.to_owned(), source })?;
        Ok(RedbStore { database })
    }
}

pub(super) fn open(path: &Path, format: &Format) -> Result<RedbStore, OpenError> {
    match OpenOptions::new().read(true).write(true).open(path) {
        Ok(file) => open_file(file, path, format),
        Err(error) if error.kind() == io::ErrorKind::NotFound => create(path, format),
        Err(source) => Err(OpenError::Io { path: path.to_owned(), source }),
    }
}

pub(super) fn with_backend(backend: impl StorageBackend, format: &Format) -> Result<RedbStore, OpenError> {
    let path = Path::new("<backend>");
    let io = |source| OpenError::Io { path: path.to_owned(), source };
    let staged = Staged::over(backend).map_err(io)?;
    let is_new = staged.len().map_err(io)? == 0;
    let checked = check(staged, path)?;
    if is_new {
        format::write(&checked.database, format).map_err(|error| fault(error, path))?;
        return checked.release(path);
    }
    let found = format::check(&checked.database, path, format)?;
    format::migrate(checked.release(path)?, path, format, found)
}

fn open_file(file: File, path: &Path, format: &Format) -> Result<RedbStore, OpenError> {
    let io = |source| OpenError::Io { path: path.to_owned(), source };
    let staged = Staged::over(FileBackend::new(file).map_err(|error| fault(error, path))?).map_err(io)?;
    if staged.len().map_err(io)? == 0 {
        return Err(OpenError::Damaged { path: path.to_owned(), source: Damage::Empty });
    }
    let checked = check(staged, path)?;
    let found = format::check(&checked.database, path, format)?;
    if found < format.number {
        // Before anything is written, and while nobody else can write.
        copy::beside(&checked.staged, path, found).map_err(|fault| OpenError::Copy {
            path: path.to_owned(),
            copy: fault.copy,
            found,
            known: format.number,
            source: fault.source,
        })?;
    }
    format::migrate(checked.release(path)?, path, format, found)
}

/// Makes the store under another name and gives it its own when it is complete and on the disk: whatever interrupts
/// this, there is either no store or an empty one.
fn create(path: &Path, format: &Format) -> Result<RedbStore, OpenError> {
    let io = |source| OpenError::Io { path: path.to_owned(), source };
    let folders = create_folders(path).map_err(io)?;
    let draft = draft_of(path);
    let file =
        OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).open(&draft).map_err(io)?;
    let backend = FileBackend::new(file).map_err(|error| fault(error, path))?;
    // Blank: an earlier attempt may have been interrupted.
    let checked = check(Staged::over_blank(backend), path)?;
    // From here on this process has the lock on the draft. Another may have finished between our look at the path and
    // the lock; then the file that is locked here is that store, and nothing was written to it.
    if path.try_exists().map_err(io)? {
        // With the store in place no draft is needed, whosever it is.
        let _ = std::fs::remove_file(&draft);
        drop(checked);
        let file = OpenOptions::new().read(true).write(true).open(path).map_err(io)?;
        return open_file(file, path, format);
    }
    format::write(&checked.database, format).map_err(|error| fault(error, path))?;
    let store = checked.release(path)?;
    std::fs::rename(&draft, path).map_err(io)?;
    for folder in folders {
        File::open(folder).and_then(|folder| folder.sync_all()).map_err(io)?;
    }
    Ok(store)
}

/// Makes the folders that the path needs; returns those that have a new entry now, or will have.
fn create_folders(path: &Path) -> io::Result<Vec<PathBuf>> {
    let mut folders = vec![folder_of(path)];
    while let Some(folder) = folders.last().filter(|folder| !folder.exists()) {
        folders.push(folder_of(folder));
    }
    DirBuilder::new().recursive(true).mode(0o700).create(folder_of(path))?;
    Ok(folders)
}

/// The folder that a file is in.
pub(super) fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// Where a file is made before it gets its name.
pub(super) fn draft_of(path: &Path) -> PathBuf {
    let mut draft = OsString::from(path);
    draft.push(".new");
    PathBuf::from(draft)
}

/// Takes the lock and reads every page.
fn check<B: StorageBackend>(staged: Staged<B>, path: &Path) -> Result<Checked<B>, OpenError> {
    let database = Database::builder()
        .set_cache_size(CACHE_BYTES_MAX)
        // Without it redb trusts a file that was closed in order, and may panic on a damaged one.
        .set_check_integrity_on_open(true)
        .create_with_backend(staged.share())
        .map_err(|error| fault(error, path))?;
    Ok(Checked { database, staged })
}

pub(super) fn fault(error: impl Into<redb::Error>, path: &Path) -> OpenError {
    let path = path.to_owned();
    match error.into() {
        redb::Error::DatabaseAlreadyOpen | redb::Error::LockProtocolMismatch => OpenError::InUse { path },
        redb::Error::Io(source)
            if !matches!(source.kind(), io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof) =>
        {
            OpenError::Io { path, source }
        }
        other => OpenError::Damaged { path, source: Damage::Pages(Box::new(other)) },
    }
}

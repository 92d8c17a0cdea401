//! The copy beside a store that is about to be migrated: for whoever has to go back to the program that wrote it.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use redb::StorageBackend;

use super::open::{draft_of, folder_of};
use super::staged::Staged;

/// Why there is no copy.
pub(super) struct CopyFault {
    /// Where it was to be.
    pub(super) copy: PathBuf,
    pub(super) source: io::Error,
}

/// Copies the store, as it is on the disk, to `<path>.format-<number>`, for its owner only; returns when that is on the
/// disk too.
///
/// A copy that is there is complete, since it gets its name last, and is kept: it is of before the first attempt at this
/// migration, while the file itself may have been opened and marked by one that was interrupted.
pub(super) fn beside<B: StorageBackend>(staged: &Staged<B>, path: &Path, number: u32) -> Result<(), CopyFault> {
    let mut copy = OsString::from(path);
    copy.push(format!(".format-{number}"));
    let copy = PathBuf::from(copy);
    let draft = draft_of(&copy);
    let copied = copy.try_exists().and_then(|is_there| if is_there { Ok(()) } else { write(staged, &draft, &copy) });
    copied.map_err(|source| {
        // What could not be finished only takes room.
        let _ = std::fs::remove_file(&draft);
        CopyFault { copy, source }
    })
}

fn write<B: StorageBackend>(staged: &Staged<B>, draft: &Path, copy: &Path) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(draft)?;
    staged.copy_backend(&mut file)?;
    file.sync_all()?;
    std::fs::rename(draft, copy)?;
    File::open(folder_of(copy))?.sync_all()
}

//! The copy beside a store that is about to be migrated: for whoever has to go back to the program that wrote it.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _};
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
/// A copy that is there is complete, since it gets its name last, and it is enough if the store is the same still. One of
/// another day stays, and this one is called `.format-<number>.2`, or what comes next: also where a migration that was
/// interrupted has opened the store and marked it, which costs its bytes.
pub(super) fn beside<B: StorageBackend>(staged: &Staged<B>, path: &Path, number: u32) -> Result<(), CopyFault> {
    let mut nth = 1;
    let copy = loop {
        let copy = name_of(path, number, nth);
        match copy.try_exists() {
            Ok(true) if is_same(staged, &copy).unwrap_or(false) => return Ok(()),
            Ok(true) => nth += 1,
            Ok(false) => break copy,
            Err(source) => return Err(CopyFault { copy, source }),
        }
    };
    let draft = draft_of(&copy);
    write(staged, &draft, &copy).map_err(|source| {
        // What could not be finished only takes room.
        let _ = std::fs::remove_file(&draft);
        CopyFault { copy, source }
    })
}

fn name_of(path: &Path, number: u32, nth: u32) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(format!(".format-{number}"));
    if nth > 1 {
        name.push(format!(".{nth}"));
    }
    PathBuf::from(name)
}

/// Whether a copy has the bytes of the store.
fn is_same<B: StorageBackend>(staged: &Staged<B>, copy: &Path) -> io::Result<bool> {
    let mut same = Compare { with: io::BufReader::new(File::open(copy)?), differs: false };
    staged.copy_backend(&mut same)?;
    let mut more = [0; 1];
    Ok(!same.differs && same.with.read(&mut more)? == 0)
}

/// Takes bytes, and compares them with those of a file.
struct Compare {
    with: io::BufReader<File>,
    differs: bool,
}

impl io::Write for Compare {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut there = vec![0; bytes.len()];
        self.differs |= self.with.read_exact(&mut there).is_err() || there != bytes;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn write<B: StorageBackend>(staged: &Staged<B>, draft: &Path, copy: &Path) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(draft)?;
    staged.copy_backend(&mut file)?;
    file.sync_all()?;
    std::fs::rename(draft, copy)?;
    File::open(folder_of(copy))?.sync_all()
}

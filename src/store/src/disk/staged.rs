//! A storage backend that writes nothing until it is told to.
//!
//! redb repairs and marks a file while it opens it, before anybody can know whether the file is ours and whole. Staged,
//! these writes stay in memory: a file that turns out to be damaged, newer or foreign is left as it was.

use std::io;
use std::ops::Bound;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use redb::{BackendError, StorageBackend};

/// Bytes that are copied at once.
const COPY_BYTES: usize = 1024 * 1024;

/// One of the two handles on a backend; redb owns the other, and both go through the same stage.
#[derive(Debug)]
pub(super) struct Staged<B> {
    shared: Arc<Shared<B>>,
}

#[derive(Debug)]
struct Shared<B> {
    backend: B,
    stage: RwLock<Stage>,
}

/// ```text
/// Holding --release--> Open
///    |
///    +--a change could not be written--> Failed
/// ```
#[derive(Debug)]
enum Stage {
    /// Changes are kept, and laid over what is read.
    Holding { changes: Vec<Change>, len: u64 },
    /// All goes to the backend.
    Open,
    /// A part of the changes is in the backend: writing more would mix two states.
    Failed,
}

#[derive(Debug)]
enum Change {
    Write { offset: u64, data: Vec<u8> },
    Resize { len: u64 },
    Sync,
}

impl<B: StorageBackend> Staged<B> {
    /// Stages the backend as it is.
    pub(super) fn over(backend: B) -> io::Result<Self> {
        let len = backend.len()?;
        Ok(Self::holding(backend, Vec::new(), len))
    }

    /// Stages the backend as if it were empty.
    pub(super) fn over_blank(backend: B) -> Self {
        Self::holding(backend, vec![Change::Resize { len: 0 }], 0)
    }

    fn holding(backend: B, changes: Vec<Change>, len: u64) -> Self {
        Self { shared: Arc::new(Shared { backend, stage: RwLock::new(Stage::Holding { changes, len }) }) }
    }

    /// Returns another handle on the same backend.
    pub(super) fn share(&self) -> Self {
        Self { shared: Arc::clone(&self.shared) }
    }

    /// Carries out what was held back, in the order in which it came, syncs included; from then on holds nothing back.
    pub(super) fn release(&self) -> io::Result<()> {
        let mut stage = self.stage_mut();
        if let Stage::Holding { changes, .. } = &mut *stage {
            let changes = std::mem::take(changes);
            *stage = Stage::Failed;
            for change in &changes {
                match change {
                    Change::Write { offset, data } => self.shared.backend.write(*offset, data)?,
                    Change::Resize { len } => self.shared.backend.set_len(*len)?,
                    Change::Sync => self.shared.backend.sync_data()?,
                }
            }
            *stage = Stage::Open;
        }
        Ok(())
    }

    /// Writes out what the backend holds, without what is held back. Through this handle: to close another one on the
    /// same file may let go of its lock.
    pub(super) fn copy_backend(&self, out: &mut impl io::Write) -> io::Result<()> {
        let backend = &self.shared.backend;
        let (len, mut offset) = (backend.len()?, 0);
        let mut chunk = vec![0; COPY_BYTES];
        while offset < len {
            let bytes = cut(len, offset, COPY_BYTES);
            backend.read(offset, &mut chunk[..bytes])?;
            out.write_all(&chunk[..bytes])?;
            offset += to_u64(bytes);
        }
        Ok(())
    }

    fn change(&self, change: Change) -> io::Result<()> {
        match &mut *self.stage_mut() {
            Stage::Holding { changes, len } => {
                match &change {
                    Change::Write { offset, data } => *len = (*len).max(offset + to_u64(data.len())),
                    Change::Resize { len: resized } => *len = *resized,
                    Change::Sync => {}
                }
                changes.push(change);
                Ok(())
            }
            Stage::Open | Stage::Failed => Err(io::Error::other("the writes made while opening could not be kept")),
        }
    }

    fn stage(&self) -> RwLockReadGuard<'_, Stage> {
        self.shared.stage.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn stage_mut(&self) -> RwLockWriteGuard<'_, Stage> {
        self.shared.stage.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_open(&self) -> bool {
        matches!(*self.stage(), Stage::Open)
    }
}

impl<B: StorageBackend> StorageBackend for Staged<B> {
    fn len(&self) -> io::Result<u64> {
        match &*self.stage() {
            Stage::Holding { len, .. } => Ok(*len),
            Stage::Open | Stage::Failed => self.shared.backend.len(),
        }
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        match &*self.stage() {
            Stage::Holding { changes, len } => {
                if offset.checked_add(to_u64(out.len())).is_none_or(|end| end > *len) {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
                read_through(&self.shared.backend, changes, offset, out)
            }
            Stage::Open | Stage::Failed => self.shared.backend.read(offset, out),
        }
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        if self.is_open() { self.shared.backend.set_len(len) } else { self.change(Change::Resize { len }) }
    }

    fn sync_data(&self) -> io::Result<()> {
        if self.is_open() { self.shared.backend.sync_data() } else { self.change(Change::Sync) }
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        if self.is_open() {
            return self.shared.backend.write(offset, data);
        }
        self.change(Change::Write { offset, data: data.to_vec() })
    }

    fn close(&self) -> io::Result<()> {
        self.shared.backend.close()
    }

    fn try_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.shared.backend.try_lock_range(start, end)
    }

    fn try_lock_shared_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.shared.backend.try_lock_shared_range(start, end)
    }

    fn lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.shared.backend.lock_range(start, end)
    }

    fn lock_shared_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.shared.backend.lock_shared_range(start, end)
    }

    fn unlock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.shared.backend.unlock_range(start, end)
    }

    fn query_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.shared.backend.query_lock_range(start, end)
    }
}

/// Fills `out` with what the backend would hold at `offset` after the changes; the caller has checked the length.
fn read_through(backend: &impl StorageBackend, changes: &[Change], offset: u64, out: &mut [u8]) -> io::Result<()> {
    out.fill(0);
    let in_backend = cut(backend.len()?, offset, out.len());
    if in_backend > 0 {
        backend.read(offset, &mut out[..in_backend])?;
    }
    for change in changes {
        match change {
            Change::Write { offset: at, data } => {
                let (from, skipped) = (cut(*at, offset, out.len()), cut(offset, *at, data.len()));
                let copied = (out.len() - from).min(data.len() - skipped);
                out[from..from + copied].copy_from_slice(&data[skipped..skipped + copied]);
            }
            Change::Resize { len } => {
                let kept = cut(*len, offset, out.len());
                out[kept..].fill(0);
            }
            Change::Sync => {}
        }
    }
    Ok(())
}

/// Returns how far `place` lies behind `start`, at least 0 and at most `most`.
fn cut(place: u64, start: u64, most: usize) -> usize {
    usize::try_from(place.saturating_sub(start)).map_or(most, |distance| distance.min(most))
}

fn to_u64(len: usize) -> u64 {
    u64::try_from(len).expect("a length fits in 64 bits")
}

#[cfg(test)]
mod tests {
    use redb::backends::InMemoryBackend;

    use super::*;

    fn backend(bytes: &[u8]) -> InMemoryBackend {
        let backend = InMemoryBackend::new();
        backend.set_len(to_u64(bytes.len())).unwrap();
        backend.write(0, bytes).unwrap();
        backend
    }

    fn bytes(backend: &impl StorageBackend) -> Vec<u8> {
        let mut bytes = vec![0; usize::try_from(backend.len().unwrap()).unwrap()];
        backend.read(0, &mut bytes).unwrap();
        bytes
    }

    #[test]
    fn what_is_held_back_is_read_but_not_written() {
        let staged = Staged::over(backend(b"0123456789")).unwrap();
        let other = staged.share();
        staged.write(3, b"abc").unwrap();
        staged.write(5, b"XY").unwrap();
        staged.set_len(8).unwrap();
        staged.sync_data().unwrap();
        staged.set_len(12).unwrap();
        staged.write(11, b"!").unwrap();
        assert_eq!(bytes(&other), b"012abXY7\0\0\0!");
        // Every window of it reads the same.
        for start in 0..12 {
            for end in start..=12 {
                let mut window = vec![b'?'; end - start];
                other.read(to_u64(start), &mut window).unwrap();
                assert_eq!(window, b"012abXY7\0\0\0!"[start..end], "window {start}..{end}");
            }
        }
        assert!(other.read(12, &mut [0]).is_err());
        assert_eq!(bytes(&staged.shared.backend), b"0123456789");

        staged.release().unwrap();
        assert_eq!(bytes(&staged.shared.backend), b"012abXY7\0\0\0!");
        other.write(0, b"-").unwrap();
        assert_eq!(bytes(&staged.shared.backend), b"-12abXY7\0\0\0!");
    }

    #[test]
    fn a_blank_stage_hides_what_is_there_until_its_release() {
        let staged = Staged::over_blank(backend(b"old"));
        assert_eq!(staged.len().unwrap(), 0);
        staged.set_len(2).unwrap();
        assert_eq!(bytes(&staged), b"\0\0");
        assert_eq!(bytes(&staged.shared.backend), b"old");
        staged.release().unwrap();
        assert_eq!(bytes(&staged.shared.backend), b"\0\0");
    }
}

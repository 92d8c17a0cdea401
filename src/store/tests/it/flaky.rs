//! A disk in memory that stops at a chosen moment and then shows what a power cut may have left on it.

use std::io;
use std::sync::{Arc, Mutex};

use redb::StorageBackend;

/// What the disk keeps of the writes that were not synced when the power went.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Unsynced {
    /// Nothing.
    Lost,
    /// Everything.
    Kept,
    /// Some sectors of some writes; the number decides which.
    Some(u64),
}

/// A handle on the disk; clones share it.
#[derive(Debug, Clone)]
pub(crate) struct Disk {
    state: Arc<Mutex<State>>,
}

#[derive(Debug)]
struct State {
    synced: Vec<u8>,
    current: Vec<u8>,
    changes: Vec<Change>,
    /// Writes, resizes and syncs that still succeed.
    events_left: u64,
    events: u64,
}

#[derive(Debug, Clone)]
enum Change {
    Write { offset: usize, data: Vec<u8> },
    Resize { len: usize },
}

const SECTOR_BYTES: usize = 512;

impl Disk {
    /// A disk that holds these bytes, and stops at its `events`-th write, resize or sync.
    pub(crate) fn new(bytes: Vec<u8>, events: u64) -> Self {
        let state =
            State { synced: bytes.clone(), current: bytes, changes: Vec::new(), events_left: events, events: 0 };
        Self { state: Arc::new(Mutex::new(state)) }
    }

    /// How many writes, resizes and syncs succeeded.
    pub(crate) fn events(&self) -> u64 {
        self.state.lock().unwrap().events
    }

    /// What is on the disk when the power comes back.
    pub(crate) fn after_power_cut(&self, unsynced: Unsynced) -> Vec<u8> {
        let state = self.state.lock().unwrap();
        let mut bytes = state.synced.clone();
        let mut dice = match unsynced {
            Unsynced::Lost => return bytes,
            Unsynced::Kept => return state.current.clone(),
            Unsynced::Some(seed) => seed,
        };
        let mut flip = || {
            dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            dice >> 63 == 0
        };
        for change in &state.changes {
            match change {
                // A journaling file system keeps the order of lengths; the data is kept sector by sector.
                Change::Resize { len } => bytes.resize(*len, 0),
                Change::Write { offset, data } => {
                    for (index, sector) in data.chunks(SECTOR_BYTES).enumerate() {
                        let start = offset + index * SECTOR_BYTES;
                        if flip() && start + sector.len() <= bytes.len() {
                            bytes[start..start + sector.len()].copy_from_slice(sector);
                        }
                    }
                }
            }
        }
        bytes
    }

    fn change(&self, change: Change) -> io::Result<()> {
        let state = &mut *self.state.lock().unwrap();
        state.count()?;
        match &change {
            Change::Write { offset, data } => {
                let end = offset + data.len();
                if state.current.len() < end {
                    state.current.resize(end, 0);
                }
                state.current[*offset..end].copy_from_slice(data);
            }
            Change::Resize { len } => state.current.resize(*len, 0),
        }
        state.changes.push(change);
        Ok(())
    }
}

impl State {
    fn count(&mut self) -> io::Result<()> {
        self.events_left = self.events_left.checked_sub(1).ok_or_else(|| io::Error::other("the power is off"))?;
        self.events += 1;
        Ok(())
    }
}

impl StorageBackend for Disk {
    fn len(&self) -> io::Result<u64> {
        Ok(self.state.lock().unwrap().current.len() as u64)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let offset = usize::try_from(offset).unwrap();
        let state = self.state.lock().unwrap();
        let found = state.current.get(offset..offset + out.len()).ok_or(io::ErrorKind::UnexpectedEof)?;
        out.copy_from_slice(found);
        Ok(())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.change(Change::Resize { len: usize::try_from(len).unwrap() })
    }

    fn sync_data(&self) -> io::Result<()> {
        let state = &mut *self.state.lock().unwrap();
        state.count()?;
        state.synced.clone_from(&state.current);
        state.changes.clear();
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.change(Change::Write { offset: usize::try_from(offset).unwrap(), data: data.to_vec() })
    }
}

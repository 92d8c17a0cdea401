//! A store that counts, for tests on what one edit writes.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::{Batch, KeyRange, Store, StoreError, Visit, Write};

/// Passes everything on to another store and counts it.
///
/// A commit and its writes count when it has succeeded; reads count when they are asked for.
#[derive(Debug, Default)]
pub struct Counting<S> {
    store: S,
    commits: AtomicU64,
    puts: AtomicU64,
    deletes: AtomicU64,
    range_deletes: AtomicU64,
    bytes_written: AtomicU64,
    scans: AtomicU64,
    gets: AtomicU64,
}

/// What passed through a [`Counting`] since it was made.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Counts {
    /// Commits of at least one write.
    pub commits: u64,
    /// Puts.
    pub puts: u64,
    /// Deletions of one key.
    pub deletes: u64,
    /// Deletions of a range.
    pub range_deletes: u64,
    /// Bytes of keys, bounds and values in the commits: not those that reach the disk.
    pub bytes_written: u64,
    /// Scans, in either direction.
    pub scans: u64,
    /// Gets.
    pub gets: u64,
}

impl Counts {
    /// Returns what was counted after `earlier`, which the same store returned before.
    ///
    /// # Panics
    ///
    /// If one of its counts is the higher one.
    #[must_use]
    pub fn since(self, earlier: Self) -> Self {
        let between = |now: u64, then: u64| now.checked_sub(then).expect("counts of one store never fall");
        Self {
            commits: between(self.commits, earlier.commits),
            puts: between(self.puts, earlier.puts),
            deletes: between(self.deletes, earlier.deletes),
            range_deletes: between(self.range_deletes, earlier.range_deletes),
            bytes_written: between(self.bytes_written, earlier.bytes_written),
            scans: between(self.scans, earlier.scans),
            gets: between(self.gets, earlier.gets),
        }
    }
}

impl<S: Store> Counting<S> {
    /// Returns a wrapper of the store, with all counts at zero.
    pub fn new(store: S) -> Self {
        Self {
            store,
            commits: AtomicU64::new(0),
            puts: AtomicU64::new(0),
            deletes: AtomicU64::new(0),
            range_deletes: AtomicU64::new(0),
            bytes_written: AtomicU64::new(0),
            scans: AtomicU64::new(0),
            gets: AtomicU64::new(0),
        }
    }

    /// Returns the counts. While other threads use the store, one may be ahead of another.
    pub fn counts(&self) -> Counts {
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Counts {
            commits: count(&self.commits),
            puts: count(&self.puts),
            deletes: count(&self.deletes),
            range_deletes: count(&self.range_deletes),
            bytes_written: count(&self.bytes_written),
            scans: count(&self.scans),
            gets: count(&self.gets),
        }
    }

    /// Returns the store inside; what is done to it directly is not counted.
    pub fn inner(&self) -> &S {
        &self.store
    }
}

fn add(counter: &AtomicU64, more: usize) {
    counter.fetch_add(u64::try_from(more).expect("a size fits in 64 bits"), Ordering::Relaxed);
}

impl<S: Store> Store for Counting<S> {
    fn commit(&self, batch: &Batch) -> Result<(), StoreError> {
        self.store.commit(batch)?;
        if batch.is_empty() {
            return Ok(());
        }
        add(&self.commits, 1);
        add(&self.bytes_written, batch.bytes());
        for write in batch.writes() {
            match write {
                Write::Put { .. } => add(&self.puts, 1),
                Write::Delete { .. } => add(&self.deletes, 1),
                Write::DeleteRange { .. } => add(&self.range_deletes, 1),
            }
        }
        Ok(())
    }

    fn scan(&self, range: KeyRange, visit: &mut Visit<'_>) -> Result<(), StoreError> {
        add(&self.scans, 1);
        self.store.scan(range, visit)
    }

    fn scan_back(&self, range: KeyRange, visit: &mut Visit<'_>) -> Result<(), StoreError> {
        add(&self.scans, 1);
        self.store.scan_back(range, visit)
    }

    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        add(&self.gets, 1);
        self.store.get(key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance;
    use crate::memory::MemoryStore;

    #[test]
    fn it_conforms() {
        conformance::check_all(&Counting::new(MemoryStore::default()));
    }

    #[test]
    fn it_counts_what_was_committed_and_what_was_read() {
        let store = Counting::new(MemoryStore::default());
        let mut batch = Batch::default();
        batch.put("key", "value").delete("other").delete_range("a", "b");
        store.commit(&batch).unwrap();
        store.commit(&Batch::default()).unwrap();
        let committed =
            Counts { commits: 1, puts: 1, deletes: 1, range_deletes: 1, bytes_written: 15, ..Counts::default() };
        assert_eq!(store.counts(), committed);

        store.inner().fail_next_commits(1);
        store.commit(&batch).unwrap_err();
        assert_eq!(store.counts(), committed);

        store.get(b"key").unwrap();
        store.pairs(KeyRange::all(), 1).unwrap();
        assert_eq!(store.counts().since(committed), Counts { scans: 1, gets: 1, ..Counts::default() });
    }
}

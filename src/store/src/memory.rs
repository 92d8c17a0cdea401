//! A store in memory, for tests and simulations.

use std::collections::BTreeMap;
use std::io;
use std::ops::Bound;
use std::sync::{Arc, Mutex, MutexGuard};

use crate::{Batch, KeyRange, Store, StoreError, Visit, Write};

/// A store that ends with its process, unless its [`Contents`] are kept.
///
/// A crash is `snapshot` at some moment and `restore` into a new store.
#[derive(Debug, Default)]
pub struct MemoryStore {
    state: Mutex<State>,
}

/// What a [`MemoryStore`] held at one moment. Taking and cloning it are cheap: the map is shared until a commit.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Contents {
    map: Arc<BTreeMap<Vec<u8>, Vec<u8>>>,
}

#[derive(Debug, Default)]
struct State {
    contents: Contents,
    commits_to_fail: u64,
}

impl MemoryStore {
    /// Returns a store with these contents.
    #[must_use]
    pub fn with_contents(contents: Contents) -> Self {
        Self { state: Mutex::new(State { contents, commits_to_fail: 0 }) }
    }

    /// Returns what the store holds now.
    #[must_use]
    pub fn snapshot(&self) -> Contents {
        self.state().contents.clone()
    }

    /// Makes the store hold these contents and nothing else. Scans that are under way keep their view.
    pub fn restore(&self, contents: Contents) {
        self.state().contents = contents;
    }

    /// Makes the next `count` commits fail with [`StoreError::Io`] and write nothing; 0 ends that.
    ///
    /// The store need not be opened again after it: the commit behind them succeeds.
    pub fn fail_next_commits(&self, count: u64) {
        self.state().commits_to_fail = count;
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no code panics while it holds the state")
    }
}

impl Contents {
    /// Returns the pairs, ascending by key.
    #[must_use]
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&[u8], &[u8])> {
        self.map.iter().map(|(key, value)| (&**key, &**value))
    }

    /// Returns the number of pairs.
    #[must_use]
    pub fn len(&self) -> usize {
        self.map.len()
    }

    /// Returns whether there is no pair.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.map.is_empty()
    }

    fn write(&mut self, write: &Write) {
        let map = Arc::make_mut(&mut self.map);
        match write {
            Write::Put { key, value } => {
                map.insert(key.clone(), value.clone());
            }
            Write::Delete { key } => {
                map.remove(key);
            }
            Write::DeleteRange { range } if range.is_empty() => {}
            Write::DeleteRange { range } => {
                let end = range.end.clone().map_or(Bound::Unbounded, Bound::Excluded);
                map.extract_if((Bound::Included(range.start.clone()), end), |_, _| true).for_each(drop);
            }
        }
    }

    fn range(&self, range: &KeyRange) -> impl DoubleEndedIterator<Item = (&Vec<u8>, &Vec<u8>)> {
        // A map panics on bounds that descend.
        (!range.is_empty()).then(|| self.map.range::<[u8], _>(range.bounds())).into_iter().flatten()
    }
}

impl Store for MemoryStore {
    fn commit(&self, batch: &Batch) -> Result<(), StoreError> {
        if batch.is_empty() {
            return Ok(());
        }
        let mut state = self.state();
        if let Some(left) = state.commits_to_fail.checked_sub(1) {
            state.commits_to_fail = left;
            return Err(StoreError::Io(io::Error::other("this commit was made to fail")));
        }
        for write in batch.writes() {
            state.contents.write(write);
        }
        Ok(())
    }

    fn scan(&self, range: KeyRange, visit: &mut Visit<'_>) -> Result<(), StoreError> {
        let contents = self.snapshot();
        let _ = contents.range(&range).try_for_each(|(key, value)| visit(key, value));
        Ok(())
    }

    fn scan_back(&self, range: KeyRange, visit: &mut Visit<'_>) -> Result<(), StoreError> {
        let contents = self.snapshot();
        let _ = contents.range(&range).rev().try_for_each(|(key, value)| visit(key, value));
        Ok(())
    }

    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.state().contents.map.get(key).cloned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance;

    fn put(key: &str) -> Batch {
        let mut batch = Batch::default();
        batch.put(key, "value");
        batch
    }

    #[test]
    fn it_conforms() {
        conformance::check_all(&MemoryStore::default());
    }

    #[test]
    fn a_restored_snapshot_has_what_was_there_then() {
        let store = MemoryStore::default();
        store.commit(&put("before")).unwrap();
        let then = store.snapshot();
        store.commit(&put("after")).unwrap();
        assert_eq!((then.len(), store.snapshot().len()), (1, 2));

        let restarted = MemoryStore::with_contents(then.clone());
        assert_eq!(restarted.get(b"before").unwrap().as_deref(), Some(&b"value"[..]));
        assert_eq!(restarted.get(b"after").unwrap(), None);
        store.restore(then);
        assert_eq!(store.snapshot(), restarted.snapshot());
    }

    #[test]
    fn as_many_commits_fail_as_were_asked_for_and_write_nothing() {
        let store = MemoryStore::default();
        store.fail_next_commits(2);
        for _ in 0..2 {
            assert!(matches!(store.commit(&put("key")), Err(StoreError::Io(_))));
        }
        assert!(store.snapshot().is_empty());
        store.commit(&put("key")).unwrap();
        assert_eq!(store.snapshot().len(), 1);
    }
}

//! Stores that hold up or count what they are asked.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};

use crate::relay::DEADLINE;
use betwixt_store::memory::MemoryStore;
use betwixt_store::{Batch, KeyRange, Store, StoreError, Visit};

/// A store whose commits wait while its gate is shut; one scan can be held too.
#[derive(Clone, Default)]
pub(crate) struct Gated {
    pub(crate) store: Arc<MemoryStore>,
    gate: Arc<Gate>,
}

#[derive(Default)]
struct Gate {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    shut: bool,
    waiting: usize,
    /// The next scan is held.
    hold_next: bool,
    held: bool,
}

impl Gated {
    pub(crate) fn shut(&self) {
        self.gate.state.lock().unwrap().shut = true;
    }

    pub(crate) fn open(&self) {
        self.gate.state.lock().unwrap().shut = false;
        self.gate.changed.notify_all();
    }

    /// The next scan waits until it is let go of; others pass.
    pub(crate) fn hold_next_scan(&self) {
        self.gate.state.lock().unwrap().hold_next = true;
    }

    /// Whether a scan is being held.
    pub(crate) fn holds_scan(&self) -> bool {
        self.gate.state.lock().unwrap().held
    }

    pub(crate) fn let_go(&self) {
        self.gate.state.lock().unwrap().held = false;
        self.gate.changed.notify_all();
    }

    /// Whether a commit waits at the gate.
    pub(crate) fn is_waited_at(&self) -> bool {
        self.gate.state.lock().unwrap().waiting > 0
    }
}

impl Store for Gated {
    fn commit(&self, batch: &Batch) -> Result<(), StoreError> {
        let mut state = self.gate.state.lock().unwrap();
        state.waiting += 1;
        while state.shut {
            state = self.gate.changed.wait(state).unwrap();
        }
        state.waiting -= 1;
        drop(state);
        self.store.commit(batch)
    }

    fn scan(&self, range: KeyRange, visit: &mut Visit<'_>) -> Result<(), StoreError> {
        let mut state = self.gate.state.lock().unwrap();
        if std::mem::take(&mut state.hold_next) {
            state.held = true;
            // Not for ever: a test that has failed meanwhile could not end.
            (state, _) = self.gate.changed.wait_timeout_while(state, DEADLINE, |state| state.held).unwrap();
        }
        drop(state);
        self.store.scan(range, visit)
    }

    fn scan_back(&self, range: KeyRange, visit: &mut Visit<'_>) -> Result<(), StoreError> {
        self.store.scan_back(range, visit)
    }

    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        self.store.get(key)
    }
}

/// A store that counts the pairs that scans come upon.
#[derive(Default)]
pub(crate) struct Watched {
    pub(crate) store: MemoryStore,
    pub(crate) visited: AtomicUsize,
}

impl Store for Watched {
    fn commit(&self, batch: &Batch) -> Result<(), StoreError> {
        self.store.commit(batch)
    }

    fn scan(&self, range: KeyRange, visit: &mut Visit<'_>) -> Result<(), StoreError> {
        self.store.scan(range, &mut self.counted(visit))
    }

    fn scan_back(&self, range: KeyRange, visit: &mut Visit<'_>) -> Result<(), StoreError> {
        self.store.scan_back(range, &mut self.counted(visit))
    }

    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        self.store.get(key)
    }
}

impl Watched {
    fn counted(&self, visit: &mut Visit<'_>) -> impl FnMut(&[u8], &[u8]) -> ControlFlow<()> {
        move |key, value| {
            self.visited.fetch_add(1, Ordering::Relaxed);
            visit(key, value)
        }
    }
}

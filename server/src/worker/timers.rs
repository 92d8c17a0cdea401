//! When lists have something to do by themselves.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::time::Instant;

use betwixt_core::name::ListName;

/// One time for each list that has one; later ones that were replaced are skipped as they come up.
#[derive(Default)]
pub(super) struct Timers {
    heap: BinaryHeap<Reverse<(Instant, ListName)>>,
    due: HashMap<ListName, Instant>,
}

impl Timers {
    /// Sets or takes away the time of a list. Harmless if it has not changed.
    pub(super) fn set(&mut self, name: &ListName, due: Option<Instant>) {
        let Some(due) = due else {
            self.due.remove(name);
            return;
        };
        if self.due.get(name) != Some(&due) {
            self.due.insert(name.clone(), due);
            self.heap.push(Reverse((due, name.clone())));
        }
    }

    /// The earliest time, perhaps of a list that has another one by now.
    pub(super) fn next_due(&self) -> Option<Instant> {
        self.heap.peek().map(|Reverse((due, _))| *due)
    }

    /// Takes a list whose time has come.
    pub(super) fn pop_due(&mut self, now: Instant) -> Option<ListName> {
        while self.next_due().is_some_and(|due| due <= now) {
            let Reverse((due, name)) = self.heap.pop()?;
            if self.due.get(&name) == Some(&due) {
                self.due.remove(&name);
                return Some(name);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_list_rings_once_at_its_last_set_time() {
        let now = Instant::now();
        let at = |ms| now + Duration::from_millis(ms);
        let (one, two): (ListName, ListName) = ("one".parse().unwrap(), "two".parse().unwrap());
        let mut timers = Timers::default();
        timers.set(&one, Some(at(30)));
        timers.set(&one, Some(at(10)));
        timers.set(&two, Some(at(20)));
        timers.set(&two, None);
        assert_eq!(timers.pop_due(at(5)), None);
        assert_eq!(timers.pop_due(at(100)), Some(one));
        assert_eq!(timers.pop_due(at(100)), None);
        assert_eq!(timers.next_due(), None);
    }
}

//! Which worker owns a list: the split table.
//!
//! A split is a contiguous range of the ordered space of (bucket, name), owned by one worker. Whatever is sent to a list
//! is routed through the table, which changes as one value.

use std::sync::{Arc, PoisonError, RwLock};

use betwixt_core::name::ListName;

use crate::bucket::{BUCKETS, bucket_of};

/// Where a split starts: at a bucket, and inside it at a name or a part of one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Start {
    bucket: u8,
    name: String,
}

/// Splits in order, each up to the start of the next one, and their owners.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SplitTable {
    /// The first one starts before everything.
    splits: Vec<(Start, usize)>,
}

impl SplitTable {
    /// One split for each of `workers`, which are numbered from 0; at least one.
    #[must_use]
    pub fn even(workers: usize) -> Self {
        let workers = workers.max(1);
        let splits = (0..workers).map(|worker| (even_start(worker, workers), worker)).collect();
        Self { splits }
    }

    /// The worker that owns a list.
    #[must_use]
    pub fn owner(&self, name: &ListName) -> usize {
        let bucket = bucket_of(name, BUCKETS);
        let behind = self.splits.partition_point(|(start, _)| (start.bucket, &*start.name) <= (bucket, name.as_str()));
        // The first split starts before everything, so that at least one starts at or before the list.
        self.splits.get(behind.saturating_sub(1)).map_or(0, |(_, worker)| *worker)
    }
}

/// The start of the n-th of `workers` even splits: inside a bucket by the names' first character.
fn even_start(worker: usize, workers: usize) -> Start {
    const FIRST: &[u8] = b"-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";
    let place = worker * usize::from(BUCKETS) * FIRST.len() / workers;
    let bucket = u8::try_from(place / FIRST.len()).unwrap_or(BUCKETS - 1);
    let name = match place % FIRST.len() {
        0 => String::new(),
        first => FIRST.get(first).map_or_else(String::new, |first| char::from(*first).to_string()),
    };
    Start { bucket, name }
}

/// The split table in use, shared by all who route.
#[derive(Debug)]
pub struct Splits {
    table: RwLock<Arc<SplitTable>>,
}

impl Splits {
    /// Shares a table.
    #[must_use]
    pub fn new(table: SplitTable) -> Self {
        Self { table: RwLock::new(Arc::new(table)) }
    }

    /// The table as it is now.
    #[must_use]
    pub fn table(&self) -> Arc<SplitTable> {
        Arc::clone(&self.table.read().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_list_has_one_owner_and_every_worker_has_lists() {
        for workers in [1, 2, 3, 8, 13, 32] {
            let table = SplitTable::even(workers);
            assert!(table.splits.is_sorted_by(|one, next| one.0 < next.0), "{workers}: splits ascend");
            let mut owned = vec![0; workers];
            for number in 0..4_000_u32 {
                let first = char::from(b"0aAkKzZ9_"[number as usize % 9]);
                owned[table.owner(&format!("{first}{number}").parse().unwrap())] += 1;
            }
            let least = if workers <= 8 { 4_000 / workers / 2 } else { 1 };
            assert!(owned.iter().all(|lists| *lists >= least), "{workers}: {owned:?}");
        }
    }
}

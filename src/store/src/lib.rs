//! One ordered key space of bytes on disk, used by relay and by client.
//!
//! A [`Store`] maps byte strings to byte strings, in memcmp order. It knows nothing of lists, ops or keys of items: its
//! users lay those out. [`RedbStore`] is the one on disk; [`memory::MemoryStore`] serves tests and simulations;
//! [`counting::Counting`] counts what passes through; [`conformance`] holds the checks that every store passes.

pub mod conformance;
pub mod counting;
pub mod memory;

mod batch;
mod disk;
mod range;

use std::error::Error;
use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;

pub use batch::{Batch, Write};
pub use disk::{Damage, Format, Migration, OpenError, RedbStore};
pub use range::KeyRange;

/// What a scan calls with each key and value; `Break` ends the scan.
pub type Visit<'a> = dyn FnMut(&[u8], &[u8]) -> ControlFlow<()> + 'a;

/// A key and its value, owned.
pub type Pair = (Vec<u8>, Vec<u8>);

/// An ordered map of bytes that survives the end of its process.
///
/// All methods may be called from several threads at once. Commits are carried out one after the other. A reader sees
/// the state after some whole number of commits, and every commit that had returned when it began.
pub trait Store: Send + Sync + 'static {
    /// Carries out the batch, in the order given, in one transaction; returns when it is on the disk.
    ///
    /// Blocks for about one fsync. An empty batch does nothing and costs nothing. Committing one batch twice leaves
    /// what committing it once leaves.
    ///
    /// # Errors
    ///
    /// After an error nothing of the batch can be read, **but it may be on the disk**: when the last fsync fails,
    /// reopening finds either all of the batch or nothing of it. After [`StoreError::Io`] the caller drops the store
    /// and opens it again; until then commits fail with [`StoreError::Reopen`], and so do reads of what is not cached.
    fn commit(&self, batch: &Batch) -> Result<(), StoreError>;

    /// Visits the pairs of the range in ascending order of their keys, until `visit` breaks.
    ///
    /// The view is that of one moment. `visit` may use the store; it does not see its own commits. A scan that lasts
    /// keeps the pages that commits replace meanwhile from being used again: the file grows.
    ///
    /// # Errors
    ///
    /// When the file cannot be read; `visit` has then seen a first part.
    fn scan(&self, range: KeyRange, visit: &mut Visit<'_>) -> Result<(), StoreError>;

    /// Visits the pairs of the range in descending order of their keys, until `visit` breaks; else as [`Store::scan`].
    ///
    /// # Errors
    ///
    /// When the file cannot be read; `visit` has then seen a first part.
    fn scan_back(&self, range: KeyRange, visit: &mut Visit<'_>) -> Result<(), StoreError>;

    /// Returns the value of the key, if it has one.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError>;

    /// Returns the first `pairs_max` pairs of the range, ascending.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    fn pairs(&self, range: KeyRange, pairs_max: usize) -> Result<Vec<Pair>, StoreError> {
        let mut pairs = Vec::new();
        if pairs_max == 0 {
            return Ok(pairs);
        }
        self.scan(range, &mut |key, value| {
            pairs.push((key.to_vec(), value.to_vec()));
            if pairs.len() < pairs_max { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
        Ok(pairs)
    }
}

/// A handle shared by several owners is as good as the store.
impl<S: Store + ?Sized> Store for Arc<S> {
    fn commit(&self, batch: &Batch) -> Result<(), StoreError> {
        (**self).commit(batch)
    }

    fn scan(&self, range: KeyRange, visit: &mut Visit<'_>) -> Result<(), StoreError> {
        (**self).scan(range, visit)
    }

    fn scan_back(&self, range: KeyRange, visit: &mut Visit<'_>) -> Result<(), StoreError> {
        (**self).scan_back(range, visit)
    }

    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        (**self).get(key)
    }
}

/// A store that is open could not do what it was asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The file could not be read or written; the kind tells a full disk from a failing one.
    #[error("reading or writing the store failed")]
    Io(#[source] io::Error),
    /// An earlier failure closed the store: what the disk holds is known only after it is opened again.
    #[error("the store has to be opened again after an earlier failure")]
    Reopen,
    /// One key or value is larger than a store takes. Nothing was written, and the store goes on.
    #[error("a key or value of {bytes} bytes is too large for the store")]
    TooLarge {
        /// The size that was refused.
        bytes: usize,
    },
    /// The pages of an open store no longer fit together.
    #[error("the pages of the open store are damaged")]
    Damaged(#[source] Box<dyn Error + Send + Sync>),
}

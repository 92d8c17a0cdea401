//! The store on disk: one redb file.
//!
//! | Table | Key | Value |
//! |---|---|---|
//! | `format` | the format's name | the format's number, u32 |
//! | `pairs` | bytes | bytes |
//!
//! `format` has one record, the first that a new file gets. redb: ordered ranges, one fsync a commit, and one file at
//! all times, which a user can copy and put back.

mod copy;
mod format;
mod open;
mod staged;

use redb::{Database, Durability, ReadableDatabase, ReadableTable, StorageBackend, TableDefinition, WriteTransaction};

pub use format::{Format, Migration};
pub use open::{Damage, OpenError};

use crate::{Batch, KeyRange, Store, StoreError, Visit, Write};

const PAIRS: TableDefinition<'static, &[u8], &[u8]> = TableDefinition::new("pairs");

/// The store that survives: a file that this process alone has open.
///
/// Dropping it closes the file and lets go of its lock. A process that is killed leaves a file that opens with every
/// commit that had returned.
///
/// The file grows as needed, also by doubling; space that deletions free is used again, but not given back.
///
/// Limit: what damages the last commit of a killed process looks as a torn write does, and the store opens without that
/// commit. Telling them apart would cost a second fsync in each commit. All other damage is found on opening. Damage
/// that comes while the store is open may show as wrong values or a panic, since redb checks no page that it reads.
#[derive(Debug)]
pub struct RedbStore {
    database: Database,
}

impl RedbStore {
    /// Opens the store at the path, or makes one if there is no file.
    ///
    /// A new file is readable and writable by its owner only, and so are folders that are made for it. It appears under
    /// its name when it is complete, and is built beside it, as `<path>.new`. So a file of length 0 was cut off by
    /// something else, and is damaged.
    ///
    /// A store of an earlier format is copied to `<path>.format-<number>`, and then brought to this format in one
    /// transaction. A copy of that name that is there already is kept.
    ///
    /// Every page is read and checked before anything is written, which also repairs what a killed process left behind:
    /// the time grows with the file.
    ///
    /// # Errors
    ///
    /// One of [`OpenError`]; the file is then, byte for byte, what it was, unless writing to it was what failed.
    pub fn open(path: impl AsRef<std::path::Path>, format: &Format) -> Result<Self, OpenError> {
        open::open(path.as_ref(), format)
    }

    /// Opens the store in the backend, or makes one if the backend is empty; migrates without a copy. For tests of crashes.
    ///
    /// # Errors
    ///
    /// As [`RedbStore::open`], with a path that says `<backend>`. A backend that a crash left behind before this
    /// returned for the first time may be refused.
    pub fn with_backend(backend: impl StorageBackend, format: &Format) -> Result<Self, OpenError> {
        open::with_backend(backend, format)
    }

    /// Carries out the batch, and whatever else is done to the transaction, as one.
    fn write(
        &self,
        batch: &Batch,
        also: impl FnOnce(&WriteTransaction) -> Result<(), redb::Error>,
    ) -> Result<(), StoreError> {
        let mut transaction = self.database.begin_write().map_err(fault)?;
        transaction.set_durability(Durability::Immediate).map_err(fault)?;
        let mut table = transaction.open_table(PAIRS).map_err(fault)?;
        for write in batch.writes() {
            match write {
                Write::Put { key, value } => {
                    table.insert(key.as_slice(), value.as_slice()).map_err(fault)?;
                }
                Write::Delete { key } => {
                    table.remove(key.as_slice()).map_err(fault)?;
                }
                Write::DeleteRange { range } if range.is_empty() => {}
                Write::DeleteRange { range } => {
                    table.retain_in::<&[u8], _>(range.bounds(), |_, _| false).map_err(fault)?;
                }
            }
        }
        drop(table);
        also(&transaction).map_err(fault)?;
        transaction.commit().map_err(fault)
    }

    fn visit(&self, range: &KeyRange, direction: Direction, visit: &mut Visit<'_>) -> Result<(), StoreError> {
        if range.is_empty() {
            return Ok(());
        }
        let transaction = self.database.begin_read().map_err(fault)?;
        let table = transaction.open_table(PAIRS).map_err(fault)?;
        let mut pairs = ReadableTable::range::<&[u8]>(&table, range.bounds()).map_err(fault)?;
        loop {
            let next = match direction {
                Direction::Ascending => pairs.next(),
                Direction::Descending => pairs.next_back(),
            };
            let Some(pair) = next else { return Ok(()) };
            let (key, value) = pair.map_err(fault)?;
            if visit(key.value(), value.value()).is_break() {
                return Ok(());
            }
        }
    }
}

#[derive(Clone, Copy)]
enum Direction {
    Ascending,
    Descending,
}

impl Store for RedbStore {
    fn commit(&self, batch: &Batch) -> Result<(), StoreError> {
        if batch.is_empty() { Ok(()) } else { self.write(batch, |_| Ok(())) }
    }

    fn scan(&self, range: KeyRange, visit: &mut Visit<'_>) -> Result<(), StoreError> {
        self.visit(&range, Direction::Ascending, visit)
    }

    fn scan_back(&self, range: KeyRange, visit: &mut Visit<'_>) -> Result<(), StoreError> {
        self.visit(&range, Direction::Descending, visit)
    }

    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        let transaction = self.database.begin_read().map_err(fault)?;
        let table = transaction.open_table(PAIRS).map_err(fault)?;
        let value = ReadableTable::get(&table, key).map_err(fault)?;
        Ok(value.map(|value| value.value().to_vec()))
    }
}

fn fault(error: impl Into<redb::Error>) -> StoreError {
    match error.into() {
        redb::Error::Io(source) => StoreError::Io(source),
        redb::Error::ValueTooLarge(bytes) => StoreError::TooLarge { bytes },
        redb::Error::PreviousIo | redb::Error::DatabaseClosed | redb::Error::LockPoisoned(_) => StoreError::Reopen,
        other => StoreError::Damaged(Box::new(other)),
    }
}

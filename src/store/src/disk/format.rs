//! The format of a store: whose it is, which layout it has, and how one of an earlier layout becomes one of this.

use std::path::Path;

use redb::{Database, ReadableDatabase, ReadableTable, TableDefinition};

use super::open::{OpenError, fault};
use super::{PAIRS, RedbStore};
use crate::{Batch, Store, StoreError};

const FORMAT: TableDefinition<'static, &[u8], u32> = TableDefinition::new("format");

/// What has to be written to a store of one format to make it one of the next. It reads the store as it is.
pub type Migration = fn(&dyn Store) -> Result<Batch, StoreError>;

/// What the keys and values of a store mean: who wrote them, and in which layout.
#[derive(Debug, Clone, Copy)]
pub struct Format {
    /// Tells the stores of one program from those of another, as `b"betwixt-client"`.
    pub name: &'static [u8],
    /// The layout that the program reads and writes, from 1; a later layout has a higher number.
    pub number: u32,
    /// How older stores are brought to it: the first one makes format 2 of format 1, the next one 3 of 2.
    pub migrations: &'static [Migration],
}

impl Format {
    /// The migration from a format to the next one.
    fn migration_from(&self, number: u32) -> Option<&Migration> {
        self.migrations.get(usize::try_from(number.checked_sub(1)?).ok()?)
    }
}

/// Checks that the store is of this program, and of this format or one that it can be brought from; returns which.
pub(super) fn check(database: &Database, path: &Path, format: &Format) -> Result<u32, OpenError> {
    let number = stored_number(database, format.name).map_err(|error| match error {
        redb::Error::TableDoesNotExist(_) | redb::Error::TableTypeMismatch { .. } | redb::Error::TableIsMultimap(_) => {
            OpenError::Foreign { path: path.to_owned(), known: format.name }
        }
        other => fault(other, path),
    })?;
    let (path, known) = (path.to_owned(), format.number);
    match number {
        None => Err(OpenError::Foreign { path, known: format.name }),
        Some(found) if found > known => Err(OpenError::Newer { path, found, known }),
        Some(found) if (found..known).any(|number| format.migration_from(number).is_none()) => {
            Err(OpenError::Older { path, found, known })
        }
        Some(found) => Ok(found),
    }
}

/// Makes a store of format `found` one of this format. Each step is one transaction with its number in it: whatever
/// interrupts it, the store is whole in one format or in the next, and the next start goes on from there.
pub(super) fn migrate(store: RedbStore, path: &Path, format: &Format, found: u32) -> Result<RedbStore, OpenError> {
    for number in found..format.number {
        let Some(migration) = format.migration_from(number) else { break };
        let migrated = migration(&store).and_then(|batch| {
            store.write(&batch, |transaction| {
                transaction.open_table(FORMAT).map_err(redb::Error::from)?.insert(format.name, number + 1)?;
                Ok(())
            })
        });
        migrated.map_err(|source| OpenError::Migrate { path: path.to_owned(), found, known: format.number, source })?;
    }
    Ok(store)
}

/// Writes the format of a new store.
pub(super) fn write(database: &Database, format: &Format) -> Result<(), redb::Error> {
    let transaction = database.begin_write()?;
    transaction.open_table(FORMAT)?.insert(format.name, format.number)?;
    transaction.open_table(PAIRS)?;
    transaction.commit()?;
    Ok(())
}

fn stored_number(database: &Database, name: &[u8]) -> Result<Option<u32>, redb::Error> {
    let transaction = database.begin_read()?;
    let table = transaction.open_table(FORMAT)?;
    let number = ReadableTable::get(&table, name)?;
    transaction.open_table(PAIRS)?;
    Ok(number.map(|number| number.value()))
}

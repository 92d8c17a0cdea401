//! The logs of lists in one ordered store.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};

use betwixt_core::hlc::Millis;
use betwixt_core::id::{Hash, ListUid};
use betwixt_core::log::Entry;
use betwixt_core::name::ListName;
use betwixt_core::op::body::Kinds;
use betwixt_core::wire::Listing;
use betwixt_store::{Batch, Format, OpenError, RedbStore, Store, StoreError};
use bytes::Bytes;
use serde::Serialize;

use super::directory::lists;
use super::keys::{BUCKETS_KEY, Keys, Place, deleted};
use super::load::{Fault, decode, load};
use super::migrate::add_titles;
use super::trim::Cut;
use super::{
    Append, Behind, Change, Damage, Delete, Engine, LoadError, Loaded, LogLimits, LogSize, Meta, Page, Record,
};
use crate::bucket::{BUCKETS, bucket_of};
use crate::snapshot::Snapshot;

/// The format of a relay's store. In format 1 a list's record had no title.
pub const FORMAT: Format = Format { name: b"betwixt-relay", number: 2, migrations: &[add_titles] };

/// Bytes of a snapshot that are written in one commit, or of a log that are taken out in one: others' ops wait no longer than for that.
const SAVE_BYTES_MAX: usize = 512 * 1024;

/// Opens a store: at the start, and again after a failure.
type Open = dyn Fn() -> Result<Arc<dyn Store>, OpenError> + Send + Sync;

/// The logs of lists in one ordered store.
pub struct Stored {
    open: Box<Open>,
    /// `None` while it cannot be opened. Held for reading by all who use the store, so that it is dropped, and its
    /// file let go of, before it is opened again.
    store: RwLock<Option<Arc<dyn Store>>>,
    /// Held by whoever writes: what is written of one list must not come behind the deletion of that list, to another
    /// one of its name.
    writing: Mutex<()>,
    buckets: u8,
}

/// Whether what was to be written of a list was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Written {
    Done,
    /// Another list has the name, or none.
    Gone,
}

/// Why the logs could not be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoredError {
    /// The store could not be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// It opened, but could not be read or written.
    #[error("the store cannot be used")]
    Store(#[from] StoreError),
}

impl Stored {
    /// Opens the store; `open` is called again after a failure, when what it returned is dropped.
    ///
    /// # Errors
    ///
    /// It cannot be opened, read or written.
    pub fn open_with(
        open: impl Fn() -> Result<Arc<dyn Store>, OpenError> + Send + Sync + 'static,
    ) -> Result<Self, StoredError> {
        let store = open()?;
        let buckets = if let Some(&[buckets]) = store.get(BUCKETS_KEY)?.as_deref() {
            buckets
        } else {
            let mut batch = Batch::default();
            batch.put(BUCKETS_KEY, [BUCKETS]);
            store.commit(&batch)?;
            BUCKETS
        };
        Ok(Self { open: Box::new(open), store: RwLock::new(Some(store)), writing: Mutex::new(()), buckets })
    }

    /// Opens the store in this file, or makes it.
    ///
    /// # Errors
    ///
    /// As [`Stored::open_with`].
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, StoredError> {
        let path = path.into();
        Self::open_with(move || Ok(Arc::new(RedbStore::open(&path, &FORMAT)?)))
    }

    fn keys(&self, name: &ListName) -> Keys {
        Keys::of(bucket_of(name, self.buckets), name)
    }

    fn slot(&self) -> RwLockReadGuard<'_, Option<Arc<dyn Store>>> {
        self.store.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn writing(&self) -> MutexGuard<'_, ()> {
        self.writing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Commits what belongs to a list, if that list still has the name.
    fn commit_to(&self, keys: &Keys, uid: ListUid, batch: &Batch) -> Result<Written, StoreError> {
        let _writing = self.writing();
        self.with(|store| match identity(store, keys) {
            Ok(Some(found)) if found == uid => store.commit(batch).map(|()| Written::Done),
            Err(Fault::Store(source)) => Err(source),
            Ok(_) | Err(Fault::Damaged(..)) => Ok(Written::Gone),
        })
    }

    /// Calls `use_it` with the store, which stays open until it returns.
    fn with<T, E: From<StoreError>>(&self, use_it: impl FnOnce(&dyn Store) -> Result<T, E>) -> Result<T, E> {
        match &*self.slot() {
            Some(store) => use_it(&**store),
            None => Err(StoreError::Reopen.into()),
        }
    }
}

impl Engine for Stored {
    fn load(&self, name: &ListName, kinds: Kinds) -> Result<Option<Loaded>, LoadError> {
        self.with(|store| load(store, &self.keys(name), kinds)).map_err(|fault| named(name, fault))
    }

    fn read(&self, name: &ListName, after: u64, bytes_max: usize) -> Result<Behind, LoadError> {
        self.with(|store| read(store, &self.keys(name), after, bytes_max)).map_err(|fault| named(name, fault))
    }

    fn chain_at(&self, name: &ListName, seq: u64) -> Result<Option<Hash>, LoadError> {
        let value = self.with(|store| Ok(store.get(&self.keys(name).entry(seq))?));
        let entry = value.and_then(|value| {
            let entry = value.map(|value| Entry::from_bytes(&value)).transpose();
            entry.map_err(|fault| Fault::Damaged(seq, Damage::Entry(fault)))
        });
        Ok(entry.map_err(|fault| named(name, fault))?.map(|entry| entry.chain))
    }

    fn lists(&self, asked: &Listing) -> Result<Page, StoreError> {
        self.with(|store| lists(store, self.buckets, asked))
    }

    fn identity(&self, name: &ListName) -> Result<Option<ListUid>, LoadError> {
        self.with(|store| identity(store, &self.keys(name))).map_err(|fault| named(name, fault))
    }

    fn is_deleted(&self, uid: ListUid) -> Result<bool, StoreError> {
        self.with(|store| Ok(store.get(&deleted(uid))?.is_some()))
    }

    fn commit(&self, changes: &[Change]) -> Result<(), StoreError> {
        let mut batch = Batch::default();
        for change in changes {
            let keys = self.keys(change.name());
            match change {
                Change::Append(Append { meta, records, .. }) => {
                    if let Some(meta) = meta {
                        batch.put(keys.meta(), encode(meta));
                    }
                    for Record { seq, bytes } in records {
                        batch.put(keys.entry(*seq), &**bytes);
                    }
                }
                Change::Delete(Delete { name, uid, at }) => {
                    batch.delete_all(keys.all()).put(deleted(*uid), encode(&(name, at)));
                }
            }
        }
        let _writing = self.writing();
        self.with(|store| store.commit(&batch))
    }

    fn save(&self, name: &ListName, snapshot: &Snapshot) -> Result<(), StoreError> {
        let keys = self.keys(name);
        let seq = snapshot.mark().seq;
        let mut batch = Batch::default();
        for (part, number) in snapshot.parts().zip(1..) {
            batch.put(keys.part(seq, number), &*part);
            if batch.bytes() >= SAVE_BYTES_MAX
                && self.commit_to(&keys, snapshot.uid(), &std::mem::take(&mut batch))? == Written::Gone
            {
                return Ok(());
            }
        }
        batch.put(keys.part(seq, 0), &*snapshot.begin()).delete_all(keys.snapshots_below(seq));
        self.commit_to(&keys, snapshot.uid(), &batch)?;
        Ok(())
    }

    fn trim(
        &self,
        name: &ListName,
        uid: ListUid,
        upto: u64,
        limits: &LogLimits,
        now: Millis,
    ) -> Result<Option<LogSize>, StoreError> {
        let keys = self.keys(name);
        let cut = self.with(|store| Cut::find(store, &keys, upto, limits, now))?;
        let mut bytes = 0;
        while let Some(part) = self.with(|store| cut.next_part(store, &keys, SAVE_BYTES_MAX))? {
            let mut batch = Batch::default();
            batch.delete_all(keys.log_upto(part.last));
            if self.commit_to(&keys, uid, &batch)? == Written::Gone {
                return Ok(None);
            }
            bytes += part.bytes;
        }
        self.with(|store| match identity(store, &keys) {
            Ok(Some(found)) if found == uid => cut.left(store, &keys, bytes).map(Some),
            Err(Fault::Store(source)) => Err(source),
            Ok(_) | Err(Fault::Damaged(..)) => Ok(None),
        })
    }

    fn reopen(&self) -> Result<(), OpenError> {
        let mut slot = self.store.write().unwrap_or_else(PoisonError::into_inner);
        *slot = None;
        *slot = Some((self.open)()?);
        Ok(())
    }

    fn close(&self) {
        *self.store.write().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

impl std::fmt::Debug for Stored {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Stored").field("buckets", &self.buckets).finish_non_exhaustive()
    }
}

/// The identity in a list's record, if it has one.
fn identity(store: &dyn Store, keys: &Keys) -> Result<Option<ListUid>, Fault> {
    let Some(record) = store.get(&keys.meta())? else { return Ok(None) };
    let meta: Meta = decode(0, &record)?;
    Ok(Some(meta.uid))
}

fn encode<T: Serialize>(value: &T) -> Vec<u8> {
    postcard::to_stdvec(value).expect("a few fields encode into a growing buffer")
}

/// Reads the log behind an entry.
fn read(store: &dyn Store, keys: &Keys, after: u64, bytes_max: usize) -> Result<Behind, Fault> {
    let mut records: Vec<Record> = Vec::new();
    let mut bytes = 0;
    let mut found = Ok(());
    let mut visit = |key: &[u8], value: &[u8]| {
        let expected = after + 1 + records.len() as u64;
        found = check_record(keys.place(key), value, expected);
        if found.is_err() {
            return ControlFlow::Break(());
        }
        bytes += value.len();
        records.push(Record { seq: expected, bytes: Bytes::copy_from_slice(value) });
        if bytes < bytes_max { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    store.scan(keys.log_behind(after), &mut visit)?;
    if matches!(found, Err(Fault::Damaged(_, Damage::Place)))
        && records.is_empty()
        && begins_behind(store, keys, after)?
    {
        return Ok(Behind::Trimmed);
    }
    found.map(|()| Behind::Entries(records))
}

/// Whether the first entry of the log is not the next one behind `after`, but a later one. What is trimmed is always a
/// beginning; an entry that is missing elsewhere is damage.
fn begins_behind(store: &dyn Store, keys: &Keys, after: u64) -> Result<bool, StoreError> {
    let first = store.pairs(keys.log_behind(0), 1)?.pop();
    Ok(first.and_then(|(key, _)| keys.seq_of(&key)).is_some_and(|first| first > after + 1))
}

/// Checks that a record is the entry that comes next: a link is never sent what it cannot read.
fn check_record(place: Option<Place>, value: &[u8], expected: u64) -> Result<(), Fault> {
    if place != Some(Place::Entry { seq: expected }) {
        return Err(Fault::Damaged(expected, Damage::Place));
    }
    let entry = Entry::from_bytes(value).map_err(|fault| Fault::Damaged(expected, Damage::Entry(fault)))?;
    if entry.seq == expected { Ok(()) } else { Err(Fault::Damaged(expected, Damage::Place)) }
}

fn named(name: &ListName, fault: Fault) -> LoadError {
    let list = name.clone();
    match fault {
        Fault::Damaged(seq, reason) => LoadError::Damaged { list, seq, reason },
        Fault::Store(source) => LoadError::Store { list, source },
    }
}

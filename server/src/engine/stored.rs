//! The logs of lists in one ordered store.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::{Arc, RwLock, RwLockReadGuard};

use betwixt_core::id::Hash;
use betwixt_core::log::Entry;
use betwixt_core::name::ListName;
use betwixt_core::op::body::Kinds;
use betwixt_core::wire::Listing;
use betwixt_store::{Batch, Format, OpenError, RedbStore, Store, StoreError};
use bytes::Bytes;

use super::directory::lists;
use super::keys::{BUCKETS_KEY, Keys, Place};
use super::load::{Fault, load};
use super::{Append, Damage, Engine, LoadError, Loaded, Page, Record};
use crate::bucket::{BUCKETS, bucket_of};
use crate::snapshot::Snapshot;

/// The format of a relay's store.
pub const FORMAT: Format = Format { name: b"betwixt-relay", number: 2 };

/// Bytes of a snapshot that are written in one commit: others' ops wait no longer than for that.
const SAVE_BYTES_MAX: usize = 512 * 1024;

/// Opens a store: at the start, and again after a failure.
type Open = dyn Fn() -> Result<Arc<dyn Store>, OpenError> + Send + Sync;

/// The logs of lists in one ordered store.
pub struct Stored {
    open: Box<Open>,
    /// `None` while it cannot be opened. Held for reading by all who use the store, so that it is dropped, and its
    /// file let go of, before it is opened again.
    store: RwLock<Option<Arc<dyn Store>>>,
    buckets: u8,
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
        Ok(Self { open: Box::new(open), store: RwLock::new(Some(store)), buckets })
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
        self.store.read().unwrap_or_else(std::sync::PoisonError::into_inner)
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

    fn read(&self, name: &ListName, after: u64, bytes_max: usize) -> Result<Vec<Record>, LoadError> {
        let keys = self.keys(name);
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
        self.with(|store| Ok::<_, Fault>(store.scan(keys.log_behind(after), &mut visit)?))
            .and(found)
            .map_err(|fault| named(name, fault))?;
        Ok(records)
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

    fn append(&self, appends: &[Append]) -> Result<(), StoreError> {
        let mut batch = Batch::default();
        for Append { name, meta, records } in appends {
            let keys = self.keys(name);
            if let Some(meta) = meta {
                let meta = postcard::to_stdvec(meta).expect("a few fields encode into a growing buffer");
                batch.put(keys.meta(), meta);
            }
            for Record { seq, bytes } in records {
                batch.put(keys.entry(*seq), &**bytes);
            }
        }
        self.with(|store| store.commit(&batch))
    }

    fn save(&self, name: &ListName, snapshot: &Snapshot) -> Result<(), StoreError> {
        let keys = self.keys(name);
        let seq = snapshot.mark().seq;
        self.with(|store| {
            let mut batch = Batch::default();
            for (part, number) in snapshot.parts().zip(1..) {
                batch.put(keys.part(seq, number), &*part);
                if batch.bytes() >= SAVE_BYTES_MAX {
                    store.commit(&std::mem::take(&mut batch))?;
                }
            }
            batch.put(keys.part(seq, 0), &*snapshot.begin()).delete_all(keys.snapshots_below(seq));
            store.commit(&batch)
        })
    }

    fn reopen(&self) -> Result<(), OpenError> {
        let mut slot = self.store.write().unwrap_or_else(std::sync::PoisonError::into_inner);
        *slot = None;
        *slot = Some((self.open)()?);
        Ok(())
    }

    fn close(&self) {
        *self.store.write().unwrap_or_else(std::sync::PoisonError::into_inner) = None;
    }
}

impl std::fmt::Debug for Stored {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Stored").field("buckets", &self.buckets).finish_non_exhaustive()
    }
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

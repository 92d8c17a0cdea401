//! Loading a list from what is stored of it.

use std::ops::ControlFlow;

use betwixt_core::list::List;
use betwixt_core::log::Entry;
use betwixt_core::op::body::Kinds;
use betwixt_core::snapshot::Assembly;
use betwixt_store::{Store, StoreError};
use serde::Deserialize;

use super::keys::{Keys, Place};
use super::{Damage, Loaded, Meta};

/// Why a list could not be loaded; the caller adds its name.
pub(super) enum Fault {
    Damaged(u64, Damage),
    Store(StoreError),
}

impl From<StoreError> for Fault {
    fn from(source: StoreError) -> Self {
        Self::Store(source)
    }
}

/// What stands before a list's log.
#[derive(Default)]
struct Head {
    meta: Option<Meta>,
    /// The newest snapshot that is complete; its parts follow its `Begin` in the order of keys.
    snapshot: Option<(u64, Assembly)>,
    snapshot_bytes: usize,
}

impl Head {
    fn take(&mut self, place: Option<Place>, value: &[u8], read: ReadMeta) -> Result<(), Fault> {
        match place {
            Some(Place::Meta) => {
                self.meta = Some(read(value)?);
            }
            Some(Place::Part { seq, part: 0 }) => {
                self.snapshot = Some((seq, Assembly::new(decode(seq, value)?)));
                self.snapshot_bytes = value.len();
            }
            Some(Place::Part { seq, .. }) => {
                // Parts without their `Begin` are of a snapshot that was never finished.
                if let Some((_, assembly)) = self.snapshot.as_mut().filter(|(begun, _)| *begun == seq) {
                    assembly.add(decode(seq, value)?).map_err(|fault| Fault::Damaged(seq, Damage::Snapshot(fault)))?;
                    self.snapshot_bytes += value.len();
                }
            }
            Some(Place::Entry { .. }) | None => {}
        }
        Ok(())
    }
}

/// Reads a list's record.
pub(super) type ReadMeta = fn(&[u8]) -> Result<Meta, Fault>;

/// Loads a list: what stands before its log in one scan, then the log behind the snapshot in another.
pub(super) fn load(store: &dyn Store, keys: &Keys, kinds: Kinds) -> Result<Option<Loaded>, Fault> {
    load_with(store, keys, kinds, |record| decode(0, record))
}

/// The same, of a list whose record may be of an earlier format.
pub(super) fn load_with(store: &dyn Store, keys: &Keys, kinds: Kinds, read: ReadMeta) -> Result<Option<Loaded>, Fault> {
    let mut head = Head::default();
    let mut found = Ok(());
    store.scan(keys.before_log(), &mut |key, value| {
        found = head.take(keys.place(key), value, read);
        if found.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    found?;
    let Some(meta) = head.meta else {
        // The identity is written with the first entry, in one commit.
        return if store.pairs(keys.log_behind(0), 1)?.is_empty() {
            Ok(None)
        } else {
            Err(Fault::Damaged(0, Damage::Meta))
        };
    };
    let (snapshot_seq, mut list) = match head.snapshot {
        Some((seq, assembly)) => {
            let list = assembly.finish().map_err(|fault| Fault::Damaged(seq, Damage::Snapshot(fault)))?;
            if list.uid() != meta.uid || list.mark().seq != seq {
                return Err(Fault::Damaged(seq, Damage::Meta));
            }
            (seq, list)
        }
        None => (0, List::new(meta.uid)),
    };
    let mut log_bytes = 0;
    let mut found = Ok(());
    store.scan(keys.log_behind(snapshot_seq), &mut |_, value| {
        log_bytes += value.len();
        found = replay(&mut list, value, kinds);
        if found.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    found?;
    let first = store.pairs(keys.log_behind(0), 1)?.pop().and_then(|(key, _)| keys.seq_of(&key));
    let first_seq = first.unwrap_or(snapshot_seq + 1);
    Ok(Some(Loaded { list, meta, first_seq, snapshot_seq, snapshot_bytes: head.snapshot_bytes, log_bytes }))
}

pub(super) fn decode<'a, T: Deserialize<'a>>(seq: u64, value: &'a [u8]) -> Result<T, Fault> {
    postcard::from_bytes(value).map_err(|source| Fault::Damaged(seq, Damage::Record(source)))
}

fn replay(list: &mut List, value: &[u8], kinds: Kinds) -> Result<(), Fault> {
    let next = list.mark().seq + 1;
    let entry = Entry::from_bytes(value).map_err(|fault| Fault::Damaged(next, Damage::Entry(fault)))?;
    list.apply(&entry, kinds).map_err(|fault| Fault::Damaged(next, Damage::Apply(fault)))?;
    Ok(())
}

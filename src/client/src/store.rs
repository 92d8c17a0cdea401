//! A slot's replicas on the disk: what is under which key.
//!
//! | key: list uid (16), letter, then | value | |
//! |---|---|---|
//! | `M` | [`Meta`] | how the list is called where, and the site's secret |
//! | `B` | `snapshot::Begin` | the list at one watermark |
//! | `S`, part as 4 bytes | `snapshot::Part` | |
//! | `L`, seq as 8 bytes | `log::Entry` | what was sequenced since |
//! | `P`, counter as 8 bytes | `Pending` | own ops that are not sequenced |
//! | `J`, site (16), counter as 8 bytes | time as 8 bytes, `Op` | own ops that were, for 30 days at least |
//! | `I`, key | (nothing) | keys issued in this epoch |
//! | `K`, number as 8 bytes | `Kept` | the drawer |
//! | `U` | list of `Step` | what this site did last, for undo |
//! | `T`, number as 8 bytes | `Transfer` | items on their way to another list |
//!
//! Numbers are big-endian, values in the encoding of `postcard`. One edit is one transaction.

use std::collections::{BTreeMap, HashSet};
use std::ops::ControlFlow;

use betwixt_core::hlc::Millis;
use betwixt_core::id::{ItemId, ListUid, SiteSecret};
use betwixt_core::key::Key;
use betwixt_core::limits::{JOURNAL_KEPT, SENT_BYTES_MAX};
use betwixt_core::list::{ApplyError, List};
use betwixt_core::log::Entry;
use betwixt_core::name::ListName;
use betwixt_core::op::Op;
use betwixt_core::op::body::Kinds;
use betwixt_core::snapshot::{self, Assembly, Begin, Part, SnapshotError};
use betwixt_store::{Batch, Format, KeyRange, Store, StoreError};
use serde::{Deserialize, Serialize};

use crate::replica::{Kept, Stored, Write};
use crate::transfer::Transfer;

/// The format of a slot's store. A store of format 1 has nothing that one of format 2 has not; the number keeps programs
/// away that would pass over what is put into one of format 2.
pub const FORMAT: Format = Format { name: b"betwixt-client", number: 2, migrations: &[|_| Ok(Batch::default())] };

/// Entries since the stored list at which it is stored anew: 1,000, and more for a long list.
const ENTRIES_MAX: u64 = 1_000;

/// What a replica is called, and who it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Meta {
    /// The relay, as [`crate::Address::record`] says.
    pub relay: String,
    /// What the list is called there.
    pub name: ListName,
    /// The site's secret.
    pub secret: SiteSecret,
}

/// Why a stored replica cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The store does not answer.
    #[error("reading the replica of a list")]
    Store(#[from] StoreError),
    /// A record does not decode.
    #[error("damaged record {record:?} in the replica of list {uid}")]
    Record {
        /// The list.
        uid: ListUid,
        /// The letter of the record.
        record: char,
    },
    /// The parts of the list do not make up the whole.
    #[error("damaged replica of a list")]
    Snapshot(#[from] SnapshotError),
    /// The entries do not continue the list.
    #[error("damaged log in the replica of a list")]
    Log(#[from] ApplyError),
}

/// The lists that a slot has replicas of.
///
/// # Errors
///
/// The store does not answer, or a record does not decode.
pub fn lists(store: &impl Store) -> Result<Vec<(ListUid, Meta)>, LoadError> {
    let mut lists = Vec::new();
    let mut next = KeyRange::all();
    // A list has many records and one `M`: each step asks for the first record behind the last list.
    while let Some((key, _)) = store.pairs(next.clone(), 1)?.pop() {
        let Some(uid) = key.first_chunk::<16>().map(|uid| ListUid::from_bytes(*uid)) else { break };
        if let Some(meta) = meta(store, uid)? {
            lists.push((uid, meta));
        }
        let behind = KeyRange::prefix(uid.as_bytes()).end;
        let Some(start) = behind else { break };
        next = KeyRange { start, end: None };
    }
    Ok(lists)
}

/// How a list is called, and who this site is on it.
///
/// # Errors
///
/// The store does not answer, or the record does not decode.
pub fn meta(store: &impl Store, uid: ListUid) -> Result<Option<Meta>, LoadError> {
    store.get(&key(uid, b'M', &[]))?.map(|bytes| decode(uid, b'M', &bytes)).transpose()
}

/// The batch that stores how a list is called.
#[must_use]
pub fn put_meta(uid: ListUid, meta: &Meta) -> Batch {
    let mut batch = Batch::default();
    batch.put(key(uid, b'M', &[]), encode(meta));
    batch
}

/// How many edits of a list are not sequenced; joining is none.
///
/// # Errors
///
/// The store does not answer.
pub fn pending_len(store: &impl Store, uid: ListUid) -> Result<usize, StoreError> {
    let mut len = 0;
    let join = key(uid, b'P', &1_u64.to_be_bytes());
    store.scan(range(uid, b'P'), &mut |key, _| {
        len += usize::from(key != join);
        ControlFlow::Continue(())
    })?;
    Ok(len)
}

/// Whether a list has edits that are not sequenced, or items on their way to another one.
///
/// # Errors
///
/// The store does not answer.
pub fn has_unsent(store: &impl Store, uid: ListUid) -> Result<bool, StoreError> {
    Ok(!store.pairs(range(uid, b'T'), 1)?.is_empty() || pending_len(store, uid)? > 0)
}

/// Whether a list has something of this person's that nobody else has: unsent, or in the drawer.
///
/// # Errors
///
/// The store does not answer.
pub fn has_own(store: &impl Store, uid: ListUid) -> Result<bool, StoreError> {
    Ok(!store.pairs(range(uid, b'K'), 1)?.is_empty() || has_unsent(store, uid)?)
}

/// Which list of this name a slot opens, where the folder says that `named` is the one: another one that has something of
/// this person's comes first, since whoever decided elsewhere did not decide about that. It is a list that had the name
/// when the relay had another one, or before it was deleted there.
///
/// Edits come before what lies in a drawer, which only a list that was never opened here waits for. Where several have
/// some, they come up one after the other, each time that the name is opened.
///
/// # Errors
///
/// The store does not answer, or a record does not decode.
pub fn to_open(store: &impl Store, relay: &str, name: &ListName, named: ListUid) -> Result<ListUid, LoadError> {
    let mut of_name = lists(store)?;
    of_name.retain(|(_, meta)| meta.relay == relay && meta.name == *name);
    if has_unsent(store, named)? {
        return Ok(named);
    }
    let is_known = of_name.iter().any(|(uid, _)| *uid == named);
    let mut waiting = None;
    for (uid, _) in of_name {
        if has_unsent(store, uid)? {
            return Ok(uid);
        }
        if !is_known && waiting.is_none() && has_own(store, uid)? {
            waiting = Some(uid);
        }
    }
    Ok(waiting.unwrap_or(named))
}

/// The items of a list that are on their way to other lists.
///
/// # Errors
///
/// The store does not answer, or a record is damaged.
pub fn transfers(store: &impl Store, uid: ListUid) -> Result<BTreeMap<u64, Transfer>, LoadError> {
    numbered(store, uid, b'T')
}

/// The items that come to a list from others of the slot, and of which those have not heard that they are there.
///
/// # Errors
///
/// The store does not answer, or a record is damaged.
pub fn coming(store: &impl Store, to: ListUid) -> Result<HashSet<ItemId>, LoadError> {
    let mut items = HashSet::new();
    for (uid, _) in lists(store)? {
        let written = transfers(store, uid)?.into_values();
        let written = written.filter(|transfer| transfer.written.is_some_and(|written| written.list == to));
        items.extend(written.flat_map(|transfer| transfer.items));
    }
    Ok(items)
}

/// A stored replica, and how many entries stand behind its stored list.
///
/// # Errors
///
/// The store does not answer, or a record is damaged.
pub fn load(store: &impl Store, uid: ListUid, meta: &Meta, kinds: Kinds) -> Result<(Stored, u64), LoadError> {
    let mut confirmed = load_list(store, uid)?;
    let mut entries = 0;
    let mut fault = None;
    store.scan(range(uid, b'L'), &mut |_, bytes| {
        let entry = Entry::from_bytes(bytes).map_err(|_malformed| LoadError::Record { uid, record: 'L' });
        let applied = entry.and_then(|entry| Ok(confirmed.apply(&entry, kinds)?));
        entries += 1;
        match applied {
            Ok(_effect) => ControlFlow::Continue(()),
            // A newer program has read on from here; this one reads it again from the relay, and says why it stops.
            Err(LoadError::Log(ApplyError::Unread { .. })) => ControlFlow::Break(()),
            Err(error) => {
                fault = Some(error);
                ControlFlow::Break(())
            }
        }
    })?;
    if let Some(fault) = fault {
        return Err(fault);
    }
    let stored = Stored {
        secret: meta.secret,
        confirmed,
        pending: numbered(store, uid, b'P')?,
        issued: issued(store, uid)?,
        kept: numbered::<Kept>(store, uid, b'K')?,
        steps: store.get(&key(uid, b'U', &[]))?.map_or(Ok(Vec::new()), |bytes| decode(uid, b'U', &bytes))?,
    };
    Ok((stored, entries))
}

/// Own sequenced ops: of this site, and of those that it was before.
///
/// # Errors
///
/// The store does not answer, or a record is damaged.
pub fn journal(store: &impl Store, uid: ListUid) -> Result<Vec<Op>, LoadError> {
    let mut ops = Vec::new();
    let mut fault = None;
    store.scan(range(uid, b'J'), &mut |_, bytes| match decode_journal(uid, bytes) {
        Ok((_, op)) => {
            ops.push(op);
            ControlFlow::Continue(())
        }
        Err(error) => {
            fault = Some(error);
            ControlFlow::Break(())
        }
    })?;
    fault.map_or(Ok(ops), Err)
}

/// The transaction that makes these writes stand. A new site's secret goes into `meta` as well.
#[must_use]
pub fn batch(uid: ListUid, meta: &mut Meta, writes: &[Write], now: Millis) -> Batch {
    let mut batch = Batch::default();
    for write in writes {
        match write {
            Write::List(list) => put_list(&mut batch, uid, list),
            Write::Entry(entry) => {
                batch.put(key(uid, b'L', &entry.seq.to_be_bytes()), entry.to_bytes());
            }
            Write::Pending(pending) => {
                batch.put(key(uid, b'P', &pending.op.ctr.to_be_bytes()), encode(pending));
            }
            Write::Settled(ctr) => {
                batch.delete(key(uid, b'P', &ctr.to_be_bytes()));
            }
            Write::Journal(op) => {
                let mut place = op.site.as_bytes().to_vec();
                place.extend(op.ctr.to_be_bytes());
                let mut value = now.0.to_be_bytes().to_vec();
                value.extend(op.to_bytes());
                batch.put(key(uid, b'J', &place), value);
            }
            Write::Issued(issued) => {
                batch.put(key(uid, b'I', issued.as_bytes()), Vec::new());
            }
            Write::IssuedNone => {
                batch.delete_all(range(uid, b'I'));
            }
            Write::Keep(number, kept) => {
                batch.put(key(uid, b'K', &number.to_be_bytes()), encode(kept));
            }
            Write::Release(number) => {
                batch.delete(key(uid, b'K', &number.to_be_bytes()));
            }
            Write::Steps(steps) => {
                batch.put(key(uid, b'U', &[]), encode(steps));
            }
            Write::Transfer(number, transfer) => {
                batch.put(key(uid, b'T', &number.to_be_bytes()), encode(transfer));
            }
            Write::Transferred(number) => {
                batch.delete(key(uid, b'T', &number.to_be_bytes()));
            }
            Write::Site(secret) => {
                meta.secret = *secret;
                batch.append(put_meta(uid, meta));
            }
        }
    }
    batch
}

/// Whether so many entries stand behind the stored list that it should be stored anew.
#[must_use]
pub fn is_long(entries: u64, list: &List) -> bool {
    entries > ENTRIES_MAX + u64::try_from(list.items().len() / 4).unwrap_or(u64::MAX)
}

/// The batch that forgets own sequenced ops after their time.
///
/// # Errors
///
/// The store does not answer.
pub fn forget_journal(store: &impl Store, uid: ListUid, now: Millis) -> Result<Batch, StoreError> {
    let mut batch = Batch::default();
    store.scan(range(uid, b'J'), &mut |key, bytes| {
        let old =
            bytes.first_chunk::<8>().is_none_or(|time| now.since(Millis(u64::from_be_bytes(*time))) > JOURNAL_KEPT);
        if old {
            batch.delete(key);
        }
        ControlFlow::Continue(())
    })?;
    Ok(batch)
}

/// The batch that removes a replica altogether.
#[must_use]
pub fn remove(uid: ListUid) -> Batch {
    let mut batch = Batch::default();
    batch.delete_all(KeyRange::prefix(uid.as_bytes()));
    batch
}

fn put_list(batch: &mut Batch, uid: ListUid, list: &List) {
    for letter in [b'B', b'S', b'L'] {
        batch.delete_all(range(uid, letter));
    }
    batch.put(key(uid, b'B', &[]), encode(&snapshot::begin(list)));
    for (number, part) in (0_u32..).zip(snapshot::parts(list, SENT_BYTES_MAX)) {
        batch.put(key(uid, b'S', &number.to_be_bytes()), encode(&part));
    }
}

fn load_list(store: &impl Store, uid: ListUid) -> Result<List, LoadError> {
    let Some(begin) = store.get(&key(uid, b'B', &[]))? else { return Ok(List::new(uid)) };
    let mut assembly = Assembly::new(decode::<Begin>(uid, b'B', &begin)?);
    let mut fault = None;
    store.scan(range(uid, b'S'), &mut |_, bytes| {
        let added = decode::<Part>(uid, b'S', bytes).and_then(|part| Ok(assembly.add(part)?));
        match added {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                fault = Some(error);
                ControlFlow::Break(())
            }
        }
    })?;
    match fault {
        Some(fault) => Err(fault),
        None => Ok(assembly.finish()?),
    }
}

fn numbered<T: for<'de> Deserialize<'de>>(
    store: &impl Store,
    uid: ListUid,
    letter: u8,
) -> Result<BTreeMap<u64, T>, LoadError> {
    let pairs = store.pairs(range(uid, letter), usize::MAX)?;
    let records = pairs.iter().map(|(key, bytes)| {
        let number = key.get(17..).and_then(<[u8]>::first_chunk::<8>).copied();
        let number = number.ok_or(LoadError::Record { uid, record: char::from(letter) })?;
        Ok((u64::from_be_bytes(number), decode(uid, letter, bytes)?))
    });
    records.collect()
}

fn issued(store: &impl Store, uid: ListUid) -> Result<HashSet<Key>, LoadError> {
    let pairs = store.pairs(range(uid, b'I'), usize::MAX)?;
    let keys = pairs.iter().map(|(key, _)| {
        let bytes = key.get(17..).unwrap_or_default();
        Key::try_from_bytes(bytes).map_err(|_bad_key| LoadError::Record { uid, record: 'I' })
    });
    keys.collect()
}

fn decode_journal(uid: ListUid, bytes: &[u8]) -> Result<(Millis, Op), LoadError> {
    let (time, op) = bytes.split_first_chunk::<8>().ok_or(LoadError::Record { uid, record: 'J' })?;
    Ok((Millis(u64::from_be_bytes(*time)), decode(uid, b'J', op)?))
}

fn key(uid: ListUid, letter: u8, rest: &[u8]) -> Vec<u8> {
    [uid.as_bytes(), &[letter][..], rest].concat()
}

fn range(uid: ListUid, letter: u8) -> KeyRange {
    KeyRange::prefix(&key(uid, letter, &[]))
}

fn encode<T: Serialize>(value: &T) -> Vec<u8> {
    postcard::to_stdvec(value).expect("our own types encode into a growing buffer")
}

fn decode<'a, T: Deserialize<'a>>(uid: ListUid, letter: u8, bytes: &'a [u8]) -> Result<T, LoadError> {
    match postcard::take_from_bytes(bytes) {
        Ok((value, [])) => Ok(value),
        _ => Err(LoadError::Record { uid, record: char::from(letter) }),
    }
}

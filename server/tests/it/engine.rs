//! What the log of lists keeps to, over each store.

use std::collections::BTreeSet;
use std::sync::Arc;

use betwixt_core::hlc::Millis;
use betwixt_core::id::ListUid;
use betwixt_core::list::List;
use betwixt_core::log::Entry;
use betwixt_core::name::ListName;
use betwixt_core::op::body::Kinds;
use betwixt_core::wire::Listing;
use betwixt_relay::engine::{Append, Change, Delete, Engine as _, FORMAT, Meta, Record};
use betwixt_relay::snapshot::Snapshot;
use betwixt_store::memory::MemoryStore;
use betwixt_store::{KeyRange, Pair, RedbStore, Store};

use crate::snapshots::{append_of, list_of, stored};

/// Names that stand close together, whatever their buckets are.
const NEIGHBOURS: [&str; 5] = ["a", "a-", "a.b", "ab", "aa"];

fn name(text: &str) -> ListName {
    text.parse().unwrap()
}

fn uid(number: u8) -> ListUid {
    ListUid::from_bytes([number; 16])
}

/// Entries of another list under another name, with a snapshot's parts beside them.
fn named(text: &str, uid: ListUid, entries: &[Entry]) -> Change {
    let records = entries.iter().map(|entry| Record { seq: entry.seq, bytes: entry.to_bytes().into() }).collect();
    let meta = Meta { uid, made: Millis(1), title: text.into() };
    Append { name: name(text), meta: Some(meta), records }.into()
}

fn delete(text: &str, uid: ListUid) -> Change {
    Delete { name: name(text), uid, at: Millis(7) }.into()
}

/// The pairs that belong to a name, and all others.
fn parted(store: &impl Store, text: &str) -> (Vec<Pair>, BTreeSet<Pair>) {
    let pairs = store.pairs(KeyRange::all(), usize::MAX).unwrap();
    let of_name = |key: &[u8]| key.get(1..).is_some_and(|rest| rest.starts_with(&[text.as_bytes(), &[0]].concat()));
    let (own, others): (Vec<_>, Vec<_>) = pairs.into_iter().partition(|(key, _)| of_name(key));
    (own, others.into_iter().collect())
}

fn names(engine: &betwixt_relay::Stored) -> Vec<String> {
    let asked = Listing { prefix: "".into(), after: None, limit: 100 };
    engine.lists(&asked).unwrap().lists.iter().map(|listed| listed.name.to_string()).collect()
}

fn a_deletion_takes_all_of_one_list_and_nothing_else(store: &Arc<impl Store>) {
    let engine = stored(store);
    let (list, entries) = list_of(30);
    for (number, text) in (11..).zip(NEIGHBOURS) {
        engine.commit(&[named(text, uid(number), &entries)]).unwrap();
    }
    // Whatever stands beside the log goes with it: a snapshot of the right list is kept, and of another is not.
    engine.commit(&[named("list", list.uid(), &entries)]).unwrap();
    engine.save(&name("list"), &Snapshot::of(&list)).unwrap();
    for (number, text) in (11..).zip(NEIGHBOURS).chain([(9, "list")]) {
        let uid = if text == "list" { list.uid() } else { uid(number) };
        let (own, others) = parted(&**store, text);
        assert!(own.len() > 30, "{text}");
        assert_eq!(engine.identity(&name(text)).unwrap(), Some(uid));
        assert!(!engine.is_deleted(uid).unwrap());
        // Repeating it is harmless.
        for _ in 0..2 {
            engine.commit(&[delete(text, uid)]).unwrap();
            let (own, left) = parted(&**store, text);
            assert!(own.is_empty(), "{text}: {own:?}");
            let new: Vec<&Pair> = left.difference(&others).collect();
            assert_eq!(new.len(), 1, "{text}: that it was deleted stands there");
            assert_eq!((new[0].0[0], &new[0].0[1..]), (0xfe, &uid.as_bytes()[..]));
            assert!(others.is_subset(&left), "{text}: another list lost something");
        }
        assert!(engine.is_deleted(uid).unwrap());
        assert_eq!(engine.identity(&name(text)).unwrap(), None);
        assert!(engine.load(&name(text), Kinds::KNOWN).unwrap().is_none());
        assert!(!names(&engine).contains(&text.to_owned()));
    }
}

fn changes_of_one_commit_follow_each_other(store: &Arc<impl Store>) {
    let engine = stored(store);
    let (list, entries) = list_of(5);
    let (first, rest) = entries.split_at(2);
    let rest = Append {
        name: name("inbox"),
        meta: None,
        records: rest.iter().map(|entry| Record { seq: entry.seq, bytes: entry.to_bytes().into() }).collect(),
    };
    engine
        .commit(&[
            named("inbox", uid(1), &entries),
            delete("inbox", uid(1)),
            named("inbox", list.uid(), first),
            rest.into(),
        ])
        .unwrap();
    let loaded = engine.load(&name("inbox"), Kinds::KNOWN).unwrap().unwrap();
    assert_eq!((loaded.list.uid(), loaded.list.state_hash()), (list.uid(), list.state_hash()));
    assert!(engine.is_deleted(uid(1)).unwrap() && !engine.is_deleted(list.uid()).unwrap());
    engine.commit(&[delete("inbox", list.uid())]).unwrap();
}

fn a_snapshot_of_a_deleted_list_is_not_kept_for_another_of_its_name(store: &Arc<impl Store>) {
    let engine = stored(store);
    let (list, entries) = list_of(5);
    engine.commit(&[append_of(&entries)]).unwrap();
    let snapshot = Snapshot::of(&list);
    for later in [None, Some(named("inbox", uid(3), &[]))] {
        engine.commit(&[delete("inbox", list.uid())]).unwrap();
        engine.commit(later.as_slice()).unwrap();
        let before = parted(&**store, "inbox");
        engine.save(&name("inbox"), &snapshot).unwrap();
        assert_eq!(parted(&**store, "inbox"), before);
    }
    engine.commit(&[delete("inbox", uid(3))]).unwrap();
}

/// Each check gets a store of its own.
fn check_all<S: Store>(mut new: impl FnMut() -> S) {
    a_deletion_takes_all_of_one_list_and_nothing_else(&Arc::new(new()));
    changes_of_one_commit_follow_each_other(&Arc::new(new()));
    a_snapshot_of_a_deleted_list_is_not_kept_for_another_of_its_name(&Arc::new(new()));
}

#[test]
fn the_engine_conforms_in_memory_and_on_disk() {
    check_all(MemoryStore::default);
    let folder = tempfile::tempdir().unwrap();
    let mut stores = 0;
    check_all(|| {
        stores += 1;
        RedbStore::open(folder.path().join(stores.to_string()), &FORMAT).unwrap()
    });
}

#[test]
fn a_snapshot_that_is_being_kept_while_its_list_is_deleted_leaves_nothing() {
    // Several commits' worth of parts.
    let (list, entries) = list_of(15_000);
    let snapshot = Snapshot::of(&list);
    assert!(snapshot.bytes() > 1024 * 1024);
    for _ in 0..30 {
        let store = Arc::new(MemoryStore::default());
        let engine = stored(&store);
        engine.commit(&[append_of(&entries[..1])]).unwrap();
        std::thread::scope(|scope| {
            scope.spawn(|| engine.save(&name("inbox"), &snapshot).unwrap());
            scope.spawn(|| {
                engine.commit(&[delete("inbox", list.uid()), named("inbox", uid(3), &[])]).unwrap();
            });
        });
        assert_eq!(parted(&*store, "inbox").0.len(), 1, "the other list's record alone");
        let loaded = engine.load(&name("inbox"), Kinds::KNOWN).unwrap().unwrap();
        assert_eq!(loaded.list.state_hash(), List::new(uid(3)).state_hash());
    }
}

//! Relays' stores of format 1.

use std::path::Path;

use betwixt_core::hlc::Millis;
use betwixt_core::id::{ListUid, OpId, SiteSecret};
use betwixt_core::list::List;
use betwixt_core::log::Entry;
use betwixt_core::op::body::Kinds;
use betwixt_core::op::{Body, EpochId, Join, ListPut, Op};
use betwixt_core::wire::Listing;
use betwixt_relay::Stored;
use betwixt_relay::bucket::{BUCKETS, bucket_of};
use betwixt_relay::engine::{Engine as _, FORMAT};
use betwixt_relay::snapshot::Snapshot;
use betwixt_store::{Batch, Format, RedbStore, Store as _};

/// Puts a list into a store as format 1 has it. The record says when it was made, and no title.
fn put_list(batch: &mut Batch, name: &str, title: Option<&str>, with_snapshot: bool) -> ListUid {
    let uid = ListUid::from_bytes(std::array::from_fn(|place| *name.as_bytes().get(place).unwrap_or(&0)));
    let prefix = [&[bucket_of(&name.parse().unwrap(), BUCKETS)], name.as_bytes(), &[0]].concat();
    let key = |rest: &[u8]| [&*prefix, rest].concat();
    batch.put(key(&[1]), postcard::to_stdvec(&(uid, Millis(77))).unwrap());
    let site = SiteSecret::from_bytes([3; 32]).site();
    let mut list = List::new(uid);
    let titles = title.iter().map(|title| Body::List(ListPut { title: (*title).into() }));
    for (body, ctr) in std::iter::once(Body::Join(Join::default())).chain(titles).zip(1..) {
        let hlc = betwixt_core::hlc::Hlc { tick: betwixt_core::hlc::Tick { wall: Millis(90 + ctr), counter: 0 }, site };
        let op = Op::new(OpId { site, ctr }, ctr - 1, EpochId::first(uid), hlc, body);
        let entry = Entry::behind(list.mark(), op);
        list.apply(&entry, Kinds::KNOWN).unwrap();
        batch.put(key(&[&[3][..], &entry.seq.to_be_bytes()].concat()), entry.to_bytes());
    }
    if with_snapshot {
        let snapshot = Snapshot::of(&list);
        let seq = list.mark().seq.to_be_bytes();
        batch.put(key(&[&[2][..], &seq, &[0; 4]].concat()), &*snapshot.begin());
        for (part, number) in snapshot.parts().zip(1_u32..) {
            batch.put(key(&[&[2][..], &seq, &number.to_be_bytes()].concat()), &*part);
        }
        // The log before it is not needed, and not read.
        batch.delete(key(&[&[3][..], &1_u64.to_be_bytes()].concat()));
    }
    uid
}

fn titles(path: &Path) -> Vec<(String, ListUid, String)> {
    let engine = Stored::open(path).unwrap();
    let page = engine.lists(&Listing { prefix: "".into(), after: None, limit: 100 }).unwrap();
    page.lists.into_iter().map(|listed| (listed.name.to_string(), listed.uid, listed.title.to_string())).collect()
}

#[test]
fn each_list_of_format_1_gets_the_title_that_it_has() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("relay.redb");
    let store = RedbStore::open(&path, &Format { number: 1, migrations: &[], ..FORMAT }).unwrap();
    let mut batch = Batch::default();
    batch.put(*b"\xffbuckets", [BUCKETS]);
    let mut expected = Vec::new();
    for (name, title, with_snapshot) in [
        ("a", Some("First"), false),
        ("a-b", None, false),
        ("a.b", Some("Of a snapshot"), true),
        ("damaged", Some("Lost"), false),
        ("z", Some("Last"), false),
    ] {
        let uid = put_list(&mut batch, name, title, with_snapshot);
        let title = if name == "damaged" { "" } else { title.unwrap_or_default() };
        expected.push((name.to_owned(), uid, title.to_owned()));
    }
    let entry = |seq: u64| {
        let bucket = bucket_of(&"damaged".parse().unwrap(), BUCKETS);
        [&[bucket][..], b"damaged\0\x03", &seq.to_be_bytes()].concat()
    };
    batch.put(entry(2), "not an entry");
    store.commit(&batch).unwrap();
    drop(store);
    for _ in 0..2 {
        assert_eq!(titles(&path), expected);
    }
    assert!(folder.path().join("relay.redb.format-1").exists());
    // The damaged list is as damaged as it was, and the others load as they were.
    let engine = Stored::open(&path).unwrap();
    for (name, uid, title) in expected {
        let loaded = engine.load(&name.parse().unwrap(), Kinds::KNOWN);
        if name == "damaged" {
            loaded.unwrap_err();
            continue;
        }
        let loaded = loaded.unwrap().unwrap();
        assert_eq!((loaded.list.uid(), loaded.meta.uid, loaded.meta.made), (uid, uid, Millis(77)));
        assert_eq!((loaded.list.title().unwrap_or_default(), &*loaded.meta.title), (&*title, &*title));
    }
}

//! Logs that are trimmed, and those who have not read what is gone.

use std::collections::BTreeMap;
use std::sync::Arc;

use betwixt_core::hlc::Millis;
use betwixt_core::id::ListUid;
use betwixt_core::list::List;
use betwixt_core::log::Entry;
use betwixt_core::name::ListName;
use betwixt_core::op::body::Kinds;
use betwixt_core::wire::{CloseReason, ToSite};
use betwixt_relay::engine::{Behind, Delete, Engine as _, FORMAT, LogLimits, LogSize};
use betwixt_relay::snapshot::Snapshot;
use betwixt_relay::{Options, Stored};
use betwixt_store::counting::Counting;
use betwixt_store::memory::MemoryStore;
use betwixt_store::{Batch, KeyRange, RedbStore, Store};

use crate::relay::{TestRelay, until};
use crate::site::{End, Site, key};
use crate::snapshots::{append_of, list_of, list_stamped, stored};
use crate::stores::Gated;

const NO_LIMIT: LogLimits = LogLimits { bytes_max: usize::MAX, age_max: Millis(u64::MAX), entries_min: 0 };
/// When the entries of `list_of` were stamped, but for their places.
const STAMPED: u64 = 1_000_000;

fn inbox() -> ListName {
    "inbox".parse().unwrap()
}

/// A list of 60 entries in the store, with a snapshot of the first 40.
fn stored_list(store: &Arc<impl Store>) -> (Stored, List, Vec<Entry>) {
    let engine = stored(store);
    let (list, entries) = list_of(59);
    engine.commit(&[append_of(&entries)]).unwrap();
    let mut first = List::new(list.uid());
    for entry in &entries[..40] {
        first.apply(entry, Kinds::KNOWN).unwrap();
    }
    engine.save(&inbox(), &Snapshot::of(&first)).unwrap();
    (engine, list, entries)
}

fn trim(engine: &Stored, limits: LogLimits, now: u64) -> LogSize {
    engine.trim(&inbox(), list_of(0).0.uid(), 40, &limits, Millis(now)).unwrap().expect("the list is there")
}

/// Checks that the log begins with that entry, and all that follows from it.
#[track_caller]
fn check_log(engine: &Stored, list: &List, entries: &[Entry], first: u64) {
    let loaded = engine.load(&inbox(), Kinds::KNOWN).unwrap().unwrap();
    assert_eq!(loaded.list.state_hash(), list.state_hash());
    assert_eq!((loaded.list.mark(), loaded.first_seq, loaded.snapshot_seq), (list.mark(), first, 40));
    for after in 0..=60 {
        let found = engine.read(&inbox(), after, usize::MAX).unwrap();
        if after + 1 < first {
            assert_eq!(found, Behind::Trimmed, "after {after}");
        } else {
            let Behind::Entries(records) = found else { panic!("after {after}: it is there") };
            let seqs = records.iter().map(|record| record.seq);
            assert!(seqs.eq(after + 1..=60), "after {after}");
        }
        let chain = entries.iter().find(|entry| entry.seq == after && after >= first).map(|entry| entry.chain);
        assert_eq!(engine.chain_at(&inbox(), after).unwrap(), chain);
    }
}

fn check_all<S: Store>(mut new: impl FnMut() -> S) {
    let bytes: usize = list_of(59).1.iter().map(|entry| entry.to_bytes().len()).sum();
    let mean = bytes / 60;
    let of_bytes = |entries: usize| LogLimits { bytes_max: mean * entries, ..NO_LIMIT };
    let of_age = |ms| LogLimits { age_max: Millis(ms), ..NO_LIMIT };
    // Limits, the clock, and the first entry that is left, exactly or about.
    for (what, limits, now, first, about) in [
        ("within all limits", NO_LIMIT, u64::MAX, 1, 0),
        ("as large as it may be", LogLimits { bytes_max: bytes, ..NO_LIMIT }, 0, 1, 0),
        ("over its bytes, cut to seven eighths", of_bytes(32), 0, 33, 2),
        ("not above the snapshot", of_bytes(1), 0, 41, 0),
        ("not its last ones", LogLimits { entries_min: 35, ..of_bytes(1) }, 0, 26, 0),
        ("more to keep than there is", LogLimits { entries_min: 1_000, ..of_bytes(1) }, 0, 1, 0),
        ("what is older than a second", of_age(1_000), STAMPED + 1_020, 20, 0),
        ("all is old: still not above the snapshot", of_age(1_000), STAMPED + 9_999, 41, 0),
        ("a clock that was set back", of_age(1_000), 0, 1, 0),
    ] {
        let store = Arc::new(new());
        let (engine, list, entries) = stored_list(&store);
        for _ in 0..2 {
            let left = trim(&engine, limits, now);
            assert!(left.first.abs_diff(first) <= about, "{what}: {left:?}");
            assert_eq!(left.oldest, Millis(STAMPED + left.first), "{what}");
            check_log(&engine, &list, &entries, left.first);
            let Behind::Entries(records) = engine.read(&inbox(), left.first - 1, usize::MAX).unwrap() else { panic!() };
            let really: usize = records.iter().map(|record| record.bytes.len()).sum();
            assert!(
                left.bytes <= limits.bytes_max && (left.bytes == really || left.bytes == limits.bytes_max),
                "{what}"
            );
        }
    }
}

#[test]
fn what_is_over_a_limit_goes_and_nothing_that_is_needed() {
    check_all(MemoryStore::default);
    let folder = tempfile::tempdir().unwrap();
    let mut stores = 0;
    check_all(|| {
        stores += 1;
        RedbStore::open(folder.path().join(stores.to_string()), &FORMAT).unwrap()
    });
}

#[test]
fn an_old_stamp_behind_a_younger_one_does_not_go() {
    let store = Arc::new(MemoryStore::default());
    let engine = stored(&store);
    // Entry 10 is young; those behind it were made offline as long ago as those before it.
    let (list, entries) = list_stamped(59, |ctr| if ctr == 10 { STAMPED + 5_000 } else { STAMPED + ctr });
    engine.commit(&[append_of(&entries)]).unwrap();
    engine.save(&inbox(), &Snapshot::of(&list)).unwrap();
    let limits = LogLimits { age_max: Millis(1_000), ..NO_LIMIT };
    let now = STAMPED + 5_500;
    let left = engine.trim(&inbox(), list.uid(), 60, &limits, Millis(now)).unwrap().unwrap();
    assert_eq!((left.first, left.oldest), (10, Millis(STAMPED + 5_000)));
    // It is looked through again when its first entry is too old, and a little later.
    assert!(!limits.are_over(&left, Millis(now)) && limits.are_over(&left, Millis(now + 600)));
}

#[test]
fn without_its_snapshot_or_of_another_list_nothing_is_trimmed() {
    let store = Arc::new(MemoryStore::default());
    let engine = stored(&store);
    let (list, entries) = list_of(59);
    engine.commit(&[append_of(&entries)]).unwrap();
    let limits = LogLimits { bytes_max: 1, ..NO_LIMIT };
    let before = store.snapshot();
    assert_eq!(trim(&engine, limits, 0).first, 1);
    assert_eq!(store.snapshot(), before);
    engine.save(&inbox(), &Snapshot::of(&list)).unwrap();
    let before = store.snapshot();
    let other = ListUid::from_bytes([9; 16]);
    assert_eq!(engine.trim(&inbox(), other, 60, &limits, Millis(0)).unwrap(), None);
    assert_eq!(store.snapshot(), before);
    engine.commit(&[Delete { name: inbox(), uid: list.uid(), at: Millis(1) }.into()]).unwrap();
    assert_eq!(engine.trim(&inbox(), list.uid(), 60, &limits, Millis(0)).unwrap(), None);
}

#[test]
fn an_entry_that_is_missing_elsewhere_is_damage() {
    let store = Arc::new(MemoryStore::default());
    let (engine, ..) = stored_list(&store);
    let left = trim(&engine, LogLimits { bytes_max: 1, ..NO_LIMIT }, 0);
    let keys: Vec<_> = store.pairs(KeyRange::all(), usize::MAX).unwrap().into_iter().map(|(key, _)| key).collect();
    let mut batch = Batch::default();
    batch.delete(keys.into_iter().find(|key| key.ends_with(&50_u64.to_be_bytes())).unwrap());
    store.commit(&batch).unwrap();
    assert!(engine.read(&inbox(), 49, usize::MAX).is_err(), "49 is there, and 50 is not");
    assert!(engine.read(&inbox(), 45, usize::MAX).is_err());
    assert_eq!(engine.read(&inbox(), left.first - 2, usize::MAX).unwrap(), Behind::Trimmed);
}

#[test]
fn a_long_log_is_trimmed_in_short_commits() {
    let store = Arc::new(Counting::new(MemoryStore::default()));
    let engine = stored(&store);
    let (list, entries) = list_of(12_000);
    engine.commit(&[append_of(&entries)]).unwrap();
    engine.save(&inbox(), &Snapshot::of(&list)).unwrap();
    let before = store.counts();
    let limits = LogLimits { bytes_max: 1, entries_min: 1_000, ..NO_LIMIT };
    let left = engine.trim(&inbox(), list.uid(), 12_001, &limits, Millis(0)).unwrap().unwrap();
    assert_eq!(left.first, 11_002);
    let bytes: usize = entries[..11_001].iter().map(|entry| entry.to_bytes().len()).sum();
    let counts = store.counts().since(before);
    assert!(counts.commits > 3 && counts.commits > u64::try_from(bytes / (512 * 1024)).unwrap(), "{counts:?}");
    assert_eq!((counts.range_deletes, counts.puts), (counts.commits, 0));
}

/// A relay that trims early, and a list of 1,301 entries in it of which a snapshot was stored.
async fn trimmed_relay(store: impl Store + Clone) -> (TestRelay, Site) {
    let log = LogLimits { bytes_max: 30_000, entries_min: 100, ..LogLimits::default() };
    let relay = TestRelay::start_with(store, Options { log, ..Options::default() }).await;
    let mut ana = Site::join(&relay, 1).await;
    write(&mut ana, 13).await;
    (relay, ana)
}

async fn write(site: &mut Site, hundreds: u64) {
    for chunk in 0..hundreds {
        let start = site.ctr + chunk;
        let ops = (0..100).map(|item| site.mint_add(start + item, &key("V"), "milk")).collect();
        site.push(ops).await;
        site.until_acked().await;
    }
}

fn first_seq(store: &Arc<impl Store>) -> u64 {
    stored(store).load(&inbox(), Kinds::KNOWN).unwrap().unwrap().first_seq
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_has_not_read_what_was_trimmed_gets_a_snapshot() {
    let store = Arc::new(MemoryStore::default());
    let (mut relay, ana) = trimmed_relay(Arc::clone(&store)).await;
    until("the log is trimmed", || first_seq(&store) > 500).await;
    for restarted in [false, true] {
        if restarted {
            relay.kill().await;
            relay = TestRelay::start(Arc::clone(&store)).await;
        }
        let first = first_seq(&store);
        // One that knows nothing, and ones that have read a part, with and without unsent edits.
        for (number, seq, pending) in [(2, 0, false), (3, 0, true), (4, 5, false), (5, 5, true), (6, first - 1, true)] {
            let mut site = Site::dial(&relay, number).await;
            if seq > 0 {
                (site.list, site.knows_list) = (replayed(&ana, &store, seq), true);
            }
            site.pending = pending;
            site.open().await;
            site.until_seq(ana.list.mark().seq).await;
            assert!(matches!(site.heard.first(), Some(ToSite::SnapshotBegin(_))), "{number}, restarted: {restarted}");
            assert_eq!(site.list.state_hash(), ana.list.state_hash());
        }
        // One that has read as far as the log goes back reads on.
        let mut site = Site::dial(&relay, 7).await;
        (site.list, site.knows_list, site.pending) = (replayed(&ana, &store, first), true, true);
        site.say(&site.hello()).await;
        assert!(matches!(site.try_hear().await, Ok(ToSite::Welcome(_))));
        let Ok(ToSite::Entries { entries, .. }) = site.try_hear().await else { panic!("no snapshot: entries") };
        assert_eq!(entries[0].seq, first + 1);
    }
    relay.stop().await;
}

/// A list that says it was read up to an entry, which is all that the relay is told.
fn replayed(ana: &Site, store: &Arc<MemoryStore>, seq: u64) -> List {
    let chain = stored(store).chain_at(&inbox(), seq).unwrap();
    let mark = betwixt_core::log::Watermark { seq, chain: chain.unwrap_or(ana.list.mark().chain) };
    let header = betwixt_core::list::Header { mark, ..ana.list.header() };
    List::from_parts(header, BTreeMap::new(), BTreeMap::new())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_link_that_is_fed_while_the_log_is_trimmed_is_never_sent_a_gap() {
    let store = Gated::default();
    let log = LogLimits { bytes_max: 30_000, entries_min: 100, ..LogLimits::default() };
    let relay = TestRelay::start_with(store.clone(), Options { log, ..Options::default() }).await;
    let mut ana = Site::join(&relay, 1).await;
    // So much that it is not in the worker's memory.
    write(&mut ana, 6).await;
    store.hold_next_scan();
    let mut slow = Site::dial(&relay, 2).await;
    slow.pending = true;
    slow.open().await;
    until("the log is being read for it", || store.holds_scan()).await;
    write(&mut ana, 8).await;
    let memory = Arc::clone(&store.store);
    until("the log is trimmed", || first_seq(&memory) > 500).await;
    store.let_go();
    // The site itself checks that each entry continues the log that it has.
    assert_eq!(slow.end().await, End::Closing(CloseReason::Stalled));
    assert!(slow.seqs.is_empty());
    slow.reopen(&relay).await;
    slow.until_seq(ana.list.mark().seq).await;
    assert!(slow.heard.iter().any(|message| matches!(message, ToSite::SnapshotBegin(_))));
    assert_eq!(slow.list.state_hash(), ana.list.state_hash());
    relay.stop().await;
}

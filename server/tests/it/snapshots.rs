//! Sites that come late, or from elsewhere.

use std::sync::Arc;

use betwixt_core::hlc::{Hlc, Millis, Tick};
use betwixt_core::id::{Hash, ListUid, OpId, SiteSecret};
use betwixt_core::key::spaced;
use betwixt_core::list::List;
use betwixt_core::log::{Entry, Watermark};
use betwixt_core::op::body::Kinds;
use betwixt_core::op::{Add, Body, EpochId, Op};
use betwixt_core::register::Register;
use betwixt_core::wire::ToSite;
use betwixt_relay::engine::{Append, Change, Engine as _, Meta, Record};
use betwixt_relay::snapshot::Snapshot;
use betwixt_relay::{Options, Stored};
use betwixt_store::Store;
use betwixt_store::counting::Counting;
use betwixt_store::memory::MemoryStore;

use crate::relay::{TestRelay, until};
use crate::site::{Site, item_id, key};

const UID: ListUid = ListUid::from_bytes([4; 16]);

pub(crate) fn stored(store: &Arc<impl Store>) -> Stored {
    let store = Arc::clone(store);
    Stored::open_with(move || Ok(Arc::<_>::clone(&store) as Arc<dyn Store>)).unwrap()
}

/// A list of that many items with 60-byte texts, and its log.
pub(crate) fn list_of(items: usize) -> (List, Vec<Entry>) {
    list_stamped(items, |ctr| 1_000_000 + ctr)
}

/// The same, with stamps of one's own.
pub(crate) fn list_stamped(items: usize, wall: impl Fn(u64) -> u64) -> (List, Vec<Entry>) {
    let site = SiteSecret::from_bytes([99; 32]).site();
    let mut list = List::new(UID);
    let mut entries = Vec::with_capacity(items + 1);
    let text = "y".repeat(60);
    let adds = spaced(items).into_iter().zip(0..).map(|(key, number)| {
        Body::Add(Add { item: item_id(number), key, registers: vec![Register::Text(text.as_str().into())] })
    });
    for (body, ctr) in std::iter::once(Body::Join(betwixt_core::op::Join::default())).chain(adds).zip(1..) {
        let hlc = Hlc { tick: Tick { wall: Millis(wall(ctr)), counter: 0 }, site };
        let op = Op::new(OpId { site, ctr }, ctr - 1, EpochId::first(UID), hlc, body);
        let entry = Entry::behind(list.mark(), op);
        list.apply(&entry, Kinds::KNOWN).unwrap();
        entries.push(entry);
    }
    (list, entries)
}

pub(crate) fn append_of(entries: &[Entry]) -> Change {
    let record = |entry: &Entry| Record { seq: entry.seq, bytes: entry.to_bytes().into() };
    let records = entries.iter().map(record).collect();
    let meta = Meta { uid: UID, made: Millis(1), title: "".into() };
    Append { name: "inbox".parse().unwrap(), meta: Some(meta), records }.into()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_newcomer_gets_20_000_items_in_parts_and_at_the_second_try_after_a_cut() {
    let store = Arc::new(MemoryStore::default());
    let (list, entries) = list_of(20_000);
    stored(&store).commit(&[append_of(&entries)]).unwrap();
    let relay = TestRelay::start(store).await;

    let mut cut = Site::dial(&relay, 1).await;
    cut.say(&cut.hello()).await;
    assert!(matches!(cut.try_hear().await, Ok(ToSite::SnapshotBegin(begin)) if begin.items == 20_000));
    for _ in 0..5 {
        assert!(matches!(cut.try_hear().await, Ok(ToSite::SnapshotPart { .. })));
    }
    drop(cut);

    let mut ana = Site::dial(&relay, 1).await;
    let welcome = ana.open().await;
    assert_eq!((welcome.head, ana.list.mark()), (20_001, list.mark()));
    assert_eq!(ana.list.state_hash(), list.state_hash());
    assert!(ana.seqs.is_empty(), "no entry was sent");
    let join = ana.mint(Body::Join(betwixt_core::op::Join::default()));
    let move_up = ana.mint_move(19_999, "#");
    ana.push(vec![join, move_up]).await;
    ana.until_acked().await;
    assert_eq!(ana.seqs, [20_002, 20_003]);
    relay.stop().await;
}

#[tokio::test]
async fn one_with_unsent_edits_gets_the_entries() {
    let store = Arc::new(MemoryStore::default());
    let (list, entries) = list_of(600);
    stored(&store).commit(&[append_of(&entries)]).unwrap();
    let relay = TestRelay::start(store).await;
    let mut ana = Site::dial(&relay, 1).await;
    ana.pending = true;
    ana.open().await;
    ana.until_seq(601).await;
    assert!(ana.seqs.iter().copied().eq(1..=601));
    assert_eq!(ana.list.state_hash(), list.state_hash());
    relay.stop().await;
}

#[tokio::test]
async fn one_that_has_read_another_log_gets_a_snapshot() {
    let store = Arc::new(MemoryStore::default());
    let (list, entries) = list_of(20);
    stored(&store).commit(&[append_of(&entries)]).unwrap();
    let relay = TestRelay::start(store).await;
    let elsewhere = Hash::from_bytes([1; 32]);
    let marks = [
        Watermark { seq: 5, chain: elsewhere },
        Watermark { seq: 21, chain: elsewhere },
        Watermark { seq: 500, chain: elsewhere },
    ];
    for (mark, number) in marks.into_iter().zip(1..) {
        let mut site = Site::dial(&relay, number).await;
        let header = betwixt_core::list::Header { mark, ..list.header() };
        site.list = List::from_parts(header, std::collections::BTreeMap::new(), std::collections::BTreeMap::new());
        (site.knows_list, site.pending) = (true, true);
        assert_eq!(site.open().await.head, 21);
        assert!(matches!(site.heard.first(), Some(ToSite::SnapshotBegin(_))), "{mark:?}");
        assert_eq!(site.list.state_hash(), list.state_hash());
    }
    // One that has read this log goes on where it was.
    let mut site = Site::dial(&relay, 9).await;
    site.list = List::new(UID);
    site.knows_list = true;
    for entry in &entries[..7] {
        site.list.apply(entry, Kinds::KNOWN).unwrap();
    }
    site.open().await;
    site.until_seq(21).await;
    assert!(site.seqs.iter().copied().eq(8..=21));
    relay.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_move_in_100_000_items_writes_one_entry() {
    let store = Arc::new(Counting::new(MemoryStore::default()));
    let (list, entries) = list_of(99_990);
    let engine = stored(&store);
    engine.commit(&[append_of(&entries)]).unwrap();
    engine.save(&"inbox".parse().unwrap(), &Snapshot::of(&list)).unwrap();
    drop((engine, entries, list));
    let relay = TestRelay::start(Arc::clone(&store)).await;
    let mut ana = Site::join(&relay, 1).await;
    let before = store.counts();
    let moved = ana.mint_move(50_000, "!!!!#");
    ana.push(vec![moved]).await;
    ana.until_acked().await;
    let writes = store.counts().since(before);
    assert_eq!((writes.commits, writes.puts, writes.deletes, writes.range_deletes), (1, 1, 0, 0));
    assert!(writes.bytes_written < 400, "{writes:?}");
    assert_eq!(ana.list.live().next().unwrap().0, item_id(50_000));
    relay.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_long_log_gets_a_snapshot_that_loading_starts_from() {
    let store = Arc::new(MemoryStore::default());
    let relay = TestRelay::start_with(Arc::clone(&store), Options::default()).await;
    let mut ana = Site::join(&relay, 1).await;
    for chunk in 0..12_u64 {
        let ops = (0..100).map(|item| ana.mint_add(chunk * 100 + item, &key("V"), "milk")).collect();
        ana.push(ops).await;
        ana.until_acked().await;
    }
    let engine = stored(&store);
    let name = "inbox".parse().unwrap();
    let saved = || engine.load(&name, Kinds::KNOWN).unwrap().unwrap();
    until("a snapshot is stored", || saved().snapshot_seq > 1_000).await;
    assert_eq!(saved().list.state_hash(), ana.list.state_hash());
    relay.stop().await;
    let relay = TestRelay::start(store).await;
    let welcome = ana.reopen(&relay).await;
    assert_eq!(welcome.head, ana.list.mark().seq);
    relay.stop().await;
}

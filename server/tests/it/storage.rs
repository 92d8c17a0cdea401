//! Stores that fail, and what survives.

use std::sync::Arc;

use betwixt_core::wire::{CloseReason, ToSite};
use betwixt_store::memory::MemoryStore;
use betwixt_store::{Batch, KeyRange, Store as _};

use crate::relay::TestRelay;
use crate::site::{End, Site, dial, key};

#[tokio::test]
async fn what_was_acknowledged_is_there_after_a_kill() {
    let store = Arc::new(MemoryStore::default());
    let relay = TestRelay::start(Arc::clone(&store)).await;
    let mut ana = Site::join(&relay, 1).await;
    for item in 0..50 {
        let add = ana.mint_add(item, &key("V"), &item.to_string());
        ana.push(vec![add]).await;
        if item == 40 {
            ana.until_acked().await;
        }
    }
    let acknowledged = ana.list.mark();
    let crashed = store.snapshot();
    relay.kill().await;
    let relay = TestRelay::start(MemoryStore::with_contents(crashed)).await;
    let mut ben = Site::dial(&relay, 2).await;
    let head = ben.open().await.head;
    assert!(head >= acknowledged.seq, "{head} of {}", acknowledged.seq);
    // The first site reads on from where it was: its log is the same up to there.
    ana.reopen(&relay).await;
    ana.until_seq(head).await;
    assert!(!ana.heard.iter().any(|message| matches!(message, ToSite::SnapshotBegin(_))));
    ben.until_seq(head).await;
    assert_eq!(ana.list.state_hash(), ben.list.state_hash());
    relay.stop().await;
}

#[tokio::test]
async fn what_could_not_be_written_is_not_acknowledged_and_comes_again() {
    let store = Arc::new(MemoryStore::default());
    let relay = TestRelay::start(Arc::clone(&store)).await;
    let mut ana = Site::join(&relay, 1).await;
    let mut ben = Site::dial(&relay, 2).await;
    ben.name = "other".to_owned();
    ben.open().await;
    store.fail_next_commits(1);
    let add = ana.mint_add(1, &key("V"), "milk");
    ana.push(vec![add.clone()]).await;
    assert_eq!(ana.end().await, End::Closing(CloseReason::Storage));
    assert_eq!(ana.list.mark().seq, 1, "nobody was told");
    // The list without unacknowledged ops goes on.
    let join = ben.mint(betwixt_core::op::Body::Join(betwixt_core::op::Join::default()));
    ben.push(vec![join.clone()]).await;
    let welcome = loop {
        ana.web = dial(&relay).await;
        ana.say(&ana.hello()).await;
        match ana.try_hear().await {
            Ok(ToSite::Welcome(welcome)) => break welcome,
            Ok(ToSite::Closing { reason: CloseReason::Storage, .. }) => {}
            other => panic!("{other:?}"),
        }
    };
    assert_eq!((welcome.head, welcome.last.map(|last| last.0)), (1, Some(1)));
    ana.push(vec![add]).await;
    ana.until_acked().await;
    assert_eq!(ana.texts(), ["milk"]);
    relay.stop().await;
}

#[tokio::test]
async fn a_damaged_list_stays_closed_and_another_works() {
    let store = Arc::new(MemoryStore::default());
    let relay = TestRelay::start(Arc::clone(&store)).await;
    let mut ana = Site::join(&relay, 1).await;
    for item in 0..3 {
        let add = ana.mint_add(item, &key("V"), "milk");
        ana.push(vec![add]).await;
    }
    ana.until_acked().await;
    relay.stop().await;

    let contents = store.snapshot();
    let records = store.pairs(KeyRange::all(), usize::MAX).unwrap();
    let (entry, value) = records.iter().rfind(|(record, _)| record.ends_with(&[0, 0, 2])).unwrap();
    let mut flipped = value.clone();
    *flipped.last_mut().unwrap() ^= 1;
    let place = flipped.len() - 20;
    flipped[place] ^= 1;
    let damages: [(&str, Vec<u8>); 3] =
        [("a bit of the chain", flipped), ("not an entry", vec![7; 9]), ("cut off", value[..value.len() / 2].to_vec())];
    for (what, damage) in damages {
        let store = Arc::new(MemoryStore::with_contents(contents.clone()));
        let mut batch = Batch::default();
        batch.put(entry.clone(), damage);
        store.commit(&batch).unwrap();
        let relay = TestRelay::start(Arc::clone(&store)).await;
        let before = store.snapshot();
        let mut ben = Site::dial(&relay, 2).await;
        ben.say(&ben.hello()).await;
        assert_eq!(ben.end().await, End::Closing(CloseReason::Damaged), "{what}");
        assert_eq!(store.snapshot(), before, "{what}: nothing was changed");
        let mut other = Site::dial(&relay, 2).await;
        other.name = "other".to_owned();
        other.open().await;
        relay.stop().await;
    }
}

#[tokio::test]
async fn a_list_is_in_the_store_only_when_it_has_an_op() {
    let store = Arc::new(MemoryStore::default());
    let relay = TestRelay::start(Arc::clone(&store)).await;
    let mut ana = Site::dial(&relay, 1).await;
    let uid = ana.open().await.uid;
    let one = store.snapshot().len();
    let join = ana.mint(betwixt_core::op::Body::Join(betwixt_core::op::Join::default()));
    ana.push(vec![join]).await;
    ana.until_acked().await;
    assert_eq!(store.snapshot().len(), one + 2, "its identity and its first entry");
    relay.stop().await;
    let relay = TestRelay::start(store).await;
    assert_eq!(ana.reopen(&relay).await.uid, uid);
    relay.stop().await;
}

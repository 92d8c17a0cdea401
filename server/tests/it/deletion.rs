//! Lists that are deleted, and what becomes of those who are on them.

use std::sync::Arc;

use betwixt_core::id::ListUid;
use betwixt_core::list::List;
use betwixt_core::op::{Body, Join};
use betwixt_core::wire::{CloseReason, Listing, ToRelay, ToSite};
use betwixt_relay::engine::Engine as _;
use betwixt_store::memory::MemoryStore;
use betwixt_store::{KeyRange, Store as _};

use crate::relay::{TestRelay, until, within};
use crate::site::{End, Site, dial, key};
use crate::snapshots::{append_of, list_of, stored};
use crate::stores::Gated;

/// The site knows a list of this identity, and nothing of it.
fn knowing(mut site: Site, uid: ListUid) -> Site {
    (site.list, site.knows_list) = (List::new(uid), true);
    site
}

/// What the relay says to a `Hello` of a site that knows this list.
async fn answer_to(relay: &TestRelay, number: u8, uid: ListUid) -> ToSite {
    let mut site = knowing(Site::dial(relay, number).await, uid);
    site.say(&site.hello()).await;
    site.hear().await
}

/// Keys under the names of lists.
fn keys_of_lists(store: &MemoryStore) -> usize {
    store.pairs(KeyRange::from_to([0], [8]), usize::MAX).unwrap().len()
}

#[tokio::test]
async fn all_links_of_a_deleted_list_hear_it_and_stay_open() {
    let store = Arc::new(MemoryStore::default());
    let relay = TestRelay::start(Arc::clone(&store)).await;
    let mut ana = Site::join(&relay, 1).await;
    let mut ben = Site::join(&relay, 2).await;
    let uid = ana.list.uid();
    let add = ana.mint_add(1, &key("V"), "milk");
    ana.push(vec![add]).await;
    ana.until_acked().await;
    ben.until_seq(3).await;
    // One who has opened nothing.
    let mut eve = Site::dial(&relay, 3).await;
    eve.delete("inbox", uid).await;
    for site in [&mut eve, &mut ana, &mut ben] {
        site.until_gone(uid).await;
    }
    assert_eq!(keys_of_lists(&store), 0);
    let name = "inbox".parse().unwrap();
    let mut figures = relay.figures.clone();
    within("the board forgets it", figures.wait_for(|open| !open.contains_key(&name))).await.unwrap();
    eve.say(&ToRelay::Lists(Listing { prefix: "".into(), after: None, limit: 9 })).await;
    assert!(matches!(eve.hear().await, ToSite::Lists { lists, .. } if lists.is_empty()));
    // What is still said of it goes nowhere, and the link opens another list.
    let lost = ana.mint_add(2, &key("W"), "bread");
    ana.push(vec![lost]).await;
    (ana.name, ana.knows_list) = ("other".to_owned(), false);
    assert_ne!(ana.open().await.uid, uid);
    assert_eq!(keys_of_lists(&store), 0);
    // Once is enough, for the one who asks too.
    ben.delete("inbox", uid).await;
    ben.until_gone(uid).await;
    let gone = ben.heard.iter().filter(|message| matches!(message, ToSite::Gone { .. })).count();
    assert_eq!(gone, 2, "one for each deletion");
    relay.stop().await;
}

#[tokio::test]
async fn who_deletes_a_list_that_is_open_on_the_same_link_hears_it_once() {
    let relay = TestRelay::start(MemoryStore::default()).await;
    let mut ana = Site::join(&relay, 1).await;
    let uid = ana.list.uid();
    ana.delete("inbox", uid).await;
    ana.until_gone(uid).await;
    (ana.name, ana.knows_list) = ("other".to_owned(), false);
    ana.open().await;
    assert_eq!(ana.heard.iter().filter(|message| matches!(message, ToSite::Gone { .. })).count(), 1);
    relay.stop().await;
}

#[tokio::test]
async fn while_a_deletion_is_under_way_pushes_are_dropped_and_hellos_wait() {
    let store = Gated::default();
    let relay = TestRelay::start(store.clone()).await;
    let mut ana = Site::join(&relay, 1).await;
    let mut ben = Site::join(&relay, 2).await;
    let uid = ana.list.uid();
    store.shut();
    let add = ana.mint_add(1, &key("V"), "milk");
    ana.push(vec![add]).await;
    until("the commit waits", || store.is_waited_at()).await;
    ben.delete("inbox", uid).await;
    let behind = ben.mint_add(2, &key("W"), "bread");
    ben.push(vec![behind]).await;
    // Blank, and knowing the list; and one who deletes it too. Each says something that is answered before the list is.
    let mut blank = Site::dial(&relay, 3).await;
    let mut knowing = knowing(Site::dial(&relay, 4).await, uid);
    let mut deleter = Site::over(dial(&relay).await, 5);
    for site in [&mut blank, &mut knowing] {
        site.say(&site.hello()).await;
    }
    deleter.delete("inbox", uid).await;
    for site in [&mut ana, &mut ben, &mut blank, &mut knowing, &mut deleter] {
        site.say(&ToRelay::Lists(Listing { prefix: "".into(), after: None, limit: 9 })).await;
        let answer = site.until(|message| matches!(message, ToSite::Lists { .. } | ToSite::Gone { .. })).await;
        assert!(
            matches!(answer, ToSite::Lists { lists, .. } if lists.len() == 1),
            "nobody is told before it is durable"
        );
    }
    store.open();
    for site in [&mut ana, &mut ben, &mut knowing, &mut deleter] {
        site.until_gone(uid).await;
    }
    assert_eq!((ana.list.mark().seq, ben.list.mark().seq), (2, 2), "what was lost was not shown as sent");
    let welcome = blank.until_welcomed().await;
    assert_ne!(welcome.uid, uid);
    assert_eq!(welcome.head, 0);
    assert_eq!(keys_of_lists(&store.store), 0);
    relay.stop().await;
}

#[tokio::test]
async fn a_deleted_list_stays_gone_and_its_name_is_free() {
    let store = Arc::new(MemoryStore::default());
    let relay = TestRelay::start(Arc::clone(&store)).await;
    let mut ana = Site::join(&relay, 1).await;
    let old = ana.list.uid();
    ana.delete("inbox", old).await;
    ana.until_gone(old).await;
    // While the name is free, and when another list has it, open or not, also in a relay that was killed.
    assert_eq!(answer_to(&relay, 2, old).await, ToSite::Gone { uid: old });
    assert_eq!(keys_of_lists(&store), 0);
    let new = ListUid::from_bytes([7; 16]);
    let mut ben = knowing(Site::dial(&relay, 3).await, new);
    ben.open().await;
    let ops = vec![ben.mint(Body::Join(Join::default())), ben.mint_add(1, &key("V"), "new")];
    ben.push(ops).await;
    ben.until_acked().await;
    assert_eq!(answer_to(&relay, 2, old).await, ToSite::Gone { uid: old });
    let other = ListUid::from_bytes([8; 16]);
    let other_list = ToSite::OtherList { name: "inbox".parse().unwrap(), uid: new };
    assert_eq!(answer_to(&relay, 2, other).await, other_list);
    relay.kill().await;
    let relay = TestRelay::start(store).await;
    assert_eq!(answer_to(&relay, 2, old).await, ToSite::Gone { uid: old });
    assert_eq!(answer_to(&relay, 2, other).await, other_list);
    // To delete it once more is no harm to the one that has its name; a list that is unknown is not deleted in its place.
    let mut eve = Site::over(dial(&relay).await, 9);
    eve.delete("inbox", old).await;
    assert_eq!(eve.hear().await, ToSite::Gone { uid: old });
    eve.delete("inbox", other).await;
    assert_eq!(eve.hear().await, other_list);
    ben.reopen(&relay).await;
    for _ in 0..2 {
        eve.delete("inbox", other).await;
        assert_eq!(eve.hear().await, other_list);
        eve.delete("inbox", old).await;
        assert_eq!(eve.hear().await, ToSite::Gone { uid: old });
    }
    let add = ben.mint_add(2, &key("W"), "still here");
    ben.push(vec![add]).await;
    ben.until_acked().await;
    assert_eq!(ben.texts(), ["new", "still here"]);
    relay.stop().await;
}

#[tokio::test]
async fn a_list_that_is_not_there_is_gone_and_leaves_no_trace() {
    let store = Arc::new(MemoryStore::default());
    let relay = TestRelay::start(Arc::clone(&store)).await;
    let before = store.snapshot();
    let uid = ListUid::from_bytes([5; 16]);
    let mut eve = Site::over(dial(&relay).await, 9);
    eve.delete("inbox", uid).await;
    assert_eq!(eve.hear().await, ToSite::Gone { uid });
    assert_eq!(store.snapshot(), before);
    // One that is open and blank is not in the store either; it is deleted all the same.
    let mut ana = knowing(Site::dial(&relay, 1).await, uid);
    ana.open().await;
    eve.delete("inbox", uid).await;
    assert_eq!(eve.hear().await, ToSite::Gone { uid });
    ana.until_gone(uid).await;
    assert_eq!(answer_to(&relay, 2, uid).await, ToSite::Gone { uid });
    relay.stop().await;
}

#[tokio::test]
async fn a_list_that_nobody_has_open_is_deleted_without_being_loaded() {
    let store = Arc::new(MemoryStore::default());
    let (list, entries) = list_of(20);
    stored(&store).commit(&[append_of(&entries)]).unwrap();
    // Damaged: it cannot be loaded.
    let mut batch = betwixt_store::Batch::default();
    let (entry, _) = store.pairs(KeyRange::from_to([0], [8]), usize::MAX).unwrap().pop().unwrap();
    batch.put(entry, "not an entry");
    store.commit(&batch).unwrap();
    let relay = TestRelay::start(Arc::clone(&store)).await;
    let mut ana = Site::dial(&relay, 1).await;
    ana.say(&ana.hello()).await;
    assert_eq!(ana.end().await, End::Closing(CloseReason::Damaged));
    let mut eve = Site::over(dial(&relay).await, 9);
    eve.delete("inbox", list.uid()).await;
    eve.until_gone(list.uid()).await;
    assert_eq!(keys_of_lists(&store), 0);
    relay.stop().await;
}

#[tokio::test]
async fn a_deletion_that_cannot_be_written_deletes_nothing() {
    let store = Arc::new(MemoryStore::default());
    let relay = TestRelay::start(Arc::clone(&store)).await;
    let mut ana = Site::join(&relay, 1).await;
    let uid = ana.list.uid();
    let add = ana.mint_add(1, &key("V"), "milk");
    ana.push(vec![add]).await;
    ana.until_acked().await;
    let before = store.snapshot();
    let mut eve = Site::over(dial(&relay).await, 9);
    store.fail_next_commits(1);
    eve.delete("inbox", uid).await;
    assert_eq!(eve.end().await, End::Closing(CloseReason::Storage));
    assert_eq!(ana.end().await, End::Closing(CloseReason::Storage));
    assert!(!ana.heard.iter().any(|message| matches!(message, ToSite::Gone { .. })));
    assert_eq!(store.snapshot(), before);
    // When the store is open again the list is there, and can be deleted.
    loop {
        ana.web = dial(&relay).await;
        ana.say(&ana.hello()).await;
        match ana.try_hear().await {
            Ok(ToSite::Welcome(welcome)) => break assert_eq!((welcome.uid, welcome.head), (uid, 2)),
            Ok(ToSite::Closing { reason: CloseReason::Storage, .. }) => {}
            other => panic!("{other:?}"),
        }
    }
    ana.delete("inbox", uid).await;
    ana.until_gone(uid).await;
    assert_eq!(keys_of_lists(&store), 0);
    relay.stop().await;
}

/// What a link reads of the log may be that of another list that has taken the name while it was being read.
#[tokio::test]
async fn a_link_that_is_fed_a_deleted_list_gets_nothing_of_the_next_one() {
    let store = Gated::default();
    let (list, entries) = list_of(20);
    stored(&store.store).commit(&[append_of(&entries)]).unwrap();
    let relay = TestRelay::start(store.clone()).await;
    let mut eve = Site::dial(&relay, 9).await;
    eve.pending = true;
    eve.open().await;
    eve.until_seq(21).await;
    store.hold_next_scan();
    let mut slow = Site::dial(&relay, 1).await;
    slow.pending = true;
    slow.open().await;
    until("the log is being read for it", || store.holds_scan()).await;
    eve.delete("inbox", list.uid()).await;
    eve.until_gone(list.uid()).await;
    (eve.knows_list, eve.pending) = (false, false);
    eve.open().await;
    let mut ops = vec![eve.mint(Body::Join(Join::default()))];
    ops.extend((0..30).map(|item| eve.mint_add(item, &key("V"), "another list's")));
    eve.push(ops).await;
    eve.until_acked().await;
    store.let_go();
    slow.until_gone(list.uid()).await;
    slow.say(&ToRelay::Lists(Listing { prefix: "".into(), after: None, limit: 9 })).await;
    slow.until(|message| matches!(message, ToSite::Lists { .. })).await;
    assert_eq!(slow.seqs, [0; 0]);
    relay.stop().await;
}

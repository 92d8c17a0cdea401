//! Which lists there are.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use betwixt_core::hlc::Millis;
use betwixt_core::id::ListUid;
use betwixt_core::op::{Body, Join, ListPut};
use betwixt_core::wire::{Listed, Listing, ToRelay, ToSite};
use betwixt_relay::engine::{Append, Change, Engine as _, LISTED_MAX, Meta, Record};
use betwixt_store::memory::MemoryStore;
use proptest::prelude::*;

use crate::relay::TestRelay;
use crate::site::{Site, dial, key};
use crate::snapshots::stored;
use crate::stores::Watched;

fn asking(prefix: &str, after: Option<&str>, limit: u16) -> Listing {
    Listing { prefix: prefix.into(), after: after.map(|after| after.parse().unwrap()), limit }
}

/// Asks, and returns the lists and whether there are more.
async fn listed(site: &mut Site, asked: Listing) -> (Vec<Listed>, bool) {
    site.say(&ToRelay::Lists(asked.clone())).await;
    let answer = site.until(|message| matches!(message, ToSite::Lists { .. } | ToSite::Unreadable)).await;
    let ToSite::Lists { asked: answered, lists, more } = answer else { panic!("it is answered: {answer:?}") };
    assert_eq!(answered, asked);
    (lists, more)
}

fn names(lists: &[Listed]) -> Vec<&str> {
    lists.iter().map(|listed| listed.name.as_str()).collect()
}

fn meta(number: u16, title: &str) -> Meta {
    let mut uid = [0; 16];
    uid[..2].copy_from_slice(&number.to_be_bytes());
    Meta { uid: ListUid::from_bytes(uid), made: Millis(1), title: title.into() }
}

/// A list with a log of so many records, which nobody looks into here.
fn append(name: &str, meta: Meta, records: u64) -> Change {
    let records = (1..=records).map(|seq| Record { seq, bytes: vec![0; 40].into() }).collect();
    Append { name: name.parse().unwrap(), meta: Some(meta), records }.into()
}

#[tokio::test]
async fn lists_are_told_in_order_with_their_titles_to_who_has_opened_none() {
    let store = Arc::new(MemoryStore::default());
    let relay = TestRelay::start(Arc::clone(&store)).await;
    let mut uids = Vec::new();
    for (number, name) in (1..).zip(["work", "a", "a-b", "a.b", "ab", "Z"]) {
        let mut site = Site::dial(&relay, number).await;
        site.name = name.to_owned();
        uids.push((name, site.open().await.uid));
        let mut ops = vec![site.mint(Body::Join(Join::default()))];
        if name == "work" {
            ops.push(site.mint(Body::List(ListPut { title: "Work, first".into() })));
            ops.push(site.mint(Body::List(ListPut { title: "Work".into() })));
        }
        site.push(ops).await;
        site.until_acked().await;
    }
    // Open, but nothing was ever written into it.
    let mut blank = Site::dial(&relay, 9).await;
    blank.name = "blank".to_owned();
    blank.open().await;
    let mut asker = Site::over(dial(&relay).await, 8);
    let (lists, more) = listed(&mut asker, asking("", None, 100)).await;
    assert_eq!((names(&lists), more), (vec!["Z", "a", "a-b", "a.b", "ab", "work"], false));
    for Listed { name, uid, title } in &lists {
        assert!(uids.contains(&(name.as_str(), *uid)), "{name}");
        assert_eq!(title, if name.as_str() == "work" { "Work" } else { "" });
    }
    // The link counts as greeted: what another list's site could say is passed over.
    asker.push(vec![]).await;
    let (lists, more) = listed(&mut asker, asking("a", Some("a"), 2)).await;
    assert_eq!((names(&lists), more), (vec!["a-b", "a.b"], true));
    assert_eq!(listed(&mut asker, asking("a", Some("a.b"), 2)).await.0.len(), 1);
    assert_eq!(listed(&mut asker, asking("b", None, 2)).await, (vec![], false));
    assert_eq!(listed(&mut asker, asking("", Some("work"), 2)).await, (vec![], false));
    assert_eq!(listed(&mut asker, asking("", None, 0)).await, (vec![], true));
    // And it can open a list afterwards.
    asker.name = "work".to_owned();
    asker.open().await;
    relay.stop().await;
    // The titles are on the disk.
    let relay = TestRelay::start(store).await;
    let mut asker = Site::over(dial(&relay).await, 8);
    assert_eq!(listed(&mut asker, asking("w", None, 9)).await.0[0].title, "Work");
    relay.stop().await;
}

#[tokio::test]
async fn a_title_follows_the_op_that_won_and_no_other_op_writes_it() {
    let store = Arc::new(MemoryStore::default());
    let relay = TestRelay::start(Arc::clone(&store)).await;
    let mut ana = Site::join(&relay, 1).await;
    let mut ben = Site::join(&relay, 2).await;
    // A stamp far below the other's: it is sequenced, and loses.
    ben.wall = Millis(1_000);
    for (site, title) in [(&mut ana, "first"), (&mut ben, "lost")] {
        let op = site.mint(Body::List(ListPut { title: title.into() }));
        site.push(vec![op]).await;
        site.until_acked().await;
        let engine = stored(&store);
        assert_eq!(engine.lists(&asking("", None, 1)).unwrap().lists[0].title, "first");
    }
    let before = store.snapshot().len();
    let add = ana.mint_add(1, &key("V"), "milk");
    ana.push(vec![add]).await;
    ana.until_acked().await;
    assert_eq!(store.snapshot().len(), before + 1, "one entry");
    relay.stop().await;
}

#[tokio::test]
async fn an_answer_fits_one_message_and_says_that_there_are_more() {
    let store = Arc::new(MemoryStore::default());
    let title = "t".repeat(4_096);
    let lists: Vec<Change> =
        (0..300).map(|number| append(&format!("list-{number:03}"), meta(number, &title), 1)).collect();
    let short: Vec<Change> = (0..300).map(|number| append(&format!("s{number:03}"), meta(number, ""), 1)).collect();
    stored(&store).commit(&[lists, short].concat()).unwrap();
    let relay = TestRelay::start(store).await;
    let mut asker = Site::over(dial(&relay).await, 8);
    let mut after: Option<String> = None;
    let mut seen = Vec::new();
    loop {
        // The site itself checks that no message is over the limit.
        let (lists, more) = listed(&mut asker, asking("list", after.as_deref(), u16::MAX)).await;
        assert!(!lists.is_empty() && lists.len() < 16, "{}", lists.len());
        seen.extend(lists.iter().map(|listed| listed.name.to_string()));
        after = seen.last().cloned();
        if !more {
            break;
        }
    }
    assert_eq!(seen, (0..300).map(|number| format!("list-{number:03}")).collect::<Vec<_>>());
    let (lists, more) = listed(&mut asker, asking("s", None, u16::MAX)).await;
    assert_eq!((lists.len(), more), (usize::from(LISTED_MAX), true));
    // A prefix of no name, also one that would read as a place inside a list, has no lists.
    for prefix in ["s000\0", "é", "s000\0\u{3}", "s 0"] {
        assert_eq!(listed(&mut asker, asking(prefix, None, 9)).await, (vec![], false));
    }
    assert_eq!(listed(&mut asker, asking(&"s".repeat(1_000), None, 9)).await, (vec![], false));
    asker.say(&ToRelay::Lists(asking(&"s".repeat(70_000), None, 9))).await;
    assert_eq!(asker.hear().await, ToSite::Unreadable);
    relay.stop().await;
}

#[test]
fn the_directory_reads_one_record_of_a_list_however_long_its_log_is() {
    let store = Arc::new(Watched::default());
    let engine = stored(&store);
    let lists: Vec<Change> = (0..50).map(|number| append(&format!("{number:02}"), meta(number, ""), 100)).collect();
    engine.commit(&lists).unwrap();
    store.visited.store(0, Ordering::Relaxed);
    assert_eq!(engine.lists(&asking("", None, 200)).unwrap().lists.len(), 50);
    assert_eq!(store.visited.load(Ordering::Relaxed), 50);
    store.visited.store(0, Ordering::Relaxed);
    assert_eq!(engine.lists(&asking("", Some("20"), 5)).unwrap().lists.len(), 5);
    assert!(store.visited.load(Ordering::Relaxed) <= 8 + 6);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn pages_are_what_a_sorted_set_of_names_gives(
        names in prop::collection::btree_set("[a-c][-.0a]{0,3}", 0..60),
        prefix in "[a-c]?[-.0a]?",
        limit in 1_u16..9,
    ) {
        let store = Arc::new(MemoryStore::default());
        let engine = stored(&store);
        let lists: Vec<Change> = (0..).zip(&names).map(|(number, name)| append(name, meta(number, name), 2)).collect();
        engine.commit(&lists).unwrap();
        let expected: BTreeSet<&String> = names.iter().filter(|name| name.starts_with(&prefix)).collect();
        let mut seen: Vec<String> = Vec::new();
        loop {
            let page = engine.lists(&asking(&prefix, seen.last().map(String::as_str), limit)).unwrap();
            prop_assert!(page.lists.iter().all(|listed| listed.title == listed.name.as_str()));
            prop_assert!(page.lists.len() == usize::from(limit) || !page.more);
            seen.extend(page.lists.iter().map(|listed| listed.name.to_string()));
            if !page.more {
                break;
            }
        }
        prop_assert!(seen.iter().eq(expected), "{seen:?}");
    }
}

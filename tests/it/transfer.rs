//! Items that go to another list: there first, gone from here when the relay has them; lost or doubled at no point.

use std::collections::BTreeSet;
use std::sync::Arc;

use betwixt_client::site::{Moved, News, Opening, os_random, rescue};
use betwixt_client::{Folder, LinkStatus, Site, Sites};
use betwixt_core::edit::{Edit, EditFault, Spot};
use betwixt_core::id::ItemId;
use betwixt_core::name::ListName;
use betwixt_core::op::body::Kinds;
use betwixt_core::register::Register;
use betwixt_tests::home::Home;
use betwixt_tests::relay::Relay;
use betwixt_tests::wait::LONG;
use futures_util::FutureExt as _;

fn name(name: &str) -> ListName {
    name.parse().expect("a name")
}

fn opening(home: &Home) -> Opening {
    let folder = Folder::open(home.data()).expect("a folder");
    let address = home.environment().into_iter().find(|(name, _)| name == "BETWIXT_RELAY").expect("a relay").1;
    let address = address.parse().expect("an address");
    Opening { folder, address, name: name("here"), person: "ana".into(), kinds: Kinds::KNOWN }
}

/// The lists of a window that is opened at this home.
fn window(home: &Home) -> Sites {
    let opening = opening(home);
    let slot = opening.folder.lease(&mut os_random).expect("a slot is free");
    Sites::new(Arc::new(slot), opening)
}

/// Fills a list with so many items, all sent.
async fn fill(site: &Site, count: usize) -> Vec<ItemId> {
    let items = (0..count).map(|number| vec![Register::Text(format!("item {number}").into())]).collect();
    let outcome = site.edit(&Edit::Add { spot: Spot::Bottom, items }).expect("it is added");
    settled(site).await;
    outcome.items
}

async fn settled(site: &Site) {
    let is_settled = |status: &betwixt_client::Status| status.unsent == 0 && status.link == LinkStatus::Live;
    assert!(site.wait_until(LONG, is_settled).await, "{:?}", site.status());
}

fn texts(site: &Site) -> Vec<String> {
    site.read(|list| list.live().map(|(_, item)| item.text().to_owned()).collect())
}

fn numbered(numbers: std::ops::Range<usize>) -> Vec<String> {
    numbers.map(|number| format!("item {number}")).collect()
}

async fn carried(sites: &Sites) -> Vec<Moved> {
    let mut told = Vec::new();
    let from = name("here");
    let carrying = sites.carry(&from, |news| {
        if let News::Done(moved) = news {
            told.push(moved);
        }
    });
    tokio::time::timeout(LONG, carrying).await.expect("in time").expect("the lists open");
    told
}

/// Two lists of a window that have something in them, with the items of the first.
async fn two(home: &Home) -> (Arc<Sites>, Arc<Site>, Arc<Site>, Vec<ItemId>) {
    let sites = Arc::new(window(home));
    let here = sites.open(&name("here")).await.expect("it opens");
    let there = sites.open(&name("there")).await.expect("it opens");
    let items = fill(&here, 3).await;
    settled(&there).await;
    there.edit(&Edit::Title("There".into())).expect("it is made");
    settled(&there).await;
    (sites, here, there, items)
}

async fn offline(site: &Site) {
    assert!(site.wait_until(LONG, |status| status.link == LinkStatus::Offline).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn items_go_to_the_end_of_another_list_in_their_order_and_back_again() {
    let relay = Relay::default();
    let home = Home::at_relay(&relay.url());
    let sites = window(&home);
    let here = sites.open(&name("here")).await.expect("it opens");
    let there = sites.open(&name("there")).await.expect("it opens");
    let items = fill(&here, 6).await;
    there.edit(&Edit::Add { spot: Spot::Top, items: vec![vec![Register::Text("first".into())]] }).expect("added");

    here.send_off(items[1..4].to_vec(), name("there")).expect("it is kept");
    let moved = carried(&sites).await;
    assert_eq!(moved, [Moved { to: name("there"), arrived: 3, stayed: 0, why: None }]);
    settled(&here).await;
    assert_eq!(home.texts("here"), ["item 0", "item 4", "item 5"]);
    assert_eq!(home.texts("there"), ["first", "item 1", "item 2", "item 3"]);

    there.send_off(vec![items[2]], name("here")).expect("it is kept");
    sites.carry(&name("there"), |_| {}).await.expect("the lists open");
    settled(&there).await;
    assert_eq!(home.texts("here"), ["item 0", "item 4", "item 5", "item 2"]);
    assert_eq!(home.texts("there"), ["first", "item 1", "item 3"]);

    let undone = here.edit(&Edit::Undo).expect("the first step is there");
    assert_eq!(undone.did, betwixt_core::edit::Did::Added, "a move to another list is no step of undo");
    sites.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_transfer_that_is_cut_off_is_finished_by_the_next_window() {
    let mut relay = Relay::default();
    let home = Home::at_relay(&relay.url());
    let sites = window(&home);
    let here = sites.open(&name("here")).await.expect("it opens");
    let items = fill(&here, 20).await;

    relay.kill();
    assert!(here.wait_until(LONG, |status| status.link == LinkStatus::Offline).await);
    here.send_off(items[..10].to_vec(), name("there")).expect("it is kept");
    assert!(sites.carry(&name("here"), |_| {}).now_or_never().is_none(), "it waits for a link");
    let there = sites.open(&name("there")).await.expect("it opens");
    assert_eq!(texts(&there), [""; 0], "nothing is made in a list that nobody has read");
    assert_eq!(texts(&here), numbered(0..20), "until they are there, they are here");
    sites.close().await;
    drop((here, there, sites));

    relay.restart();
    rescue::rescue(&opening(&home), |_| {}).await.expect("the slot is free");
    assert_eq!(home.texts("there"), numbered(0..10));
    assert_eq!(home.texts("here"), numbered(10..20));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cut_between_the_halves_neither_loses_nor_doubles() {
    let mut relay = Relay::default();
    let home = Home::at_relay(&relay.url());
    let other = Home::at_relay(&relay.url());
    let sites = Arc::new(window(&home));
    let here = sites.open(&name("here")).await.expect("it opens");
    let there = sites.open(&name("there")).await.expect("it opens");
    let items = fill(&here, 200).await;
    settled(&there).await;

    relay.kill();
    assert!(there.wait_until(LONG, |status| status.link == LinkStatus::Offline).await);
    there.edit(&Edit::Title("There".into())).expect("it is kept");
    here.send_off(items[..100].to_vec(), name("there")).expect("it is kept");
    let carrying = tokio::spawn({
        let sites = Arc::clone(&sites);
        async move { carried(&sites).await }
    });
    // They are written there, and not sent, when the program ends.
    assert!(there.wait_until(LONG, |status| status.unsent > 100).await);
    assert_eq!(texts(&here).len(), 200);
    carrying.abort();
    sites.close().await;
    drop((here, there, sites, carrying.await));

    // Meanwhile somebody else changes one of them here.
    relay.restart();
    let id = items[7].to_string();
    other.ok(["edit", "here", &id, "item", "7", "by", "another"]);
    let sites = window(&home);
    let moved = carried(&sites).await;
    let here = sites.open(&name("here")).await.expect("it opens");
    let there = sites.open(&name("there")).await.expect("it opens");
    assert_eq!(moved, [Moved { to: name("there"), arrived: 100, stayed: 0, why: None }]);
    settled(&here).await;
    settled(&there).await;
    let (here_now, there_now) = (other.texts("here"), other.texts("there"));
    let ids = |list: &str| -> BTreeSet<String> {
        other.json(["ls", list]).as_array().expect("rows").iter().map(|row| row["id"].to_string()).collect()
    };
    assert!(ids("here").is_disjoint(&ids("there")));
    assert_eq!((here_now.len(), there_now.len()), (100, 100));
    assert_eq!(here_now, numbered(100..200));
    assert_eq!(there_now[7], "item 7 by another", "what was changed here goes after it");
    sites.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_the_other_list_does_not_take_stays_and_says_why() {
    let relay = Relay::start(&["--limit", "items=8"]);
    let home = Home::at_relay(&relay.url());
    let sites = window(&home);
    let here = sites.open(&name("here")).await.expect("it opens");
    let there = sites.open(&name("there")).await.expect("it opens");
    let items = fill(&here, 6).await;
    fill(&there, 5).await;
    let other = Home::at_relay(&relay.url());
    other.ok(["add", "there", "fast"]);
    other.ok(["add", "there", "faster"]);
    // What this window has read of the other list leaves room for all of them, and the relay has room for one.
    here.send_off(items[..3].to_vec(), name("there")).expect("it is kept");
    let moved = carried(&sites).await;
    let [Moved { arrived, stayed, why: Some(why), .. }] = &moved[..] else { panic!("{moved:?}") };
    assert_eq!(arrived + stayed, 3);
    assert!(why.contains("full"), "{why}");
    settled(&here).await;
    assert_eq!(other.texts("here").len(), 6 - arrived);
    assert_eq!(other.texts("there").len(), 7 + arrived);
    assert!(there.kept().is_empty(), "what stays here is not in the drawer there as well");
    sites.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_item_that_is_still_on_its_way_does_not_go_on_or_back() {
    let mut relay = Relay::default();
    let home = Home::at_relay(&relay.url());
    let (sites, here, there, items) = two(&home).await;
    relay.kill();
    offline(&here).await;
    offline(&there).await;
    here.send_off(items[..1].to_vec(), name("there")).expect("it is kept");
    let carrying = tokio::spawn({
        let sites = Arc::clone(&sites);
        async move { carried(&sites).await }
    });
    assert!(there.wait_until(LONG, |status| status.unsent > 0).await);
    assert_eq!(there.send_off(items[..1].to_vec(), name("here")), Err(EditFault::Coming));
    relay.restart();
    assert_eq!(carrying.await.expect("it ends").len(), 1);
    settled(&here).await;
    there.send_off(items[..1].to_vec(), name("here")).expect("it is there now");
    sites.carry(&name("there"), |_| {}).await.expect("the lists open");
    settled(&there).await;
    assert_eq!((home.texts("here").len(), home.texts("there").len()), (3, 0));
    sites.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_in_a_deleted_list_before_has_not_arrived_there() {
    let relay = Relay::default();
    let home = Home::at_relay(&relay.url());
    let (sites, here, there, items) = two(&home).await;
    here.send_off(items[..1].to_vec(), name("there")).expect("it is kept");
    carried(&sites).await;
    there.send_off(items[..1].to_vec(), name("here")).expect("it is kept");
    sites.carry(&name("there"), |_| {}).await.expect("the lists open");
    settled(&there).await;
    Home::at_relay(&relay.url()).ok(["delete", "there", "--yes"]);
    assert!(there.wait_until(LONG, |status| status.link == LinkStatus::Gone).await);

    here.send_off(items[..1].to_vec(), name("there")).expect("it is kept");
    let moved = carried(&sites).await;
    assert!(matches!(&moved[..], [Moved { arrived: 0, stayed: 1, .. }]), "{moved:?}");
    settled(&here).await;
    assert_eq!(home.texts("here").len(), 3, "it is nowhere else");
    sites.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn items_wait_for_what_is_decided_about_the_list_that_they_go_to() {
    for merges in [false, true] {
        let mut relay = Relay::default();
        let home = Home::at_relay(&relay.url());
        let sites = Arc::new(window(&home));
        let here = sites.open(&name("here")).await.expect("it opens");
        let items = fill(&here, 3).await;
        relay.kill();
        offline(&here).await;
        let there = sites.open(&name("there")).await.expect("it opens");
        let mine = vec![vec![Register::Text("mine".into())]];
        there.edit(&Edit::Add { spot: Spot::Top, items: mine }).expect("it is kept");
        here.send_off(items[..1].to_vec(), name("there")).expect("it is kept");
        let carrying = tokio::spawn({
            let sites = Arc::clone(&sites);
            async move { carried(&sites).await }
        });
        assert!(there.wait_until(LONG, |status| status.unsent > 1).await);
        carrying.abort();
        sites.close().await;
        drop((here, there, sites, carrying.await));

        relay.restart();
        let other = Home::at_relay(&relay.url());
        other.ok(["add", "there", "theirs"]);
        let sites = Arc::new(window(&home));
        let here = sites.open(&name("here")).await.expect("it opens");
        let there = sites.open(&name("there")).await.expect("it opens");
        let (news, mut told) = tokio::sync::mpsc::unbounded_channel();
        let carrying = tokio::spawn({
            let sites = Arc::clone(&sites);
            async move { sites.carry(&name("here"), |one| news.send(one).expect("it is heard")).await }
        });
        let Some(News::Wait(why)) = told.recv().await else { panic!("it waits") };
        assert!(why.contains("another list called there"), "{why}");
        if merges { there.merge() } else { there.keep_as(&name("mine")) }.expect("it is decided");
        assert!(matches!(told.recv().await, Some(News::Done(Moved { arrived: 1, stayed: 0, .. }))));
        carrying.await.expect("it ends").expect("the lists open");
        settled(&here).await;
        settled(&there).await;
        let all = ["here", "there", "mine"].map(|list| other.texts(list));
        let count = all.iter().flatten().filter(|text| *text == "item 0").count();
        assert_eq!((count, all[0].len()), (1, 2), "{all:?}");
        sites.close().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_refused_before_stays_in_the_drawer() {
    let mut relay = Relay::start(&["--limit", "text_bytes=16"]);
    let home = Home::at_relay(&relay.url());
    let (sites, here, there, items) = two(&home).await;
    here.send_off(items[..1].to_vec(), name("there")).expect("it is kept");
    carried(&sites).await;
    settled(&there).await;
    sites.close().await;
    drop((here, there, sites));
    // A window that has not met the relay does not know its limits.
    relay.kill();
    let sites = window(&home);
    let here = sites.open(&name("here")).await.expect("it opens");
    let there = sites.open(&name("there")).await.expect("it opens");
    let writes = vec![(items[0], vec![Register::Text("a text that is too long".into())])];
    there.edit(&Edit::Set { writes }).expect("it is kept");
    relay.restart();
    assert!(there.wait_until(LONG, |status| status.kept == 1).await);
    let kept = there.kept();
    there.send_off(items[..1].to_vec(), name("here")).expect("it is kept");
    sites.carry(&name("there"), |_| {}).await.expect("the lists open");
    settled(&there).await;
    here.send_off(items[..1].to_vec(), name("there")).expect("it is kept");
    let moved = carried(&sites).await;
    assert!(matches!(&moved[..], [Moved { arrived: 1, stayed: 0, .. }]), "{moved:?}");
    assert_eq!(there.kept(), kept);
    sites.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_list_that_somebody_has_open_is_not_closed_as_unused() {
    let relay = Relay::default();
    let home = Home::at_relay(&relay.url());
    let (sites, _here, there, _) = two(&home).await;
    sites.show(&name("here")).await.expect("it opens");
    sites.send_rest().await;
    let again = sites.open(&name("there")).await.expect("it opens");
    assert!(Arc::ptr_eq(&there, &again), "two sites on one replica undo each other's work");
    again.edit(&Edit::Title("Still".into())).expect("it is made");
    settled(&again).await;
    sites.close().await;
}

//! What a link may do, and what becomes of it.

use betwixt_core::hlc::Millis;
use betwixt_core::id::ListUid;
use betwixt_core::limits::Limits;
use betwixt_core::wire::{CloseReason, SUBPROTOCOL, ToRelay, ToSite};
use betwixt_relay::Options;
use betwixt_store::memory::MemoryStore;
use futures_util::{SinkExt as _, StreamExt as _};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::{Error, Message};

use crate::relay::TestRelay;
use crate::site::{End, Site, dial, key, upgrade};

#[tokio::test]
async fn an_older_link_of_a_site_is_closed() {
    let relay = TestRelay::start(MemoryStore::default()).await;
    let mut older = Site::join(&relay, 1).await;
    let mut newer = Site::dial(&relay, 1).await;
    newer.open().await;
    assert_eq!(older.end().await, End::Closing(CloseReason::Replaced));
    newer.until_seq(1).await;
    (newer.ctr, newer.prev) = (1, 1);
    let add = newer.mint_add(1, &key("V"), "milk");
    newer.push(vec![add]).await;
    newer.until_acked().await;
    relay.stop().await;
}

#[tokio::test]
async fn another_list_of_that_name_is_named() {
    let relay = TestRelay::start(MemoryStore::default()).await;
    let ana = Site::join(&relay, 1).await;
    let mut ben = Site::dial(&relay, 2).await;
    ben.list = betwixt_core::list::List::new(ListUid::from_bytes([7; 16]));
    ben.knows_list = true;
    ben.say(&ben.hello()).await;
    let answer = ben.hear().await;
    assert_eq!(answer, ToSite::OtherList { name: "inbox".parse().unwrap(), uid: ana.list.uid() });
    // The link stays: under another name the list is made with the identity that the site brings.
    ben.name = "mine".to_owned();
    assert_eq!(ben.open().await.uid, ListUid::from_bytes([7; 16]));
    relay.stop().await;
}

#[tokio::test]
async fn one_link_has_several_lists_open() {
    let limits = Limits { lists_per_link: 2, ..Limits::DEFAULT };
    let relay = TestRelay::start_with(MemoryStore::default(), Options { limits, ..Options::default() }).await;
    let mut ana = Site::join(&relay, 1).await;
    let inbox = ana.list.clone();
    ana.name = "other".to_owned();
    ana.knows_list = false;
    let other = ana.open().await.uid;
    assert_ne!(other, inbox.uid());
    ana.say(&ToRelay::Leave { list: other }).await;
    ana.name = "third".to_owned();
    ana.knows_list = false;
    ana.open().await;
    // What is pushed to a list that was left is not read.
    let join = ana.mint(betwixt_core::op::Body::Join(betwixt_core::op::Join::default()));
    ana.say(&ToRelay::Push { list: other, ops: vec![join] }).await;
    ana.name = "fourth".to_owned();
    ana.say(&ana.hello()).await;
    assert_eq!(ana.end().await, End::Closing(CloseReason::Limit));
    relay.stop().await;
}

#[tokio::test]
async fn who_does_not_say_hello_is_told_and_closed() {
    let relay = TestRelay::start(MemoryStore::default()).await;
    let mut silent = Site::dial(&relay, 1).await;
    let mut rude = Site::dial(&relay, 2).await;
    rude.say(&ToRelay::Leave { list: ListUid::from_bytes([0; 16]) }).await;
    assert_eq!(rude.end().await, End::Closing(CloseReason::NoHello));
    let mut old = Site::dial(&relay, 3).await;
    let ToRelay::Hello(mut hello) = old.hello() else { panic!("it is a hello") };
    hello.versions = vec![99];
    old.say(&ToRelay::Hello(hello)).await;
    assert_eq!(old.end().await, End::Closing(CloseReason::Version));
    assert_eq!(silent.end().await, End::Closing(CloseReason::NoHello));
    relay.stop().await;
}

#[tokio::test]
async fn a_browser_and_a_stranger_get_no_link() {
    let relay = TestRelay::start(MemoryStore::default()).await;
    let cases: [(&[(&'static str, &str)], u16); 3] = [
        (&[("sec-websocket-protocol", SUBPROTOCOL), ("origin", "http://example.org")], 403),
        (&[], 400),
        (&[("sec-websocket-protocol", "chat, betwixt.9")], 400),
    ];
    for (headers, status) in cases {
        let socket = TcpStream::connect(relay.address).await.unwrap();
        match upgrade(socket, headers).await {
            Err(Error::Http(response)) => assert_eq!(response.status().as_u16(), status),
            other => panic!("{headers:?}: {:?}", other.map(|_| "a link")),
        }
    }
    let socket = TcpStream::connect(relay.address).await.unwrap();
    upgrade(socket, &[("sec-websocket-protocol", "betwixt.9, betwixt.1")]).await.unwrap();
    relay.stop().await;
}

#[tokio::test]
async fn too_fast_is_told_to_wait_and_nothing_is_lost() {
    let limits = Limits { ops_per_second: 1_000, ops_burst: 50, ..Limits::DEFAULT };
    let relay = TestRelay::start_with(MemoryStore::default(), Options { limits, ..Options::default() }).await;
    let mut ana = Site::join(&relay, 1).await;
    for item in 0..3 {
        let ops = (0..60).map(|n| ana.mint_add(item * 100 + n, &key("V"), "x")).collect();
        ana.push(ops).await;
    }
    ana.until_acked().await;
    assert_eq!(ana.texts().len(), 180);
    let waits = ana.heard.iter().filter(|message| matches!(message, ToSite::Wait { retry_after } if retry_after.0 > 0));
    assert!(waits.count() >= 2);
    relay.stop().await;
}

#[tokio::test]
async fn the_relays_clock_and_limits_are_told() {
    let limits = Limits { items: 77, ..Limits::DEFAULT };
    let relay =
        TestRelay::start_with(MemoryStore::default(), Options { limits: limits.clone(), ..Options::default() }).await;
    let mut ana = Site::dial(&relay, 1).await;
    let welcome = ana.open().await;
    assert_eq!((welcome.limits, welcome.head, welcome.last), (limits, 0, None));
    assert!(betwixt_relay::clock::now().since(welcome.clock) < Millis(20_000));
    relay.stop().await;
}

#[tokio::test]
async fn a_ping_is_answered() {
    let relay = TestRelay::start(MemoryStore::default()).await;
    let mut web = dial(&relay).await;
    web.send(Message::Ping(b"here"[..].into())).await.unwrap();
    let answer = crate::relay::within("the pong", web.next()).await.unwrap().unwrap();
    assert_eq!(answer, Message::Pong(b"here"[..].into()));
    relay.stop().await;
}

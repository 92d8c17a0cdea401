//! Bytes and ops that no site of ours sends.

use betwixt_core::hlc::Millis;
use betwixt_core::id::ListUid;
use betwixt_core::op::body::Kinds;
use betwixt_core::op::{Body, Op, kind};
use betwixt_core::wire::{Message as _, RefusedCode, ToRelay, ToSite};
use betwixt_relay::Options;
use betwixt_store::memory::MemoryStore;
use tokio_tungstenite::tungstenite::Message;

use crate::relay::TestRelay;
use crate::site::{End, Site, item_id, key};

#[tokio::test]
async fn what_cannot_be_read_is_said_and_the_link_goes_on() {
    let relay = TestRelay::start(MemoryStore::default()).await;
    let mut ana = Site::join(&relay, 1).await;
    let push = ToRelay::Push { list: ana.list.uid(), ops: vec![] }.to_bytes();
    let unreadable: [Message; 5] = [
        Message::Binary(vec![1, 2, 3].into()),
        Message::Binary(Vec::new().into()),
        Message::Binary([&push[..], &[0]].concat().into()),
        Message::Binary(vec![0xff; 17].into()),
        Message::Text("hello".into()),
    ];
    let mut expected = 0;
    for message in unreadable {
        // A kind that is not known yet is skipped: it may be of a later version.
        let is_unknown_kind = matches!(&message, Message::Binary(bytes) if bytes.first() == Some(&0xff));
        ana.send(message).await;
        expected += usize::from(!is_unknown_kind);
    }
    let add = ana.mint_add(1, &key("V"), "milk");
    ana.push(vec![add]).await;
    ana.until_acked().await;
    let said = ana.heard.iter().filter(|message| **message == ToSite::Unreadable).count();
    assert_eq!(said, expected);
    relay.stop().await;
}

#[tokio::test]
async fn a_message_over_the_limit_closes_its_link_only() {
    let relay = TestRelay::start(MemoryStore::default()).await;
    let mut ana = Site::join(&relay, 1).await;
    let mut eve = Site::join(&relay, 2).await;
    eve.send(Message::Binary(vec![1; 257 * 1024].into())).await;
    assert_eq!(eve.end().await, End::Code(1009));
    let add = ana.mint_add(1, &key("V"), "milk");
    ana.push(vec![add]).await;
    ana.until_acked().await;
    relay.stop().await;
}

/// Sends ops of which each is refused, and then one that is not.
async fn check_refused(mint: impl FnOnce(&mut Site) -> Op, code: RefusedCode) {
    let relay = TestRelay::start(MemoryStore::default()).await;
    let mut eve = Site::join(&relay, 1).await;
    let before = eve.prev;
    let op = mint(&mut eve);
    eve.prev = before;
    eve.push(vec![op.clone()]).await;
    let refused = eve.until(|message| matches!(message, ToSite::Refused { .. })).await;
    assert_eq!(refused, ToSite::Refused { list: eve.list.uid(), op: op.id(), code });
    eve.wall = betwixt_relay::clock::now();
    let add = eve.mint_add(1, &key("V"), "milk");
    eve.push(vec![add]).await;
    eve.until_acked().await;
    assert_eq!(eve.texts(), ["milk"]);
    relay.stop().await;
}

#[tokio::test]
async fn the_op_of_another_site_is_refused() {
    let foreign = |eve: &mut Site| {
        let own = eve.mint_add(9, &key("V"), "x");
        let id = betwixt_core::id::OpId { site: betwixt_core::id::SiteId::from_bytes([8; 16]), ctr: own.ctr };
        Op::new(id, own.prev, own.epoch, own.hlc, own.body)
    };
    check_refused(foreign, RefusedCode::ForeignSite).await;
}

#[tokio::test]
async fn a_clock_an_hour_ahead_is_refused() {
    let ahead = |eve: &mut Site| {
        eve.wall = eve.wall.plus(Millis(3_600_000));
        eve.mint_add(9, &key("V"), "x")
    };
    check_refused(ahead, RefusedCode::Clock).await;
}

#[tokio::test]
async fn a_text_over_the_limit_and_one_with_controls_are_refused() {
    check_refused(|eve| eve.mint_add(9, &key("V"), &"x".repeat(4_097)), RefusedCode::TooLarge).await;
    check_refused(|eve| eve.mint_add(9, &key("V"), "\u{1b}[2J"), RefusedCode::Control).await;
}

#[tokio::test]
async fn a_bad_key_and_an_unknown_kind_are_refused() {
    let bad_key = |eve: &mut Site| {
        let bytes = [&item_id(3).as_bytes()[..], &[2, b'V', b'!'], &[0]].concat();
        eve.mint(Body::read(kind::ADD, &bytes))
    };
    check_refused(bad_key, RefusedCode::BadKey).await;
    for unknown in [kind::REBALANCE, kind::PROBE, 250] {
        let mint = |eve: &mut Site| eve.mint(Body::Unread { kind: unknown, bytes: vec![1, 2] });
        check_refused(mint, RefusedCode::UnknownKind).await;
    }
}

#[tokio::test]
async fn a_kind_that_the_relay_is_told_to_know_passes() {
    let options = Options { kinds: Kinds::KNOWN.and(kind::PROBE), ..Options::default() };
    let relay = TestRelay::start_with(MemoryStore::default(), options).await;
    let mut ana = Site::join(&relay, 1).await;
    let probe = ana.mint(Body::Unread { kind: kind::PROBE, bytes: vec![1, 2] });
    ana.push(vec![probe]).await;
    ana.until_acked().await;
    relay.stop().await;
}

#[tokio::test]
async fn what_is_pushed_to_a_list_that_is_not_open_is_not_read() {
    let relay = TestRelay::start(MemoryStore::default()).await;
    let mut ana = Site::join(&relay, 1).await;
    let mut eve = Site::dial(&relay, 2).await;
    eve.name = "other".to_owned();
    eve.open().await;
    let join = eve.mint(Body::Join(betwixt_core::op::Join::default()));
    for list in [ana.list.uid(), ListUid::from_bytes([9; 16])] {
        eve.say(&ToRelay::Push { list, ops: vec![join.clone()] }).await;
        eve.say(&ToRelay::Here { list, at: None, editing: true }).await;
    }
    eve.push(vec![join]).await;
    eve.until_acked().await;
    let add = ana.mint_add(1, &key("V"), "milk");
    ana.push(vec![add]).await;
    ana.until_acked().await;
    assert_eq!(ana.list.mark().seq, 2);
    relay.stop().await;
}

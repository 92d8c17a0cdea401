//! Every verdict of a room, and what holds whatever two sites push.

use betwixt_core::hlc::{Hlc, Millis, Tick};
use betwixt_core::id::{Hash, ItemId, ListUid, OpId, SiteId};
use betwixt_core::key::Key;
use betwixt_core::limits::Limits;
use betwixt_core::list::List;
use betwixt_core::op::body::Kinds;
use betwixt_core::op::{Add, Body, EpochId, ListPut, Op, Put, kind};
use betwixt_core::register::Register;
use betwixt_core::wire::RefusedCode;
use proptest::prelude::*;

use super::{Room, Rules, Verdict};

const UID: ListUid = ListUid::from_bytes([9; 16]);
const ANA: SiteId = SiteId::from_bytes([1; 16]);
const BEN: SiteId = SiteId::from_bytes([2; 16]);
const NOW: Millis = Millis(1_700_000_000_000);

fn op_at(site: SiteId, ctr: u64, prev: u64, wall: Millis, body: Body) -> Op {
    let hlc = Hlc { tick: Tick { wall, counter: 0 }, site };
    Op::new(OpId { site, ctr }, prev, EpochId::first(UID), hlc, body)
}

fn op(site: SiteId, ctr: u64, prev: u64, body: Body) -> Op {
    op_at(site, ctr, prev, NOW, body)
}

fn item(number: u64) -> ItemId {
    ItemId::from_bytes(number.to_be_bytes())
}

fn add(number: u64, key: &str) -> Body {
    Body::Add(Add { item: item(number), key: Key::parse(key).unwrap(), registers: vec![text("milk")] })
}

fn text(text: &str) -> Register {
    Register::Text(text.into())
}

fn put(number: u64, key: Option<&str>, registers: Vec<Register>) -> Body {
    Body::Put(Put { item: item(number), key: key.map(|key| Key::parse(key).unwrap()), registers })
}

/// A room in which Ana has joined, added item 1 at `V` and titled the list.
fn room() -> Room {
    let mut room = Room::new(List::new(UID));
    for op in [
        op(ANA, 1, 0, Body::Join(betwixt_core::op::Join::default())),
        op(ANA, 2, 1, add(1, "V")),
        op(ANA, 3, 2, title("list")),
    ] {
        assert!(matches!(push(&mut room, op), Verdict::Sequenced(_)));
    }
    room
}

fn title(title: &str) -> Body {
    Body::List(ListPut { title: title.into() })
}

fn push(room: &mut Room, op: Op) -> Verdict {
    push_under(room, op, &Limits::DEFAULT, Kinds::KNOWN)
}

fn push_under(room: &mut Room, op: Op, limits: &Limits, kinds: Kinds) -> Verdict {
    let session = op.site;
    room.push(op, session, NOW, Rules { limits, kinds })
}

#[track_caller]
fn check(op: Op, expected: &Verdict) {
    check_under(op, &Limits::DEFAULT, expected);
}

#[track_caller]
fn check_under(op: Op, limits: &Limits, expected: &Verdict) {
    let mut room = room();
    let before = room.list().state_hash();
    assert_eq!(&push_under(&mut room, op, limits, Kinds::KNOWN), expected);
    assert_eq!(room.list().state_hash(), before, "what is not sequenced changes nothing");
}

#[test]
fn what_comes_next_is_sequenced_behind_the_head() {
    let mut room = room();
    let head = room.head();
    let next = op(ANA, 4, 3, put(1, Some("W"), vec![]));
    let Verdict::Sequenced(entry) = push(&mut room, next.clone()) else { panic!("it comes next") };
    assert_eq!((entry.seq, &entry.op), (4, &next));
    assert_eq!(entry.mark(), head.next(&next, None));
    assert_eq!(room.head(), entry.mark());
    assert_eq!(room.durable().seq, 0, "nothing is durable before the disk says so");
}

#[test]
fn a_counter_may_skip_refused_ops() {
    let mut room = room();
    assert!(matches!(push(&mut room, op(ANA, 9, 3, title("x"))), Verdict::Sequenced(_)));
    assert_eq!(push(&mut room, op(ANA, 5, 3, title("y"))), Verdict::Repeat);
}

#[test]
fn the_op_of_another_site_is_refused() {
    let mut room = room();
    let rules = Rules { limits: &Limits::DEFAULT, kinds: Kinds::KNOWN };
    let verdict = room.push(op(ANA, 4, 3, title("x")), BEN, NOW, rules);
    assert_eq!(verdict, Verdict::Refused(RefusedCode::ForeignSite));
    // Also one that is in the log: what another site has there is not this one's to ask.
    let verdict = room.push(op(ANA, 3, 2, title("list")), BEN, NOW, rules);
    assert_eq!(verdict, Verdict::Refused(RefusedCode::ForeignSite));
}

#[test]
fn what_is_in_the_log_is_a_repeat_or_a_collision() {
    check(op(ANA, 1, 0, Body::Join(betwixt_core::op::Join::default())), &Verdict::Repeat);
    check(op(ANA, 2, 1, add(7, "X")), &Verdict::Repeat);
    check(op(ANA, 3, 2, title("list")), &Verdict::Repeat);
    check(op(ANA, 3, 2, title("other")), &Verdict::Collision { need_seq: 3 });
}

#[test]
fn a_repeat_is_never_refused_whatever_has_changed_since() {
    let mut room = room();
    let added = op(ANA, 4, 3, add(2, "W"));
    assert!(matches!(push(&mut room, added.clone()), Verdict::Sequenced(_)));
    let limits = Limits { items: 1, text_bytes: 1, key_bytes: 0, ..Limits::DEFAULT };
    let long_ago = Rules { limits: &limits, kinds: Kinds::KNOWN };
    assert_eq!(room.push(added, ANA, Millis(0), long_ago), Verdict::Repeat);
}

#[test]
fn an_op_is_refused_for_what_it_shows_by_itself() {
    let refused = |body, code| check(op(ANA, 4, 3, body), &Verdict::Refused(code));
    refused(put(1, None, vec![text(&"x".repeat(4_097))]), RefusedCode::TooLarge);
    refused(put(1, None, vec![text("bell\u{7}")]), RefusedCode::Control);
    refused(put(1, None, vec![]), RefusedCode::Malformed);
    refused(put(1, None, vec![text("a"), text("b")]), RefusedCode::Malformed);
    refused(Body::Join(betwixt_core::op::Join::default()), RefusedCode::Malformed);
    for kind in [kind::REBALANCE, kind::COLLECT, kind::PROBE, 200] {
        refused(Body::Unread { kind, bytes: vec![1] }, RefusedCode::UnknownKind);
    }
    let mut forged = op(ANA, 4, 3, title("x"));
    forged.hash = Hash::from_bytes([0; 32]);
    check(forged, &Verdict::Refused(RefusedCode::Malformed));
    check(op(ANA, 4, 4, title("x")), &Verdict::Refused(RefusedCode::Malformed));
    let limits = Limits { key_bytes: 3, ..Limits::DEFAULT };
    check_under(op(ANA, 4, 3, put(1, Some("VVVV"), vec![])), &limits, &Verdict::Refused(RefusedCode::TooLarge));
}

#[test]
fn a_key_that_is_not_canonical_is_refused_as_such() {
    // Item, a key of one lowest symbol, no registers: as the wire spells them.
    let bytes = [&item(3).as_bytes()[..], &[1, b'!'], &[0]].concat();
    let body = Body::read(kind::ADD, &bytes);
    assert!(matches!(body, Body::Unread { .. }));
    check(op(ANA, 4, 3, body), &Verdict::Refused(RefusedCode::BadKey));
}

#[test]
fn a_clock_far_ahead_is_refused_unless_the_list_is_there_already() {
    let mut room = room();
    let hour = NOW.plus(Millis(3_600_000));
    let ahead = op_at(ANA, 4, 3, hour, title("x"));
    assert_eq!(push(&mut room, ahead.clone()), Verdict::Refused(RefusedCode::Clock));
    let rules = Rules { limits: &Limits::DEFAULT, kinds: Kinds::KNOWN };
    assert!(matches!(room.push(ahead, ANA, hour, rules), Verdict::Sequenced(_)));
    // The relay's clock is set back by an hour: the list goes on from its highest stamp, step by step.
    let next = op_at(ANA, 5, 4, hour, title("y"));
    assert!(matches!(push(&mut room, next), Verdict::Sequenced(_)));
}

#[test]
fn a_site_joins_first() {
    check(op(BEN, 2, 1, title("x")), &Verdict::Refused(RefusedCode::NotJoined));
    let mut room = room();
    assert!(matches!(
        push(&mut room, op(BEN, 1, 0, Body::Join(betwixt_core::op::Join::default()))),
        Verdict::Sequenced(_)
    ));
    assert!(matches!(push(&mut room, op(BEN, 2, 1, title("x"))), Verdict::Sequenced(_)));
    let numbers: Vec<u32> = [ANA, BEN].iter().map(|site| room.list().site(*site).unwrap().number).collect();
    assert_eq!(numbers, [0, 1]);
}

#[test]
fn an_op_whose_predecessor_is_missing_waits_for_it_even_if_it_would_be_refused() {
    check(op(ANA, 5, 4, title("x")), &Verdict::Resend);
    check(op(ANA, 5, 2, title("x")), &Verdict::Resend);
    // The op before it may be the one that adds the item.
    check(op(ANA, 5, 4, put(7, None, vec![text("x")])), &Verdict::Resend);
}

#[test]
fn an_op_of_another_epoch_is_stale_even_if_it_would_be_refused() {
    let mut old = op(ANA, 4, 3, put(7, Some("X"), vec![]));
    old.epoch = EpochId(Hash::from_bytes([3; 32]));
    check(old, &Verdict::Stale { need_seq: 3 });
}

#[test]
fn the_list_refuses_what_does_not_fit_it() {
    check(op(ANA, 4, 3, put(7, None, vec![text("x")])), &Verdict::Refused(RefusedCode::Gone));
    let limits = Limits { items: 1, ..Limits::DEFAULT };
    check_under(op(ANA, 4, 3, add(2, "W")), &limits, &Verdict::Refused(RefusedCode::Full));
    let mut room = room();
    let again = op(ANA, 4, 3, add(1, "W"));
    assert!(matches!(push_under(&mut room, again, &limits, Kinds::KNOWN), Verdict::Sequenced(_)), "no new item");
}

#[test]
fn a_key_may_be_long_but_not_jump() {
    let mut room = room();
    let key = |bytes: usize| "V".repeat(bytes);
    let mut ctr = 3;
    let mut place = |bytes: usize| {
        ctr += 1;
        // A later stamp each time: what counts is how long the keys are that stand.
        push(&mut room, op_at(ANA, ctr, ctr - 1, NOW.plus(Millis(ctr)), put(1, Some(&key(bytes)), vec![])))
    };
    assert!(matches!(place(32), Verdict::Sequenced(_)), "up to the soft limit any length goes");
    assert!(matches!(place(40), Verdict::Sequenced(_)));
    assert_eq!(place(49), Verdict::Refused(RefusedCode::KeyJump));
}

#[test]
fn a_kind_that_the_relay_knows_is_let_in_as_it_is() {
    let kinds = Kinds::KNOWN.and(kind::PROBE);
    let probe = |ctr, prev, bytes: usize| op(ANA, ctr, prev, Body::Unread { kind: kind::PROBE, bytes: vec![1; bytes] });
    let mut room = room();
    let mut push = |op| push_under(&mut room, op, &Limits::DEFAULT, kinds);
    assert!(matches!(push(probe(4, 3, 10)), Verdict::Sequenced(_)));
    assert_eq!(push(probe(5, 4, 5_000)), Verdict::Refused(RefusedCode::TooLarge));
    let mut forged = probe(6, 4, 1);
    forged.hash = Hash::from_bytes([0; 32]);
    assert_eq!(push(forged), Verdict::Refused(RefusedCode::Malformed));
}

#[test]
fn what_is_durable_follows_the_disk() {
    let mut room = room();
    let head = room.head();
    assert!(!room.is_durable());
    room.note_durable(head);
    assert!(room.is_durable());
    assert_eq!(room.durable(), head);
}

proptest! {
    /// Whatever is lost, repeated and reordered on the way: each op is in the log at most once, and a site's ops
    /// stand in its order; once every site has sent all in order, all of them are there.
    #[test]
    fn pushes_of_two_sites_are_sequenced_once_and_in_their_order(
        sent in prop::collection::vec((any::<bool>(), 1_u64..12), 0..120)
    ) {
        let mut room = Room::new(List::new(UID));
        let said = |site, ctr: u64| op(site, ctr, ctr - 1, if ctr == 1 { Body::Join(betwixt_core::op::Join::default()) } else { title(&ctr.to_string()) });
        let in_order = [ANA, BEN].into_iter().flat_map(|site| (1..12).map(move |ctr| (site, ctr)));
        let random = sent.into_iter().map(|(ana, ctr)| (if ana { ANA } else { BEN }, ctr));
        let mut log = Vec::new();
        for (site, ctr) in random.chain(in_order) {
            match push(&mut room, said(site, ctr)) {
                Verdict::Sequenced(entry) => {
                    prop_assert_eq!(entry.seq, log.len() as u64 + 1);
                    log.push((site, ctr));
                }
                Verdict::Repeat => prop_assert!(log.contains(&(site, ctr))),
                Verdict::Resend => prop_assert!(!log.contains(&(site, ctr - 1))),
                Verdict::Refused(code) => prop_assert_eq!(code, RefusedCode::NotJoined),
                other => prop_assert!(false, "{:?}", other),
            }
        }
        for site in [ANA, BEN] {
            let ctrs: Vec<u64> = log.iter().filter(|said| said.0 == site).map(|said| said.1).collect();
            prop_assert_eq!(ctrs, (1..12).collect::<Vec<_>>());
        }
    }
}

//! What scripts leave out and get wrong, and that what is filled in is what a client would have sent.

use std::collections::BTreeSet;

use betwixt_core::edit::Spot;
use betwixt_core::hlc::{Hlc, Millis, Tick};
use betwixt_core::id::{Hash, ItemId, ListUid, OpId, SiteId};
use betwixt_core::key::{Key, tag_of};
use betwixt_core::limits::Limits;
use betwixt_core::list::List;
use betwixt_core::op::body::Kinds;
use betwixt_core::op::{Add, Body, EpochId, Join, ListPut, Op, Put};
use betwixt_core::register::Register;
use betwixt_core::wire::RefusedCode;
use betwixt_core::wire::json::{At, FromScript, Given, Said, Sketch, read};
use proptest::prelude::*;

use super::super::{Room, Rules, Verdict};
use super::{One, Pushed};

const UID: ListUid = ListUid::from_bytes([9; 16]);
const ANA: SiteId = SiteId::from_bytes([1; 16]);
const BEN: SiteId = SiteId::from_bytes([2; 16]);
const NOW: Millis = Millis(1_700_000_000_000);
const RULES: Rules<'static> = Rules { limits: &Limits::DEFAULT, kinds: Kinds::KNOWN };

fn item(number: u64) -> ItemId {
    ItemId::from_bytes(number.to_be_bytes())
}

fn text(text: &str) -> Vec<Register> {
    vec![Register::Text(text.into())]
}

fn add(number: u64, spot: Spot) -> Said {
    Said::Add { item: item(number), at: At::Spot(spot), registers: text(&number.to_string()) }
}

fn put(number: u64, spot: Spot) -> Said {
    Said::Put { item: item(number), at: Some(At::Spot(spot)), registers: vec![] }
}

fn at_key(number: u64, key: &str) -> Said {
    Said::Add { item: item(number), at: At::Key(Key::parse(key).unwrap()), registers: vec![] }
}

fn sketch(ctr: u64, said: Said) -> Sketch {
    Sketch { ctr, prev: None, given: None, said }
}

fn given(ctr: u64, said: Said, given: Given) -> Sketch {
    Sketch { given: Some(Box::new(given)), ..sketch(ctr, said) }
}

fn epoch() -> Given {
    Given { epoch: Some(EpochId::first(UID)), ..Given::default() }
}

fn take(room: &mut Room, site: SiteId, sketch: Sketch) -> Verdict {
    room.take(One::Sketch(sketch), site, NOW, RULES)
}

#[track_caller]
fn sequenced(room: &mut Room, site: SiteId, sketch: Sketch) -> Op {
    match take(room, site, sketch) {
        Verdict::Sequenced(entry) => entry.op,
        other => panic!("not sequenced: {other:?}"),
    }
}

/// A room in which Ben has joined as the first and Ana, a script, as the second; she has added items 1, 2, 3 in order.
fn room() -> Room {
    let mut room = Room::new(List::new(UID));
    sequenced(&mut room, BEN, sketch(1, Said::Join(Join::default())));
    sequenced(&mut room, ANA, sketch(1, Said::Join(Join { name: "ana".into() })));
    for number in 1..=3 {
        sequenced(&mut room, ANA, sketch(number + 1, add(number, Spot::Bottom)));
    }
    room
}

fn order(room: &Room) -> Vec<u64> {
    room.list().live().map(|(id, _)| u64::from_be_bytes(*id.as_bytes())).collect()
}

#[track_caller]
fn check(sketch: Sketch, expected: &Verdict) {
    let mut room = room();
    let before = room.list().state_hash();
    assert_eq!(&take(&mut room, ANA, sketch), expected);
    assert_eq!(room.list().state_hash(), before, "what is not sequenced changes nothing");
}

#[track_caller]
fn check_order(said: Said, expected: &[u64]) {
    let mut room = room();
    sequenced(&mut room, ANA, sketch(5, said));
    assert_eq!(order(&room), expected);
}

#[test]
fn a_place_is_beside_an_item_or_at_an_end() {
    check_order(add(9, Spot::Top), &[9, 1, 2, 3]);
    check_order(add(9, Spot::Bottom), &[1, 2, 3, 9]);
    check_order(add(9, Spot::After(item(1))), &[1, 9, 2, 3]);
    check_order(add(9, Spot::Before(item(2))), &[1, 9, 2, 3]);
    check_order(put(1, Spot::After(item(2))), &[2, 1, 3]);
    check_order(put(3, Spot::Before(item(1))), &[3, 1, 2]);
    check_order(put(2, Spot::Bottom), &[1, 3, 2]);
    // Beside itself: it stays.
    check_order(put(2, Spot::After(item(2))), &[1, 2, 3]);
    check_order(put(2, Spot::Before(item(2))), &[1, 2, 3]);
}

#[test]
fn what_is_left_out_is_what_a_client_would_have_sent() {
    let mut room = room();
    let before = room.list().highest();
    let op = sequenced(&mut room, ANA, sketch(7, add(9, Spot::After(item(1)))));
    assert_eq!((op.site, op.ctr, op.prev), (ANA, 7, 4), "refused ops leave holes in the count");
    assert_eq!(op.epoch, EpochId::first(UID));
    assert_eq!(op.hlc, Hlc { tick: Tick { wall: NOW, counter: 5 }, site: ANA });
    assert!(op.hlc.tick > before);
    assert_eq!(op.hash, op.content_hash());
    let number = tag_of(op.key().unwrap()).map(|site| site.0);
    assert_eq!(number, Some(1), "the key names the site that had it made");
}

#[test]
fn a_list_ahead_of_the_relays_clock_goes_on_from_its_highest_stamp() {
    let mut room = room();
    let ahead = Tick { wall: NOW.plus(Millis(50_000)), counter: 7 };
    let stamp = Given { hlc: Some((ahead, None)), ..Given::default() };
    let title = || Said::List(ListPut { title: "x".into() });
    assert_eq!(sequenced(&mut room, ANA, given(5, title(), stamp)).hlc.tick, ahead);
    assert_eq!(sequenced(&mut room, ANA, sketch(6, title())).hlc.tick, ahead.next());
    let far = Tick { wall: NOW.plus(Millis(3_600_000)), counter: 0 };
    let far = Given { hlc: Some((far, None)), ..Given::default() };
    assert_eq!(take(&mut room, ANA, given(7, title(), far)), Verdict::Refused(RefusedCode::Clock));
}

#[test]
fn an_op_with_all_its_parts_is_taken_as_it_is() {
    let mut room = room();
    let hlc = Hlc { tick: Tick { wall: NOW, counter: 77 }, site: BEN };
    let body = Body::Add(Add { item: item(9), key: Key::parse("V").unwrap(), registers: vec![] });
    let op = Op::new(OpId { site: ANA, ctr: 5 }, 4, EpochId::first(UID), hlc, body);
    let parts = || Given { site: Some(ANA), hlc: Some((hlc.tick, Some(BEN))), hash: Some(op.hash), ..epoch() };
    let whole = |given| Sketch { prev: Some(4), ..self::given(5, at_key(9, "V"), given) };
    let forged = Given { hash: Some(Hash::from_bytes([7; 32])), ..parts() };
    assert_eq!(take(&mut room, ANA, whole(forged.clone())), Verdict::Refused(RefusedCode::Malformed));
    assert_eq!(sequenced(&mut room, ANA, whole(parts())), op);
    assert_eq!(take(&mut room, ANA, whole(parts())), Verdict::Repeat);
    let need_seq = room.head().seq;
    assert_eq!(take(&mut room, ANA, whole(forged)), Verdict::Collision { need_seq });
}

#[test]
fn what_was_sent_before_is_a_repeat_whatever_it_says_now() {
    check(sketch(4, add(3, Spot::Bottom)), &Verdict::Repeat);
    check(sketch(2, add(7, Spot::After(item(99)))), &Verdict::Repeat);
    check(sketch(1, Said::Join(Join::default())), &Verdict::Repeat);
}

#[test]
fn a_site_that_has_not_joined_says_nothing_else() {
    let mut room = Room::new(List::new(UID));
    for said in [add(1, Spot::Top), Said::List(ListPut { title: "x".into() }), put(1, Spot::Top)] {
        assert_eq!(take(&mut room, ANA, sketch(2, said)), Verdict::Refused(RefusedCode::NotJoined));
    }
    let foreign = Given { site: Some(BEN), ..Given::default() };
    let join = given(1, Said::Join(Join::default()), foreign);
    assert_eq!(take(&mut room, ANA, join), Verdict::Refused(RefusedCode::ForeignSite));
}

#[test]
fn an_item_that_is_not_there_is_gone_and_a_dead_one_still_has_its_place() {
    check(sketch(5, add(9, Spot::After(item(99)))), &Verdict::Refused(RefusedCode::Gone));
    check(sketch(5, add(9, Spot::Before(item(99)))), &Verdict::Refused(RefusedCode::Gone));
    check(sketch(5, put(99, Spot::Top)), &Verdict::Refused(RefusedCode::Gone));
    let mut room = room();
    let dead = Said::Put { item: item(2), at: None, registers: vec![Register::Deleted(true)] };
    sequenced(&mut room, BEN, sketch(2, dead));
    sequenced(&mut room, ANA, sketch(5, add(8, Spot::After(item(2)))));
    sequenced(&mut room, ANA, sketch(6, add(7, Spot::Before(item(2)))));
    assert_eq!(order(&room), [1, 7, 8, 3]);
}

#[test]
fn items_of_one_key_are_passed_together() {
    let mut room = room();
    for number in [5, 6] {
        sequenced(&mut room, ANA, given(number, at_key(number, "zz"), epoch()));
    }
    let at = order(&room);
    assert_eq!(at.iter().filter(|number| [5, 6].contains(number)).count(), 2);
    // There is no key between the two.
    sequenced(&mut room, ANA, sketch(7, add(9, Spot::After(item(5)))));
    sequenced(&mut room, ANA, sketch(8, add(8, Spot::Before(item(6)))));
    let place = |number: u64| order(&room).iter().position(|other| *other == number).unwrap();
    assert!(place(9) > place(6) && place(8) > place(6), "{:?}", order(&room));
}

#[test]
fn a_key_that_the_list_has_is_not_made_again() {
    let mut room = room();
    let first = sequenced(&mut room, ANA, sketch(5, add(8, Spot::After(item(1)))));
    let dead = Said::Put { item: item(8), at: None, registers: vec![Register::Deleted(true)] };
    sequenced(&mut room, ANA, sketch(6, dead));
    let second = sequenced(&mut room, ANA, sketch(7, add(9, Spot::After(item(1)))));
    assert_ne!(first.key(), second.key(), "the gap is as it was among the live");
}

#[test]
fn an_item_that_is_moved_again_and_again_to_one_place_does_not_bound_its_own_gap() {
    let mut room = room();
    let mut keys = BTreeSet::new();
    for ctr in 5..50 {
        keys.extend(sequenced(&mut room, ANA, sketch(ctr, put(2, Spot::After(item(1))))).key().cloned());
    }
    assert!(keys.len() <= 2, "the gap is the same each time: {keys:?}");
}

#[test]
fn a_missing_predecessor_and_an_old_epoch_come_before_what_is_wrong_with_the_op() {
    let gone = || add(9, Spot::After(item(99)));
    check(Sketch { prev: Some(3), ..sketch(5, gone()) }, &Verdict::Resend);
    let old = Given { epoch: Some(EpochId(Hash::from_bytes([3; 32]))), ..Given::default() };
    check(given(5, gone(), old.clone()), &Verdict::Stale { need_seq: 5 });
    check(given(5, at_key(9, "V"), old), &Verdict::Stale { need_seq: 5 });
}

#[test]
fn a_gap_without_room_and_a_text_over_the_limit_are_too_large() {
    let mut room = room();
    let longest = format!("{}V", "~".repeat(127));
    let high = format!("{}W", "~".repeat(127));
    let limits = Limits::DEFAULT;
    let rules = Rules { limits: &limits, kinds: Kinds::KNOWN };
    // Keys of other generators, step by step up to a length at which nothing fits between.
    for (ctr, bytes) in (5..).zip((32..127).step_by(8).chain([126])) {
        let key = "~".repeat(bytes);
        let op = given(ctr, at_key(1_000 + ctr, &key), epoch());
        assert!(matches!(room.take(One::Sketch(op), ANA, NOW, rules), Verdict::Sequenced(_)), "{bytes}");
    }
    let mut ctr = 100;
    let mut place = |room: &mut Room, number, key: &str| {
        ctr += 1;
        sequenced(room, ANA, given(ctr, at_key(number, key), epoch()));
    };
    place(&mut room, 50, &longest);
    place(&mut room, 51, &high);
    let between = add(52, Spot::After(item(50)));
    assert_eq!(take(&mut room, ANA, sketch(200, between)), Verdict::Refused(RefusedCode::TooLarge));
    let long = Said::Put { item: item(1), at: None, registers: text(&"x".repeat(4_097)) };
    assert_eq!(take(&mut room, ANA, sketch(200, long)), Verdict::Refused(RefusedCode::TooLarge));
}

#[test]
fn ops_of_one_push_build_on_each_other() {
    let text = format!(
        r#"{{"push":{{"list":"{UID}","ops":[{{"ctr":1,"join":{{}}}},
            {{"ctr":2,"add":{{"item":"{a}","after":null,"text":"a"}}}},
            {{"ctr":3,"add":{{"item":"{b}","after":"{a}","text":"b"}}}},
            {{"ctr":4,"put":{{"item":"{a}","after":"{b}","done":true}}}}]}}}}"#,
        a = item(1),
        b = item(2),
    );
    let FromScript::Push { ops, .. } = read(&text).unwrap() else { panic!("it is a push") };
    let mut room = Room::new(List::new(UID));
    let pushed = Pushed::Sketches(ops);
    assert_eq!(pushed.count(), 4);
    for one in pushed.each() {
        assert!(matches!(room.take(one, ANA, NOW, RULES), Verdict::Sequenced(_)));
    }
    assert_eq!(order(&room), [2, 1]);
    assert!(room.list().item(item(1)).unwrap().done());
}

proptest! {
    /// Wherever scripts and a client with keys of its own put items: each is right beside what it names.
    #[test]
    fn an_item_is_right_beside_the_one_that_it_is_placed_by(
        moves in prop::collection::vec((1_u64..9, 1_u64..9, any::<bool>(), any::<bool>()), 1..60)
    ) {
        let mut room = room();
        let mut ctrs = [1, 4];
        for (number, beside, after, by_ben) in moves {
            let site = if by_ben { BEN } else { ANA };
            let ctr = &mut ctrs[usize::from(!by_ben)];
            *ctr += 1;
            let known = room.list().item(item(beside)).is_some();
            let spot = if after { Spot::After(item(beside)) } else { Spot::Before(item(beside)) };
            let verdict = take(&mut room, site, sketch(*ctr, add(number, spot)));
            if !known {
                *ctr -= 1;
                prop_assert_eq!(verdict, Verdict::Refused(RefusedCode::Gone));
                continue;
            }
            prop_assert!(matches!(verdict, Verdict::Sequenced(_)), "{:?}", verdict);
            if number != beside {
                let order = order(&room);
                let at = |number| order.iter().position(|other| *other == number).unwrap();
                let expected = if after { at(beside) + 1 } else { at(beside) - 1 };
                prop_assert_eq!(at(number), expected, "{:?}", order);
            }
        }
        let keys: Vec<&Key> = room.list().order().iter().map(|place| &place.key).collect();
        prop_assert!(keys.windows(2).all(|pair| pair[0] != pair[1]), "no key twice");
    }
}

#[test]
fn a_put_of_a_client_and_one_of_a_script_meet() {
    let mut room = room();
    let hlc = Hlc { tick: Tick { wall: NOW, counter: 50 }, site: BEN };
    let key = room.list().item(item(3)).unwrap().position.key.clone();
    let body = Body::Put(Put { item: item(1), key: Some(key), registers: vec![] });
    let op = Op::new(OpId { site: BEN, ctr: 2 }, 1, EpochId::first(UID), hlc, body);
    assert!(matches!(room.take(One::Op(op), BEN, NOW, RULES), Verdict::Sequenced(_)));
    sequenced(&mut room, ANA, sketch(5, put(2, Spot::Bottom)));
    assert_eq!(order(&room), [1, 3, 2], "equal keys by their items");
}

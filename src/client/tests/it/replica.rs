//! What becomes of an op: one fate each, whatever relay, links, clocks and copies of the disk do.

use std::collections::BTreeSet;

use betwixt_client::replica::Kept;
use betwixt_client::store;
use betwixt_core::edit::{Edit, EditFault, Spot};
use betwixt_core::hlc::{Hlc, Millis};
use betwixt_core::id::{OpId, SiteId};
use betwixt_core::key::{KEY_BYTES_MAX, Key};
use betwixt_core::op::{Add, Body, Op, Put};
use betwixt_core::register::Register;
use betwixt_core::wire::{CloseReason, RefusedCode, ToRelay, ToSite};
use betwixt_store::Store as _;

use crate::relay::BAD;
use crate::world::{UID, World};

/// Ops of one site in the order in which the relay has them.
fn ctrs(world: &World, site: SiteId) -> Vec<(u64, u64)> {
    let own = world.relay.log.iter().filter(|entry| entry.op.site == site);
    own.map(|entry| (entry.op.ctr, entry.op.prev)).collect()
}

/// Puts an op of some other site into the log, which everybody reads.
fn foreign(world: &mut World, site: u8, ctr: u64, body: Body) -> Op {
    let tick = world.relay.list.highest().next();
    let hlc = Hlc { tick, site: SiteId::from_bytes([site; 16]) };
    let op = Op::new(OpId { site: hlc.site, ctr }, ctr - 1, world.relay.list.epoch().id, hlc, body);
    let entry = world.relay.sequence(op.clone());
    world.tell_all(Some(entry));
    op
}

#[test]
fn a_join_goes_alone_and_what_waits_behind_it_is_placed_anew_only_if_the_number_is_not_0() {
    for others in [false, true] {
        let mut world = World::new(2, 1);
        if others {
            world.add(1, &["first"]);
        }
        world.settle_of(1);
        world.add(0, &["a", "b", "c"]);
        let before: Vec<Key> = world.keys(0);
        world.pass(600);
        assert!(world.carry_up(0), "the hello goes");
        while world.carry_down(0) {}
        let Some(ToRelay::Push { ops, .. }) = world.peers[0].up.front() else { panic!("a push waits") };
        assert!(matches!(ops[..], [Op { ctr: 1, body: Body::Join(_), .. }]), "the join is alone: {ops:?}");
        world.settle();
        world.check();
        assert_eq!(world.texts(0).iter().filter(|text| *text != "first").collect::<Vec<_>>(), ["a", "b", "c"]);
        assert_eq!(world.peers[0].replica.number().0, u32::from(others));
        let shown = world.peers[0].replica.shown();
        let after = shown.live().filter(|(_, item)| item.text() != "first").map(|(_, item)| item.position.key.clone());
        let kept = after.zip(&before).filter(|(after, before)| after == *before).count();
        assert_eq!(kept, if others { 0 } else { 3 }, "keys with the tag of number 0");
    }
}

#[test]
fn a_site_that_is_renewed_before_it_has_its_number_places_anew_with_the_number_that_it_gets() {
    let mut world = World::new(2, 16);
    world.add(1, &["first"]);
    world.settle_of(1);
    world.add(0, &["a", "b"]);
    let unnumbered: Vec<Key> = world.keys(0);
    // Its greeting is taken for one of a clone, as when an older link's comes in late.
    world.pass(600);
    let closing = ToSite::Closing { reason: CloseReason::Replaced, retry_after: Millis(0) };
    world.peers[0].down.push_front(closing);
    world.settle();
    world.check();
    assert_eq!(world.peers[0].renewals, 1);
    assert_ne!(world.peers[0].replica.number().0, 0);
    assert_eq!(world.texts(1).len(), 3);
    assert!(world.keys(1).iter().filter(|key| unnumbered.contains(key)).count() <= 1, "only the key of number 0");
}

#[test]
fn of_many_ops_in_one_pipeline_the_refused_ones_come_to_the_drawer_and_the_rest_goes_on() {
    let mut world = World::new(1, 2);
    world.settle();
    world.add(0, &["a", BAD, "b", BAD, BAD, "c", "d", BAD]);
    world.settle();
    world.check();
    assert_eq!(world.texts(0), ["a", "b", "c", "d"]);
    assert_eq!(world.peers[0].replica.kept().len(), 4);
    assert_eq!(ctrs(&world, world.peers[0].replica.site()), [(1, 0), (2, 1), (4, 2), (7, 4), (8, 7)]);
}

#[test]
fn a_pipeline_of_refused_ops_is_sent_twice_at_most() {
    let mut world = World::new(1, 3);
    world.add(0, &["a"]);
    world.settle();
    world.relay.items_max = 0;
    let texts: Vec<String> = (0..200).map(|n| format!("{BAD} {n}")).collect();
    world.add(0, &texts.iter().map(String::as_str).collect::<Vec<_>>());
    let mut sent = 0;
    loop {
        sent += world.peers[0]
            .up
            .iter()
            .map(|message| if let ToRelay::Push { ops, .. } = message { ops.len() } else { 0 })
            .sum::<usize>();
        while world.carry_up(0) {}
        if !world.carry_down(0) {
            break;
        }
    }
    assert_eq!(world.peers[0].replica.kept().len(), 200);
    assert!(sent <= 400, "{sent} ops were sent");
}

#[test]
fn what_is_done_to_an_item_goes_with_its_refused_add() {
    let mut world = World::new(1, 4);
    world.settle();
    let items = world.add(0, &[BAD, "b"]);
    world.set(0, items[0], "never said");
    world.set(0, items[1], "said");
    world.settle();
    world.check();
    assert_eq!(world.texts(0), ["said"]);
    let kept: Vec<u64> = world.peers[0].replica.kept().values().map(ctr_of).collect();
    assert_eq!(kept, [2, 4]);
}

fn ctr_of(kept: &Kept) -> u64 {
    match kept {
        Kept::Refused { op, .. } => op.ctr,
        Kept::Lost { .. } => 0,
    }
}

#[test]
fn a_late_refusal_does_not_hit_the_next_op() {
    let mut world = World::new(1, 5);
    world.add(0, &["a"]);
    world.settle();
    world.add(0, &["x", BAD]);
    let bad = world.peers[0].replica.pending().last().expect("two are pending").id();
    world.settle();
    let list = world.relay.list.uid();
    world.add(0, &["b"]);
    world.peers[0].down.push_front(ToSite::Refused { list, op: bad, code: RefusedCode::Control });
    world.settle();
    world.check();
    assert_eq!(world.texts(0), ["a", "x", "b"]);
    let site = world.peers[0].replica.site();
    assert_eq!(ctrs(&world, site).last(), Some(&(bad.ctr + 1, bad.ctr - 1)), "the counter is not given again");
    // Neither is it after a restart, as long as the drawer remembers the op.
    world.add(0, &[BAD]);
    world.settle();
    world.peers[0].restart();
    world.add(0, &["c"]);
    let next = world.peers[0].replica.pending().last().expect("one is pending");
    assert_eq!((next.ctr, next.prev), (bad.ctr + 3, bad.ctr + 1));
}

#[test]
fn ops_of_a_clock_ahead_are_stamped_anew_in_their_order() {
    let mut world = World::new(2, 6);
    let item = world.add(1, &["a"])[0];
    world.settle();
    world.peers[0].ahead = 40 * 365 * 24 * 3_600_000;
    world.cut(0);
    world.peers[0].restart();
    for text in ["1", "2", "3", "4"] {
        world.set(0, item, text);
    }
    world.settle();
    world.check();
    assert_eq!(world.texts(1), ["4"]);
    assert!(world.peers[0].replica.kept().is_empty());
    let limit = world.relay.clock.plus(Millis(60_000));
    assert!(world.relay.list.highest().wall <= limit, "nobody is carried into the future");
    let stamps: Vec<Hlc> =
        world.relay.log.iter().filter(|entry| entry.op.body.item().is_some()).map(|e| e.op.hlc).collect();
    assert!(stamps.is_sorted_by(|one, next| one < next), "{stamps:?}");
    // From the next edit on the relay's clock is the one that counts.
    world.set(0, item, "5");
    let last = world.peers[0].replica.pending().last().expect("it is pending").hlc.tick.wall;
    assert!(last <= limit);
}

#[test]
fn a_long_key_is_placed_anew_under_its_counter_and_refused_where_that_does_not_help() {
    for helps in [true, false] {
        let mut world = World::new(2, 7);
        world.add(0, &["a", "b"]);
        world.settle();
        // Between two long keys there are only longer ones.
        foreign(&mut world, 9, 1, Body::Join(betwixt_core::op::Join::default()));
        let low = world.keys(0)[0].as_str().repeat(20);
        let ends = [(2, format!("{low}V")), (3, format!("{low}W"))].map(|(ctr, key)| {
            let item = betwixt_core::id::ItemId::from_bytes([u8::try_from(ctr).expect("small"); 8]);
            let key = Key::parse(&key).expect("a key");
            foreign(&mut world, 9, ctr, Body::Add(Add { item, key, registers: vec![] }));
            item
        });
        world.settle();
        world.cut(0);
        let items = ["x", "y"].map(|text| vec![Register::Text(text.into())]).into();
        let added = world.edit(0, &Edit::Add { spot: Spot::After(ends[0]), items }).expect("added").items;
        let ctrs: Vec<u64> = world.peers[0].replica.pending().map(|op| op.ctr).collect();
        assert!(world.peers[0].replica.pending().all(|op| op.key().is_some_and(|key| key.len() > 32)));
        // The two go away, or to the trash, where they stay its neighbours.
        for (ctr, item) in (4..).zip(ends) {
            let put = if helps {
                Put { item, key: Key::parse("z").ok(), registers: vec![] }
            } else {
                Put { item, key: None, registers: vec![Register::Deleted(true)] }
            };
            foreign(&mut world, 9, ctr, Body::Put(put));
        }
        world.settle();
        world.check();
        let logged = world.relay.log.iter().map(|entry| &entry.op);
        let logged: Vec<&Op> = logged.filter(|op| op.body.item().is_some_and(|item| added.contains(&item))).collect();
        if helps {
            assert_eq!(logged.iter().map(|op| op.ctr).collect::<Vec<_>>(), ctrs);
            assert!(logged.iter().all(|op| op.key().is_some_and(|key| key.len() <= 32)), "{logged:?}");
            assert_eq!(world.texts(1)[..4], ["a", "x", "y", "b"]);
        } else {
            assert!(logged.is_empty());
            assert_eq!(world.peers[0].replica.kept().len(), 2);
        }
    }
}

#[test]
fn a_text_that_loses_while_it_is_pending_is_kept_once() {
    for restarts in [false, true] {
        for trims in [false, true] {
            let mut world = World::new(2, 8);
            let item = world.add(0, &["a"])[0];
            world.settle();
            world.cut(0);
            world.set(0, item, "mine");
            world.pass(100);
            world.cut(0);
            world.peers[1].ahead = 20_000;
            world.set(1, item, "theirs");
            world.set(1, item, "theirs again");
            world.settle_of(1);
            if trims {
                world.relay.trimmed = world.relay.head();
            }
            if restarts {
                world.peers[0].restart();
            }
            world.settle();
            world.check();
            let kept: Vec<&Kept> = world.peers[0].replica.kept().values().collect();
            let lost = Kept::Lost { item, text: "mine".into() };
            assert_eq!(kept, [&lost], "restarts: {restarts}, trims: {trims}");
            assert!(world.peers[1].replica.kept().is_empty());
        }
    }
}

#[test]
fn a_restored_copy_becomes_a_new_site_and_says_what_is_new() {
    for restarts in [false, true] {
        let mut world = World::new(2, 9);
        let item = world.add(0, &["a"])[0];
        world.settle();
        let copy = world.peers[0].copy();
        world.add(0, &["b"]);
        world.set(0, item, "A");
        world.settle();
        let site = world.peers[0].replica.site();
        world.peers[0].restore(&copy);
        let added = world.edit(0, &Edit::Add { spot: Spot::Top, items: vec![vec![Register::Text("new".into())]] });
        let added = added.expect("added").items[0];
        let op = world.peers[0].replica.pending().last().expect("it is pending").clone();
        // The program may end between the entry that contradicts and the renewal.
        if restarts {
            world.pass(600);
            world.carry_up(0);
            world.carry_down(0);
            world.carry_down(0);
            assert!(world.peers[0].replica.is_contradicted());
            world.peers[0].restart();
            assert!(world.peers[0].replica.is_contradicted());
        }
        world.settle();
        world.check();
        assert_eq!(world.texts(1), ["new", "A", "b"]);
        assert_ne!(world.peers[0].replica.site(), site);
        assert_eq!(world.peers[0].renewals, 1);
        let again =
            world.relay.log.iter().map(|entry| &entry.op).find(|op| op.body.item() == Some(added)).expect("said");
        assert_eq!((again.ctr, again.hlc, again.key()), (2, op.hlc, op.key()), "item, stamp and key stay");
    }
}

#[test]
fn a_copy_whose_pending_op_was_passed_over_says_it_as_a_new_site() {
    let mut world = World::new(1, 10);
    world.add(0, &["a"]);
    world.settle();
    world.cut(0);
    world.add(0, &[BAD, "b"]);
    let copy = world.peers[0].copy();
    world.settle();
    assert_eq!(world.texts(0), ["a", "b"]);
    world.peers[0].restore(&copy);
    world.settle();
    world.check();
    assert_eq!(world.texts(0), ["a", "b"]);
    assert_eq!(world.peers[0].replica.kept().len(), 1, "the refusal is seen by the copy too");
}

#[test]
fn two_clones_at_work_at_once_lose_nothing() {
    let mut world = World::new(2, 11);
    world.add(0, &["a"]);
    world.settle();
    let copy = world.peers[0].copy();
    world.peers[1].restore(&copy);
    world.add(0, &["b"]);
    world.add(1, &["c"]);
    world.add(0, &["d"]);
    world.settle();
    world.add(1, &["e"]);
    world.add(0, &["f"]);
    world.settle();
    world.check();
    let texts: BTreeSet<String> = world.texts(0).into_iter().collect();
    assert_eq!(texts, ["a", "b", "c", "d", "e", "f"].map(String::from).into());
    assert_ne!(world.peers[0].replica.site(), world.peers[1].replica.site());
}

#[test]
fn a_relay_that_lost_its_tail_gets_it_back_from_the_authors() {
    for lost in 1..9 {
        let mut world = World::new(2, 12);
        let item = world.add(0, &["a"])[0];
        world.settle();
        world.add(1, &["b"]);
        world.settle();
        world.set(0, item, "A");
        world.add(1, &["c"]);
        world.settle();
        let hash = world.relay.list.items().len();
        world.lose_tail(lost);
        world.settle();
        world.check();
        assert_eq!(world.relay.list.items().len(), hash);
        assert_eq!(world.texts(0), ["A", "b", "c"], "{lost} lost");
        assert!(world.peers.iter().all(|peer| peer.replica.kept().is_empty()));
    }
}

#[test]
fn what_was_said_under_an_earlier_name_comes_back_too() {
    let mut world = World::new(2, 13);
    world.add(0, &["a"]);
    world.settle();
    let copy = world.peers[0].copy();
    world.add(0, &["b"]);
    world.settle();
    world.peers[0].restore(&copy);
    world.add(0, &["c"]);
    world.settle();
    assert_eq!(world.peers[0].renewals, 1);
    let all = world.relay.log.len();
    world.lose_tail(all);
    world.settle();
    world.check();
    // The copy did not know the key of "b" any more, so it may stand on either side.
    let texts: BTreeSet<String> = world.texts(1).into_iter().collect();
    assert_eq!(texts, ["a", "b", "c"].map(String::from).into());
}

#[test]
fn what_was_said_under_several_names_comes_back_once() {
    let mut world = World::new(2, 17);
    for text in ["a", "b"] {
        world.add(0, &[text]);
        world.settle();
        world.cut(0);
        world.pass(600);
        let closing = ToSite::Closing { reason: CloseReason::Replaced, retry_after: Millis(0) };
        world.peers[0].down.push_front(closing);
        world.settle();
    }
    assert_eq!(world.peers[0].renewals, 2);
    for _ in 0..3 {
        let all = world.relay.log.len();
        world.lose_tail(all);
        world.settle();
        world.check();
        let edits = world.relay.log.iter().filter(|entry| !matches!(entry.op.body, Body::Join(_)));
        assert_eq!(edits.count(), 2, "{:?}", world.relay.log);
    }
    assert_eq!(world.texts(1), ["a", "b"]);
}

#[test]
fn a_copy_whose_name_others_have_used_takes_a_new_one_though_nothing_is_missing() {
    let mut world = World::new(2, 19);
    world.add(0, &["a"]);
    world.settle();
    let early = world.peers[0].copy();
    world.add(0, &["b", "c"]);
    world.settle();
    let late = world.peers[0].copy();
    world.lose_tail(2);
    world.cut(0);
    world.peers[1].restore(&early);
    world.add(1, &["d"]);
    world.settle_of(1);
    // Gives back what was lost, under a new name; then its folder is put back.
    world.settle();
    world.peers[0].restore(&late);
    let journal = |world: &World| store::journal(&world.peers[0].disk, UID).expect("the journal loads");
    let before = journal(&world);
    world.settle();
    world.add(0, &["e"]);
    world.settle();
    world.check();
    assert_eq!(world.texts(0).len(), 5);
    let after = journal(&world);
    assert!(before.iter().all(|op| after.contains(op)), "an op has taken another's place in the journal");
}

#[test]
fn a_site_whose_join_is_lost_and_forgotten_says_the_rest_as_a_new_one() {
    for restarts in [false, true] {
        let mut world = World::new(2, 18);
        world.add(0, &["a"]);
        world.add(1, &["b"]);
        world.settle();
        let later = betwixt_core::limits::JOURNAL_KEPT.plus(Millis(1));
        let forgets = store::forget_journal(&world.peers[0].disk, UID, later).expect("memory answers");
        world.peers[0].disk.commit(&forgets).expect("memory takes all");
        world.add(0, &["c"]);
        let all = world.relay.log.len();
        world.lose_tail(all);
        world.settle_of(1);
        if restarts {
            world.pass(600);
            world.carry_up(0);
            while world.peers[0].replica.has_joined() && world.carry_down(0) {}
            world.peers[0].restart();
        }
        world.settle();
        world.check();
        let texts: BTreeSet<String> = world.texts(1).into_iter().collect();
        assert_eq!(texts, ["b", "c"].map(String::from).into());
    }
}

#[test]
fn a_journal_that_a_clone_has_overtaken_after_a_lost_tail_is_given_back() {
    let mut world = World::new(2, 14);
    world.add(0, &["a"]);
    world.settle();
    let copy = world.peers[0].copy();
    world.add(0, &["b", "c"]);
    world.settle();
    // Both are lost with the tail, and the clone is faster: its ops have their counters.
    world.lose_tail(2);
    world.cut(0);
    world.peers[1].restore(&copy);
    world.add(1, &["d", "e", "f"]);
    world.settle_of(1);
    world.settle();
    world.check();
    let texts: BTreeSet<String> = world.texts(0).into_iter().collect();
    assert_eq!(texts, ["a", "b", "c", "d", "e", "f"].map(String::from).into());
}

#[test]
fn a_full_gap_is_said_and_nothing_changes() {
    let mut world = World::new(1, 15);
    world.add(0, &["a"]);
    world.settle();
    let low = format!("{}V", "~".repeat(KEY_BYTES_MAX - 1));
    let high = format!("{}W", "~".repeat(KEY_BYTES_MAX - 1));
    foreign(&mut world, 9, 1, Body::Join(betwixt_core::op::Join::default()));
    let mut items = Vec::new();
    for (ctr, key) in [(2, &low), (3, &high)] {
        let item = betwixt_core::id::ItemId::from_bytes([u8::try_from(ctr).expect("small"); 8]);
        items.push(item);
        let key = Key::parse(key).expect("a key");
        foreign(&mut world, 9, ctr, Body::Add(Add { item, key, registers: vec![] }));
    }
    world.settle();
    let before = world.peers[0].replica.shown().state_hash();
    let add = Edit::Add { spot: Spot::After(items[0]), items: vec![vec![]] };
    assert_eq!(world.edit(0, &add), Err(EditFault::GapFull));
    assert_eq!(world.peers[0].replica.shown().state_hash(), before);
    assert_eq!(world.peers[0].replica.unsent(), 0);
}

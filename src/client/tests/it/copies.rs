//! Sites that were restored or cloned, and relays that lost what they had acknowledged: what each one gives back.

use std::collections::BTreeSet;

use betwixt_client::store;
use betwixt_core::edit::{Edit, Spot};
use betwixt_core::hlc::Millis;
use betwixt_core::op::Body;
use betwixt_core::register::Register;
use betwixt_core::wire::{CloseReason, ToSite};
use betwixt_store::Store as _;

use crate::relay::BAD;
use crate::world::{UID, World};

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

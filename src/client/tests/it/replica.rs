//! What becomes of an op at its own site: placed, refused, stamped anew, or lost to another; one fate each.

use betwixt_client::replica::Kept;
use betwixt_core::edit::{Edit, EditFault, Spot};
use betwixt_core::hlc::{Hlc, Millis};
use betwixt_core::id::{OpId, SiteId};
use betwixt_core::key::{KEY_BYTES_MAX, Key};
use betwixt_core::op::{Add, Body, Op, Put};
use betwixt_core::register::Register;
use betwixt_core::wire::{CloseReason, RefusedCode, ToRelay, ToSite};

use crate::relay::BAD;
use crate::world::World;

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
fn a_site_that_gets_its_number_with_a_snapshot_places_anew_what_it_placed_without() {
    let mut world = World::new(2, 5);
    world.add(1, &["first"]);
    world.settle_of(1);
    world.add(0, &["a", "b"]);
    let unnumbered: Vec<Key> = world.keys(0);
    world.pass(600);
    assert!(world.carry_up(0), "the hello goes");
    while world.carry_down(0) {}
    assert!(world.carry_up(0), "the join goes");
    // Its ack is lost with the link, and the log is trimmed behind it.
    world.cut(0);
    world.relay.trimmed = world.relay.head();
    world.settle();
    world.check();
    assert_ne!(world.peers[0].replica.number().0, 0);
    assert_eq!(world.texts(1), world.texts(0));
    assert!(world.keys(1).iter().filter(|key| unnumbered.contains(key)).count() <= 1, "only the key of number 0");
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
        let low = format!("{}{}", world.keys(0)[0], "!".repeat(39));
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

#[test]
fn items_typed_one_by_one_by_three_sites_in_one_gap_stay_runs_with_short_keys() {
    let mut world = World::new(3, 16);
    for site in 0..3 {
        world.add(site, &[["a", "b", "c"][site]]);
        world.settle();
    }
    let at: Vec<String> = world.texts(0);
    let first = world.peers[0].replica.shown().order().at(0).expect("three items").id;
    for (site, name) in ["x", "y", "z"].into_iter().enumerate() {
        let mut spot = Spot::After(first);
        for number in 0..50 {
            let text = Register::Text(format!("{name}{number}").into());
            let made = world.edit(site, &Edit::Add { spot, items: vec![vec![text]] }).expect("there is room");
            // The third one types upwards.
            spot = if site == 2 { Spot::Before(made.items[0]) } else { Spot::After(made.items[0]) };
        }
    }
    world.settle();
    world.check();
    let run = |name: &str| (0..50).map(|number| format!("{name}{number}")).collect::<Vec<_>>();
    let (x, y, mut z) = (run("x"), run("y"), run("z"));
    z.reverse();
    let texts = world.texts(0);
    assert_eq!((&texts[..1], &texts[151..]), (&at[..1], &at[1..]));
    for run in [x, y, z] {
        assert!(texts.windows(50).any(|rows| rows == run), "{texts:?}");
    }
    assert!(world.keys(0).iter().all(|key| key.len() <= 7), "{:?}", world.keys(0));
}

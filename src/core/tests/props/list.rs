//! A list is what its ops say, in whatever order they are said; and its log cannot be changed unseen.

use std::collections::{BTreeMap, BTreeSet};

use betwixt_core::edit::Spot;
use betwixt_core::id::{Hash, ItemId, OpId};
use betwixt_core::item::{Item, Write, Written};
use betwixt_core::list::{ApplyError, Effect, Lengths, List, Site};
use betwixt_core::log::Entry;
use betwixt_core::op::body::Kinds;
use betwixt_core::op::{Add, Body, Join, Op, Put, kind};
use betwixt_core::order::{Life, Place};
use betwixt_core::register::{Field, Register};
use betwixt_core::snapshot::{Assembly, Part, SnapshotError, begin};
use proptest::collection::{btree_set, vec};
use proptest::prelude::*;
use proptest::sample::Index;

use crate::any::{
    ITEMS, Pen, SITES, UID, any_key, any_list, any_ops, any_registers, bare_item, hlc, item_id, key_of, list_of, log,
    mutate_all,
};
use crate::config;

/// Everything that can be seen of a list's items.
fn seen(list: &List) -> (Hash, Vec<Place>, Lengths) {
    (list.state_hash(), list.order().iter().cloned().collect(), list.lengths().clone())
}

fn say_all<'a>(list: &mut List, ops: impl IntoIterator<Item = &'a Op>) {
    for op in ops {
        list.say(op);
    }
}

/// The ops in another order, each site's own order kept: `turns` says who speaks next.
fn interleave(ops: &[Op], turns: &[u8]) -> Vec<Op> {
    let mut queues: Vec<Vec<&Op>> =
        (0..SITES).map(|number| ops.iter().filter(|op| op.site == hlc(0, 0, number).site).rev().collect()).collect();
    let mut turns = turns.iter().copied().cycle();
    let mut said = Vec::new();
    while queues.iter().any(|queue| !queue.is_empty()) {
        let from = usize::from(turns.next().unwrap_or_default());
        let speaker = (0..queues.len()).map(|step| (from + step) % queues.len()).find(|at| !queues[*at].is_empty());
        said.extend(speaker.and_then(|at| queues[at].pop()).cloned());
    }
    said
}

/// All spots of a list, and the moved items that do not include the spot's own.
fn any_spot() -> impl Strategy<Value = (Spot, BTreeSet<ItemId>)> {
    let spot = prop_oneof![
        1 => Just(Spot::Top),
        1 => Just(Spot::Bottom),
        4 => (0..ITEMS).prop_map(|number| Spot::Before(item_id(number))),
        4 => (0..ITEMS).prop_map(|number| Spot::After(item_id(number))),
    ];
    (spot, btree_set((0..ITEMS).prop_map(item_id), 0..6)).prop_map(|(spot, mut moving)| {
        if let Spot::Before(id) | Spot::After(id) = spot {
            moving.remove(&id);
        }
        (spot, moving)
    })
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn ops_commute_and_repeats_change_nothing(
        (first, said) in any_ops(0..40),
        turns in vec(0..SITES, 1..40),
    ) {
        let (mut here, mut there) = (List::new(UID), List::new(UID));
        say_all(&mut here, first.iter().chain(&said));
        say_all(&mut there, first.iter().chain(&interleave(&said, &turns)));
        prop_assert_eq!(seen(&here), seen(&there));
        let before = seen(&here);
        say_all(&mut here, said.iter().rev().chain(&first));
        prop_assert_eq!(seen(&here), before);
    }

    #[test]
    fn rows_ranks_and_lengths_are_those_of_a_recount(list in any_list(0..60)) {
        let mut items: Vec<(ItemId, &Item)> = list.items().collect();
        items.sort_by_key(|(id, item)| (item.position.key.clone(), *id));
        let ids: Vec<ItemId> = items.iter().map(|(id, _)| *id).collect();
        prop_assert_eq!(list.order().iter().map(|place| place.id).collect::<Vec<_>>(), ids);
        let live: Vec<(ItemId, &Item)> = items.iter().copied().filter(|(_, item)| !item.deleted()).collect();
        prop_assert_eq!(list.live().collect::<Vec<_>>(), live.clone());
        for (row, (id, _)) in live.iter().enumerate() {
            prop_assert_eq!((list.row(*id), list.at_row(row)), (Some(row), Some(*id)));
            let next = live.get(row + 1).map(|(id, _)| *id);
            prop_assert_eq!(list.live_after(*id), next);
            prop_assert_eq!(next.map(|next| list.live_before(next)), next.map(|_| Some(*id)));
        }
        prop_assert_eq!(list.at_row(live.len()), None);
        for (id, _) in items.iter().filter(|(_, item)| item.deleted()) {
            prop_assert_eq!(list.row(*id), None);
        }
        let keys: Vec<usize> = live.iter().map(|(_, item)| item.position.key.len()).collect();
        let lengths = list.lengths();
        prop_assert_eq!(lengths, &live.iter().map(|(_, item)| &item.position.key).collect::<Lengths>());
        prop_assert_eq!(lengths.keys(), keys.len());
        prop_assert_eq!(lengths.longest(), keys.iter().copied().max().unwrap_or_default());
        prop_assert_eq!(lengths.bytes(), keys.iter().sum::<usize>());
        let hundredths = keys.iter().sum::<usize>() * 100;
        prop_assert_eq!(lengths.mean_hundredths(), hundredths.checked_div(keys.len()).unwrap_or_default());
        for bytes in 0..=130 {
            prop_assert_eq!(lengths.count(bytes), keys.iter().filter(|key| **key == bytes).count());
        }
    }

    #[test]
    fn a_gap_is_open_and_nothing_that_stays_is_inside((spot, moving) in any_spot(), list in any_list(0..60)) {
        let (low, high) = list.gap_at(spot, &moving).expect("the spot's item is in the list");
        if let (Some(low), Some(high)) = (&low, &high) {
            prop_assert!(low < high);
        }
        let stays: Vec<Place> =
            list.order().live().filter(|place| !moving.contains(&place.id)).cloned().collect();
        let inside = |place: &&Place| {
            low.as_ref().is_none_or(|low| *low < place.key) && high.as_ref().is_none_or(|high| place.key < *high)
        };
        prop_assert_eq!(stays.iter().find(inside), None);
        // High is a neighbour that stays; what is missing is missing because nothing is there.
        prop_assert!(high.as_ref().is_none_or(|high| stays.iter().any(|place| place.key == *high)));
        let last = stays.last().map(|place| &place.key);
        prop_assert!(high.is_some() || low.as_ref() >= last);
        match spot {
            Spot::Top => prop_assert_eq!(low, None),
            Spot::Bottom => {
                prop_assert_eq!(low.as_ref(), last);
                prop_assert_eq!(high, None);
            }
            Spot::After(id) => prop_assert_eq!(low.as_ref(), list.item(id).map(|item| &item.position.key)),
            Spot::Before(id) => {
                let key = &list.item(id).expect("it is in the list").position.key;
                let before = stays.iter().rev().find(|place| (&place.key, place.id) < (key, id));
                prop_assert_eq!(low.as_ref(), before.map(|place| &place.key));
                let live = stays.iter().any(|place| place.id == id);
                prop_assert!(!live || low.as_ref() == Some(key) || high.as_ref() == Some(key));
            }
        }
        prop_assert_eq!(list.gap_at(Spot::After(ItemId::from_bytes([1, 2, 3, 4, 5, 6, 7, 8])), &moving), None);
    }

    #[test]
    fn one_chain_is_one_state((first, said) in any_ops(0..40)) {
        let entries = log(&[first, said].concat());
        let (one, other) = (list_of(&entries), list_of(&entries));
        prop_assert_eq!(one.mark(), other.mark());
        prop_assert_eq!(seen(&one), seen(&other));
        for (number, (_, site)) in (0..).zip(one.sites()) {
            prop_assert_eq!(site.number, number);
            let last = entries.iter().rev().find(|entry| entry.op.hash == site.hash);
            prop_assert_eq!(last.map(|entry| entry.op.ctr), Some(site.ctr));
        }
    }

    #[test]
    fn a_changed_byte_in_an_entry_is_found(
        (first, said) in any_ops(1..10),
        which in any::<Index>(),
        place in any::<Index>(),
        flip in 1..=255_u8,
    ) {
        let entries = log(&[first, said].concat());
        let at = which.index(entries.len());
        let mut list = list_of(&entries[..at]);
        let before = (list.mark(), seen(&list));
        let mut bytes = entries[at].to_bytes();
        *place.get_mut(&mut bytes) ^= flip;
        if let Ok(changed) = Entry::from_bytes(&bytes) {
            let refused = list.apply(&changed, Kinds::KNOWN);
            let found = matches!(refused, Err(ApplyError::Chain { .. } | ApplyError::Gap { .. }));
            prop_assert!(found, "{:?}", refused);
            prop_assert_eq!((list.mark(), seen(&list)), before);
        }
    }

    #[test]
    fn an_entry_out_of_turn_is_a_gap((first, said) in any_ops(1..10), which in any::<Index>()) {
        let entries = log(&[first, said].concat());
        let at = which.index(entries.len());
        let mut list = list_of(&entries[..at]);
        let before = (list.mark(), seen(&list));
        for (seq, entry) in (1..).zip(&entries).filter(|(seq, _)| *seq != list.mark().seq + 1).collect::<Vec<_>>() {
            let expected = list.mark().seq + 1;
            prop_assert_eq!(list.apply(entry, Kinds::KNOWN), Err(ApplyError::Gap { expected, found: seq }));
        }
        prop_assert_eq!((list.mark(), seen(&list)), before);
        prop_assert!(list.apply(&entries[at], Kinds::KNOWN).is_ok());
    }

    #[test]
    fn a_list_stops_before_a_kind_that_it_does_not_know(
        list in any_list(0..10),
        kind in prop_oneof![Just(0), 5..=255_u8],
        bytes in vec(any::<u8>(), 0..20),
    ) {
        let op = Pen::new(9).say(5, Body::Unread { kind, bytes });
        let entry = Entry::behind(list.mark(), op);
        let stopped = Err(ApplyError::Unread { seq: entry.seq, kind });
        let mut blind = list.clone();
        prop_assert_eq!(blind.apply(&entry, Kinds::KNOWN), stopped.clone());
        prop_assert_eq!((blind.mark(), seen(&blind)), (list.mark(), seen(&list)));
        let told = blind.apply(&entry, Kinds::KNOWN.and(kind));
        prop_assert_eq!(told.is_ok(), kind == kind::PROBE);
        prop_assert_eq!(seen(&blind).1, seen(&list).1);
    }

    #[test]
    fn of_each_field_the_last_part_of_an_item_counts(parts in vec((any_registers(), 0..9_u64), 0..4)) {
        let parts: Vec<Written> = parts
            .into_iter()
            .flat_map(|(registers, wall)| {
                registers.into_iter().map(move |register| Written { register, hlc: hlc(wall, 0, 1) })
            })
            .collect();
        let item = Item::from_parts(bare_item(key_of(vec![])).position, parts.clone());
        prop_assert!(item.registers().is_sorted_by(|a, b| a.register.field() < b.register.field()));
        for part in &parts {
            let field = part.register.field();
            let last = parts.iter().rev().find(|other| other.register.field() == field);
            prop_assert_eq!(item.written(field), last);
        }
    }

    #[test]
    fn a_move_and_an_edit_both_survive_a_deletion_ends_only_by_a_restore(
        list in any_list(0..20),
        key in any_key(),
        number in 0..ITEMS,
        edit_first in any::<bool>(),
    ) {
        // Above every stamp that the list has; sites 1 and 2 do not know of each other's op.
        let late = 6_000_000_000;
        let item = item_id(number);
        let put = |pen: u8, wall: u64, key, registers| {
            Pen::new(pen).say(wall, Body::Put(Put { item, key, registers }))
        };
        let moved = put(1, late, Some(key.clone()), vec![]);
        let edited = put(2, late, None, vec![Register::Text("new".into())]);
        let mut list = list;
        say_all(&mut list, if edit_first { [&edited, &moved] } else { [&moved, &edited] });
        let now = list.item(item).expect("it is in the list");
        prop_assert_eq!((&now.position.key, now.text()), (&key, "new"));

        list.say(&put(3, late + 1, None, vec![Register::Deleted(true)]));
        list.say(&put(3, late + 2, None, vec![Register::Text("later".into())]));
        prop_assert_eq!(list.row(item), None);
        prop_assert!(list.order().iter().any(|place| place.id == item && place.life == Life::Dead));
        list.say(&put(3, late + 3, None, vec![Register::Deleted(false)]));
        prop_assert!(list.row(item).is_some());
        let now = list.item(item).expect("it is in the list");
        prop_assert_eq!((&now.position.key, now.text()), (&key, "later"));
    }
}

#[test]
fn the_text_that_lost_and_the_item_that_is_gone_are_told() {
    let item = item_id(1);
    let mut list = List::new(UID);
    let mut pen = Pen::new(1);
    let text = |text: &str| vec![Register::Text(text.into())];
    let add = pen.say(5, Body::Add(Add { item, key: key_of(vec![7]), registers: text("milk") }));
    let write = |item, words| Body::Put(Put { item, key: None, registers: text(words) });
    assert_eq!(list.say(&pen.say(4, write(item, "early"))), Effect::Nothing, "nothing to write to yet");
    assert_eq!(list.say(&add), Effect::Added(item));
    let won = Effect::Put { item, place: None, text: Some(Write::Won) };
    let fell_behind = Effect::Put { item, place: None, text: Some(Write::Lost) };
    assert_eq!(list.say(&pen.say(6, write(item, "bread"))), won);
    assert_eq!(list.say(&pen.say(5, write(item, "cake"))), fell_behind);
    assert_eq!(list.item(item).map(|item| item.register(Field::Text)), Some(Register::Text("bread".into())));
}

#[test]
fn a_first_op_that_is_no_join_still_says_what_it_does() {
    let mut list = List::new(UID);
    let add = Pen::new(1).say(5, Body::Add(Add { item: item_id(1), key: key_of(vec![7]), registers: vec![] }));
    let entry = Entry::behind(list.mark(), add);
    assert_eq!(list.apply(&entry, Kinds::KNOWN), Ok(Effect::Added(item_id(1))));
    let entry = Entry::behind(list.mark(), Pen::new(2).say(5, Body::Join(Join::default())));
    assert_eq!(list.apply(&entry, Kinds::KNOWN), Ok(Effect::Joined));
    assert_eq!(list.sites().map(|(_, site)| site.number).collect::<Vec<_>>(), [0, 1]);
}

#[test]
fn a_counter_that_no_site_comes_to_is_not_taken_over() {
    let mut list = List::new(UID);
    let (id, body) = (OpId { site: hlc(0, 0, 1).site, ctr: u64::MAX }, Body::Join(Join::default()));
    let op = Op::new(id, 0, list.epoch().id, hlc(1, 0, 1), body);
    let entry = Entry::behind(list.mark(), op);
    assert_eq!(list.apply(&entry, Kinds::KNOWN), Err(ApplyError::Counter { seq: 1, ctr: u64::MAX }));
    assert_eq!((list.mark().seq, list.sites().len()), (0, 0));
    let site = Site { name: "ana".into(), number: 0, ctr: u64::MAX, hash: Hash::from_bytes([0; 32]) };
    let mut assembly = Assembly::new(begin(&list));
    assert_eq!(assembly.add(Part::Sites(vec![(id.site, site)])), Err(SnapshotError::Part));
}

#[test]
fn a_list_at_the_last_place_of_its_log_reads_on_without_a_panic() {
    let mut header = List::new(UID).header();
    header.mark.seq = u64::MAX;
    let mut list = List::from_parts(header, BTreeMap::new(), BTreeMap::new());
    let entry = &log(&[Pen::new(1).say(1, Body::Join(Join::default()))])[0];
    assert_eq!(list.apply(entry, Kinds::KNOWN), Err(ApplyError::Gap { expected: u64::MAX, found: 1 }));
}

#[test]
fn a_mutated_log_never_panics() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    for _ in 0..config().cases {
        let (ops, mutations) =
            (any_ops(1..6), vec(crate::any::any_mutation(), 1..4)).new_tree(&mut runner).expect("a case").current();
        let mut list = List::new(UID);
        for entry in log(&[ops.0, ops.1].concat()) {
            let mut bytes = entry.to_bytes();
            mutate_all(&mut bytes, &mutations);
            if let Ok(changed) = Entry::from_bytes(&bytes) {
                // Signed anew, as a hostile relay would, so that the op itself is what is applied.
                let _ = list.apply(&Entry::behind(list.mark(), changed.op), Kinds::KNOWN.and(kind::PROBE));
            }
        }
        assert_eq!(list.lengths(), &list.live().map(|(_, item)| &item.position.key).collect::<Lengths>());
    }
}

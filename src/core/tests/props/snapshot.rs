//! A snapshot is the list: whole, in parts that fit, or refused.

use std::collections::BTreeMap;

use betwixt_core::hlc::{Hlc, Millis, Tick};
use betwixt_core::id::{Hash, ItemId, OpId};
use betwixt_core::key::{Gap, Hint, Key, SiteNumber, between};
use betwixt_core::limits::{CTR_MAX, SENT_BYTES_MAX};
use betwixt_core::list::{List, Site};
use betwixt_core::op::body::Kinds;
use betwixt_core::op::{Add, Body, EpochId, Join, Op, Put};
use betwixt_core::register::Register;
use betwixt_core::snapshot::{Assembly, Part, SnapshotError, begin, parts};
use proptest::prelude::*;
use proptest::sample::{Index, select};

use crate::any::{Pen, UID, any_list, any_mutation, item_id, log, mutate_all, site};
use crate::config;

fn bytes(part: &Part) -> Vec<u8> {
    postcard::to_stdvec(part).expect("a part encodes")
}

fn assemble(list: &List, parts: impl IntoIterator<Item = Part>) -> Result<List, SnapshotError> {
    let mut assembly = Assembly::new(begin(list));
    parts.into_iter().try_for_each(|part| assembly.add(part))?;
    assembly.finish()
}

/// How many items or sites a part brings.
fn count(list: &List, part: &Part) -> usize {
    let mut open = begin(list);
    (open.items, open.sites) = (u32::MAX, u32::MAX);
    let mut assembly = Assembly::new(open);
    assembly.add(part.clone()).expect("a whole part");
    match (part, assembly.finish()) {
        (Part::Sites(sites), _) => sites.len(),
        (Part::Items(_), Err(SnapshotError::Count { what: "items", found, .. })) => found,
        (_, other) => panic!("counted {other:?}"),
    }
}

fn any_bytes_max() -> impl Strategy<Value = usize> {
    prop_oneof![select(vec![0, 1, 63, 64, 67, 68, SENT_BYTES_MAX]), 0..600_usize, 0..5_000_usize]
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_list_comes_back_from_its_parts(list in any_list(0..80), bytes_max in any_bytes_max()) {
        let parts: Vec<Part> = parts(&list, bytes_max).collect();
        let mut carried = Vec::new();
        for part in &parts {
            let bytes = bytes(part);
            prop_assert!(bytes.len() <= bytes_max || count(&list, part) == 1, "{} over {bytes_max}", bytes.len());
            let (read, rest): (Part, &[u8]) = postcard::take_from_bytes(&bytes).expect("a part decodes");
            prop_assert_eq!((&read, rest.len()), (part, 0));
            carried.push(read);
        }
        let back = assemble(&list, carried).expect("all of it came");
        prop_assert_eq!(back.state_hash(), list.state_hash());
        prop_assert_eq!(back.header(), list.header());
        prop_assert!(back.order().iter().eq(list.order().iter()));
        prop_assert_eq!(back.lengths(), list.lengths());
        prop_assert!(back.items().eq(list.items()));
    }

    #[test]
    fn a_part_that_is_missing_or_came_before_is_refused(
        list in any_list(0..40),
        bytes_max in 0..2_000_usize,
        which in any::<Index>(),
    ) {
        let parts: Vec<Part> = parts(&list, bytes_max).collect();
        let at = which.index(parts.len());
        let mut missing = parts.clone();
        let part = missing.remove(at);
        let found = assemble(&list, missing).err();
        prop_assert!(matches!(found, Some(SnapshotError::Count { .. })), "{:?}", found);
        let mut twice = parts;
        twice.push(part);
        let found = assemble(&list, twice).err();
        prop_assert!(matches!(found, Some(SnapshotError::Twice { .. })), "{:?}", found);
    }

    #[test]
    fn a_part_of_another_list_is_refused(
        list in any_list(0..40),
        number in 0..12_u8,
        bytes_max in 0..2_000_usize,
        other in any_list(0..40),
    ) {
        let mut edited = list.clone();
        let registers = vec![Register::Text("never said before".into())];
        edited.say(&Pen::new(1).say(6_000_000_000, Body::Put(Put { item: item_id(number), key: None, registers })));
        prop_assert_eq!(assemble(&list, parts(&edited, bytes_max)).err(), Some(SnapshotError::Hash));
        if other.state_hash() != list.state_hash() {
            prop_assert!(assemble(&list, parts(&other, bytes_max)).is_err());
        }
    }

    #[test]
    fn changed_parts_are_refused_and_never_panic(
        list in any_list(0..30),
        bytes_max in 0..2_000_usize,
        mutations in prop::collection::vec(any_mutation(), 1..4),
    ) {
        let mut assembly = Assembly::new(begin(&list));
        for part in parts(&list, bytes_max) {
            let mut bytes = bytes(&part);
            mutate_all(&mut bytes, &mutations);
            if let Ok((part, _)) = postcard::take_from_bytes(&bytes) {
                let _ = assembly.add(part);
            }
        }
        if let Ok(back) = assembly.finish() {
            prop_assert_eq!(back.state_hash(), list.state_hash());
        }
    }
}

/// A list as a team makes it in a month: five sites in turn, items of 90 bytes, ids like random ones.
fn month_of(items: u64) -> List {
    let mut list = List::new(UID);
    let mut key: Option<Key> = None;
    for number in 0..items {
        let author = u8::try_from(number % 5).expect("five sites");
        let gap = Gap::new(key.as_ref(), None).expect("an end that is open");
        let next = between(gap, SiteNumber(author.into()), Hint::None, &mut |_| false).expect("room at the end");
        let mut id = [0; 8];
        id.copy_from_slice(&Hash::of(&[&number.to_be_bytes()]).as_bytes()[..8]);
        let wall = Millis(1_790_000_000_000 + number * 30 * 24 * 3_600_000 / items);
        let hlc = Hlc { tick: Tick { wall, counter: 0 }, site: site(author) };
        let registers = vec![Register::Text(format!("{number:090}").into())];
        let body = Body::Add(Add { item: ItemId::from_bytes(id), key: next.clone(), registers });
        let op = OpId { site: site(author), ctr: number + 1 };
        list.say(&Op::new(op, number, EpochId::first(UID), hlc, body));
        key = Some(next);
    }
    list
}

#[test]
fn ten_thousand_items_cost_at_most_1_2_megabytes() {
    let list = month_of(10_000);
    let sizes: Vec<usize> = parts(&list, SENT_BYTES_MAX).map(|part| bytes(&part).len()).collect();
    assert!(sizes.iter().sum::<usize>() <= 1_200_000, "{} bytes", sizes.iter().sum::<usize>());
    assert!(sizes.iter().all(|size| *size <= SENT_BYTES_MAX), "{sizes:?}");
    assert!(sizes.len() <= 21, "parts are filled: {sizes:?}");
}

#[test]
fn a_site_of_the_greatest_numbers_still_fits() {
    let greatest = Site { name: "".into(), number: u32::MAX, ctr: CTR_MAX, hash: Hash::from_bytes([0xff; 32]) };
    let sites = (0..40).map(|number| (site(number), greatest.clone())).collect();
    let list = List::from_parts(List::new(UID).header(), BTreeMap::new(), sites);
    for bytes_max in [64, 67, 126, 129, 130, 189, 256, 1_000] {
        for part in parts(&list, bytes_max) {
            assert!(bytes(&part).len() <= bytes_max || count(&list, &part) == 1);
        }
    }
}

#[test]
fn a_snapshot_and_the_rest_of_the_log_are_the_whole_log() {
    let mut pen = Pen::new(1);
    let mut ops = vec![pen.say(1, Body::Join(Join::default()))];
    for number in 0..30 {
        let key = crate::any::key_of(vec![number]);
        ops.push(pen.say(9, Body::Add(Add { item: item_id(number), key, registers: vec![] })));
    }
    let entries = log(&ops);
    let whole = crate::any::list_of(&entries);
    for at in [0, 1, 15, 31] {
        let part = crate::any::list_of(&entries[..at]);
        let mut list = assemble(&part, parts(&part, 300)).expect("all of it came");
        for entry in &entries[at..] {
            list.apply(entry, Kinds::KNOWN).expect("the log goes on behind a snapshot");
        }
        assert_eq!((list.mark(), list.state_hash()), (whole.mark(), whole.state_hash()));
    }
}

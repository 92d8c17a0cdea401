//! A rebalance keeps the order of all that has a place, also of what is still on its way (I1, I7).

use betwixt_core::id::ItemId;
use betwixt_core::key::{Key, spaced};
use betwixt_core::order::{Life, Order, Place};
use betwixt_core::rebalance::Rebalance;
use proptest::collection::vec;
use proptest::prelude::*;

use crate::any::{any_key, item_id};
use crate::config;

fn any_place() -> impl Strategy<Value = Place> {
    let life = prop_oneof![2 => Just(Life::Live), 1 => Just(Life::Dead)];
    (any_key(), 0..60_u8, life).prop_map(|(key, id, life)| Place { key, id: item_id(id), life })
}

/// By key, then by item: the order of a list.
fn in_order(places: &mut [(Key, ItemId)]) {
    places.sort();
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn no_place_passes_another(
        places in vec(any_place(), 0..40),
        pending in vec((any_key(), 0..90_u8), 0..20),
    ) {
        let order: Order = places.into_iter().collect();
        let map = Rebalance::of(order.clone());
        let mut old: Vec<(Key, ItemId)> = order.iter().map(|place| (place.key.clone(), place.id)).collect();
        // What is in the list twice cannot be on its way as well.
        old.extend(pending.into_iter().map(|(key, id)| (key, item_id(id))));
        in_order(&mut old);
        old.dedup();
        // Keys that are too long by then are placed anew.
        let new = old.iter().filter_map(|(key, id)| Some((map.translate(key, *id).ok()?, *id)));
        let new: Vec<(Key, ItemId)> = new.collect();
        prop_assert!(new.is_sorted_by(|one, next| one < next), "{new:?}");
        prop_assert!(new.len() >= order.len());
    }

    #[test]
    fn the_live_are_evenly_spaced_and_no_key_is_long(places in vec(any_place(), 0..40)) {
        let order: Order = places.into_iter().collect();
        let map = Rebalance::of(order.clone());
        let (live, dead): (Vec<_>, Vec<_>) = map.keys().partition(|(place, _)| place.life == Life::Live);
        let live: Vec<Key> = live.into_iter().map(|(_, key)| key.clone()).collect();
        prop_assert_eq!(live, spaced(order.live_len()));
        prop_assert!(dead.iter().all(|(_, key)| key.len() <= 10), "{dead:?}");
        for (place, key) in map.keys() {
            prop_assert_eq!(map.translate(&place.key, place.id), Ok(key.clone()));
        }
    }
}

#[test]
fn a_large_list_has_keys_of_three_bytes_and_its_dead_of_ten() {
    let place = |number: usize| {
        let id = ItemId::from_bytes((number as u64).to_be_bytes());
        let life = if number.is_multiple_of(3) { Life::Live } else { Life::Dead };
        Place { key: Key::parse("x").expect("a key"), id, life }
    };
    // All keys equal: the items alone order them.
    let order: Order = (0..100_000).map(place).collect();
    let map = Rebalance::of(order);
    let longest = |life| map.keys().filter(|(place, _)| place.life == life).map(|(_, key)| key.len()).max();
    assert_eq!(longest(Life::Live), Some(3));
    assert!(longest(Life::Dead) <= Some(10));
    assert!(map.keys().is_sorted_by(|(_, one), (_, next)| one < next), "equal keys are parted");
}

#[test]
fn what_would_be_too_long_is_said_to_be() {
    let long = Key::parse(&"~".repeat(128)).expect("a key");
    let map = Rebalance::of(Order::default());
    assert!(map.translate(&long, item_id(1)).is_err());
    let short = map.translate(&Key::parse("ab").expect("a key"), item_id(1));
    assert!(short.is_ok_and(|key| key.len() <= 2 + 4), "a few bytes stand before it");
}

//! `Order` is a sorted map from (key, id) to life, with ranks: checked against `BTreeMap`.

use std::collections::BTreeMap;

use betwixt_core::id::ItemId;
use betwixt_core::key::Key;
use betwixt_core::order::{Life, Order, Place, Rank};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

use crate::any::{item_id, key_of};
use crate::config;

type Oracle = BTreeMap<(Key, ItemId), Life>;

#[derive(Debug, Clone)]
enum Step {
    Insert(Place),
    Remove(Place),
    /// Takes out this many places from one on: whole chunks go.
    Clear(Index, usize),
}

/// A few thousand different places, so that there are many chunks and one comes twice now and then.
fn any_place() -> impl Strategy<Value = Place> {
    let life = prop_oneof![2 => Just(Life::Live), 1 => Just(Life::Dead)];
    (0..40_u8, 0..40_u8, 0..3_u8, life).prop_map(|(a, b, id, life)| Place {
        key: key_of(vec![a, b]),
        id: item_id(id),
        life,
    })
}

fn any_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        30 => any_place().prop_map(Step::Insert),
        10 => any_place().prop_map(Step::Remove),
        1 => (any::<Index>(), 0..700_usize).prop_map(|(from, count)| Step::Clear(from, count)),
    ]
}

fn step(order: &mut Order, oracle: &mut Oracle, step: Step) {
    match step {
        Step::Insert(Place { key, id, life }) => {
            order.insert(key.clone(), id, life);
            oracle.insert((key, id), life);
        }
        Step::Remove(Place { key, id, .. }) => {
            assert_eq!(order.remove(&key, id), oracle.remove(&(key, id)).is_some());
        }
        Step::Clear(from, count) => {
            let from = from.index(oracle.len() + 1);
            let cleared: Vec<(Key, ItemId)> = oracle.keys().skip(from).take(count).cloned().collect();
            for (key, id) in cleared {
                assert!(order.remove(&key, id));
                oracle.remove(&(key, id));
            }
        }
    }
}

fn places(oracle: &Oracle) -> Vec<Place> {
    oracle.iter().map(|((key, id), life)| Place { key: key.clone(), id: *id, life: *life }).collect()
}

fn live(places: &[Place]) -> Vec<&Place> {
    places.iter().filter(|place| place.life == Life::Live).collect()
}

fn check_whole(order: &Order, places: &[Place]) {
    let live = live(places);
    assert_eq!((order.len(), order.live_len(), order.is_empty()), (places.len(), live.len(), places.is_empty()));
    assert!(order.iter().eq(places));
    assert!(order.iter().rev().eq(places.iter().rev()));
    assert!(order.live().eq(live.iter().copied()));
}

fn check_around(order: &Order, places: &[Place], Place { key, id, .. }: &Place) {
    let before = places.partition_point(|place| (&place.key, place.id) < (key, *id));
    let present = places.get(before).is_some_and(|place| (&place.key, place.id) == (key, *id));
    let before_live = live(&places[..before]).len();
    let live = live(places);
    let rank = order.rank(key, *id);
    assert_eq!(rank, Rank { all: before, live: before_live });
    assert_eq!(order.at(rank.all), places.get(before));
    assert_eq!(order.live_at(rank.live), live.get(rank.live).copied());
    assert!(order.live_from(rank.live).eq(live[rank.live..].iter().copied()));
    assert!(order.after(key, *id).eq(&places[before + usize::from(present)..]));
    assert!(order.before(key, *id).eq(places[..before].iter().rev()));
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn an_order_is_a_sorted_map_with_ranks(
        start in vec(any_place(), 0..1_500),
        one_by_one in any::<bool>(),
        steps in vec(any_step(), 0..1_200),
        probes in vec(any_place(), 20),
    ) {
        let (mut order, mut oracle) = (Order::default(), Oracle::new());
        if one_by_one {
            for place in start {
                step(&mut order, &mut oracle, Step::Insert(place));
            }
        } else {
            order = start.iter().cloned().collect();
            oracle = start.into_iter().map(|Place { key, id, life }| ((key, id), life)).collect();
        }
        check_whole(&order, &places(&oracle));
        for next in steps {
            step(&mut order, &mut oracle, next);
        }
        let places = places(&oracle);
        check_whole(&order, &places);
        for probe in probes.iter().chain(places.first()).chain(places.last()) {
            check_around(&order, &places, probe);
        }
        prop_assert_eq!(order.at(places.len()), None);
        prop_assert_eq!(order.live_at(order.live_len()), None);
        prop_assert_eq!(order.live_from(order.live_len()).count(), 0);
        prop_assert_eq!(order.live_from(usize::MAX).count(), 0);
    }
}

#[test]
fn every_rank_holds_on_both_sides_of_every_chunk() {
    let mut order = Order::default();
    let mut oracle = Oracle::new();
    for number in 0..2_000_u32 {
        // 7 and 2,000 have no common divisor: every place comes once, each time far from the last.
        let at = number * 7 % 2_000;
        let digits = [at / 90, at % 90].map(|digit| u8::try_from(digit).expect("a digit"));
        let life = if at % 3 == 0 { Life::Dead } else { Life::Live };
        step(&mut order, &mut oracle, Step::Insert(Place { key: key_of(digits.to_vec()), id: item_id(1), life }));
    }
    let places = places(&oracle);
    for (rank, place) in places.iter().enumerate() {
        assert_eq!(order.at(rank), Some(place));
        check_around(&order, &places, place);
    }
}

//! The checks that every store passes. Each one empties the store first.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use crate::{Batch, KeyRange, Pair, Store};

/// Runs all checks.
///
/// # Panics
///
/// If the store does not keep to the contract of [`Store`].
pub fn check_all(store: &impl Store) {
    what_was_put_is_read(store);
    writes_of_a_batch_follow_each_other(store);
    any_bytes_are_a_key_and_a_value(store);
    a_range_is_half_open(store);
    a_range_can_be_deleted(store);
    a_visitor_can_stop(store);
    a_scan_sees_one_moment(store);
    it_does_as_a_map_does(store);
}

/// A key has the value of the last put, or none after a deletion; repeating a batch is harmless.
///
/// # Panics
///
/// If the store does not keep to it.
pub fn what_was_put_is_read(store: &impl Store) {
    empty(store);
    for _ in 0..2 {
        commit(store, |batch| batch.put("a", "1").put("b", "2"));
        check(store, &KeyRange::all(), &[("a", "1"), ("b", "2")]);
    }
    commit(store, |batch| batch.put("a", "3").delete("b").delete("never there"));
    check(store, &KeyRange::all(), &[("a", "3")]);
    commit(store, |batch| batch);
    assert_eq!(get(store, b"a").as_deref(), Some(&b"3"[..]));
    assert_eq!(get(store, b"b"), None);
    assert_eq!(get(store, b""), None);
}

/// A later write of a batch acts on what the earlier ones left.
///
/// # Panics
///
/// If the store does not keep to it.
pub fn writes_of_a_batch_follow_each_other(store: &impl Store) {
    empty(store);
    commit(store, |batch| batch.put("a", "1").put("a", "2").put("b", "1").delete("b").delete("c").put("c", "1"));
    check(store, &KeyRange::all(), &[("a", "2"), ("c", "1")]);
    commit(store, |batch| batch.put("b", "1").delete_range("a", "c").put("a", "3"));
    check(store, &KeyRange::all(), &[("a", "3"), ("c", "1")]);
}

/// No byte is special, none at all is a key too, and order is that of memcmp.
///
/// # Panics
///
/// If the store does not keep to it.
pub fn any_bytes_are_a_key_and_a_value(store: &impl Store) {
    empty(store);
    let keys: [&[u8]; 7] = [b"", b"\0", b"\0\0", b"a", b"a\0", b"\x80", b"\xff\xff"];
    let large: Vec<u8> = (0..=255).cycle().take(1 << 20).collect();
    commit(store, |batch| {
        for key in keys.iter().rev() {
            batch.put(*key, *key);
        }
        batch.put("large", large.clone()).put("none", "")
    });
    assert_eq!(get(store, b"large"), Some(large));
    assert_eq!(get(store, b"none"), Some(Vec::new()));
    commit(store, |batch| batch.delete("large").delete("none"));
    let expected: Vec<Pair> = keys.iter().map(|key| (key.to_vec(), key.to_vec())).collect();
    check_pairs(store, &KeyRange::all(), &expected);
}

/// A range holds its start and not its end, in both directions; one that descends is empty.
///
/// # Panics
///
/// If the store does not keep to it.
pub fn a_range_is_half_open(store: &impl Store) {
    empty(store);
    commit(store, |batch| batch.put("a", "1").put("b", "2").put("b1", "3").put("c", "4").put(b"\xff", "5"));
    check(store, &KeyRange::from_to("a", "c"), &[("a", "1"), ("b", "2"), ("b1", "3")]);
    check(store, &KeyRange::from_to("a0", "c0"), &[("b", "2"), ("b1", "3"), ("c", "4")]);
    check(store, &KeyRange::prefix(b"b"), &[("b", "2"), ("b1", "3")]);
    check_pairs(store, &KeyRange::prefix(b"\xff"), &[(b"\xff".to_vec(), b"5".to_vec())]);
    check(store, &KeyRange::from_to("b", "b"), &[]);
    check(store, &KeyRange::from_to("c", "a"), &[]);
    check(store, &KeyRange::prefix(b"d"), &[]);
}

/// Deleting a range deletes what is inside and nothing else.
///
/// # Panics
///
/// If the store does not keep to it.
pub fn a_range_can_be_deleted(store: &impl Store) {
    empty(store);
    commit(store, |batch| batch.put("a", "1").put("b", "2").put("b1", "3").put("c", "4"));
    commit(store, |batch| batch.delete_range("c", "a").delete_range("b", "b"));
    check(store, &KeyRange::all(), &[("a", "1"), ("b", "2"), ("b1", "3"), ("c", "4")]);
    commit(store, |batch| batch.delete_all(KeyRange::prefix(b"b")));
    check(store, &KeyRange::all(), &[("a", "1"), ("c", "4")]);
    commit(store, |batch| batch.delete_range("b", "c").delete_all(KeyRange { start: b"c".to_vec(), end: None }));
    check(store, &KeyRange::all(), &[("a", "1")]);
}

/// A scan ends where its visitor breaks.
///
/// # Panics
///
/// If the store does not keep to it.
pub fn a_visitor_can_stop(store: &impl Store) {
    empty(store);
    commit(store, |batch| batch.put("a", "1").put("b", "2").put("c", "3"));
    let mut seen = Vec::new();
    let mut stop_at_b = |key: &[u8], _: &[u8]| {
        seen.push(key.to_vec());
        if key == b"b" { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    store.scan(KeyRange::all(), &mut stop_at_b).expect("the store can be read");
    store.scan_back(KeyRange::all(), &mut stop_at_b).expect("the store can be read");
    assert_eq!(seen, [b"a", b"b", b"c", b"b"]);
    for (pairs_max, found) in [(0, 0), (2, 2), (9, 3)] {
        assert_eq!(store.pairs(KeyRange::all(), pairs_max).expect("the store can be read").len(), found);
    }
}

/// A commit made during a scan is not seen by it, but by all that begin later.
///
/// # Panics
///
/// If the store does not keep to it.
pub fn a_scan_sees_one_moment(store: &impl Store) {
    empty(store);
    commit(store, |batch| batch.put("a", "1").put("c", "3"));
    let mut seen = Vec::new();
    let mut edit = |key: &[u8], value: &[u8]| {
        commit(store, |batch| batch.put("b", "2").put("c", "4"));
        assert_eq!(get(store, b"c").as_deref(), Some(&b"4"[..]));
        seen.push((key.to_vec(), value.to_vec()));
        ControlFlow::Continue(())
    };
    store.scan(KeyRange::all(), &mut edit).expect("the store can be read");
    assert_eq!(seen, [(b"a".to_vec(), b"1".to_vec()), (b"c".to_vec(), b"3".to_vec())]);
    check(store, &KeyRange::all(), &[("a", "1"), ("b", "2"), ("c", "4")]);
}

/// After many batches over few keys the store holds what an ordered map holds.
///
/// # Panics
///
/// If the store does not keep to it.
pub fn it_does_as_a_map_does(store: &impl Store) {
    empty(store);
    let mut map: BTreeMap<Vec<u8>, Vec<u8>> = BTreeMap::new();
    let mut dice = Dice(1);
    for _ in 0..60 {
        let mut batch = Batch::default();
        for _ in 0..=dice.below(12) {
            let (low, high) = (dice.key(), dice.key());
            match dice.below(8) {
                0 => {
                    map.retain(|key, _| *key < low || *key >= high);
                    batch.delete_range(low, high);
                }
                1 | 2 => {
                    map.remove(&low);
                    batch.delete(low);
                }
                _ => {
                    map.insert(low.clone(), high.clone());
                    batch.put(low, high);
                }
            }
        }
        store.commit(&batch).expect("the store can be written");
        let range = KeyRange::from_to(dice.key(), dice.key());
        for range in [range, KeyRange::prefix(&dice.key()), KeyRange::all()] {
            let expected: Vec<Pair> = map
                .iter()
                .filter(|(key, _)| range.contains(key))
                .map(|(key, value)| (key.clone(), value.clone()))
                .collect();
            check_pairs(store, &range, &expected);
        }
    }
}

/// A linear congruential generator: the same numbers in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }

    fn key(&mut self) -> Vec<u8> {
        (0..self.below(4)).map(|_| [0x00, 0x61, 0xfe, 0xff][usize::try_from(self.below(4)).unwrap_or(0)]).collect()
    }
}

fn empty(store: &impl Store) {
    commit(store, |batch| batch.delete_all(KeyRange::all()));
    check(store, &KeyRange::all(), &[]);
}

fn commit(store: &impl Store, fill: impl FnOnce(&mut Batch) -> &mut Batch) {
    let mut batch = Batch::default();
    store.commit(fill(&mut batch)).expect("the store can be written");
}

fn get(store: &impl Store, key: &[u8]) -> Option<Vec<u8>> {
    store.get(key).expect("the store can be read")
}

#[track_caller]
fn check(store: &impl Store, range: &KeyRange, expected: &[(&str, &str)]) {
    let expected: Vec<Pair> = expected.iter().map(|(key, value)| ((*key).into(), (*value).into())).collect();
    check_pairs(store, range, &expected);
}

#[track_caller]
fn check_pairs(store: &impl Store, range: &KeyRange, expected: &[Pair]) {
    assert_eq!(ascending(store, range), expected, "ascending in {range:?}");
    let mut backwards = descending(store, range);
    backwards.reverse();
    assert_eq!(backwards, expected, "descending in {range:?}");
    for (key, value) in expected {
        assert_eq!(get(store, key).as_ref(), Some(value));
    }
}

fn ascending(store: &impl Store, range: &KeyRange) -> Vec<Pair> {
    store.pairs(range.clone(), usize::MAX).expect("the store can be read")
}

fn descending(store: &impl Store, range: &KeyRange) -> Vec<Pair> {
    let mut pairs = Vec::new();
    let mut visit = |key: &[u8], value: &[u8]| {
        pairs.push((key.to_vec(), value.to_vec()));
        ControlFlow::Continue(())
    };
    store.scan_back(range.clone(), &mut visit).expect("the store can be read");
    pairs
}

//! Power cuts at every write, resize and sync of a script.

use betwixt_store::{Batch, OpenError, Pair, RedbStore, Store, StoreError, memory::MemoryStore};

use crate::flaky::{Disk, Unsynced};
use crate::{FORMAT, contents, script};

const COMMITS: u32 = 30;

/// What a store holds after each number of commits.
fn states() -> Vec<Vec<Pair>> {
    let store = MemoryStore::default();
    let mut states = vec![contents(&store)];
    for n in 0..COMMITS {
        store.commit(&script(n)).unwrap();
        states.push(contents(&store));
    }
    states
}

/// Carries out the script until the disk stops; returns how many commits succeeded.
fn run(disk: &Disk, states: &[Vec<Pair>]) -> Option<usize> {
    let store = RedbStore::with_backend(disk.clone(), &FORMAT).ok()?;
    for n in 0..COMMITS {
        let done = n as usize;
        if let Err(error) = store.commit(&script(n)) {
            assert!(matches!(error, StoreError::Io(_) | StoreError::Reopen), "commit {n}: {error:?}");
            // What failed is not shown.
            if let Ok(Some(last)) = store.get(b"last") {
                assert!(states[done].contains(&(b"last".to_vec(), last)), "commit {n} failed and is shown");
            }
            let mut other = Batch::default();
            other.put("other", "");
            store.commit(&other).expect_err("a store that failed stays closed");
            return Some(done);
        }
    }
    Some(COMMITS as usize)
}

/// Opens what a power cut left, and returns how many commits are there; all or none of each.
#[track_caller]
fn commits_on(disk: Disk, states: &[Vec<Pair>], acknowledged: usize) -> usize {
    let store = RedbStore::with_backend(disk, &FORMAT).unwrap();
    let found = contents(&store);
    let in_flight = (acknowledged + 1).min(COMMITS as usize);
    let commits = (acknowledged..=in_flight).find(|commits| states[*commits] == found);
    commits.expect("every acknowledged commit is there, and at most the one in flight beyond")
}

#[test]
fn every_acknowledged_commit_survives_a_power_cut_at_any_moment() {
    let states = states();
    let whole = Disk::new(Vec::new(), u64::MAX);
    assert_eq!(run(&whole, &states), Some(COMMITS as usize));
    let mut in_flight_kept = 0;
    let mut in_flight_lost = 0;
    for events in 0..whole.events() {
        let disk = Disk::new(Vec::new(), events);
        let acknowledged = run(&disk, &states);
        for unsynced in [Unsynced::Lost, Unsynced::Kept, Unsynced::Some(events), Unsynced::Some(!events)] {
            let image = disk.after_power_cut(unsynced);
            let Some(acknowledged) = acknowledged else {
                // Nobody was told yet that there is a store.
                match RedbStore::with_backend(Disk::new(image, u64::MAX), &FORMAT) {
                    Ok(store) => assert!(contents(&store).is_empty()),
                    Err(OpenError::Damaged { .. } | OpenError::Foreign { .. }) => {}
                    Err(error) => panic!("event {events}, {unsynced:?}: {error:?}"),
                }
                continue;
            };
            let found = commits_on(Disk::new(image, u64::MAX), &states, acknowledged);
            if found > acknowledged { in_flight_kept += 1 } else { in_flight_lost += 1 }
        }
    }
    assert!(in_flight_kept >= COMMITS && in_flight_lost > 100, "{in_flight_kept} kept, {in_flight_lost} lost");
}

#[test]
fn a_power_cut_while_opening_after_a_power_cut_loses_nothing() {
    let states = states();
    let whole = Disk::new(Vec::new(), u64::MAX);
    run(&whole, &states);
    for events in (whole.events() / 2..whole.events()).step_by(3) {
        let disk = Disk::new(Vec::new(), events);
        let acknowledged = run(&disk, &states).expect("the store was made in the first half");
        let image = disk.after_power_cut(Unsynced::Some(events));
        for events_of_opening in 0.. {
            let disk = Disk::new(image.clone(), events_of_opening);
            let opened = RedbStore::with_backend(disk.clone(), &FORMAT).is_ok();
            let image = disk.after_power_cut(Unsynced::Some(events_of_opening));
            commits_on(Disk::new(image, u64::MAX), &states, acknowledged);
            if opened {
                assert!(events_of_opening > 3, "opening after a crash writes");
                break;
            }
        }
    }
}

#[test]
fn a_store_goes_on_after_a_power_cut() {
    let states = states();
    let disk = Disk::new(Vec::new(), 150);
    let acknowledged = run(&disk, &states).unwrap();
    let image = disk.after_power_cut(Unsynced::Some(7));
    let commits = commits_on(Disk::new(image.clone(), u64::MAX), &states, acknowledged);
    let store = RedbStore::with_backend(Disk::new(image, u64::MAX), &FORMAT).unwrap();
    for n in commits..COMMITS as usize {
        store.commit(&script(u32::try_from(n).unwrap())).unwrap();
        assert_eq!(contents(&store), states[n + 1]);
    }
}

//! How long keys become under the ways in which people insert: bounds that a change of the generator must keep.

use std::collections::HashSet;

use betwixt_core::growth::{FIRST_SITE, Figures, Generator, Pattern, Plan};
use betwixt_core::key::{Gap, Hint, Key, Trail, between, spaced};

const PLAN: Plan = Plan { pattern: Pattern::Append, count: 10_000, sites: 1, seed: 1, generator: Generator::Between };

/// Runs a pattern and checks the longest key, the mean in hundredths, and that no two are equal.
#[track_caller]
fn check(plan: Plan, longest_max: usize, mean_max: f64) {
    let figures = Figures::of(&plan.run());
    assert_eq!((figures.count, figures.duplicates, figures.interleaved), (plan.count, 0, 0), "{plan:?}");
    assert!(figures.longest <= longest_max && figures.mean <= mean_max, "{plan:?} comes to {figures:?}");
}

#[test]
fn inserts_at_one_place_grow_with_the_logarithm() {
    check(Plan { pattern: Pattern::Append, ..PLAN }, 5, 5.0);
    check(Plan { pattern: Pattern::Prepend, ..PLAN }, 5, 5.0);
    check(Plan { pattern: Pattern::After, ..PLAN }, 6, 6.0);
    check(Plan { pattern: Pattern::Before, ..PLAN }, 7, 7.0);
    check(Plan { pattern: Pattern::Run, seed: 12_345, ..PLAN }, 8, 8.0);
}

#[test]
fn a_zigzag_is_found_out() {
    check(Plan { pattern: Pattern::Pingpong, count: 2_000, ..PLAN }, 56, 35.0);
}

#[test]
fn runs_of_a_hundred_sites_in_one_gap_stay_short_and_whole() {
    check(Plan { pattern: Pattern::Crowd, sites: 100, ..PLAN }, 8, 7.1);
}

#[test]
fn inserts_in_random_places_stay_short() {
    for seed in 0..20 {
        check(Plan { pattern: Pattern::Random, seed, ..PLAN }, 11, 6.3);
        check(Plan { pattern: Pattern::Random, sites: 10, seed, ..PLAN }, 13, 6.4);
        check(Plan { pattern: Pattern::Moves, seed, ..PLAN }, 12, 5.9);
    }
}

#[test]
fn the_textbook_grows_by_a_byte_for_every_few_inserts_behind_one_item() {
    let after =
        |count| Figures::of(&Plan { pattern: Pattern::After, count, generator: Generator::Midpoint, ..PLAN }.run());
    for count in [500, 1_000, 2_000] {
        let figures = after(count);
        assert!((count / 7..=count / 5).contains(&figures.longest), "{figures:?}");
        assert_eq!(figures.full_at.is_some(), count > 700, "{figures:?}");
    }
}

#[test]
fn a_pasted_run_stays_short_in_every_gap_of_a_list() {
    let keys = spaced(1_000);
    for middle in (0..=keys.len()).step_by(5) {
        let mut trail = Trail::default();
        let mut low = middle.checked_sub(1).map(|at| keys[at].clone());
        for _ in 0..100 {
            let gap = Gap::new(low.as_ref(), keys.get(middle)).expect("the keys ascend");
            let key = between(gap, FIRST_SITE, trail.hint(gap), &mut |_| false).expect("the gap has room");
            assert!(key.len() <= 9, "{key} has {} bytes", key.len());
            trail.follow(gap, &key);
            low = Some(key);
        }
    }
}

#[test]
fn items_deleted_and_inserted_again_in_one_gap_stay_short() {
    let keys = spaced(1_000);
    let gaps = [(None, keys.first()), (keys.get(499), keys.get(500)), (keys.last(), None)];
    for (low, high) in gaps {
        let gap = Gap::new(low, high).expect("the keys ascend");
        let mut issued: HashSet<Key> = HashSet::new();
        for _ in 0..1_000 {
            let key = between(gap, FIRST_SITE, Hint::None, &mut |key| issued.contains(key)).expect("the gap has room");
            assert!(key.len() <= 9, "{key} has {} bytes", key.len());
            issued.insert(key);
        }
    }
}

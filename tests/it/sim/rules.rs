//! A test that cannot fail is a defect: without each rule, the laws are broken, and soon.

use super::fault::{Faults, Rule};
use super::run;

/// Worlds in which a missing rule must show.
const WORLDS: u64 = 40;

#[derive(Clone, Copy)]
enum Weather {
    Plain,
    Losses,
    Copies,
    Lists,
}

/// Each world is run from a seed of its own; counts the ops of those in which nothing showed before the first in which
/// something did.
fn ops_until_caught(rule: Rule, weather: Weather, seeds: std::ops::Range<u64>) -> Option<(u64, String)> {
    let weather = |kind| matches!((weather, kind), (Weather::Losses, 0) | (Weather::Copies, 1) | (Weather::Lists, 2));
    let (losses, copies, lists) = (weather(0), weather(1), weather(2));
    let mut ops = 0;
    for seed in seeds {
        let (counts, broken) = run(seed, Faults { copies, losses, lists, without: Some(rule) });
        ops += counts.ops;
        if let Some(broken) = broken {
            return Some((ops, broken));
        }
    }
    None
}

#[track_caller]
fn check(rule: Rule, weather: Weather) {
    let mut found: Vec<(u64, String)> = Vec::new();
    for run in 0..5 {
        let first = 1_000_000 + run * WORLDS;
        let caught = ops_until_caught(rule, weather, first..first + WORLDS);
        found.push(caught.unwrap_or_else(|| panic!("{WORLDS} worlds without {rule:?} broke no law")));
    }
    found.sort();
    let (ops, broken) = &found[found.len() / 2];
    let law: String = broken.split("}: ").nth(1).unwrap_or(broken).chars().take(90).collect();
    println!("without {rule:?}: caught after {ops} ops (median of {}): {law}", found.len());
}

#[test]
fn what_is_in_the_log_is_not_appended_again() {
    check(Rule::Dedupe, Weather::Plain);
}

#[test]
fn an_ack_comes_after_the_sync() {
    check(Rule::AckAfterSync, Weather::Plain);
}

#[test]
fn a_hello_waits_for_the_log() {
    check(Rule::HelloIsBarrier, Weather::Plain);
}

#[test]
fn a_site_reads_on_only_in_its_own_log() {
    check(Rule::ChainCheck, Weather::Losses);
}

#[test]
fn a_clock_far_ahead_is_refused() {
    check(Rule::ClockLimit, Weather::Plain);
}

#[test]
fn a_refusal_is_said() {
    check(Rule::RefusalIsSaid, Weather::Plain);
}

#[test]
fn a_lost_tail_is_given_back() {
    check(Rule::Journal, Weather::Losses);
}

#[test]
fn another_op_under_an_own_id_is_no_ack() {
    check(Rule::ClashIsNoAck, Weather::Copies);
}

#[test]
fn a_contradicted_site_becomes_a_new_one() {
    check(Rule::Renewal, Weather::Copies);
}

#[test]
fn what_was_placed_without_a_number_is_placed_again() {
    check(Rule::PlacedWithNumber, Weather::Plain);
}

#[test]
fn a_key_is_issued_once() {
    check(Rule::KeysOnce, Weather::Plain);
}

#[test]
fn an_edit_is_on_the_disk_first() {
    check(Rule::EditOnDiskFirst, Weather::Plain);
}

#[test]
fn a_snapshot_leaves_what_is_pending() {
    check(Rule::PendingOutlivesSnapshot, Weather::Losses);
}

#[test]
fn where_the_log_was_trimmed_a_snapshot_comes() {
    check(Rule::TrimmedIsSnapshot, Weather::Plain);
}

#[test]
fn a_deleted_list_stays_deleted() {
    check(Rule::DeletedStaysDeleted, Weather::Lists);
}

#[test]
fn a_list_that_is_merged_is_kept_until_it_is() {
    check(Rule::MergedBeforeRemoved, Weather::Lists);
}

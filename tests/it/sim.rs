//! The simulation: production replicas, sessions, stores, rooms and engines in one thread and virtual time, through all the
//! faults that they are made for, with the laws of DESIGN.md section 5 checked on the way.
//!
//! `BETWIXT_SIM` is how many ops are made; `BETWIXT_SEED` runs the one world that failed.

mod act;
mod carry;
mod fault;
mod ledger;
mod link;
mod machine;
mod owed;
mod people;
mod relay;
mod rules;
mod seeded;
mod step;
mod world;

use std::panic::{AssertUnwindSafe, catch_unwind};

use self::fault::Faults;
use self::world::{Counts, World};

/// Ops of one world: long enough for faults to meet, short enough for a state to be hashed at each step.
const WORLD_OPS: u64 = 240;
/// Ops of a plain `cargo test`.
const OPS: u64 = 20_000;

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|value| value.parse().ok())
}

/// Runs a world; says what broke, and where.
fn run(seed: u64, faults: Faults) -> (Counts, Option<String>) {
    let mut world = World::new(seed, faults);
    let panicked = catch_unwind(AssertUnwindSafe(|| world.live(WORLD_OPS))).is_err();
    let broken = world.broken.take().or_else(|| panicked.then(|| "the program panicked".to_owned()));
    let broken = broken.map(|law| format!("seed {seed}, step {}, {faults:?}: {law}", world.steps));
    (world.counts, broken)
}

#[test]
fn sites_agree_after_faults() {
    let seeds = number("BETWIXT_SEED").map_or(0..u64::MAX, |seed| seed..seed.saturating_add(1));
    let ops = number("BETWIXT_SIM").unwrap_or(OPS);
    let mut all = Counts::default();
    for seed in seeds {
        let (counts, broken) = run(seed, Faults::of(seed));
        assert!(broken.is_none(), "{}\nBETWIXT_SEED={seed} replays it", broken.unwrap_or_default());
        all.add(&counts);
        if all.ops >= ops {
            break;
        }
    }
    println!("{all:?}");
}

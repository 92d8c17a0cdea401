//! Everything at once: three sites that cut, crash, restore and clone, and a relay that trims and forgets.

use std::collections::BTreeSet;

use betwixt_client::replica::Kept;
use betwixt_core::edit::{Edit, EditFault, Spot};
use betwixt_core::hlc::Hlc;
use betwixt_core::op::Op;
use betwixt_core::register::Register;
use betwixt_core::wire::ToRelay;

use crate::relay::BAD;
use crate::world::{Seeded, World};

/// How many seeds: 300, or what `BETWIXT_CASES` says.
fn runs() -> u64 {
    std::env::var("BETWIXT_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(300)
}

#[test]
fn sites_agree_after_faults() {
    for seed in 0..runs() {
        let outcome = std::panic::catch_unwind(|| run(seed));
        assert!(outcome.is_ok(), "seed {seed}");
    }
}

fn run(seed: u64) {
    let mut random = Seeded(seed);
    let restores = seed.is_multiple_of(3);
    let mut world = World::new(3, seed);
    let mut copies = Vec::new();
    // Texts that must be in the log at the end, or in a drawer.
    let mut said: Vec<(usize, String)> = Vec::new();
    for step in 0..80 {
        let at = random.below(3);
        let rows = world.peers[at].replica.shown().order().live_len();
        let row = |random: &mut Seeded, world: &World| world.peers[at].replica.shown().at_row(random.below(rows));
        match random.below(24) {
            0..6 => {
                let bad = if random.below(8) == 0 { BAD } else { "" };
                let texts: Vec<String> = (0..=random.below(3)).map(|n| format!("{bad} {step}.{n}")).collect();
                let spot = row(&mut random, &world).map_or(Spot::Top, Spot::After);
                let items = texts.iter().map(|text| vec![Register::Text(text.as_str().into())]).collect();
                said.extend(texts.into_iter().map(|text| (at, text)));
                world.edit(at, &Edit::Add { spot, items }).expect("there is room");
            }
            6..9 => {
                if let (Some(item), Some(to)) = (row(&mut random, &world), row(&mut random, &world))
                    && item != to
                {
                    world.edit(at, &Edit::Move { items: vec![item], spot: Spot::After(to) }).expect("there is room");
                }
            }
            9..11 => {
                if let Some(item) = row(&mut random, &world) {
                    let text = format!("{step}");
                    world.set(at, item, &text);
                    said.push((at, text));
                }
            }
            11 => {
                if let Some(item) = row(&mut random, &world) {
                    let writes = vec![(item, vec![Register::Deleted(true)])];
                    world.edit(at, &Edit::Set { writes }).expect("written");
                }
            }
            12 => {
                let undo = if random.below(2) == 0 { Edit::Undo } else { Edit::Redo };
                match world.edit(at, &undo) {
                    Ok(_) | Err(EditFault::NoStep(_)) => {}
                    Err(fault) => panic!("{fault}"),
                }
            }
            13 => world.cut(at),
            14 => world.peers[at].restart(),
            15 if restores => copies.push((at, world.peers[at].copy())),
            16 if restores && !copies.is_empty() => {
                let (_, copy) = copies[random.below(copies.len())].clone();
                // What only this disk has is lost with it, also for a relay that loses it later: nobody expects it back.
                said.retain(|(site, _)| *site != at);
                world.peers[at].restore(&copy);
            }
            17 => world.lose_tail(1 + random.below(4)),
            18 => world.relay.trimmed = world.relay.head(),
            19 => {
                if let Some(message) = world.peers[at].up.back().cloned()
                    && matches!(message, ToRelay::Push { .. })
                {
                    world.peers[at].up.push_back(message);
                }
            }
            20 => {
                if let Some(message) = world.peers[at].down.back().cloned() {
                    world.peers[at].down.push_back(message);
                }
            }
            21 => world.peers[at].ahead = [0, 0, 25_000, 90_000][random.below(4)],
            _ => world.pass(300),
        }
        for _ in 0..random.below(12) {
            let at = random.below(3);
            if random.below(2) == 0 {
                world.carry_up(at)
            } else {
                world.carry_down(at)
            };
        }
    }
    world.settle();
    world.check();
    // One that was minted anew keeps its stamp: without copies of a site there is nobody to say it twice.
    let stamps: BTreeSet<Hlc> = world.relay.log.iter().map(|entry| entry.op.hlc).collect();
    assert!(restores || stamps.len() == world.relay.log.len(), "an op is in the log twice");
    for (at, text) in said {
        let text = text.as_str();
        let writes =
            |op: &Op| op.body.registers().iter().any(|it| matches!(it, Register::Text(found) if found == text));
        let logged = world.relay.log.iter().filter(|entry| writes(&entry.op)).count();
        let told = world.peers[at].told.iter().any(|kept| matches!(kept, Kept::Refused { op, .. } if writes(op)));
        assert!(logged > 0 || told, "{text:?} of site {at} was dropped");
    }
}

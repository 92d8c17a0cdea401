//! Sites with partial views, each at its own pace: keys are inside their gaps, no two are the same, and a run stays in one
//! piece, whoever else inserted there without having seen it.

use std::collections::BTreeMap;

use betwixt_core::key::{Gap, LongKey, SiteNumber, Spelled, Trail, between};
use proptest::{collection::vec, prelude::*};

use crate::config;

/// What one site does next.
#[derive(Clone, Debug)]
enum Act {
    /// Inserts so many items into a gap, each behind the last one.
    Forward { at: u16, count: u8 },
    /// Inserts so many items into a gap, each ahead of the last one.
    Backward { at: u16, count: u8 },
    /// Goes on behind its last item.
    GoOn { count: u8 },
    /// Takes in all that another site has.
    Merge { from: usize },
}

fn any_act() -> impl Strategy<Value = Act> {
    prop_oneof![
        4 => (any::<u16>(), 1..9_u8).prop_map(|(at, count)| Act::Forward { at, count }),
        4 => (any::<u16>(), 1..9_u8).prop_map(|(at, count)| Act::Backward { at, count }),
        // All at the same end, time and again.
        2 => (0..3_u16, 1..9_u8).prop_map(|(at, count)| Act::Forward { at, count }),
        2 => (0..3_u16, 1..9_u8).prop_map(|(at, count)| Act::Backward { at, count }),
        2 => (1..9_u8).prop_map(|count| Act::GoOn { count }),
        2 => (0..5_usize).prop_map(|from| Act::Merge { from }),
    ]
}

/// Which run a key belongs to.
type Run = usize;

#[derive(Default)]
struct Site {
    view: BTreeMap<LongKey, Run>,
    trail: Trail<LongKey>,
}

#[derive(Default)]
struct World {
    sites: [Site; 5],
    /// Of every run, the runs that its site had seen.
    seen: Vec<Vec<bool>>,
    all: BTreeMap<LongKey, Run>,
}

impl World {
    fn act(&mut self, by: usize, act: &Act) {
        let rows = self.sites[by].view.len();
        let row = |at: u16| usize::from(at) % (rows + 1);
        match *act {
            Act::Forward { at, count } => self.run(by, row(at), count, true),
            Act::Backward { at, count } => self.run(by, row(at), count, false),
            Act::GoOn { count } => {
                let site = &self.sites[by];
                let last = site.view.keys().position(|key| site.trail.last() == Some(key));
                self.run(by, last.map_or(rows, |at| at + 1), count, true);
            }
            Act::Merge { from } => {
                let other: Vec<_> = self.sites[from].view.iter().map(|(key, run)| (key.clone(), *run)).collect();
                self.sites[by].view.extend(other);
            }
        }
    }

    fn run(&mut self, by: usize, at: usize, count: u8, is_forward: bool) {
        let run = self.seen.len();
        let mut seen = vec![false; run];
        self.sites[by].view.values().for_each(|other| seen[*other] = true);
        self.seen.push(seen);
        for step in 0..usize::from(count) {
            let at = if is_forward { at + step } else { at };
            let site = &mut self.sites[by];
            let low = at.checked_sub(1).and_then(|before| site.view.keys().nth(before));
            let gap = Gap::new(low, site.view.keys().nth(at)).expect("keys ascend");
            let number = SiteNumber(u32::try_from(by).expect("five sites") * 3);
            let hint = site.trail.hint(gap);
            let key = between(gap, number, hint, &mut |key| site.view.contains_key(key)).expect("there is no limit");
            assert!(gap.contains(&key), "{key} in {gap:?}");
            assert!(gap.high().is_none_or(|high| !high.as_bytes().starts_with(key.as_bytes())), "{key} in {gap:?}");
            site.trail.follow(gap, &key);
            site.view.insert(key.clone(), run);
            assert_eq!(self.all.insert(key, run), None, "a key was made twice");
        }
    }

    fn check_runs_are_whole(&self) {
        let keys: Vec<(&LongKey, Run)> = self.all.iter().map(|(key, run)| (key, *run)).collect();
        for run in 0..self.seen.len() {
            let first = keys.iter().position(|(_, other)| *other == run).expect("a run has a key");
            let last = keys.iter().rposition(|(_, other)| *other == run).expect("a run has a key");
            for (key, other) in &keys[first..=last] {
                // Who had seen the run may have inserted into it.
                let saw = *other == run || self.seen[*other].get(run) == Some(&true);
                assert!(saw, "{key} of run {other} is inside run {run}: {:?}", &keys[first..=last]);
            }
        }
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn concurrent_runs_stay_whole(acts in vec((0..5_usize, any_act()), 1..40)) {
        let mut world = World::default();
        for (by, act) in &acts {
            world.act(*by, act);
        }
        world.check_runs_are_whole();
    }
}

//! A list of keys, and what each site knows of its own.

use std::collections::{BTreeMap, HashSet};

use super::{FIRST_SITE, Generator, Made};
use crate::id::ItemId;
use crate::key::{Gap, LongKey, SiteNumber, Trail, between, midpoint, spaced};
use crate::order::{Life, Order};

/// Repeatable random numbers (splitmix64).
pub(super) struct Random(pub(super) u64);

impl Random {
    /// Returns a number below `end`, which is not 0.
    pub(super) fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let random = mixed ^ (mixed >> 31);
        let end = u64::try_from(end).expect("64 bits hold every length");
        usize::try_from(random % end).expect("it is below a length")
    }
}

pub(super) struct Table {
    order: Order<LongKey>,
    generator: Generator,
    sites: BTreeMap<SiteNumber, Site>,
    items: u64,
    rounds: u32,
    pub(super) made: Vec<Made>,
}

#[derive(Default)]
struct Site {
    trail: Trail<LongKey>,
    issued: HashSet<LongKey>,
}

impl Table {
    pub(super) fn new(generator: Generator) -> Self {
        Self { order: Order::default(), generator, sites: BTreeMap::new(), items: 0, rounds: 0, made: Vec::new() }
    }

    pub(super) fn len(&self) -> usize {
        self.order.len()
    }

    /// Appends items of the first site.
    pub(super) fn append(&mut self, count: usize) {
        for _ in 0..count {
            self.insert(FIRST_SITE, self.len(), None);
        }
    }

    /// Fills the list as a rebalance does.
    pub(super) fn space(&mut self, count: usize) {
        for key in spaced(count) {
            self.put(key.into());
        }
    }

    /// Takes the item at row `at` out.
    pub(super) fn take(&mut self, at: usize) {
        let place = self.order.at(at).map(|place| (place.key.clone(), place.id));
        if let Some((key, id)) = place {
            self.order.remove(&key, id);
        }
    }

    /// Makes a key for an item that comes to stand at row `at`, or behind items there that have the same key.
    pub(super) fn insert(&mut self, by: SiteNumber, at: usize, round: Option<u32>) {
        let low = at.checked_sub(1).and_then(|before| self.order.at(before));
        let high = match low {
            Some(low) => self.order.after(&low.key, low.id).find(|place| place.key > low.key),
            None => self.order.at(0),
        };
        let gap = Gap::new(low.map(|place| &place.key), high.map(|place| &place.key)).expect("keys ascend");
        let site = self.sites.entry(by).or_default();
        let key = match self.generator {
            Generator::Between => {
                let mut taken = |key: &LongKey| self.order.has_key(key) || site.issued.contains(key);
                between(gap, by, site.trail.hint(gap), &mut taken)
            }
            Generator::Midpoint => midpoint(gap),
        };
        let key = key.expect("a key without a limit has room");
        if self.generator == Generator::Between {
            site.trail.follow(gap, &key);
            site.issued.insert(key.clone());
        }
        self.put(key.clone());
        self.made.push(Made { site: by, number: self.made.len() + 1, key, round });
    }

    /// Lets sites each insert a run at row `at`; none sees those of the others.
    pub(super) fn crowd(&mut self, at: usize, runs: impl Iterator<Item = (SiteNumber, usize)>) {
        self.rounds += 1;
        let before = self.order.clone();
        let mut all = Vec::new();
        for (by, count) in runs {
            let first = self.made.len();
            for step in 0..count {
                self.insert(by, at + step, Some(self.rounds));
            }
            all.extend(self.made[first..].iter().map(|made| made.key.clone()));
            self.order = before.clone();
        }
        for key in all {
            self.put(key);
        }
    }

    fn put(&mut self, key: LongKey) {
        self.items += 1;
        self.order.insert(key, ItemId::from_bytes(self.items.to_be_bytes()), Life::Live);
    }
}

//! A world: machines, links and a relay, and what happens next by virtual time.

use std::collections::{BTreeMap, BTreeSet};

use betwixt_client::session::State;
use betwixt_core::hlc::{Hlc, Millis};
use betwixt_core::wire::{CloseReason, ToSite};
use betwixt_store::memory::Contents;

use super::fault::{Faults, Rule};
use super::ledger::Ledger;
use super::link::Link;
use super::machine::{Machine, UID};
use super::owed::Owed;
use super::relay::Relay;
use super::seeded::Seeded;

/// The relay's clock when a world begins.
const BEGINNING: u64 = 1_000_000_000;
/// How long it may take until all is said when nothing goes wrong any more.
const REST_MAX: Millis = Millis(120_000);

/// What happened in worlds, for the last line of a test.
#[derive(Debug, Default, Clone)]
pub(super) struct Counts {
    pub(super) worlds: u64,
    pub(super) ops: u64,
    pub(super) entries: u64,
    pub(super) cuts: u64,
    pub(super) site_crashes: u64,
    pub(super) relay_crashes: u64,
    pub(super) lost_tails: u64,
    pub(super) snapshots: u64,
    pub(super) refusals: u64,
    pub(super) collisions: u64,
    pub(super) renewals: u64,
    pub(super) copies: u64,
    pub(super) deletions: u64,
    pub(super) merges: u64,
    pub(super) trims: u64,
}

impl Counts {
    pub(super) const fn add(&mut self, other: &Self) {
        self.worlds += other.worlds;
        self.ops += other.ops;
        self.entries += other.entries;
        self.cuts += other.cuts;
        self.site_crashes += other.site_crashes;
        self.relay_crashes += other.relay_crashes;
        self.lost_tails += other.lost_tails;
        self.snapshots += other.snapshots;
        self.refusals += other.refusals;
        self.collisions += other.collisions;
        self.renewals += other.renewals;
        self.copies += other.copies;
        self.deletions += other.deletions;
        self.merges += other.merges;
        self.trims += other.trims;
    }
}

/// A copy of a machine's disk.
pub(super) struct Copy {
    pub(super) of: usize,
    pub(super) contents: Contents,
    pub(super) held: BTreeSet<Hlc>,
}

pub(super) struct World {
    pub(super) faults: Faults,
    pub(super) random: Seeded,
    pub(super) now: Millis,
    pub(super) relay: Relay,
    pub(super) machines: Vec<Machine>,
    pub(super) links: BTreeMap<u64, Link>,
    pub(super) links_made: u64,
    pub(super) ledger: Ledger,
    pub(super) owed: Owed,
    pub(super) copies: Vec<Copy>,
    pub(super) relay_copy: Contents,
    pub(super) counts: Counts,
    pub(super) steps: u64,
    /// The first law that was broken, and how.
    pub(super) broken: Option<String>,
    /// When somebody does something, or something goes wrong.
    act_at: Millis,
    pub(super) is_quiet: bool,
}

/// What happens next.
enum Event {
    Act,
    Commit,
    Link(u64),
    Tick(usize),
}

impl World {
    pub(super) fn new(seed: u64, faults: Faults) -> Self {
        let mut random = Seeded(seed);
        let uid = (!faults.lists).then_some(UID);
        let machines = (0..2 + random.below(3)).map(|_| Machine::new(random.next(), uid)).collect();
        let relay = Relay::new(faults.without);
        Self {
            faults,
            now: Millis(1_000),
            relay_copy: relay.disk.snapshot(),
            relay,
            machines,
            links: BTreeMap::new(),
            links_made: 0,
            ledger: Ledger::new(faults),
            owed: Owed::default(),
            copies: Vec::new(),
            counts: Counts { worlds: 1, ..Counts::default() },
            steps: 0,
            broken: None,
            act_at: Millis(1_000),
            is_quiet: false,
            random,
        }
    }

    /// Lives through so many ops, comes to rest twice on the way, and lets a newcomer read it all at the end.
    pub(super) fn live(&mut self, ops: u64) {
        for half in [ops / 2, ops] {
            while self.counts.ops < half && self.broken.is_none() {
                self.next();
            }
            self.rest();
        }
        let uid = (!self.faults.lists).then_some(UID);
        let newcomer = Machine::new(self.random.next(), uid);
        self.machines.push(newcomer);
        self.rest();
        self.counts.entries = self.ledger.log.len() as u64;
    }

    pub(super) fn clock(&self) -> Millis {
        self.now.plus(Millis(BEGINNING))
    }

    pub(super) fn is_without(&self, rule: Rule) -> bool {
        self.faults.without == Some(rule)
    }

    pub(super) fn hold(&mut self, law: Result<(), String>) {
        if let Err(broken) = law {
            self.broken.get_or_insert(broken);
        }
    }

    fn next(&mut self) {
        let acts = (!self.is_quiet).then_some((self.act_at, Event::Act));
        let commits = self.relay.commit_at.map(|at| (at, Event::Commit));
        let links = self.links.iter().filter_map(|(id, link)| Some((link.due(self.now)?, Event::Link(*id))));
        let ticks = self.machines.iter().enumerate().filter_map(|(at, machine)| {
            let due = machine.session.wake_at()?;
            Some((due.max(machine.looked_at), Event::Tick(at)))
        });
        let all = acts.into_iter().chain(commits).chain(links).chain(ticks);
        let Some((due, event)) = all.min_by_key(|(due, _)| *due) else { return };
        self.now = due.max(self.now);
        self.steps += 1;
        match event {
            Event::Act => {
                self.act_at = self.now.plus(Millis(self.random.below(60)));
                self.links.retain(|_, link| !link.is_over() || !link.down.is_empty());
                self.act();
            }
            Event::Commit => self.commit(),
            Event::Link(id) => self.carry(id),
            Event::Tick(at) => {
                self.machines[at].looked_at = self.now.plus(Millis(1));
                self.tick(at);
            }
        }
    }

    /// Nothing goes wrong any more: all comes to rest, and everybody has the same (I3, I4, L1).
    fn rest(&mut self) {
        self.is_quiet = true;
        self.relay.disk.fail_next_commits(0);
        self.relay.down_until = self.now;
        self.machines.iter_mut().for_each(|machine| machine.away_until = Millis(0));
        let until = self.now.plus(REST_MAX);
        while self.broken.is_none() && !self.is_at_rest() {
            (0..self.machines.len()).for_each(|at| self.decide(at));
            self.next();
            if self.now > until {
                let states = self.machines.iter().map(|machine| (machine.session.state(), machine.stamps()));
                let states: Vec<_> = states.collect();
                self.broken = Some(format!("L1: the sites do not come to rest: {states:?}"));
            }
        }
        if self.broken.is_none() {
            let law = self.check_at_rest();
            self.hold(law);
        }
        self.is_quiet = false;
        self.act_at = self.now;
    }

    fn is_at_rest(&self) -> bool {
        let done = |machine: &Machine| {
            matches!(machine.session.state(), State::Live) && machine.stamps().is_empty() && machine.link.is_some()
        };
        let idle = |link: &Link| link.up.is_empty() && link.down.is_empty() && link.held_by_site == link.held_by_relay;
        self.relay.tail.is_empty() && self.machines.iter().all(done) && self.links.values().all(idle)
    }

    fn check_at_rest(&mut self) -> Result<(), String> {
        let list = self.relay.room().list().clone();
        let order: Vec<_> = list.live().map(|(id, _)| id).collect();
        for (at, machine) in self.machines.iter().enumerate() {
            let (confirmed, shown) = (machine.replica.confirmed(), machine.replica.shown());
            if confirmed.mark() != list.mark() || confirmed.epoch() != list.epoch() {
                return Err(format!("I4: machine {at} has read up to {:?}, not {:?}", confirmed.mark(), list.mark()));
            }
            if confirmed.state_hash() != list.state_hash() || shown.state_hash() != list.state_hash() {
                return Err(format!("I4: machine {at} has another state"));
            }
            if !shown.live().map(|(id, _)| id).eq(order.iter().copied()) {
                return Err(format!("I4: machine {at} shows another order"));
            }
            if !machine.equals_its_disk() {
                return Err(format!("disk: a restart of machine {at} would show something else"));
            }
        }
        match self.owed.missing(&self.ledger.log, &list, self.faults) {
            Some(missing) => Err(format!("I3: {missing}")),
            None => Ok(()),
        }
    }

    /// The relay's process ends, and with it what was not durable. Its links say so now, or not at all.
    pub(super) fn crash_relay(&mut self, says_so: bool) {
        self.counts.relay_crashes += 1;
        self.relay.crash();
        self.relay.down_until = self.now.plus(Millis(self.random.below(200)));
        for link in self.links.values_mut() {
            link.held_by_relay = false;
            link.up.clear();
            if says_so {
                let closing = ToSite::Closing { reason: CloseReason::Storage, retry_after: Millis(50) };
                link.down.send(closing, self.now, &mut self.random);
            } else {
                link.down.cut(&mut self.random);
            }
        }
    }
}

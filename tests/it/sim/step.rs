//! One step of a machine, with all that its driver does about it; and what a machine without a rule does instead.

use betwixt_client::replica::{Pending, Write};
use betwixt_client::session::{Input, Outside};
use betwixt_client::store;
use betwixt_core::key::Key;
use betwixt_core::wire::{ToRelay, ToSite};

use super::fault::Rule;
use super::link::Link;
use super::world::World;

/// Keys of pending ops, by counter.
type Keys = Vec<(u64, Key)>;

impl World {
    pub(super) fn tick(&mut self, at: usize) {
        if !self.machines[at].unwritten.is_empty() {
            let late = std::mem::take(&mut self.machines[at].unwritten);
            self.machines[at].commit(&late);
        }
        self.step(at, Input::Tick);
    }

    pub(super) fn machine_hears(&mut self, at: usize, message: ToSite) {
        match &message {
            ToSite::Entries { entries, .. } if self.is_without(Rule::ClashIsNoAck) => {
                let replica = &self.machines[at].replica;
                let clashes = entries.iter().map(|entry| &entry.op).filter(|op| {
                    op.site == replica.site()
                        && replica.pending().any(|mine| mine.ctr == op.ctr && mine.hash != op.hash)
                });
                let settled: Vec<Write> = clashes.map(|op| Write::Settled(op.ctr)).collect();
                self.settle_wrongly(at, &settled);
            }
            ToSite::SnapshotEnd { .. } if self.is_without(Rule::PendingOutlivesSnapshot) => {
                let settled = self.machines[at].replica.pending().map(|op| Write::Settled(op.ctr)).collect::<Vec<_>>();
                self.settle_wrongly(at, &settled);
            }
            _ => {}
        }
        self.step(at, Input::Said(message));
    }

    fn settle_wrongly(&mut self, at: usize, settled: &[Write]) {
        if !settled.is_empty() {
            self.write(at, settled);
            self.machines[at].reload();
        }
    }

    /// Brings writes to a machine's disk, and to the books.
    pub(super) fn write(&mut self, at: usize, writes: &[Write]) {
        let before = self.machines[at].stamps();
        self.write_behind(at, &before, writes);
    }

    fn write_behind(&mut self, at: usize, before: &[(u64, betwixt_core::hlc::Hlc)], writes: &[Write]) {
        self.machines[at].commit(writes);
        let machine = (at, self.machines[at].uid);
        if let Some(hlc) = self.owed.note(machine, before, writes) {
            self.hold(Err(format!("I3: the edit of {hlc:?} vanished on machine {at}")));
        }
    }

    /// One step of a machine's session.
    pub(super) fn step(&mut self, at: usize, input: Input) {
        let (now, clock) = (self.now, self.clock());
        let (has_journal, renews) = (!self.is_without(Rule::Journal), !self.is_without(Rule::Renewal));
        let keeps_keys = self.is_without(Rule::PlacedWithNumber);
        let machine = &mut self.machines[at];
        let before = machine.stamps();
        let read = machine.replica.confirmed().mark();
        let keys = if keeps_keys && !machine.replica.has_joined() { keys_of(machine) } else { Vec::new() };
        let wall = machine.wall(clock);
        let (disk, uid) = (&machine.disk, machine.uid);
        let mut outside = Outside {
            now,
            wall,
            random: &mut || machine.random.next(),
            journal: &mut || {
                if has_journal { store::journal(disk, uid).expect("the journal loads") } else { Vec::new() }
            },
        };
        let mut out = machine.session.step(&mut machine.replica, input, &mut outside);
        let writes = std::mem::take(&mut out.writes);
        let renewed = writes.iter().any(|write| matches!(write, Write::Site(_)));
        if renewed && !renews {
            self.crash(at);
            return;
        }
        self.counts.renewals += u64::from(renewed);
        if !writes.is_empty() {
            let fate = if self.is_quiet { 99 } else { self.random.below(400) };
            if fate == 0 {
                self.crash(at);
                return;
            }
            self.write_behind(at, &before, &writes);
            if fate == 1 {
                self.crash(at);
                return;
            }
        }
        let machine = &mut self.machines[at];
        if !keys.is_empty() && machine.replica.has_joined() {
            put_back(machine, &keys, &mut out.send);
        }
        if machine.replica.confirmed().mark() != read {
            let law = self.ledger.check_read(machine.replica.confirmed());
            self.hold(law);
        }
        let unnamed = out.unnamed;
        self.drive(at, out);
        if let Some(why) = unnamed {
            self.unnamed(at, why);
        }
        self.go_on_merging(at);
    }

    /// Hangs up, sends and dials, as a session wants.
    fn drive(&mut self, at: usize, out: betwixt_client::session::Outputs) {
        let now = self.now;
        if out.hang_up {
            self.hang_up(at);
        } else if let Some(link) = self.machines[at].link.and_then(|id| self.links.get_mut(&id)) {
            for message in out.send {
                link.up.send(message, now, &mut self.random);
            }
            if out.ping && link.held_by_relay {
                self.step(at, Input::Heard);
            }
        }
        if out.dial {
            if self.machines[at].away_until > now || self.relay.down_until > now {
                self.step(at, Input::Lost);
                return;
            }
            self.links_made += 1;
            self.links.insert(self.links_made, Link::of(at));
            self.machines[at].link = Some(self.links_made);
            self.step(at, Input::Linked);
        }
    }

    /// A machine lets go of its link. What it has sent arrives up to some frame, late.
    pub(super) fn hang_up(&mut self, at: usize) {
        let Some(id) = self.machines[at].link.take() else { return };
        if let Some(link) = self.links.get_mut(&id) {
            link.held_by_site = false;
            link.up.cut(&mut self.random);
        }
    }

    /// A machine's process ends and starts with what is on its disk.
    pub(super) fn crash(&mut self, at: usize) {
        self.counts.site_crashes += 1;
        self.hang_up(at);
        self.machines[at].start();
    }
}

fn keys_of(machine: &super::machine::Machine) -> Keys {
    machine.replica.pending().filter_map(|op| Some((op.ctr, op.key()?.clone()))).collect()
}

/// Gives pending ops back the keys that they had before the site had its number.
fn put_back(machine: &mut super::machine::Machine, keys: &Keys, sent: &mut [ToRelay]) {
    let key_of = |ctr: u64| keys.iter().find(|(of, _)| *of == ctr).map(|(_, key)| key.clone());
    let mut writes = Vec::new();
    for op in machine.replica.pending() {
        if let Some(key) = key_of(op.ctr) {
            let mut op = op.clone();
            op.body.set_key(key);
            writes.push(Write::Pending(Pending { op, unnumbered: false }));
        }
    }
    machine.commit(&writes);
    machine.reload();
    for message in sent {
        let ToRelay::Push { ops, .. } = message else { continue };
        for op in ops {
            if let Some(key) = key_of(op.ctr) {
                op.body.set_key(key);
            }
        }
    }
}

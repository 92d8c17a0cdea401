//! What people do, and what goes wrong.

use betwixt_client::replica::Write;
use betwixt_client::session::Input;
use betwixt_core::edit::{Edit, Spot};
use betwixt_core::hlc::Millis;
use betwixt_core::id::ItemId;
use betwixt_core::log::Watermark;
use betwixt_core::register::Register;

use super::fault::Rule;
use super::machine::{Machine, UID};
use super::world::{Copy, World};

/// Rows from which less is added than deleted.
const ROWS: usize = 24;

/// What became of an edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Made {
    /// It is pending.
    Pending,
    /// It cannot be made.
    Refused,
    /// The program ended over it.
    Crashed,
}

impl World {
    pub(super) fn act(&mut self) {
        let at = self.random.place(self.machines.len());
        if self.random.once_in(4) {
            self.decide(at);
        }
        match self.random.below(120) {
            0..98 => self.edit_somehow(at),
            100..106 => self.cut(at),
            106 => {
                self.machines[at].away_until = self.now.plus(Millis(self.random.below(5_000)));
                self.cut(at);
            }
            107 => self.crash(at),
            108 => self.crash_relay(false),
            109 => self.machines[at].ahead = self.some_clock(),
            110 => {
                // A relay is started with other limits.
                self.relay.limits.items = [40, 60, 100_000][self.random.place(3)];
                self.relay.limits.text_bytes = [12, 4_096, 4_096][self.random.place(3)];
                self.crash_relay(true);
            }
            98 | 99 | 111 => self.save(),
            112 => self.write(at, &[Write::List(Box::new(self.machines[at].replica.confirmed().clone()))]),
            113 | 114 if self.faults.copies => self.copy(at),
            115 | 116 if self.faults.copies => self.put_back(at),
            117 if self.faults.losses => self.relay_copy = self.relay.disk.snapshot(),
            118 if self.faults.losses => self.lose_tail(),
            119 if self.faults.lists => self.delete_list(),
            _ => {
                if !self.machines[at].equals_its_disk() && self.machines[at].unwritten.is_empty() {
                    self.hold(Err(format!("disk: a restart of machine {at} would show something else")));
                }
            }
        }
    }

    fn cut(&mut self, at: usize) {
        self.counts.cuts += 1;
        self.hang_up(at);
        self.step(at, Input::Lost);
    }

    /// Right, off by minutes, or by an hour.
    fn some_clock(&mut self) -> i64 {
        [0, 0, 25_000, 90_000, 300_000, 3_600_000, -45_000, -300_000][self.random.place(8)]
    }

    /// The relay stores a snapshot, and may end before or behind that.
    fn save(&mut self) {
        if !self.relay.tail.is_empty() || self.ledger.log.is_empty() {
            return;
        }
        let fate = self.random.below(4);
        if fate == 0 {
            self.relay.disk.fail_next_commits(1);
        }
        if !self.relay.save() || fate == 1 {
            self.crash_relay(false);
            return;
        }
        if self.random.once_in(3) {
            return;
        }
        if fate == 2 {
            self.relay.disk.fail_next_commits(1);
        }
        let clock = self.clock();
        let first = self.relay.trim(clock);
        // Where nothing is to be trimmed, no commit was there to fail.
        self.relay.disk.fail_next_commits(0);
        match first {
            Some(first) => self.counts.trims += u64::from(first > 1),
            None => self.crash_relay(true),
        }
    }

    fn copy(&mut self, at: usize) {
        let copy = Copy { of: at, contents: self.machines[at].disk.snapshot(), held: self.owed.held_by(at) };
        self.copies.push(copy);
    }

    /// A copy is put back where it came from, or on another machine beside it.
    fn put_back(&mut self, at: usize) {
        if self.copies.is_empty() {
            return;
        }
        let copy = &self.copies[self.random.place(self.copies.len())];
        let to = if self.random.once_in(2) { copy.of } else { at };
        let (contents, held) = (copy.contents.clone(), copy.held.clone());
        self.counts.copies += 1;
        self.hang_up(to);
        self.machines[to].restore(&contents);
        self.owed.restore(to, &held);
    }

    /// The relay's store goes back to a copy of it: what was acknowledged since is gone.
    fn lose_tail(&mut self) {
        self.counts.lost_tails += 1;
        self.crash_relay(false);
        self.relay.disk.restore(self.relay_copy.clone());
        self.relay.crash();
        // Before the first edit was written down there is no list.
        let head = self.relay.uid().map_or(Watermark::start(UID), |_| self.relay.room().head());
        let law = self.ledger.rewind(head);
        self.hold(law);
    }

    fn edit_somehow(&mut self, at: usize) {
        // Those who are asked about their list decide first, or go on in it: both happens.
        let Some(edit) = self.some_edit(at).filter(|_| !self.machines[at].is_deleted()) else { return };
        self.make(at, &edit);
    }

    /// Makes an edit as a site does: on the disk first.
    pub(super) fn make(&mut self, at: usize, edit: &Edit) -> Made {
        if self.is_without(Rule::KeysOnce) {
            self.machines[at].forget_issued();
        }
        let clock = self.clock();
        let Machine { replica, random, ahead, .. } = &mut self.machines[at];
        let wall = Millis(clock.0.saturating_add_signed(*ahead));
        // A full list, a text that is too long, nothing to undo: nothing happens.
        let Ok(minted) = replica.mint(edit, wall, &mut || random.next()) else { return Made::Refused };
        let ops = minted.writes.iter().filter(|write| matches!(write, Write::Pending(_))).count();
        self.counts.ops += ops as u64;
        if self.is_without(Rule::EditOnDiskFirst) {
            self.owed.note((at, self.machines[at].uid), &[], &minted.writes);
            self.machines[at].unwritten.extend(minted.writes.iter().cloned());
        } else {
            let fate = self.random.below(400);
            if fate == 0 {
                self.crash(at);
                return Made::Crashed;
            }
            self.write(at, &minted.writes);
            if fate == 1 {
                self.crash(at);
                return Made::Crashed;
            }
        }
        self.machines[at].replica.adopt(minted);
        self.step(at, Input::Edited);
        Made::Pending
    }

    fn some_edit(&mut self, at: usize) -> Option<Edit> {
        let shown = self.machines[at].replica.shown();
        let rows = shown.order().live_len();
        let random = &mut self.random;
        let row = |random: &mut super::seeded::Seeded| shown.at_row(random.place(rows));
        let spot = match random.below(6) {
            0 => Spot::Top,
            1 => Spot::Bottom,
            2 => row(random).map_or(Spot::Top, Spot::Before),
            _ => row(random).map_or(Spot::Bottom, Spot::After),
        };
        let crowded = rows > ROWS;
        Some(match random.below(20) {
            0..6 if !crowded => {
                let text = |random: &mut super::seeded::Seeded| Register::Text(some_text(random).into());
                let items = (0..=random.below(4)).map(|_| vec![text(random)]).collect();
                Edit::Add { spot, items }
            }
            0..3 => set(row(random)?, Register::Deleted(true)),
            3..10 => {
                let items: Vec<ItemId> = (0..=random.below(2)).filter_map(|_| row(random)).collect();
                let stays = match spot {
                    Spot::After(id) | Spot::Before(id) => !items.contains(&id),
                    Spot::Top | Spot::Bottom => true,
                };
                let alone = items.first() != items.get(1);
                (stays && alone && !items.is_empty()).then_some(Edit::Move { items, spot })?
            }
            10..12 => set(row(random)?, Register::Text(some_text(random).into())),
            12 | 13 => set(row(random)?, Register::Done(random.once_in(2))),
            14 => {
                let dead: Vec<ItemId> = shown.items().filter(|(_, item)| item.deleted()).map(|(id, _)| id).collect();
                set(*dead.get(random.place(dead.len()))?, Register::Deleted(false))
            }
            15 => Edit::Title(some_text(random).into()),
            16 | 17 => Edit::Undo,
            18 => Edit::Redo,
            _ => set(row(random)?, Register::Depth(1)),
        })
    }
}

fn set(item: ItemId, register: Register) -> Edit {
    Edit::Set { writes: vec![(item, vec![register])] }
}

/// Short, or too long for a relay with a low limit.
fn some_text(random: &mut super::seeded::Seeded) -> String {
    let word = random.below(1 << 20);
    if random.once_in(4) { format!("{word} and much more") } else { format!("{word}") }
}

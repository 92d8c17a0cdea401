//! What people decide about lists: one that was deleted, one whose name another list has on the relay; and who deletes.
//!
//! A site's own part in it needs a data folder (`client/src/site/choice.rs`, `gone.rs`); here the folder is a field of the
//! machine, and the rest is what those do: the old replica goes when what is in it is nowhere else to be lost.

use betwixt_client::session::{Ended, State, Unnamed};
use betwixt_client::transfer::carried;
use betwixt_core::edit::{Edit, Spot};
use betwixt_core::id::ListUid;
use betwixt_core::register::Register;
use betwixt_core::wire::ToSite;

use super::act::Made;
use super::fault::Rule;
use super::world::World;

/// Items of a list that wait until the list that they go to is read.
pub(super) struct Merging {
    from: ListUid,
    items: Vec<Vec<Register>>,
}

impl World {
    /// Somebody deletes the list: one transaction of the relay's, which may fail, or be the last thing that it does.
    pub(super) fn delete_list(&mut self) {
        self.commit();
        if self.relay.uid().is_none() || self.ledger.log.is_empty() {
            return;
        }
        let fate = self.random.below(8);
        if fate == 0 {
            self.relay.disk.fail_next_commits(1);
        }
        let remembers = !self.is_without(Rule::DeletedStaysDeleted);
        let Some(uid) = self.relay.delete(remembers) else {
            self.crash_relay(true);
            return;
        };
        self.counts.deletions += 1;
        self.ledger.note_deleted(uid);
        self.owed.excuse_list(uid);
        if fate == 1 {
            // It is deleted, and nobody was told.
            self.crash_relay(false);
            return;
        }
        for link in self.links.values_mut().filter(|link| link.is_live()) {
            link.down.send(ToSite::Gone { uid }, self.now, &mut self.random);
            link.member = None;
        }
    }

    /// The name is not that of a machine's list: one in which nothing was done takes what the relay has.
    pub(super) fn unnamed(&mut self, at: usize, why: Unnamed) {
        let old = self.machines[at].uid;
        let next = match why {
            Unnamed::Adopt(other) => other,
            Unnamed::Gone => {
                let machine = &mut self.machines[at];
                machine.named = fresh_uid(&mut || machine.random.next());
                if !machine.replica.is_blank() {
                    return;
                }
                machine.named
            }
        };
        self.machines[at].named = next;
        self.machines[at].become_replica_of(next);
        // Nothing was ever said in it.
        self.machines[at].remove(old);
    }

    /// A person who was asked decides.
    pub(super) fn decide(&mut self, at: usize) {
        let machine = &self.machines[at];
        let is_idle = matches!(machine.session.state(), State::Live) && machine.stamps().is_empty();
        if is_idle && machine.merging.is_none() && machine.to_open() != machine.uid {
            // Another list of the name waits for a word: the person finds out when the program starts the next time.
            return self.crash(at);
        }
        let State::Ended(ended) = *self.machines[at].session.state() else { return };
        let old = self.machines[at].uid;
        match ended {
            Ended::OtherList(other) if self.random.below(4) > 0 => {
                let machine = &mut self.machines[at];
                let items = machine.replica.shown().live().map(|(_, item)| carried(item)).collect();
                machine.merging = Some(Merging { from: old, items });
                machine.become_replica_of(other);
                self.counts.merges += 1;
                if self.is_without(Rule::MergedBeforeRemoved) {
                    self.machines[at].remove(old);
                }
                if !self.is_quiet && self.random.once_in(6) {
                    self.crash(at);
                }
            }
            // Exported, and left.
            Ended::OtherList(next) => {
                self.machines[at].named = next;
                self.machines[at].become_replica_of(next);
                self.remove(at, old);
            }
            Ended::Gone => {
                let next = self.machines[at].named;
                self.machines[at].become_replica_of(next);
                self.remove(at, old);
            }
            Ended::Version | Ended::Damaged => {}
        }
    }

    /// Adds the items that wait, once the list that they go to is read.
    pub(super) fn go_on_merging(&mut self, at: usize) {
        let machine = &mut self.machines[at];
        if !matches!(machine.session.state(), State::Live) {
            return;
        }
        let Some(Merging { from, items }) = machine.merging.take() else { return };
        match self.make(at, &Edit::Add { spot: Spot::Bottom, items }) {
            Made::Pending => {
                self.machines[at].named = self.machines[at].uid;
                self.remove(at, from);
            }
            // The list is full: the person exports theirs instead.
            Made::Refused => self.remove(at, from),
            // The old list is there still, and asked about again.
            Made::Crashed => {}
        }
    }

    /// The person has let go of a list, or has what was in it in another one.
    fn remove(&mut self, at: usize, uid: ListUid) {
        self.machines[at].remove(uid);
        self.owed.excuse(at, uid);
    }
}

/// The identity of a list that is made on a machine.
pub(super) fn fresh_uid(random: &mut dyn FnMut() -> u64) -> ListUid {
    let mut bytes = [0; 16];
    for half in bytes.chunks_exact_mut(8) {
        half.copy_from_slice(&random().to_be_bytes());
    }
    ListUid::from_bytes(bytes)
}

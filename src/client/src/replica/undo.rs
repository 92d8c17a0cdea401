//! Taking back this site's own steps, and doing them again, as new ops.
//!
//! A step remembers items and what they were, never keys: the undo of a move places the item by its old neighbours in
//! today's list. What somebody else has changed since is left alone.

use betwixt_core::edit::{Did, Spot};
use betwixt_core::hlc::{Hlc, Millis};
use betwixt_core::id::{ItemId, OpId};
use betwixt_core::list::List;
use betwixt_core::register::Register;

/// How long after a move the same items may be moved again as the same step: one held key is one step.
const BURST: Millis = Millis(700);
/// Steps that are remembered.
const STEPS_MAX: usize = 1_000;

/// A change that a step made, and what was there before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Change {
    /// An item came.
    Added {
        /// Which.
        item: ItemId,
    },
    /// An item was placed.
    Placed {
        /// Which.
        item: ItemId,
        /// By which op: if another has placed it since, it is left alone.
        by: OpId,
        /// What stood before it and behind it.
        between: (Option<ItemId>, Option<ItemId>),
    },
    /// A register was written.
    Wrote {
        /// Of which item.
        item: ItemId,
        /// With which stamp: if another has won since, it is left alone.
        by: Hlc,
        /// What it held.
        old: Register,
    },
}

/// What an op is to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Target {
    /// Place an item.
    Place(ItemId, Spot),
    /// Write registers of an item.
    Write(ItemId, Vec<Register>),
}

/// What one intention did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) did: Did,
    pub(super) changes: Vec<Change>,
    pub(super) at: Millis,
}

impl Step {
    /// What takes the step back in today's list, and how many changes are left alone.
    pub(super) fn back(&self, list: &List) -> (Vec<Target>, usize) {
        let targets: Vec<Target> = self.changes.iter().filter_map(|change| change.back(list)).collect();
        let left_alone = self.changes.len() - targets.len();
        (targets, left_alone)
    }

    fn placed(&self) -> impl Iterator<Item = ItemId> {
        self.changes.iter().filter_map(|change| match change {
            Change::Placed { item, .. } => Some(*item),
            _ => None,
        })
    }
}

impl Change {
    fn back(&self, list: &List) -> Option<Target> {
        match self {
            Self::Added { item } => {
                let live = list.item(*item).is_some_and(|found| !found.deleted());
                live.then(|| Target::Write(*item, vec![Register::Deleted(true)]))
            }
            Self::Placed { item, by, between: (before, behind) } => {
                if list.item(*item)?.position.op != *by {
                    return None;
                }
                let here = |id: &ItemId| list.item(*id).is_some_and(|found| !found.deleted());
                let spot = match (before.filter(here), behind.filter(here)) {
                    (Some(before), _) => Spot::After(before),
                    (None, Some(behind)) => Spot::Before(behind),
                    (None, None) if before.is_none() => Spot::Top,
                    (None, None) => Spot::Bottom,
                };
                Some(Target::Place(*item, spot))
            }
            Self::Wrote { item, by, old } => {
                let stands = list.item(*item)?.written(old.field()).is_some_and(|written| written.hlc == *by);
                stands.then(|| Target::Write(*item, vec![old.clone()]))
            }
        }
    }
}

/// The steps that this site can take back, and those that it can do again.
#[derive(Debug, Default, Clone)]
pub struct History {
    done: Vec<Step>,
    undone: Vec<Step>,
}

/// Which way a step goes through the history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// A new one.
    Forth,
    /// The last one, taken back.
    Back,
    /// The last one taken back, done again.
    Again,
}

impl History {
    /// The step that a way takes back.
    pub(super) fn last(&self, way: Way) -> Option<&Step> {
        match way {
            Way::Forth => None,
            Way::Back => self.done.last(),
            Way::Again => self.undone.last(),
        }
    }

    /// Takes down a step that went this way.
    pub(super) fn push(&mut self, step: Step, way: Way) {
        match way {
            Way::Forth => {
                self.undone.clear();
                match self.done.last_mut() {
                    Some(last) if continues(last, &step) => join(last, step),
                    _ => self.done.push(step),
                }
                if self.done.len() > STEPS_MAX {
                    self.done.remove(0);
                }
            }
            Way::Back => {
                self.done.pop();
                self.undone.push(step);
            }
            Way::Again => {
                self.undone.pop();
                self.done.push(step);
            }
        }
    }

    /// Forgets a step of which nothing could be taken back.
    pub(super) fn drop_last(&mut self, way: Way) {
        match way {
            Way::Forth => None,
            Way::Back => self.done.pop(),
            Way::Again => self.undone.pop(),
        };
    }
}

/// Whether `step` moves the same items again right after `last` did.
fn continues(last: &Step, step: &Step) -> bool {
    last.did == Did::Moved
        && step.did == Did::Moved
        && step.at.since(last.at) <= BURST
        && last.placed().eq(step.placed())
}

/// Makes one step of two: what was there before the first, by the ops of the second.
fn join(last: &mut Step, step: Step) {
    for (change, newer) in last.changes.iter_mut().zip(step.changes) {
        if let (Change::Placed { by, .. }, Change::Placed { by: newer, .. }) = (change, newer) {
            *by = newer;
        }
    }
    last.at = step.at;
}

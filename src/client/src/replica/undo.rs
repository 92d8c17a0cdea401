//! Taking back this site's own steps, and doing them again, as new ops.
//!
//! A step remembers items and what they were, never keys: the undo of a move places the item by its old neighbours in
//! today's list. What somebody else has changed since is left alone.

use std::collections::{BTreeSet, HashMap};

use betwixt_core::edit::{Did, Spot};
use betwixt_core::hlc::{Hlc, Millis};
use betwixt_core::id::{ItemId, OpId};
use betwixt_core::list::List;
use betwixt_core::register::{Field, Register};
use serde::{Deserialize, Serialize};

/// How long after a move the same items may be moved again as the same step: one held key is one step.
const BURST: Millis = Millis(700);
/// Steps that are remembered.
const STEPS_MAX: usize = 1_000;
/// Changes in the steps that outlive the program beside the last one, which does however many it made.
const KEPT_CHANGES_MAX: usize = 64;

/// What stands before an item and behind it.
pub(super) type Neighbours = (Option<ItemId>, Option<ItemId>);

/// A change that a step made, and what was there before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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
        /// Which op had placed it before.
        was: OpId,
        /// Between which items it stood, of those that stayed.
        between: Neighbours,
    },
    /// A register was written.
    Wrote {
        /// Of which item.
        item: ItemId,
        /// With which stamp: if another has won since, it is left alone.
        by: Hlc,
        /// The stamp that it had before.
        was: Option<Hlc>,
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    pub(super) did: Did,
    pub(super) changes: Vec<Change>,
    pub(super) at: Millis,
}

impl Target {
    /// The item that it places.
    pub(super) fn placed(&self) -> Option<ItemId> {
        match self {
            Self::Place(item, _) => Some(*item),
            Self::Write(..) => None,
        }
    }
}

impl Step {
    /// What takes the step back in today's list, and how many changes are left alone.
    pub(super) fn back(&self, list: &List) -> (Vec<Target>, usize) {
        let mut targets: Vec<Target> = Vec::new();
        let mut left_alone = 0;
        // Those that stood in a row go back into one gap, one after the other: each key that is made there comes behind the
        // last one, since a generator steps on upwards.
        for change in &self.changes {
            match (change.back(list), targets.last_mut()) {
                (Some(Target::Write(item, more)), Some(Target::Write(before, registers))) if item == *before => {
                    registers.extend(more);
                }
                (Some(target), _) => targets.push(target),
                (None, _) => left_alone += 1,
            }
        }
        (targets, left_alone)
    }

    fn placed(&self) -> BTreeSet<ItemId> {
        self.changes.iter().filter_map(Change::placed).collect()
    }
}

impl Change {
    /// The item that it placed.
    pub(super) fn placed(&self) -> Option<ItemId> {
        match self {
            Self::Placed { item, .. } => Some(*item),
            Self::Added { .. } | Self::Wrote { .. } => None,
        }
    }

    fn back(&self, list: &List) -> Option<Target> {
        match self {
            Self::Added { item } => {
                let live = list.item(*item).is_some_and(|found| !found.deleted());
                live.then(|| Target::Write(*item, vec![Register::Deleted(true)]))
            }
            Self::Placed { item, by, between: (before, behind), .. } => {
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
            Self::Wrote { item, by, old, .. } => {
                let stands = list.item(*item)?.written(old.field()).is_some_and(|written| written.hlc == *by);
                stands.then(|| Target::Write(*item, vec![old.clone()]))
            }
        }
    }

    /// What it is about: the place of an item, or one of its registers.
    fn subject(&self) -> Option<(ItemId, Option<Field>)> {
        match self {
            Self::Added { .. } => None,
            Self::Placed { item, .. } => Some((*item, None)),
            Self::Wrote { item, old, .. } => Some((*item, Some(old.field()))),
        }
    }

    fn by(&self) -> Option<Maker> {
        match self {
            Self::Added { .. } => None,
            Self::Placed { by, .. } => Some(Maker::Op(*by)),
            Self::Wrote { by, .. } => Some(Maker::Stamp(*by)),
        }
    }

    fn was(&self) -> Option<Maker> {
        match self {
            Self::Added { .. } => None,
            Self::Placed { was, .. } => Some(Maker::Op(*was)),
            Self::Wrote { was, .. } => was.map(Maker::Stamp),
        }
    }

    fn set_by(&mut self, maker: Maker) {
        match (self, maker) {
            (Self::Placed { by, .. }, Maker::Op(op)) => *by = op,
            (Self::Wrote { by, .. }, Maker::Stamp(stamp)) => *by = stamp,
            _ => {}
        }
    }
}

/// What made a place or a register what it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Maker {
    Op(OpId),
    Stamp(Hlc),
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

    /// What a program that starts later can take back.
    #[must_use]
    pub fn of_kept(steps: Vec<Step>) -> Self {
        Self { done: steps, undone: Vec::new() }
    }

    /// What is to be kept for a program that starts later, once this step has gone this way.
    pub(super) fn kept_after(&self, step: Option<&Step>, way: Way) -> Vec<Step> {
        // The last two: one may go, and what is left is the end again.
        let before = self.done.len().saturating_sub(1);
        let done = [kept(self.done.get(..before).unwrap_or_default()), self.done.get(before..).unwrap_or_default()];
        let mut after = Self { done: done.concat(), undone: self.undone.last().cloned().into_iter().collect() };
        match step {
            Some(step) => after.push(step.clone(), way),
            None => after.drop_last(way),
        }
        kept(&after.done).to_vec()
    }

    /// Takes down a step that went this way.
    pub(super) fn push(&mut self, step: Step, way: Way) {
        match way {
            Way::Forth => {
                self.undone.clear();
                match self.done.last_mut() {
                    Some(last) if continues(last, &step) => join(last, &step),
                    _ => self.done.push(step),
                }
                if self.done.len() > STEPS_MAX {
                    self.done.remove(0);
                }
            }
            Way::Back => {
                let undone = self.done.pop();
                self.follow(undone.as_ref(), &step);
                self.undone.push(step);
            }
            Way::Again => {
                let undone = self.undone.pop();
                self.follow(undone.as_ref(), &step);
                self.done.push(step);
            }
        }
    }

    /// Lets older steps know the ops that made again what theirs had made: else they would find them those of others.
    fn follow(&mut self, undone: Option<&Step>, back: &Step) {
        let made_by: HashMap<_, Maker> =
            back.changes.iter().filter_map(|change| Some((change.subject()?, change.by()?))).collect();
        let undone = undone.into_iter().flat_map(|step| &step.changes);
        let again: HashMap<_, Maker> = undone
            .filter_map(|change| Some(((change.subject()?, change.was()?), *made_by.get(&change.subject()?)?)))
            .collect();
        for older in self.done.iter_mut().chain(&mut self.undone).flat_map(|step| &mut step.changes) {
            if let (Some(subject), Some(by)) = (older.subject(), older.by())
                && let Some(maker) = again.get(&(subject, by))
            {
                older.set_by(*maker);
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

/// The last step, and those before it as long as they are small.
fn kept(steps: &[Step]) -> &[Step] {
    let mut changes = 0;
    let before = steps.iter().rev().skip(1).take_while(|step| {
        changes += step.changes.len();
        changes <= KEPT_CHANGES_MAX
    });
    let count = before.count() + 1;
    steps.get(steps.len().saturating_sub(count)..).unwrap_or_default()
}

/// Whether `step` moves the same items again right after `last` did.
fn continues(last: &Step, step: &Step) -> bool {
    last.did == Did::Moved
        && step.did == Did::Moved
        && step.at.since(last.at) <= BURST
        && last.placed() == step.placed()
}

/// Makes one step of two: what was there before the first, by the ops of the second.
fn join(last: &mut Step, step: &Step) {
    let newer: HashMap<_, Maker> =
        step.changes.iter().filter_map(|change| Some((change.subject()?, change.by()?))).collect();
    for change in &mut last.changes {
        if let Some(maker) = change.subject().and_then(|subject| newer.get(&subject)) {
            change.set_by(*maker);
        }
    }
    last.at = step.at;
}

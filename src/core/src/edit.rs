//! What a person wants to be changed, in terms of items: never of keys, which are the replica's business.

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use crate::id::ItemId;
use crate::register::Register;

/// A place as people see it: among the live items of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spot {
    /// Before all.
    Top,
    /// Behind all.
    Bottom,
    /// Right before this item.
    Before(ItemId),
    /// Right behind this item.
    After(ItemId),
}

/// One intention; becomes one op for each item that it is about, and one step of undo.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edit {
    /// New items, in this order, in one run.
    Add {
        /// Where.
        spot: Spot,
        /// What each one carries.
        items: Vec<Vec<Register>>,
    },
    /// Moves these items, in this order, in one run.
    Move {
        /// Which.
        items: Vec<ItemId>,
        /// Where to; not one of the items themselves.
        spot: Spot,
    },
    /// Writes registers of items.
    Set {
        /// Which, and what.
        writes: Vec<(ItemId, Vec<Register>)>,
    },
    /// Takes in items that come from another list, behind all others; one that was here before, and went, comes back.
    ///
    /// No step of undo, as little as [`Edit::GiveAway`]: taking back one half of a move would lose or double the items.
    TakeIn {
        /// Which, and what each one carries.
        items: Vec<(ItemId, Vec<Register>)>,
    },
    /// Deletes items that are in another list now.
    GiveAway {
        /// Which.
        items: Vec<ItemId>,
    },
    /// Writes the list's title.
    Title(SmolStr),
    /// Takes back this site's last step.
    Undo,
    /// Does again what was last taken back.
    Redo,
}

/// What an edit did.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The items that were added, moved or written, in the order of the edit; what undo and redo touched.
    pub items: Vec<ItemId>,
    /// Which intention was carried out, taken back or done again.
    pub did: Did,
    /// Items that undo or redo left alone, since somebody else changed them meanwhile.
    pub left_alone: usize,
    /// Texts in which control characters were made visible.
    pub cleaned: usize,
}

/// The kind of an edit, for "undid: 3 moved".
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Did {
    /// Nothing changed.
    #[default]
    Nothing,
    /// Items came.
    Added,
    /// Items were placed elsewhere.
    Moved,
    /// Texts were written.
    Rewrote,
    /// Items were ticked.
    Ticked,
    /// Ticks were taken away.
    Unticked,
    /// Items went to the trash.
    Deleted,
    /// Items came back from the trash.
    Restored,
    /// Items changed their level.
    Indented,
    /// The title was written.
    Titled,
    /// Other registers were written.
    Wrote,
}

impl Did {
    /// What became of the items, in a word: "added".
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Added => "added",
            Self::Moved => "moved",
            Self::Rewrote => "rewritten",
            Self::Ticked => "ticked",
            Self::Unticked => "unticked",
            Self::Deleted => "deleted",
            Self::Restored => "restored",
            Self::Indented => "indented",
            Self::Titled => "titled",
            Self::Wrote => "changed",
        }
    }
}

/// Why an edit is not made. Nothing has changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EditFault {
    /// No key of at most 128 bytes fits there any more: a rebalance cures it.
    #[error("no room for a key here: it would be longer than 128 bytes")]
    GapFull,
    /// The list has as many items as it may have.
    #[error("the list is full: it has {items} items")]
    ListFull {
        /// How many.
        items: usize,
    },
    /// It names an item that is not in the list.
    #[error("that item is not in the list")]
    NoItem,
    /// What it writes is refused everywhere.
    #[error(transparent)]
    Op(#[from] crate::op::check::OpFault),
    /// Somebody deleted the list.
    #[error("the list was deleted")]
    Gone,
    /// It would send an item on that is itself still on its way here.
    #[error("it is still on its way here")]
    Coming,
    /// There is no step of this site to take back, or to do again.
    #[error("nothing to {0}")]
    NoStep(&'static str),
    /// It could not be kept on this machine, so it was not made.
    #[error("cannot keep it on this machine's disk")]
    Disk,
}

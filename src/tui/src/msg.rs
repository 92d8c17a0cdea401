//! What happens to the screen, and what the shell must do about it.

use betwixt_core::edit::{Edit, Outcome};
use betwixt_core::hlc::Millis;
use betwixt_core::id::{ItemId, ListUid, SiteId};
use betwixt_core::name::ListName;
use betwixt_core::wire::{Figures, Listed, Listing, Person};
use crossterm::event::KeyEvent;

/// What happened.
#[derive(Debug, Clone)]
pub enum Msg {
    /// A key. Releases mean nothing.
    Key(KeyEvent),
    /// A bracketed paste, as it came.
    Paste(String),
    /// The terminal has this size; the same size again asks for a whole repaint.
    Resize {
        /// Cells from left to right.
        cols: u16,
        /// Cells from top to bottom.
        rows: u16,
    },
    /// The list changed under us.
    Changed,
    /// How the link and the unsent edits stand.
    Status(Status),
    /// Everybody who is on the list, and which of them is this terminal.
    People(Vec<Person>, SiteId),
    /// All edits that the relay did not take and that still wait for a word, oldest first.
    Refused(Vec<Refusal>),
    /// The last [`Effect::Edit`] was made. Comes before the next key.
    Edited(Outcome),
    /// The last [`Effect::Edit`] was not made; one line says why. Comes before the next key.
    EditFailed(String),
    /// One line that the person should see.
    Notice(String),
    /// The list goes on under this name, as was chosen.
    Renamed(ListName),
    /// The lists that this machine has a copy of, in any order; at the start, and when it changes.
    Known(Vec<ListName>),
    /// What the relay answered to an [`Effect::AskLists`]. An answer that nobody waits for any more is harmless.
    Lists {
        /// What was asked, as it was asked.
        asked: Listing,
        /// The lists, in the order of their names.
        lists: Vec<Listed>,
        /// Whether there are more behind the last of them.
        more: bool,
    },
    /// An [`Effect::AskLists`] has no answer; one line says why.
    ListsFailed {
        /// What was asked, as it was asked.
        asked: Listing,
        /// Why there is no answer.
        why: String,
    },
    /// The relay deleted this list, as an [`Effect::DeleteList`] of this screen asked.
    ListDeleted(ListName),
    /// An [`Effect::DeleteList`] was not carried out; one line says why.
    ListNotDeleted {
        /// Which list.
        list: ListName,
        /// Why it is still there.
        why: String,
    },
    /// Another list has this title now, as an [`Effect::Title`] asked; where it has not, a [`Msg::Notice`] says why.
    Titled {
        /// Which list.
        list: ListName,
        /// Its title.
        title: String,
    },
    /// All items that are under way to another list and still in this one.
    Moving(Vec<ItemId>),
    /// The time of the last [`Effect::WakeAt`] has come. An extra one is harmless.
    Wake,
    /// The program is in the foreground again.
    Resumed,
}

/// What the shell must do, in the order given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Make this edit, and answer with [`Msg::Edited`] or [`Msg::EditFailed`] before the next key.
    Edit(Edit),
    /// Tell the others where the person is.
    Here {
        /// The selected item.
        at: Option<ItemId>,
        /// Whether it is being edited.
        editing: bool,
    },
    /// Try a refused edit again.
    TakeUpAgain(u64),
    /// Write a refused edit to a file; it stays refused.
    ExportRefused(u64),
    /// Forget a refused edit.
    DiscardRefused(u64),
    /// What becomes of a list whose name another list has on the relay.
    Choose(Choice),
    /// Ask the relay for lists, and answer with [`Msg::Lists`] or [`Msg::ListsFailed`] whenever that comes.
    AskLists(Listing),
    /// Open another list of this name, on a screen that [`Model::switched`](crate::Model::switched) makes; what is unsent
    /// here is sent as that of a closed window. A name that no list has is a new list, which the relay hears of when
    /// something is written in it. The open list's own name, if that list was deleted, means a new one as well.
    Open(ListName),
    /// Give another list than the open one this title; empty takes it away. Answer with [`Msg::Titled`] or
    /// [`Msg::Notice`].
    Title {
        /// Which list.
        list: ListName,
        /// Its new title.
        title: String,
    },
    /// Delete a list for everybody; may be the open one. Answer with [`Msg::ListDeleted`] or [`Msg::ListNotDeleted`].
    DeleteList {
        /// What it is called.
        name: ListName,
        /// Which list: another one of that name is not meant.
        uid: ListUid,
    },
    /// Put these items, in this order, at the end of another list, and take them out of this one once they are there.
    /// [`Msg::Moving`] and [`Status::moving`] tell of them until then.
    MoveTo {
        /// Which; live when this was asked.
        items: Vec<ItemId>,
        /// Where to, by name; never the open list. May be a new one, as in [`Effect::Open`].
        list: ListName,
    },
    /// Write the open list, which was deleted, to a file, unsent edits and all; answer with a [`Msg::Notice`] that names
    /// the file. The list stays open.
    ExportGone {
        /// Texts that were being written when the list was deleted: each belongs into the file as an item.
        unwritten: Vec<String>,
    },
    /// Forget this machine's copy of the open list, which was deleted, and its unsent edits. The screen shows it until
    /// the next [`Effect::Open`], which the person is asked for at once.
    LetGo,
    /// Repaint every cell.
    Redraw,
    /// Give the terminal back and stop; [`Msg::Resumed`] when it goes on.
    Suspend,
    /// End.
    Quit,
    /// Send [`Msg::Wake`] at this time. Replaces the time asked for before.
    WakeAt(Millis),
}

/// How things stand between this terminal and the relay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Status {
    /// The link.
    pub link: Link,
    /// Own edits that the relay has not fsynced.
    pub unsent: usize,
    /// Own edits that the relay did not take and that wait for a word.
    pub refused: usize,
    /// Unsent edits of windows that were closed, on their way.
    pub stranded: usize,
    /// Items under way to another list.
    pub moving: usize,
    /// What the relay shows of the list.
    pub figures: Option<Figures>,
}

impl Default for Status {
    fn default() -> Self {
        Self { link: Link::Offline { why: None }, unsent: 0, refused: 0, stranded: 0, moving: 0, figures: None }
    }
}

/// The link to the relay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Link {
    /// Live, on this machine.
    LocalRelay,
    /// Live, on another host; its name may be anything.
    Host(String),
    /// Reading what was missed.
    CatchingUp {
        /// Entries still to come.
        missing: u64,
    },
    /// No relay; edits are kept here.
    Offline {
        /// One phrase, if there is more to say.
        why: Option<String>,
    },
    /// The list holds what this program cannot carry out.
    NeedsNewer,
    /// Another list has that name on the relay; the person must choose.
    OtherList,
    /// The list was deleted on the relay: nothing can be written in it any more.
    Gone,
    /// The relay's copy of the list is damaged.
    Damaged,
}

/// An edit that the relay did not take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// What the shell knows it by.
    pub number: u64,
    /// What it was about, as raw text.
    pub what: String,
    /// Why, in one phrase.
    pub code: String,
}

/// What becomes of a list whose name another list has on the relay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choice {
    /// Its items go below those of the other list.
    Merge,
    /// It goes on under this name.
    Keep(ListName),
    /// It is written to a file, and the other list is opened.
    Export,
}

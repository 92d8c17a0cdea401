//! What lies over the rows.

use betwixt_core::list::List;

use crate::keymap::Context;
use crate::model::Model;
use crate::msg::Link;
use crate::switcher::{Rows, Switcher};
use crate::text_line::TextLine;

/// What lies over the rows.
#[derive(Debug)]
pub(crate) enum Overlay {
    /// All keys, scrolled down by so many lines.
    Help { scrolled: usize },
    /// The refused edits, with the number of the selected one.
    Drawer { at: Option<u64> },
    /// What becomes of a list whose name another list has.
    Dialog(Dialog),
    /// What becomes of a list that was deleted. None is picked at first, so that a stray Enter does nothing.
    Gone { picked: Option<GonePick> },
    /// The lists that there are.
    Switcher(Box<Switcher>),
    /// The title of the open list is being written, in its place above the rows.
    Title(TextLine),
}

/// The dialog about another list of the same name.
#[derive(Debug, Default)]
pub(crate) struct Dialog {
    /// The picked choice. None at first, so that a stray Enter does nothing.
    pub picked: Option<Pick>,
    /// The new name, while it is being written, and what is wrong with it.
    pub name: Option<(TextLine, Option<String>)>,
}

/// A choice of the dialog.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pick {
    Merge,
    Keep,
    Export,
}

/// A choice about a list that was deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GonePick {
    Export,
    Lists,
    LetGo,
}

impl GonePick {
    /// In the order of the screen: the one that loses something is the last.
    pub(crate) const ALL: [Self; 3] = [Self::Export, Self::Lists, Self::LetGo];
}

/// What the person must be asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trouble {
    OtherList,
    Gone,
}

impl Model {
    /// Fits what lies over the rows to how things stand.
    pub(crate) fn settle_overlay(&mut self, list: &List) {
        self.settle_drawer();
        self.settle_dialogs();
        self.settle_switcher(list);
    }

    fn settle_drawer(&mut self) {
        let Some(Overlay::Drawer { at }) = &mut self.overlay else { return };
        let is_there = at.is_some_and(|at| self.refusals.iter().any(|one| one.number == at));
        if !is_there {
            // The next one below what was there, as numbers ascend.
            let next = self.refusals.iter().find(|one| at.is_some_and(|at| one.number > at));
            *at = next.or(self.refusals.last()).map(|one| one.number);
        }
    }

    /// A dialog comes by itself once, when nothing is being done, and goes when there is nothing to choose.
    fn settle_dialogs(&mut self) {
        let trouble = match self.status.link {
            Link::OtherList => Some(Trouble::OtherList),
            Link::Gone => Some(Trouble::Gone),
            _ => None,
        };
        let shown = match self.overlay {
            Some(Overlay::Dialog(_)) => Some(Trouble::OtherList),
            Some(Overlay::Gone { .. }) => Some(Trouble::Gone),
            _ => None,
        };
        if shown.is_some() && shown != trouble {
            self.overlay = None;
        }
        if self.was_asked != trouble {
            self.was_asked = None;
        }
        // Whoever deleted the list knows.
        let is_mine = trouble == Some(Trouble::Gone)
            && (self.is_deleted_by_me || self.deleting.as_ref() == Some(&self.setup.list));
        if trouble.is_some() && self.was_asked.is_none() && !is_mine && self.context() == Context::List {
            self.ask_about_trouble();
        }
    }

    /// Opens the dialog about what the link says, if it says anything that must be chosen.
    pub(crate) fn ask_about_trouble(&mut self) -> bool {
        let (trouble, dialog) = match self.status.link {
            Link::OtherList => (Trouble::OtherList, Overlay::Dialog(Dialog::default())),
            Link::Gone => (Trouble::Gone, Overlay::Gone { picked: None }),
            _ => return false,
        };
        self.was_asked = Some(trouble);
        self.chord.clear();
        self.overlay = Some(dialog);
        true
    }

    fn settle_switcher(&mut self, list: &List) {
        let Some(switcher) = self.switcher() else { return };
        let rows = Rows::of(self, list, switcher);
        let shown = self.lists_shown(&rows);
        if let Some(Overlay::Switcher(switcher)) = &mut self.overlay {
            switcher.settle(&rows, shown);
        }
    }
}

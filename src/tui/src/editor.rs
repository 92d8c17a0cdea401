//! The line editor of an item, in the item's place.

use betwixt_core::edit::Spot;
use betwixt_core::id::{ItemId, SiteId};
use betwixt_core::item::Item;
use betwixt_core::limits::DEPTH_MAX;
use betwixt_core::list::List;
use betwixt_core::register::{Field, Register};

use crate::text_line::TextLine;

/// The line editor of an item.
///
/// It holds what the item was when the editor opened, so that what others do to it meanwhile is seen and told, and
/// nothing that is being written is lost.
#[derive(Debug, Clone)]
pub(crate) struct Editor {
    pub target: Target,
    pub line: TextLine,
    pub depth: u8,
    base: Base,
}

/// What is being written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Target {
    /// An item that is not there yet.
    New {
        /// Where it will stand.
        spot: Spot,
        /// Whether saving opens the next one.
        then: Then,
    },
    /// An item of the list.
    Item(ItemId),
}

/// What comes after a new item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Then {
    /// The next new item.
    Next,
    /// Nothing.
    Close,
}

/// The item as it was when the editor opened.
#[derive(Debug, Default, Clone)]
struct Base {
    text: String,
    depth: u8,
}

/// What others did to the item meanwhile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum News<'a> {
    /// Nothing that matters here.
    None,
    /// They wrote another text.
    Changed {
        /// Which.
        theirs: &'a str,
        /// Who.
        by: Option<SiteId>,
    },
    /// They deleted it.
    Deleted {
        /// Who.
        by: Option<SiteId>,
    },
}

impl Editor {
    /// An editor of an item that is not there yet.
    pub(crate) fn of_new(spot: Spot, depth: u8, then: Then) -> Self {
        let base = Base { text: String::new(), depth };
        Self { target: Target::New { spot, then }, line: TextLine::default(), depth, base }
    }

    /// An editor of a new item at the end, with this text.
    pub(crate) fn of_text(text: &str) -> Self {
        Self { line: TextLine::new(text), ..Self::of_new(Spot::Bottom, 0, Then::Close) }
    }

    /// An editor of an item.
    pub(crate) fn of_item(id: ItemId, item: &Item) -> Self {
        let line = TextLine::new(item.text());
        let base = Base { text: line.text().to_owned(), depth: item.depth() };
        Self { target: Target::Item(id), line, depth: item.depth(), base }
    }

    /// What others did to the item since the editor opened.
    pub(crate) fn news<'a>(&self, list: &'a List) -> News<'a> {
        let Target::Item(id) = self.target else { return News::None };
        let Some(item) = list.item(id) else { return News::Deleted { by: None } };
        let by = |field| item.written(field).map(|written| written.hlc.site);
        if item.deleted() {
            News::Deleted { by: by(Field::Deleted) }
        } else if TextLine::new(item.text()).text() != self.base.text {
            News::Changed { theirs: item.text(), by: by(Field::Text) }
        } else {
            News::None
        }
    }

    /// The text to be saved.
    pub(crate) fn text(&self) -> &str {
        self.line.text().trim()
    }

    /// Whether there is nothing in it.
    pub(crate) fn is_blank(&self) -> bool {
        self.text().is_empty()
    }

    /// Whether I wrote another text than there was.
    pub(crate) fn has_own_text(&self) -> bool {
        self.line.text() != self.base.text
    }

    /// Whether I changed anything.
    pub(crate) fn is_changed(&self) -> bool {
        self.has_own_text() || self.depth != self.base.depth
    }

    /// What saving writes into the item; nothing if that changes nothing.
    pub(crate) fn writes(&self, item: Option<&Item>) -> Vec<Register> {
        let mut writes = Vec::new();
        if item.is_some_and(Item::deleted) {
            writes.push(Register::Deleted(false));
        }
        if self.has_own_text() && item.is_none_or(|item| item.text() != self.text()) {
            writes.push(Register::Text(self.text().into()));
        }
        if self.depth != self.base.depth && item.is_none_or(|item| item.depth() != self.depth) {
            writes.push(Register::Depth(self.depth));
        }
        writes
    }

    /// A level deeper, below the row before at most.
    pub(crate) fn deeper(&mut self, depth_before: Option<u8>) {
        let deepest = depth_before.map_or(0, |depth| depth.saturating_add(1)).min(DEPTH_MAX);
        self.depth = self.depth.saturating_add(1).min(deepest.max(self.depth));
    }

    /// A level up.
    pub(crate) fn shallower(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }
}

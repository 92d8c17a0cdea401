//! The keymaps that come with the program.

use super::{Action, Context};

/// Which keymap.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub enum Preset {
    /// For hands that know vim.
    #[default]
    Vim,
    /// For everybody else: arrows, Ctrl-N new, F2 edit, Ctrl-Z undo.
    Plain,
}

/// In this context, this action has these keys; the first one is what hints name.
pub(super) type Row = (Context, Action, &'static [&'static str]);

impl Preset {
    /// Whether digits are counts.
    pub(crate) const fn has_counts(self) -> bool {
        matches!(self, Self::Vim)
    }

    pub(super) fn rows(self) -> impl Iterator<Item = &'static Row> {
        let own = match self {
            Self::Vim => VIM,
            Self::Plain => PLAIN,
        };
        own.iter().chain(WRITING).chain(OVERLAYS)
    }
}

const VIM: &[Row] = &[
    (Context::List, Action::Down, &["j", "down"]),
    (Context::List, Action::Up, &["k", "up"]),
    (Context::List, Action::HalfPageDown, &["ctrl-d"]),
    (Context::List, Action::HalfPageUp, &["ctrl-u"]),
    (Context::List, Action::PageDown, &["pagedown", "ctrl-f"]),
    (Context::List, Action::PageUp, &["pageup", "ctrl-b"]),
    (Context::List, Action::Top, &["g g", "home"]),
    (Context::List, Action::Bottom, &["G", "end"]),
    (Context::List, Action::Lists, &["g l"]),
    (Context::List, Action::EditTitle, &["g t"]),
    (Context::List, Action::OpenNumber(1), &["g 1"]),
    (Context::List, Action::OpenNumber(2), &["g 2"]),
    (Context::List, Action::OpenNumber(3), &["g 3"]),
    (Context::List, Action::OpenNumber(4), &["g 4"]),
    (Context::List, Action::OpenNumber(5), &["g 5"]),
    (Context::List, Action::OpenNumber(6), &["g 6"]),
    (Context::List, Action::OpenNumber(7), &["g 7"]),
    (Context::List, Action::OpenNumber(8), &["g 8"]),
    (Context::List, Action::OpenNumber(9), &["g 9"]),
    (Context::List, Action::NewBelow, &["o"]),
    (Context::List, Action::NewAbove, &["O"]),
    (Context::List, Action::NewAtEnd, &["a"]),
    (Context::List, Action::Edit, &["e", "i", "enter"]),
    (Context::List, Action::ToggleDone, &["x", "space"]),
    (Context::List, Action::Delete, &["d d", "delete"]),
    (Context::List, Action::Undo, &["u"]),
    (Context::List, Action::Redo, &["ctrl-r", "U"]),
    (Context::List, Action::MoveDown, &["J", "alt-down"]),
    (Context::List, Action::MoveUp, &["K", "alt-up"]),
    (Context::List, Action::MoveToTop, &["g K"]),
    (Context::List, Action::MoveToBottom, &["g J"]),
    (Context::List, Action::MoveToList, &["M"]),
    (Context::List, Action::NextList, &["]"]),
    (Context::List, Action::PreviousList, &["["]),
    (Context::List, Action::Deeper, &[">"]),
    (Context::List, Action::Shallower, &["<"]),
    (Context::List, Action::Help, &["?", "f1"]),
    (Context::List, Action::Attention, &["!"]),
    (Context::List, Action::Redraw, &["ctrl-l"]),
    (Context::List, Action::Suspend, &["ctrl-z"]),
    (Context::List, Action::Quit, &["q", "ctrl-c"]),
    (Context::List, Action::Back, &["esc"]),
    (Context::Editor, Action::Save, &["enter"]),
    (Context::Editor, Action::Leave, &["esc"]),
    (Context::Editor, Action::Discard, &["ctrl-c"]),
    (Context::Editor, Action::Suspend, &["ctrl-z"]),
];

const PLAIN: &[Row] = &[
    (Context::List, Action::Down, &["down"]),
    (Context::List, Action::Up, &["up"]),
    (Context::List, Action::PageDown, &["pagedown"]),
    (Context::List, Action::PageUp, &["pageup"]),
    (Context::List, Action::Top, &["home"]),
    (Context::List, Action::Bottom, &["end"]),
    (Context::List, Action::NewBelow, &["ctrl-n", "insert"]),
    (Context::List, Action::NewAbove, &["ctrl-u"]),
    (Context::List, Action::NewAtEnd, &["ctrl-e"]),
    (Context::List, Action::Edit, &["f2", "enter"]),
    (Context::List, Action::ToggleDone, &["space"]),
    (Context::List, Action::Delete, &["delete"]),
    (Context::List, Action::Undo, &["ctrl-z"]),
    (Context::List, Action::Redo, &["ctrl-y"]),
    (Context::List, Action::MoveDown, &["alt-down"]),
    (Context::List, Action::MoveUp, &["alt-up"]),
    (Context::List, Action::MoveToTop, &["alt-home"]),
    (Context::List, Action::MoveToBottom, &["alt-end"]),
    (Context::List, Action::MoveToList, &["f6"]),
    (Context::List, Action::Lists, &["ctrl-o", "f3"]),
    (Context::List, Action::EditTitle, &["ctrl-t"]),
    (Context::List, Action::NextList, &["ctrl-pagedown"]),
    (Context::List, Action::PreviousList, &["ctrl-pageup"]),
    (Context::List, Action::Deeper, &["tab", "alt-right"]),
    (Context::List, Action::Shallower, &["backtab", "alt-left"]),
    (Context::List, Action::Help, &["f1"]),
    (Context::List, Action::Attention, &["f4"]),
    (Context::List, Action::Redraw, &["ctrl-l"]),
    (Context::List, Action::Quit, &["ctrl-q", "ctrl-c"]),
    (Context::List, Action::Back, &["esc"]),
    (Context::Editor, Action::Save, &["enter"]),
    (Context::Editor, Action::Discard, &["esc", "ctrl-c"]),
];

/// Line editing, the same everywhere.
const WRITING: &[Row] = &[
    (Context::Editor, Action::Deeper, &["tab"]),
    (Context::Editor, Action::Shallower, &["backtab"]),
    (Context::Editor, Action::CaretLeft, &["left", "ctrl-b"]),
    (Context::Editor, Action::CaretRight, &["right", "ctrl-f"]),
    (Context::Editor, Action::CaretWordLeft, &["ctrl-left"]),
    (Context::Editor, Action::CaretWordRight, &["ctrl-right"]),
    (Context::Editor, Action::CaretHome, &["home", "ctrl-a"]),
    (Context::Editor, Action::CaretEnd, &["end", "ctrl-e"]),
    (Context::Editor, Action::EraseLeft, &["backspace", "ctrl-h"]),
    (Context::Editor, Action::EraseRight, &["delete", "ctrl-d"]),
    (Context::Editor, Action::EraseWordLeft, &["ctrl-w"]),
    (Context::Editor, Action::EraseToStart, &["ctrl-u"]),
    (Context::Editor, Action::EraseToEnd, &["ctrl-k"]),
    (Context::Editor, Action::PutBackErased, &["ctrl-y"]),
    (Context::Editor, Action::Help, &["f1"]),
    (Context::Editor, Action::Redraw, &["ctrl-l"]),
    (Context::Line, Action::Confirm, &["enter"]),
    (Context::Line, Action::Back, &["esc", "ctrl-c"]),
    (Context::Line, Action::CaretLeft, &["left", "ctrl-b"]),
    (Context::Line, Action::CaretRight, &["right", "ctrl-f"]),
    (Context::Line, Action::CaretHome, &["home", "ctrl-a"]),
    (Context::Line, Action::CaretEnd, &["end", "ctrl-e"]),
    (Context::Line, Action::EraseLeft, &["backspace", "ctrl-h"]),
    (Context::Line, Action::EraseRight, &["delete", "ctrl-d"]),
    (Context::Line, Action::EraseWordLeft, &["ctrl-w"]),
    (Context::Line, Action::EraseToStart, &["ctrl-u"]),
    (Context::Line, Action::EraseToEnd, &["ctrl-k"]),
    (Context::Line, Action::Redraw, &["ctrl-l"]),
    (Context::Switcher, Action::Confirm, &["enter"]),
    (Context::Switcher, Action::Back, &["esc", "ctrl-c"]),
    (Context::Switcher, Action::Down, &["down", "ctrl-n", "ctrl-j"]),
    (Context::Switcher, Action::Up, &["up", "ctrl-p", "ctrl-k"]),
    (Context::Switcher, Action::PageDown, &["pagedown"]),
    (Context::Switcher, Action::PageUp, &["pageup"]),
    (Context::Switcher, Action::EditTitle, &["ctrl-t"]),
    (Context::Switcher, Action::DeleteList, &["ctrl-d", "delete"]),
    (Context::Switcher, Action::CaretLeft, &["left", "ctrl-b"]),
    (Context::Switcher, Action::CaretRight, &["right", "ctrl-f"]),
    (Context::Switcher, Action::CaretHome, &["home", "ctrl-a"]),
    (Context::Switcher, Action::CaretEnd, &["end", "ctrl-e"]),
    (Context::Switcher, Action::EraseLeft, &["backspace", "ctrl-h"]),
    (Context::Switcher, Action::EraseWordLeft, &["ctrl-w"]),
    (Context::Switcher, Action::EraseToStart, &["ctrl-u"]),
    (Context::Switcher, Action::Redraw, &["ctrl-l"]),
];

/// What lies over the rows; the same in every preset, since each of these screens names its keys.
const OVERLAYS: &[Row] = &[
    (Context::Help, Action::Back, &["esc", "q", "?", "f1"]),
    (Context::Help, Action::Down, &["j", "down"]),
    (Context::Help, Action::Up, &["k", "up"]),
    (Context::Help, Action::PageDown, &["pagedown", "space", "ctrl-d", "ctrl-f"]),
    (Context::Help, Action::PageUp, &["pageup", "ctrl-u", "ctrl-b"]),
    (Context::Help, Action::Top, &["g g", "home"]),
    (Context::Help, Action::Bottom, &["G", "end"]),
    (Context::Help, Action::Redraw, &["ctrl-l"]),
    (Context::Help, Action::Quit, &["ctrl-c"]),
    (Context::Drawer, Action::TakeUpAgain, &["t", "enter"]),
    (Context::Drawer, Action::Export, &["e"]),
    (Context::Drawer, Action::Drop, &["d d", "delete delete"]),
    (Context::Drawer, Action::Back, &["esc", "q", "!", "f4"]),
    (Context::Drawer, Action::Down, &["j", "down"]),
    (Context::Drawer, Action::Up, &["k", "up"]),
    (Context::Drawer, Action::Top, &["g g", "home"]),
    (Context::Drawer, Action::Bottom, &["G", "end"]),
    (Context::Drawer, Action::Redraw, &["ctrl-l"]),
    (Context::Drawer, Action::Quit, &["ctrl-c"]),
    (Context::Dialog, Action::PickMerge, &["m"]),
    (Context::Dialog, Action::PickKeep, &["n"]),
    (Context::Dialog, Action::PickExport, &["e"]),
    (Context::Dialog, Action::Confirm, &["enter"]),
    (Context::Dialog, Action::Back, &["esc", "q", "!", "f4"]),
    (Context::Dialog, Action::Down, &["j", "down"]),
    (Context::Dialog, Action::Up, &["k", "up"]),
    (Context::Dialog, Action::Redraw, &["ctrl-l"]),
    (Context::Dialog, Action::Quit, &["ctrl-c"]),
    (Context::Gone, Action::PickExport, &["e"]),
    (Context::Gone, Action::PickLists, &["o"]),
    (Context::Gone, Action::PickLetGo, &["l"]),
    (Context::Gone, Action::Confirm, &["enter"]),
    (Context::Gone, Action::Back, &["esc", "q", "!", "f4"]),
    (Context::Gone, Action::Down, &["j", "down"]),
    (Context::Gone, Action::Up, &["k", "up"]),
    (Context::Gone, Action::Redraw, &["ctrl-l"]),
    (Context::Gone, Action::Quit, &["ctrl-c"]),
];

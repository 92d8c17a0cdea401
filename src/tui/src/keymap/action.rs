//! What a key can do, with the words that help and hints use for it.

/// What a key can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Action {
    Down,
    Up,
    HalfPageDown,
    HalfPageUp,
    PageDown,
    PageUp,
    Top,
    Bottom,
    NewBelow,
    NewAbove,
    NewAtEnd,
    Edit,
    ToggleDone,
    Delete,
    MoveDown,
    MoveUp,
    MoveToTop,
    MoveToBottom,
    Deeper,
    Shallower,
    Undo,
    Redo,
    Help,
    Attention,
    Redraw,
    Suspend,
    Quit,
    Back,
    Save,
    Leave,
    Discard,
    CaretLeft,
    CaretRight,
    CaretWordLeft,
    CaretWordRight,
    CaretHome,
    CaretEnd,
    EraseLeft,
    EraseRight,
    EraseWordLeft,
    EraseToStart,
    EraseToEnd,
    PutBackErased,
    TakeUpAgain,
    Export,
    Drop,
    PickMerge,
    PickKeep,
    PickExport,
    PickLists,
    PickLetGo,
    Confirm,
    /// The switcher.
    Lists,
    /// Opens the list of this number among those of this machine, from 1.
    OpenNumber(u8),
    NextList,
    PreviousList,
    MoveToList,
    EditTitle,
    DeleteList,
}

/// Where help lists an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Group {
    /// Going from row to row.
    Go,
    /// Making and changing items.
    Write,
    /// Putting items elsewhere.
    Arrange,
    /// The program itself.
    Program,
    /// From list to list.
    Lists,
    /// In the line editor.
    Editor,
    /// In the drawer of refused edits.
    Drawer,
    /// Told by the place where it works.
    Unlisted,
}

impl Action {
    /// What help says.
    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::Down => "down",
            Self::Up => "up",
            Self::HalfPageDown => "half a page down",
            Self::HalfPageUp => "half a page up",
            Self::PageDown => "a page down",
            Self::PageUp => "a page up",
            Self::Top => "first row",
            Self::Bottom => "last row; 12G: row 12",
            Self::NewBelow => "new item below",
            Self::NewAbove => "new item above",
            Self::NewAtEnd => "new item at the end",
            Self::Edit => "edit the text",
            Self::ToggleDone => "done, or not done",
            Self::Delete => "delete",
            Self::MoveDown => "move down",
            Self::MoveUp => "move up",
            Self::MoveToTop => "move to the top",
            Self::MoveToBottom => "move to the bottom",
            Self::Deeper => "one level deeper",
            Self::Shallower => "one level up",
            Self::Undo => "undo what I did",
            Self::Redo => "redo",
            Self::Help => "all keys",
            Self::Attention => "show refused edits",
            Self::Redraw => "redraw the screen",
            Self::Suspend => "suspend; fg comes back",
            Self::Quit => "quit",
            Self::Back => "close, cancel",
            Self::Save => "save; then the next new item",
            Self::Leave => "save and stop writing",
            Self::Discard => "throw away what I wrote",
            Self::CaretLeft => "left",
            Self::CaretRight => "right",
            Self::CaretWordLeft => "a word left",
            Self::CaretWordRight => "a word right",
            Self::CaretHome => "to the start",
            Self::CaretEnd => "to the end",
            Self::EraseLeft => "erase to the left",
            Self::EraseRight => "erase to the right",
            Self::EraseWordLeft => "erase a word",
            Self::EraseToStart => "erase to the start",
            Self::EraseToEnd => "erase to the end",
            Self::PutBackErased => "put back the erased",
            Self::TakeUpAgain => "take up again",
            Self::Export => "write to a file",
            Self::Drop => "throw away for good",
            Self::PickMerge => "merge",
            Self::PickKeep => "another name",
            Self::PickExport => "export",
            Self::PickLists => "another list",
            Self::PickLetGo => "let go",
            Self::Confirm => "do it",
            Self::Lists => "all lists; open or make one",
            Self::OpenNumber(_) => "first list; g9: the ninth",
            Self::NextList => "next list",
            Self::PreviousList => "previous list",
            Self::MoveToList => "move to another list",
            Self::EditTitle => "write the list's title",
            Self::DeleteList => "delete the list for all",
        }
    }

    /// What a hint says: a word or two.
    pub(crate) const fn hint(self) -> &'static str {
        match self {
            Self::NewBelow => "new",
            Self::Edit => "edit",
            Self::ToggleDone => "done",
            Self::Save => "save",
            Self::Leave => "save, close",
            Self::Discard => "discard",
            Self::Deeper => "deeper",
            Self::Shallower => "shallower",
            Self::Undo => "undo",
            Self::MoveUp => "move",
            Self::MoveToTop => "to top",
            Self::MoveToBottom => "to bottom",
            Self::Lists => "lists",
            Self::OpenNumber(_) => "list 1",
            Self::EditTitle => "title",
            Self::DeleteList => "delete",
            Self::Back => "close",
            Self::Top => "first row",
            Self::Bottom => "last row",
            Self::Attention => "show refused",
            _ => self.words(),
        }
    }

    /// Whether it changes the list that is open.
    pub(crate) const fn is_edit(self) -> bool {
        matches!(self.group(), Group::Write | Group::Arrange)
    }

    /// Where help lists it.
    pub(crate) const fn group(self) -> Group {
        match self {
            Self::Down
            | Self::Up
            | Self::HalfPageDown
            | Self::HalfPageUp
            | Self::PageDown
            | Self::PageUp
            | Self::Top
            | Self::Bottom => Group::Go,
            Self::NewBelow
            | Self::NewAbove
            | Self::NewAtEnd
            | Self::Edit
            | Self::ToggleDone
            | Self::Delete
            | Self::Undo
            | Self::Redo => Group::Write,
            Self::MoveDown
            | Self::MoveUp
            | Self::MoveToTop
            | Self::MoveToBottom
            | Self::Deeper
            | Self::Shallower
            | Self::MoveToList => Group::Arrange,
            // Nine rows of help that say the same would hide the rest.
            Self::Lists
            | Self::OpenNumber(1)
            | Self::NextList
            | Self::PreviousList
            | Self::EditTitle
            | Self::DeleteList => Group::Lists,
            Self::Help | Self::Attention | Self::Redraw | Self::Suspend | Self::Quit => Group::Program,
            Self::Save
            | Self::Leave
            | Self::Discard
            | Self::CaretWordLeft
            | Self::CaretWordRight
            | Self::CaretHome
            | Self::CaretEnd
            | Self::EraseWordLeft
            | Self::EraseToStart
            | Self::EraseToEnd
            | Self::PutBackErased => Group::Editor,
            Self::TakeUpAgain | Self::Export | Self::Drop => Group::Drawer,
            Self::Back
            | Self::CaretLeft
            | Self::CaretRight
            | Self::EraseLeft
            | Self::EraseRight
            | Self::PickMerge
            | Self::PickKeep
            | Self::PickExport
            | Self::PickLists
            | Self::PickLetGo
            | Self::OpenNumber(_)
            | Self::Confirm => Group::Unlisted,
        }
    }
}

//! What the screen knows, beside the list.

use std::collections::BTreeSet;

use betwixt_core::edit::{Edit, Spot};
use betwixt_core::hlc::Millis;
use betwixt_core::id::ItemId;
use betwixt_core::list::List;
use betwixt_core::name::ListName;
use crossterm::event::KeyEvent;
use ratatui::layout::Rect;

use crate::directory::Directory;
use crate::editor::{Editor, Target};
use crate::keymap::{Action, Chord, Context, Keymap, Preset};
use crate::layout::Regions;
use crate::msg::{Effect, Link, Refusal, Status};
use crate::overlay::{Dialog, Overlay, Trouble};
use crate::people::People;
use crate::switcher::{Mode, Switcher};
use crate::theme::Theme;
use crate::toast::Toast;

/// Rows that stay in sight above and below the selected one, where there is room.
const MARGIN: usize = 2;

/// What the screen is started with.
#[derive(Debug, Clone)]
pub struct Setup {
    /// What the list is called on the relay.
    pub list: ListName,
    /// What the person is called.
    pub person: String,
    /// How this program was really started, to start it again.
    pub command: String,
    /// The socket of the local relay.
    pub socket: String,
    /// The folder where everything is kept.
    pub data: String,
    /// The relay that was named at the start, if it was.
    pub relay: Option<String>,
    /// The colours.
    pub theme: Theme,
    /// The keys.
    pub preset: Preset,
}

/// What the screen knows, beside the list.
///
/// The selection, the editor and the scroll position are held by item: the screen is scrolled so that the focused row
/// stands on `line`, wherever others push it.
#[derive(Debug)]
pub struct Model {
    pub(crate) setup: Setup,
    pub(crate) keymap: Keymap,
    pub(crate) area: Rect,
    /// The selected item; live, if any item is.
    pub(crate) selected: Option<ItemId>,
    /// Its row when it was last seen.
    last_row: usize,
    /// Which line of the rows region the focused row stands on.
    pub(crate) line: usize,
    /// Whether a key was ever pressed. Until then nothing is under a hand, and the first row stays in sight.
    pub(crate) is_touched: bool,
    pub(crate) editor: Option<Editor>,
    /// What lies over the rows.
    pub(crate) overlay: Option<Overlay>,
    pub(crate) chord: Chord,
    /// The edit whose outcome is awaited.
    pub(crate) sent: Option<Sent>,
    pub(crate) toast: Option<Toast>,
    /// An editor that was closed with its text thrown away; undo opens it again while its toast is shown.
    pub(crate) thrown_away: Option<Editor>,
    pub(crate) people: People,
    pub(crate) status: Status,
    pub(crate) refusals: Vec<Refusal>,
    /// What the person was asked about since the link said so.
    pub(crate) was_asked: Option<Trouble>,
    pub(crate) directory: Directory,
    /// The list that is being deleted as this screen asked.
    pub(crate) deleting: Option<ListName>,
    /// Whether it was this screen that deleted the open list.
    pub(crate) is_deleted_by_me: bool,
    /// What was being written when the list was deleted.
    pub(crate) unwritten: Vec<String>,
    /// Items under way to another list.
    pub(crate) moving: BTreeSet<ItemId>,
    /// The time of the message that is being taken in.
    now: Millis,
    /// What was last told to the others.
    here: Option<(Option<ItemId>, bool)>,
    /// What was last asked of the shell's timer.
    wake: Option<Millis>,
}

/// An edit that is on its way through the client.
#[derive(Debug)]
pub(crate) struct Sent {
    pub what: Sending,
    /// The first row on the screen before it.
    pub top: usize,
    /// A key that waits for its outcome.
    pub then: Option<KeyEvent>,
}

/// What an edit was meant to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Sending {
    /// The new item of the editor; whether the next one opens.
    New {
        opens_next: bool,
    },
    /// Pasted items.
    Pasted {
        opens_next: bool,
    },
    /// The text of the editor's item, over a text of theirs.
    Rewrite {
        over: Option<String>,
    },
    /// The editor's item, which somebody had deleted.
    Restore,
    Move,
    Delete,
    Write,
    /// The list's title.
    Title,
    Undo,
    Redo,
}

impl Model {
    /// A screen that knows nothing yet, of 80 columns and 24 rows until it is told otherwise.
    ///
    /// # Panics
    ///
    /// If a keymap that comes with the program has a fault; a test reads them all.
    #[must_use]
    pub fn new(setup: Setup) -> Self {
        let keymap = Keymap::of(setup.preset).expect("the presets have no fault");
        Self {
            setup,
            keymap,
            area: Rect { x: 0, y: 0, width: 80, height: 24 },
            selected: None,
            last_row: 0,
            line: 0,
            is_touched: false,
            editor: None,
            overlay: None,
            chord: Chord::default(),
            sent: None,
            toast: None,
            thrown_away: None,
            people: People::default(),
            status: Status::default(),
            refusals: Vec::new(),
            was_asked: None,
            directory: Directory::default(),
            deleting: None,
            is_deleted_by_me: false,
            unwritten: Vec::new(),
            moving: BTreeSet::new(),
            now: Millis(0),
            here: None,
            wake: None,
        }
    }

    /// A screen of another list, for [`Effect::Open`]: the theme, the keys, the size and the message that is being shown
    /// stay. What was told of lists stays too; of the link, the people and the edits nothing does. Undo brings back what
    /// was being written when the list was deleted.
    ///
    /// `command` starts the program with that list.
    #[must_use]
    pub fn switched(self, list: ListName, command: String) -> Self {
        let Self { setup, keymap, area, toast, directory, unwritten, now, .. } = self;
        let setup = Setup { list, command, ..setup };
        let mut model = Self { keymap, area, toast, directory, now, ..Self::new(setup) };
        if let Some(text) = unwritten.last() {
            let key = model.keymap.key_of(Context::List, Action::Undo).unwrap_or_default();
            model.say(Toast::calm(&format!("{key} brings back what you were writing"), now));
            model.thrown_away = Some(Editor::of_text(text));
        }
        model
    }

    /// The selected item; `None` if the list has no live item. Brought up to date by each `update`.
    #[must_use]
    pub fn selected(&self) -> Option<ItemId> {
        self.selected
    }

    /// Whether text is being written: a shell may then hold back what would disturb.
    #[must_use]
    pub fn is_writing(&self) -> bool {
        self.context().is_typing()
    }

    /// What keys are about now.
    pub(crate) fn context(&self) -> Context {
        match (&self.overlay, &self.editor) {
            (Some(Overlay::Help { .. }), _) => Context::Help,
            (Some(Overlay::Drawer { .. }), _) => Context::Drawer,
            (Some(Overlay::Dialog(Dialog { name: Some(_), .. }) | Overlay::Title(_)), _) => Context::Line,
            (Some(Overlay::Dialog(_)), _) => Context::Dialog,
            (Some(Overlay::Gone { .. }), _) => Context::Gone,
            (Some(Overlay::Switcher(switcher)), _) => match **switcher {
                Switcher { mode: Mode::Choosing, .. } => Context::Switcher,
                Switcher { .. } => Context::Line,
            },
            (None, Some(_)) => Context::Editor,
            (None, None) => Context::List,
        }
    }

    /// Rows that the screen shows at once; at least one.
    pub(crate) fn height(&self) -> usize {
        Regions::of(self.area).map_or(1, |regions| usize::from(regions.rows.height))
    }

    /// Where an editor stands that has no live row of its own: how many live rows are before it.
    pub(crate) fn inserted_at(&self, list: &List) -> Option<usize> {
        let rank = |id| list.item(id).map(|item| (list.order().rank(&item.position.key, id).live, !item.deleted()));
        let spot = match self.editor.as_ref()?.target {
            Target::New { spot, .. } => spot,
            Target::Item(id) if list.row(id).is_some() => return None,
            Target::Item(id) => Spot::Before(id),
        };
        Some(match spot {
            Spot::Top => 0,
            Spot::Bottom => list.order().live_len(),
            Spot::Before(id) => rank(id).map_or(self.last_row, |(row, _)| row),
            Spot::After(id) => rank(id).map_or(self.last_row, |(row, is_live)| row + usize::from(is_live)),
        })
    }

    /// Which line of the whole page, the editor's own line counted, has the focus.
    pub(crate) fn focus(&self, list: &List) -> usize {
        self.inserted_at(list).or_else(|| self.edited_row(list)).unwrap_or_else(|| self.selected_row(list))
    }

    fn edited_row(&self, list: &List) -> Option<usize> {
        match self.editor.as_ref()?.target {
            Target::Item(id) => list.row(id),
            Target::New { .. } => None,
        }
    }

    /// The row of the selected item.
    pub(crate) fn selected_row(&self, list: &List) -> usize {
        self.selected.and_then(|id| list.row(id)).unwrap_or(self.last_row)
    }

    /// Lines of the whole page: live rows, and the editor's own line.
    pub(crate) fn page_lines(&self, list: &List) -> usize {
        list.order().live_len() + usize::from(self.inserted_at(list).is_some())
    }

    /// Which line of the whole page is the first on the screen.
    pub(crate) fn top(&self, list: &List) -> usize {
        self.top_within(list, self.height())
    }

    /// The same, for a screen with this many lines for rows.
    pub(crate) fn top_within(&self, list: &List, height: usize) -> usize {
        let top = self.focus(list).saturating_sub(self.line.min(height.saturating_sub(1)));
        // No row is out of sight above while there is room below.
        top.min(self.page_lines(list).saturating_sub(height))
    }

    /// Scrolls as little as brings the focus into sight, where `top` was the first line on the screen.
    pub(crate) fn reveal(&mut self, list: &List, top: usize) {
        self.reveal_within(list, top, MARGIN);
    }

    fn reveal_within(&mut self, list: &List, top: usize, margin: usize) {
        let (focus, height) = (self.focus(list), self.height());
        let margin = margin.min((height - 1) / 2);
        let lowest = focus.saturating_sub(margin);
        let highest = (focus + margin + 1).saturating_sub(height);
        let is_far = focus + height < top || focus >= top + 2 * height;
        let top = match top {
            // Nothing of what was in sight would be: then with as much around it as can be.
            _ if is_far => focus.saturating_sub(height / 2),
            top if top > lowest => lowest,
            top => top.max(highest),
        };
        let top = top.min(self.page_lines(list).saturating_sub(height));
        self.line = focus.saturating_sub(top).min(height - 1);
    }

    /// Selects an item and scrolls as little as brings it into sight.
    pub(crate) fn select(&mut self, list: &List, id: ItemId, top: usize) {
        self.select_within(list, id, top, MARGIN);
    }

    /// As [`Model::select`], with so many rows in sight on either side of it.
    pub(crate) fn select_within(&mut self, list: &List, id: ItemId, top: usize, margin: usize) {
        self.selected = Some(id);
        self.last_row = self.selected_row(list);
        self.reveal_within(list, top, margin);
    }

    /// Fits what is held to the list as it is now: whatever others did, the selection is a live item.
    pub(crate) fn settle(&mut self, list: &List) {
        if !self.is_touched {
            self.selected = list.at_row(0);
            self.line = 0;
        } else if self.selected.is_none_or(|id| list.row(id).is_none()) {
            let near = self.selected.and_then(|id| list.live_after(id).or_else(|| list.live_before(id)));
            let lowest = list.order().live_len().saturating_sub(1);
            self.selected = near.or_else(|| list.at_row(self.last_row.min(lowest)));
        }
        self.last_row = self.selected_row(list);
        self.line = self.focus(list).saturating_sub(self.top(list)).min(self.height() - 1);
        self.settle_overlay(list);
    }

    /// Shows a line for a while. What another line offered goes with it.
    pub(crate) fn say(&mut self, toast: Toast) {
        self.toast = Some(toast);
        self.thrown_away = None;
    }

    /// Forgets what was shown for a while and whose time is over.
    pub(crate) fn expire(&mut self, now: Millis) {
        self.now = now;
        if self.toast.as_ref().is_some_and(|toast| toast.until <= now) {
            self.toast = None;
            self.thrown_away = None;
        }
        if self.chord.until().is_some_and(|until| until <= now) {
            self.chord.clear();
        }
        if self.wake.is_some_and(|wake| wake <= now) {
            self.wake = None;
        }
    }

    /// Sends an edit and awaits its outcome; says so if the list was deleted and takes none.
    pub(crate) fn send(&mut self, list: &List, edit: Edit, what: Sending) -> Vec<Effect> {
        if self.refuses_edits() {
            return vec![];
        }
        self.sent = Some(Sent { what, top: self.top(list), then: None });
        vec![Effect::Edit(edit)]
    }

    /// Whether the list was deleted, so that nothing can be written in it.
    pub(crate) fn is_gone(&self) -> bool {
        self.is_deleted_by_me || self.status.link == Link::Gone
    }

    /// Whether the list takes no edits; says so if it does not.
    pub(crate) fn refuses_edits(&mut self) -> bool {
        if self.is_gone() {
            let key = self.keymap.key_of(Context::List, Action::Attention).unwrap_or_default();
            let text = format!("this list was deleted: {key} to export it or open another");
            self.say(Toast::warning(&text, self.now));
        }
        self.is_gone()
    }

    /// Adds what follows from any message: where the person is, and when to wake.
    pub(crate) fn follow_up(&mut self, effects: &mut Vec<Effect>) {
        let editing = matches!(self.editor, Some(Editor { target: Target::Item(_), .. }));
        let here = (self.selected, editing);
        if self.here != Some(here) && (self.is_touched || self.selected.is_some()) {
            self.here = Some(here);
            effects.push(Effect::Here { at: here.0, editing });
        }
        let wake = [self.chord.until(), self.toast.as_ref().map(|toast| toast.until)].into_iter().flatten().min();
        if let Some(time) = wake
            && self.wake != wake
        {
            effects.push(Effect::WakeAt(time));
            self.wake = wake;
        }
    }
}

//! A screen with a list behind it, and a stand-in for the client: edits become ops at once.

use std::collections::BTreeSet;

use betwixt_core::edit::{Did, Edit, Outcome, Spot};
use betwixt_core::hlc::{Hlc, Millis, Tick};
use betwixt_core::id::{ItemId, ListUid, OpId, SiteId};
use betwixt_core::key::{Gap, Hint, Key, SiteNumber, between};
use betwixt_core::list::List;
use betwixt_core::name::ListName;
use betwixt_core::op::{Add, Body, ListPut, Op, Put};
use betwixt_core::register::{Field, Register};
use betwixt_core::wire::{Listed, Listing};
use betwixt_tui::{Effect, Link, Model, Msg, Preset, Setup, Status, Theme, update, view};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::layout::Position;

/// Whoever sits at this screen.
pub(crate) const ME: SiteId = SiteId::from_bytes([1; 16]);
/// Somebody else.
pub(crate) const ANA: SiteId = SiteId::from_bytes([2; 16]);

/// A screen with a list behind it.
pub(crate) struct Desk {
    pub(crate) model: Model,
    pub(crate) list: List,
    pub(crate) now: Millis,
    /// What the shell was told, but for edits.
    pub(crate) effects: Vec<Effect>,
    /// If set, the next edit fails with this.
    pub(crate) fails: Option<&'static str>,
    /// How many edits were sent.
    pub(crate) edits: usize,
    minted: u64,
    undo: Vec<(List, Outcome)>,
    redo: Vec<(List, Outcome)>,
    size: (u16, u16),
}

impl Desk {
    pub(crate) fn new(setup: Setup, cols: u16, rows: u16) -> Self {
        let mut desk = Self {
            model: Model::new(setup),
            list: List::new(ListUid::from_bytes([7; 16])),
            now: Millis(1_000_000),
            effects: vec![],
            fails: None,
            edits: 0,
            minted: 0,
            undo: vec![],
            redo: vec![],
            size: (0, 0),
        };
        desk.resize(cols, rows);
        desk
    }

    /// A list of these rows, spelled as the screen shows them; the marked one is selected.
    pub(crate) fn of(rows: &[&str]) -> Self {
        let mut desk = Self::new(setup(), 40, 16);
        desk.fill(rows);
        desk
    }

    pub(crate) fn fill(&mut self, rows: &[&str]) {
        let mut selected = 0;
        for (at, row) in rows.iter().enumerate() {
            let bare = row.strip_prefix('▌').inspect(|_| selected = at).unwrap_or(row);
            let depth = bare.chars().take_while(|c| *c == ' ').count().saturating_sub(1) / 2;
            let bare = bare.trim_start();
            let mut item = vec![Register::Depth(u8::try_from(depth).expect("a small depth"))];
            item.push(Register::Done(bare.starts_with("[x]")));
            item.push(Register::Text(bare.strip_prefix("[ ] ").or(bare.strip_prefix("[x] ")).unwrap_or(bare).into()));
            self.theirs(ANA, Edit::Add { spot: Spot::Bottom, items: vec![item] });
        }
        if !rows.is_empty() {
            self.keys(&format!("{}G", selected + 1));
        }
        self.effects.clear();
    }

    /// Somebody else's edit arrives.
    pub(crate) fn theirs(&mut self, site: SiteId, edit: Edit) -> Outcome {
        let outcome = apply(&mut self.list, site, &mut self.minted, edit).expect("an edit that can be made");
        self.send(Msg::Changed);
        outcome
    }

    pub(crate) fn resize(&mut self, cols: u16, rows: u16) {
        self.size = (cols, rows);
        self.send(Msg::Resize { cols, rows });
    }

    /// Sends a message and does what a shell does with what comes back.
    pub(crate) fn send(&mut self, msg: Msg) {
        self.now = self.now.plus(Millis(1));
        let mut waiting = update(&mut self.model, &self.list, msg, self.now);
        while !waiting.is_empty() {
            match waiting.remove(0) {
                Effect::Edit(edit) => {
                    let answer = self.make(edit);
                    waiting.extend(update(&mut self.model, &self.list, answer, self.now));
                }
                effect => self.effects.push(effect),
            }
        }
    }

    fn make(&mut self, edit: Edit) -> Msg {
        self.edits += 1;
        if let Some(why) = self.fails.take() {
            return Msg::EditFailed(why.to_owned());
        }
        let (from, to, why) = match edit {
            Edit::Undo => (&mut self.undo, &mut self.redo, "nothing to undo"),
            Edit::Redo => (&mut self.redo, &mut self.undo, "nothing to redo"),
            edit => {
                let before = self.list.clone();
                return match apply(&mut self.list, ME, &mut self.minted, edit) {
                    Ok(outcome) => {
                        self.undo.push((before, outcome.clone()));
                        Msg::Edited(outcome)
                    }
                    Err(why) => Msg::EditFailed(why),
                };
            }
        };
        let Some((list, outcome)) = from.pop() else { return Msg::EditFailed(why.to_owned()) };
        to.push((std::mem::replace(&mut self.list, list), outcome.clone()));
        Msg::Edited(outcome)
    }

    /// What the shell was told, but for what follows from any key: where the person is, and when to wake.
    pub(crate) fn told(&self) -> Vec<Effect> {
        let is_own = |effect: &&Effect| !matches!(effect, Effect::Here { .. } | Effect::WakeAt(_));
        self.effects.iter().filter(is_own).cloned().collect()
    }

    /// The relay answers the oldest question about lists that has no answer yet.
    #[track_caller]
    pub(crate) fn answer(&mut self, lists: &[(&str, &str)], more: bool) -> Listing {
        let is_question = |effect: &Effect| matches!(effect, Effect::AskLists(_));
        let at = self.effects.iter().position(is_question).expect("a question about lists");
        let Effect::AskLists(asked) = self.effects.remove(at) else { unreachable!("it is a question") };
        self.send(Msg::Lists { asked: asked.clone(), lists: lists.iter().map(listed).collect(), more });
        asked
    }

    /// Presses keys: `o`, `<enter>`, `<c-r>`, `<a-down>`.
    pub(crate) fn keys(&mut self, keys: &str) {
        for key in parse(keys) {
            self.send(Msg::Key(key));
        }
    }

    pub(crate) fn id(&self, text: &str) -> ItemId {
        let found = self.list.items().find(|(_, item)| item.text() == text);
        found.unwrap_or_else(|| panic!("no item '{text}'")).0
    }

    pub(crate) fn draw(&self) -> (Vec<String>, Option<Position>) {
        let (cols, rows) = self.size;
        let mut terminal = Terminal::new(TestBackend::new(cols, rows)).expect("a screen");
        terminal.draw(|frame| view(&self.model, &self.list, frame)).expect("a frame");
        let buffer = terminal.backend().buffer();
        let lines = (0..rows)
            .map(|y| {
                let mut line = String::new();
                let mut x = 0;
                while x < cols {
                    let symbol = buffer[(x, y)].symbol();
                    line.push_str(symbol);
                    x += u16::try_from(ratatui::text::Span::raw(symbol).width().max(1)).expect("few cells");
                }
                line.trim_end().to_owned()
            })
            .collect();
        let cursor = terminal.backend().cursor_visible().then(|| terminal.backend().cursor_position());
        (lines, cursor)
    }

    pub(crate) fn screen(&self) -> String {
        self.draw().0.join("\n")
    }

    /// The rows as the screen shows them.
    pub(crate) fn rows(&self) -> Vec<String> {
        let (lines, _) = self.draw();
        let first = if lines[1].starts_with(" ─") { 2 } else { 1 };
        let rows = lines.iter().skip(first).take_while(|line| !line.starts_with(" ─"));
        let mut rows: Vec<String> = rows.cloned().collect();
        while rows.last().is_some_and(String::is_empty) {
            rows.pop();
        }
        rows
    }

    /// The last line.
    pub(crate) fn foot(&self) -> String {
        self.draw().0.last().map(|line| line.trim().to_owned()).unwrap_or_default()
    }

    /// The line of the screen that the text is on.
    #[track_caller]
    pub(crate) fn line_of(&self, text: &str) -> usize {
        let (lines, _) = self.draw();
        let found = lines.iter().position(|line| line.contains(text));
        found.unwrap_or_else(|| panic!("no '{text}' on\n{}", lines.join("\n")))
    }
}

pub(crate) fn setup() -> Setup {
    Setup {
        list: "inbox".parse().expect("a list name"),
        person: "bea".to_owned(),
        command: "betwixt --list inbox".to_owned(),
        socket: "/run/user/1000/betwixt/relay.sock".to_owned(),
        data: "/home/bea/.local/share/betwixt".to_owned(),
        relay: None,
        theme: Theme::mono(),
        preset: Preset::Vim,
    }
}

/// A list as a relay tells of it.
pub(crate) fn listed((name, title): &(&str, &str)) -> Listed {
    let uid = ListUid::from_bytes([u8::try_from(name.len()).expect("a short name"); 16]);
    Listed { name: list_name(name), uid, title: (*title).into() }
}

pub(crate) fn list_name(name: &str) -> ListName {
    name.parse().expect("a list name")
}

pub(crate) fn live(unsent: usize) -> Status {
    Status { link: Link::LocalRelay, unsent, ..Status::default() }
}

/// Rows before, keys, rows after.
#[track_caller]
pub(crate) fn check(before: &[&str], keys: &str, after: &[&str]) -> Desk {
    let mut desk = Desk::of(before);
    desk.keys(keys);
    assert_eq!(desk.rows(), after, "after '{keys}':\n{}", desk.screen());
    desk
}

/// Makes an edit as a client would, by ops.
pub(crate) fn apply(list: &mut List, site: SiteId, minted: &mut u64, edit: Edit) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    let mut say = |list: &mut List, body: Body| {
        *minted += 1;
        let tick = Tick::after(list.highest(), Millis(*minted));
        list.say(&Op::new(OpId { site, ctr: *minted }, 0, list.epoch().id, Hlc { tick, site }, body));
        *minted
    };
    match edit {
        Edit::Add { spot, items } => {
            let (mut low, high) = list.gap_at(spot, &BTreeSet::new()).ok_or("that item is not in the list")?;
            for registers in items {
                let key = inside(low.as_ref(), high.as_ref(), site)?;
                low = Some(key.clone());
                // Ids that do not ascend, as random ones do not.
                let id =
                    (list.items().len() as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ u64::from(site.as_bytes()[0]);
                let item = ItemId::from_bytes(id.to_be_bytes());
                say(list, Body::Add(Add { item, key, registers }));
                outcome.items.push(item);
            }
            outcome.did = Did::Added;
        }
        Edit::Move { items, spot } => {
            let moving: BTreeSet<ItemId> = items.iter().copied().collect();
            let (mut low, high) = list.gap_at(spot, &moving).ok_or("that item is not in the list")?;
            for item in items {
                let key = inside(low.as_ref(), high.as_ref(), site)?;
                low = Some(key.clone());
                say(list, Body::Put(Put { item, key: Some(key), registers: vec![] }));
                outcome.items.push(item);
            }
            outcome.did = Did::Moved;
        }
        Edit::Set { writes } => {
            for (item, registers) in writes {
                outcome.did = match registers.first() {
                    Some(Register::Deleted(true)) => Did::Deleted,
                    Some(Register::Deleted(false)) => Did::Restored,
                    Some(Register::Done(true)) => Did::Ticked,
                    Some(Register::Done(false)) => Did::Unticked,
                    Some(register) if register.field() == Field::Text => Did::Rewrote,
                    Some(register) if register.field() == Field::Depth => Did::Indented,
                    _ => Did::Wrote,
                };
                say(list, Body::Put(Put { item, key: None, registers }));
                outcome.items.push(item);
            }
        }
        Edit::Title(title) => {
            say(list, Body::List(ListPut { title }));
            outcome.did = Did::Titled;
        }
        Edit::TakeIn { .. } | Edit::GiveAway { .. } | Edit::Undo | Edit::Redo => {
            return Err("nothing to undo".to_owned());
        }
    }
    Ok(outcome)
}

fn inside(low: Option<&Key>, high: Option<&Key>, site: SiteId) -> Result<Key, String> {
    let gap = Gap::new(low, high).map_err(|why| why.to_string())?;
    between(gap, SiteNumber(u32::from(site.as_bytes()[0])), Hint::None, &mut |_| false).map_err(|why| why.to_string())
}

fn parse(keys: &str) -> Vec<KeyEvent> {
    let mut events = vec![];
    let mut rest = keys;
    while let Some(c) = rest.chars().next() {
        let named = rest.strip_prefix('<').and_then(|named| named.split_once('>')).filter(|(name, _)| name.len() > 1);
        let (name, behind) = named.unwrap_or_else(|| rest.split_at(c.len_utf8()));
        rest = behind;
        let (modifiers, name) = match name.split_once('-') {
            Some(("c", name)) => (KeyModifiers::CONTROL, name),
            Some(("a", name)) => (KeyModifiers::ALT, name),
            Some(("s", name)) => (KeyModifiers::SHIFT, name),
            _ => (KeyModifiers::NONE, name),
        };
        let code = match name {
            "enter" => KeyCode::Enter,
            "esc" => KeyCode::Esc,
            "tab" => KeyCode::Tab,
            "del" => KeyCode::Delete,
            "bs" => KeyCode::Backspace,
            "up" => KeyCode::Up,
            "down" => KeyCode::Down,
            "left" => KeyCode::Left,
            "home" => KeyCode::Home,
            "end" => KeyCode::End,
            "pgup" => KeyCode::PageUp,
            "pgdn" => KeyCode::PageDown,
            "space" => KeyCode::Char(' '),
            "f1" => KeyCode::F(1),
            "f2" => KeyCode::F(2),
            "f6" => KeyCode::F(6),
            _ => KeyCode::Char(name.chars().next().expect("a key's name")),
        };
        events.push(KeyEvent::new(code, modifiers));
    }
    events
}

//! Which key does what, as data: help, hints and the screen's own words are made from it.

mod action;
mod chord;
mod preset;

use std::fmt;

use crokey::{KeyCombination, KeyCombinationFormat, OneToThree};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

pub(crate) use self::action::{Action, Group};
pub(crate) use self::chord::{Chord, Fed};
pub use self::preset::Preset;

/// What keys are about, at a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Context {
    /// The rows.
    List,
    /// The line editor of an item.
    Editor,
    /// The page of all keys.
    Help,
    /// The refused edits.
    Drawer,
    /// The choices about another list of that name.
    Dialog,
    /// What becomes of a list that was deleted.
    Gone,
    /// The lists that there are.
    Switcher,
    /// A line of text over the rows: a list's name, its title.
    Line,
}

impl Context {
    /// All of them.
    #[cfg(test)]
    pub(crate) const ALL: [Self; 8] =
        [Self::List, Self::Editor, Self::Help, Self::Drawer, Self::Dialog, Self::Gone, Self::Switcher, Self::Line];

    /// Whether plain characters are typed here.
    pub(crate) const fn is_typing(self) -> bool {
        matches!(self, Self::Editor | Self::Switcher | Self::Line)
    }
}

/// Keys that do something, in the order of the table.
#[derive(Debug)]
pub struct Keymap {
    bindings: Vec<Binding>,
    preset: Preset,
}

#[derive(Debug)]
struct Binding {
    context: Context,
    keys: Vec<KeyCombination>,
    action: Action,
}

/// What is wrong with a keymap.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeymapFault {
    /// No key has this name.
    Name(String),
    /// Two actions want these keys.
    Twice(String),
    /// These keys are the beginning of others, so that pressing them could mean either.
    Prefix(String),
    /// A terminal never sends this key, or a count or the text takes it first.
    Unreachable(String),
}

impl fmt::Display for KeymapFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(keys) => write!(f, "no key is called '{keys}'"),
            Self::Twice(keys) => write!(f, "'{keys}' is bound twice"),
            Self::Prefix(keys) => write!(f, "'{keys}' is the beginning of other keys"),
            Self::Unreachable(keys) => write!(f, "'{keys}' can never be pressed here"),
        }
    }
}

impl std::error::Error for KeymapFault {}

impl Keymap {
    /// Reads a preset's table.
    ///
    /// # Errors
    ///
    /// The first [`KeymapFault`] in the order of the table.
    pub fn of(preset: Preset) -> Result<Self, KeymapFault> {
        Self::read(preset, preset.rows())
    }

    fn read<'a>(preset: Preset, rows: impl Iterator<Item = &'a preset::Row>) -> Result<Self, KeymapFault> {
        let mut keymap = Self { bindings: Vec::new(), preset };
        for (context, action, sequences) in rows {
            for sequence in *sequences {
                let keys: Option<Vec<_>> = sequence.split(' ').map(parse).collect();
                let keys = keys.ok_or_else(|| KeymapFault::Name((*sequence).to_owned()))?;
                let binding = Binding { context: *context, keys, action: *action };
                keymap.check(&binding)?;
                keymap.bindings.push(binding);
            }
        }
        Ok(keymap)
    }

    fn check(&self, new: &Binding) -> Result<(), KeymapFault> {
        let printed = || spell(&new.keys);
        let counts = new.context == Context::List && self.preset.has_counts();
        let first_is_count = counts && new.keys.first().copied().and_then(digit).is_some_and(|digit| digit > 0);
        let is_typed = new.context.is_typing() && (new.keys.len() > 1 || new.keys.iter().any(|key| is_text(*key)));
        if first_is_count || is_typed || new.keys.iter().any(|key| is_same_byte_as_another(*key)) {
            return Err(KeymapFault::Unreachable(printed()));
        }
        for old in self.bindings.iter().filter(|old| old.context == new.context) {
            if old.keys == new.keys {
                return Err(KeymapFault::Twice(printed()));
            }
            if old.keys.starts_with(&new.keys) || new.keys.starts_with(&old.keys) {
                return Err(KeymapFault::Prefix(printed()));
            }
        }
        Ok(())
    }

    /// Whether digits are counts in the list.
    pub(crate) const fn has_counts(&self) -> bool {
        self.preset.has_counts()
    }

    /// The action of exactly these keys.
    pub(crate) fn action(&self, context: Context, keys: &[KeyCombination]) -> Option<Action> {
        self.bindings.iter().find(|one| one.context == context && one.keys == keys).map(|one| one.action)
    }

    /// What may follow these keys: each next key, spelled, with what it does.
    pub(crate) fn continuations(
        &self,
        context: Context,
        keys: &[KeyCombination],
    ) -> impl Iterator<Item = (String, Action)> {
        self.bindings
            .iter()
            .filter(move |one| one.context == context && one.keys.len() > keys.len() && one.keys.starts_with(keys))
            .map(move |one| (spell(one.keys.get(keys.len()..).unwrap_or_default()), one.action))
    }

    /// All keys of an action, spelled, the most usual first.
    pub(crate) fn keys_of(&self, context: Context, action: Action) -> impl Iterator<Item = String> {
        let has_action = move |one: &&Binding| one.context == context && one.action == action;
        self.bindings.iter().filter(has_action).map(|one| spell(&one.keys))
    }

    /// The most usual key of an action, spelled; `None` if it has none in this preset.
    pub(crate) fn key_of(&self, context: Context, action: Action) -> Option<String> {
        self.keys_of(context, action).next()
    }

    /// The actions of a context that have keys, each once, in the order of the table.
    pub(crate) fn actions(&self, context: Context) -> Vec<Action> {
        let mut actions = Vec::new();
        for one in self.bindings.iter().filter(|one| one.context == context) {
            if !actions.contains(&one.action) {
                actions.push(one.action);
            }
        }
        actions
    }
}

/// The key that an event is, in its one form: terminals differ in where they report Shift.
pub(crate) fn combination(event: KeyEvent) -> KeyCombination {
    let known = KeyModifiers::CONTROL | KeyModifiers::ALT | KeyModifiers::SHIFT | KeyModifiers::SUPER;
    one_form(event.code, event.modifiers & known)
}

fn one_form(code: KeyCode, mut modifiers: KeyModifiers) -> KeyCombination {
    let shift = modifiers.contains(KeyModifiers::SHIFT);
    let code = match code {
        KeyCode::Char('\r' | '\n') => KeyCode::Enter,
        KeyCode::Char('\t') | KeyCode::Tab if shift => KeyCode::BackTab,
        KeyCode::Char('\t') => KeyCode::Tab,
        KeyCode::BackTab => {
            modifiers.insert(KeyModifiers::SHIFT);
            KeyCode::BackTab
        }
        KeyCode::Char(c) if c.is_ascii_alphabetic() => {
            let upper = shift || c.is_ascii_uppercase();
            modifiers.set(KeyModifiers::SHIFT, upper);
            KeyCode::Char(if upper { c.to_ascii_uppercase() } else { c })
        }
        KeyCode::Char(c) => {
            modifiers.remove(KeyModifiers::SHIFT);
            KeyCode::Char(c)
        }
        code => code,
    };
    KeyCombination::one_key(code, modifiers)
}

/// Reads `j`, `G`, `ctrl-d`, `alt-down`, `space`.
fn parse(name: &str) -> Option<KeyCombination> {
    let mut chars = name.chars();
    if let (Some(c), None) = (chars.next(), chars.next()) {
        return Some(one_form(KeyCode::Char(c), KeyModifiers::NONE));
    }
    let parsed = crokey::parse(name).ok()?;
    code(parsed).map(|code| one_form(code, parsed.modifiers))
}

/// The one key of a combination: terminals cannot report more at a time.
fn code(key: KeyCombination) -> Option<KeyCode> {
    match key.codes {
        OneToThree::One(code) => Some(code),
        _ => None,
    }
}

/// Spells keys as people read them: `gg`, `Ctrl-d`, `PgDn`.
pub(crate) fn spell(keys: &[KeyCombination]) -> String {
    let format = KeyCombinationFormat::default().with_implicit_shift();
    let names: Vec<String> = keys
        .iter()
        .map(|key| match code(*key) {
            Some(KeyCode::PageDown) => "PgDn".to_owned(),
            Some(KeyCode::PageUp) => "PgUp".to_owned(),
            Some(KeyCode::BackTab) => "Shift-Tab".to_owned(),
            Some(KeyCode::Char('-')) if key.modifiers.is_empty() => "-".to_owned(),
            _ => format.to_string(*key),
        })
        .collect();
    let is_short = names.iter().all(|name| name.chars().count() == 1);
    names.join(if is_short { "" } else { " " })
}

/// The digit that a key is.
pub(crate) fn digit(key: KeyCombination) -> Option<usize> {
    match code(key) {
        Some(KeyCode::Char(c)) if key.modifiers.is_empty() => c.to_digit(10).and_then(|digit| digit.try_into().ok()),
        _ => None,
    }
}

/// Whether a key types a character.
fn is_text(key: KeyCombination) -> bool {
    let is_char = matches!(code(key), Some(KeyCode::Char(_)));
    is_char && (key.modifiers - KeyModifiers::SHIFT).is_empty()
}

/// Whether a plain terminal sends another key's byte for this one: Tab, Enter, Esc.
fn is_same_byte_as_another(key: KeyCombination) -> bool {
    key.modifiers == KeyModifiers::CONTROL && matches!(code(key), Some(KeyCode::Char('i' | 'm' | '[')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_can_be_read_and_has_the_keys_that_a_person_needs() {
        for preset in [Preset::Vim, Preset::Plain] {
            let keymap = Keymap::of(preset).expect("a preset without a fault");
            for action in [
                Action::NewBelow,
                Action::Edit,
                Action::ToggleDone,
                Action::Delete,
                Action::MoveDown,
                Action::MoveUp,
                Action::Undo,
                Action::Redo,
                Action::Help,
                Action::Attention,
                Action::Lists,
                Action::NextList,
                Action::MoveToList,
                Action::EditTitle,
                Action::Quit,
            ] {
                assert!(keymap.key_of(Context::List, action).is_some(), "{preset:?} has no key for {action:?}");
            }
            for context in Context::ALL {
                let closes = [Action::Back, Action::Leave, Action::Discard];
                let way_out = keymap.actions(context).iter().any(|action| closes.contains(action));
                assert!(way_out, "{preset:?}: no way out of {context:?}");
            }
        }
    }

    #[test]
    fn esc_never_quits() {
        let esc = parse("esc").expect("a key");
        for preset in [Preset::Vim, Preset::Plain] {
            let keymap = Keymap::of(preset).expect("a preset without a fault");
            for context in Context::ALL {
                assert_ne!(keymap.action(context, &[esc]), Some(Action::Quit));
            }
        }
    }

    #[track_caller]
    fn check(sequences: &'static [(Context, &'static str)], fault: Option<&KeymapFault>) {
        let rows: Vec<preset::Row> = sequences
            .iter()
            .map(|(context, keys)| (*context, Action::Down, Box::leak(Box::new([*keys])) as &'static [&'static str]))
            .collect();
        assert_eq!(Keymap::read(Preset::Vim, rows.iter()).err().as_ref(), fault);
    }

    #[test]
    fn a_key_that_could_mean_two_things_or_nothing_is_a_fault() {
        use Context::{Editor, List};
        check(&[(List, "g g"), (List, "g K"), (Editor, "ctrl-k")], None);
        check(&[(List, "d d"), (List, "d d")], Some(&KeymapFault::Twice("dd".into())));
        check(&[(List, "d d"), (List, "d")], Some(&KeymapFault::Prefix("d".into())));
        check(&[(List, "d"), (List, "d d")], Some(&KeymapFault::Prefix("dd".into())));
        check(&[(List, "5")], Some(&KeymapFault::Unreachable("5".into())));
        check(&[(List, "ctrl-i")], Some(&KeymapFault::Unreachable("Ctrl-i".into())));
        check(&[(Editor, "x")], Some(&KeymapFault::Unreachable("x".into())));
        check(&[(List, "hyper")], Some(&KeymapFault::Name("hyper".into())));
        check(&[(List, "G"), (List, "shift-g")], Some(&KeymapFault::Twice("G".into())));
    }

    #[test]
    fn shift_is_reported_in_many_ways_and_is_one_key() {
        let event = |code, modifiers| combination(KeyEvent::new(code, modifiers));
        let bound = parse("G").expect("a key");
        assert_eq!(event(KeyCode::Char('G'), KeyModifiers::NONE), bound);
        assert_eq!(event(KeyCode::Char('G'), KeyModifiers::SHIFT), bound);
        assert_eq!(event(KeyCode::Char('g'), KeyModifiers::SHIFT), bound);
        let bound = parse(">").expect("a key");
        assert_eq!(event(KeyCode::Char('>'), KeyModifiers::SHIFT), bound);
        let bound = parse("backtab").expect("a key");
        assert_eq!(event(KeyCode::Tab, KeyModifiers::SHIFT), bound);
    }
}

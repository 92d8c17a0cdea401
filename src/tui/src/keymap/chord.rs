//! Keys of several presses, and counts before them.
//!
//! ```text
//! nothing pressed --first key of a longer one--> waiting --last key--> action
//!        ^                                          |
//!        +------ a key that leads nowhere, or a second without any ----+
//! ```

use betwixt_core::hlc::Millis;
use crokey::KeyCombination;

use super::{Action, Context, Keymap, digit};

/// How long a begun key waits for the next press.
const WAITS: Millis = Millis(1_000);
/// The highest count; more items than that no list has.
const COUNT_MAX: usize = 999_999;

/// What was pressed of a key, and the count before it.
#[derive(Debug, Default)]
pub(crate) struct Chord {
    keys: Vec<KeyCombination>,
    count: Option<usize>,
    until: Option<Millis>,
}

/// What a press led to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fed {
    /// A key is whole; with the count before it.
    Action(Action, Option<usize>),
    /// More must come.
    Waiting,
    /// It leads nowhere, and takes back what was begun.
    Nowhere,
    /// It means nothing by itself.
    Unbound,
}

impl Chord {
    /// Takes a press in.
    pub(crate) fn feed(&mut self, keymap: &Keymap, context: Context, key: KeyCombination, now: Millis) -> Fed {
        if context == Context::List
            && keymap.has_counts()
            && self.keys.is_empty()
            && let Some(digit) = digit(key)
            && (digit > 0 || self.count.is_some())
        {
            self.count = Some((self.count.unwrap_or_default() * 10 + digit).min(COUNT_MAX));
            self.until = Some(now.plus(WAITS));
            return Fed::Waiting;
        }
        let was_begun = self.is_begun();
        self.keys.push(key);
        if let Some(action) = keymap.action(context, &self.keys) {
            let count = self.count;
            self.clear();
            return Fed::Action(action, count);
        }
        if keymap.continuations(context, &self.keys).next().is_some() {
            self.until = Some(now.plus(WAITS));
            return Fed::Waiting;
        }
        self.clear();
        if was_begun { Fed::Nowhere } else { Fed::Unbound }
    }

    /// Whether a key or a count was begun.
    pub(crate) fn is_begun(&self) -> bool {
        !self.keys.is_empty() || self.count.is_some()
    }

    /// What was pressed of a key.
    pub(crate) fn keys(&self) -> &[KeyCombination] {
        &self.keys
    }

    /// The count so far.
    pub(crate) fn count(&self) -> Option<usize> {
        self.count
    }

    /// When it is given up.
    pub(crate) fn until(&self) -> Option<Millis> {
        self.until
    }

    /// Gives it up.
    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }
}

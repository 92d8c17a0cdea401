//! What a site knows of its own last keys: whether the next one goes on with a run.

use super::{Gap, Key, Spelled};

/// What to expect of the keys to come. It only changes which key of a gap is made, never whether it is right.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Hint {
    /// Nothing.
    #[default]
    None,
    /// The gap's lower bound is this site's last key, and the next one will come behind the one made now.
    Up,
    /// The gap's upper bound is this site's last key, and the next one will come ahead of the one made now.
    Down,
    /// The next key will come between the lower bound and the one made now.
    ThenLower,
    /// The next key will come between the one made now and the upper bound.
    ThenHigher,
}

/// How a key stood to the one that the site had made before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Way {
    #[default]
    Elsewhere,
    Behind,
    Ahead,
}

/// How often a zigzag must turn before it is taken for one.
const TURNS_MIN: u32 = 12;
/// What a turn adds to the unrest, and what each step straight on takes away.
const TURN: u32 = 2;
/// From here on nothing is expected.
const UNREST_MIN: u32 = 12 * TURN;
const UNREST_MAX: u32 = 16 * TURN;

/// This site's last key on a list, and where its last few stood to each other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trail<K = Key> {
    last: Option<K>,
    way: Way,
    /// How many keys, one after the other, stood on the other side than the one before them.
    turns: u32,
    /// Grows with turns, and settles in runs: whoever turns at random makes no runs.
    unrest: u32,
}

impl<K> Default for Trail<K> {
    fn default() -> Self {
        Self { last: None, way: Way::Elsewhere, turns: 0, unrest: 0 }
    }
}

impl<K: Spelled> Trail<K> {
    /// Returns what to expect of a key in `gap` and those after it.
    #[must_use]
    pub fn hint(&self, gap: Gap<'_, K>) -> Hint {
        let (way, turns, unrest) = self.with(gap);
        match way {
            Way::Elsewhere => Hint::None,
            Way::Behind if turns >= TURNS_MIN => Hint::ThenLower,
            Way::Ahead if turns >= TURNS_MIN => Hint::ThenHigher,
            _ if unrest >= UNREST_MIN => Hint::None,
            Way::Behind => Hint::Up,
            Way::Ahead => Hint::Down,
        }
    }

    /// Returns the last key.
    #[must_use]
    pub fn last(&self) -> Option<&K> {
        self.last.as_ref()
    }

    /// Takes down the key that was made in `gap`.
    pub fn follow(&mut self, gap: Gap<'_, K>, made: &K) {
        let (way, turns, unrest) = self.with(gap);
        *self = Self { last: Some(made.clone()), way, turns, unrest };
    }

    /// Where a key in `gap` stands to the last, the turns, and the unrest with it.
    fn with(&self, gap: Gap<'_, K>) -> (Way, u32, u32) {
        let way = match &self.last {
            Some(last) if gap.low() == Some(last) => Way::Behind,
            Some(last) if gap.high() == Some(last) => Way::Ahead,
            _ => return (Way::Elsewhere, 0, 0),
        };
        if way == self.way || self.way == Way::Elsewhere {
            (way, 0, self.unrest.saturating_sub(1))
        } else {
            (way, self.turns + 1, (self.unrest + TURN).min(UNREST_MAX))
        }
    }
}

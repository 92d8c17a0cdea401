//! How long a list's live keys are: the figures of the key gauge.

use crate::key::Key;
use crate::order::Life;

/// How many live keys there are of each length.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Lengths {
    /// Keys of 0, 1, 2, .. bytes, up to the longest: equal keys have equal counts, whatever was here before.
    counts: Vec<usize>,
}

impl Lengths {
    /// Live keys.
    #[must_use]
    pub fn keys(&self) -> usize {
        self.counts.iter().sum()
    }

    /// Bytes of the longest live key; 0 if there is none.
    #[must_use]
    pub fn longest(&self) -> usize {
        self.counts.len().saturating_sub(1)
    }

    /// Bytes of all live keys.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.counts.iter().enumerate().map(|(bytes, count)| bytes * count).sum()
    }

    /// Mean bytes of the live keys, in hundredths, rounded down; 0 if there is none.
    #[must_use]
    pub fn mean_hundredths(&self) -> usize {
        (self.bytes() * 100).checked_div(self.keys()).unwrap_or_default()
    }

    /// How many live keys have this many bytes.
    #[must_use]
    pub fn count(&self, bytes: usize) -> usize {
        self.counts.get(bytes).copied().unwrap_or_default()
    }

    /// Counts a key in, if it is live.
    pub(super) fn insert(&mut self, key: &Key, life: Life) {
        if life == Life::Live {
            if self.counts.len() <= key.len() {
                self.counts.resize(key.len() + 1, 0);
            }
            self.counts[key.len()] += 1;
        }
    }

    /// Counts a key out that was counted in.
    pub(super) fn remove(&mut self, key: &Key, life: Life) {
        if life == Life::Live
            && let Some(count) = self.counts.get_mut(key.len())
        {
            *count = count.saturating_sub(1);
            while self.counts.last() == Some(&0) {
                self.counts.pop();
            }
        }
    }
}

impl<'a> FromIterator<&'a Key> for Lengths {
    fn from_iter<I: IntoIterator<Item = &'a Key>>(keys: I) -> Self {
        let mut lengths = Self::default();
        for key in keys {
            lengths.insert(key, Life::Live);
        }
        lengths
    }
}

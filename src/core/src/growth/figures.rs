//! What a run of a pattern comes to, counted from the keys.

use std::collections::BTreeMap;

use super::Made;
use crate::key::{KEY_BYTES_MAX, LongKey, SiteNumber};

/// What keys that were made come to.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Figures {
    /// How many there are.
    pub count: usize,
    /// Their mean length in bytes.
    pub mean: f64,
    /// The length in bytes that one in a hundred is above, at most.
    pub p99: usize,
    /// The longest, in bytes.
    pub longest: usize,
    /// The insert at which a real list would have been full.
    pub full_at: Option<usize>,
    /// How many keys are the same as another one that is counted already.
    pub duplicates: usize,
    /// How many concurrent runs have a key of another one of their round inside.
    pub interleaved: usize,
}

impl Figures {
    /// Counts keys, in the order in which they were made.
    #[must_use]
    pub fn of(made: &[Made]) -> Self {
        let mut bytes: Vec<usize> = made.iter().map(|made| made.key.len()).collect();
        bytes.sort_unstable();
        let sum = bytes.iter().sum::<usize>();
        let mut keys: Vec<&LongKey> = made.iter().map(|made| &made.key).collect();
        keys.sort_unstable();
        keys.dedup();
        Self {
            count: made.len(),
            mean: float(sum) / float(made.len().max(1)),
            p99: bytes.get((bytes.len() * 99).div_ceil(100).saturating_sub(1)).copied().unwrap_or_default(),
            longest: bytes.last().copied().unwrap_or_default(),
            full_at: made.iter().find(|made| made.key.len() > KEY_BYTES_MAX).map(|made| made.number),
            duplicates: made.len() - keys.len(),
            interleaved: interleaved(made),
        }
    }
}

fn float(count: usize) -> f64 {
    f64::from(u32::try_from(count).expect("32 bits hold every sum of lengths"))
}

/// Returns how many runs have a key of another run of the same round between their first and their last.
fn interleaved(made: &[Made]) -> usize {
    let mut rounds: BTreeMap<u32, Vec<(&LongKey, SiteNumber)>> = BTreeMap::new();
    for made in made {
        if let Some(round) = made.round {
            rounds.entry(round).or_default().push((&made.key, made.site));
        }
    }
    rounds.into_values().map(|mut keys| broken(&mut keys)).sum()
}

fn broken(keys: &mut [(&LongKey, SiteNumber)]) -> usize {
    keys.sort_unstable();
    let mut spans: BTreeMap<SiteNumber, (usize, usize, usize)> = BTreeMap::new();
    for (at, (_, site)) in keys.iter().enumerate() {
        let (_, last, count) = spans.entry(*site).or_insert((at, at, 0));
        *last = at;
        *count += 1;
    }
    spans.values().filter(|(first, last, count)| last - first + 1 != *count).count()
}

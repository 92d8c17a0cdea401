//! Trimming a log: how much of it is over the limits, and may go.
//!
//! What goes is always the beginning: up to the stored snapshot at most, which loading starts from, and never the last
//! entries, which sites that were away for a moment read. An entry's age is that of its stamp, and only while all before
//! it are as old: an edit that was made offline long ago, and came today, stands behind younger ones.

use std::ops::ControlFlow;

use betwixt_core::hlc::Millis;
use betwixt_core::limits::{LOG_AGE_MAX, LOG_BYTES_MAX, LOG_ENTRIES_MIN};
use betwixt_core::log::Entry;
use betwixt_store::{Store, StoreError};

use super::keys::Keys;

/// What a log may grow to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LogLimits {
    /// Bytes, about: over that it is cut to seven eighths of it, so that not every snapshot cuts a little.
    pub bytes_max: usize,
    /// How old its first entry becomes, about.
    pub age_max: Millis,
    /// Entries at its end that always stay.
    pub entries_min: u64,
}

impl Default for LogLimits {
    fn default() -> Self {
        Self { bytes_max: LOG_BYTES_MAX, age_max: LOG_AGE_MAX, entries_min: LOG_ENTRIES_MIN }
    }
}

impl LogLimits {
    /// Whether a log of this size is to be looked through: it may be over a limit by some of it.
    #[must_use]
    pub fn are_over(&self, size: &LogSize, now: Millis) -> bool {
        let age_max = self.age_max.plus(Millis(self.age_max.0 / 30));
        size.bytes > self.bytes_max || now.since(size.oldest) > age_max
    }

    const fn bytes_kept(&self) -> usize {
        self.bytes_max - self.bytes_max / 8
    }
}

/// What is left of a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LogSize {
    /// Its first entry.
    pub first: u64,
    /// When that was stamped.
    pub oldest: Millis,
    /// Bytes of all of it, about.
    pub bytes: usize,
}

/// Where a log is cut.
pub(super) struct Cut {
    /// The last entry that goes; 0 if none does.
    last: u64,
    /// Bytes before the cut; more than are counted where it is over its limit.
    bytes: usize,
    /// Bytes behind the cut, if that is where the limit of bytes put it.
    kept: Option<usize>,
}

/// Entries that go in one commit.
pub(super) struct Part {
    pub(super) last: u64,
    pub(super) bytes: usize,
}

impl Cut {
    /// Looks through the log, from its end and from its beginning, as far as it takes. Reads `bytes_max` bytes at most,
    /// and what is too old.
    pub(super) fn find(
        store: &dyn Store,
        keys: &Keys,
        upto: u64,
        limits: &LogLimits,
        now: Millis,
    ) -> Result<Self, StoreError> {
        let (mut head, mut bytes) = (0, 0);
        // The last entry over the limit, and the bytes behind it.
        let mut over = None;
        store.scan_back(keys.log_behind(0), &mut |key, value| {
            let Some(seq) = keys.seq_of(key) else { return ControlFlow::Break(()) };
            head = head.max(seq);
            if bytes + value.len() > limits.bytes_kept() && over.is_none() {
                over = Some((seq, bytes));
            }
            bytes += value.len();
            if bytes > limits.bytes_max { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        let over = over.filter(|_| bytes > limits.bytes_max);
        let mut old = 0;
        store.scan(keys.log_behind(0), &mut |key, value| match (keys.seq_of(key), stamp_of(value)) {
            (Some(seq), Some(stamp)) if now.since(stamp) > limits.age_max => {
                old = seq;
                ControlFlow::Continue(())
            }
            _ => ControlFlow::Break(()),
        })?;
        // Without the snapshot that is spoken of, loading starts from the first entry.
        let upto = if store.get(&keys.part(upto, 0))?.is_some() { upto } else { 0 };
        let wanted = over.map_or(0, |(seq, _)| seq).max(old);
        let last = wanted.min(upto).min(head.saturating_sub(limits.entries_min));
        let kept = over.map(|(seq, behind)| if last >= seq { behind } else { limits.bytes_max });
        Ok(Self { last, bytes, kept })
    }

    /// The oldest entries that are there still and go.
    pub(super) fn next_part(
        &self,
        store: &dyn Store,
        keys: &Keys,
        bytes_max: usize,
    ) -> Result<Option<Part>, StoreError> {
        let mut part = None;
        let mut bytes = 0;
        store.scan(keys.log_upto(self.last), &mut |key, value| {
            let Some(last) = keys.seq_of(key) else { return ControlFlow::Break(()) };
            bytes += value.len();
            part = Some(Part { last, bytes });
            if bytes < bytes_max { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
        Ok(part)
    }

    /// What is left when so many bytes are gone.
    pub(super) fn left(&self, store: &dyn Store, keys: &Keys, gone: usize) -> Result<LogSize, StoreError> {
        let first = store.pairs(keys.log_behind(0), 1)?.pop();
        let (first, oldest) = first
            .and_then(|(key, value)| Some((keys.seq_of(&key)?, stamp_of(&value)?)))
            .unwrap_or((self.last.saturating_add(1), Millis(u64::MAX)));
        Ok(LogSize { first, oldest, bytes: self.kept.unwrap_or(self.bytes.saturating_sub(gone)) })
    }
}

fn stamp_of(record: &[u8]) -> Option<Millis> {
    Entry::from_bytes(record).ok().map(|entry| entry.op.hlc.tick.wall)
}

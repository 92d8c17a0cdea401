//! The end of a list's log in memory: what is not durable yet, and a little behind it.
//!
//! Links that are nearly caught up are handed the rest from here, so that a busy log does not run ahead of its readers
//! for ever, and so that most reconnects read nothing from the disk.

use std::collections::VecDeque;

use betwixt_core::id::ListUid;
use betwixt_core::limits::SENT_BYTES_MAX;
use betwixt_core::wire::entries_message;
use bytes::Bytes;

use crate::engine::Record;

/// Bytes of durable entries that are kept.
const KEPT_BYTES_MAX: usize = 64 * 1024;
/// Bytes of entries in one message: kind, uid and count come in front of them.
const MESSAGE_BYTES_MAX: usize = SENT_BYTES_MAX - 32;

/// The last entries of a log.
#[derive(Debug)]
pub(crate) struct Recent {
    /// The last entry that is not here.
    before: u64,
    records: VecDeque<Record>,
    bytes: usize,
}

impl Recent {
    /// None, of a log with this head.
    pub(crate) const fn behind(head: u64) -> Self {
        Self { before: head, records: VecDeque::new(), bytes: 0 }
    }

    pub(crate) fn push(&mut self, record: Record) {
        self.bytes += record.bytes.len();
        self.records.push_back(record);
    }

    /// Lets go of durable entries that are too many.
    pub(crate) fn trim(&mut self, durable: u64) {
        while self.bytes > KEPT_BYTES_MAX
            && let Some(first) = self.records.front().filter(|first| first.seq <= durable)
        {
            self.bytes -= first.bytes.len();
            self.before = first.seq;
            self.records.pop_front();
        }
    }

    /// Whether all entries behind `after` are here.
    pub(crate) fn covers(&self, after: u64) -> bool {
        after >= self.before
    }

    /// Bytes of the entries behind `after` up to `last`.
    pub(crate) fn bytes_between(&self, after: u64, last: u64) -> usize {
        self.between(after, last).map(|record| record.bytes.len()).sum()
    }

    /// The entries behind `after` up to `last`, as messages, each with the last entry in it.
    pub(crate) fn messages(&self, uid: ListUid, after: u64, last: u64) -> Vec<(u64, Bytes)> {
        messages_of(uid, self.between(after, last))
    }

    fn between(&self, after: u64, last: u64) -> impl Iterator<Item = &Record> {
        let skipped = usize::try_from(after.saturating_sub(self.before)).unwrap_or(usize::MAX);
        self.records.iter().skip(skipped).take_while(move |record| record.seq <= last)
    }
}

/// Entries as messages of at most 60 KiB, each with the last entry in it.
pub(crate) fn messages_of<'a>(uid: ListUid, records: impl Iterator<Item = &'a Record>) -> Vec<(u64, Bytes)> {
    let mut messages = Vec::new();
    let mut batch: Vec<&[u8]> = Vec::new();
    let (mut bytes, mut last) = (0, 0);
    for record in records {
        if !batch.is_empty() && bytes + record.bytes.len() > MESSAGE_BYTES_MAX {
            messages.push((last, Bytes::from(entries_message(uid, batch.drain(..)))));
            bytes = 0;
        }
        bytes += record.bytes.len();
        last = record.seq;
        batch.push(&record.bytes);
    }
    if !batch.is_empty() {
        messages.push((last, Bytes::from(entries_message(uid, batch.into_iter()))));
    }
    messages
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(seq: u64, bytes: usize) -> Record {
        Record { seq, bytes: Bytes::from(vec![0; bytes]) }
    }

    #[test]
    fn messages_are_cut_at_60_kib_and_say_how_far_they_go() {
        let mut recent = Recent::behind(10);
        for seq in 11..=20 {
            recent.push(record(seq, 20 * 1024));
        }
        let messages = recent.messages(ListUid::from_bytes([0; 16]), 12, 19);
        let lasts: Vec<u64> = messages.iter().map(|(last, _)| *last).collect();
        assert_eq!(lasts, [14, 16, 18, 19]);
        assert!(messages.iter().all(|(_, message)| message.len() <= SENT_BYTES_MAX));
    }

    #[test]
    fn what_is_not_durable_is_never_let_go_of() {
        let mut recent = Recent::behind(0);
        for seq in 1..=10 {
            recent.push(record(seq, 20 * 1024));
        }
        recent.trim(0);
        assert!(recent.covers(0));
        recent.trim(10);
        assert!(!recent.covers(6) && recent.covers(7));
    }
}

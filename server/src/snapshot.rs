//! A list's snapshot as the messages that carry it: encoded once, shared by all links that need it, and stored.

use betwixt_core::id::ListUid;
use betwixt_core::limits::SENT_BYTES_MAX;
use betwixt_core::list::List;
use betwixt_core::log::Watermark;
use betwixt_core::snapshot;
use betwixt_core::wire::{Message as _, ToSite};
use bytes::Bytes;

/// Bytes of a part: with its kind and its list's uid it fits one message.
const PART_BYTES_MAX: usize = SENT_BYTES_MAX - 64;
/// Kind of the message that a `Begin` goes in.
const BEGIN_HEAD_BYTES: usize = 1;
/// Kind and uid of the message that a part goes in.
const PART_HEAD_BYTES: usize = 1 + 16;

/// A list at one watermark, encoded.
#[derive(Debug)]
pub struct Snapshot {
    uid: ListUid,
    mark: Watermark,
    /// `SnapshotBegin`, the parts, `SnapshotEnd`.
    messages: Vec<Bytes>,
    bytes: usize,
}

impl Snapshot {
    /// Encodes a list. Time: linear in the list, 100 ms for 100,000 items; not for a thread that others wait for.
    #[must_use]
    pub fn of(list: &List) -> Self {
        let uid = list.uid();
        let begin = ToSite::SnapshotBegin(Box::new(snapshot::begin(list)));
        let parts =
            snapshot::parts(list, PART_BYTES_MAX).map(|part| ToSite::SnapshotPart { list: uid, part }.to_bytes());
        let mut messages = vec![Bytes::from(begin.to_bytes())];
        messages.extend(parts.map(Bytes::from));
        messages.push(Bytes::from(ToSite::SnapshotEnd { list: uid }.to_bytes()));
        let bytes = messages.iter().map(Bytes::len).sum();
        Self { uid, mark: list.mark(), messages, bytes }
    }

    /// Which list.
    #[must_use]
    pub const fn uid(&self) -> ListUid {
        self.uid
    }

    /// How far the log was read in it.
    #[must_use]
    pub const fn mark(&self) -> Watermark {
        self.mark
    }

    /// The messages, in order.
    #[must_use]
    pub fn messages(&self) -> &[Bytes] {
        &self.messages
    }

    /// Bytes of all messages.
    #[must_use]
    pub const fn bytes(&self) -> usize {
        self.bytes
    }

    /// The encoded `Begin`, as it is stored.
    #[must_use]
    pub fn begin(&self) -> Bytes {
        self.messages.first().map_or_else(Bytes::new, |begin| begin.slice(BEGIN_HEAD_BYTES..))
    }

    /// The encoded parts, as they are stored.
    pub fn parts(&self) -> impl Iterator<Item = Bytes> {
        let parts = self.messages.len().saturating_sub(2);
        self.messages.iter().skip(1).take(parts).map(|part| part.slice(PART_HEAD_BYTES..))
    }
}

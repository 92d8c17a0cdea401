//! Every limit of lists and links, as named constants in one place, and the ones that a relay announces.

use serde::{Deserialize, Serialize};

use crate::hlc::Millis;

/// How far ahead of a relay's clock a stamp may be.
pub const CLOCK_AHEAD_MAX: Millis = Millis(60_000);
/// Bytes of a message that we send, and of its one frame.
pub const SENT_BYTES_MAX: usize = 60 * 1024;
/// Bytes that a link may have queued for sending before it is fed from the log instead.
pub const QUEUE_BYTES_MAX: usize = 1024 * 1024;
/// Bytes of the read buffer of a link.
pub const READ_BUFFER_BYTES: usize = 4 * 1024;
/// Deepest level of the outline.
pub const DEPTH_MAX: u8 = 8;
/// Tags of one item.
pub const TAGS_MAX: usize = 32;
/// Bytes of one tag, and of an assignee.
pub const LABEL_BYTES_MAX: usize = 64;
/// Lowest priority; 1 is the highest.
pub const PRIORITY_MAX: u8 = 9;
/// The highest counter of an op: room for a million ops a second for a hundred thousand years, and for the next one.
pub const CTR_MAX: u64 = 1 << 62;
/// Sites that may ever join one list.
pub const SITES_MAX: u32 = 65_536;
/// Key bytes over which a key that jumps far above the list's longest is refused.
pub const KEY_SOFT_BYTES: usize = 32;
/// How many bytes above the list's longest key a key over the soft limit may be.
pub const KEY_JUMP_BYTES: usize = 8;
/// Key bytes from which the gauge is red; amber is [`KEY_SOFT_BYTES`].
pub const KEY_RED_BYTES: usize = 64;
/// Graphemes of a person's name.
pub const NAME_GRAPHEMES_MAX: usize = 32;
/// Bytes of a person's name on the wire.
pub const NAME_BYTES_MAX: usize = 512;
/// How long after a link opens its `Hello` may take.
pub const HELLO_MAX: Millis = Millis(5_000);
/// Links without an accepted `Hello` at one time.
pub const GREETING_LINKS_MAX: usize = 512;
/// How often each side of a link asks whether the other is there.
pub const PING_EVERY: Millis = Millis(20_000);
/// How long a link may be silent before it counts as dead.
pub const DEAD_AFTER: Millis = Millis(60_000);
/// How long a link may take none of what is queued for it.
pub const STALLED_AFTER: Millis = Millis(30_000);
/// How often a list's presence is told at most.
pub const PRESENCE_EVERY: Millis = Millis(200);
/// Ops and bytes of one commit of a relay.
pub const BATCH_OPS_MAX: usize = 1_024;
/// See [`BATCH_OPS_MAX`].
pub const BATCH_BYTES_MAX: usize = 1024 * 1024;
/// Bytes of a list's log, about: it is trimmed over that, as far as its stored snapshot goes.
pub const LOG_BYTES_MAX: usize = 64 * 1024 * 1024;
/// How old an entry of a log becomes, about.
pub const LOG_AGE_MAX: Millis = Millis(30 * 24 * 3_600_000);
/// Entries at the end of a log that are never trimmed.
pub const LOG_ENTRIES_MIN: u64 = 1_000;
/// How long a site keeps its own sequenced ops, to give them back to a relay that lost them.
pub const JOURNAL_KEPT: Millis = Millis(30 * 24 * 3_600_000);

/// The limits that a relay may set for itself; it announces them in `Welcome`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Bytes of an incoming message.
    pub message_bytes: u32,
    /// Bytes of a key.
    pub key_bytes: u32,
    /// Bytes of an item's text and of a list's title.
    pub text_bytes: u32,
    /// Bytes of an item's note.
    pub note_bytes: u32,
    /// Items of a list, live and dead.
    pub items: u32,
    /// Lists that one link may have open.
    pub lists_per_link: u32,
    /// Ops per second of one link, in the long run. Zero is no limit.
    pub ops_per_second: u32,
    /// Ops that one link may send at once.
    pub ops_burst: u32,
}

impl Limits {
    /// What a relay has unless told otherwise.
    pub const DEFAULT: Self = Self {
        message_bytes: 256 * 1024,
        key_bytes: 128,
        text_bytes: 4 * 1024,
        note_bytes: 16 * 1024,
        items: 100_000,
        lists_per_link: 10,
        ops_per_second: 2_000,
        ops_burst: 20_000,
    };
}

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
}

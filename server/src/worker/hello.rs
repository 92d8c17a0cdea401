//! A site that opens a list, and how it is to catch up.

use std::sync::Arc;

use betwixt_core::hlc::Millis;
use betwixt_core::id::{Hash, ListUid, SiteId};
use betwixt_core::limits::Limits;
use betwixt_core::log::Watermark;
use betwixt_core::name::ListName;
use betwixt_core::wire::{CloseReason, ToSite};
use smol_str::SmolStr;

use crate::outbox::{Outbox, SessionId};
use crate::room::Room;

/// Bytes of an entry beside its texts, about.
const ENTRY_BYTES: u64 = 190;
/// Bytes of an item in a snapshot beside its texts, about.
const ITEM_BYTES: u64 = 30;
/// Bytes of the texts of either, about.
const TEXT_BYTES: u64 = 40;
/// Entries that are sent as they are, whatever a snapshot would save.
const FEW_ENTRIES: u64 = 256;

/// What a link asks a worker with a site's `Hello`.
#[derive(Debug)]
pub struct Hello {
    /// The session that opens the list.
    pub session: SessionId,
    /// What it is called.
    pub name: ListName,
    /// Which list the site knows by that name.
    pub uid: Option<ListUid>,
    /// How far the site has read it.
    pub mark: Watermark,
    /// The chain at that place in the stored log.
    pub chain_there: Option<Hash>,
    /// Whether the site needs entries rather than a snapshot.
    pub pending: bool,
    /// The site, proven by its secret.
    pub site: SiteId,
    /// What the person is called.
    pub person: SmolStr,
    /// What the relay takes, for `Welcome`.
    pub limits: Limits,
    /// The link's outbox.
    pub outbox: Arc<Outbox>,
}

impl Hello {
    /// Closes the link instead of an answer.
    pub(super) fn turn_away(&self, reason: CloseReason, retry_after: Millis) {
        self.outbox.close(reason, retry_after);
    }

    /// Says that another list has the name; the link stays, for other lists.
    pub(super) fn say_other_list(&self, uid: ListUid) {
        self.outbox.with(|queue| queue.end(self.session));
        self.outbox.reply(&ToSite::OtherList { name: self.name.clone(), uid });
    }

    /// Says that the list was deleted; the link stays, for other lists.
    pub(super) fn say_gone(&self, uid: ListUid) {
        self.outbox.with(|queue| queue.end(self.session));
        self.outbox.reply(&ToSite::Gone { uid });
    }

    /// Whether the site can only go on from a snapshot, or does so better. `first` is the first entry of the log that was
    /// not trimmed.
    pub(super) fn wants_snapshot(&self, room: &Room, first: u64) -> bool {
        let (uid, durable) = (room.list().uid(), room.durable());
        let read_here = match self.mark.seq {
            // A site that knows no list yet has read nothing of any.
            0 => self.uid.is_none() || self.mark == Watermark::start(uid),
            seq if seq == durable.seq => self.mark == durable,
            seq => seq < durable.seq && self.chain_there == Some(self.mark.chain),
        };
        let entries = durable.seq.saturating_sub(self.mark.seq);
        let trimmed = entries > 0 && self.mark.seq.saturating_add(1) < first;
        !read_here || trimmed || (!self.pending && entries > FEW_ENTRIES && is_smaller(room, entries))
    }
}

/// Whether a snapshot of the list is smaller than that many entries.
fn is_smaller(room: &Room, entries: u64) -> bool {
    let items = u64::try_from(room.list().items().len()).unwrap_or(u64::MAX);
    items.saturating_mul(ITEM_BYTES + TEXT_BYTES) < entries.saturating_mul(ENTRY_BYTES + TEXT_BYTES)
}

/// The identity of a list that the first one to open it does not bring.
pub(super) fn random_uid() -> ListUid {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).expect("the operating system has randomness");
    ListUid::from_bytes(bytes)
}

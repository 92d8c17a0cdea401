//! A room: one list at the head of its log, and what becomes of each op that is pushed to it. Pure.

pub mod rate;
mod refusal;
pub mod sketch;
#[cfg(test)]
mod tests;

use betwixt_core::hlc::{Millis, tick_limit};
use betwixt_core::id::{Hash, SiteId};
use betwixt_core::limits::Limits;
use betwixt_core::list::List;
use betwixt_core::log::{Entry, Watermark};
use betwixt_core::op::Op;
use betwixt_core::op::body::Kinds;
use betwixt_core::wire::RefusedCode;

use self::refusal::{check_by_itself, check_in_list};

/// One list at the head of its log.
///
/// The head runs ahead of the disk: what is sent to anybody is only what is durable.
#[derive(Debug, Clone)]
pub struct Room {
    list: List,
    durable: Watermark,
}

/// What became of a pushed op.
#[expect(clippy::large_enum_variant, reason = "moved once and matched; most ops are sequenced")]
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It is in the log, at its head. Its entry is the ack, once it is durable.
    Sequenced(Entry),
    /// It was in the log already: no answer, since its entry is or will be in the stream.
    Repeat,
    /// It will never be in the log; those behind it are looked at all the same.
    Refused(RefusedCode),
    /// Its key is of another epoch.
    Stale {
        /// How far the site has to read.
        need_seq: u64,
    },
    /// Another op of this id is in the log: the site was restored from a copy, or cloned.
    Collision {
        /// How far the site has to read.
        need_seq: u64,
    },
    /// An op of the site before it is missing: no answer, since the site sends again from its first unconfirmed one.
    Resend,
}

/// What a room measures ops by.
#[derive(Debug, Clone, Copy)]
pub struct Rules<'a> {
    /// The relay's limits.
    pub limits: &'a Limits,
    /// The kinds of ops that it lets in.
    pub kinds: Kinds,
}

impl Room {
    /// A room whose list is durable as it is.
    #[must_use]
    pub fn new(list: List) -> Self {
        let durable = list.mark();
        Self { list, durable }
    }

    /// The list at the head of its log.
    #[must_use]
    pub const fn list(&self) -> &List {
        &self.list
    }

    /// How far the log goes.
    #[must_use]
    pub const fn head(&self) -> Watermark {
        self.list.mark()
    }

    /// How far the log is on the disk.
    #[must_use]
    pub const fn durable(&self) -> Watermark {
        self.durable
    }

    /// Whether all of the log is on the disk.
    #[must_use]
    pub fn is_durable(&self) -> bool {
        self.durable.seq == self.head().seq
    }

    /// Takes down that the log is on the disk up to here; harmless if it was known.
    pub fn note_durable(&mut self, mark: Watermark) {
        debug_assert!(mark.seq <= self.head().seq, "what is durable was sequenced");
        if mark.seq > self.durable.seq {
            self.durable = mark;
        }
    }

    /// Sequences an op, or says why not.
    ///
    /// What is in the log already is looked for first: a repeat of an op that was let in must not be refused because
    /// the clock was set back, the item is gone, or a limit was lowered since. Then comes what the op shows by itself.
    /// What the list says comes last, and only for the op that would be appended: an op whose predecessor is
    /// missing or of an old epoch comes again, and may then be about an item that is there by that time.
    ///
    /// # Panics
    ///
    /// Never, unless the log in this room contradicts itself.
    pub fn push(&mut self, op: Op, session: SiteId, clock: Millis, rules: Rules<'_>) -> Verdict {
        if op.site != session {
            return Verdict::Refused(RefusedCode::ForeignSite);
        }
        if let Some(verdict) = self.said_before(op.site, op.ctr, Some(op.hash)) {
            return verdict;
        }
        let last = self.list.site(op.site).map(|site| site.ctr);
        if let Err(code) = check_by_itself(&op, rules) {
            return Verdict::Refused(code);
        }
        if op.hlc.tick > tick_limit(clock, self.list.highest()) {
            return Verdict::Refused(RefusedCode::Clock);
        }
        // Only a `Join` has counter 1, and only it may be the first.
        if last.is_none() && op.ctr != 1 {
            return Verdict::Refused(RefusedCode::NotJoined);
        }
        if op.prev != last.unwrap_or(0) {
            return Verdict::Resend;
        }
        if op.epoch != self.list.epoch().id {
            return Verdict::Stale { need_seq: self.head().seq };
        }
        if let Err(code) = check_in_list(&op, &self.list, rules) {
            return Verdict::Refused(code);
        }
        let entry = Entry::behind(self.head(), op);
        self.list.apply(&entry, rules.kinds).expect("an entry made behind the head continues the log");
        Verdict::Sequenced(entry)
    }

    /// What becomes of an op that was said before, or at least its counter; `None` for a new one.
    fn said_before(&self, site: SiteId, ctr: u64, hash: Option<Hash>) -> Option<Verdict> {
        let last = self.list.site(site).filter(|last| ctr <= last.ctr)?;
        Some(if ctr == last.ctr && hash.is_some_and(|hash| hash != last.hash) {
            Verdict::Collision { need_seq: self.head().seq }
        } else {
            Verdict::Repeat
        })
    }
}

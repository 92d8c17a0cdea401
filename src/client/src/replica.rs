//! What a site knows of one list: the confirmed list, its own pending ops, and the two together as shown.
//!
//! Pure. Each call returns what must be on the disk before its result is shown or sent, as [`Write`]s that go into one
//! transaction.

mod mint;
mod pending;
mod receive;
mod renew;
mod replace;
pub mod undo;

use std::collections::{BTreeMap, HashSet};

use betwixt_core::hlc::{Millis, Tick};
use betwixt_core::id::{ItemId, SiteId, SiteSecret};
use betwixt_core::key::{Key, SiteNumber, Trail};
use betwixt_core::limits::Limits;
use betwixt_core::list::List;
use betwixt_core::log::Entry;
use betwixt_core::op::body::Kinds;
use betwixt_core::op::{Body, Join, Op};
use betwixt_core::wire::RefusedCode;
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

pub use self::mint::{Minted, Randomness};
use self::pending::AllPending;
pub use self::pending::Pending;
pub use self::receive::{ReceiveError, Received, Refusal};
pub use self::undo::{History, Step};
use crate::transfer::Transfer;

/// Something of this person's that did not come to stand, kept until they decide.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kept {
    /// An op that the relay refused.
    Refused {
        /// The op.
        op: Op,
        /// Why.
        code: RefusedCode,
    },
    /// A text that lost to one that its writer had not seen.
    Lost {
        /// Of which item.
        item: ItemId,
        /// The text that lost.
        text: SmolStr,
    },
}

/// What is to be written on this machine's disk.
#[derive(Debug, Clone)]
pub enum Write {
    /// The whole list, in place of the list and the entries that were there.
    List(Box<List>),
    /// The next entry of the log.
    Entry(Entry),
    /// A pending op, new or re-keyed.
    Pending(Pending),
    /// The op with this counter is not pending any more.
    Settled(u64),
    /// An own op that is in the log.
    Journal(Op),
    /// A key that this site has issued.
    Issued(Key),
    /// Keys of another epoch do not matter any more.
    IssuedNone,
    /// Something for the drawer.
    Keep(u64, Kept),
    /// Something out of the drawer.
    Release(u64),
    /// What this site did last, in place of what was there: it can be taken back by a program that starts later.
    Steps(Vec<Step>),
    /// Items are on their way to another list.
    Transfer(u64, Transfer),
    /// They have arrived, or stay.
    Transferred(u64),
    /// The site is another one from here on: its secret. Its counter starts anew.
    Site(SiteSecret),
}

/// A replica as it is on the disk.
#[derive(Debug, Clone)]
pub struct Stored {
    /// The site's secret.
    pub secret: SiteSecret,
    /// The confirmed list.
    pub confirmed: List,
    /// Own ops that are not sequenced, by counter.
    pub pending: BTreeMap<u64, Pending>,
    /// Keys that this site has issued in this epoch.
    pub issued: HashSet<Key>,
    /// The drawer, by number.
    pub kept: BTreeMap<u64, Kept>,
    /// What this site did last, oldest first.
    pub steps: Vec<Step>,
}

/// A site's replica of one list.
#[derive(Debug, Clone)]
pub struct Replica {
    secret: SiteSecret,
    site: SiteId,
    person: SmolStr,
    kinds: Kinds,
    limits: Limits,
    confirmed: List,
    shown: List,
    pending: AllPending,
    issued: HashSet<Key>,
    /// The last keys that this program made here.
    trail: Trail,
    kept: BTreeMap<u64, Kept>,
    history: History,
    /// The highest counter of a refused op. It is not given again: a late answer to the first op would be taken for one
    /// to the second.
    spent: u64,
    /// The relay's clock is ahead of this machine's by this much, or behind.
    relay_ahead: i64,
    /// The relay's clock at its last `Welcome`.
    relay_clock: Option<Millis>,
    /// The kind of op that this program cannot carry out; nothing behind it is applied.
    stopped_before: Option<u8>,
}

impl Replica {
    /// The replica that was stored.
    #[must_use]
    pub fn new(stored: Stored, person: SmolStr, kinds: Kinds) -> Self {
        let Stored { secret, confirmed, pending, issued, kept, steps } = stored;
        let site = secret.site();
        let refused = kept.values().filter_map(|kept| match kept {
            Kept::Refused { op, .. } if op.site == site => Some(op.ctr),
            _ => None,
        });
        let spent = refused.max().unwrap_or_default();
        let mut replica = Self {
            secret,
            site,
            person,
            kinds,
            limits: Limits::DEFAULT,
            shown: confirmed.clone(),
            confirmed,
            pending: pending.into_values().collect(),
            issued,
            trail: Trail::default(),
            kept,
            history: History::of_kept(steps),
            spent,
            relay_ahead: 0,
            relay_clock: None,
            stopped_before: None,
        };
        replica.show_again();
        replica
    }

    /// The list as shown: what the relay has sequenced, and this site's pending ops.
    #[must_use]
    pub const fn shown(&self) -> &List {
        &self.shown
    }

    /// The list as the relay has sequenced it, as far as this site has read.
    #[must_use]
    pub const fn confirmed(&self) -> &List {
        &self.confirmed
    }

    /// Who this site is.
    #[must_use]
    pub const fn site(&self) -> SiteId {
        self.site
    }

    /// What proves it.
    #[must_use]
    pub const fn secret(&self) -> &SiteSecret {
        &self.secret
    }

    /// Own ops that are not sequenced, in order.
    #[must_use]
    pub fn pending(&self) -> impl DoubleEndedIterator<Item = &Op> {
        self.pending.values().map(|pending| &pending.op)
    }

    /// Whether an edit of this item is not sequenced.
    #[must_use]
    pub fn has_pending(&self, item: ItemId) -> bool {
        self.pending.about(Some(item)).next().is_some()
    }

    /// How many edits are not sequenced; joining is none.
    #[must_use]
    pub fn unsent(&self) -> usize {
        self.pending.len() - usize::from(self.pending.contains_key(&1))
    }

    /// The drawer: what was refused or lost, by number.
    #[must_use]
    pub const fn kept(&self) -> &BTreeMap<u64, Kept> {
        &self.kept
    }

    /// The kind of op that needs a newer program, if the log has come to one.
    #[must_use]
    pub const fn stopped_before(&self) -> Option<u8> {
        self.stopped_before
    }

    /// Whether this replica holds nothing that anybody made: it may become a replica of another list.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        self.confirmed.mark().seq == 0 && self.pending.is_empty() && self.kept.is_empty()
    }

    /// Takes down the relay's clock and limits, as its `Welcome` said.
    pub fn meet(&mut self, relay_clock: Millis, now: Millis, limits: Limits) {
        let signed = |millis: Millis| i64::try_from(millis.0).unwrap_or(i64::MAX);
        self.relay_ahead = signed(relay_clock).saturating_sub(signed(now));
        self.relay_clock = Some(relay_clock);
        self.limits = limits;
    }

    /// The number that its keys' tags are made of; 0 until the site has joined.
    #[must_use]
    pub fn number(&self) -> SiteNumber {
        SiteNumber(self.confirmed.site(self.site).map_or(0, |site| site.number))
    }

    /// Whether the site's `Join` is in the log.
    #[must_use]
    pub fn has_joined(&self) -> bool {
        self.confirmed.site(self.site).is_some()
    }

    /// What this site's first op says.
    fn join(&self) -> Body {
        Body::Join(Join { name: self.person.clone() })
    }

    /// The tick for a new op: above all that were seen, by this machine's clock or by the relay's where that is ahead.
    ///
    /// A clock that is more than half the allowed minute ahead of the relay's is not believed: its ops would be refused.
    fn tick(&self, now: Millis) -> Tick {
        let half_minute = i64::try_from(betwixt_core::limits::CLOCK_AHEAD_MAX.0 / 2).unwrap_or(i64::MAX);
        let wall = if self.relay_ahead > 0 || self.relay_ahead < -half_minute {
            Millis(now.0.saturating_add_signed(self.relay_ahead))
        } else {
            now
        };
        Tick::after(self.shown.highest(), wall)
    }

    /// Counter of this site's last op in the log; 0 before the first.
    fn sequenced(&self) -> u64 {
        self.confirmed.site(self.site).map_or(0, |site| site.ctr)
    }

    /// The counter for a new op. Whatever was refused, a site begins with 1: its `Join`.
    fn next_ctr(&self) -> u64 {
        let last = self.pending.keys().next_back().copied().unwrap_or_default().max(self.sequenced());
        if last == 0 { 1 } else { last.max(self.spent) + 1 }
    }

    /// Counter of the last op before `ctr` that was not refused.
    fn prev_of(&self, ctr: u64) -> u64 {
        self.pending.range(..ctr).next_back().map_or_else(|| self.sequenced(), |(prev, _)| *prev)
    }

    /// Whether the log has ops of this site that are not its own, so that its pending ones do not continue them: a copy
    /// of the site was restored, or speaks beside it. It must become a new one, see [`Replica::renew`].
    ///
    /// Also if a relay has lost all that this site ever said, and its `Join` is not in the journal any more: nothing else can
    /// be the first op of a site.
    ///
    /// Read off confirmed and pending alone, so that a program that ends in between finds it again.
    #[must_use]
    pub fn is_contradicted(&self) -> bool {
        let sequenced = self.sequenced();
        let continues = |op: &Op| op.prev == sequenced && (sequenced > 0 || op.ctr == 1);
        self.pending.values().next().is_some_and(|first| !continues(&first.op))
    }

    /// Makes what is shown anew from what is confirmed and pending.
    fn show_again(&mut self) {
        self.shown = self.confirmed.clone();
        for pending in self.pending.values() {
            self.shown.say(&pending.op);
        }
    }

    /// Gives every pending op the `prev` that it has now.
    fn chain_pending(&mut self, writes: &mut Vec<Write>) {
        let mut prev = self.sequenced();
        for pending in self.pending.values_mut() {
            if pending.op.prev != prev {
                pending.op.prev = prev;
                writes.push(Write::Pending(pending.clone()));
            }
            prev = pending.op.ctr;
        }
    }

    /// Takes something out of the drawer.
    pub fn release(&mut self, number: u64) -> Option<Kept> {
        self.kept.remove(&number)
    }

    /// Puts something into the drawer.
    pub(crate) fn keep(&mut self, kept: Kept, writes: &mut Vec<Write>) {
        let number = self.kept.keys().next_back().map_or(1, |last| last + 1);
        writes.push(Write::Keep(number, kept.clone()));
        self.kept.insert(number, kept);
    }
}

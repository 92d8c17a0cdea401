//! What the relay says, taken into the replica: entries, refusals, snapshots.

use betwixt_core::id::{ItemId, OpId};
use betwixt_core::item::Write as Won;
use betwixt_core::list::{ApplyError, Effect, List};
use betwixt_core::log::Entry;
use betwixt_core::op::{Body, Op};
use betwixt_core::register::Field;
use betwixt_core::wire::RefusedCode;
use smol_str::SmolStr;

use super::replace::Which;
use super::{Kept, Replica, Write};

/// What an entry did to this site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Received {
    /// The list is as the entry says.
    Applied,
    /// It had been applied before.
    Repeat,
    /// The log has another op under a counter of this site's: the site must become a new one, see `renew`.
    Collided,
    /// An op that needs a newer program: nothing from here on is applied.
    Stopped,
}

/// Why an entry is not applied: the link must be opened anew, and will bring what is missing.
pub type ReceiveError = ApplyError;

impl Replica {
    /// Takes the next entry of the log.
    ///
    /// # Errors
    ///
    /// It does not continue what was read here.
    pub fn receive(&mut self, entry: &Entry, writes: &mut Vec<Write>) -> Result<Received, ReceiveError> {
        if self.stopped_before.is_some() {
            return Ok(Received::Stopped);
        }
        if entry.seq <= self.confirmed.mark().seq {
            return Ok(Received::Repeat);
        }
        match self.confirmed.apply(entry, self.kinds) {
            Ok(_effect) => {}
            Err(ApplyError::Unread { kind, .. }) => {
                self.stopped_before = Some(kind);
                return Ok(Received::Stopped);
            }
            Err(error) => return Err(error),
        }
        writes.push(Write::Entry(entry.clone()));
        if entry.op.site == self.site {
            return Ok(self.receive_own(&entry.op, writes));
        }
        self.show_of_others(&entry.op, writes);
        Ok(Received::Applied)
    }

    /// Shows another site's op, and keeps a pending text of ours that loses to it.
    fn show_of_others(&mut self, op: &Op, writes: &mut Vec<Write>) {
        let mine = op.body.item().and_then(|item| self.pending_text(item));
        if let (Effect::Put { item, text: Some(Won::Won), .. }, Some(text)) = (self.shown.say(op), mine)
            && self.shown.item(item).is_some_and(|found| found.text() != text)
        {
            self.keep(Kept::Lost { item, text }, writes);
        }
    }

    /// The text that a pending op of ours gave this item, if it is the one that is shown.
    fn pending_text(&self, item: ItemId) -> Option<SmolStr> {
        let written = self.shown.item(item)?.written(Field::Text)?;
        let mut writers = self.pending.values().filter(|pending| pending.op.body.item() == Some(item));
        let ours = writers.any(|pending| pending.op.hlc == written.hlc);
        ours.then(|| SmolStr::new(self.shown.item(item).map_or("", |found| found.text())))
    }

    fn receive_own(&mut self, op: &Op, writes: &mut Vec<Write>) -> Received {
        match self.pending.get(&op.ctr) {
            Some(pending) if pending.op.hash == op.hash => {
                let rekeyed = pending.op.key() != op.key();
                self.pending.remove(&op.ctr);
                writes.push(Write::Settled(op.ctr));
                writes.push(Write::Journal(op.clone()));
                if matches!(op.body, Body::Join(_)) {
                    self.joined(writes);
                } else if rekeyed {
                    self.show_again();
                }
                Received::Applied
            }
            // Somebody else speaks for this site: a restored copy, or a clone of this folder.
            Some(_) => Received::Collided,
            None if !self.pending.is_empty() => Received::Collided,
            None => {
                self.shown.say(op);
                Received::Applied
            }
        }
    }

    /// The site has its number: what it minted without gets new keys, unless the number is the one it minted with.
    fn joined(&mut self, writes: &mut Vec<Write>) {
        let old = self.shown.clone();
        if self.number().0 == 0 {
            for pending in self.pending.values_mut().filter(|pending| pending.unnumbered) {
                pending.unnumbered = false;
                writes.push(Write::Pending(pending.clone()));
            }
        } else {
            self.replace(&old, Which::Unnumbered, writes);
        }
    }

    /// Takes a refusal: the op, and those that need it, go to the drawer; those behind get their new `prev`.
    ///
    /// An op that is refused for the length of its key is placed anew instead, and one for its stamp is stamped anew.
    pub fn refused(&mut self, id: OpId, code: RefusedCode, writes: &mut Vec<Write>) {
        if id.site != self.site || !self.pending.contains_key(&id.ctr) {
            return;
        }
        match code {
            RefusedCode::KeyJump => {
                let old = self.shown.clone();
                self.replace(&old, Which::One(id.ctr), writes);
            }
            RefusedCode::Clock if self.stamp_again(id.ctr, writes) => self.show_again(),
            _ => {
                let needing = self.needing(id.ctr);
                for ctr in needing {
                    let Some(pending) = self.pending.remove(&ctr) else { continue };
                    writes.push(Write::Settled(ctr));
                    if !matches!(pending.op.body, Body::Join(_)) {
                        self.keep(Kept::Refused { op: pending.op, code }, writes);
                    }
                }
                self.chain_pending(writes);
                self.show_again();
            }
        }
    }

    /// A refused op and the pending ones that make no sense without it: all that are behind a `Join`, and what is done
    /// to an item whose `Add` does not come.
    fn needing(&self, ctr: u64) -> Vec<u64> {
        let Some(refused) = self.pending.get(&ctr).map(|pending| &pending.op) else { return Vec::new() };
        let needs = |op: &Op| match &refused.body {
            Body::Join(_) => true,
            Body::Add(add) => op.body.item() == Some(add.item),
            _ => false,
        };
        let behind = self.pending.range(ctr + 1..).filter(|(_, pending)| needs(&pending.op)).map(|(ctr, _)| *ctr);
        core::iter::once(ctr).chain(behind).collect()
    }

    /// Takes a whole list in place of the confirmed one.
    ///
    /// `journal` holds this site's own sequenced ops, by counter. Those that the list does not contain become pending
    /// again: a relay that lost them gets them back from here. Pending ops that it does contain are settled.
    pub fn install(&mut self, list: List, journal: Vec<Op>, writes: &mut Vec<Write>) -> Received {
        let old = core::mem::replace(&mut self.shown, list.clone());
        let same_epoch = self.confirmed.epoch().id == list.epoch().id;
        self.confirmed = list;
        writes.push(Write::List(Box::new(self.confirmed.clone())));
        if !same_epoch {
            self.issued.clear();
            writes.push(Write::IssuedNone);
        }
        let last = self.confirmed.site(self.site).map(|site| (site.ctr, site.hash));
        let own = |ctr: u64| {
            let journaled = journal.iter().find(|op| op.ctr == ctr).map(|op| op.hash);
            journaled.or_else(|| self.pending.get(&ctr).map(|pending| pending.op.hash))
        };
        let lowest = journal.iter().map(|op| op.ctr).chain(self.pending.keys().copied()).min();
        let collided = last.is_some_and(|(ctr, hash)| match own(ctr) {
            Some(known) => known != hash,
            None => !self.pending.is_empty() && lowest.is_some_and(|lowest| ctr >= lowest),
        });
        if !collided {
            let contained = last.map_or(0, |(ctr, _)| ctr);
            let settled: Vec<u64> = self.pending.range(..=contained).map(|(ctr, _)| *ctr).collect();
            for ctr in settled {
                if let Some(pending) = self.pending.remove(&ctr) {
                    writes.push(Write::Settled(ctr));
                    writes.push(Write::Journal(pending.op));
                }
            }
            for op in journal.into_iter().filter(|op| op.ctr > contained) {
                let pending = super::Pending { op, unnumbered: false };
                writes.push(Write::Pending(pending.clone()));
                self.pending.insert(pending.op.ctr, pending);
            }
            self.chain_pending(writes);
        }
        if same_epoch {
            self.show_again();
        } else {
            self.replace(&old, Which::All, writes);
        }
        if collided { Received::Collided } else { Received::Applied }
    }

    /// Whether the relay's last op of this site, as its `Welcome` says, is one that this site never made.
    #[must_use]
    pub fn contradicts(&self, last: Option<(u64, betwixt_core::id::Hash)>) -> bool {
        last.is_some_and(|(ctr, hash)| self.pending.get(&ctr).is_some_and(|pending| pending.op.hash != hash))
    }
}

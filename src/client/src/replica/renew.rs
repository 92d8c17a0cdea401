//! Ops minted anew: with another stamp where the clock was wrong, or by another site where two spoke for one.

use betwixt_core::hlc::{Hlc, Tick};
use betwixt_core::id::{OpId, SiteSecret};
use betwixt_core::op::{Body, Op};

use super::{History, Pending, Replica, Write};

impl Replica {
    /// Becomes a new site: what is pending is said by it, with items, stamps and keys as they are, so that a copy of an
    /// op that came to the log all the same has no second effect.
    pub fn renew(&mut self, secret: SiteSecret, writes: &mut Vec<Write>) {
        self.say_as(secret, Vec::new(), writes);
        self.show_again();
    }

    /// Becomes a new site, which says `first` and then what is pending. What is shown is to be made anew.
    pub(super) fn say_as(&mut self, secret: SiteSecret, first: Vec<Op>, writes: &mut Vec<Write>) {
        let old = core::mem::take(&mut self.pending);
        writes.extend(old.keys().map(|ctr| Write::Settled(*ctr)));
        writes.push(Write::Site(secret));
        self.secret = secret;
        self.site = secret.site();
        self.history = History::default();
        writes.push(Write::Steps(Vec::new()));
        let first = first.into_iter().map(|op| Pending { op, unnumbered: false });
        let edits = first.chain(old.into_values()).filter(|edit| !matches!(edit.op.body, Body::Join(_)));
        let mut edits = edits.peekable();
        if let Some(first) = edits.peek() {
            let hlc = Hlc { tick: first.op.hlc.tick, site: self.site };
            let epoch = self.confirmed.epoch().id;
            let join = Op::new(OpId { site: self.site, ctr: 1 }, 0, epoch, hlc, self.join());
            self.pending.insert(Pending { op: join, unnumbered: false });
        }
        for (ctr, Pending { op, unnumbered }) in (2..).zip(edits) {
            let Op { epoch, hlc, body, .. } = op;
            let op = Op::new(OpId { site: self.site, ctr }, ctr - 1, epoch, hlc, body);
            // A key with the tag of number 0 is still nobody's: the new site's number is the one that it waits for.
            self.pending.insert(Pending { op, unnumbered });
        }
        self.spent = 0;
        writes.extend(self.pending.values().cloned().map(Write::Pending));
    }

    /// Stamps pending ops from `ctr` on anew, in order, from what the list and the relay's clock allow.
    ///
    /// False if there is nothing to gain: the stamps are not ahead of the relay's clock as it is known here.
    pub(super) fn stamp_again(&mut self, ctr: u64, writes: &mut Vec<Write>) -> bool {
        let Some(refused) = self.pending.get(&ctr) else { return false };
        let Some(clock) = self.relay_clock else { return false };
        let before = self.pending.range(..ctr).next_back().map(|(_, pending)| pending.op.hlc.tick);
        let mut tick = Tick::after(self.confirmed.highest().max(before.unwrap_or_default()), clock);
        if refused.op.hlc.tick <= tick {
            return false;
        }
        for pending in self.pending.range_mut(ctr..).map(|(_, pending)| pending) {
            let hlc = Hlc { tick, site: self.site };
            let op = &pending.op;
            pending.op = Op::new(op.id(), op.prev, op.epoch, hlc, op.body.clone());
            writes.push(Write::Pending(pending.clone()));
            tick = tick.next();
        }
        true
    }
}

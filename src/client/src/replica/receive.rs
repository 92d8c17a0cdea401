//! What the relay says, taken into the replica: entries, refusals, snapshots.

use std::collections::HashSet;

use betwixt_core::hlc::Hlc;
use betwixt_core::id::{ItemId, OpId, SiteSecret};
use betwixt_core::item::Write as Won;
use betwixt_core::key::Key;
use betwixt_core::list::{ApplyError, Effect, List};
use betwixt_core::log::Entry;
use betwixt_core::op::{Body, Op};
use betwixt_core::register::{Field, Register};
use betwixt_core::wire::RefusedCode;
use smol_str::SmolStr;

use super::replace::Which;
use super::{Kept, Pending, Replica, Write};

/// What an entry did to this site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Received {
    /// The list is as the entry says.
    Applied,
    /// It had been applied before.
    Repeat,
    /// The log has ops of this site that are not its own, see [`Replica::is_contradicted`].
    Collided,
    /// An op that needs a newer program: nothing from here on is applied.
    Stopped,
}

/// What a refusal did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// Nothing: the op is not pending here.
    Unknown,
    /// The op is in the drawer; those behind it have a new `prev`.
    Kept,
    /// The op is pending in another form. What was sent of it over this link may be refused once more, and nothing tells
    /// such an answer from one to the new form: the link must be opened anew.
    Again,
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
            return Ok(self.receive_own(entry, writes));
        }
        let mine = entry.op.body.item().and_then(|item| self.pending_text(item));
        if let (Effect::Put { item, text: Some(Won::Won), .. }, Some(text)) = (self.show(entry), mine) {
            self.keep_lost(item, text, writes);
        }
        Ok(Received::Applied)
    }

    /// Shows an entry that was confirmed just now.
    fn show(&mut self, entry: &Entry) -> Effect {
        let shown = self.shown.apply(entry, self.kinds);
        if shown.is_err() || !self.shows_as_if_anew(&entry.op, matches!(shown, Ok(Effect::Added(_)))) {
            self.show_again();
        }
        shown.unwrap_or(Effect::Nothing)
    }

    /// Whether what an op is about is shown as if all that is pending were said behind it, though it was said before.
    ///
    /// That is so but for an item that comes back after a relay had lost it, with changes pending, and for two ops of one
    /// stamp, which a copy of a site makes: the first in the log stands, not the first that was shown.
    fn shows_as_if_anew(&self, op: &Op, added: bool) -> bool {
        let item = op.body.item();
        let mut like = self.pending.about(item).peekable();
        if like.peek().is_none() {
            return match item {
                Some(item) => self.shown.item(item) == self.confirmed.item(item),
                None => self.shown.title() == self.confirmed.title(),
            };
        }
        !added && like.all(|pending| pending.hlc != op.hlc)
    }

    /// The text that a pending op of ours gave this item, if it is the one that is shown.
    fn pending_text(&self, item: ItemId) -> Option<SmolStr> {
        let found = self.shown.item(item)?;
        let written = found.written(Field::Text)?;
        let mut writers = self.pending.about(Some(item));
        writers.any(|op| op.hlc == written.hlc).then(|| SmolStr::new(found.text()))
    }

    /// Keeps a text of ours if another one is shown now.
    fn keep_lost(&mut self, item: ItemId, text: SmolStr, writes: &mut Vec<Write>) {
        if self.shown.item(item).is_some_and(|found| found.text() != text) {
            self.keep(Kept::Lost { item, text }, writes);
        }
    }

    fn receive_own(&mut self, entry: &Entry, writes: &mut Vec<Write>) -> Received {
        let op = &entry.op;
        // Also what this replica has forgotten, as one does that was restored from a copy: it was said by its owner.
        writes.push(Write::Journal(op.clone()));
        match self.pending.get(&op.ctr) {
            Some(pending) if pending.op.hash == op.hash => {
                let rekeyed = pending.op.key() != op.key();
                self.pending.remove(op.ctr);
                writes.push(Write::Settled(op.ctr));
                if matches!(op.body, Body::Join(_)) {
                    self.joined(writes);
                } else if rekeyed {
                    self.show_again();
                } else {
                    self.show(entry);
                }
            }
            // Said before this replica was restored from a copy, or by a clone of this folder.
            Some(_) | None => {
                self.show(entry);
            }
        }
        if self.is_contradicted() { Received::Collided } else { Received::Applied }
    }

    /// The site has its number: what it minted without gets new keys, unless the number is the one it minted with.
    fn joined(&mut self, writes: &mut Vec<Write>) {
        if self.number().0 == 0 {
            for pending in self.pending.values_mut().filter(|pending| pending.unnumbered) {
                pending.unnumbered = false;
                writes.push(Write::Pending(pending.clone()));
            }
            self.show_again();
        } else {
            let old = self.shown.clone();
            self.replace(&old, Which::Unnumbered, writes);
        }
    }

    /// Takes a refusal: the op, and those that need it, go to the drawer; those behind get their new `prev`.
    ///
    /// An op that is refused for the length of its key is placed anew instead, and one for its stamp is stamped anew, if
    /// that makes a difference.
    pub fn refused(&mut self, id: OpId, code: RefusedCode, writes: &mut Vec<Write>) -> Refusal {
        if id.site != self.site || !self.pending.contains_key(&id.ctr) {
            return Refusal::Unknown;
        }
        match code {
            RefusedCode::KeyJump if self.shorten(id.ctr, writes) => return Refusal::Again,
            RefusedCode::Clock if self.stamp_again(id.ctr, writes) => {
                self.show_again();
                return Refusal::Again;
            }
            _ => {}
        }
        let contradicted = self.is_contradicted();
        for ctr in self.needing(id.ctr) {
            let Some(pending) = self.pending.remove(ctr) else { continue };
            self.spent = self.spent.max(ctr);
            writes.push(Write::Settled(ctr));
            if !matches!(pending.op.body, Body::Join(_)) {
                self.keep(Kept::Refused { op: pending.op, code }, writes);
            }
        }
        // Chained to an op of somebody else they would be lost: the relay takes them for repeats.
        if !contradicted {
            self.chain_pending(writes);
        }
        self.show_again();
        Refusal::Kept
    }

    /// Places an op with a long key anew, and the long ones behind it; says whether its key is shorter now.
    fn shorten(&mut self, ctr: u64, writes: &mut Vec<Write>) -> bool {
        let bytes = |replica: &Self| replica.pending.get(&ctr).and_then(|pending| pending.op.key()).map(Key::len);
        let before = bytes(self);
        let old = self.shown.clone();
        self.replace(&old, Which::Long { from: ctr }, writes);
        bytes(self) < before
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
    /// `journal` holds own sequenced ops: this site's, and those of the sites that it was before. Those that the list does
    /// not contain become pending again: a relay that lost them gets them back from here. Pending ops that it does contain
    /// are settled. Where this site cannot say them as they were, it becomes the one of the `spare` secret, which has
    /// [`Received::Collided`].
    pub fn install(&mut self, list: List, journal: Vec<Op>, spare: SiteSecret, writes: &mut Vec<Write>) -> Received {
        let texts: Vec<(u64, ItemId, SmolStr)> = self.pending_texts();
        let old = core::mem::replace(&mut self.shown, list.clone());
        let same_epoch = self.confirmed.epoch().id == list.epoch().id;
        self.confirmed = list;
        self.stopped_before = None;
        writes.push(Write::List(Box::new(self.confirmed.clone())));
        if !same_epoch {
            self.issued.clear();
            writes.push(Write::IssuedNone);
        }
        let (own, former): (Vec<Op>, Vec<Op>) = journal.into_iter().partition(|op| op.site == self.site);
        let contained = self.contained(&own);
        // One that the list would still be changed by was passed over, as the relay refused it to another copy of this site.
        let settled = self.pending.range(..=contained.unwrap_or(0));
        let settled = settled.filter(|(_, pending)| !has_effect(&pending.op, &self.confirmed));
        for ctr in settled.map(|(ctr, _)| *ctr).collect::<Vec<_>>() {
            if let Some(pending) = self.pending.remove(ctr) {
                writes.extend([Write::Settled(ctr), Write::Journal(pending.op)]);
            }
        }
        let passed_over = self.pending.keys().next().is_some_and(|first| contained.is_none_or(|last| *first <= last));
        let missing = |op: &Op| has_effect(op, &self.confirmed);
        let (own, mut others): (Vec<Op>, Vec<Op>) = match contained {
            Some(contained) => (
                own.into_iter().filter(|op| op.ctr > contained).collect(),
                former.into_iter().filter(missing).collect(),
            ),
            None => (Vec::new(), former.into_iter().chain(own).filter(missing).collect()),
        };
        // What was said under several names is in the journal under each; once is enough.
        let mut said: HashSet<_> = self.pending().chain(&own).map(content).collect();
        others.retain(|op| said.insert(content(op)));
        // Under a name that others have ops by, the next one would take the place of another in the journal.
        let renews = contained.is_none() || !others.is_empty() || passed_over;
        for op in own {
            // One that is pending again already may have got another key or stamp since.
            if !self.pending.contains_key(&op.ctr) {
                let pending = Pending { op, unnumbered: false };
                writes.push(Write::Pending(pending.clone()));
                self.pending.insert(pending);
            }
        }
        if renews {
            others.sort_by_key(|op| op.hlc.tick);
            self.say_as(spare, others, writes);
        } else {
            self.chain_pending(writes);
        }
        if same_epoch {
            self.show_again();
            // The number may have come with the list.
            if self.has_joined() {
                self.joined(writes);
            }
        } else {
            self.replace(&old, Which::All, writes);
        }
        for (_, item, text) in texts.into_iter().filter(|(ctr, ..)| contained.is_none_or(|contained| *ctr > contained))
        {
            self.keep_lost(item, text, writes);
        }
        if renews { Received::Collided } else { Received::Applied }
    }

    /// The texts that pending ops gave to items and that are shown, each with the counter of its op.
    fn pending_texts(&self) -> Vec<(u64, ItemId, SmolStr)> {
        let texts = self.pending.iter().filter_map(|(ctr, pending)| {
            let item = pending.op.body.item()?;
            let found = self.shown.item(item)?;
            let stands = found.written(Field::Text)?.hlc == pending.op.hlc;
            stands.then(|| (*ctr, item, SmolStr::new(found.text())))
        });
        texts.collect()
    }

    /// Up to which counter the confirmed list has this site's ops; `None` if it has others under its name.
    fn contained(&self, own: &[Op]) -> Option<u64> {
        let Some(last) = self.confirmed.site(self.site) else { return Some(0) };
        let known = own.iter().chain(self.pending()).any(|op| op.ctr == last.ctr && op.hash == last.hash);
        let lowest = own.iter().chain(self.pending()).map(|op| op.ctr).min();
        (known || lowest.is_none_or(|lowest| lowest > last.ctr)).then_some(last.ctr)
    }

    /// Whether the relay's last op of this site, as its `Welcome` says, is one that this site never made.
    #[must_use]
    pub fn contradicts(&self, last: Option<(u64, betwixt_core::id::Hash)>) -> bool {
        last.is_some_and(|(ctr, hash)| self.pending.get(&ctr).is_some_and(|pending| pending.op.hash != hash))
    }
}

/// What an op says, whoever says it, and with whatever key.
fn content(op: &Op) -> (Hlc, Vec<u8>) {
    (op.hlc, op.body.keyless_bytes())
}

/// Whether an op would change a list. One that is in its log would not: stamps win only where they are greater.
fn has_effect(op: &Op, list: &List) -> bool {
    let Some(id) = op.body.item() else {
        return matches!(op.body, Body::List(_)) && list.header().title.is_none_or(|title| title.hlc < op.hlc);
    };
    let Some(item) = list.item(id) else { return true };
    let writes = |register: &Register| item.written(register.field()).is_none_or(|written| written.hlc < op.hlc);
    op.key().is_some() && item.position.hlc < op.hlc || op.body.registers().iter().any(writes)
}

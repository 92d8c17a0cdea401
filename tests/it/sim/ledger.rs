//! What the relay has made durable, and the laws of such a log.

use std::collections::{HashMap, HashSet};

use betwixt_core::hlc::{Hlc, Millis, Tick};
use betwixt_core::id::{Hash, ItemId, ListUid, OpId, SiteId};
use betwixt_core::key::Key;
use betwixt_core::limits::CLOCK_AHEAD_MAX;
use betwixt_core::list::List;
use betwixt_core::log::{Entry, Watermark};
use betwixt_core::op::Body;

use super::fault::Faults;

#[derive(Debug)]
pub(super) struct Ledger {
    faults: Faults,
    pub(super) log: Vec<Entry>,
    ids: HashSet<OpId>,
    keys: HashSet<Key>,
    last: HashMap<SiteId, u64>,
    /// The last stamp of each author, whatever site its ops go by.
    stamps: HashMap<SiteId, Tick>,
    /// The greatest stamp among the placements of each item.
    placed: HashMap<ItemId, Hlc>,
    /// Every chain that was ever durable.
    durable: HashSet<Hash>,
    /// Lists that were deleted.
    deleted: HashSet<ListUid>,
    /// The state at each chain that somebody has read up to.
    states: HashMap<Hash, Hash>,
}

impl Ledger {
    pub(super) fn new(faults: Faults) -> Self {
        Self {
            faults,
            log: Vec::new(),
            ids: HashSet::new(),
            keys: HashSet::new(),
            last: HashMap::new(),
            stamps: HashMap::new(),
            placed: HashMap::new(),
            durable: HashSet::new(),
            deleted: HashSet::new(),
            states: HashMap::new(),
        }
    }

    /// A list was deleted: the next one of its name has an empty log.
    pub(super) fn note_deleted(&mut self, list: ListUid) {
        self.deleted.insert(list);
        self.begin_anew();
    }

    /// The log is empty. What was read of others stays known.
    fn begin_anew(&mut self) {
        let Self { durable, states, deleted, faults, .. } = std::mem::replace(self, Self::new(self.faults));
        *self = Self { durable, deleted, states, ..Self::new(faults) };
    }

    /// The storage has gone back to this place in the log.
    pub(super) fn rewind(&mut self, head: Watermark) -> Result<(), String> {
        let mut log = std::mem::take(&mut self.log);
        log.truncate(usize::try_from(head.seq).expect("a short log"));
        if head.seq > 0 && log.last().map(Entry::mark) != Some(head) {
            return Err(format!("the store goes back to {head:?}, which is not in the log"));
        }
        self.begin_anew();
        self.append(log)
    }

    /// Entries become durable.
    pub(super) fn append(&mut self, entries: Vec<Entry>) -> Result<(), String> {
        for entry in entries {
            self.check(&entry).map_err(|law| format!("{law}: {:?}", entry.op))?;
            self.durable.insert(entry.chain);
            self.log.push(entry);
        }
        Ok(())
    }

    fn check(&mut self, entry: &Entry) -> Result<(), &'static str> {
        let op = &entry.op;
        if !self.ids.insert(op.id()) {
            return Err("I3: the op is in the log twice");
        }
        let last = self.last.insert(op.site, op.ctr).unwrap_or_default();
        if op.ctr <= last || op.prev != last {
            return Err("order: the ops of a site are not in its order");
        }
        if matches!(op.body, Body::Join(_)) {
            return Ok(());
        }
        let tick = op.hlc.tick;
        let before = self.stamps.insert(op.hlc.site, tick);
        // Copies of one site are several authors of one name; and what an author said under an earlier name is given back to
        // a log that has lost it only where it has an effect still, which it may have again after the next loss.
        if self.faults.are_plain() && before.is_some_and(|before| before >= tick) {
            return Err("order: the edits of an author are not in its order");
        }
        if let (Some(key), Some(item)) = (op.key(), op.body.item()) {
            let greatest = self.placed.entry(item).or_insert(op.hlc);
            *greatest = op.hlc.max(*greatest);
            // A lost tail takes the numbers with it that tags were made of.
            if !self.keys.insert(key.clone()) && self.faults.are_plain() {
                return Err("a key was issued twice");
            }
        }
        Ok(())
    }

    /// I5, and that nobody is carried into the future: of the list at the head of this log.
    pub(super) fn check_head(&self, list: &List, behind: u64, clock: Millis) -> Result<(), String> {
        if self.deleted.contains(&list.uid()) {
            return Err("I3: a list that was deleted is back".to_owned());
        }
        if list.highest().wall > clock.plus(CLOCK_AHEAD_MAX) {
            return Err(format!("clock: the list is at {:?}, the relay at {clock:?}", list.highest()));
        }
        let news = self.log.iter().rev().take_while(|entry| entry.seq > behind);
        for item in news.filter_map(|entry| entry.op.body.item()) {
            let found = list.item(item).map(|item| item.position.hlc);
            if found != self.placed.get(&item).copied() {
                return Err(format!("I5: {item:?} is placed by {found:?}, not by the greatest stamp"));
            }
        }
        Ok(())
    }

    /// I0, and that what was read was durable.
    pub(super) fn check_read(&mut self, list: &List) -> Result<(), String> {
        let mark = list.mark();
        if mark.seq > 0 && !self.durable.contains(&mark.chain) {
            return Err(format!("P3: entry {} was sent before it was durable", mark.seq));
        }
        let state = list.state_hash();
        let known = *self.states.entry(mark.chain).or_insert(state);
        if known == state { Ok(()) } else { Err(format!("I0: two states after entry {} of one log", mark.seq)) }
    }
}

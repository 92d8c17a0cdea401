//! Replica, session and slot as one: each step is on the disk before its result is shown or sent.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use betwixt_core::edit::{Edit, EditFault, Outcome, Spot};
use betwixt_core::hlc::Millis;
use betwixt_core::id::{ItemId, ListUid};
use betwixt_core::name::ListName;
use betwixt_core::op::Body;
use betwixt_core::register::{Field, Register};
use betwixt_core::wire::{Person, ToRelay};
use betwixt_store::Batch;

use super::choice::Merging;
use super::{Opening, os_random, steady_clock, wall_clock};
use crate::folder::{FolderError, Slot};
use crate::replica::{Kept, Replica, Write};
use crate::session::{Input, Outputs, Outside, Patience, Session};
use crate::status::{LinkStatus, Status};
use crate::store::{self, LoadError, Meta};
use crate::transfer::Transfer;

/// A site without its link.
#[derive(Debug)]
pub(super) struct Whole {
    pub(super) opening: Opening,
    pub(super) slot: Arc<Slot>,
    pub(super) meta: Meta,
    pub(super) replica: Replica,
    pub(super) session: Session,
    /// Messages that wait for the driver.
    pub(super) outbox: Vec<ToRelay>,
    pub(super) merging: Option<Merging>,
    /// Items on their way to other lists, by number.
    pub(super) transfers: BTreeMap<u64, Transfer>,
    /// Writes that the disk did not take yet; nothing goes past them.
    pub(super) backlog: Vec<Write>,
    /// Entries behind the stored list.
    entries: u64,
    /// Whether `meta` is not on the disk as it is.
    meta_is_new: bool,
    /// What was last told of what there is to see.
    told: Option<News>,
    started: Instant,
}

/// What changes when there is something new to see.
#[derive(Debug, PartialEq, Eq)]
struct News {
    status: Status,
    seq: u64,
    items: usize,
    people: Vec<Person>,
}

/// What a slot's store has of a list.
struct Loaded {
    meta: Meta,
    meta_is_new: bool,
    replica: Replica,
    transfers: BTreeMap<u64, Transfer>,
    entries: u64,
}

/// Why a list cannot be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WholeError {
    /// The data folder cannot be used.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The replica cannot be read.
    #[error(transparent)]
    Load(#[from] LoadError),
}

impl Whole {
    pub(super) fn open(slot: Arc<Slot>, opening: Opening) -> Result<Self, WholeError> {
        let relay = opening.address.record();
        let named = opening.folder.list_uid(&relay, &opening.name, fresh_uid())?;
        let uid = slot.with_store(|store| store::to_open(store, &relay, &opening.name, named))?;
        let Loaded { meta, meta_is_new, replica, transfers, entries } = Self::load(&slot, &opening, uid)?;
        let patience = if opening.address.is_local() { Patience::local() } else { Patience::remote() };
        let session = Session::new(opening.name.clone(), opening.person.clone(), opening.kinds, patience);
        Ok(Self {
            opening,
            slot,
            meta,
            replica,
            session,
            outbox: Vec::new(),
            merging: None,
            transfers,
            backlog: Vec::new(),
            entries,
            meta_is_new,
            told: None,
            started: Instant::now(),
        })
    }

    fn load(slot: &Slot, opening: &Opening, uid: ListUid) -> Result<Loaded, LoadError> {
        slot.with_store(|store| {
            let known = store::meta(store, uid)?;
            let meta_is_new = known.is_none();
            let relay = opening.address.record();
            let meta = known.unwrap_or_else(|| Meta { relay, name: opening.name.clone(), secret: *slot.secret() });
            let (stored, entries) = store::load(store, uid, &meta, opening.kinds)?;
            let replica = Replica::new(stored, opening.person.clone(), opening.kinds);
            let transfers = store::transfers(store, uid)?;
            Ok(Loaded { meta, meta_is_new, replica, transfers, entries })
        })
    }

    /// Becomes a replica of another list of the same name.
    pub(super) fn adopt(&mut self, uid: ListUid) -> Result<(), WholeError> {
        self.commit();
        let Loaded { meta, meta_is_new, replica, transfers, entries } = Self::load(&self.slot, &self.opening, uid)?;
        (self.meta, self.meta_is_new, self.replica, self.entries) = (meta, meta_is_new, replica, entries);
        self.transfers = transfers;
        self.backlog.clear();
        self.session.rename(self.opening.name.clone());
        Ok(())
    }

    /// Calls the list by another name on its relay.
    pub(super) fn rename(&mut self, name: &ListName) {
        self.meta.name = name.clone();
        self.meta_is_new = true;
        self.commit();
        self.session.rename(name.clone());
    }

    pub(super) fn uid(&self) -> ListUid {
        self.replica.confirmed().uid()
    }

    pub(super) fn now(&self) -> Millis {
        steady_clock(self.started)
    }

    pub(super) fn status(&self) -> Status {
        Status::of(&self.replica, &self.session, self.now(), !self.backlog.is_empty())
    }

    /// Whether there is something to see that was not told before; it counts as told then.
    pub(super) fn has_news(&mut self) -> bool {
        let news = Some(News {
            status: self.status(),
            seq: self.replica.confirmed().mark().seq,
            items: self.replica.shown().items().len(),
            people: self.session.people().to_vec(),
        });
        let is_new = self.told != news;
        self.told = news;
        is_new
    }

    /// One step of the session, with what it writes on the disk.
    pub(super) fn step(&mut self, input: Input) -> Outputs {
        let now = self.now();
        let (slot, backlog, uid) = (&self.slot, &self.backlog, self.replica.confirmed().uid());
        let mut journal = || {
            let mut ops = slot.with_store(|store| store::journal(store, uid)).unwrap_or_default();
            ops.extend(backlog.iter().filter_map(|write| match write {
                Write::Journal(op) => Some(op.clone()),
                _ => None,
            }));
            ops
        };
        let mut outside = Outside { now, wall: wall_clock(), random: &mut os_random, journal: &mut journal };
        let mut out = self.session.step(&mut self.replica, input, &mut outside);
        out.send.splice(..0, self.outbox.drain(..));
        self.backlog.append(&mut out.writes);
        out
    }

    /// Brings what the steps have written to the disk, in one transaction; says whether all of it is there. What the disk
    /// does not take is kept, and goes first the next time.
    pub(super) fn commit(&mut self) -> bool {
        if self.backlog.is_empty() && !self.meta_is_new {
            return true;
        }
        let last_list = self.backlog.iter().rposition(|write| matches!(write, Write::List(_)));
        let behind = self.backlog.iter().skip(last_list.map_or(0, |at| at + 1));
        let new = behind.filter(|write| matches!(write, Write::Entry(_))).count();
        let entries = last_list.map_or(self.entries, |_| 0) + u64::try_from(new).unwrap_or(u64::MAX);
        let compact = store::is_long(entries, self.replica.confirmed());

        let mut batch = Batch::default();
        if self.meta_is_new {
            batch.append(store::put_meta(self.uid(), &self.meta));
        }
        batch.append(store::batch(self.uid(), &mut self.meta, &self.backlog, wall_clock()));
        if compact {
            let list = [Write::List(Box::new(self.replica.confirmed().clone()))];
            batch.append(store::batch(self.uid(), &mut self.meta, &list, wall_clock()));
        }
        let durable = self.slot.commit(&batch).is_ok();
        if durable {
            self.backlog.clear();
            self.meta_is_new = false;
            self.entries = if compact { 0 } else { entries };
        }
        durable
    }

    pub(super) fn edit(&mut self, edit: &Edit) -> Result<Outcome, EditFault> {
        self.make(edit, None)
    }

    /// Makes an edit, and one more write in the same transaction.
    pub(super) fn make(&mut self, edit: &Edit, more: Option<Write>) -> Result<Outcome, EditFault> {
        if self.status().link == LinkStatus::Gone {
            return Err(EditFault::Gone);
        }
        let minted = self.replica.mint(edit, wall_clock(), &mut os_random)?;
        self.slot.mark().map_err(|_io| EditFault::Disk)?;
        if self.replica.confirmed().mark().seq == 0 {
            self.opening.folder.note_written(self.uid()).map_err(|_folder| EditFault::Disk)?;
        }
        let before = self.backlog.len();
        self.backlog.extend(minted.writes.iter().cloned());
        self.backlog.extend(more);
        if self.commit() {
            // Another list of the slot may have taken the mark away, when this edit was not there yet.
            // The edit stands without it.
            let _ = self.slot.mark();
            return Ok(self.replica.adopt(minted));
        }
        self.backlog.truncate(before);
        // A commit that failed may be on the disk all the same: what was not made must not be found there.
        self.backlog.extend(minted.writes.iter().filter_map(|write| match write {
            Write::Pending(pending) => Some(Write::Settled(pending.op.ctr)),
            _ => None,
        }));
        Err(EditFault::Disk)
    }

    pub(super) fn here(&mut self, at: Option<ItemId>, editing: bool) -> bool {
        let message = self.session.here(self.uid(), at, editing);
        let news = message.is_some();
        self.outbox.extend(message);
        news
    }

    pub(super) fn release(&mut self, number: u64) -> Result<Option<Kept>, EditFault> {
        self.backlog.push(Write::Release(number));
        if self.commit() {
            return Ok(self.replica.release(number));
        }
        self.backlog.pop();
        Err(EditFault::Disk)
    }

    pub(super) fn take_up_again(&mut self, number: u64) -> Result<Outcome, EditFault> {
        let kept = self.replica.kept().get(&number).cloned().ok_or(EditFault::NoItem)?;
        let outcome = self.make(&self.again(&kept), Some(Write::Release(number)))?;
        self.replica.release(number);
        Ok(outcome)
    }

    /// The edit that does what did not come to stand: on an item that is gone, a new item with what was written.
    fn again(&self, kept: &Kept) -> Edit {
        let (item, registers) = match kept {
            Kept::Lost { item, text } => (*item, vec![Register::Text(text.clone())]),
            Kept::Refused { op, .. } => match &op.body {
                Body::List(list) => return Edit::Title(list.title.clone()),
                body => (body.item().unwrap_or(ItemId::from_bytes([0; 8])), body.registers().to_vec()),
            },
        };
        match self.replica.shown().item(item) {
            Some(_) if registers.is_empty() => Edit::Move { items: vec![item], spot: Spot::Bottom },
            Some(_) => Edit::Set { writes: vec![(item, registers)] },
            None => {
                let kept = registers.into_iter().filter(|register| register.field() != Field::Deleted).collect();
                Edit::Add { spot: Spot::Bottom, items: vec![kept] }
            }
        }
    }

    /// The last work on the slot: the list stored anew if much stands behind it, old journal forgotten, the mark taken
    /// away if nothing is unsent.
    pub(super) fn settle(&mut self) {
        self.commit();
        let uid = self.uid();
        let forget = self.slot.with_store(|store| store::forget_journal(store, uid, wall_clock()));
        if let Ok(batch) = forget
            && !batch.is_empty()
        {
            // Forgetting late is no loss.
            let _ = self.slot.commit(&batch);
        }
        self.slot.unmark_if_sent();
    }
}

/// The identity of a list that is made here.
pub(super) fn fresh_uid() -> ListUid {
    let mut bytes = [0; 16];
    for half in bytes.chunks_exact_mut(8) {
        half.copy_from_slice(&os_random().to_be_bytes());
    }
    ListUid::from_bytes(bytes)
}

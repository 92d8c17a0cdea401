//! Replica, session and slot as one: each step is on the disk before its result is shown or sent.

use std::sync::Arc;
use std::time::Instant;

use betwixt_core::edit::{Edit, EditFault, Outcome, Spot};
use betwixt_core::hlc::Millis;
use betwixt_core::id::{ItemId, ListUid};
use betwixt_core::op::Body;
use betwixt_core::register::{Field, Register};
use betwixt_core::wire::ToRelay;

use super::choice::Merging;
use super::{Opening, os_random, steady_clock, wall_clock};
use crate::folder::{FolderError, Slot};
use crate::replica::{Kept, Replica, Write};
use crate::session::{Input, Outputs, Outside, Patience, Session};
use crate::status::Status;
use crate::store::{self, LoadError, Meta};

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
    /// Writes that the disk did not take yet; nothing goes past them.
    backlog: Vec<Write>,
    /// Entries behind the stored list.
    entries: u64,
    started: Instant,
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
        let mut fresh = [0; 16];
        for half in fresh.chunks_exact_mut(8) {
            half.copy_from_slice(&os_random().to_be_bytes());
        }
        let fresh = ListUid::from_bytes(fresh);
        let uid = opening.folder.list_uid(&opening.address.record(), &opening.name, fresh)?;
        let (meta, replica, entries) = Self::load(&slot, &opening, uid)?;
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
            backlog: Vec::new(),
            entries,
            started: Instant::now(),
        })
    }

    fn load(slot: &Slot, opening: &Opening, uid: ListUid) -> Result<(Meta, Replica, u64), LoadError> {
        slot.with_store(|store| {
            let known = store::meta(store, uid)?;
            let relay = opening.address.record();
            let meta = known.unwrap_or_else(|| Meta { relay, name: opening.name.clone(), secret: *slot.secret() });
            let (stored, entries) = store::load(store, uid, &meta, opening.kinds)?;
            Ok((meta, Replica::new(stored, opening.person.clone(), opening.kinds), entries))
        })
    }

    /// Becomes a replica of another list of the same name.
    pub(super) fn adopt(&mut self, uid: ListUid) -> Result<(), WholeError> {
        let (meta, replica, entries) = Self::load(&self.slot, &self.opening, uid)?;
        (self.meta, self.replica, self.entries) = (meta, replica, entries);
        self.backlog.clear();
        self.session.rename(self.opening.name.clone());
        Ok(())
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

    /// One step of the session, with what it writes on the disk.
    pub(super) fn step(&mut self, input: Input) -> Outputs {
        let now = self.now();
        let (slot, meta, uid) = (&self.slot, &self.meta, self.replica.confirmed().uid());
        let mut journal = || slot.with_store(|store| store::journal(store, uid, meta)).unwrap_or_default();
        let mut outside = Outside { now, wall: wall_clock(), random: &mut os_random, journal: &mut journal };
        let mut out = self.session.step(&mut self.replica, input, &mut outside);
        out.send.splice(..0, self.outbox.drain(..));
        self.backlog.append(&mut out.writes);
        out
    }

    /// Brings what the steps have written to the disk, in one transaction. What it does not take is kept and tried again.
    pub(super) fn commit(&mut self) {
        if self.backlog.is_empty() {
            return;
        }
        let entries = self.backlog.iter().filter(|write| matches!(write, Write::Entry(_))).count();
        let whole = self.backlog.iter().any(|write| matches!(write, Write::List(_)));
        self.entries = if whole { 0 } else { self.entries } + u64::try_from(entries).unwrap_or(u64::MAX);
        if store::is_long(self.entries, self.replica.confirmed()) {
            self.backlog.push(Write::List(Box::new(self.replica.confirmed().clone())));
            self.entries = 0;
        }
        let mut batch = store::put_meta(self.uid(), &self.meta);
        batch.append(store::batch(self.uid(), &mut self.meta, &self.backlog, wall_clock()));
        if self.slot.commit(&batch).is_ok() {
            self.backlog.clear();
        }
    }

    pub(super) fn edit(&mut self, edit: &Edit) -> Result<Outcome, EditFault> {
        let minted = self.replica.mint(edit, wall_clock(), &mut os_random)?;
        self.slot.mark().map_err(|_io| EditFault::Disk)?;
        self.backlog.extend(minted.writes.iter().cloned());
        let before = self.backlog.len() - minted.writes.len();
        self.commit();
        if self.backlog.is_empty() {
            return Ok(self.replica.adopt(minted));
        }
        self.backlog.truncate(before);
        Err(EditFault::Disk)
    }

    pub(super) fn here(&mut self, at: Option<ItemId>, editing: bool) -> bool {
        let message = self.session.here(self.uid(), at, editing);
        let news = message.is_some();
        self.outbox.extend(message);
        news
    }

    pub(super) fn release(&mut self, number: u64) -> Result<Option<Kept>, EditFault> {
        self.commit();
        self.backlog.push(Write::Release(number));
        self.commit();
        if self.backlog.is_empty() {
            return Ok(self.replica.release(number));
        }
        self.backlog.pop();
        Err(EditFault::Disk)
    }

    pub(super) fn take_up_again(&mut self, number: u64) -> Result<Outcome, EditFault> {
        let kept = self.replica.kept().get(&number).cloned().ok_or(EditFault::NoItem)?;
        let outcome = self.edit(&self.again(&kept))?;
        self.release(number)?;
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
        let unsent = self.slot.with_store(|store| {
            let lists = store::lists(store)?;
            lists.iter().try_fold(0, |sum, (uid, _)| Ok::<_, LoadError>(sum + store::pending_len(store, *uid)?))
        });
        if matches!(unsent, Ok(0)) {
            self.slot.unmark();
        }
    }
}

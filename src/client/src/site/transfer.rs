//! Sending items to another list of the relay: there first, and gone from here when the relay has them there.

use std::collections::{BTreeMap, BTreeSet};

use betwixt_core::causes::Causes;
use betwixt_core::edit::{Edit, EditFault};
use betwixt_core::id::ItemId;
use betwixt_core::list::List;
use betwixt_core::name::ListName;
use betwixt_core::register::Register;

use super::Site;
use super::whole::Whole;
use crate::LinkStatus;
use crate::replica::{Kept, Write};
use crate::store;
use crate::transfer::{Missing, Transfer, Written, carried};

/// What became of items that were to go to another list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moved {
    /// Where they were to go.
    pub to: ListName,
    /// How many are there, and not here any more.
    pub arrived: usize,
    /// How many are still here only.
    pub stayed: usize,
    /// Why some stayed.
    pub why: Option<String>,
}

/// Items as they are here: what each one carries.
type Carried = Vec<(ItemId, Vec<Register>)>;

/// What is told of items on their way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum News {
    /// They wait, and for what.
    Wait(String),
    /// That was all.
    Done(Moved),
}

impl Site {
    /// Takes down that items go to another list of the relay: on this machine's disk when it returns. [`Site::transfer`]
    /// carries it out, now or after a restart.
    ///
    /// # Errors
    ///
    /// The disk does not take it, the list was deleted, or one of them is itself on its way here still.
    pub fn send_off(&self, items: Vec<ItemId>, to: ListName) -> Result<u64, EditFault> {
        let number = self.shared.lock().plan(Transfer { to, items, written: None })?;
        self.shared.tell();
        Ok(number)
    }

    /// The items that are on their way to other lists, by number.
    #[must_use]
    pub fn transfers(&self) -> Vec<(u64, Transfer)> {
        self.shared.lock().transfers.iter().map(|(number, transfer)| (*number, transfer.clone())).collect()
    }

    /// Carries out what [`Site::send_off`] took down, however long it takes until there is a link; `to` is the list that
    /// they go to. Returns without [`News::Done`] if there is nothing of that number, or the disk does not take the end of
    /// it: it is left for the next time then, as it is when the future is dropped.
    pub async fn transfer(&self, number: u64, to: &Self, told: &mut impl FnMut(News)) -> bool {
        let (mut here_changes, mut there_changes) = (self.changes(), to.changes());
        let mut outcome = Outcome::default();
        let mut waits = None;
        loop {
            let Some(transfer) = self.shared.lock().transfers.get(&number).cloned() else { return false };
            outcome.take_back(to, &transfer);
            // First of all: what is read from then on is not in what is compared.
            let caught_up = self.has_caught_up();
            let here = self.read(|list| carried_of(list, &transfer.items, &outcome.refused));
            match to.status().link {
                LinkStatus::Gone => {
                    outcome.why = Some(format!("{} was deleted", to.name()));
                    break;
                }
                link => {
                    let reason = why_it_waits(&link, &to.name());
                    if let Some(reason) = reason.clone().filter(|_| waits != reason) {
                        told(News::Wait(reason));
                    }
                    waits = reason;
                }
            }
            match outcome.missing(to, &transfer, &here) {
                Some(edit) if to.knows_its_list() => {
                    let written = transfer.written.filter(|written| written.list == to.uid());
                    if written.is_none() && self.note_written(number, to).is_err() {
                        return false;
                    }
                    if let Err(fault) = to.edit(&edit) {
                        outcome.why = Some(Causes(&fault).to_string());
                        break;
                    }
                }
                None if caught_up && here.iter().all(|(item, _)| to.has_arrived(*item, &transfer)) => break,
                Some(_) | None => {}
            }
            let changed = tokio::select! {
                changed = there_changes.changed() => changed,
                changed = here_changes.changed() => changed,
            };
            if changed.is_err() {
                return false;
            }
        }
        let Some(moved) = self.arrive(number, to, outcome) else { return false };
        told(News::Done(moved));
        true
    }

    /// Whether what others have changed here is read, as far as it will be: it goes after the items before they leave.
    fn has_caught_up(&self) -> bool {
        !matches!(self.status().link, LinkStatus::CatchingUp { .. } | LinkStatus::Offline | LinkStatus::Silent)
    }

    /// Forgets a transfer; its items stay.
    pub(crate) fn forget_transfer(&self, number: u64) {
        // What the disk does not take now it takes with the next edit.
        let _ = self.shared.lock().end_transfer(number, Vec::new());
        self.shared.tell();
    }

    /// Whether this is the relay's list, and not one that was made here in place of one that nobody has read yet.
    fn knows_its_list(&self) -> bool {
        let whole = self.shared.lock();
        whole.status().link == LinkStatus::Live || !whole.replica.is_blank()
    }

    /// Takes down that what is written to `to` from now on is of this transfer.
    fn note_written(&self, number: u64, to: &Self) -> Result<(), EditFault> {
        let since = to.read(|list| list.highest().next());
        let written = Written { list: to.uid(), since };
        self.shared.lock().change_transfer(number, |transfer| transfer.written = Some(written))
    }

    /// Whether the relay has an item of a transfer in this list.
    ///
    /// One that was here before has arrived as well, unless it is about to leave.
    fn has_arrived(&self, item: ItemId, transfer: &Transfer) -> bool {
        let whole = self.shared.lock();
        let unsent = whole.replica.has_pending(item);
        let Some(there) = whole.replica.confirmed().item(item).filter(|_| !unsent) else { return false };
        let written = transfer.written.filter(|written| written.list == whole.uid());
        let leaves = || whole.transfers.values().any(|transfer| transfer.items.contains(&item));
        written.is_some_and(|written| written.has(there)) || (!there.deleted() && !leaves())
    }

    /// Takes down the end of a transfer: what the relay has there is deleted here.
    fn arrive(&self, number: u64, to: &Self, outcome: Outcome) -> Option<Moved> {
        let Outcome { refused, why, .. } = outcome;
        let transfer = self.shared.lock().transfers.get(&number).cloned()?;
        let here = self.read(|list| carried_of(list, &transfer.items, &refused));
        let (arrived, stayed): (Vec<ItemId>, Vec<ItemId>) =
            here.into_iter().map(|(item, _)| item).partition(|item| to.has_arrived(*item, &transfer));
        // Also those that somebody has deleted here meanwhile.
        let there = transfer.items.iter().filter(|item| !refused.contains(item) && to.has_arrived(**item, &transfer));
        let (there, stayed) = (there.count(), stayed.len() + refused.len());
        let done = self.shared.lock().end_transfer(number, arrived);
        self.shared.wake.notify_one();
        self.shared.tell();
        done.ok().map(|()| Moved { to: to.name(), arrived: there, stayed, why })
    }
}

/// How a transfer has gone so far, in this run of the program.
#[derive(Default)]
struct Outcome {
    /// What the relay did not take there; it is still here.
    refused: BTreeSet<ItemId>,
    why: Option<String>,
    /// What was written behind the items, so that what is refused is not written again and again.
    sent: BTreeMap<ItemId, Vec<Register>>,
}

impl Outcome {
    /// Takes what this transfer has written, and the relay refused, out of the other list's drawer: the items are here.
    fn take_back(&mut self, to: &Site, transfer: &Transfer) {
        let Some(Written { since, .. }) = transfer.written else { return };
        for (number, kept) in to.kept() {
            if let Kept::Refused { op, code } = kept
                && op.key().is_some()
                && op.hlc.tick >= since
                && let Some(item) = op.body.item().filter(|item| transfer.items.contains(item))
                && to.discard(number).is_ok()
            {
                self.refused.insert(item);
                self.why = Some(code.to_string());
            }
        }
    }

    /// What is still to be written there.
    fn missing(&mut self, to: &Site, transfer: &Transfer, here: &Carried) -> Option<Edit> {
        let written = transfer.written.filter(|written| written.list == to.uid());
        let site = to.people().1;
        let Missing { items, mut writes } = to.read(|list| Missing::of(here, list, written, site));
        if !items.is_empty() {
            return Some(Edit::TakeIn { items });
        }
        writes.retain(|(item, registers)| self.sent.get(item) != Some(registers));
        self.sent.extend(writes.iter().cloned());
        (!writes.is_empty()).then_some(Edit::Set { writes })
    }
}

/// Why nothing gets to a list for now, if it takes somebody who does something about it.
fn why_it_waits(link: &LinkStatus, name: &ListName) -> Option<String> {
    match link {
        LinkStatus::OtherList(_) => Some(format!("the relay has another list called {name}: decide there what to do")),
        LinkStatus::Damaged => Some(format!("{name} is damaged on the relay")),
        LinkStatus::NeedsNewer => Some(format!("{name} needs a newer betwixt")),
        LinkStatus::Version => Some("the relay speaks another version of the protocol".to_owned()),
        LinkStatus::Gone
        | LinkStatus::Live
        | LinkStatus::CatchingUp { .. }
        | LinkStatus::Offline
        | LinkStatus::Silent => None,
    }
}

/// Those of the items that are live here, with what they carry; without those that the other list did not take.
fn carried_of(list: &List, items: &[ItemId], refused: &BTreeSet<ItemId>) -> Carried {
    let live = items.iter().filter(|item| !refused.contains(item)).filter_map(|id| {
        let item = list.item(*id).filter(|item| !item.deleted())?;
        Some((*id, carried(item)))
    });
    live.collect()
}

impl Whole {
    pub(super) fn plan(&mut self, transfer: Transfer) -> Result<u64, EditFault> {
        if self.status().link == LinkStatus::Gone {
            return Err(EditFault::Gone);
        }
        let uid = self.uid();
        let coming = self.slot.with_store(|store| store::coming(store, uid)).map_err(|_unread| EditFault::Disk)?;
        if transfer.items.iter().any(|item| coming.contains(item)) {
            return Err(EditFault::Coming);
        }
        self.slot.mark().map_err(|_io| EditFault::Disk)?;
        let number = self.transfers.keys().next_back().map_or(1, |last| last + 1);
        self.backlog.push(Write::Transfer(number, transfer.clone()));
        if !self.commit() {
            self.backlog.pop();
            // A commit that failed may be on the disk all the same.
            self.backlog.push(Write::Transferred(number));
            return Err(EditFault::Disk);
        }
        self.transfers.insert(number, transfer);
        Ok(number)
    }

    fn change_transfer(&mut self, number: u64, change: impl FnOnce(&mut Transfer)) -> Result<(), EditFault> {
        let Some(mut transfer) = self.transfers.get(&number).cloned() else { return Ok(()) };
        change(&mut transfer);
        self.backlog.push(Write::Transfer(number, transfer.clone()));
        if !self.commit() {
            self.backlog.pop();
            return Err(EditFault::Disk);
        }
        self.transfers.insert(number, transfer);
        Ok(())
    }

    pub(super) fn end_transfer(&mut self, number: u64, arrived: Vec<ItemId>) -> Result<(), EditFault> {
        let end = Write::Transferred(number);
        // From a list that was deleted itself nothing needs to be taken away.
        if arrived.is_empty() || self.status().link == LinkStatus::Gone {
            self.backlog.push(end);
            if !self.commit() {
                return Err(EditFault::Disk);
            }
        } else {
            self.make(&Edit::GiveAway { items: arrived }, Some(end))?;
        }
        self.transfers.remove(&number);
        Ok(())
    }
}

//! Sending items to another list of the relay: there first, and gone from here when the relay has them there.

use std::collections::BTreeSet;

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
use crate::transfer::{Missing, Transfer, carried};

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

impl Site {
    /// Takes down that items go to another list of the relay: on this machine's disk when it returns. [`Site::transfer`]
    /// carries it out, now or after a restart.
    ///
    /// # Errors
    ///
    /// The disk does not take it, or the list was deleted.
    pub fn send_off(&self, items: Vec<ItemId>, to: ListName) -> Result<u64, EditFault> {
        let number = self.shared.lock().plan(Transfer { to, items })?;
        self.shared.tell();
        Ok(number)
    }

    /// The items that are on their way to other lists, by number.
    #[must_use]
    pub fn transfers(&self) -> Vec<(u64, Transfer)> {
        self.shared.lock().transfers.iter().map(|(number, transfer)| (*number, transfer.clone())).collect()
    }

    /// Carries out what [`Site::send_off`] took down, however long it takes until there is a link; `to` is the list that
    /// they go to. Returns `None` if there is nothing of that number, or the disk does not take the end of it: it is left for
    /// the next time then, as it is when the future is dropped.
    pub async fn transfer(&self, number: u64, to: &Self) -> Option<Moved> {
        let mut changes = to.changes();
        let mut is_written = false;
        let mut refused = BTreeSet::new();
        let mut why = None;
        loop {
            let Transfer { items, .. } = self.shared.lock().transfers.get(&number).cloned()?;
            for (item, reason) in to.take_back(&items) {
                refused.insert(item);
                why = Some(reason);
            }
            let here = self.read(|list| carried_of(list, &items, &refused));
            if let Some(closed) = to.why_closed() {
                why = Some(closed);
                break;
            }
            match to.missing(&here, is_written) {
                Some(edit) if to.knows_its_list() => {
                    if let Err(fault) = to.edit(&edit) {
                        why = Some(Causes(&fault).to_string());
                        break;
                    }
                    is_written = true;
                }
                None if to.has_confirmed(&here) => break,
                Some(_) | None => {}
            }
            changes.changed().await.ok()?;
        }
        self.arrive(number, to, &refused, why)
    }

    /// What is still to be written there. What this run has written is not written again, whatever became of it there.
    fn missing(&self, here: &Carried, is_written: bool) -> Option<Edit> {
        let Missing { items, writes } = self.read(|list| Missing::of(here, list));
        if !items.is_empty() && !is_written {
            return Some(Edit::TakeIn { items });
        }
        (!writes.is_empty()).then_some(Edit::Set { writes })
    }

    /// Whether this is the relay's list, and not one that was made here in place of one that nobody has read yet.
    fn knows_its_list(&self) -> bool {
        let whole = self.shared.lock();
        whole.status().link == LinkStatus::Live || !whole.replica.is_blank()
    }

    /// Why nothing gets to this list without somebody who decides.
    fn why_closed(&self) -> Option<String> {
        let name = self.name();
        match self.status().link {
            LinkStatus::Gone => Some(format!("{name} was deleted")),
            LinkStatus::OtherList(_) => Some(format!("the relay has another list called {name}")),
            LinkStatus::Damaged => Some(format!("{name} is damaged on the relay")),
            LinkStatus::NeedsNewer => Some(format!("{name} needs a newer betwixt")),
            LinkStatus::Version => Some("the relay speaks another version".to_owned()),
            LinkStatus::Live | LinkStatus::CatchingUp { .. } | LinkStatus::Offline | LinkStatus::Silent => None,
        }
    }

    /// Takes those of the items out of the drawer that the relay refused: they are still where they came from.
    fn take_back(&self, items: &[ItemId]) -> Vec<(ItemId, String)> {
        let mut refused = Vec::new();
        for (number, kept) in self.kept() {
            if let Kept::Refused { op, code } = kept
                && let Some(item) = op.body.item().filter(|item| items.contains(item))
                && self.discard(number).is_ok()
            {
                refused.push((item, code.to_string()));
            }
        }
        refused
    }

    /// Whether the relay has all of them in this list.
    fn has_confirmed(&self, items: &Carried) -> bool {
        let whole = self.shared.lock();
        let unsent: BTreeSet<ItemId> = whole.replica.pending().filter_map(|op| op.body.item()).collect();
        items.iter().all(|(item, _)| !unsent.contains(item) && whole.replica.confirmed().item(*item).is_some())
    }

    /// Takes down the end of a transfer: what the relay has there is deleted here.
    fn arrive(&self, number: u64, to: &Self, refused: &BTreeSet<ItemId>, why: Option<String>) -> Option<Moved> {
        let Transfer { to: name, items } = self.shared.lock().transfers.get(&number).cloned()?;
        let here = self.read(|list| carried_of(list, &items, refused));
        let (arrived, stayed): (Carried, Carried) =
            here.into_iter().partition(|item| to.has_confirmed(&vec![item.clone()]));
        // Also those that somebody has deleted here meanwhile.
        let there = items.iter().filter(|item| !refused.contains(item) && to.has_confirmed(&vec![(**item, vec![])]));
        let moved = Moved { to: name, arrived: there.count(), stayed: stayed.len() + refused.len(), why };
        let done = self.shared.lock().end_transfer(number, arrived.into_iter().map(|(item, _)| item).collect());
        self.shared.wake.notify_one();
        self.shared.tell();
        done.ok().map(|()| moved)
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

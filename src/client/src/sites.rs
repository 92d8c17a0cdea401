//! The lists that one slot has open on a relay, each of them once.

use std::sync::Arc;

use betwixt_core::name::ListName;
use tokio::sync::Mutex;

use crate::folder::Slot;
use crate::site::{News, Opening, Site, WholeError, rescue};
use crate::store::{self, LoadError};
use crate::transfer::{Transfer, Written};

/// The lists that one slot has open on a relay, each of them once: two sites on one replica would undo each other's work.
#[derive(Debug)]
pub struct Sites {
    slot: Arc<Slot>,
    /// With the name of whichever list.
    opening: Opening,
    /// Held while lists are opened or closed: one that is being closed must not be opened beside itself.
    open: Mutex<Open>,
}

#[derive(Debug, Default)]
struct Open {
    sites: Vec<Arc<Site>>,
    /// The one that a person looks at.
    shown: Option<Arc<Site>>,
}

impl Sites {
    /// None yet, in this slot. `opening` says how; its name does not count.
    #[must_use]
    pub fn new(slot: Arc<Slot>, opening: Opening) -> Self {
        Self { slot, opening, open: Mutex::default() }
    }

    /// Their slot.
    #[must_use]
    pub fn slot(&self) -> &Slot {
        &self.slot
    }

    /// The list of that name, opened if it is not. Needs a multi-threaded tokio runtime.
    ///
    /// # Errors
    ///
    /// The folder or the slot's replica cannot be read.
    pub async fn open(&self, name: &ListName) -> Result<Arc<Site>, WholeError> {
        let mut open = self.open.lock().await;
        self.open_in(&mut open, name)
    }

    /// The same, as the one list that a person looks at.
    ///
    /// # Errors
    ///
    /// As [`Sites::open`]; the list that was shown stays so.
    pub async fn show(&self, name: &ListName) -> Result<Arc<Site>, WholeError> {
        let mut open = self.open.lock().await;
        let site = self.open_in(&mut open, name)?;
        open.shown = Some(Arc::clone(&site));
        Ok(site)
    }

    fn open_in(&self, open: &mut Open, name: &ListName) -> Result<Arc<Site>, WholeError> {
        if let Some(site) = open.sites.iter().find(|site| site.name() == *name) {
            return Ok(Arc::clone(site));
        }
        let opening = Opening { name: name.clone(), ..self.opening.clone() };
        let site = Arc::new(Site::open(Arc::clone(&self.slot), opening)?);
        open.sites.push(Arc::clone(&site));
        Ok(site)
    }

    /// The lists of this slot, on this relay, that have something unsent or on its way; how many edits each.
    ///
    /// # Errors
    ///
    /// The slot's store cannot be read.
    pub fn unsent(&self) -> Result<Vec<(ListName, usize)>, LoadError> {
        let relay = self.opening.address.record();
        self.slot.with_store(|store| {
            let mut unsent = Vec::new();
            for (uid, meta) in store::lists(store)? {
                if meta.relay == relay && store::has_unsent(store, uid)? {
                    unsent.push((meta.name, store::pending_len(store, uid)?));
                }
            }
            Ok(unsent)
        })
    }

    /// Carries out what a list has on its way to others, until there is nothing more; `told` hears how each goes. May be
    /// dropped at any time, and called several times at once.
    ///
    /// # Errors
    ///
    /// A list cannot be opened; what is on its way stays so.
    pub async fn carry(&self, from: &ListName, mut told: impl FnMut(News)) -> Result<(), WholeError> {
        let from = self.open(from).await?;
        // One after the other: what another list refuses is told apart by the items of one transfer.
        let _turn = from.carrying().lock().await;
        while let Some((number, transfer)) = from.transfers().into_iter().next() {
            let to = self.target(&transfer).await?;
            // A list that was renamed to the name that they were to go to: they are there.
            if Arc::ptr_eq(&to, &from) {
                from.forget_transfer(number);
            } else if !from.transfer(number, &to, &mut told).await {
                break;
            }
        }
        Ok(())
    }

    /// The list that items go to: where they were written already, whatever it is called by now, or the one of the name.
    async fn target(&self, transfer: &Transfer) -> Result<Arc<Site>, WholeError> {
        if let Some(Written { list, .. }) = transfer.written {
            let open = self.open.lock().await.sites.iter().find(|site| site.uid() == list).cloned();
            if let Some(open) = open {
                return Ok(open);
            }
            let relay = self.opening.address.record();
            let known = self.slot.with_store(|store| store::meta(store, list))?;
            if let Some(meta) = known.filter(|meta| meta.relay == relay) {
                return self.open(&meta.name).await;
            }
        }
        self.open(&transfer.to).await
    }

    /// Sends what lists that nobody looks at have unsent, carries what they have on its way, and closes those that are done.
    pub async fn send_rest(&self) {
        // A slot that cannot be read now is tried again the next time.
        for (name, _) in self.unsent().unwrap_or_default() {
            let is_shown = self.open.lock().await.shown.as_ref().is_some_and(|shown| shown.name() == name);
            if !is_shown {
                rescue::send(self, &name).await;
            }
        }
        let mut open = self.open.lock().await;
        // Who else has one may write to it at any time; nobody gets another one while the lock is held.
        let (used, unused): (Vec<_>, Vec<_>) =
            std::mem::take(&mut open.sites).into_iter().partition(|site| Arc::strong_count(site) > 1);
        open.sites = used;
        for site in unused {
            site.close().await;
        }
    }

    /// Closes all lists, and waits until they are closed.
    pub async fn close(&self) {
        let mut open = self.open.lock().await;
        open.shown = None;
        for site in std::mem::take(&mut open.sites) {
            site.close().await;
        }
    }
}

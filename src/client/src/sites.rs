//! The lists that one slot has open on a relay, each of them once.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use betwixt_core::name::ListName;

use crate::folder::Slot;
use crate::site::{Moved, Opening, Site, WholeError};
use crate::store::{self, LoadError};

/// The lists that one slot has open on a relay, each of them once: two sites on one replica would undo each other's work.
#[derive(Debug)]
pub struct Sites {
    slot: Arc<Slot>,
    /// With the name of whichever list.
    opening: Opening,
    open: Mutex<Vec<Arc<Site>>>,
}

impl Sites {
    /// None yet, in this slot. `opening` says how; its name does not count.
    #[must_use]
    pub const fn new(slot: Arc<Slot>, opening: Opening) -> Self {
        Self { slot, opening, open: Mutex::new(Vec::new()) }
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
    pub fn open(&self, name: &ListName) -> Result<Arc<Site>, WholeError> {
        let mut open = self.lock();
        if let Some(site) = open.iter().find(|site| site.name() == *name) {
            return Ok(Arc::clone(site));
        }
        let opening = Opening { name: name.clone(), ..self.opening.clone() };
        let site = Arc::new(Site::open(Arc::clone(&self.slot), opening)?);
        open.push(Arc::clone(&site));
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

    /// Carries out what a list has on its way to others, until there is nothing more; `told` hears how each went. May be
    /// dropped at any time, and called several times at once.
    ///
    /// # Errors
    ///
    /// A list cannot be opened; what is on its way stays so.
    pub async fn carry(&self, from: &ListName, mut told: impl FnMut(Moved)) -> Result<(), WholeError> {
        let from = self.open(from)?;
        // One after the other: what another list refuses is told apart by the items of one transfer.
        let _turn = from.carrying().lock().await;
        while let Some((number, transfer)) = from.transfers().into_iter().next() {
            let to = self.open(&transfer.to)?;
            let Some(moved) = from.transfer(number, &to).await else { break };
            told(moved);
        }
        Ok(())
    }

    /// Closes all lists but one, and those that have something on its way to others; waits until they are closed.
    pub async fn close_all_but(&self, shown: Option<&ListName>) {
        let mut closed = Vec::new();
        {
            let mut open = self.lock();
            let wanted: BTreeSet<ListName> =
                open.iter().flat_map(|site| site.transfers().into_iter().map(|(_, transfer)| transfer.to)).collect();
            open.retain(|site| {
                let name = site.name();
                let stays = shown == Some(&name)
                    || (shown.is_some() && (wanted.contains(&name) || !site.transfers().is_empty()));
                if !stays {
                    closed.push(Arc::clone(site));
                }
                stays
            });
        }
        for site in closed {
            site.close().await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arc<Site>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

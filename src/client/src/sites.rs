//! The lists that one slot has open on a relay, each of them once.

use std::collections::BTreeSet;
use std::sync::Arc;

use betwixt_core::name::ListName;
use tokio::sync::Mutex;

use crate::folder::Slot;
use crate::site::{Moved, Opening, Site, WholeError, rescue};
use crate::store::{self, LoadError};

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

    /// Carries out what a list has on its way to others, until there is nothing more; `told` hears how each went. May be
    /// dropped at any time, and called several times at once.
    ///
    /// # Errors
    ///
    /// A list cannot be opened; what is on its way stays so.
    pub async fn carry(&self, from: &ListName, mut told: impl FnMut(Moved)) -> Result<(), WholeError> {
        let from = self.open(from).await?;
        // One after the other: what another list refuses is told apart by the items of one transfer.
        let _turn = from.carrying().lock().await;
        while let Some((number, transfer)) = from.transfers().into_iter().next() {
            let to = self.open(&transfer.to).await?;
            let Some(moved) = from.transfer(number, &to).await else { break };
            told(moved);
        }
        Ok(())
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
        let on_its_way = open.sites.iter().flat_map(|site| site.transfers());
        let wanted: BTreeSet<ListName> = on_its_way.map(|(_, transfer)| transfer.to).collect();
        let (mut used, mut unused) = (Vec::new(), Vec::new());
        for site in std::mem::take(&mut open.sites) {
            let is_shown = open.shown.as_ref().is_some_and(|shown| Arc::ptr_eq(shown, &site));
            let is_used = is_shown || !site.transfers().is_empty() || wanted.contains(&site.name());
            if is_used { used.push(site) } else { unused.push(site) }
        }
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

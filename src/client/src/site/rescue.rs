//! Sending what windows that were closed have left unsent: their slots are taken, one session each, until they are empty.

use std::sync::Arc;
use std::time::Duration;

use betwixt_core::name::ListName;

use super::{Opening, Site, os_random};
use crate::LinkStatus;
use crate::folder::{FolderError, Slot};
use crate::store::{self, LoadError};

/// How long one slot may take before it is given back, for another try later.
const SLOT_MAX: Duration = Duration::from_secs(30);

/// Takes the folder's free slots that have unsent edits for this relay, and sends them. `left` is told how many edits are
/// still unsent, now and as they go; what cannot be sent is counted to the end.
///
/// # Errors
///
/// No free slot can be opened.
pub async fn rescue(opening: &Opening, mut left: impl FnMut(usize)) -> Result<(), FolderError> {
    let slots = opening.folder.stranded(&mut os_random)?;
    let slots: Vec<(Arc<Slot>, Unsent)> = slots
        .into_iter()
        .map(|slot| (unsent(&slot, opening), Arc::new(slot)))
        .map(|(lists, slot)| (slot, lists))
        .collect();
    let mut total: usize = slots.iter().flat_map(|(_, lists)| lists).map(|(_, unsent)| unsent).sum();
    left(total);
    for (slot, lists) in slots {
        for (name, len) in lists {
            let opening = Opening { name, ..opening.clone() };
            if let Ok(site) = Site::open(Arc::clone(&slot), opening) {
                site.wait_until(SLOT_MAX, |status| status.unsent == 0 || is_stuck(&status.link)).await;
                total = (total + site.status().unsent).saturating_sub(len);
                site.close().await;
            }
            left(total);
        }
        slot.unmark_if_sent();
    }
    Ok(())
}

/// Names of lists, and how many unsent edits they have.
type Unsent = Vec<(ListName, usize)>;

/// Whether nothing more goes out without somebody who decides.
const fn is_stuck(link: &LinkStatus) -> bool {
    match link {
        LinkStatus::OtherList(_)
        | LinkStatus::Gone
        | LinkStatus::NeedsNewer
        | LinkStatus::Damaged
        | LinkStatus::Version => true,
        LinkStatus::Live | LinkStatus::CatchingUp { .. } | LinkStatus::Offline | LinkStatus::Silent => false,
    }
}

/// The lists of a slot that have unsent edits for this relay, and how many.
fn unsent(slot: &Slot, opening: &Opening) -> Unsent {
    let relay = opening.address.record();
    let lists = slot.with_store(|store| {
        let mut unsent = Vec::new();
        for (uid, meta) in store::lists(store)? {
            let pending = store::pending_len(store, uid)?;
            if pending > 0 && meta.relay == relay {
                unsent.push((meta.name, pending));
            }
        }
        Ok::<_, LoadError>(unsent)
    });
    lists.unwrap_or_default()
}

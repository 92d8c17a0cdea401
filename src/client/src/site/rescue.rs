//! Sending what windows that were closed have left unsent: their slots are taken, one session each, until they are empty.

use std::sync::Arc;
use std::time::Duration;

use betwixt_core::name::ListName;

use super::{Opening, os_random};
use crate::folder::FolderError;
use crate::{LinkStatus, Sites};

/// How long one list of a slot may take before the slot is given back, for another try later.
const LIST_MAX: Duration = Duration::from_secs(30);

/// Takes the folder's free slots that have unsent edits for this relay, and sends them. `left` is told how many edits are
/// still unsent, now and as they go; what cannot be sent is counted to the end.
///
/// # Errors
///
/// No free slot can be opened.
pub async fn rescue(opening: &Opening, mut left: impl FnMut(usize)) -> Result<(), FolderError> {
    let slots = opening.folder.stranded(&mut os_random)?;
    let slots: Vec<(Sites, Unsent)> = slots
        .into_iter()
        .map(|slot| Sites::new(Arc::new(slot), opening.clone()))
        // One that cannot be read is its own window's trouble.
        .map(|sites| (sites.unsent().unwrap_or_default(), sites))
        .map(|(lists, sites)| (sites, lists))
        .collect();
    let mut total: usize = slots.iter().flat_map(|(_, lists)| lists).map(|(_, unsent)| unsent).sum();
    left(total);
    for (sites, lists) in slots {
        for (name, len) in lists {
            total = (total + send(&sites, &name).await.unwrap_or(len)).saturating_sub(len);
            left(total);
        }
        sites.close().await;
        sites.slot().unmark_if_sent();
    }
    Ok(())
}

/// Names of lists, and how many unsent edits they have.
type Unsent = Vec<(ListName, usize)>;

/// Sends what a list of a slot has unsent, and carries what it has on its way; returns how many edits are left. `None` if the
/// list cannot be opened.
pub async fn send(sites: &Sites, name: &ListName) -> Option<usize> {
    let site = sites.open(name).await.ok()?;
    site.wait_until(LIST_MAX, |status| status.unsent == 0 || is_stuck(&status.link)).await;
    // What is still on its way is tried again with the next rescue.
    let _ = tokio::time::timeout(LIST_MAX, sites.carry(name, |_news| {})).await;
    site.wait_until(LIST_MAX, |status| status.unsent == 0 || is_stuck(&status.link)).await;
    Some(site.status().unsent)
}

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

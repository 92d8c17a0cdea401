//! What a link is told of the lists that there are.

use std::sync::Arc;

use betwixt_core::wire::{CloseReason, Listing, ToSite};

use super::reader::Ended;
use crate::engine::{Engine, Page};
use crate::worker::RETRY_STORAGE;

/// Bytes of a prefix that is answered. No name is as long, and the answer repeats it.
const PREFIX_BYTES_MAX: usize = 1024;

/// The answer to a site that asks which lists there are.
///
/// It reads what is durable, and needs no worker: a list is there from its first durable entry on.
///
/// # Errors
///
/// The store cannot be read now.
pub(super) async fn lists(engine: &Arc<dyn Engine>, asked: Listing) -> Result<ToSite, Ended> {
    if asked.prefix.len() > PREFIX_BYTES_MAX {
        return Ok(ToSite::Unreadable);
    }
    let engine = Arc::clone(engine);
    let found = tokio::task::spawn_blocking(move || engine.lists(&asked).map(|page| (asked, page))).await;
    // A panic is one of the store's, over pages that are not what they were.
    let Ok(Ok((asked, Page { lists, more }))) = found else {
        return Err(Ended::Because(CloseReason::Storage, RETRY_STORAGE));
    };
    Ok(ToSite::Lists { asked, lists, more })
}

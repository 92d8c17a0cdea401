//! Which lists a folder knows by name, and when it may forget one.

use betwixt_core::id::ListUid;
use betwixt_core::name::ListName;
use betwixt_store::Store;

use super::{Folder, FolderError, Lists, SLOTS_MAX, Slot};
use crate::replica::Randomness;
use crate::store::{self, LoadError};

/// What the slots of a folder have of a list that no relay has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unsent {
    /// Nothing.
    None,
    /// So many edits.
    Edits(usize),
    /// Something perhaps: a slot with unsent edits, of this list or of others, belongs to another process or cannot be read.
    Unknown,
}

impl Folder {
    /// The lists that this folder knows of a relay, in the order of their names.
    ///
    /// # Errors
    ///
    /// The record cannot be read.
    pub fn lists_at(&self, relay: &str) -> Result<Vec<(ListName, ListUid)>, FolderError> {
        let mut lists = self.read_lists()?;
        Ok(lists.relays.remove(relay).unwrap_or_default().into_iter().collect())
    }

    /// Forgets that the list of that name on that relay is this one, if it is: the name is free for another.
    ///
    /// # Errors
    ///
    /// The record cannot be read or written.
    pub fn forget_list(&self, relay: &str, name: &ListName, uid: ListUid) -> Result<(), FolderError> {
        let is_it = |lists: &Lists| lists.relays.get(relay).and_then(|lists| lists.get(name)) == Some(&uid);
        if !is_it(&self.read_lists()?) {
            return Ok(());
        }
        self.change_lists(|lists| {
            if is_it(lists)
                && let Some(lists) = lists.relays.get_mut(relay)
            {
                lists.remove(name);
            }
        })
    }

    /// Forgets that the list of that name on that relay is this one, unless a slot may have unsent edits of it, which whoever
    /// asks again is told of again.
    ///
    /// # Errors
    ///
    /// The record cannot be read or written, or a slot that has unsent edits cannot be opened.
    pub fn forget_if_sent(
        &self,
        relay: &str,
        name: &ListName,
        uid: ListUid,
        random: Randomness<'_>,
    ) -> Result<Unsent, FolderError> {
        let unsent = self.unsent(uid, random)?;
        if unsent == Unsent::None {
            self.forget_list(relay, name, uid)?;
        }
        Ok(unsent)
    }

    /// What the folder's slots have unsent of a list. Looks into those alone that are marked.
    ///
    /// # Errors
    ///
    /// A slot that has unsent edits cannot be opened.
    pub fn unsent(&self, uid: ListUid, random: Randomness<'_>) -> Result<Unsent, FolderError> {
        let (mut edits, mut is_hidden) = (0, false);
        for path in (0..SLOTS_MAX).map(|n| self.slot_path(n)).take_while(|path| path.exists()) {
            if !path.join("pending").exists() {
                continue;
            }
            match Slot::try_open(&path, random)? {
                Some(slot) => match slot.with_store(|store| unsent_in(store, uid)) {
                    Ok(unsent) => edits += unsent,
                    Err(_unread) => is_hidden = true,
                },
                None => is_hidden = true,
            }
        }
        Ok(match edits {
            0 if is_hidden => Unsent::Unknown,
            0 => Unsent::None,
            edits => Unsent::Edits(edits),
        })
    }
}

/// Edits that are not sequenced, and items on their way to other lists.
fn unsent_in(store: &impl Store, uid: ListUid) -> Result<usize, LoadError> {
    let on_their_way: usize = store::transfers(store, uid)?.values().map(|transfer| transfer.items.len()).sum();
    Ok(store::pending_len(store, uid)? + on_their_way)
}

//! A list that somebody has deleted on the relay: its name is free again, and what was not sent stays here until the person
//! has decided.

use std::path::PathBuf;

use super::Site;
use super::choice::ChoiceError;
use super::whole::{Whole, fresh_uid};
use crate::LinkStatus;
use crate::store;

impl Site {
    /// Forgets a deleted list, and what was not sent of it; the site goes on with the list that has its name now, or with a
    /// new one.
    ///
    /// # Errors
    ///
    /// The list was not deleted, or the data folder cannot be used.
    pub fn let_go(&self) -> Result<(), ChoiceError> {
        self.shared.lock().part_from_gone()?;
        self.shared.wake.notify_one();
        self.shared.tell();
        Ok(())
    }

    /// Writes the list as shown, with what was not sent, to a Markdown file in the data folder's `exports`, and `unwritten`
    /// texts as items behind it. Returns the file.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub fn export(&self, unwritten: &[String]) -> Result<PathBuf, ChoiceError> {
        self.shared.lock().export(unwritten)
    }
}

impl Whole {
    /// The list was deleted. Whoever has nothing in it goes on with the name; others are told first.
    pub(super) fn note_gone(&mut self) {
        let forgotten = self.forget_name();
        if self.replica.is_blank() && forgotten.is_ok() {
            // What cannot be opened now is found out again at the next start.
            let _ = self.start_anew();
        }
    }

    /// Forgets a deleted list.
    pub(super) fn part_from_gone(&mut self) -> Result<(), ChoiceError> {
        if self.status().link != LinkStatus::Gone {
            return Err(ChoiceError::NotGone);
        }
        let gone = self.uid();
        self.start_anew()?;
        // A replica that stays behind costs its bytes, and is asked about once more.
        let _ = self.slot.commit(&store::remove(gone));
        Ok(())
    }

    /// Becomes a replica of the list that has this name now, or of a new one.
    fn start_anew(&mut self) -> Result<(), ChoiceError> {
        self.forget_name()?;
        let opening = &self.opening;
        let uid = opening.folder.list_uid(&opening.address.record(), &opening.name, fresh_uid())?;
        self.adopt(uid)?;
        Ok(())
    }

    fn forget_name(&self) -> Result<(), ChoiceError> {
        let opening = &self.opening;
        Ok(opening.folder.forget_list(&opening.address.record(), &opening.name, self.uid())?)
    }
}

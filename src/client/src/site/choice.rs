//! What a person decides when the relay has another list of that name. Until then nothing is given to it.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::PathBuf;

use betwixt_core::edit::Edit;
use betwixt_core::formats::{Draft, Format, export};
use betwixt_core::id::{ItemId, ListUid};
use betwixt_core::name::ListName;
use betwixt_core::register::Register;

use super::Site;
use super::whole::{Whole, WholeError};
use crate::LinkStatus;
use crate::folder::FolderError;
use crate::replica::Kept;
use crate::store;
use crate::transfer::carried;

/// Items of a list that wait until the other list is read, to be added to it.
#[derive(Debug)]
pub(super) struct Merging {
    /// The list that they are from; its replica is kept until they are added.
    from: ListUid,
    items: Vec<(ItemId, Vec<Register>)>,
    kept: Vec<Kept>,
}

/// Why a decision is not carried out. Nothing has changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ChoiceError {
    /// There is nothing to decide.
    #[error("the relay has no other list of that name")]
    NoChoice,
    /// This folder has a list of that name already.
    #[error("there is a list called {0} here already")]
    NameTaken(ListName),
    /// There is nothing to let go of.
    #[error("the list was not deleted")]
    NotGone,
    /// The data folder or the replica cannot be used.
    #[error(transparent)]
    Whole(#[from] WholeError),
    /// The export cannot be written.
    #[error("cannot write {}", path.display())]
    Export {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

impl From<FolderError> for ChoiceError {
    fn from(error: FolderError) -> Self {
        Self::Whole(error.into())
    }
}

impl Site {
    /// Adds what is in this list to the relay's, behind what is there, and goes on with that.
    ///
    /// # Errors
    ///
    /// There is no other list, or the replica of it cannot be opened.
    pub fn merge(&self) -> Result<(), ChoiceError> {
        self.decide(|whole, other| {
            let shown = whole.replica.shown();
            let kept = whole.replica.kept().values().cloned().collect();
            let items = shown.live().map(|(id, item)| (id, carried(item)));
            let merging = Merging { from: shown.uid(), items: items.collect(), kept };
            // Until the items are pending in the other list, the folder says that the name is this list's: what happens
            // in between, the choice comes again.
            whole.adopt(other)?;
            whole.merging = Some(merging);
            Ok(())
        })
    }

    /// Keeps this list, under another name on the relay.
    ///
    /// # Errors
    ///
    /// There is no other list, the folder has one of that name, or its record cannot be written.
    pub fn keep_as(&self, name: &ListName) -> Result<(), ChoiceError> {
        self.decide(|whole, other| {
            let relay = whole.opening.address.record();
            if whole.opening.folder.lists_at(&relay)?.iter().any(|(known, _)| known == name) {
                return Err(ChoiceError::NameTaken(name.clone()));
            }
            whole.opening.folder.set_list_uid(&relay, name, whole.uid())?;
            whole.opening.folder.set_list_uid(&relay, &whole.opening.name, other)?;
            whole.opening.name = name.clone();
            whole.rename(name);
            Ok(())
        })
    }

    /// Writes this list to a Markdown file in the data folder's `exports`, and goes on with the relay's. Returns the file.
    ///
    /// # Errors
    ///
    /// There is no other list, or the file cannot be written.
    pub fn export_and_leave(&self) -> Result<PathBuf, ChoiceError> {
        self.decide(|whole, other| {
            let path = whole.export(&[])?;
            let old = whole.uid();
            whole.adopt(other)?;
            whole.opening.folder.set_list_uid(&whole.opening.address.record(), &whole.opening.name, other)?;
            // A replica that stays behind costs its bytes and nothing else.
            let _ = whole.slot.commit(&store::remove(old));
            Ok(path)
        })
    }

    fn decide<R>(
        &self,
        carry_out: impl FnOnce(&mut Whole, ListUid) -> Result<R, ChoiceError>,
    ) -> Result<R, ChoiceError> {
        let mut whole = self.shared.lock();
        let LinkStatus::OtherList(other) = whole.status().link else { return Err(ChoiceError::NoChoice) };
        let done = carry_out(&mut whole, other)?;
        drop(whole);
        self.shared.wake.notify_one();
        self.shared.tell();
        Ok(done)
    }
}

impl Whole {
    /// Takes the relay's list of this name for ours, which had nothing in it.
    ///
    /// Nothing in this slot: where another slot of the folder has written to ours, its edits would be out of sight from
    /// then on. So the choice is open in this slot as it is in that one.
    pub(super) fn take_over(&mut self, uid: ListUid) {
        let blank = self.uid();
        if self.opening.folder.is_written(blank).unwrap_or(true) {
            self.session.leave_open(uid);
            return;
        }
        let relay = self.opening.address.record();
        // What cannot be recorded now is found out again at the next start.
        let _ = self.opening.folder.set_list_uid(&relay, &self.opening.name, uid);
        if self.adopt(uid).is_ok() {
            let _ = self.slot.commit(&store::remove(blank));
        }
    }

    /// Adds the items that wait, once the list that they go to is read.
    pub(super) fn go_on_merging(&mut self) {
        if self.merging.is_none() || self.status().link != LinkStatus::Live {
            return;
        }
        let Some(Merging { from, items, kept }) = self.merging.take() else { return };
        // Under the ids that they have: where the program ends in between, the next time adds nothing.
        let add = Edit::TakeIn { items };
        match self.edit(&add) {
            Ok(_) => {
                let relay = self.opening.address.record();
                let recorded = self.opening.folder.set_list_uid(&relay, &self.opening.name, self.uid());
                for kept in kept {
                    self.replica.keep(kept, &mut self.backlog);
                }
                if self.commit() && recorded.is_ok() {
                    let _ = self.slot.commit(&store::remove(from));
                }
            }
            Err(_fault) => {
                let Edit::TakeIn { items } = add else { return };
                self.merging = Some(Merging { from, items, kept });
            }
        }
    }

    /// Writes the list as shown, and these texts behind it, to a file of its own.
    pub(super) fn export(&self, more: &[String]) -> Result<PathBuf, ChoiceError> {
        let folder = self.opening.folder.path().join("exports");
        let path = folder.join(format!("{}-{}.md", self.opening.name, self.uid()));
        let write = || {
            fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
            let mut file = File::options().write(true).create(true).truncate(true).mode(0o600).open(&path)?;
            let shown = self.replica.shown();
            let more = more.iter().map(|text| Draft { text: text.into(), ..Draft::default() });
            let items: Vec<Draft> = shown.live().map(|(_, item)| Draft::from(item)).chain(more).collect();
            let text = export(Format::Markdown, shown.title().unwrap_or_default(), &items);
            file.write_all(text.as_bytes())?;
            file.sync_all()
        };
        write().map_err(|source| ChoiceError::Export { path: path.clone(), source })?;
        Ok(path)
    }
}

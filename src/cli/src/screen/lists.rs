//! What the model asks about other lists: which there are, opening one, its title, deleting it, sending items there.
//!
//! Whatever waits for a relay goes on in a task of its own, and its answer comes back as a message.

use std::sync::Arc;
use std::time::Duration;

use betwixt_client::LinkStatus;
use betwixt_client::directory::{self, Deleted, Page};
use betwixt_client::folder::FolderError;
use betwixt_client::site::{Moved, News, Opening};
use betwixt_core::causes::Causes;
use betwixt_core::edit::Edit;
use betwixt_core::id::{ItemId, ListUid};
use betwixt_core::name::ListName;
use betwixt_core::wire::Listing;
use betwixt_tui::{Model, Msg};

use super::{Screen, look, tell};

/// How long another list's title may take to be sent before the person is told that it is kept.
const TITLE_MAX: Duration = Duration::from_secs(5);

impl Screen {
    /// Asks the relay for lists.
    pub(super) fn ask_lists(&self, asked: Listing) {
        let address = self.opening.address.clone();
        self.answer_later(async move {
            match directory::page(&address, asked.clone()).await {
                Ok(Page { lists, more }) => Msg::Lists { asked, lists, more },
                Err(fault) => Msg::ListsFailed { asked, why: Causes(&fault).to_string() },
            }
        });
    }

    /// Shows another list in place of this one; returns what the model must hear of it, or of why not.
    pub(super) async fn open_list(&mut self, name: &ListName) -> Vec<Msg> {
        let opened = self.sites.show(name).await;
        let site = match opened {
            Ok(site) => site,
            Err(fault) => return vec![Msg::Notice(Causes(&fault).to_string())],
        };
        // What was deleted, and has nothing that was not sent, makes room for the next list of its name.
        let is_empty = site.status().unsent == 0 && site.kept().is_empty() && site.transfers().is_empty();
        if site.status().link == LinkStatus::Gone && is_empty {
            // Where that fails it is shown as deleted, and the person can try again.
            let _ = site.let_go();
        }
        self.changes = site.changes();
        self.site = site;
        self.opening.name = name.clone();
        // Without it the next start opens another list.
        let _ = self.opening.folder.set_last_list(name);
        let command = look::command_for(name, self.given.as_ref());
        let before = std::mem::replace(&mut self.model, Model::new(self.setup.clone()));
        self.model = before.switched(name.clone(), command);
        self.told = tell::Told::default();
        self.carry_transfers();
        self.errands.send_modify(|errands| *errands += 1);
        self.news().into_iter().chain(known(&self.opening).ok()).collect()
    }

    /// Gives another list a title.
    pub(super) fn title(&self, list: ListName, title: String) {
        let sites = Arc::clone(&self.sites);
        self.answer_later(async move {
            let site = match sites.open(&list).await {
                Ok(site) => site,
                Err(fault) => return Msg::Notice(Causes(&fault).to_string()),
            };
            // A list that was never read is not made here for the sake of its title.
            let is_read = site.wait_until(TITLE_MAX, |status| status.link == LinkStatus::Live).await;
            if !is_read && site.mark().seq == 0 {
                return Msg::Notice(format!("the title of {list} was not changed: there is no link to its relay"));
            }
            if let Err(fault) = site.edit(&Edit::Title(title.as_str().into())) {
                return Msg::Notice(Causes(&fault).to_string());
            }
            if !site.wait_until(TITLE_MAX, |status| status.unsent == 0).await {
                return Msg::Notice(format!("the title of {list} is kept here, and not sent yet"));
            }
            Msg::Titled { list, title }
        });
    }

    /// Deletes a list for everybody.
    pub(super) fn delete_list(&self, name: ListName, uid: ListUid) {
        let (address, folder) = (self.opening.address.clone(), self.opening.folder.clone());
        self.answer_later(async move {
            let why = match directory::delete(&address, &name, uid).await {
                Ok(Deleted::Gone) => {
                    // A name that is not forgotten now is when the list is opened again.
                    let _ = folder.forget_list(&address.record(), &name, uid);
                    return Msg::ListDeleted(name);
                }
                Ok(Deleted::OtherList(_)) => "another list has that name by now".to_owned(),
                Err(fault) => Causes(&fault).to_string(),
            };
            Msg::ListNotDeleted { list: name, why }
        });
    }

    /// Sends items to another list.
    pub(super) fn move_to(&self, mut items: Vec<ItemId>, list: ListName) -> Option<Msg> {
        let under_way: Vec<ItemId> =
            self.site.transfers().into_iter().flat_map(|(_, transfer)| transfer.items).collect();
        items.retain(|item| !under_way.contains(item));
        if items.is_empty() {
            return Some(Msg::Notice("they are on their way already".to_owned()));
        }
        if let Err(fault) = self.site.send_off(items, list) {
            return Some(Msg::Notice(Causes(&fault).to_string()));
        }
        self.carry_transfers();
        None
    }

    /// Carries what the open list has on its way to others.
    pub(super) fn carry_transfers(&self) {
        if self.site.transfers().is_empty() {
            return;
        }
        let (sites, from, answers) = (Arc::clone(&self.sites), self.site.name(), self.answers.clone());
        let opening = self.opening.clone();
        tokio::spawn(async move {
            let told = |news| {
                let line = match news {
                    News::Wait(why) => format!("moving waits: {why}"),
                    News::Done(moved) => tell_moved(&moved),
                };
                // The screen has ended: whoever opens the list next sees it.
                let _ = answers.send(Msg::Notice(line));
                // A list that was made for them is known from here on.
                let _ = known(&opening).map(|known| answers.send(known));
            };
            if let Err(fault) = sites.carry(&from, told).await {
                let _ = answers.send(Msg::Notice(Causes(&fault).to_string()));
            }
        });
    }

    /// Has something done, and feeds the model with the answer.
    fn answer_later(&self, work: impl Future<Output = Msg> + Send + 'static) {
        let answers = self.answers.clone();
        tokio::spawn(async move {
            // The screen has ended: nobody waits for it.
            let _ = answers.send(work.await);
        });
    }
}

/// The lists that this folder knows.
pub(super) fn known(opening: &Opening) -> Result<Msg, FolderError> {
    let lists = opening.folder.lists_at(&opening.address.record())?;
    Ok(Msg::Known(lists.into_iter().map(|(name, _)| name).collect()))
}

fn tell_moved(Moved { to, arrived, stayed, why }: &Moved) -> String {
    let items = |count: usize| if count == 1 { "1 item".to_owned() } else { format!("{count} items") };
    let stay = if *stayed == 1 { "stays" } else { "stay" };
    match (why.as_deref().filter(|_| *stayed > 0), arrived) {
        (None, arrived) => format!("{} moved to {to}", items(*arrived)),
        (Some(why), 0) => format!("{} {stay} here: {why}", items(*stayed)),
        (Some(why), arrived) => format!("{} moved to {to}, {stayed} {stay} here: {why}", items(*arrived)),
    }
}

//! `betwixt delete`: a list goes, for everybody.

use betwixt_client::directory::{self, Deleted};
use betwixt_client::folder::Unsent;
use betwixt_client::reader::{From, News, Reader};
use betwixt_client::site::os_random;
use betwixt_core::id::ListUid;
use betwixt_core::name::ListName;
use serde_json::json;

use super::reach::{self, Reach, no_list};
use crate::args::{Delete, Place};
use crate::print;
use crate::report::Report;

/// Deletes a list, if that is meant.
pub(crate) fn run(place: &Place, delete: &Delete) -> Result<(), Report> {
    let name = &delete.list;
    reach::run(place, async |reach| {
        let found = reach.find(&reach.address, name).await?;
        if !delete.yes {
            let Some(found) = found else { return Err(no_list(name)) };
            let stays = match reach.folder.unsent(found.uid, &mut os_random)? {
                Unsent::Edits(edits) => format!("; {edits} edits of this folder were never sent, and stay here"),
                Unsent::None | Unsent::Unknown => String::new(),
            };
            let items = items(reach, name).await.map_or_else(String::new, |items| format!(" with its {items} items"));
            return Err(Report::new(format!(
                "`betwixt delete {name} --yes` deletes {name}{items}, for everybody and for good{stays}"
            )));
        }
        let relay = reach.address.record();
        // One that the relay does not have any more may be known here still.
        let known = reach.folder.lists_at(&relay)?.into_iter().find(|(known, _)| known == name).map(|(_, uid)| uid);
        let Some(uid) = found.as_ref().map(|found| found.uid).or(known) else { return Err(no_list(name)) };
        if found.is_some() {
            ask(reach, name, uid).await?;
        }
        let unsent = reach.folder.forget_if_sent(&relay, name, uid, &mut os_random)?;
        let was_there = found.is_some();
        if place.json {
            let unsent = match unsent {
                Unsent::None => Some(0),
                Unsent::Edits(edits) => Some(edits),
                Unsent::Unknown => None,
            };
            return print::json(&json!({
                "list": name.as_str(), "uid": uid.to_string(), "deleted": was_there, "unsent": unsent,
            }));
        }
        let said = if was_there { "deleted" } else { "the relay does not have it; forgotten here" };
        let kept = match unsent {
            Unsent::None => said.to_owned(),
            Unsent::Edits(edits) => format!(
                "{}; {edits} edits of this folder were never sent and are kept: `betwixt export {name}` prints the list as \
                 it is here",
                if was_there { "deleted" } else { "the relay does not have it" }
            ),
            Unsent::Unknown => format!(
                "{}; a window that is open has unsent edits, so that its name is kept here: `betwixt export {name}` prints \
                 the list as it is here",
                if was_there { "deleted" } else { "the relay does not have it" }
            ),
        };
        print::lines(std::iter::once(kept))
    })
}

/// Has the relay delete the list, which may have been deleted by an earlier try whose answer was lost.
async fn ask(reach: &Reach, name: &ListName, uid: ListUid) -> Result<(), Report> {
    let deleted = reach.ask(&reach.address, async || directory::delete(&reach.address, name, uid).await).await?;
    match deleted {
        Deleted::Gone => Ok(()),
        Deleted::OtherList(_) => Err(Report::new(format!("another list is called {name} by now: nothing was deleted"))),
    }
}

/// How many items the list has, if that can be found out in time.
async fn items(reach: &Reach, name: &ListName) -> Option<usize> {
    let mut reader = Reader::start(reach.reading(name).await.ok()?, From::Head);
    let reached = async {
        loop {
            match reader.next().await {
                Some(News::Reached(state)) => return Some(state.items),
                Some(News::Told(_) | News::Skipped(_)) => {}
                _ => return None,
            }
        }
    };
    let items = tokio::time::timeout(reach.place.wait, reached).await.ok().flatten();
    reader.close().await;
    items
}

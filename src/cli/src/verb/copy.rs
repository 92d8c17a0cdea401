//! `betwixt copy`: title and items of a list, brought to another relay as a new list.

use betwixt_client::{LinkStatus, Site};
use betwixt_core::edit::{Edit, Spot};
use betwixt_core::formats::Draft;
use betwixt_core::name::ListName;
use serde_json::json;

use super::link::{stuck, unlinked};
use super::reach::{self, Reach, Unanswered, no_list};
use super::sending::Sending;
use crate::args::{Copy, Place};
use crate::print;
use crate::report::Report;

/// What is brought over.
struct Cargo {
    title: String,
    items: Vec<Draft>,
}

/// Copies a list.
pub(crate) fn run(place: &Place, copy: &Copy) -> Result<(), Report> {
    reach::run(place, async |reach| {
        let slot = reach.lease()?;
        let cargo = {
            must_be_known(reach, &copy.list).await?;
            let source = reach.open(&slot, &reach.address, &copy.list).await?;
            let cargo = load(place, &source);
            source.close().await;
            cargo?
        };
        reach.wait_anew();
        let name = copy.called.as_ref().unwrap_or(&copy.list);
        // Before anything is made here: a relay that does not answer is told of, and leaves no trace.
        let found = reach
            .find(&copy.to, name)
            .await
            .map_err(|unanswered| Report::new(format!("nothing was copied: {}", Report::from(unanswered))))?;
        let target = reach.open(&slot, &copy.to, name).await?;
        let done = unload(reach, copy, &target, cargo, found.is_some()).await;
        target.close().await;
        done
    })
}

/// A list is opened only where there is one, so that a slip of the pen makes none.
async fn must_be_known(reach: &Reach, name: &ListName) -> Result<(), Report> {
    let missing = match reach.find(&reach.address, name).await {
        Ok(Some(_)) => return Ok(()),
        Ok(None) => no_list(name),
        Err(Unanswered::Offline(why)) => Report::new(why),
        Err(Unanswered::Fault(report)) => return Err(report),
    };
    let known = reach.folder.lists_at(&reach.address.record())?;
    if known.iter().any(|(known, _)| known == name) { Ok(()) } else { Err(missing) }
}

fn load(place: &Place, source: &Site) -> Result<Cargo, Report> {
    if let Some(why) = unlinked(source, place) {
        print::note(&format!("{why}; this copies what is kept here"));
    }
    let cargo = source.read(|list| Cargo {
        title: list.title().unwrap_or_default().to_owned(),
        items: list.live().map(|(_, item)| Draft::from(item)).collect(),
    });
    if cargo.title.is_empty() && cargo.items.is_empty() {
        return Err(Report::new(format!("nothing to copy: {} is empty", source.name())));
    }
    Ok(cargo)
}

async fn unload(reach: &Reach, copy: &Copy, target: &Site, cargo: Cargo, is_there: bool) -> Result<(), Report> {
    let (name, relay) = (target.name(), copy.to.record());
    if let LinkStatus::OtherList(_) = target.status().link {
        return Err(Report::new(format!(
            "this folder has another list called {name} than {relay}: choose another name with --as"
        )));
    }
    if let Some(why) = stuck(target) {
        return Err(Report::new(why));
    }
    if is_there && target.status().link != LinkStatus::Live {
        return Err(Report::new(format!("nothing was copied: {relay} does not tell what is in its list {name}")));
    }
    let (items, is_titled) = target.read(|list| (list.live().count(), !list.title().unwrap_or_default().is_empty()));
    if items > 0 || is_titled {
        return Err(Report::new(format!(
            "{relay} has a list called {name} with {items} items: choose another name with --as"
        )));
    }
    let kept = target.kept().len();
    let total = cargo.items.len();
    if total > 0 {
        let items = cargo.items.into_iter().map(Draft::registers).collect();
        target.edit(&Edit::Add { spot: Spot::Bottom, items })?;
    }
    if !cargo.title.is_empty() {
        target.edit(&Edit::Title(cargo.title.into()))?;
    }
    let sent = Sending { total, kept }.wait(target, reach.place.wait, reach.left()).await?;
    if let Some(why) = stuck(target) {
        return Err(Report::new(why));
    }
    let unsent = target.status().unsent;
    if reach.place.json {
        return print::json(&json!({
            "list": name.as_str(), "relay": relay, "uid": target.uid().to_string(), "items": total, "sent": sent,
            "pending": unsent,
        }));
    }
    let how = if sent {
        format!("{total} items sent to {relay} as {name}")
    } else {
        format!(
            "{total} items copied, {unsent} edits not yet sent: `betwixt --relay {relay} status {name}` sends more and \
             tells how many are left"
        )
    };
    print::lines(std::iter::once(how))
}

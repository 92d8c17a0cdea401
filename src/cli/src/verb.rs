//! The verbs that work on a list without the screen: open it, do one thing, say how it went.

pub(crate) mod copy;
pub(crate) mod delete;
mod edits;
mod export;
mod import;
mod item;
mod link;
pub(crate) mod lists;
pub(crate) mod log;
mod reach;
mod sending;
mod status;
mod told;
pub(crate) mod watch;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

use betwixt_client::replica::Kept;
use betwixt_client::site::{Opening, os_random, rescue};
use betwixt_client::{Folder, LinkStatus, Site, Status};
use betwixt_core::edit::{Edit, Outcome};
use betwixt_core::formats::Imported;
use betwixt_core::id::ItemId;
use betwixt_core::op::{Body, Op};
use betwixt_core::register::Register;
use betwixt_core::wire::RefusedCode;
use serde_json::json;

use self::link::{stuck, unlinked};
use crate::args::{ListVerb, Place};
use crate::keeper::Keeper;
use crate::place::kinds;
use crate::print;
use crate::report::Report;

/// Runs a verb.
pub(crate) fn run(place: &Place, verb: &ListVerb) -> Result<(), Report> {
    // Before the list is opened: a file that brings nothing makes no list.
    let imported = match verb {
        ListVerb::Import(import) => Some(import::read(import)?),
        _ => None,
    };
    if let (ListVerb::Import(import), Some(imported)) = (verb, &imported)
        && import.dry_run
    {
        return import::rehearse(imported, place.json);
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(async {
        let folder = place.folder()?;
        let keeper = place.relay.is_none().then(|| Keeper::start(folder.path().to_owned()));
        let done = with_site(place, folder, keeper.as_ref(), verb, imported).await;
        if let Some(keeper) = keeper {
            keeper.end().await;
        }
        done
    })
}

async fn with_site(
    place: &Place,
    folder: Folder,
    keeper: Option<&Keeper>,
    verb: &ListVerb,
    imported: Option<Imported>,
) -> Result<(), Report> {
    let opening = Opening {
        address: place.address(&folder)?,
        name: verb.list().clone(),
        person: place.person()?.into(),
        kinds: kinds(),
        folder,
    };
    let slot = Arc::new(opening.folder.lease(&mut os_random)?);
    let site = Site::open(slot, opening.clone())?;
    let started = Instant::now();
    let left = || place.wait.saturating_sub(started.elapsed());
    tokio::select! {
        _ = site.wait_until(left(), is_settled) => {}
        // A relay that this very process cannot run is not worth waiting for.
        () = faulty(keeper) => {}
    }
    if let Some(fault) = keeper.and_then(Keeper::fault) {
        site.close().await;
        return Err(Report::new(fault.line));
    }
    let done = match imported {
        Some(imported) => import::run(place, &site, imported, left()).await,
        None => carry_out(place, &site, verb, &left).await,
    };
    // Edits of windows that were closed go out with this one, in what is left of the wait.
    if site.status().link == LinkStatus::Live {
        let _ = tokio::time::timeout(left(), rescue::rescue(&opening, |_| {})).await;
    }
    site.close().await;
    done
}

/// Ready when this process has the role of the folder's relay, and cannot fill it.
async fn faulty(keeper: Option<&Keeper>) {
    match keeper {
        Some(keeper) => keeper.faulty().await,
        None => std::future::pending().await,
    }
}

/// Whether more waiting for the link would change nothing.
fn is_settled(status: &Status) -> bool {
    !matches!(status.link, LinkStatus::Offline | LinkStatus::Silent | LinkStatus::CatchingUp { .. })
}

async fn carry_out(
    place: &Place,
    site: &Site,
    verb: &ListVerb,
    left: &dyn Fn() -> std::time::Duration,
) -> Result<(), Report> {
    let edit = match verb {
        ListVerb::Ls { .. } => {
            if let Some(why) = unlinked(site, place) {
                print::note(&format!("{why}; this is what is kept here"));
            }
            return item::list(site, place.json);
        }
        ListVerb::Export(export) => return export::run(site, export, place.json),
        // What it brings is read before the list is opened, and does not come here.
        ListVerb::Import(_) => return Ok(()),
        ListVerb::Status { .. } => return status::print(site, place),
        ListVerb::Undo { .. } => Edit::Undo,
        ListVerb::Add(add) => edits::add(add)?,
        ListVerb::Done { item, not, .. } => edits::set(site, item, Register::Done(!not))?,
        ListVerb::Rm { item, .. } => edits::set(site, item, Register::Deleted(true))?,
        ListVerb::Edit { item, text, .. } => edits::set(site, item, Register::Text(text.join(" ").into()))?,
        ListVerb::Mv(mv) => site.read(|list| edits::mv(list, mv))?,
        ListVerb::Title(title) => Edit::Title(title.text.join(" ").into()),
    };
    if let Some(why) = stuck(site) {
        return Err(Report::new(why));
    }
    let kept: BTreeSet<u64> = site.kept().iter().map(|(number, _)| *number).collect();
    let outcome = site.edit(&edit)?;
    let needs_newer = |status: &Status| status.link == LinkStatus::NeedsNewer;
    site.wait_until(left(), |status| {
        status.unsent == 0
            || needs_newer(status)
            || refusal(site, &kept, &edit, &outcome.items).is_some()
            || stuck(site).is_some()
    })
    .await;
    if let Some(code) = refusal(site, &kept, &edit, &outcome.items) {
        return Err(Report::new(format!("the relay refused it: {code}")));
    }
    let earlier = site.kept().iter().filter(|(number, _)| !kept.contains(number)).count();
    if earlier > 0 {
        let list = site.name();
        print::note(&format!("the relay refused what was kept here before: `betwixt status {list}` lists it"));
    }
    if outcome.cleaned > 0 {
        print::note("control characters were made visible");
    }
    let unsent = (site.status().unsent > 0).then(|| unlinked(site, place).unwrap_or_default());
    if outcome.left_alone > 0 {
        print::note(&format!("{} left alone: changed by others since", outcome.left_alone));
    }
    say(&edit, &outcome, unsent.as_deref(), place.json)
}

/// Why the relay refused this edit, of these items; it was not in the drawer before.
fn refusal(site: &Site, before: &BTreeSet<u64>, edit: &Edit, items: &[ItemId]) -> Option<RefusedCode> {
    let is_title = matches!(edit, Edit::Title(_));
    let kept = site.kept();
    let mut new = kept.iter().filter(|(number, _)| !before.contains(number));
    new.find_map(|(_, kept)| match kept {
        Kept::Refused { op, code } if op.body.item().map_or(is_title, |item| items.contains(&item)) => Some(*code),
        _ => None,
    })
}

/// Says how an edit went; `unsent` is why it was not sent, where there is a reason to give.
fn say(edit: &Edit, outcome: &Outcome, unsent: Option<&str>, as_json: bool) -> Result<(), Report> {
    let Outcome { items, did, .. } = outcome;
    if as_json {
        let ids: Vec<String> = items.iter().map(ToString::to_string).collect();
        let sent = unsent.is_none();
        return match (edit, ids.as_slice()) {
            (Edit::Title(title), _) => print::json(&json!({ "title": title, "sent": sent })),
            (Edit::Undo, _) => print::json(&json!({ "undid": did.word(), "items": ids, "sent": sent })),
            (_, [id]) => print::json(&json!({ "item": id, "sent": sent })),
            _ => print::json(&json!({ "items": ids, "sent": sent })),
        };
    }
    let what = match (edit, items.as_slice()) {
        (Edit::Undo, _) => format!("undid: {} {}, ", items.len(), did.word()),
        (Edit::Add { .. }, [id]) => format!("{id} "),
        (Edit::Add { .. }, _) => format!("{} items ", items.len()),
        _ => String::new(),
    };
    let how = match unsent {
        None => "sent".to_owned(),
        Some("") => "kept here, not yet sent".to_owned(),
        Some(why) => format!("kept here, not yet sent: {why}"),
    };
    print::lines(std::iter::once(format!("{what}{how}")))
}

/// What lies in the drawer, in words: what it was to do, and why it does not stand.
pub(crate) fn tell_kept(kept: &Kept) -> (String, String) {
    match kept {
        Kept::Lost { text, .. } => (text.to_string(), "another text came first".to_owned()),
        Kept::Refused { op, code } => (tell_op(op), code.to_string()),
    }
}

fn tell_op(op: &Op) -> String {
    let text = op.body.registers().iter().find_map(|register| match register {
        Register::Text(text) => Some(text.to_string()),
        _ => None,
    });
    match (&op.body, text) {
        (Body::List(list), _) => format!("title: {}", list.title),
        (_, Some(text)) => text,
        (Body::Put(put), None) if put.key.is_some() => format!("a move of {}", put.item),
        (body, None) => body.item().map_or_else(String::new, |item| format!("a change of {item}")),
    }
}

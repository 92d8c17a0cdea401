//! The verbs that work on a list without the screen: open it, do one thing, say how it went.

mod item;

use std::collections::BTreeSet;
use std::io::{self, Read as _};
use std::sync::Arc;
use std::time::Instant;

use betwixt_client::replica::Kept;
use betwixt_client::site::{Opening, os_random, rescue};
use betwixt_client::{Folder, LinkStatus, Site, Status};
use betwixt_core::edit::{Edit, Spot};
use betwixt_core::id::ItemId;
use betwixt_core::name::ListName;
use betwixt_core::op::{Body, Op};
use betwixt_core::register::Register;
use betwixt_core::safe_text::SafeText;
use betwixt_core::wire::RefusedCode;
use serde_json::json;
use smol_str::SmolStr;

use crate::args::{Add, Mv, Place, Verb};
use crate::keeper::Keeper;
use crate::place::kinds;
use crate::print;
use crate::report::Report;

/// Runs a verb.
pub(crate) fn run(place: &Place, verb: &Verb) -> Result<(), Report> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(async {
        let folder = place.folder()?;
        let keeper = place.relay.is_none().then(|| Keeper::start(folder.path().to_owned()));
        let done = with_site(place, folder, keeper.as_ref(), verb).await;
        if let Some(keeper) = keeper {
            keeper.end().await;
        }
        done
    })
}

async fn with_site(place: &Place, folder: Folder, keeper: Option<&Keeper>, verb: &Verb) -> Result<(), Report> {
    let opening = Opening {
        address: place.address(&folder)?,
        name: list_of(verb).clone(),
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
    let done = carry_out(place, &site, verb, &left).await;
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
    verb: &Verb,
    left: &dyn Fn() -> std::time::Duration,
) -> Result<(), Report> {
    let edit = match verb {
        Verb::Ls { .. } => {
            if let Some(why) = unlinked(site, place) {
                print::note(&format!("{why}; this is what is kept here"));
            }
            return item::list(site, place.json);
        }
        Verb::Status { .. } => return status(site, place),
        Verb::Add(add) => self::add(add)?,
        Verb::Done { item, not, .. } => {
            let item = site.read(|list| item::find(list, item))?;
            Edit::Set { writes: vec![(item, vec![Register::Done(!not)])] }
        }
        Verb::Rm { item, .. } => {
            let item = site.read(|list| item::find(list, item))?;
            Edit::Set { writes: vec![(item, vec![Register::Deleted(true)])] }
        }
        Verb::Edit { item, text, .. } => {
            let item = site.read(|list| item::find(list, item))?;
            Edit::Set { writes: vec![(item, vec![Register::Text(text.join(" ").into())])] }
        }
        Verb::Mv(mv) => site.read(|list| self::mv(list, mv))?,
        #[cfg(debug_assertions)]
        Verb::Keys(_) | Verb::Relay(_) => unreachable!("these verbs open no list"),
        #[cfg(not(debug_assertions))]
        Verb::Keys(_) | Verb::Relay(_) => return Ok(()),
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
            || refusal(site, &kept, &outcome.items).is_some()
            || stuck(site).is_some()
    })
    .await;
    if let Some(code) = refusal(site, &kept, &outcome.items) {
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
    say(&edit, &outcome.items, unsent.as_deref(), place.json)
}

/// Why the relay refused an edit of these items that was not in the drawer before.
fn refusal(site: &Site, before: &BTreeSet<u64>, items: &[ItemId]) -> Option<RefusedCode> {
    let kept = site.kept();
    let mut new = kept.iter().filter(|(number, _)| !before.contains(number));
    new.find_map(|(_, kept)| match kept {
        Kept::Refused { op, code } if op.body.item().is_some_and(|item| items.contains(&item)) => Some(*code),
        _ => None,
    })
}

/// Says how an edit went; `unsent` is why it was not sent, where there is a reason to give.
fn say(edit: &Edit, items: &[ItemId], unsent: Option<&str>, as_json: bool) -> Result<(), Report> {
    if as_json {
        let ids: Vec<String> = items.iter().map(ToString::to_string).collect();
        let sent = unsent.is_none();
        return match (edit, ids.as_slice()) {
            (_, [id]) => print::json(&json!({ "item": id, "sent": sent })),
            _ => print::json(&json!({ "items": ids, "sent": sent })),
        };
    }
    let what = match (edit, items) {
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

/// Why there is no link and none will be tried, and what to do about it.
fn stuck(site: &Site) -> Option<String> {
    let list = site.name();
    match site.status().link {
        LinkStatus::OtherList(_) => Some(format!(
            "the relay has another list called {list}: open it with `betwixt {list}` to merge, rename or export yours"
        )),
        LinkStatus::Gone => Some(format!("the list {list} was deleted on the relay")),
        LinkStatus::Damaged => Some(format!(
            "the list {list} is damaged on the relay, which keeps it closed: whoever runs the relay can restore it"
        )),
        LinkStatus::Version => Some("the relay speaks no version of the protocol that this betwixt does".to_owned()),
        _ => None,
    }
}

/// Why the relay's list is not what is shown here, if it may not be.
fn unlinked(site: &Site, place: &Place) -> Option<String> {
    let relay = place.relay.as_ref().map_or_else(|| "this folder".to_owned(), ToString::to_string);
    match site.status().link {
        LinkStatus::Live => None,
        LinkStatus::NeedsNewer => Some("this list needs a newer betwixt".to_owned()),
        LinkStatus::CatchingUp { missing } => Some(format!("still to be read from the relay: {missing} ops")),
        LinkStatus::Offline => Some(format!("offline, no relay answers at {relay}")),
        LinkStatus::Silent => Some(format!("offline, the relay at {relay} is silent")),
        _ => stuck(site),
    }
}

fn list_of(verb: &Verb) -> &ListName {
    match verb {
        Verb::Add(Add { list, .. })
        | Verb::Mv(Mv { list, .. })
        | Verb::Ls { list }
        | Verb::Done { list, .. }
        | Verb::Rm { list, .. }
        | Verb::Edit { list, .. }
        | Verb::Status { list } => list,
        Verb::Keys(_) | Verb::Relay(_) => unreachable!("these verbs open no list"),
    }
}

fn add(add: &Add) -> Result<Edit, Report> {
    let texts = if add.text == ["-"] {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes)?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        text.lines().map(str::to_owned).filter(|line| !line.trim().is_empty()).collect()
    } else {
        vec![add.text.join(" ")]
    };
    if texts.is_empty() {
        return Err(Report::new("nothing to add: standard input has no line"));
    }
    let item = |text: String| {
        let mut registers = vec![Register::Text(text.into())];
        registers.extend(add.note.as_deref().map(|note| Register::Note(note.into())));
        registers.extend(add.due.map(|due| Register::Due(Some(due))));
        registers.extend(add.priority.map(|priority| Register::Priority(Some(priority))));
        registers.extend(add.assignee.as_deref().map(|who| Register::Assignee(who.into())));
        if !add.tag.is_empty() {
            registers.push(Register::Tags(add.tag.iter().map(SmolStr::new).collect()));
        }
        registers.extend(add.depth.filter(|depth| *depth > 0).map(Register::Depth));
        registers
    };
    Ok(Edit::Add { spot: Spot::Bottom, items: texts.into_iter().map(item).collect() })
}

fn mv(list: &betwixt_core::list::List, mv: &Mv) -> Result<Edit, Report> {
    let moved = item::find(list, &mv.item)?;
    let spot = match (&mv.before, &mv.after) {
        (Some(before), _) => Spot::Before(item::find(list, before)?),
        (_, Some(after)) => Spot::After(item::find(list, after)?),
        _ if mv.top => Spot::Top,
        _ => Spot::Bottom,
    };
    if matches!(spot, Spot::Before(other) | Spot::After(other) if other == moved) {
        return Err(Report::new("an item cannot be moved next to itself"));
    }
    Ok(Edit::Move { items: vec![moved], spot })
}

fn status(site: &Site, place: &Place) -> Result<(), Report> {
    let (status, list) = (site.status(), site.name());
    let (mark, uid, kept) = (site.mark(), site.uid(), site.kept());
    let figures = site.read(|list| {
        let lengths = list.lengths();
        (list.epoch().number, list.items().len(), lengths.keys(), lengths.longest(), lengths.mean_hundredths())
    });
    let (epoch, items, live, longest, mean) = figures;
    let connected = status.link == LinkStatus::Live;
    if place.json {
        let refused: Vec<_> = kept
            .iter()
            .map(|(number, kept)| {
                let (what, why) = tell_kept(kept);
                json!({ "number": number, "what": what, "why": why })
            })
            .collect();
        #[expect(clippy::cast_precision_loss, reason = "a mean of at most 128 bytes in hundredths")]
        let mean = mean as f64 / 100.0;
        return print::json(&json!({
            "list": list.as_str(), "uid": uid.to_string(), "seq": mark.seq, "epoch": epoch, "items": items, "live": live,
            "longest": longest, "mean": mean, "pending": status.unsent, "refused": refused, "connected": connected,
        }));
    }
    let link = unlinked(site, place).unwrap_or_else(|| "connected".to_owned());
    let unsent = if status.unsent == 0 { "all sent".to_owned() } else { format!("{} unsent", status.unsent) };
    let rows = [
        format!("{list}  {link}, {unsent}"),
        format!("{live} items, {} in the trash, {} ops, list {uid}", items - live, mark.seq),
        format!("keys: longest {longest}, mean {}.{:02}, epoch {epoch}", mean / 100, mean % 100),
    ];
    let refused = kept.iter().map(|(number, kept)| {
        let (what, why) = tell_kept(kept);
        format!("refused {number}: {} ({why})", SafeText::line(&what))
    });
    print::lines(rows.into_iter().chain(refused))
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

//! The verbs that work on a list without the screen: open it, do one thing, say how it went.

mod item;

use std::io::{self, Read as _};
use std::sync::Arc;
use std::time::Instant;

use betwixt_client::replica::Kept;
use betwixt_client::site::{Opening, os_random, rescue};
use betwixt_client::{Folder, LinkStatus, Site, Status};
use betwixt_core::edit::{Edit, Spot};
use betwixt_core::name::ListName;
use betwixt_core::op::{Body, Op};
use betwixt_core::register::Register;
use betwixt_core::safe_text::SafeText;
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
        return Err(Report::new(fault));
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
        Verb::Ls { .. } => return item::list(site, place.json),
        Verb::Status { list } => return status(site, list, place.json),
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
    explain(&site.status())?;
    let kept = site.kept().len();
    let outcome = site.edit(&edit)?;
    site.wait_until(left(), |status| status.unsent == 0 || status.kept > kept || ends(status)).await;
    if let Some((_, Kept::Refused { code, .. })) = site.kept().last().filter(|_| site.kept().len() > kept) {
        return Err(Report::new(format!("the relay refused it: {code}")));
    }
    let sent = site.status().unsent == 0;
    say(&edit, &outcome.items, sent, place.json)
}

fn say(edit: &Edit, items: &[betwixt_core::id::ItemId], sent: bool, as_json: bool) -> Result<(), Report> {
    if as_json {
        let ids: Vec<String> = items.iter().map(ToString::to_string).collect();
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
    let how = if sent { "sent" } else { "kept here, not yet sent" };
    print::lines(std::iter::once(format!("{what}{how}")))
}

/// Whether there will be no link without a decision.
fn ends(status: &Status) -> bool {
    explain(status).is_err()
}

/// The states in which nothing can be sent, and what to do about each.
fn explain(status: &Status) -> Result<(), Report> {
    match status.link {
        LinkStatus::OtherList(_) => Err(Report::new(
            "the relay has another list of that name; open it on the screen to merge, rename or export yours",
        )),
        LinkStatus::Gone => Err(Report::new("the list was deleted on the relay")),
        LinkStatus::Damaged => Err(Report::new("the relay's store of this list is damaged")),
        LinkStatus::Version => Err(Report::new("the relay speaks no version of the protocol that this betwixt does")),
        _ => Ok(()),
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

fn status(site: &Site, list: &ListName, as_json: bool) -> Result<(), Report> {
    let status = site.status();
    let (mark, uid, kept) = (site.mark(), site.uid(), site.kept());
    let figures = site.read(|list| {
        let lengths = list.lengths();
        (list.epoch().number, list.items().len(), lengths.keys(), lengths.longest(), lengths.mean_hundredths())
    });
    let (epoch, items, live, longest, mean) = figures;
    let connected = status.link == LinkStatus::Live;
    if as_json {
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
    let link = match &status.link {
        LinkStatus::Live => "connected".to_owned(),
        LinkStatus::CatchingUp { missing } => format!("catching up {missing}"),
        LinkStatus::NeedsNewer => "needs a newer betwixt".to_owned(),
        LinkStatus::Offline | LinkStatus::Silent => "offline".to_owned(),
        _ => explain(&status).map_or_else(|report| report.to_string(), |()| String::new()),
    };
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

//! The lists: what is heard of them, and the ways from one to another.

use betwixt_core::hlc::Millis;
use betwixt_core::id::ItemId;
use betwixt_core::list::List;
use betwixt_core::name::ListName;

use super::list::key_of;
use crate::keymap::{Action, Context};
use crate::model::Model;
use crate::msg::{Effect, Link, Status};
use crate::overlay::Overlay;
use crate::switcher::{Purpose, Switcher};
use crate::toast::Toast;
use crate::words::counted;

/// Opens the switcher and asks the relay which lists there are.
pub(super) fn open_switcher(model: &mut Model, purpose: Purpose) -> Vec<Effect> {
    model.overlay = Some(Overlay::Switcher(Box::new(Switcher::new(purpose))));
    // It may have opened by itself.
    model.chord.clear();
    model.directory.restart();
    ask(model)
}

/// The questions that the switcher has now and that were not asked yet; none while there is nobody to ask.
pub(super) fn ask(model: &mut Model) -> Vec<Effect> {
    let Some(Overlay::Switcher(switcher)) = &model.overlay else { return vec![] };
    if matches!(model.status.link, Link::Offline { .. }) {
        return vec![];
    }
    let directory = &mut model.directory;
    let questions = [directory.ask(""), switcher.prefix().and_then(|prefix| directory.ask(prefix))];
    questions.into_iter().flatten().map(Effect::AskLists).collect()
}

/// Asks for the lists behind the last one in sight.
pub(super) fn ask_more(model: &mut Model) -> Vec<Effect> {
    let Some(Overlay::Switcher(switcher)) = &model.overlay else { return vec![] };
    if matches!(model.status.link, Link::Offline { .. }) {
        return vec![];
    }
    let prefix = switcher.prefix().unwrap_or_default();
    model.directory.ask_more(prefix).map(Effect::AskLists).into_iter().collect()
}

/// Takes in how things stand; a switcher that was opened offline asks as soon as there is somebody to ask.
pub(super) fn status(model: &mut Model, status: Status) -> Vec<Effect> {
    let was_offline = matches!(model.status.link, Link::Offline { .. });
    model.status = status;
    if was_offline {
        model.directory.restart();
        return ask(model);
    }
    vec![]
}

/// A list was deleted, as this screen asked.
pub(super) fn deleted(model: &mut Model, name: &ListName, now: Millis) -> Vec<Effect> {
    model.deleting.take_if(|deleting| deleting == name);
    model.directory.forget(name);
    if *name != model.setup.list {
        model.say(Toast::calm(&format!("{name} is deleted"), now));
        return ask(model);
    }
    model.say(Toast::calm(&format!("{name} is deleted: open another list, or make one"), now));
    model.is_deleted_by_me = true;
    match (&model.overlay, &model.editor) {
        (Some(Overlay::Gone { .. }), _) | (None, None) => open_switcher(model, Purpose::Open),
        _ => ask(model),
    }
}

pub(super) fn not_deleted(model: &mut Model, name: &ListName, why: &str, now: Millis) -> Vec<Effect> {
    model.deleting.take_if(|deleting| deleting == name);
    model.say(Toast::warning(&format!("{name} is not deleted: {why}"), now));
    vec![]
}

/// Opens another list.
pub(super) fn open(model: &mut Model, name: ListName) -> Vec<Effect> {
    model.overlay = None;
    if name == model.setup.list && !model.is_gone() {
        return vec![];
    }
    vec![Effect::Open(name)]
}

/// Opens a list of this machine by its number, from 1.
pub(super) fn open_number(model: &mut Model, number: u8, now: Millis) -> Vec<Effect> {
    let known = model.directory.known(&model.setup.list);
    if let Some(name) = usize::from(number).checked_sub(1).and_then(|at| known.get(at)) {
        return open(model, name.clone());
    }
    let key = key_of(model, Action::Lists);
    let text = format!("there is no list {number}: {} opened here yet; {key} shows all", counted(known.len(), "list"));
    model.say(Toast::calm(&text, now));
    vec![]
}

/// Opens the list of this machine so many behind the open one, in the order of their names.
pub(super) fn open_next(model: &mut Model, by: isize, now: Millis) -> Vec<Effect> {
    let open_name = &model.setup.list;
    let known = model.directory.known(open_name);
    let here = known.binary_search(open_name).unwrap_or_default();
    let there = here.saturating_add_signed(by).min(known.len().saturating_sub(1));
    match known.get(there) {
        Some(name) if there != here => open(model, name.clone()),
        _ => {
            let key = model.keymap.key_of(Context::List, Action::Lists).unwrap_or_default();
            let end = if by > 0 { "last" } else { "first" };
            let text = format!("this is the {end} list that was opened here; {key} shows all");
            model.say(Toast::calm(&text, now));
            vec![]
        }
    }
}

/// Asks the shell to put items into another list, and selects the next row that stays.
pub(super) fn carry(model: &mut Model, list: &List, items: &[ItemId], to: ListName, now: Millis) -> Vec<Effect> {
    model.overlay = None;
    if model.refuses_edits() {
        return vec![];
    }
    let items: Vec<ItemId> = items.iter().copied().filter(|id| list.row(*id).is_some()).collect();
    let (Some(highest), Some(lowest)) = (items.first(), items.last()) else {
        model.say(Toast::warning("nothing to move: somebody deleted it", now));
        return vec![];
    };
    let stays = |id: &ItemId| !items.contains(id);
    let below = std::iter::successors(list.live_after(*lowest), |id| list.live_after(*id)).find(stays);
    let above = || std::iter::successors(list.live_before(*highest), |id| list.live_before(*id)).find(stays);
    if let Some(next) = below.or_else(above) {
        let top = model.top(list);
        model.select(list, next, top);
    }
    vec![Effect::MoveTo { items, list: to }]
}

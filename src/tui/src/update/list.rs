//! Keys among the rows.

use betwixt_core::edit::{Edit, Spot};
use betwixt_core::hlc::Millis;
use betwixt_core::id::ItemId;
use betwixt_core::item::Item;
use betwixt_core::limits::DEPTH_MAX;
use betwixt_core::list::List;
use betwixt_core::register::Register;

use super::{lists, title};
use crate::editor::{Editor, Then};
use crate::keymap::{Action, Context};
use crate::model::{Model, Sending};
use crate::msg::Effect;
use crate::paste;
use crate::switcher::Purpose;
use crate::toast::Toast;

pub(super) fn act(model: &mut Model, list: &List, action: Action, count: Option<usize>, now: Millis) -> Vec<Effect> {
    let times = count.unwrap_or(1).max(1);
    if matches!(action, Action::NewBelow | Action::NewAbove | Action::NewAtEnd | Action::Edit | Action::MoveToList)
        && model.refuses_edits()
    {
        return vec![];
    }
    match action {
        Action::Down => go(model, list, Step::By(signed(times))),
        Action::Up => go(model, list, Step::By(-signed(times))),
        Action::HalfPageDown => go(model, list, Step::Scroll(signed(times * (model.height() / 2).max(1)))),
        Action::HalfPageUp => go(model, list, Step::Scroll(-signed(times * (model.height() / 2).max(1)))),
        Action::PageDown => go(model, list, Step::Scroll(signed(times * model.height()))),
        Action::PageUp => go(model, list, Step::Scroll(-signed(times * model.height()))),
        Action::Top => go(model, list, Step::To(times - 1)),
        Action::Bottom => go(model, list, Step::To(count.map_or(usize::MAX, |row| row.saturating_sub(1)))),
        Action::NewBelow => open_new(model, list, Place::Below),
        Action::NewAbove => open_new(model, list, Place::Above),
        Action::NewAtEnd => open_new(model, list, Place::AtEnd),
        Action::Edit => edit(model, list),
        Action::ToggleDone => return toggle(model, list, times),
        Action::Delete => return delete(model, list, times),
        Action::MoveDown => return shift(model, list, signed(times)),
        Action::MoveUp => return shift(model, list, -signed(times)),
        Action::MoveToTop => return shift(model, list, isize::MIN),
        Action::MoveToBottom => return shift(model, list, isize::MAX),
        Action::Deeper => return indent(model, list, signed(times), now),
        Action::Shallower => return indent(model, list, -signed(times), now),
        Action::MoveToList => {
            let items = counted(model, list, times);
            if !items.is_empty() {
                return lists::open_switcher(model, Purpose::Move(items));
            }
        }
        Action::Lists => return lists::open_switcher(model, Purpose::Open),
        Action::OpenNumber(number) => return lists::open_number(model, number, now),
        Action::NextList => return lists::open_next(model, signed(times), now),
        Action::PreviousList => return lists::open_next(model, -signed(times), now),
        Action::EditTitle => return title::open(model, list),
        Action::Undo => return undo(model, list),
        Action::Redo => return model.send(list, Edit::Redo, Sending::Redo),
        Action::Back => {
            model.toast = None;
            model.thrown_away = None;
        }
        _ => {}
    }
    vec![]
}

/// Adds each pasted line as an item below the selected one.
pub(super) fn paste(model: &mut Model, list: &List, text: &str) -> Vec<Effect> {
    let (spot, depth) = place(model, list, Place::Below);
    let items = paste::items(text, depth);
    if items.is_empty() {
        return vec![];
    }
    model.send(list, Edit::Add { spot, items }, Sending::Pasted { opens_next: false })
}

#[derive(Clone, Copy)]
enum Step {
    /// By so many rows; the screen follows when it must.
    By(isize),
    /// By so many rows, and the screen with it.
    Scroll(isize),
    /// To this row.
    To(usize),
}

fn go(model: &mut Model, list: &List, step: Step) {
    let Some(lowest) = list.order().live_len().checked_sub(1) else { return };
    let (row, top) = (model.selected_row(list), model.top(list));
    let (row, top) = match step {
        Step::By(rows) => (row.saturating_add_signed(rows), top),
        Step::Scroll(rows) => (row.saturating_add_signed(rows), top.saturating_add_signed(rows)),
        Step::To(row) => (row, top),
    };
    if let Some(id) = list.at_row(row.min(lowest)) {
        match step {
            // A page is a page: the margin would make it two rows less.
            Step::Scroll(_) => model.select_within(list, id, top, 0),
            Step::By(_) | Step::To(_) => model.select(list, id, top),
        }
    }
}

#[derive(Clone, Copy)]
enum Place {
    Below,
    Above,
    AtEnd,
}

/// Where a new item goes, and its level: that of its neighbour, or of the neighbour's first child.
fn place(model: &Model, list: &List, place: Place) -> (Spot, u8) {
    let depth_of = |id: Option<ItemId>| id.and_then(|id| list.item(id)).map_or(0, Item::depth);
    match (place, model.selected) {
        (Place::AtEnd, _) | (_, None) => (Spot::Bottom, 0),
        (Place::Above, Some(id)) => (Spot::Before(id), depth_of(Some(id))),
        (Place::Below, Some(id)) => {
            let depth = depth_of(Some(id));
            let child = depth_of(list.live_after(id)).min(depth.saturating_add(1));
            (Spot::After(id), depth.max(child))
        }
    }
}

fn open_new(model: &mut Model, list: &List, at: Place) {
    let top = model.top(list);
    let (spot, depth) = place(model, list, at);
    let then = if matches!(at, Place::AtEnd) { Then::Close } else { Then::Next };
    open(model, list, Editor::of_new(spot, depth, then), top);
}

/// Opens an editor and brings it into sight.
pub(super) fn open(model: &mut Model, list: &List, editor: Editor, top: usize) {
    model.editor = Some(editor);
    model.reveal(list, top);
}

fn edit(model: &mut Model, list: &List) {
    match model.selected.and_then(|id| Some((id, list.item(id)?))) {
        Some((id, item)) => {
            let top = model.top(list);
            open(model, list, Editor::of_item(id, item), top);
        }
        None => open_new(model, list, Place::Below),
    }
}

/// The selected item and the ones below it, as many as the count says.
fn counted(model: &Model, list: &List, count: usize) -> Vec<ItemId> {
    if model.selected.is_none() {
        return vec![];
    }
    list.order().live_from(model.selected_row(list)).take(count).map(|place| place.id).collect()
}

fn toggle(model: &mut Model, list: &List, count: usize) -> Vec<Effect> {
    let Some(item) = model.selected.and_then(|id| list.item(id)) else { return vec![] };
    let is_done = !item.done();
    let differs = |id: &ItemId| list.item(*id).is_some_and(|item| item.done() != is_done);
    let ids = counted(model, list, count).into_iter().filter(differs);
    let writes = ids.map(|id| (id, vec![Register::Done(is_done)])).collect();
    model.send(list, Edit::Set { writes }, Sending::Write)
}

fn delete(model: &mut Model, list: &List, count: usize) -> Vec<Effect> {
    let ids = counted(model, list, count);
    if ids.is_empty() {
        return vec![];
    }
    let writes = ids.into_iter().map(|id| (id, vec![Register::Deleted(true)])).collect();
    model.send(list, Edit::Set { writes }, Sending::Delete)
}

/// Moves the selected item by so many rows, as far as there are rows.
fn shift(model: &mut Model, list: &List, rows: isize) -> Vec<Effect> {
    let Some(id) = model.selected else { return vec![] };
    let (row, lowest) = (model.selected_row(list), list.order().live_len().saturating_sub(1));
    let target = row.saturating_add_signed(rows).min(lowest);
    let spot = match (target.cmp(&row), list.at_row(target)) {
        (std::cmp::Ordering::Less, _) if target == 0 => Spot::Top,
        (std::cmp::Ordering::Greater, _) if target == lowest => Spot::Bottom,
        (std::cmp::Ordering::Less, Some(other)) => Spot::Before(other),
        (std::cmp::Ordering::Greater, Some(other)) => Spot::After(other),
        _ => return vec![],
    };
    model.send(list, Edit::Move { items: vec![id], spot }, Sending::Move)
}

fn indent(model: &mut Model, list: &List, levels: isize, now: Millis) -> Vec<Effect> {
    let Some((id, item)) = model.selected.and_then(|id| Some((id, list.item(id)?))) else { return vec![] };
    let depth = item.depth();
    let before = list.live_before(id).and_then(|id| list.item(id));
    let deepest = before.map_or(0, |item| item.depth().saturating_add(1)).min(DEPTH_MAX).max(depth);
    let wished = usize::from(depth).saturating_add_signed(levels);
    let new = u8::try_from(wished).unwrap_or(DEPTH_MAX).min(deepest);
    if new == depth {
        if levels > 0 {
            model.say(Toast::calm("no deeper than below the row above", now));
        }
        return vec![];
    }
    model.send(list, Edit::Set { writes: vec![(id, vec![Register::Depth(new)])] }, Sending::Write)
}

/// Takes the last step back; what was just thrown away in an editor comes first.
fn undo(model: &mut Model, list: &List) -> Vec<Effect> {
    match model.thrown_away.take() {
        Some(editor) => {
            model.toast = None;
            let top = model.top(list);
            open(model, list, editor, top);
            vec![]
        }
        None => model.send(list, Edit::Undo, Sending::Undo),
    }
}

/// The usual key of an action in the list, for messages.
pub(super) fn key_of(model: &Model, action: Action) -> String {
    model.keymap.key_of(Context::List, action).unwrap_or_default()
}

fn signed(count: usize) -> isize {
    isize::try_from(count).unwrap_or(isize::MAX)
}

//! Keys in the list switcher.

use betwixt_core::edit::Edit;
use betwixt_core::hlc::Millis;
use betwixt_core::list::List;
use betwixt_core::name::ListName;

use super::{lists, tell_written};
use crate::keymap::Action;
use crate::model::{Model, Sending};
use crate::msg::{Effect, Link};
use crate::overlay::Overlay;
use crate::switcher::{Last, Mode, Picked, Place, Purpose, Rows, Switcher};
use crate::text_line::TextLine;
use crate::toast::Toast;

pub(super) fn act(model: &mut Model, list: &List, action: Action, now: Millis) -> Vec<Effect> {
    let Some(switcher) = model.switcher() else { return vec![] };
    match &switcher.mode {
        Mode::Choosing => {}
        Mode::Title { .. } => return in_title(model, list, action),
        Mode::Delete { .. } => return in_delete(model, action, now),
    }
    let rows = Rows::of(model, list, switcher);
    let shown = model.lists_shown(&rows);
    let page = isize::try_from(shown).unwrap_or(isize::MAX);
    match action {
        Action::Down => go(model, &rows, shown, 1),
        Action::Up => go(model, &rows, shown, -1),
        Action::PageDown => go(model, &rows, shown, page),
        Action::PageUp => go(model, &rows, shown, -page),
        Action::Confirm => confirm(model, list, &rows, now),
        Action::Back => back(model, list),
        Action::EditTitle => edit_title(model, &rows, now),
        Action::DeleteList => delete(model, list, &rows, now),
        _ => edit_search(model, list, |search| {
            search.act(action);
        }),
    }
}

/// Writes into the line that is open.
pub(super) fn write(model: &mut Model, list: &List, text: &str, now: Millis) -> Vec<Effect> {
    let Some(Overlay::Switcher(switcher)) = &mut model.overlay else { return vec![] };
    match &mut switcher.mode {
        Mode::Choosing => {
            return edit_search(model, list, |search| {
                search.write(text);
            });
        }
        Mode::Title { line, .. } => {
            let written = line.write(text);
            tell_written(model, written, "a title", now);
        }
        Mode::Delete { typed, is_wrong, .. } => {
            *is_wrong = false;
            typed.write(text);
        }
    }
    vec![]
}

fn picked_mut(model: &mut Model) -> Option<&mut Switcher> {
    match &mut model.overlay {
        Some(Overlay::Switcher(switcher)) => Some(switcher),
        _ => None,
    }
}

fn set_mode(model: &mut Model, mode: Mode) {
    if let Some(switcher) = picked_mut(model) {
        switcher.mode = mode;
    }
}

/// Changes what is looked for; other text is looked for at once, here and on the relay.
fn edit_search(model: &mut Model, list: &List, change: impl FnOnce(&mut TextLine)) -> Vec<Effect> {
    let Some(switcher) = picked_mut(model) else { return vec![] };
    let before = switcher.wanted().to_owned();
    change(&mut switcher.search);
    if switcher.wanted() == before {
        return vec![];
    }
    let effects = lists::ask(model);
    let Some(switcher) = model.switcher() else { return effects };
    let rows = Rows::of(model, list, switcher);
    let shown = model.lists_shown(&rows);
    if let Some(switcher) = picked_mut(model) {
        switcher.search_again(&rows, shown);
    }
    effects
}

fn go(model: &mut Model, rows: &Rows, shown: usize, by: isize) -> Vec<Effect> {
    let Some(switcher) = picked_mut(model) else { return vec![] };
    switcher.go(rows, shown, by);
    // Before the end is in sight: the next page is there when the person is.
    if by > 0 && switcher.row(rows) + shown >= rows.lists.len() { lists::ask_more(model) } else { vec![] }
}

fn back(model: &mut Model, list: &List) -> Vec<Effect> {
    let is_searching = model.switcher().is_some_and(|switcher| !switcher.search.text().is_empty());
    if is_searching {
        return edit_search(model, list, |search| *search = TextLine::default());
    }
    model.overlay = None;
    vec![]
}

/// The name that is picked.
fn picked(switcher: &Switcher, rows: &Rows) -> Option<ListName> {
    match (switcher.picked.as_ref()?, &rows.last) {
        (Picked::List(name), _) | (Picked::New, Some(Last::New(name))) => Some(name.clone()),
        (Picked::New, _) => None,
    }
}

fn confirm(model: &mut Model, list: &List, rows: &Rows, now: Millis) -> Vec<Effect> {
    let Some(switcher) = model.switcher() else { return vec![] };
    let Some(name) = picked(switcher, rows) else { return vec![] };
    match switcher.purpose.clone() {
        Purpose::Open => lists::open(model, name),
        Purpose::Move(items) => lists::carry(model, list, &items, name, now),
    }
}

/// Begins to write the title of the picked list.
fn edit_title(model: &mut Model, rows: &Rows, now: Millis) -> Vec<Effect> {
    let Some(switcher) = model.switcher().filter(|switcher| switcher.purpose == Purpose::Open) else { return vec![] };
    match rows.lists.get(switcher.row(rows)) {
        Some(row) => {
            let mode = Mode::Title { list: row.name.clone(), line: TextLine::new(&row.title) };
            set_mode(model, mode);
        }
        None => model.say(Toast::calm("there is no list yet that could have a title", now)),
    }
    vec![]
}

fn in_title(model: &mut Model, list: &List, action: Action) -> Vec<Effect> {
    let title_now = |model: &Model, name: &ListName| {
        let told = model.directory.listed(name).map_or("", |one| one.title.as_str());
        TextLine::new(if *name == model.setup.list { list.title().unwrap_or_default() } else { told })
    };
    let Some(Switcher { mode: Mode::Title { list: name, line }, .. }) = picked_mut(model) else { return vec![] };
    match action {
        Action::Back => set_mode(model, Mode::Choosing),
        Action::Confirm => {
            let (name, title) = (name.clone(), line.text().trim().to_owned());
            let is_same = title_now(model, &name).text() == title;
            if !is_same && name == model.setup.list {
                // It is closed when the edit is made.
                return model.send(list, Edit::Title(title.into()), Sending::Title);
            }
            set_mode(model, Mode::Choosing);
            if !is_same {
                return vec![Effect::Title { list: name, title }];
            }
        }
        _ => {
            line.act(action);
        }
    }
    vec![]
}

/// Asks for the name of the picked list, so that it is deleted.
fn delete(model: &mut Model, list: &List, rows: &Rows, now: Millis) -> Vec<Effect> {
    let Some(switcher) = model.switcher().filter(|switcher| switcher.purpose == Purpose::Open) else { return vec![] };
    let Some(row) = rows.lists.get(switcher.row(rows)) else { return vec![] };
    let uid = match row.place {
        Place::Open => Some(list.uid()),
        Place::OnlyHere | Place::Elsewhere => model.directory.listed(&row.name).map(|one| one.uid),
    };
    let is_offline = matches!(model.status.link, Link::Offline { .. });
    let typed = TextLine::default();
    match (row.place, uid) {
        _ if is_offline => model.say(Toast::warning("offline: a list is deleted on the relay, for everybody", now)),
        (Place::OnlyHere, _) => model.say(Toast::calm("the relay has no such list: nobody else can see it", now)),
        (_, None) => model.say(Toast::calm("the relay has not said yet whether it has this list", now)),
        (_, Some(uid)) => set_mode(model, Mode::Delete { list: row.name.clone(), uid, typed, is_wrong: false }),
    }
    vec![]
}

fn in_delete(model: &mut Model, action: Action, now: Millis) -> Vec<Effect> {
    let Some(Switcher { mode: Mode::Delete { list, uid, typed, is_wrong }, .. }) = picked_mut(model) else {
        return vec![];
    };
    *is_wrong = false;
    match action {
        Action::Back => set_mode(model, Mode::Choosing),
        Action::Confirm if typed.text().trim() == list.as_str() => {
            let (name, uid) = (list.clone(), *uid);
            set_mode(model, Mode::Choosing);
            model.deleting = Some(name.clone());
            model.say(Toast::calm(&format!("deleting {name}"), now));
            return vec![Effect::DeleteList { name, uid }];
        }
        Action::Confirm => *is_wrong = true,
        _ => {
            typed.act(action);
        }
    }
    vec![]
}

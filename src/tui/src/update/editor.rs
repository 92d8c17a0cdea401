//! Keys in the line editor of an item.

use betwixt_core::edit::{Edit, Spot};
use betwixt_core::hlc::Millis;
use betwixt_core::id::ItemId;
use betwixt_core::item::Item;
use betwixt_core::list::List;

use super::list::key_of;
use super::tell_written;
use crate::editor::{Editor, News, Target, Then};
use crate::keymap::Action;
use crate::model::{Model, Sending};
use crate::msg::Effect;
use crate::paste;
use crate::toast::Toast;
use crate::words::thousands;

pub(super) fn act(model: &mut Model, list: &List, action: Action, now: Millis) -> Vec<Effect> {
    match action {
        Action::Save => return save(model, list, Leaving::ByEnter, now),
        Action::Leave => return save(model, list, Leaving::ByEsc, now),
        Action::Discard => discard(model, list, now),
        Action::Deeper => {
            let before = depth_before(model, list);
            if let Some(editor) = &mut model.editor {
                editor.deeper(before);
            }
        }
        Action::Shallower => {
            if let Some(editor) = &mut model.editor {
                editor.shallower();
            }
        }
        _ => {
            if let Some(editor) = &mut model.editor {
                editor.line.act(action);
            }
        }
    }
    vec![]
}

/// Writes at the caret.
pub(super) fn write(model: &mut Model, text: &str, now: Millis) {
    let Some(editor) = &mut model.editor else { return };
    let written = editor.line.write(text);
    tell_written(model, written, "an item", now);
}

/// Pasted lines: in a new row they become items, with what stands there; in an item they become one line.
pub(super) fn paste_lines(model: &mut Model, list: &List, text: &str, now: Millis) -> Vec<Effect> {
    let Some(editor) = &model.editor else { return vec![] };
    match editor.target {
        Target::New { spot, then } => {
            let (before, behind) = editor.line.parts();
            let items = paste::items(&format!("{before}{text}{behind}"), editor.depth);
            if items.is_empty() {
                return vec![];
            }
            let opens_next = then == Then::Next;
            model.send(list, Edit::Add { spot, items }, Sending::Pasted { opens_next })
        }
        Target::Item(_) => {
            let lines: Vec<&str> = text.split(['\n', '\r']).map(str::trim).filter(|line| !line.is_empty()).collect();
            write(model, &lines.join(" "), now);
            if model.toast.is_none() {
                let text = format!("{} lines joined into one: this is one item", thousands(lines.len()));
                model.say(Toast::calm(&text, now));
            }
            vec![]
        }
    }
}

/// How the editor is left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Leaving {
    ByEnter,
    ByEsc,
}

/// Sends what was written. The editor stays until the edit is made, so that a failure loses nothing.
fn save(model: &mut Model, list: &List, leaving: Leaving, now: Millis) -> Vec<Effect> {
    let Some(editor) = &model.editor else { return vec![] };
    match editor.target {
        _ if model.is_gone() && leaving == Leaving::ByEsc => {
            discard(model, list, now);
            vec![]
        }
        Target::New { .. } if editor.is_blank() => {
            close(model, list);
            vec![]
        }
        Target::New { spot, then } => {
            let items = vec![paste::registers(editor.text(), editor.depth, false)];
            let opens_next = then == Then::Next && leaving == Leaving::ByEnter;
            model.send(list, Edit::Add { spot, items }, Sending::New { opens_next })
        }
        Target::Item(id) => match editor.news(list) {
            News::Deleted { .. } if leaving == Leaving::ByEsc => {
                discard(model, list, now);
                vec![]
            }
            _ if editor.is_blank() && editor.has_own_text() && leaving == Leaving::ByEnter => {
                let key = key_of(model, Action::Delete);
                model.say(Toast::warning(&format!("an item needs a text; {key} deletes it"), now));
                vec![]
            }
            // Esc on an emptied text: nothing that could be saved.
            _ if editor.is_blank() && editor.has_own_text() => {
                discard(model, list, now);
                vec![]
            }
            news => save_item(model, list, id, news, now),
        },
    }
}

fn save_item(model: &mut Model, list: &List, id: ItemId, news: News<'_>, now: Millis) -> Vec<Effect> {
    let Some(editor) = &model.editor else { return vec![] };
    let item = list.item(id);
    let Some(item) = item else {
        // Not even in the trash any more: what was written becomes a new item.
        let items = vec![paste::registers(editor.text(), editor.depth, false)];
        let spot = model.selected.map_or(Spot::Bottom, Spot::After);
        return model.send(list, Edit::Add { spot, items }, Sending::Restore);
    };
    let writes = editor.writes(Some(item));
    let sending = match news {
        News::Deleted { .. } => Sending::Restore,
        News::Changed { theirs, .. } if editor.has_own_text() => Sending::Rewrite { over: Some(theirs.to_owned()) },
        News::Changed { .. } | News::None => Sending::Rewrite { over: None },
    };
    if writes.is_empty() {
        if matches!(news, News::Changed { .. }) {
            model.say(Toast::calm("their text stays: you had changed nothing", now));
        }
        close(model, list);
        return vec![];
    }
    model.send(list, Edit::Set { writes: vec![(id, writes)] }, sending)
}

/// Closes the editor without saving; undo opens it again for as long as the message says so. If the list was deleted
/// meanwhile, what was written is kept for its export.
fn discard(model: &mut Model, list: &List, now: Millis) {
    let Some(editor) = model.editor.clone() else { return };
    close(model, list);
    if model.is_gone() {
        if editor.has_own_text() && !editor.is_blank() {
            model.unwritten.push(editor.text().to_owned());
        }
    } else if editor.is_changed() && !(editor.is_blank() && matches!(editor.target, Target::New { .. })) {
        let key = key_of(model, Action::Undo);
        model.say(Toast::calm(&format!("not kept; {key} brings it back"), now));
        model.thrown_away = Some(editor);
    }
}

/// Closes the editor; the rows stay where they are on the screen.
pub(super) fn close(model: &mut Model, list: &List) {
    let top = model.top(list);
    model.editor = None;
    model.reveal(list, top);
}

/// The level of the row before the editor's.
fn depth_before(model: &Model, list: &List) -> Option<u8> {
    let editor: &Editor = model.editor.as_ref()?;
    let before = match (editor.target, model.inserted_at(list)) {
        (_, Some(row)) => row.checked_sub(1).and_then(|row| list.at_row(row)),
        (Target::Item(id), None) => list.live_before(id),
        (Target::New { .. }, None) => None,
    };
    before.and_then(|id| list.item(id)).map(Item::depth)
}

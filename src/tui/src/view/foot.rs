//! The last line: what was begun, what happened, what can be pressed.

use betwixt_core::list::List;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::{Clear, Widget};

use super::{Pieces, inset};
use crate::editor::News;
use crate::keymap::{Action, Context, spell};
use crate::layout::Regions;
use crate::model::Model;
use crate::overlay::Overlay;
use crate::switcher::{Mode, Purpose};
use crate::toast::Tone;
use crate::words::thousands;

pub(super) fn draw(model: &Model, list: &List, regions: &Regions, buffer: &mut Buffer) {
    let message = chord(model).or_else(|| toast(model)).or_else(|| news(model, list));
    match (regions.foot, regions.status, message) {
        (Some(foot), _, Some(message)) => {
            message.draw_in(buffer, inset(foot));
        }
        (Some(foot), _, None) => {
            hints(model, inset(foot), buffer);
        }
        (None, Some(status), Some(message)) => {
            // Its colours too: a style that names none would keep those of what it is drawn over.
            Clear.render(status.intersection(*buffer.area()), buffer);
            message.draw_in(buffer, inset(status));
        }
        (None, _, _) => {}
    }
}

/// What was begun, and what may follow.
fn chord(model: &Model) -> Option<Pieces> {
    let theme = &model.setup.theme;
    let chord = &model.chord;
    if !chord.is_begun() {
        return None;
    }
    let count = chord.count().map(thousands).unwrap_or_default();
    let mut line = Pieces::of(format!("{count}{}", spell(chord.keys())), theme.key);
    if chord.keys().is_empty() {
        return Some(line.and("  times", theme.hint));
    }
    for (key, action) in model.keymap.continuations(model.context(), chord.keys()) {
        // One number tells of them all.
        if !matches!(action, Action::OpenNumber(2..)) {
            line = line.and("   ", theme.hint).and(key, theme.key).and(format!(" {}", action.hint()), theme.hint);
        }
    }
    Some(line)
}

fn toast(model: &Model) -> Option<Pieces> {
    let theme = &model.setup.theme;
    let toast = model.toast.as_ref()?;
    let style = match toast.tone {
        Tone::Calm => theme.toast,
        Tone::Warning => theme.warning,
    };
    Some(Pieces::of(toast.text.as_str(), style))
}

/// What others did to the item that is being written.
fn news(model: &Model, list: &List) -> Option<Pieces> {
    if model.overlay.is_some() {
        return None;
    }
    let theme = &model.setup.theme;
    let editor = model.editor.as_ref()?;
    if model.is_gone() {
        return Some(Pieces::of("this list was deleted: Esc goes on, and keeps your text", theme.warning));
    }
    let words = match editor.news(list) {
        News::None => return None,
        News::Changed { theirs, by } => {
            let name = model.people.name_of(by);
            return Some(
                Pieces::of(format!("changed by {name}: Enter keeps yours; theirs: "), theme.warning)
                    .and(theirs, theme.text),
            );
        }
        News::Deleted { by } => format!("deleted by {}: Enter adds it again", model.people.name_of(by)),
    };
    Some(Pieces::of(words, theme.warning))
}

/// The most useful keys of the moment, as many as fit.
fn hints(model: &Model, area: Rect, buffer: &mut Buffer) {
    let theme = &model.setup.theme;
    let context = model.context();
    let mut line = Pieces::new();
    for (actions, words) in useful(model, context) {
        let keys: Vec<String> = actions.iter().filter_map(|action| model.keymap.key_of(context, *action)).collect();
        if keys.is_empty() {
            continue;
        }
        let hint = Pieces::of(keys.join(" "), theme.key).and(format!(" {words}"), theme.hint);
        let more = line.clone().join("   ", theme.hint, hint);
        if more.width() > usize::from(area.width) {
            break;
        }
        line = more;
    }
    line.draw_in(buffer, area);
}

fn useful(model: &Model, context: Context) -> Vec<(&'static [Action], &'static str)> {
    match context {
        Context::List if model.selected.is_none() => {
            vec![(&[Action::NewBelow], "first item"), (&[Action::Help], "all keys"), (&[Action::Quit], "quit")]
        }
        Context::List => {
            let mut hints: Vec<(&'static [Action], &'static str)> = Vec::new();
            if model.is_gone() {
                hints.push((&[Action::Attention], "what now"));
            } else if model.status.refused > 0 {
                hints.push((&[Action::Attention], Action::Attention.hint()));
            }
            hints.extend([
                (&[Action::NewBelow][..], "new"),
                (&[Action::Edit], "edit"),
                (&[Action::ToggleDone], "done"),
                (&[Action::MoveDown, Action::MoveUp], "move"),
                (&[Action::Help], "all keys"),
                (&[Action::Lists], Action::Lists.hint()),
                (&[Action::Quit], "quit"),
                (&[Action::Undo], "undo"),
                (&[Action::Delete], "delete"),
            ]);
            if model.is_gone() {
                hints.retain(|(actions, _)| actions.iter().all(|action| !action.is_edit()));
            }
            hints
        }
        Context::Editor => vec![
            (&[Action::Save], "save"),
            (&[Action::Leave], "save, close"),
            (&[Action::Discard], "discard"),
            (&[Action::Deeper, Action::Shallower], "level"),
        ],
        Context::Help => vec![(&[Action::Back], "close"), (&[Action::Down, Action::Up], "scroll")],
        Context::Drawer if matches!(model.overlay, Some(Overlay::Drawer { at: None })) => {
            vec![(&[Action::Back], "close")]
        }
        Context::Drawer => vec![
            (&[Action::TakeUpAgain], Action::TakeUpAgain.words()),
            (&[Action::Export], Action::Export.words()),
            (&[Action::Drop], Action::Drop.words()),
            (&[Action::Back], "close"),
        ],
        Context::Dialog | Context::Gone => {
            vec![(&[Action::Down, Action::Up], "choose"), (&[Action::Confirm], "do it"), (&[Action::Back], "not now")]
        }
        Context::Switcher => in_switcher(model),
        Context::Line => match &model.overlay {
            Some(Overlay::Title(_)) => vec![(&[Action::Confirm], "save"), (&[Action::Back], "as it was")],
            Some(Overlay::Switcher(switcher)) if matches!(switcher.mode, Mode::Title { .. }) => {
                vec![(&[Action::Confirm], "save"), (&[Action::Back], "as it was")]
            }
            Some(Overlay::Switcher(_)) => {
                vec![(&[Action::Confirm], "delete for all"), (&[Action::Back], "keep it")]
            }
            _ => vec![(&[Action::Confirm], "keep mine under this name"), (&[Action::Back], "back")],
        },
    }
}

fn in_switcher(model: &Model) -> Vec<(&'static [Action], &'static str)> {
    let is_move = model.switcher().is_some_and(|switcher| switcher.purpose != Purpose::Open);
    let is_searching = model.switcher().is_some_and(|switcher| !switcher.search.text().is_empty());
    let back = (&[Action::Back][..], if is_searching { "clear" } else { "close" });
    let pick: &[Action] = &[Action::Down, Action::Up];
    if is_move {
        return vec![(&[Action::Confirm], "move there"), back, (pick, "choose")];
    }
    vec![
        (&[Action::Confirm], "open"),
        back,
        (&[Action::EditTitle], Action::EditTitle.hint()),
        (&[Action::DeleteList], Action::DeleteList.hint()),
        (pick, "choose"),
    ]
}

//! What becomes of a list that was deleted.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::choices::{self, Choice};
use super::{inset, prose};
use crate::keymap::{Action, Context};
use crate::model::Model;
use crate::overlay::GonePick;
use crate::words::counted;

pub(super) fn draw(model: &Model, picked: Option<GonePick>, area: Rect, buffer: &mut Buffer) -> Position {
    let theme = &model.setup.theme;
    let width = usize::from(inset(area).width);
    let paragraphs = vec![
        prose(&format!("The list {} was deleted.", model.setup.list), width, theme.title),
        prose(&what_is_left(model), width, theme.dim),
    ];
    let choices = GonePick::ALL.map(|pick| {
        let (action, sentence) = match pick {
            GonePick::Export => (Action::PickExport, "the list to a file, unsent edits too"),
            GonePick::Lists => (Action::PickLists, "open another one, or make one"),
            GonePick::LetGo => (Action::PickLetGo, "forget it here, unsent edits too"),
        };
        let key = model.keymap.key_of(Context::Gone, action).unwrap_or_default();
        Choice { key, words: action.words(), sentence, is_picked: picked == Some(pick) }
    });
    choices::draw(model, paragraphs, &choices, 0, area, buffer).cursor
}

/// What this machine has of the list that nobody else has.
fn what_is_left(model: &Model) -> String {
    let unsent = (model.status.unsent > 0).then(|| {
        let verb = if model.status.unsent == 1 { "was" } else { "were" };
        format!("{} {verb} not sent", counted(model.status.unsent, "edit"))
    });
    let unwritten = match model.unwritten.len() {
        0 => None,
        1 => Some("what you were writing was not saved".to_owned()),
        texts => Some(format!("{} that you were writing were not saved", counted(texts, "text"))),
    };
    let parts: Vec<String> = [unsent, unwritten].into_iter().flatten().collect();
    match parts.as_slice() {
        [] => "All of it is still here, on this machine:".to_owned(),
        parts => format!("It is still here, on this machine; {}:", parts.join(", and ")),
    }
}

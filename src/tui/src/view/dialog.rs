//! What becomes of a list whose name another list has on the relay.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::choices::{self, Choice, Drawn};
use super::rows::draw_line;
use super::{Pieces, draw_prompt, inset, line_of};
use crate::keymap::{Action, Context};
use crate::model::Model;
use crate::overlay::{Dialog, Pick};

const CHOICES: [(Pick, Action, &str, &str); 3] = [
    (Pick::Merge, Action::PickMerge, "merge", "my items go below theirs"),
    (Pick::Keep, Action::PickKeep, "another name", "mine goes on under that name"),
    (Pick::Export, Action::PickExport, "export mine", "mine to a file, then theirs opens"),
];

pub(super) fn draw(model: &Model, dialog: &Dialog, area: Rect, buffer: &mut Buffer) -> Position {
    let theme = &model.setup.theme;
    let paragraphs = vec![
        vec![Pieces::of(format!("Another list is called {} on the relay.", model.setup.list), theme.title)],
        vec![Pieces::of("Nothing is sent and nothing is lost until you choose:", theme.dim)],
    ];
    let choices = CHOICES.map(|(pick, action, words, sentence)| {
        let key = model.keymap.key_of(Context::Dialog, action).unwrap_or_default();
        Choice { key, words, sentence, is_picked: dialog.picked == Some(pick) }
    });
    let field_lines = dialog.name.as_ref().map_or(0, |(_, fault)| 1 + usize::from(fault.is_some()));
    let Drawn { cursor, below } = choices::draw(model, paragraphs, &choices, field_lines, area, buffer);
    let Some((line, fault)) = &dialog.name else { return cursor };
    let at = inset(line_of(area, below));
    let field = draw_prompt(["new name: ", "name: "], theme.dim, at, buffer);
    let caret = draw_line(line, "letters, digits, - _ .", [theme.editor, theme.placeholder], field, buffer);
    if let Some(fault) = fault {
        Pieces::of(fault, theme.warning).draw_in(buffer, inset(line_of(area, below + 1)));
    }
    caret
}

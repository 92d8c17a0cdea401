//! What becomes of a list whose name another list has on the relay.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::rows::draw_line;
use super::{Pieces, inset, line_of};
use crate::keymap::{Action, Context};
use crate::model::{Dialog, Model, Pick};
use crate::words::cells;

const CHOICES: [(Pick, Action, &str, &str); 3] = [
    (Pick::Merge, Action::PickMerge, "merge", "my items go below theirs"),
    (Pick::Keep, Action::PickKeep, "another name", "mine goes on under that name"),
    (Pick::Export, Action::PickExport, "export mine", "mine to a file, then theirs opens"),
];
/// Columns from which a choice and its sentence share a line.
const SHARED_COLS_MIN: u16 = 54;
/// Cells of a choice's words where its sentence follows on the line.
const WORDS_CELLS: usize = 14;
/// Where the text of a choice begins.
const INDENT: usize = 5;

pub(super) fn draw(model: &Model, dialog: &Dialog, area: Rect, buffer: &mut Buffer) -> Position {
    let theme = &model.setup.theme;
    let name = Pieces::of(format!("Another list is called {} on the relay.", model.setup.list), theme.title);
    let calm = Pieces::of("Nothing is sent and nothing is lost until you choose:", theme.dim);
    let mut lines: Vec<Pieces> = Vec::new();
    let mut picked = 0;
    let is_shared = area.width >= SHARED_COLS_MIN;
    let choices: Vec<Vec<Pieces>> = CHOICES.iter().map(|one| choice(model, dialog, *one, is_shared)).collect();
    let field_lines = dialog.name.as_ref().map_or(0, |(_, fault)| 1 + usize::from(fault.is_some()));
    // What is said first goes first where there is no room.
    let needed = choices.iter().map(Vec::len).sum::<usize>() + field_lines;
    let room = usize::from(area.height);
    let is_roomy = room >= needed + 4;
    for (heading, fits) in [(name, room > needed), (calm, room > needed + 1)] {
        if fits {
            lines.push(Pieces::of(" ", theme.text).join("", theme.text, heading));
        }
    }
    if is_roomy {
        lines.push(Pieces::new());
    }
    for (choice, (pick, ..)) in choices.into_iter().zip(CHOICES) {
        if dialog.picked == Some(pick) {
            picked = lines.len();
        }
        lines.extend(choice);
    }
    if is_roomy && dialog.name.is_some() {
        lines.push(Pieces::new());
    }
    // The field is what is being done: of the choices above it, as many as there is room for.
    let shown = room.saturating_sub(field_lines);
    let skipped =
        if dialog.name.is_some() { lines.len().saturating_sub(shown) } else { (picked + 1).saturating_sub(shown) };
    for (number, line) in lines.iter().skip(skipped).take(shown).enumerate() {
        let at = line_of(area, number);
        line.draw_in(buffer, Rect { width: at.width.saturating_sub(1), ..at });
    }
    if dialog.picked.is_some() && dialog.name.is_none() {
        let at = line_of(area, picked.saturating_sub(skipped));
        buffer.set_style(at.intersection(*buffer.area()), theme.selected);
        return Position { x: at.x + 2, y: at.y };
    }
    match &dialog.name {
        Some((line, fault)) => {
            let below = (lines.len() - skipped).min(shown);
            let at = inset(line_of(area, below));
            let x = Pieces::of("new name: ", theme.dim).draw_in(buffer, at);
            let field = Rect { x, width: at.right().saturating_sub(x), ..at };
            let styles = [theme.editor, theme.placeholder];
            let caret = draw_line(line, "letters, digits, - _ .", styles, field, buffer);
            if let Some(fault) = fault {
                Pieces::of(fault, theme.warning).draw_in(buffer, inset(line_of(area, below + 1)));
            }
            caret
        }
        None => Position { x: area.x.saturating_add(cells(1)), y: area.y },
    }
}

/// A choice on one line, or on two where the screen is narrow.
fn choice(
    model: &Model,
    dialog: &Dialog,
    (pick, action, words, sentence): (Pick, Action, &str, &str),
    is_shared: bool,
) -> Vec<Pieces> {
    let theme = &model.setup.theme;
    let key = model.keymap.key_of(Context::Dialog, action).unwrap_or_default();
    let marker = if dialog.picked == Some(pick) { "▌" } else { " " };
    let head = Pieces::of(marker, theme.marker)
        .and(" ", theme.text)
        .and(key, theme.key)
        .and(format!("  {words}"), theme.title);
    if is_shared {
        let gap = " ".repeat(WORDS_CELLS.saturating_sub(words.len()));
        return vec![head.and(gap, theme.text).and(sentence, theme.text)];
    }
    vec![head, Pieces::of(" ".repeat(INDENT), theme.text).and(sentence, theme.dim)]
}

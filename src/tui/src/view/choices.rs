//! Choices of a dialog below what it says, as far as there is room.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::{Pieces, line_of};
use crate::model::Model;
use crate::words::cells;

/// Columns from which a choice and its sentence share a line.
const SHARED_COLS_MIN: u16 = 54;
/// Cells of a choice's words where its sentence follows on the line.
const WORDS_CELLS: usize = 14;
/// Where the text of a choice begins.
const INDENT: usize = 5;

/// A choice: its key, its name, and what it does.
pub(super) struct Choice {
    pub key: String,
    pub words: &'static str,
    pub sentence: &'static str,
    pub is_picked: bool,
}

/// Where things came to stand.
pub(super) struct Drawn {
    /// The picked choice, or the start if none is.
    pub cursor: Position,
    /// The first line below.
    pub below: usize,
}

/// Draws what is said, as many whole paragraphs of it as there is room for, and the choices, and leaves so many lines below them for a field that is being written.
pub(super) fn draw(
    model: &Model,
    paragraphs: Vec<Vec<Pieces>>,
    choices: &[Choice],
    field_lines: usize,
    area: Rect,
    buffer: &mut Buffer,
) -> Drawn {
    let theme = &model.setup.theme;
    let room = usize::from(area.height);
    let sentences = if area.width >= SHARED_COLS_MIN {
        Sentences::Beside
    } else if room > choices.len() * 2 + field_lines {
        Sentences::Below
    } else {
        // What it is all about matters more than what each choice does, until it is picked.
        Sentences::BelowPicked
    };
    let drawn: Vec<Vec<Pieces>> = choices.iter().map(|one| lines_of(model, one, sentences)).collect();
    // What is said first goes first where there is no room.
    let needed = drawn.iter().map(Vec::len).sum::<usize>() + field_lines;
    let is_roomy = room >= needed + paragraphs.iter().map(Vec::len).sum::<usize>() + 2;
    let mut lines: Vec<Pieces> = Vec::new();
    for paragraph in paragraphs {
        if lines.len() + paragraph.len() + needed > room {
            break;
        }
        let line = |line| Pieces::of(" ", theme.text).join("", theme.text, line);
        lines.extend(paragraph.into_iter().map(line));
    }
    if is_roomy {
        lines.push(Pieces::new());
    }
    let mut picked = None;
    for (choice, its_lines) in choices.iter().zip(drawn) {
        if choice.is_picked {
            picked = Some(lines.len());
        }
        lines.extend(its_lines);
    }
    if is_roomy && field_lines > 0 {
        lines.push(Pieces::new());
    }
    // The field is what is being done: of the choices above it, as many as there is room for.
    let shown = room.saturating_sub(field_lines);
    let last = if field_lines > 0 { lines.len() } else { picked.map_or(0, |picked| picked + 1) };
    let skipped = last.saturating_sub(shown);
    for (number, line) in lines.iter().skip(skipped).take(shown).enumerate() {
        let at = line_of(area, number);
        line.draw_in(buffer, Rect { width: at.width.saturating_sub(1), ..at });
    }
    let below = lines.len().saturating_sub(skipped).min(shown);
    let cursor = match picked {
        Some(picked) if field_lines == 0 => {
            let at = line_of(area, picked.saturating_sub(skipped));
            buffer.set_style(at.intersection(*buffer.area()), theme.selected);
            Position { x: at.x + 2, y: at.y }
        }
        _ => Position { x: area.x.saturating_add(cells(1)), y: area.y },
    };
    Drawn { cursor, below }
}

/// Where the sentences of the choices stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sentences {
    Beside,
    Below,
    BelowPicked,
}

fn lines_of(model: &Model, choice: &Choice, sentences: Sentences) -> Vec<Pieces> {
    let theme = &model.setup.theme;
    let marker = if choice.is_picked { "▌" } else { " " };
    let head = Pieces::of(marker, theme.marker)
        .and(" ", theme.text)
        .and(&choice.key, theme.key)
        .and(format!("  {}", choice.words), theme.title);
    let below = || Pieces::of(" ".repeat(INDENT), theme.text).and(choice.sentence, theme.dim);
    match sentences {
        Sentences::Beside => {
            let gap = " ".repeat(WORDS_CELLS.saturating_sub(choice.words.len()));
            vec![head.and(gap, theme.text).and(choice.sentence, theme.text)]
        }
        Sentences::BelowPicked if !choice.is_picked => vec![head],
        Sentences::Below | Sentences::BelowPicked => vec![head, below()],
    }
}

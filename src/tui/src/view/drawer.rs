//! The edits that the relay did not take, each with its reason.

use betwixt_core::safe_text::SafeText;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::{Pieces, inset, line_of};
use crate::model::Model;
use crate::msg::Refusal;
use crate::words::counted;

/// Lines of a refused edit: what, and why.
const LINES: usize = 2;

pub(super) fn draw(model: &Model, at: Option<u64>, area: Rect, buffer: &mut Buffer) -> Position {
    let theme = &model.setup.theme;
    let heading = match model.refusals.len() {
        0 => Pieces::of("Nothing is refused.", theme.title),
        refused => Pieces::of(counted(refused, "edit"), theme.title)
            .and(" that the relay did not take; nothing is lost until you throw it away", theme.dim),
    };
    // Where there is room for one edit only, that is what is shown.
    let is_tiny = usize::from(area.height) <= LINES && !model.refusals.is_empty();
    let first_line = match area.height {
        _ if is_tiny => 0,
        height if height > 4 => 2,
        _ => 1,
    };
    if !is_tiny {
        heading.draw_in(buffer, inset(line_of(area, 0)));
    }
    let room = usize::from(area.height).saturating_sub(first_line);
    let shown = (room / LINES).max(1);
    let selected = model.refusals.iter().position(|one| Some(one.number) == at).unwrap_or_default();
    let skipped = (selected + 1).saturating_sub(shown);
    let mut cursor = None;
    for (place, refusal) in model.refusals.iter().skip(skipped).take(shown).enumerate() {
        let line = first_line + place * LINES;
        let is_selected = Some(refusal.number) == at;
        draw_one(model, refusal, is_selected, [line_of(area, line), line_of(area, line + 1)], buffer);
        if is_selected {
            let at = inset(line_of(area, line));
            cursor = Some(Position { x: at.x + 1, y: at.y });
        }
    }
    cursor.unwrap_or(Position { x: area.x + 1, y: area.y })
}

fn draw_one(model: &Model, refusal: &Refusal, is_selected: bool, [what, why]: [Rect; 2], buffer: &mut Buffer) {
    let theme = &model.setup.theme;
    let marker = if is_selected { "▌" } else { " " };
    let head = || Pieces::of(marker, theme.marker).and(" ", theme.text);
    let mut line = head();
    line.push(SafeText::line(&refusal.what), theme.text);
    line.draw_in(buffer, Rect { width: what.width.saturating_sub(1), ..what });
    let line = head().and(&refusal.code, theme.warning);
    line.draw_in(buffer, Rect { width: why.width.saturating_sub(1), ..why });
    if is_selected {
        for line in [what, why] {
            buffer.set_style(line.intersection(*buffer.area()), theme.selected);
        }
    }
}

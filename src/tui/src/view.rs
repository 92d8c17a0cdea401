//! How the model looks. Draws what is in sight and nothing else.

mod choices;
mod dialog;
mod drawer;
mod first_screen;
mod foot;
mod gauge;
mod gone;
mod help;
mod pieces;
mod rows;
mod status;
mod switcher;
mod title;

use betwixt_core::list::List;
use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use self::pieces::{Pieces, draw_prompt, prose};
use crate::layout::{COLS_MIN, ROWS_MIN, Regions};
use crate::model::Model;
use crate::overlay::Overlay;
use crate::switcher::Rows;
use crate::words::{cells, thousands};

pub(crate) use self::help::lines as help_lines;

/// Draws a frame of any size.
///
/// Every text of others passes `SafeText` on its way to a cell. The cursor is put where writing happens, else on the
/// selected row, where screen readers and input methods look for it. Costs the rows in sight.
pub fn view(model: &Model, list: &List, frame: &mut Frame<'_>) {
    let area = frame.area();
    let Some(regions) = Regions::of(area) else {
        let notice = Pieces::of(format!("needs {COLS_MIN}x{ROWS_MIN}"), model.setup.theme.text);
        notice.draw_in(frame.buffer_mut(), Rect { height: area.height.min(1), ..area });
        return;
    };
    let buffer = frame.buffer_mut();
    let cursor = body(model, list, &regions, buffer);
    let range = range(model, list, &regions);
    let cursor = title::draw(model, list, &regions, range.as_deref(), buffer).or(cursor);
    if let Some(rule) = regions.top_rule {
        draw_rule(model, rule, above(model, list, &regions).as_deref(), buffer);
    }
    if let Some(rule) = regions.bottom_rule {
        draw_rule(model, rule, range.as_deref(), buffer);
    }
    gauge::draw(model, list, &regions, buffer);
    foot::draw(model, list, &regions, buffer);
    if let Some(cursor) = cursor.filter(|cursor| area.contains(*cursor)) {
        frame.set_cursor_position(cursor);
    }
}

/// Draws what stands between title and gauge; returns where the cursor goes.
fn body(model: &Model, list: &List, regions: &Regions, buffer: &mut Buffer) -> Option<Position> {
    match &model.overlay {
        Some(Overlay::Help { scrolled }) => Some(help::draw(model, *scrolled, regions.rows, buffer)),
        Some(Overlay::Drawer { at }) => Some(drawer::draw(model, *at, regions.rows, buffer)),
        Some(Overlay::Dialog(dialog)) => Some(dialog::draw(model, dialog, regions.rows, buffer)),
        Some(Overlay::Gone { picked }) => Some(gone::draw(model, *picked, regions.rows, buffer)),
        Some(Overlay::Switcher(switcher)) => {
            let rows = Rows::of(model, list, switcher);
            Some(switcher::draw(model, switcher, &rows, regions.rows, buffer))
        }
        Some(Overlay::Title(_)) | None if model.page_lines(list) == 0 => {
            Some(first_screen::draw(model, regions.rows, buffer))
        }
        Some(Overlay::Title(_)) | None => rows::draw(model, list, regions.rows, buffer),
    }
}

/// `↑ 12 more`, if rows are hidden above: what others put there must not go unseen.
fn above(model: &Model, list: &List, regions: &Regions) -> Option<String> {
    let top = model.top_within(list, usize::from(regions.rows.height));
    (top > 0 && shows_rows(model)).then(|| format!("↑ {} more", thousands(top)))
}

/// `1-20 of 12,453`, if there are rows, or lines of help, out of sight.
fn range(model: &Model, list: &List, regions: &Regions) -> Option<String> {
    let len = list.order().live_len();
    let height = usize::from(regions.rows.height);
    if let Some(Overlay::Help { scrolled }) = &model.overlay {
        return help::range(model, *scrolled, height);
    }
    if let Some(Overlay::Switcher(switcher)) = &model.overlay {
        return switcher::range(model, switcher, &Rows::of(model, list, switcher));
    }
    if len == 0 || !shows_rows(model) {
        return None;
    }
    let top = model.top_within(list, height);
    let last_line = (top + height).min(model.page_lines(list));
    // The editor's own line is in sight, and is none of the rows.
    let lowest = last_line - usize::from(model.inserted_at(list).is_some());
    Some(format!("{}-{} of {}", thousands((top + 1).min(lowest)), thousands(lowest), thousands(len)))
}

/// Whether nothing lies over the rows.
fn shows_rows(model: &Model) -> bool {
    matches!(model.overlay, None | Some(Overlay::Title(_)))
}

/// Draws a line across, with words let into it near its right end.
fn draw_rule(model: &Model, area: Rect, words: Option<&str>, buffer: &mut Buffer) {
    let theme = &model.setup.theme;
    let inner = inset(area);
    let words = words.map_or_else(Pieces::new, |words| Pieces::of(format!(" {words} "), theme.dim));
    let line = usize::from(inner.width).saturating_sub(words.width());
    let behind = if words.is_empty() { 0 } else { line.min(2) };
    Pieces::of("─".repeat(line - behind), theme.rule)
        .join("", theme.rule, words)
        .and("─".repeat(behind), theme.rule)
        .draw_in(buffer, inner);
}

/// An area without a column on each side.
fn inset(area: Rect) -> Rect {
    Rect { x: area.x.saturating_add(1), width: area.width.saturating_sub(2), ..area }
}

/// The line of an area with this number from its top; empty if it has not so many.
fn line_of(area: Rect, number: usize) -> Rect {
    let y = area.y.saturating_add(cells(number));
    Rect { y, height: u16::from(y < area.bottom()), ..area }
}

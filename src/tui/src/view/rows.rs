//! The rows in sight, and the editor in its place among them.

use betwixt_core::id::ItemId;
use betwixt_core::item::Item;
use betwixt_core::list::List;
use betwixt_core::safe_text::SafeText;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::{Modifier, Style};

use super::{Pieces, line_of};
use crate::editor::{Editor, Target};
use crate::model::Model;
use crate::text_line::TextLine;
use crate::words::{cells, thousands};

/// Stands before the selected row.
const MARKER: &str = "▌";
/// Stands before the name of somebody who is at a row, and of somebody who is writing there.
const IS_AT: &str = "◂ ";
/// See [`IS_AT`].
const IS_WRITING: &str = "✎ ";
/// Stands at a row that is under way to another list.
const IS_MOVING: &str = "→ moving";
/// Cells of a level of the outline.
const LEVEL_CELLS: usize = 2;
/// Cells of a name at a row.
const NAME_CELLS_MAX: usize = 12;
/// Names at a row; more are counted.
const NAMES_MAX: usize = 2;

/// Draws the lines in sight; returns where the cursor goes.
pub(super) fn draw(model: &Model, list: &List, area: Rect, buffer: &mut Buffer) -> Option<Position> {
    let height = usize::from(area.height);
    let top = model.top_within(list, height);
    let inserted = model.inserted_at(list);
    // The editor's own line, if it has one, has the focus, so it is in sight: no row above it is pushed down.
    let mut rows = list.order().live_from(top);
    let mut cursor = None;
    for number in 0..height {
        let line = line_of(area, number);
        if inserted == Some(top + number) {
            if let Some(editor) = &model.editor {
                cursor = Some(draw_editor(model, editor, None, line, buffer));
            }
            continue;
        }
        let Some(place) = rows.next() else { break };
        let Some(item) = list.item(place.id) else { continue };
        match &model.editor {
            Some(editor) if editor.target == Target::Item(place.id) => {
                cursor = Some(draw_editor(model, editor, Some(item), line, buffer));
            }
            _ => {
                let is_selected = model.editor.is_none() && model.selected == Some(place.id);
                let at = draw_row(model, place.id, item, is_selected, line, buffer);
                if is_selected {
                    cursor = Some(at);
                }
            }
        }
    }
    cursor
}

fn draw_row(model: &Model, id: ItemId, item: &Item, is_selected: bool, area: Rect, buffer: &mut Buffer) -> Position {
    let theme = &model.setup.theme;
    let text_style = match (model.moving.contains(&id), item.done()) {
        (true, _) => theme.dim.add_modifier(Modifier::DIM),
        (false, true) => theme.done,
        (false, false) => theme.text,
    };
    let text = SafeText::line(item.text());
    let x = draw_head(model, item.depth(), item.done(), is_selected, area, buffer);
    let room = usize::from(area.right().saturating_sub(x + 1));
    // What stands at the right takes what the text leaves, and a third of the line if the text leaves less.
    let spare = room.saturating_sub(text.width() + 2).max(room / 3);
    let right = right_of(model, id, item, spare);
    let right_width = cells(right.width());
    if right_width > 0 {
        right.draw_right(buffer, Rect { width: area.width.saturating_sub(1), ..area });
    }
    let width = area.right().saturating_sub(x + 1 + if right_width > 0 { right_width + 2 } else { 0 });
    Pieces::of(text.as_str(), text_style).draw_in(buffer, Rect { x, width, ..area });
    if is_selected {
        // Behind everything else: drawing a wide letter takes the style from its second cell.
        buffer.set_style(area.intersection(*buffer.area()), theme.selected);
    }
    Position { x, y: area.y }
}

/// Draws marker, indent and box; returns the column of the text.
fn draw_head(model: &Model, depth: u8, is_done: bool, is_selected: bool, area: Rect, buffer: &mut Buffer) -> u16 {
    let theme = &model.setup.theme;
    let marker = if is_selected { MARKER } else { " " };
    // On a narrow screen the levels may not eat the text.
    let indent = (usize::from(depth) * LEVEL_CELLS).min(usize::from(area.width / 4));
    let (mark, style) = if is_done { ("[x]", theme.done_box) } else { ("[ ]", theme.open_box) };
    Pieces::of(marker, theme.marker)
        .and(" ".repeat(indent + 1), theme.text)
        .and(mark, style)
        .and(" ", theme.text)
        .draw_in(buffer, area)
}

/// Who is at the row, and what the item carries, the more important first, as far as it fits.
fn right_of(model: &Model, id: ItemId, item: &Item, cells_max: usize) -> Pieces {
    let theme = &model.setup.theme;
    let mut carried: Vec<Pieces> = Vec::new();
    if model.moving.contains(&id) {
        carried.push(Pieces::of(IS_MOVING, theme.meta));
    }
    if let Some(due) = item.due() {
        carried.push(Pieces::of(due.to_string(), theme.due));
    }
    if let Some(priority) = item.priority() {
        carried.push(Pieces::of(format!("!{priority}"), theme.priority));
    }
    if !item.assignee().is_empty() {
        let who = SafeText::line(item.assignee()).truncate(NAME_CELLS_MAX);
        carried.push(Pieces::of(format!("@{who}"), theme.meta));
    }
    for tag in item.tags() {
        let tag = SafeText::line(tag).truncate(NAME_CELLS_MAX);
        carried.push(Pieces::of(format!("#{tag}"), theme.meta));
    }
    let visitors = (0..=NAMES_MAX).rev().map(|names| visitors(model, id, names));
    let visitors = visitors.into_iter().find(|visitors| visitors.width() <= cells_max).unwrap_or_default();
    let mut shown = Pieces::new();
    for one in carried {
        let more = shown.clone().join(" ", theme.text, one);
        let with_visitors = more.clone().join("  ", theme.text, visitors.clone());
        if with_visitors.width() > cells_max {
            break;
        }
        shown = more;
    }
    shown.join("  ", theme.text, visitors)
}

/// Who is at the row: so many by name, the rest by number.
fn visitors(model: &Model, id: ItemId, names_max: usize) -> Pieces {
    let theme = &model.setup.theme;
    let mut shown = Pieces::new();
    let count = model.people.at(id).count();
    for one in model.people.at(id).take(names_max) {
        let sign = if one.is_editing { IS_WRITING } else { IS_AT };
        let name = one.label.truncate(NAME_CELLS_MAX);
        let person = Pieces::of(format!("{sign}{name}"), theme.people[one.colour]);
        shown = shown.join(" ", theme.text, person);
    }
    match count.saturating_sub(names_max) {
        0 => shown,
        rest if names_max == 0 => Pieces::of(format!("{IS_AT}{}", thousands(rest)), theme.dim),
        rest => shown.and(format!(" +{}", thousands(rest)), theme.dim),
    }
}

/// Draws an editor on its line; returns where the caret is.
fn draw_editor(model: &Model, editor: &Editor, item: Option<&Item>, area: Rect, buffer: &mut Buffer) -> Position {
    let theme = &model.setup.theme;
    let x = draw_head(model, editor.depth, item.is_some_and(Item::done), true, area, buffer);
    let field = Rect { x, width: area.right().saturating_sub(x + 1), ..area };
    // Before anything is drawn over it: the whole row is under the hand.
    buffer.set_style(area.intersection(*buffer.area()), theme.selected.remove_modifier(Modifier::BOLD));
    draw_line(&editor.line, "write the item", [theme.editor, theme.placeholder], field, buffer)
}

/// Draws a line that is being written, scrolled so that the caret is in sight; returns where the caret is.
pub(super) fn draw_line(
    line: &TextLine,
    placeholder: &str,
    [written, waiting]: [Style; 2],
    field: Rect,
    buffer: &mut Buffer,
) -> Position {
    let field = field.intersection(*buffer.area());
    let start = Position { x: field.x, y: field.y };
    if field.is_empty() {
        return start;
    }
    if line.text().is_empty() {
        Pieces::of(placeholder, waiting).draw_in(buffer, field);
        return start;
    }
    let text = SafeText::line(line.text());
    let width = usize::from(field.width);
    let caret = line.caret_cells().min(text.width());
    // The caret may stand behind the last letter, so it needs a cell of its own.
    let hidden = (caret + 1).saturating_sub(width);
    let mut cell = 0;
    for (grapheme, wide) in text.graphemes() {
        if cell >= hidden && cell + wide <= hidden + width {
            let x = field.x.saturating_add(cells(cell - hidden));
            buffer.set_stringn(x, field.y, grapheme, wide, written);
        }
        cell += wide;
        if cell > hidden + width {
            break;
        }
    }
    if hidden > 0 {
        buffer.set_stringn(field.x, field.y, "…", 1, waiting);
    }
    Position { x: field.x.saturating_add(cells(caret - hidden)), y: field.y }
}

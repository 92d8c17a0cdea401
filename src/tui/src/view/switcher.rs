//! The list switcher: a line to search in, and the lists below it.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Modifier;

use super::rows::draw_line;
use super::{Pieces, draw_prompt, inset, line_of, prose};
use crate::keymap::{Action, Context};
use crate::model::Model;
use crate::switcher::{Last, Mode, Place, Purpose, Row, Rows, Switcher, list_lines};
use crate::text_line::TextLine;
use crate::words::{cells, counted, thousands};

/// Stands before the picked list.
const MARKER: &str = "▌";
/// Cells between what a list is called and its title.
const APART: usize = 2;
/// Fewest cells of a title beside a name, and of a name beside a title.
const COLUMN_CELLS_MIN: usize = 10;

/// Draws the switcher; returns where the cursor goes.
pub(super) fn draw(model: &Model, switcher: &Switcher, rows: &Rows, area: Rect, buffer: &mut Buffer) -> Position {
    if let Mode::Delete { list, typed, is_wrong, .. } = &switcher.mode {
        let row = rows.lists.iter().find(|row| row.name == *list);
        let title = row.map_or("", |row| row.title.as_str());
        return draw_delete(model, list.as_str(), title, (typed, *is_wrong), area, buffer);
    }
    let theme = &model.setup.theme;
    let caret = draw_search(model, switcher, inset(line_of(area, 0)), buffer);
    let note = model.lists_note(rows);
    let (first, lines) = list_lines(usize::from(area.height), note.is_some());
    if let Some(note) = note.filter(|_| first > 1) {
        Pieces::of(note, theme.amber).draw_in(buffer, inset(line_of(area, 1)));
    }
    let shown = model.lists_shown(rows).min(lines);
    let (top, picked) = (switcher.top(rows, shown), switcher.row(rows));
    let columns = Columns::of(model, switcher, rows, area);
    let mut cursor = caret;
    for (number, row) in rows.lists.iter().enumerate().skip(top).take(shown) {
        let line = line_of(area, first + number - top);
        if let Some(caret) = draw_row(model, switcher, row, number == picked, &columns, line, buffer) {
            cursor = caret;
        }
    }
    draw_last(model, switcher, rows, (first, top, shown), &columns, area, buffer);
    cursor
}

/// What is said about how many lists there are, and which of them are in sight.
pub(super) fn range(model: &Model, switcher: &Switcher, rows: &Rows) -> Option<String> {
    if matches!(switcher.mode, Mode::Delete { .. }) {
        return None;
    }
    let shown = model.lists_shown(rows);
    let (lists, top) = (rows.lists.len(), switcher.top(rows, shown));
    let has_more = model.directory.has_more(switcher.prefix().unwrap_or_default());
    if lists == 0 {
        return has_more.then(|| "more below".to_owned());
    }
    let what = if lists <= shown {
        counted(lists, "list")
    } else {
        let last = (top + shown).min(lists);
        format!("{}-{} of {}", thousands((top + 1).min(last)), thousands(last), counted(lists, "list"))
    };
    Some(if has_more { format!("{what}, more below") } else { what })
}

fn draw_search(model: &Model, switcher: &Switcher, area: Rect, buffer: &mut Buffer) -> Position {
    let theme = &model.setup.theme;
    let [long, short] = match &switcher.purpose {
        Purpose::Open => ["open list: ".to_owned(), "list: ".to_owned()],
        Purpose::Move(items) => {
            [format!("move {} to: ", counted(items.len(), "item")), format!("{} to: ", thousands(items.len()))]
        }
    };
    let field = draw_prompt([&long, &short], theme.dim, area, buffer);
    draw_line(&switcher.search, "name or title", [theme.editor, theme.placeholder], field, buffer)
}

/// Where things stand in each row.
struct Columns {
    /// Cells of the keys that open a list by its number.
    keys: usize,
    /// Cells of the names, so that titles stand below each other.
    names: usize,
}

impl Columns {
    fn of(model: &Model, switcher: &Switcher, rows: &Rows, area: Rect) -> Self {
        let keys = rows.lists.iter().map(|row| key(model, switcher, row).len()).max().unwrap_or_default();
        let longest = rows.lists.iter().map(|row| row.name.as_str().len()).max().unwrap_or_default();
        Self { keys, names: longest.min((usize::from(area.width) / 2).max(COLUMN_CELLS_MIN)) }
    }

    /// Blanks up to where names begin.
    fn indent(&self) -> String {
        " ".repeat(1 + self.keys + usize::from(self.keys > 0))
    }
}

/// The key that opens a list by its number; empty if none does, or if it is not to be opened.
fn key(model: &Model, switcher: &Switcher, row: &Row) -> String {
    let number = row.number.filter(|_| switcher.purpose == Purpose::Open).and_then(|number| u8::try_from(number).ok());
    number.and_then(|number| model.keymap.key_of(Context::List, Action::OpenNumber(number))).unwrap_or_default()
}

/// Draws a list; returns where the caret is, if its title is being written.
fn draw_row(
    model: &Model,
    switcher: &Switcher,
    row: &Row,
    is_picked: bool,
    columns: &Columns,
    area: Rect,
    buffer: &mut Buffer,
) -> Option<Position> {
    let theme = &model.setup.theme;
    let indent = columns.indent();
    let key = key(model, switcher, row);
    let gap = indent.get(1 + key.len()..).unwrap_or_default();
    let name_style = if row.place == Place::Open { theme.title } else { theme.text };
    let x = Pieces::of(if is_picked { MARKER } else { " " }, theme.marker)
        .and(" ", theme.text)
        .and(&key, theme.dim)
        .and(gap, theme.text)
        .draw_in(buffer, area);
    let name = Rect { x, width: cells(columns.names).min(area.right().saturating_sub(x)), ..area };
    Pieces::of(row.name.as_str(), name_style).draw_in(buffer, name);
    let x = name.right().saturating_add(cells(APART));
    let field = Rect { x, width: area.right().saturating_sub(x.saturating_add(1)), ..area };
    if let Mode::Title { list, line } = &switcher.mode
        && *list == row.name
    {
        buffer.set_style(area.intersection(*buffer.area()), theme.selected.remove_modifier(Modifier::BOLD));
        let styles = [theme.editor, theme.placeholder];
        return Some(draw_line(line, "its title", styles, field, buffer));
    }
    let place = match row.place {
        Place::Open => Pieces::of("open", theme.good),
        Place::OnlyHere => Pieces::of("only here", theme.meta),
        Place::Elsewhere => Pieces::new(),
    };
    let left = if place.is_empty() { field.right() } else { place.draw_right(buffer, field).saturating_sub(2) };
    let width = left.saturating_sub(field.x);
    Pieces::of(&row.title, theme.dim).draw_in(buffer, Rect { width, ..field });
    if is_picked {
        // Behind everything else: drawing a wide letter takes the style from its second cell.
        buffer.set_style(area.intersection(*buffer.area()), theme.selected);
    }
    None
}

/// Draws the line below the lists: the new list that there could be, or why there can be none.
fn draw_last(
    model: &Model,
    switcher: &Switcher,
    rows: &Rows,
    (first, top, shown): (usize, usize, usize),
    columns: &Columns,
    area: Rect,
    buffer: &mut Buffer,
) {
    let theme = &model.setup.theme;
    let place = rows.lists.len();
    let line = line_of(area, first + place.saturating_sub(top).min(shown));
    let inner = Rect { width: line.width.saturating_sub(1), ..line };
    let indent = columns.indent();
    match &rows.last {
        Some(Last::New(name)) if place < top + shown => {
            let is_picked = switcher.row(rows) == place;
            Pieces::of(if is_picked { MARKER } else { " " }, theme.marker)
                .and(format!("{indent}new list "), theme.text)
                .and(format!("\"{name}\""), theme.title)
                .draw_in(buffer, inner);
            if is_picked {
                buffer.set_style(line.intersection(*buffer.area()), theme.selected);
            }
        }
        Some(Last::Fault(why)) => {
            Pieces::of(format!(" {indent}{why}"), theme.dim).draw_in(buffer, inner);
        }
        _ if place == 0 => {
            Pieces::of(format!(" {indent}no list"), theme.dim).draw_in(buffer, inner);
        }
        _ => {}
    }
}

/// Asks for the name of the list that is to be deleted.
fn draw_delete(
    model: &Model,
    name: &str,
    title: &str,
    (typed, is_wrong): (&TextLine, bool),
    area: Rect,
    buffer: &mut Buffer,
) -> Position {
    let theme = &model.setup.theme;
    let inner = inset(area);
    let width = usize::from(inner.width);
    let mut lines = vec![Pieces::of(format!("Delete {name}?"), theme.title)];
    let named = lines[0].clone().and(format!("  {title}"), theme.dim);
    lines[0] = named;
    lines.extend(prose("It is deleted for everybody, with all that is in it, for good.", width, theme.text));
    // The field, and what is wrong, are what is being done.
    let room = usize::from(area.height).saturating_sub(1 + usize::from(is_wrong));
    let is_roomy = room >= lines.len() + 2;
    lines.truncate(room);
    for (number, line) in lines.iter().enumerate() {
        line.draw_in(buffer, line_of(inner, number));
    }
    let below = lines.len() + usize::from(is_roomy);
    let prompt = ["type its name to delete it: ", "its name: "];
    let field = draw_prompt(prompt, theme.dim, line_of(inner, below), buffer);
    let caret = draw_line(typed, "", [theme.editor, theme.placeholder], field, buffer);
    if is_wrong {
        let why = format!("not deleted: its name is {name}");
        Pieces::of(why, theme.warning).draw_in(buffer, line_of(inner, below + 1));
    }
    caret
}

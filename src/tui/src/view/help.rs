//! All keys, out of the keymap.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::{Pieces, inset, line_of};
use crate::keymap::{Context, Group};
use crate::layout::Regions;
use crate::model::Model;
use crate::words::cells;

/// Columns from which help stands in two columns.
const TWO_COLUMNS_MIN: u16 = 76;
/// Cells between the keys of an action and what it does.
const APART: usize = 2;

const SECTIONS: [(&str, Context, Group); 8] = [
    ("Go", Context::List, Group::Go),
    ("Write", Context::List, Group::Write),
    ("Arrange", Context::List, Group::Arrange),
    ("Lists", Context::List, Group::Lists),
    ("Among all lists", Context::Switcher, Group::Lists),
    ("Program", Context::List, Group::Program),
    ("While writing", Context::Editor, Group::Editor),
    ("Refused edits", Context::Drawer, Group::Drawer),
];

/// How many lines help has on this screen.
pub(crate) fn lines(model: &Model) -> usize {
    columns(model).iter().map(Vec::len).max().unwrap_or_default()
}

/// `1-19 of 27`, if not all lines are in sight.
pub(super) fn range(model: &Model, scrolled: usize, height: usize) -> Option<String> {
    let lines = lines(model);
    let first = scrolled.min(lines.saturating_sub(height));
    (lines > height).then(|| format!("{}-{} of {lines}", first + 1, first + height))
}

pub(super) fn draw(model: &Model, scrolled: usize, area: Rect, buffer: &mut Buffer) -> Position {
    let columns = columns(model);
    let area = inset(area);
    let most = lines(model).saturating_sub(usize::from(area.height));
    let scrolled = scrolled.min(most);
    let width = area.width / cells(columns.len()).max(1);
    for (at, column) in columns.iter().enumerate() {
        let x = area.x + width * cells(at);
        let column_area = Rect { x, width: width.saturating_sub(1), ..area };
        for (number, line) in column.iter().skip(scrolled).take(usize::from(area.height)).enumerate() {
            line.draw_in(buffer, line_of(column_area, number));
        }
    }
    Position { x: area.x, y: area.y }
}

/// The lines of help, in as many columns as there is room for.
fn columns(model: &Model) -> Vec<Vec<Pieces>> {
    let width = Regions::of(model.area).map_or(0, |regions| regions.rows.width);
    let sections: Vec<Vec<Pieces>> = SECTIONS.iter().map(|one| section(model, *one)).collect();
    if width < TWO_COLUMNS_MIN {
        return vec![flow(sections)];
    }
    // Cut between sections where the longer side is shortest.
    let lines = |sections: &[Vec<Pieces>]| sections.iter().map(|one| one.len() + 1).sum::<usize>();
    let cut = (1..sections.len())
        .min_by_key(|cut| {
            let (left, right) = sections.split_at(*cut);
            lines(left).max(lines(right))
        })
        .unwrap_or(sections.len());
    let mut left = sections;
    let right = left.split_off(cut);
    vec![flow(left), flow(right)]
}

/// Sections one below the other, with a blank line between them.
fn flow(sections: Vec<Vec<Pieces>>) -> Vec<Pieces> {
    let mut lines: Vec<Pieces> = Vec::new();
    for section in sections.into_iter().filter(|section| section.len() > 1) {
        if !lines.is_empty() {
            lines.push(Pieces::new());
        }
        lines.extend(section);
    }
    lines
}

fn section(model: &Model, (heading, context, group): (&str, Context, Group)) -> Vec<Pieces> {
    let theme = &model.setup.theme;
    let mut actions = model.keymap.actions(context);
    actions.retain(|action| {
        let is_level = matches!(action, crate::keymap::Action::Deeper | crate::keymap::Action::Shallower);
        action.group() == group || (context == Context::Editor && is_level)
    });
    let keys_of = |action| model.keymap.keys_of(context, action).collect::<Vec<_>>().join(" ");
    let keys: Vec<Pieces> = actions.iter().map(|action| Pieces::of(keys_of(*action), theme.key)).collect();
    let widest = keys.iter().map(Pieces::width).max().unwrap_or_default();
    let mut lines = vec![Pieces::of(heading, theme.title)];
    for (keys, action) in keys.into_iter().zip(actions) {
        let gap = " ".repeat(widest - keys.width() + APART);
        lines.push(keys.and(gap, theme.text).and(action.words(), theme.text));
    }
    lines
}

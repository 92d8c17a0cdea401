//! The first line: what the list is called, and who is here.

use betwixt_core::list::List;
use betwixt_core::safe_text::SafeText;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::rows::draw_line;
use super::{Pieces, draw_prompt, inset};
use crate::layout::Regions;
use crate::model::Model;
use crate::overlay::Overlay;
use crate::people::{Somebody, shown_name};
use crate::words::{cells, thousands};

/// Stands before the name of another person; carries their colour.
const DOT: &str = "●";
/// Cells of a name on this line.
const NAME_CELLS_MAX: usize = 16;

/// Draws the line; returns where the caret is, if the title is being written.
pub(super) fn draw(
    model: &Model,
    list: &List,
    regions: &Regions,
    range: Option<&str>,
    buffer: &mut Buffer,
) -> Option<Position> {
    let area = inset(regions.title);
    let theme = &model.setup.theme;
    if let Some(Overlay::Title(line)) = &model.overlay {
        let prompt = format!("title of {}: ", model.setup.list);
        let field = draw_prompt([&prompt, "title: "], theme.dim, area, buffer);
        return Some(draw_line(line, "what it is about", [theme.editor, theme.placeholder], field, buffer));
    }
    let mut title = Pieces::new();
    let name = model.setup.list.as_str();
    match list.title().map(SafeText::line).filter(|title| !title.as_str().trim().is_empty()) {
        Some(text) if text.as_str() != name => {
            title.push(text, theme.title);
            title = title.and(format!("  {name}"), theme.dim);
        }
        _ => title = title.and(name, theme.title),
    }
    if regions.bottom_rule.is_none()
        && let Some(range) = range
    {
        title = title.and(format!("  {range}"), theme.dim);
    }
    // The title keeps half of the line, and all that the people do not take.
    let half = area.width / 2;
    let people = people(model, usize::from(area.width.saturating_sub(cells(title.width()) + 3).max(half)));
    let left = people.draw_right(buffer, area);
    let width = if people.is_empty() { area.width } else { left.saturating_sub(area.x + 2) };
    title.draw_in(buffer, Rect { width, ..area });
    None
}

/// Everybody who is here, this person first, in at most so many cells; whoever does not fit is counted.
fn people(model: &Model, cells_max: usize) -> Pieces {
    let here = model.people.here();
    if here.is_empty() {
        let name = shown_name(&model.setup.person).truncate(NAME_CELLS_MAX.min(cells_max));
        return Pieces::of(name.as_str(), model.setup.theme.me);
    }
    let mut shown = Pieces::new();
    for (at, one) in here.iter().enumerate() {
        let rest = here.len() - at - 1;
        let more = shown.clone().join("  ", model.setup.theme.dim, person(model, one));
        let room = if rest == 0 { cells_max } else { cells_max.saturating_sub(counted(rest).chars().count() + 2) };
        if more.width() > room {
            let count = Pieces::of(counted(rest + 1), model.setup.theme.dim);
            let with_count = shown.join("  ", model.setup.theme.dim, count.clone());
            return if with_count.width() <= cells_max { with_count } else { count };
        }
        shown = more;
    }
    shown
}

fn counted(people: usize) -> String {
    format!("+{}", thousands(people))
}

fn person(model: &Model, one: &Somebody) -> Pieces {
    let theme = &model.setup.theme;
    let name = one.label.truncate(NAME_CELLS_MAX);
    if one.is_me {
        return Pieces::of(name.as_str(), theme.me);
    }
    let colour = theme.people[one.colour];
    Pieces::of(DOT, colour).and(name.as_str(), colour)
}

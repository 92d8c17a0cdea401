//! What becomes of a list whose name another list has on the relay.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::rows::draw_line;
use super::{Pieces, inset, line_of};
use crate::keymap::{Action, Context};
use crate::model::{Dialog, Model, Pick};
use crate::words::cells;

const CHOICES: [(Pick, Action, &str, &str); 3] = [
    (Pick::Merge, Action::PickMerge, "merge", "my items go into theirs, below what is there"),
    (Pick::Keep, Action::PickKeep, "another name", "mine goes on under a name that I write next"),
    (Pick::Export, Action::PickExport, "export mine", "mine is written to a file, and theirs is opened"),
];

pub(super) fn draw(model: &Model, dialog: &Dialog, area: Rect, buffer: &mut Buffer) -> Option<Position> {
    let theme = &model.setup.theme;
    let is_roomy = area.height >= 10;
    let mut line = 0;
    let mut next = |lines: usize| {
        let at = line_of(area, line);
        line += lines;
        at
    };
    let name = &model.setup.list;
    Pieces::of(format!("Another list is called {name} on the relay."), theme.title).draw_in(buffer, inset(next(1)));
    Pieces::of("Nothing is sent and nothing is lost until you choose:", theme.dim)
        .draw_in(buffer, inset(next(if is_roomy { 2 } else { 1 })));
    let mut cursor = None;
    for (pick, action, words, sentence) in CHOICES {
        let at = next(1);
        let is_picked = dialog.picked == Some(pick);
        let key = model.keymap.key_of(Context::Dialog, action).unwrap_or_default();
        let gap = " ".repeat(14_usize.saturating_sub(words.len()));
        Pieces::of(if is_picked { "▌" } else { " " }, theme.marker)
            .and(" ", theme.text)
            .and(key, theme.key)
            .and(format!("  {words}{gap}"), theme.title)
            .and(sentence, theme.text)
            .draw_in(buffer, Rect { width: at.width.saturating_sub(1), ..at });
        if is_picked {
            buffer.set_style(at.intersection(*buffer.area()), theme.selected);
            cursor = Some(Position { x: at.x + 2, y: at.y });
        }
    }
    if let Some((written, fault)) = &dialog.name {
        next(usize::from(is_roomy));
        let at = inset(next(1));
        let x = Pieces::of("new name: ", theme.dim).draw_in(buffer, at);
        let field = Rect { x, width: at.right().saturating_sub(x), ..at };
        cursor = Some(draw_line(written, "letters, digits, - _ .", [theme.editor, theme.placeholder], field, buffer));
        if let Some(fault) = fault {
            Pieces::of(fault, theme.warning).draw_in(buffer, inset(next(1)));
        }
    }
    cursor.or(Some(Position { x: area.x.saturating_add(cells(1)), y: area.y }))
}

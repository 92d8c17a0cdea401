//! What an empty list shows: what this is, the first keys, and how to see it with somebody else.

use betwixt_core::safe_text::SafeText;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use super::{Pieces, line_of, prose};
use crate::keymap::{Action, Context};
use crate::model::Model;
use crate::msg::Link;
use crate::words::{cells, thousands};

/// Cells left of everything, where there is room.
const MARGIN: u16 = 3;
/// Columns from which there is room.
const ROOMY_COLS: u16 = 60;
/// The first paragraphs have no command in them.
const COMMANDLESS: usize = 2;
/// Cells left of a command.
const COMMAND_INDENT: usize = 4;

pub(super) fn draw(model: &Model, area: Rect, buffer: &mut Buffer) -> Position {
    let margin = if area.width >= ROOMY_COLS { MARGIN } else { 1 };
    let area = Rect { x: area.x + margin, width: area.width.saturating_sub(margin + 1), ..area };
    let lines = lines(model, usize::from(area.width), usize::from(area.height));
    // A little air above, if there is some.
    let above = usize::from(area.height).saturating_sub(lines.len()).min(1);
    for (number, line) in lines.iter().enumerate() {
        line.draw_in(buffer, line_of(area, number + above));
    }
    Position { x: area.x, y: area.y.saturating_add(cells(above)) }
}

/// What fits: first without the air, then without the last paragraphs.
fn lines(model: &Model, width: usize, height: usize) -> Vec<Pieces> {
    let (what, mut paragraphs) = paragraphs(model, width);
    let first_keys: usize = paragraphs.iter().take(COMMANDLESS).map(Vec::len).sum();
    // Where there is hardly room, the keys matter more than what this is.
    if what.len() + first_keys <= height
        && let Some(state) = paragraphs.first_mut()
    {
        *state = what.into_iter().chain(std::mem::take(state)).collect();
    }
    let airy = paragraphs.join(&Pieces::new());
    if airy.len() <= height {
        return airy;
    }
    let mut tight: Vec<Pieces> = Vec::new();
    for (number, paragraph) in paragraphs.into_iter().enumerate() {
        // Half a command is of no use; the words before the commands are shown as far as they go.
        if tight.len() + paragraph.len() > height && number >= COMMANDLESS {
            break;
        }
        tight.extend(paragraph);
    }
    tight.truncate(height);
    tight
}

/// What this program is, and the paragraphs below it: how the list stands, keys, commands.
fn paragraphs(model: &Model, width: usize) -> (Vec<Pieces>, Vec<Vec<Pieces>>) {
    let theme = &model.setup.theme;
    let setup = &model.setup;
    let state = match &model.status.link {
        Link::CatchingUp { missing } => {
            let missing = thousands(usize::try_from(*missing).unwrap_or(usize::MAX));
            format!("This list is on its way: {missing} changes to read.")
        }
        _ => "An empty list.".to_owned(),
    };
    let what = prose("A to-do list that a team edits together, each in a terminal.", width, theme.title);
    let state = prose(&state, width, theme.text);
    let keys = [(Action::NewBelow, "write the first item"), (Action::Help, "all keys"), (Action::Quit, "quit")];
    let keys: Vec<(String, &str)> = keys
        .into_iter()
        .filter_map(|(action, words)| Some((model.keymap.key_of(Context::List, action)?, words)))
        .collect();
    let widest = keys.iter().map(|(key, _)| key.chars().count()).max().unwrap_or_default();
    let keys = keys
        .into_iter()
        .map(|(key, words)| {
            let gap = " ".repeat(widest + 3 - key.chars().count().min(widest));
            Pieces::of(key, theme.key).and(gap, theme.text).and(words, theme.text)
        })
        .collect();
    let mut twice = prose("See it twice: run the same command in a second terminal", width, theme.dim);
    twice.extend(command(&setup.command, width, theme.text));
    let mut reach = vec![Pieces::of("From another machine", theme.dim)];
    if let Some(relay) = &setup.relay {
        reach.extend(command(&format!("betwixt --relay {relay}"), width, theme.text));
    } else {
        reach.extend(command(&format!("ssh -N -L 7878:{} HOST", setup.socket), width, theme.text));
        reach.extend(command("betwixt --relay ws://127.0.0.1:7878", width, theme.text));
    }
    let mut kept = vec![Pieces::of("Kept in", theme.dim)];
    kept.extend(command(&setup.data, width, theme.text));
    (what, vec![state, keys, twice, reach, kept])
}

/// A command on as many lines as it needs: one that is cut is of no use.
fn command(text: &str, width: usize, style: Style) -> Vec<Pieces> {
    let room = width.saturating_sub(COMMAND_INDENT).max(8);
    let indent = " ".repeat(COMMAND_INDENT);
    let mut lines = vec![(String::new(), 0)];
    for (grapheme, wide) in SafeText::line(text).graphemes() {
        if lines.last().is_some_and(|(_, used)| used + wide > room) {
            lines.push((String::new(), 0));
        }
        if let Some((line, used)) = lines.last_mut() {
            line.push_str(grapheme);
            *used += wide;
        }
    }
    lines.into_iter().map(|(line, _)| Pieces::of(&indent, style).and(line, style)).collect()
}

//! A line of styled texts, each of them safe, measured as it is drawn.

use betwixt_core::safe_text::SafeText;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::words::cells;

/// A line of styled texts.
#[derive(Debug, Default, Clone)]
pub(super) struct Pieces(Vec<(SafeText, Style)>);

impl Pieces {
    pub(super) const fn new() -> Self {
        Self(Vec::new())
    }

    /// A line of one text.
    pub(super) fn of(text: impl AsRef<str>, style: Style) -> Self {
        Self::new().and(text, style)
    }

    /// With one more text behind; whatever it is, it becomes safe here.
    pub(super) fn and(mut self, text: impl AsRef<str>, style: Style) -> Self {
        self.push(SafeText::line(text.as_ref()), style);
        self
    }

    pub(super) fn push(&mut self, text: SafeText, style: Style) {
        if !text.as_str().is_empty() {
            self.0.push((text, style));
        }
    }

    /// With another line behind; a separator between the two if neither is empty.
    pub(super) fn join(mut self, separator: &str, style: Style, other: Self) -> Self {
        if !self.0.is_empty() && !other.0.is_empty() {
            self = self.and(separator, style);
        }
        self.0.extend(other.0);
        self
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Cells that it takes.
    pub(super) fn width(&self) -> usize {
        self.0.iter().map(|(text, _)| text.width()).sum()
    }

    /// Draws it on the first line of `area`; what does not fit is cut with `…`. Returns the column behind it.
    pub(super) fn draw_in(&self, buffer: &mut Buffer, area: Rect) -> u16 {
        let area = area.intersection(*buffer.area());
        let mut x = area.x;
        if area.is_empty() {
            return x;
        }
        let mut left = usize::from(area.width);
        let mut rest = self.width();
        for (text, style) in &self.0 {
            // The piece that reaches the edge carries the `…`, also where only what is behind it is lost.
            let shown = if rest > left && text.width() >= left { cut(text, left) } else { text.clone() };
            rest -= text.width();
            (x, _) = buffer.set_stringn(x, area.y, shown.as_str(), left, *style);
            left = usize::from(area.right().saturating_sub(x));
        }
        x
    }

    /// Draws it at the right end of `area`. Returns the column that it begins in.
    pub(super) fn draw_right(&self, buffer: &mut Buffer, area: Rect) -> u16 {
        let width = cells(self.width()).min(area.width);
        let x = area.right() - width;
        self.draw_in(buffer, Rect { x, width, ..area });
        x
    }
}

/// The text in so many cells, ending in `…`, though it would just fit.
fn cut(text: &SafeText, cells_max: usize) -> SafeText {
    if text.width() > cells_max {
        return text.truncate(cells_max);
    }
    SafeText::line(&format!("{text}…")).truncate(cells_max)
}

/// Words on as many lines as they need.
pub(super) fn prose(text: &str, width: usize, style: Style) -> Vec<Pieces> {
    let mut lines: Vec<String> = vec![String::new()];
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if SafeText::line(&format!("{line} {word}")).width() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines.into_iter().map(|line| Pieces::of(line, style)).collect()
}

/// Draws what a field asks for, in fewer words where the field would have less than half of the line; returns the field.
pub(super) fn draw_prompt([long, short]: [&str; 2], style: Style, area: Rect, buffer: &mut Buffer) -> Rect {
    let long = Pieces::of(long, style);
    let prompt = if long.width() * 2 <= usize::from(area.width) { long } else { Pieces::of(short, style) };
    let x = prompt.draw_in(buffer, area);
    Rect { x, width: area.right().saturating_sub(x), ..area }
}

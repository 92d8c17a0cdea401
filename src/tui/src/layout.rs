//! Which lines of the screen hold what. The same for whoever draws and for whoever scrolls.

use ratatui::layout::Rect;

/// Fewest columns and rows of a screen that shows a list.
pub(crate) const COLS_MIN: u16 = 20;
/// See [`COLS_MIN`].
pub(crate) const ROWS_MIN: u16 = 5;
/// Columns from which gauge and status share a line.
const SHARED_COLS_MIN: u16 = 72;

/// The lines of a screen.
///
/// ```text
/// title
/// top rule      (from 16 rows)
/// rows          (what is left)
/// bottom rule   (from 9 rows)
/// gauge         status    (one line from 72 columns)
/// foot          (from 7 rows; below that, messages take the status line)
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Regions {
    pub title: Rect,
    pub top_rule: Option<Rect>,
    pub rows: Rect,
    pub bottom_rule: Option<Rect>,
    pub gauge: Rect,
    /// `None` where the status stands at the right of the gauge.
    pub status: Option<Rect>,
    /// Hints and messages; `None` where messages take the status line.
    pub foot: Option<Rect>,
}

impl Regions {
    /// The lines of a screen of this area; `None` if it is too small for a list.
    pub(crate) fn of(area: Rect) -> Option<Self> {
        if area.width < COLS_MIN || area.height < ROWS_MIN {
            return None;
        }
        let has_foot = area.height >= 7;
        let is_shared = has_foot && area.width >= SHARED_COLS_MIN;
        let mut from_top = Lines { area, used: 0 };
        let title = from_top.next();
        let top_rule = (area.height >= 16).then(|| from_top.next());
        let below = u16::from(area.height >= 9) + 1 + u16::from(!is_shared) + u16::from(has_foot);
        let height = area.height - from_top.used - below;
        let rows = Rect { y: area.y + from_top.used, height, ..area };
        from_top.used += height;
        let bottom_rule = (area.height >= 9).then(|| from_top.next());
        let gauge = from_top.next();
        let status = (!is_shared).then(|| from_top.next());
        let foot = has_foot.then(|| from_top.next());
        Some(Self { title, top_rule, rows, bottom_rule, gauge, status, foot })
    }
}

struct Lines {
    area: Rect,
    used: u16,
}

impl Lines {
    fn next(&mut self) -> Rect {
        let line = Rect { y: self.area.y + self.used, height: 1, ..self.area };
        self.used += 1;
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_every_size_is_used_once() {
        for width in 0..=100 {
            for height in 0..=40 {
                let area = Rect { x: 0, y: 0, width, height };
                let Some(regions) = Regions::of(area) else {
                    assert!(width < COLS_MIN || height < ROWS_MIN);
                    continue;
                };
                let Regions { title, top_rule, rows, bottom_rule, gauge, status, foot } = regions;
                let parts = [Some(title), top_rule, Some(rows), bottom_rule, Some(gauge), status, foot];
                let mut next = 0;
                for part in parts.into_iter().flatten() {
                    assert_eq!((part.y, part.width), (next, width));
                    assert!(part.height >= 1);
                    next += part.height;
                }
                assert_eq!(next, height, "{width}x{height}");
            }
        }
    }
}

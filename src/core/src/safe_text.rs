//! Text that may be written to a terminal, whoever wrote it.
//!
//! The store, the wire and every export keep the raw text; a screen, a window title and the output of a verb take
//! [`SafeText`]. Nothing that could steer a terminal, reorder a row or hide a character comes through:
//!
//! | In the raw text | In the safe text |
//! |---|---|
//! | C0 control, DEL | its picture: `␛` |
//! | C1 control | its number: `\x9b` |
//! | TAB | a space |
//! | LF | LF in a note, else `⏎` |
//! | CR, U+0085, U+2028, U+2029 | `⏎`; CR LF counts as LF |
//! | bidirectional control | its name: `‹RLO›` |
//! | a run of invisible characters | one `·`, unless they shape Arabic or Indic letters or an emoji |
//! | combining marks after the fourth on one letter | one `·` |
//! | a mark with nothing under it | put on `◌`, so that it stays out of the cell before |
//! | half a flag | its letter in a box: `🄳` |
//! | private use, unassigned, non-character | U+FFFD |
//! | a grapheme over 64 bytes, or of no cells | U+FFFD |
//!
//! Look-alike letters stay: telling two people apart is the work of whoever shows names.

mod class;
mod control;
mod emoji;
pub mod hostile;
mod policy;
#[cfg(test)]
mod tests;

use std::fmt;

use smol_str::SmolStr;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

pub use control::{find_forbidden, visible_controls};

use class::{ZWJ, ZWNJ};

/// Stands for what [`SafeText::truncate`] cut off.
const ELLIPSIS: char = '…';

/// Which line breaks a text may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// None: an item's text, a tag, a name, a title.
    Line,
    /// LF: an item's note.
    Note,
}

/// A text that is safe to write to a terminal; see the module for what was done to it.
///
/// Only [`SafeText::line`] and [`SafeText::note`] make one out of raw text. There is no `From`, so that the place where
/// text of others becomes safe can be found by name. Cheap to clone.
///
/// Every grapheme takes at least one cell, but LF in a note, which takes none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct SafeText(SmolStr);

impl SafeText {
    /// Returns `raw` as one line. Doing it twice changes nothing more.
    ///
    /// Linear in `raw`; printable ASCII is copied as it is.
    #[must_use]
    pub fn line(raw: &str) -> Self {
        Self::sanitized(raw, Kind::Line)
    }

    /// Returns `raw` with its LFs kept. Doing it twice changes nothing more.
    ///
    /// Each line of the result is unchanged by [`SafeText::line`].
    #[must_use]
    pub fn note(raw: &str) -> Self {
        Self::sanitized(raw, Kind::Note)
    }

    fn sanitized(raw: &str, kind: Kind) -> Self {
        if is_printable_ascii(raw, kind) {
            return Self(SmolStr::new(raw));
        }
        Self(policy::sanitize(raw, kind).into())
    }

    /// Returns the text to write.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the cells that the text takes: the sum over [`SafeText::graphemes`]. A note's is the sum of its lines.
    #[must_use]
    pub fn width(&self) -> usize {
        if is_printable_ascii(&self.0, Kind::Line) {
            return self.0.len();
        }
        self.graphemes().map(|(_, cells)| cells).sum()
    }

    /// Returns the graphemes from left to right, each with the cells that it takes.
    ///
    /// A terminal draws grapheme by grapheme, so ligatures across graphemes do not count as narrower.
    pub fn graphemes(&self) -> impl Iterator<Item = (&str, usize)> {
        self.0.graphemes(true).map(|grapheme| (grapheme, cells(grapheme)))
    }

    /// Returns the longest beginning that fits into `cells_max` cells, ending in `…` if something was cut.
    ///
    /// No grapheme is cut in two, so the result may be narrower. In no cells nothing fits, not even the `…`.
    #[must_use]
    pub fn truncate(&self, cells_max: usize) -> Self {
        if self.width() <= cells_max {
            return self.clone();
        }
        let Some(mut cells_left) = cells_max.checked_sub(cells("…")) else {
            return Self::default();
        };
        let mut kept = String::new();
        for (grapheme, cells) in self.graphemes() {
            let Some(left) = cells_left.checked_sub(cells) else { break };
            cells_left = left;
            kept.push_str(grapheme);
        }
        // A joiner stands between two letters, and the second one was cut.
        kept.truncate(kept.trim_end_matches([ZWNJ, ZWJ]).len());
        kept.push(ELLIPSIS);
        Self(kept.into())
    }
}

impl fmt::Display for SafeText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn is_printable_ascii(text: &str, kind: Kind) -> bool {
    text.bytes().all(|byte| matches!(byte, b' '..=b'~') || (byte == b'\n' && kind == Kind::Note))
}

/// Returns the cells that one grapheme takes in a terminal.
fn cells(grapheme: &str) -> usize {
    if grapheme == "\n" { 0 } else { grapheme.width() }
}

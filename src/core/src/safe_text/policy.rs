//! What each character of a raw text becomes.
//!
//! [`replace`] looks at characters, [`blot`] at graphemes. What is replaced can part graphemes, and what is blotted can
//! leave a joiner without its letter, so they take turns until nothing is left to blot.

use unicode_segmentation::UnicodeSegmentation;

use super::class::{Class, is_shaped_by_joiners, is_virama};
use super::{Kind, cells, control, emoji};

const MARKS_MAX: usize = 4;
const GRAPHEME_BYTES_MAX: usize = 64;

/// Stands for invisible characters and surplus marks.
const MARKER: char = '·';
const LINE_BREAK: char = '⏎';
/// Carries a mark that has nothing under it.
const DOTTED_CIRCLE: char = '◌';

/// Returns `raw` made safe; of what this returns, it returns the same.
pub(super) fn sanitize(raw: &str, kind: Kind) -> String {
    let mut safe = replace(raw, kind);
    // Ends: each round leaves fewer characters other than U+FFFD. Blotting takes some, and replacing again, in a text
    // where only joiners can have come to stand wrong, puts one marker for each at most.
    while let Some(blotted) = blot(&safe) {
        safe = replace(&blotted, kind);
    }
    safe
}

/// Makes each character safe by what stands beside it; of what this returns, it returns the same.
fn replace(raw: &str, kind: Kind) -> String {
    let mut output = Output { text: String::with_capacity(raw.len()), marks: 0, in_dropped: false };
    let mut rest = raw;
    loop {
        if let Some(after) = emoji::strip_sequence(rest) {
            let (sequence, _) = rest.split_at(rest.len() - after.len());
            output.push_base(sequence);
            rest = after;
            continue;
        }
        let mut chars = rest.chars();
        let Some(c) = chars.next() else { return output.text };
        rest = chars.as_str();
        output.push(c, chars.next(), kind);
    }
}

/// Returns the text with U+FFFD for each grapheme that no cell could hold, or `None` if there is none.
///
/// Too long is what only an attack on the terminal's memory makes: endless Hangul or Indic clusters. Of no cells are
/// parts of a syllable on their own, such as a Hangul vowel: a terminal draws them into a cell that is not theirs.
fn blot(text: &str) -> Option<String> {
    let is_bad = |grapheme: &str| grapheme.len() > GRAPHEME_BYTES_MAX || (grapheme != "\n" && cells(grapheme) == 0);
    text.graphemes(true)
        .any(is_bad)
        .then(|| text.graphemes(true).map(|grapheme| if is_bad(grapheme) { "\u{FFFD}" } else { grapheme }).collect())
}

/// The safe text so far.
struct Output {
    text: String,
    /// Marks on the last base, counting those before a marker: characters dropped in between give no right to more.
    marks: usize,
    /// Whether the last characters were dropped, so that their marker stands already.
    in_dropped: bool,
}

impl Output {
    /// Appends what `c` becomes; `next` is the character after it.
    fn push(&mut self, c: char, next: Option<char>, kind: Kind) {
        match Class::of(c) {
            Class::Plain => self.push_base(c.encode_utf8(&mut [0; 4])),
            Class::Mark => self.push_mark(c),
            Class::Joiner if self.takes_joiner(next) => {
                self.text.push(c);
                self.in_dropped = false;
            }
            Class::Joiner | Class::Invisible => self.push_dropped(),
            Class::Bidi(name) => {
                self.push_base("‹");
                self.push_base(name);
                self.push_base("›");
            }
            Class::LineBreak if c == '\r' && next == Some('\n') => {}
            Class::LineBreak if c == '\n' && kind == Kind::Note => self.push_base("\n"),
            Class::LineBreak => self.push_base(LINE_BREAK.encode_utf8(&mut [0; 4])),
            Class::Control if c == '\t' => self.push_base(" "),
            Class::Control => self.push_base(&control::picture(c)),
            Class::RegionalIndicator => self.push_base(boxed_letter(c).encode_utf8(&mut [0; 4])),
            Class::Unknown => self.push_base("\u{FFFD}"),
        }
    }

    fn push_base(&mut self, base: &str) {
        self.text.push_str(base);
        self.marks = 0;
        self.in_dropped = false;
    }

    fn push_mark(&mut self, mark: char) {
        if self.marks == MARKS_MAX {
            self.push_dropped();
            return;
        }
        if self.text.is_empty() || self.text.ends_with('\n') {
            self.text.push(DOTTED_CIRCLE);
        }
        self.text.push(mark);
        self.marks += 1;
        self.in_dropped = false;
    }

    fn push_dropped(&mut self) {
        if !self.in_dropped {
            self.text.push(MARKER);
        }
        self.in_dropped = true;
    }

    /// Whether a joiner here is part of a word: it follows a letter that joiners shape, and so does what comes next.
    fn takes_joiner(&self, next: Option<char>) -> bool {
        let Some(last) = self.text.chars().next_back() else { return false };
        // A mark that will be dropped is nothing to join to.
        let next_stays = |c| is_shaped_by_joiners(c) && (self.marks < MARKS_MAX || Class::of(c) != Class::Mark);
        is_virama(last) || (is_shaped_by_joiners(last) && next.is_some_and(next_stays))
    }
}

/// Returns the letter that a regional indicator stands for, in a box that joins nothing.
fn boxed_letter(indicator: char) -> char {
    const INDICATOR_A: u32 = 0x1F1E6;
    const BOXED_A: u32 = 0x1F130;
    u32::from(indicator)
        .checked_sub(INDICATOR_A)
        .and_then(|letter| char::from_u32(BOXED_A + letter))
        .unwrap_or('\u{FFFD}')
}

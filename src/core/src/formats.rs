//! Lists as files: Markdown check lists, todo.txt, and JSON of our own.
//!
//! | Format | What it says |
//! |---|---|
//! | [Markdown](markdown) | all registers, and the list's title; a text that ends like our own marks is guarded |
//! | [todo.txt](todo_txt) | all registers; a word in a text that reads as a mark counts as one. No blank text |
//! | [JSON](json) | all registers, and the list's title |
//!
//! `import(export(x))` is `x` for what the format says, and the export of an unedited todo.txt import is the same text. A
//! byte order mark, CR LF and a missing last line feed are taken as they come. A line or an item that cannot be taken is
//! a [`LineFault`] with its number; what is around it comes in.
//!
//! An export holds the raw text: what goes to a terminal goes through [`SafeText`](crate::safe_text::SafeText).

pub mod json;
pub mod markdown;
mod percent;
pub mod todo_txt;

use smol_str::SmolStr;

use crate::item::Item;
use crate::limits::{DEPTH_MAX, Limits};
use crate::op::check::{OpFault, check_register};
use crate::register::{Date, Register};
use crate::safe_text::{Kind, visible_controls};

/// How a list is spelled in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// See [`markdown`].
    Markdown,
    /// See [`todo_txt`].
    TodoTxt,
    /// See [`json`].
    Json,
}

impl Format {
    /// The format of a file of this name; Markdown unless the name says otherwise.
    #[must_use]
    pub fn of_file(name: &str) -> Self {
        let name = name.to_ascii_lowercase();
        match name.rsplit_once('.') {
            Some((_, "json")) => Self::Json,
            Some((_, "txt")) => Self::TodoTxt,
            _ => Self::Markdown,
        }
    }
}

/// What an item is in a file: all its registers but whether it is in the trash.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Draft {
    /// One line.
    pub text: SmolStr,
    /// More text, with line feeds.
    pub note: SmolStr,
    /// Whether it is done.
    pub done: bool,
    /// The day it is due.
    pub due: Option<Date>,
    /// 1 (highest) to 9.
    pub priority: Option<u8>,
    /// Who does it; empty is nobody.
    pub assignee: SmolStr,
    /// Words to find it by.
    pub tags: Vec<SmolStr>,
    /// Level in the outline, from 0.
    pub depth: u8,
}

impl From<&Item> for Draft {
    fn from(item: &Item) -> Self {
        Self {
            text: item.text().into(),
            note: item.note().into(),
            done: item.done(),
            due: item.due(),
            priority: item.priority(),
            assignee: item.assignee().into(),
            tags: item.tags().to_vec(),
            depth: item.depth(),
        }
    }
}

impl Draft {
    /// The registers to add: the text, and each other that holds something, in the order of
    /// [`Field`](crate::register::Field).
    #[must_use]
    pub fn registers(self) -> Vec<Register> {
        let mut registers = vec![Register::Text(self.text)];
        let mut say = |holds: bool, register| registers.extend(holds.then_some(register));
        say(!self.note.is_empty(), Register::Note(self.note));
        say(self.done, Register::Done(true));
        say(self.due.is_some(), Register::Due(self.due));
        say(self.priority.is_some(), Register::Priority(self.priority));
        say(!self.assignee.is_empty(), Register::Assignee(self.assignee));
        say(!self.tags.is_empty(), Register::Tags(self.tags));
        say(self.depth > 0, Register::Depth(self.depth));
        registers
    }

    /// Makes control characters visible; returns whether there were any.
    fn clean(&mut self) -> bool {
        let mut any = clean(&mut self.text, Kind::Line) | clean(&mut self.note, Kind::Note);
        any |= clean(&mut self.assignee, Kind::Line);
        self.tags.iter_mut().fold(any, |any, tag| any | clean(tag, Kind::Line))
    }
}

fn clean(text: &mut SmolStr, kind: Kind) -> bool {
    let (visible, any) = visible_controls(text, kind);
    if visible != text.as_str() {
        *text = SmolStr::from(visible);
    }
    any
}

/// What a file says.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Imported {
    /// The list's title, where the format has one. Empty is none.
    pub title: SmolStr,
    /// The items, in order. Each is one that any relay takes.
    pub items: Vec<Draft>,
    /// What did not come in, by line.
    pub faults: Vec<LineFault>,
    /// Items in which control characters were made visible.
    pub cleaned: usize,
}

impl Imported {
    /// Takes the list's title, which stands in this line, if a relay would.
    fn take_title(&mut self, line: usize, mut title: SmolStr) {
        clean(&mut title, Kind::Line);
        match check_register(&Register::Text(title.clone()), &Limits::DEFAULT) {
            Ok(()) => self.title = title,
            Err(fault) => self.faults.push(LineFault { line, what: Unfit::Item(fault) }),
        }
    }

    /// Takes an item that begins in this line, if a relay would.
    fn take(&mut self, line: usize, mut draft: Draft) {
        let any = draft.clean();
        let limits = Limits::DEFAULT;
        match draft.clone().registers().iter().try_for_each(|register| check_register(register, &limits)) {
            Ok(()) => {
                self.cleaned += usize::from(any);
                self.items.push(draft);
            }
            Err(fault) => self.faults.push(LineFault { line, what: Unfit::Item(fault) }),
        }
    }
}

/// A line that did not come in.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}")]
pub struct LineFault {
    /// Its number, from 1.
    pub line: usize,
    /// Why.
    #[source]
    pub what: Unfit,
}

/// Why a line did not come in.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unfit {
    /// Its bytes are no text.
    #[error("not UTF-8")]
    Utf8,
    /// No relay takes such an item.
    #[error(transparent)]
    Item(OpFault),
    /// It is not JSON as [`json`] has it.
    #[error("{0}")]
    Json(json::Unread),
}

/// Reads a file.
///
/// Never fails as a whole: see [`Imported::faults`]. Linear in `bytes`. Controls are made visible here, so that limits
/// hold for what goes into the list; minting does so once more, which changes nothing.
#[must_use]
pub fn import(format: Format, bytes: &[u8]) -> Imported {
    let mut imported = Imported::default();
    let text = text_of(bytes, &mut imported.faults);
    match format {
        Format::Markdown => markdown::import(&text, &mut imported),
        Format::TodoTxt => todo_txt::import(&text, &mut imported),
        Format::Json => json::import(&text, &mut imported),
    }
    imported.faults.sort_by_key(|fault| fault.line);
    imported
}

/// Writes a file; lines end in LF. `title` is empty where the list has none.
#[must_use]
pub fn export(format: Format, title: &str, items: &[Draft]) -> String {
    match format {
        Format::Markdown => markdown::export(title, items),
        Format::TodoTxt => todo_txt::export(items),
        Format::Json => json::export(title, items),
    }
}

/// The text of a file: no byte order mark, lines end in LF, and a line that is not UTF-8 is left empty.
fn text_of(bytes: &[u8], faults: &mut Vec<LineFault>) -> String {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut text = String::with_capacity(bytes.len());
    for (before, line) in bytes.split_inclusive(|byte| *byte == b'\n').enumerate() {
        let (line, end) = match line.strip_suffix(b"\n") {
            Some(line) => (line.strip_suffix(b"\r").unwrap_or(line), "\n"),
            None => (line, ""),
        };
        match str::from_utf8(line) {
            Ok(line) => text.push_str(line),
            Err(_) => faults.push(LineFault { line: before + 1, what: Unfit::Utf8 }),
        }
        text.push_str(end);
    }
    text
}

fn newlines(text: &str) -> usize {
    text.bytes().filter(|byte| *byte == b'\n').count()
}

/// Reads what follows `depth:`, one digit.
fn depth_of(digits: &str) -> Option<u8> {
    let depth = digits.parse::<u8>().ok()?;
    (digits.len() == 1 && (1..=DEPTH_MAX).contains(&depth)).then_some(depth)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_file_tells_its_format() {
        for (name, format) in [
            ("todo.txt", Format::TodoTxt),
            ("a/b.TXT", Format::TodoTxt),
            ("list.json", Format::Json),
            ("README.md", Format::Markdown),
            ("README", Format::Markdown),
            ("-", Format::Markdown),
        ] {
            assert_eq!(Format::of_file(name), format, "{name}");
        }
    }

    #[test]
    fn marks_and_line_ends_of_other_systems_are_taken() {
        let mut faults = Vec::new();
        assert_eq!(text_of(b"\xef\xbb\xbfa\r\nb\n\xff\r\nc\r", &mut faults), "a\nb\n\nc\r");
        assert_eq!(faults, [LineFault { line: 3, what: Unfit::Utf8 }]);
    }

    #[test]
    fn an_item_that_no_relay_takes_is_named_and_the_rest_comes() {
        let long = "x".repeat(4_097);
        let edge = "\u{1}".repeat(2_000);
        let file = format!("one\n{long}\n{edge}\ntwo\u{1b}[2J\n");
        let imported = import(Format::TodoTxt, file.as_bytes());
        let texts: Vec<_> = imported.items.iter().map(|item| item.text.as_str()).collect();
        assert_eq!(texts, ["one", "two␛[2J"], "a picture is three bytes, and counts as such");
        assert_eq!(imported.cleaned, 1);
        let lines: Vec<_> = imported.faults.iter().map(|fault| fault.line).collect();
        assert_eq!(lines, [2, 3]);
    }
}

//! Markdown check lists: `- [ ] text`, two spaces a level.
//!
//! ```text
//! # Title
//!
//! - [ ] Buy *good* milk {#home #two%20words @ana !2 due:2026-11-30}
//!   - [x] Find the shop
//!
//!     A note is an indented paragraph,
//!     as long as its lines begin with letters.
//! ```
//!
//! **Import** takes each box of a task list, whatever its bullet or number, in block quotes too; boxes in code are not boxes.
//! The text is the source of the item's first paragraph, markup and all, its lines joined by spaces. The level counts
//! the boxes around it. Paragraphs right under a box are its note; headings and other prose are left alone.
//!
//! **Marks**: what other registers say stands in braces at the end of the text: `#tag`, `@assignee`, `!priority`,
//! `due:`, in this order and with one space between; any other braces are text. A character of a tag or an assignee that is
//! no letter, digit or one of `-_./+@:=,` is spelled by its bytes: `%20`. A level that nesting cannot say is `depth:3`.
//!
//! **Guards**: `{}` at the end ends a text that is empty, or ends in white space or in what reads as marks; `{}` at the
//! beginning begins one that begins with white space or `{}`.
//!
//! **A note** that would not read back as paragraphs stands in a code fence with the info string `note`.
//!
//! **The title** is a heading of the first level in the first line that is not blank: `# Title`, or `# Title {}` where the
//! title ends like a guard, in white space or in `#`; guarded at its beginning as a text is. Source of the syntax: `CommonMark` 0.31, and the task lists of GFM 5.3.

mod marks;
mod reading;
#[cfg(test)]
mod tests;
mod title;

use core::fmt::Write as _;

use super::{Draft, Imported, newlines};
use marks::Marks;
use reading::Reading;

/// Columns of a level.
const LEVEL: &str = "  ";

pub(super) fn import(text: &str, imported: &mut Imported) {
    if let Some((line, title)) = title::read(text) {
        imported.take_title(line, title.into());
    }
    let (mut line, mut counted) = (1, 0);
    for found in Reading::new(text).read() {
        line += newlines(text.get(counted..found.begin).unwrap_or_default());
        counted = found.begin;
        let (text, marks) = marks::read(&found.text);
        let draft = Draft {
            text: text.into(),
            note: found.note.into(),
            done: found.done,
            due: marks.due,
            priority: marks.priority,
            assignee: marks.assignee,
            tags: marks.tags,
            depth: marks.depth.unwrap_or(found.level),
        };
        imported.take(line, draft);
    }
}

pub(super) fn export(title: &str, items: &[Draft]) -> String {
    let mut file = String::new();
    if !title.is_empty() {
        file.push_str(&title::write(title));
        file.push_str("\n\n");
    }
    let mut deepest = 0;
    for draft in items {
        let level = draft.depth.min(deepest);
        deepest = level + 1;
        let indent = LEVEL.repeat(usize::from(level));
        let marks = Marks {
            tags: draft.tags.clone(),
            assignee: draft.assignee.clone(),
            priority: draft.priority,
            due: draft.due,
            depth: Some(draft.depth).filter(|depth| *depth != level),
        };
        let mark = if draft.done { 'x' } else { ' ' };
        let _ = writeln!(file, "{indent}- [{mark}] {}", marks::write(&draft.text, &marks));
        if !draft.note.is_empty() {
            write_note(&mut file, &format!("{indent}{LEVEL}"), &draft.note);
        }
    }
    file
}

fn write_note(file: &mut String, indent: &str, note: &str) {
    let fence = "`".repeat(longest_run(note, '`').max(2) + 1);
    let lines = note.split('\n');
    let lines: Vec<String> = if note.split("\n\n").all(is_paragraph) {
        lines.map(str::to_owned).collect()
    } else {
        [format!("{fence}note")].into_iter().chain(lines.map(str::to_owned)).chain([fence]).collect()
    };
    file.push('\n');
    for line in lines {
        if !line.is_empty() {
            file.push_str(indent);
        }
        file.push_str(&line);
        file.push('\n');
    }
}

/// Whether these lines are read back as a paragraph: no line begins a block of another kind, or is trimmed.
fn is_paragraph(lines: &str) -> bool {
    lines.split('\n').all(|line| line.starts_with(char::is_alphabetic) && !line.ends_with(char::is_whitespace))
}

fn longest_run(text: &str, of: char) -> usize {
    text.split(|c| c != of).map(str::len).max().unwrap_or_default()
}

//! todo.txt: a line an item, with marks of one letter or `key:value`.
//!
//! ```text
//! [x ] [(A) ] TEXT [@tag | +project]... [who:ana] [depth:1] [due:2026-11-30] [note:two%20words]
//! ```
//!
//! | Register | In the file |
//! |---|---|
//! | done | `x ` at the beginning |
//! | priority | 1-9 is `(A)`-`(I)`; of a done item with a date in front, behind the first date: `x 2016-02-21 (B) text` |
//! | tags | a context `@home` is the tag `home`; a project `+garden` is the tag `+garden`; any other tag is `tag:` |
//! | due | `due:2026-11-30`; the last one counts |
//! | assignee, depth, note | `who:`, `depth:`, `note:`, at the end of a line alone |
//!
//! White space and `%` in the value of `tag:`, `who:` and `note:` are spelled `%20`.
//!
//! **What the registers cannot say stays in the text**: dates of creation and completion, priorities under I, any other
//! `key:value`, marks amid the text. Marks amid the text fill the registers too, and the export appends only what the text
//! does not already say. So a line that nobody edits is written as it was read, byte for byte: the reader tries to move
//! marks from the beginning and the end of a line into registers, and takes the shortest text that the writer makes the
//! same line of.
//!
//! What follows from this: a tag or a day that stands amid a text comes back with it, even if its register was cleared; and
//! the words of a text of our own are marks to whoever reads the file, us included. A text that begins like a done item or
//! a priority is set off by one more space.

use smol_str::SmolStr;

use super::{Draft, Imported, depth_of, percent};
use crate::limits::{LABEL_BYTES_MAX, TAGS_MAX};
use crate::register::Date;
use crate::safe_text::{Kind, find_forbidden};

/// The letters of priorities 1 to 9. Those below stay in the text.
const LETTERS: &str = "ABCDEFGHI";
/// Marks that may end a line: all tags, and one of each other kind.
const TAIL_MAX: usize = TAGS_MAX + 4;

pub(super) fn import(text: &str, imported: &mut Imported) {
    for (before, line) in text.lines().enumerate() {
        if !line.trim().is_empty() {
            imported.take(before + 1, read(line));
        }
    }
}

pub(super) fn export(items: &[Draft]) -> String {
    items.iter().flat_map(|item| [write(item), "\n".to_owned()]).collect()
}

/// The item of a line: the one with the shortest text that is written as this line.
fn read(line: &str) -> Draft {
    let head = Head::read(line);
    for at in tail(&head.text).into_iter().rev() {
        let (text, marks) = head.text.split_at_checked(at).unwrap_or((&head.text, ""));
        let draft = draft(&head, text, marks);
        if write(&draft) == line {
            return draft;
        }
    }
    // The priority stands elsewhere than we would write it: it stays in the text.
    let text = if head.done { line.get(2..).unwrap_or_default() } else { line };
    draft(&head, text, "")
}

/// The item of a head, a text, and marks behind the text.
fn draft(head: &Head, text: &str, marks: &str) -> Draft {
    let mut draft = Draft { text: text.into(), done: head.done, priority: head.priority, ..Draft::default() };
    for word in text.split_whitespace() {
        match Mark::read(word) {
            Some(Mark::Tag(tag)) => add_tag(&mut draft.tags, tag),
            Some(Mark::Due(due)) => draft.due = Some(due),
            _ => {}
        }
    }
    for mark in marks.split_whitespace().filter_map(Mark::read) {
        match mark {
            Mark::Tag(tag) | Mark::OddTag(tag) => add_tag(&mut draft.tags, tag),
            Mark::Due(due) => draft.due = Some(due),
            Mark::Who(who) => draft.assignee = who,
            Mark::Depth(depth) => draft.depth = depth,
            Mark::Note(note) => draft.note = note,
        }
    }
    draft
}

fn add_tag(tags: &mut Vec<SmolStr>, tag: SmolStr) {
    if tags.len() < TAGS_MAX && !tags.contains(&tag) {
        tags.push(tag);
    }
}

/// Where a text may end and the marks behind it begin, the longest text first: at its end, then before each last mark.
fn tail(text: &str) -> Vec<usize> {
    let mut ends = vec![text.len()];
    let mut before = text;
    while let Some((left, word)) = before.rsplit_once(' ') {
        if ends.len() > TAIL_MAX || left.trim().is_empty() || Mark::read(word).is_none() {
            break;
        }
        ends.push(left.len());
        before = left;
    }
    ends
}

fn write(draft: &Draft) -> String {
    let said = self::draft(&Head::default(), &draft.text, "");
    let mut rest = draft.text.to_string();
    let mut append = |mark: &str, value: &str| {
        rest.push(' ');
        rest.push_str(mark);
        rest.push_str(value);
    };
    for tag in draft.tags.iter().filter(|tag| !said.tags.contains(tag)) {
        match tag.strip_prefix('+') {
            Some(project) if is_name(project) => append("+", project),
            None if is_name(tag) => append("@", tag),
            _ => append("tag:", &spell(tag)),
        }
    }
    if !draft.assignee.is_empty() {
        append("who:", &spell(&draft.assignee));
    }
    if draft.depth > 0 {
        append("depth:", &draft.depth.to_string());
    }
    if let Some(due) = draft.due.filter(|due| said.due != Some(*due)) {
        append("due:", &due.to_string());
    }
    if !draft.note.is_empty() {
        append("note:", &spell(&draft.note));
    }
    with_head(draft.done, draft.priority, &rest)
}

/// A line that is read as done, with this priority, and the rest.
fn with_head(done: bool, priority: Option<u8>, rest: &str) -> String {
    let x = if done { "x " } else { "" };
    let bare = format!("{x}{rest}");
    let head = Head::read(&bare);
    let said = (head.done, head.priority) == (done, priority);
    let Some(letter) = priority.and_then(letter) else {
        // What reads as more than a text is set off.
        return if said && head.text == rest { bare } else { format!("{x} {rest}") };
    };
    match split_date(rest).filter(|_| done) {
        _ if said => bare,
        Some((date, rest)) => format!("{x}{date} ({letter}) {rest}"),
        None => format!("{x}({letter}) {rest}"),
    }
}

/// What a line begins with, and the rest of it.
#[derive(Default)]
struct Head {
    done: bool,
    priority: Option<u8>,
    text: String,
}

impl Head {
    fn read(line: &str) -> Self {
        let (done, rest) = line.strip_prefix("x ").map_or((false, line), |rest| (true, rest));
        if let Some(set_off) = rest.strip_prefix(' ').filter(|after| is_special(after.trim_start_matches(' '), done)) {
            return Self { done, priority: None, text: set_off.to_owned() };
        }
        if let Some((priority, text)) = split_priority(rest) {
            return Self { done, priority: Some(priority), text: text.to_owned() };
        }
        let dated = split_date(rest).filter(|_| done);
        if let Some((date, (priority, text))) = dated.and_then(|(date, after)| Some((date, split_priority(after)?))) {
            return Self { done, priority: Some(priority), text: format!("{date} {text}") };
        }
        // Behind two dates it stays in the text, and counts.
        let behind = dated.and_then(|(_, after)| split_date(after)).and_then(|(_, after)| split_priority(after));
        Self { done, priority: behind.map(|(priority, _)| priority), text: rest.to_owned() }
    }
}

/// Whether a text that begins a line, or follows its `x`, would read as more than a text.
fn is_special(text: &str, done: bool) -> bool {
    let dated = |text| split_date(text).map(|(_, after)| after).filter(|_| done);
    let behind_dates = [Some(text), dated(text), dated(text).and_then(dated)];
    (!done && text.starts_with("x ")) || behind_dates.into_iter().flatten().any(|text| split_priority(text).is_some())
}

/// Splits `(A) text`.
fn split_priority(text: &str) -> Option<(u8, &str)> {
    let (letter, rest) = text.strip_prefix('(')?.split_once(") ")?;
    let at = LETTERS.split("").skip(1).position(|one| one == letter && !letter.is_empty())?;
    Some((u8::try_from(at).ok()? + 1, rest))
}

fn letter(priority: u8) -> Option<char> {
    LETTERS.chars().nth(usize::from(priority).checked_sub(1)?)
}

/// Splits `2026-11-30 text`.
fn split_date(text: &str) -> Option<(Date, &str)> {
    let (date, rest) = text.split_once(' ')?;
    Some((Date::parse(date)?, rest))
}

/// A word that fills a register.
enum Mark {
    /// `@tag` or `+tag`: the second keeps its sign.
    Tag(SmolStr),
    /// A tag that those cannot spell.
    OddTag(SmolStr),
    Due(Date),
    Who(SmolStr),
    Depth(u8),
    Note(SmolStr),
}

impl Mark {
    fn read(word: &str) -> Option<Self> {
        if let Some(name) = word.strip_prefix('@') {
            return is_name(name).then(|| Self::Tag(name.into()));
        }
        if let Some(name) = word.strip_prefix('+') {
            return is_name(name).then(|| Self::Tag(word.into()));
        }
        let (key, value) = word.split_once(':')?;
        let text = |kind| {
            let text = percent::decode(value, is_plain)?;
            (!text.is_empty() && find_forbidden(&text, kind).is_none()).then(|| SmolStr::from(text))
        };
        let label = || text(Kind::Line).filter(|label| label.len() <= LABEL_BYTES_MAX);
        match key {
            "due" => Date::parse(value).map(Self::Due),
            "depth" => depth_of(value).map(Self::Depth),
            "tag" => label().map(Self::OddTag),
            "who" => label().map(Self::Who),
            "note" => text(Kind::Note).map(Self::Note),
            _ => None,
        }
    }
}

/// Whether this may stand behind `@` or `+`.
fn is_name(name: &str) -> bool {
    (1..LABEL_BYTES_MAX).contains(&name.len()) && !name.starts_with('+') && !name.contains(char::is_whitespace)
}

fn is_plain(c: char) -> bool {
    !c.is_whitespace() && !c.is_control()
}

fn spell(text: &str) -> String {
    percent::encode(text, is_plain)
}

#[cfg(test)]
mod tests;

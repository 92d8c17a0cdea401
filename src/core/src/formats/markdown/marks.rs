//! The braces at the end of a text: `{#tag @who !2 due:2026-11-30 depth:3}`.

use smol_str::SmolStr;

use super::super::{depth_of, percent};
use crate::limits::{LABEL_BYTES_MAX, PRIORITY_MAX};
use crate::register::Date;
use crate::safe_text::{Kind, find_forbidden};

/// No marks: a guard of the text beside it.
const GUARD: &str = "{}";

/// What stands in the braces.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Marks {
    pub(super) tags: Vec<SmolStr>,
    pub(super) assignee: SmolStr,
    pub(super) priority: Option<u8>,
    pub(super) due: Option<Date>,
    pub(super) depth: Option<u8>,
}

/// Splits what stands behind a box into text and marks.
pub(super) fn read(source: &str) -> (&str, Marks) {
    let (text, marks) = split_marks(source).unwrap_or((source, Marks::default()));
    (text.strip_prefix(GUARD).and_then(|text| text.strip_prefix(' ')).unwrap_or(text), marks)
}

/// What stands behind a box, for [`read`] to split again.
pub(super) fn write(text: &str, marks: &Marks) -> String {
    let blank = [' ', '\t'];
    let lead = if text.starts_with(blank) || text.starts_with("{} ") { "{} " } else { "" };
    let mut source = format!("{lead}{text}");
    let needs_guard = text.is_empty() || text.ends_with(blank) || split_marks(text).is_some();
    if *marks != Marks::default() || needs_guard {
        if !source.is_empty() {
            source.push(' ');
        }
        source.push_str(&spell(marks));
    }
    source
}

fn split_marks(source: &str) -> Option<(&str, Marks)> {
    let (text, _) = source.strip_suffix('}')?.rsplit_once('{')?;
    let braces = source.get(text.len()..)?;
    let marks = parse(braces)?;
    let text = if text.is_empty() { text } else { text.strip_suffix(' ')? };
    // Each set of marks has one spelling; braces of another are not ours.
    (spell(&marks) == braces).then_some((text, marks))
}

fn parse(braces: &str) -> Option<Marks> {
    let mut marks = Marks::default();
    let words = braces.strip_prefix('{')?.strip_suffix('}')?;
    for word in words.split(' ').filter(|word| !word.is_empty()) {
        if let Some(tag) = word.strip_prefix('#') {
            marks.tags.push(label(tag)?);
        } else if let Some(who) = word.strip_prefix('@') {
            marks.assignee = label(who)?;
        } else if let Some(priority) = word.strip_prefix('!') {
            marks.priority = Some(priority.parse().ok().filter(|priority| (1..=PRIORITY_MAX).contains(priority))?);
        } else if let Some(due) = word.strip_prefix("due:") {
            marks.due = Some(Date::parse(due)?);
        } else {
            let digits = word.strip_prefix("depth:")?;
            marks.depth = Some(if digits == "0" { 0 } else { depth_of(digits)? });
        }
    }
    Some(marks)
}

fn label(word: &str) -> Option<SmolStr> {
    let label = percent::decode(word, is_plain)?;
    let fits = (1..=LABEL_BYTES_MAX).contains(&label.len()) && find_forbidden(&label, Kind::Line).is_none();
    fits.then(|| label.into())
}

fn spell(marks: &Marks) -> String {
    let mut words: Vec<String> = marks.tags.iter().map(|tag| format!("#{}", percent::encode(tag, is_plain))).collect();
    if !marks.assignee.is_empty() {
        words.push(format!("@{}", percent::encode(&marks.assignee, is_plain)));
    }
    words.extend(marks.priority.map(|priority| format!("!{priority}")));
    words.extend(marks.due.map(|due| format!("due:{due}")));
    words.extend(marks.depth.map(|depth| format!("depth:{depth}")));
    format!("{{{}}}", words.join(" "))
}

fn is_plain(c: char) -> bool {
    c.is_alphanumeric() || "-_./+@:=,".contains(c)
}

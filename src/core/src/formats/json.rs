//! JSON of our own: everything that a list says, an item a line.
//!
//! ```json
//! {"betwixt": 1, "title": "Work", "items": [
//! {"text":"buy milk","note":"two","done":true,"due":"2026-11-30","priority":1,"assignee":"ana","tags":["home"],"depth":1},
//! {"text":"bread"}
//! ]}
//! ```
//!
//! `betwixt` is the version of this format, and must be 1. In an item only `text` must be there. A field that this version
//! does not know is a fault, for taking a file without it would lose something; so is a fault in the outer object, and
//! then no item comes in. A fault in an item leaves out that item alone.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;
use smol_str::SmolStr;

use super::{Draft, Imported, LineFault, Unfit, newlines};
use crate::register::Date;

/// The version of this format.
const VERSION: u32 = 1;

/// What is wrong with a piece of JSON.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct Unread {
    /// In the words of the parser, without the place.
    what: Box<str>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File<'a> {
    betwixt: u32,
    #[serde(default)]
    title: SmolStr,
    #[serde(borrow)]
    items: Vec<&'a RawValue>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    text: SmolStr,
    #[serde(default, skip_serializing_if = "SmolStr::is_empty")]
    note: SmolStr,
    #[serde(default, skip_serializing_if = "is_false")]
    done: bool,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "day")]
    due: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    priority: Option<u8>,
    #[serde(default, skip_serializing_if = "SmolStr::is_empty")]
    assignee: SmolStr,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    tags: Vec<SmolStr>,
    #[serde(default, skip_serializing_if = "is_zero")]
    depth: u8,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_false(flag: &bool) -> bool {
    !flag
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(depth: &u8) -> bool {
    *depth == 0
}

/// A day of the calendar, or null.
fn day<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let day = Option::<String>::deserialize(deserializer)?;
    match day {
        Some(day) if Date::parse(&day).is_none() => {
            Err(serde::de::Error::custom(format_args!("{day:?} is no day: one is written YYYY-MM-DD")))
        }
        day => Ok(day),
    }
}

impl From<Row> for Draft {
    fn from(row: Row) -> Self {
        Self {
            text: row.text,
            note: row.note,
            done: row.done,
            due: row.due.as_deref().and_then(Date::parse),
            priority: row.priority,
            assignee: row.assignee,
            tags: row.tags,
            depth: row.depth,
        }
    }
}

impl From<&Draft> for Row {
    fn from(draft: &Draft) -> Self {
        Self {
            text: draft.text.clone(),
            note: draft.note.clone(),
            done: draft.done,
            due: draft.due.map(|due| due.to_string()),
            priority: draft.priority,
            assignee: draft.assignee.clone(),
            tags: draft.tags.clone(),
            depth: draft.depth,
        }
    }
}

pub(super) fn import(text: &str, imported: &mut Imported) {
    let file = match serde_json::from_str::<File<'_>>(text) {
        Ok(file) => file,
        Err(error) => return imported.faults.push(fault(1, &error)),
    };
    if file.betwixt != VERSION {
        let what = format!("version {} of the format; this betwixt reads version {VERSION}", file.betwixt);
        return imported.faults.push(LineFault { line: 1, what: Unfit::Json(Unread { what: what.into() }) });
    }
    imported.take_title(1, file.title);
    // The parser lends pieces of `text`: where one begins tells its line.
    let (mut line, mut counted) = (1, 0);
    for raw in file.items {
        let begin = raw.get().as_ptr().addr().saturating_sub(text.as_ptr().addr());
        line += newlines(text.get(counted..begin).unwrap_or_default());
        counted = begin;
        match serde_json::from_str::<Row>(raw.get()) {
            Ok(row) => imported.take(line, row.into()),
            Err(error) => imported.faults.push(fault(line, &error)),
        }
    }
}

/// A fault in a piece of JSON that begins in line `first`.
fn fault(first: usize, error: &serde_json::Error) -> LineFault {
    let said = error.to_string();
    let what = said.rsplit_once(" at line ").map_or(said.as_str(), |(what, _)| what);
    let line = first + error.line().saturating_sub(1);
    LineFault { line, what: Unfit::Json(Unread { what: what.into() }) }
}

pub(super) fn export(title: &str, items: &[Draft]) -> String {
    let words = |value: serde_json::Result<String>| value.expect("strings and numbers are JSON");
    let mut file =
        format!("{{\"betwixt\": {VERSION}, \"title\": {}, \"items\": [", words(serde_json::to_string(title)));
    for (before, draft) in items.iter().enumerate() {
        file.push_str(if before == 0 { "\n" } else { ",\n" });
        file.push_str(&words(serde_json::to_string(&Row::from(draft))));
    }
    file.push_str("\n]}\n");
    file
}

#[cfg(test)]
mod tests {
    use super::super::{Format, import};

    #[track_caller]
    fn check(file: &str, texts: &[&str], faults: &[&str]) {
        let imported = import(Format::Json, file.as_bytes());
        let came: Vec<_> = imported.items.iter().map(|item| item.text.as_str()).collect();
        assert_eq!(came, texts);
        let named: Vec<_> =
            imported.faults.iter().map(|fault| format!("{fault}: {}", crate::causes::Causes(&fault.what))).collect();
        assert_eq!(named, faults);
    }

    #[test]
    fn a_bad_item_is_named_with_its_line_and_the_rest_comes() {
        check(
            "{\"betwixt\": 1, \"items\": [\n{\"text\": \"a\"},\n{\"text\": \"b\",\n \"colour\": 1},\n{\"txt\": \"c\"},\n\
             {\"text\": \"d\", \"priority\": 10}, {\"text\": \"e\", \"due\": \"2026-02-30\"},\n{\"text\": \"f\"}]}",
            &["a", "f"],
            &[
                "line 4: unknown field `colour`, expected one of `text`, `note`, `done`, `due`, `priority`, `assignee`, \
                 `tags`, `depth`",
                "line 5: unknown field `txt`, expected one of `text`, `note`, `done`, `due`, `priority`, `assignee`, \
                 `tags`, `depth`",
                "line 6: priority out of its range",
                "line 6: \"2026-02-30\" is no day: one is written YYYY-MM-DD",
            ],
        );
    }

    #[test]
    fn what_is_not_our_json_brings_nothing_and_says_where() {
        check(
            "{\"betwixt\": 2, \"items\": []}",
            &[],
            &["line 1: version 2 of the format; this betwixt reads version 1"],
        );
        check(
            "{\"betwixt\": 1,\n\"item\": []}",
            &[],
            &["line 2: unknown field `item`, expected one of `betwixt`, `title`, `items`"],
        );
        check("", &[], &["line 1: EOF while parsing a value"]);
        check("{\"betwixt\": 1, \"items\": [{\"text\": \"a\"},]}", &[], &["line 1: trailing comma"]);
    }

    #[test]
    fn escapes_of_others_are_read() {
        check("\u{feff}{\"betwixt\":1,\r\n\"items\":[{\"text\":\"a\\/b\\u0007\"}]}", &["a/b␇"], &[]);
    }
}

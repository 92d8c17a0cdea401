//! What an entry of a log did, as a line for people and as JSON for programs.
//!
//! | field | of which `kind` | |
//! |---|---|---|
//! | `seq`, `time`, `site`, `name`, `kind` | all | place in the log; RFC 3339 in UTC, by the stamp; who; `join`, `add`, `put`, `list`, `gone` where the item is not there, else the number of a kind that changes nothing |
//! | `item` | `add`, `put`, `gone` | its id |
//! | `text` | `put` | its text before |
//! | `key` | `add`, and a `put` that moves | where to |
//! | `won`, `behind` | a `put` that moves | whether the move stands; behind which item, `null` at the top |
//! | `writes` | `add`, `put`, `list` | `field`, `value`, `old`, and whether it `won` |

use betwixt_client::account::{Account, Deed, Moved, Wrote};
use betwixt_core::item::Write;
use betwixt_core::register::Register;
use betwixt_core::safe_text::SafeText;
use jiff::tz::TimeZone;
use serde_json::{Map, Value, json};
use smol_str::SmolStr;

use crate::clock;
use crate::print::json_line;

/// How entries are told.
pub(super) enum Teller {
    /// A line for people, with times of this zone.
    Lines(TimeZone),
    /// A JSON object.
    Json,
}

impl Teller {
    pub(super) fn new(as_json: bool) -> Self {
        if as_json { Self::Json } else { Self::Lines(TimeZone::system()) }
    }

    pub(super) fn is_json(&self) -> bool {
        matches!(self, Self::Json)
    }

    /// An entry in one line; safe for a terminal either way.
    pub(super) fn tell(&self, account: &Account) -> String {
        match self {
            Self::Lines(zone) => {
                let who = match account.name.as_str() {
                    "" => account.site.to_string().chars().take(8).collect(),
                    name => SafeText::line(name).to_string(),
                };
                format!("{}  {who}  {}", clock::local(account.at, zone), deed(&account.deed))
            }
            Self::Json => json_line(&object(account)),
        }
    }
}

/// What is said after a write that does not stand.
const LOST: &str = " (lost to a later write)";

fn deed(deed: &Deed) -> String {
    match deed {
        Deed::Joined => "joined".to_owned(),
        Deed::Added { registers, .. } => {
            let text = registers.iter().find_map(|register| match register {
                Register::Text(text) => Some(text.as_str()),
                _ => None,
            });
            let added = format!("added {}", quoted(text.unwrap_or_default()));
            let more = registers.iter().filter_map(with);
            std::iter::once(added).chain(more).collect::<Vec<_>>().join(", ")
        }
        Deed::Changed { text, moved, writes, .. } => {
            let phrases = moved.iter().map(moved_to).chain(writes.iter().map(wrote));
            let words: Vec<String> = phrases
                .enumerate()
                .map(|(number, Phrase { verb, rest })| {
                    // The first names the item, the others are about the same one.
                    let item = if number == 0 { quoted(text) } else { "it".to_owned() };
                    format!("{verb} {item}{rest}")
                })
                .collect();
            if words.is_empty() { format!("wrote nothing to {}", quoted(text)) } else { words.join(", ") }
        }
        Deed::Titled { new, write, .. } => {
            let lost = if *write == Write::Lost { LOST } else { "" };
            match new.as_str() {
                "" => format!("took the title of the list away{lost}"),
                new => format!("titled the list {}{lost}", quoted(new)),
            }
        }
        Deed::Missed { item } => format!("changed {item}, which is not in the list"),
        Deed::Other { kind } => format!("did something of kind {kind}"),
    }
}

/// What was done to an item: a verb, then comes the item, then the rest.
struct Phrase {
    verb: &'static str,
    rest: String,
}

fn moved_to(moved: &Moved) -> Phrase {
    let rest = match (moved.write, &moved.behind) {
        (Write::Lost, _) => " (lost to a later move)".to_owned(),
        (Write::Won, Some((_, text))) => format!(" behind {}", quoted(text)),
        (Write::Won, None) => " to the top".to_owned(),
    };
    Phrase { verb: "moved", rest }
}

fn wrote(wrote: &Wrote) -> Phrase {
    let (verb, rest) = match &wrote.new {
        Register::Text(text) => ("rewrote", format!(" to {}", quoted(text))),
        Register::Note(note) if note.is_empty() => ("took the note from", String::new()),
        Register::Note(_) => ("wrote a note to", String::new()),
        Register::Done(true) => ("ticked", String::new()),
        Register::Done(false) => ("unticked", String::new()),
        Register::Due(Some(due)) => ("made", format!(" due {due}")),
        Register::Due(None) => ("took the due day from", String::new()),
        Register::Priority(Some(priority)) => ("gave", format!(" priority {priority}")),
        Register::Priority(None) => ("took the priority from", String::new()),
        Register::Assignee(who) if who.is_empty() => ("unassigned", String::new()),
        Register::Assignee(who) => ("assigned", format!(" to {}", SafeText::line(who))),
        Register::Tags(tags) if tags.is_empty() => ("took the tags from", String::new()),
        Register::Tags(tags) => ("tagged", format!(" {}", labels(tags))),
        Register::Depth(depth) => ("put", format!(" on level {depth}")),
        Register::Deleted(true) => ("deleted", String::new()),
        Register::Deleted(false) => ("restored", String::new()),
    };
    let lost = if wrote.write == Write::Lost { LOST } else { "" };
    Phrase { verb, rest: format!("{rest}{lost}") }
}

/// What a new item carries beside its text, where it carries something.
fn with(register: &Register) -> Option<String> {
    if *register == Register::unwritten(register.field()) {
        return None;
    }
    match register {
        Register::Due(due) => due.map(|due| format!("due {due}")),
        Register::Priority(priority) => priority.map(|priority| format!("priority {priority}")),
        Register::Assignee(who) => Some(format!("for {}", SafeText::line(who))),
        Register::Tags(tags) => Some(labels(tags)),
        Register::Depth(depth) => Some(format!("on level {depth}")),
        Register::Note(_) => Some("with a note".to_owned()),
        Register::Done(_) => Some("done".to_owned()),
        Register::Deleted(_) => Some("deleted".to_owned()),
        Register::Text(_) => None,
    }
}

fn labels(tags: &[SmolStr]) -> String {
    tags.iter().map(|tag| format!("#{}", SafeText::line(tag))).collect::<Vec<_>>().join(" ")
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", SafeText::line(text))
}

fn object(account: &Account) -> Value {
    let mut object = Map::new();
    let mut say = |name: &str, value: Value| object.insert(name.to_owned(), value);
    say("seq", json!(account.seq));
    say("time", json!(clock::utc(account.at)));
    say("site", json!(account.site.to_string()));
    say("name", json!(account.name));
    match &account.deed {
        Deed::Joined => {
            say("kind", json!("join"));
        }
        Deed::Added { item, key, registers } => {
            say("kind", json!("add"));
            say("item", json!(item.to_string()));
            say("key", json!(key.as_str()));
            let write = |register: &Register| {
                let (name, value) = field(register);
                json!({ "field": name, "value": value, "won": true })
            };
            say("writes", registers.iter().map(write).collect());
        }
        Deed::Changed { item, text, moved, writes } => {
            say("kind", json!("put"));
            say("item", json!(item.to_string()));
            say("text", json!(text));
            if let Some(moved) = moved {
                say("key", json!(moved.key.as_str()));
                say("won", json!(moved.write == Write::Won));
                let behind = moved.behind.as_ref().filter(|_| moved.write == Write::Won);
                say("behind", json!(behind.map(|(item, _)| item.to_string())));
            }
            let write = |wrote: &Wrote| {
                let ((name, value), (_, old)) = (field(&wrote.new), field(&wrote.old));
                json!({ "field": name, "value": value, "old": old, "won": wrote.write == Write::Won })
            };
            say("writes", writes.iter().map(write).collect());
        }
        Deed::Titled { old, new, write } => {
            say("kind", json!("list"));
            let won = *write == Write::Won;
            say("writes", json!([{ "field": "title", "value": new, "old": old, "won": won }]));
        }
        Deed::Missed { item } => {
            say("kind", json!("gone"));
            say("item", json!(item.to_string()));
        }
        Deed::Other { kind } => {
            say("kind", json!(kind));
        }
    }
    Value::Object(object)
}

/// A register, as `ls --json` calls it and prints its value.
fn field(register: &Register) -> (&'static str, Value) {
    match register {
        Register::Text(text) => ("text", json!(text)),
        Register::Note(note) => ("note", json!(note)),
        Register::Done(done) => ("done", json!(done)),
        Register::Due(due) => ("due", json!(due.map(|due| due.to_string()))),
        Register::Priority(priority) => ("priority", json!(priority)),
        Register::Assignee(who) => ("assignee", json!(who)),
        Register::Tags(tags) => ("tags", json!(tags)),
        Register::Depth(depth) => ("depth", json!(depth)),
        Register::Deleted(deleted) => ("deleted", json!(deleted)),
    }
}

//! Items on the command line: how they are named, and how they are printed.

use std::iter;

use betwixt_client::Site;
use betwixt_core::id::ItemId;
use betwixt_core::item::Item;
use betwixt_core::key::{SiteNumber, tag_in};
use betwixt_core::list::List;
use betwixt_core::safe_text::SafeText;
use serde_json::{Map, Value, json};

use crate::print;
use crate::report::Report;

/// Fewest digits of an id that are printed.
const DIGITS_MIN: usize = 4;

/// The live item whose id begins with these digits.
pub(super) fn find(list: &List, digits: &str) -> Result<ItemId, Report> {
    let digits = digits.to_ascii_lowercase();
    let mut found = list.live().map(|(id, _)| id).filter(|id| id.to_string().starts_with(&digits));
    match (found.next(), found.next()) {
        (Some(item), None) => Ok(item),
        (Some(_), Some(_)) => Err(Report::new(format!("several items have an id that begins with {digits:?}"))),
        (None, _) => Err(Report::new(format!("no item has an id that begins with {digits:?}"))),
    }
}

/// Prints a list, in order.
pub(super) fn list(site: &Site, as_json: bool) -> Result<(), Report> {
    if as_json {
        let rows: Vec<Value> = site.read(|list| list.live().map(|(id, item)| row(list, id, item)).collect());
        return print::json(&Value::Array(rows));
    }
    let lines: Vec<String> = site.read(|list| {
        let digits = digits(list);
        list.live().map(|(id, item)| line(id, item, digits)).collect()
    });
    print::lines(lines.into_iter())
}

/// How many digits tell all live items apart.
fn digits(list: &List) -> usize {
    let mut ids: Vec<String> = list.live().map(|(id, _)| id.to_string()).collect();
    ids.sort_unstable();
    let shared = |a: &str, b: &str| a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    let most = ids.iter().zip(ids.iter().skip(1)).map(|(a, b)| shared(a, b)).max();
    most.map_or(DIGITS_MIN, |most| (most + 1).max(DIGITS_MIN))
}

fn line(id: ItemId, item: &Item, digits: usize) -> String {
    let id: String = id.to_string().chars().take(digits).collect();
    let mark = if item.done() { 'x' } else { ' ' };
    let indent = "  ".repeat(usize::from(item.depth()));
    let priority = item.priority().map(|priority| format!("!{priority}"));
    let tags = item.tags().iter().map(|tag| format!("#{}", SafeText::line(tag)));
    let who = Some(item.assignee()).filter(|who| !who.is_empty()).map(|who| format!("@{}", SafeText::line(who)));
    let due = item.due().map(|due| format!("due {due}"));
    let text = format!("{id}  [{mark}] {indent}{}", SafeText::line(item.text()));
    let words: Vec<String> = iter::once(text).chain(priority).chain(tags).chain(who).chain(due).collect();
    words.join("  ")
}

fn row(list: &List, id: ItemId, item: &Item) -> Value {
    let key = &item.position.key;
    let site = item.position.op.site;
    let tag = list.site(site).and_then(|site| tag_in(key, SiteNumber(site.number)));
    let name = list.site(site).map(|site| site.name.to_string());
    let mut row = Map::new();
    row.insert("id".to_owned(), json!(id.to_string()));
    row.insert("text".to_owned(), json!(item.text()));
    row.insert("done".to_owned(), json!(item.done()));
    row.insert("depth".to_owned(), json!(item.depth()));
    row.insert("key".to_owned(), json!(key.as_str()));
    row.insert("tag".to_owned(), json!(tag));
    row.insert("site".to_owned(), json!(site.to_string()));
    row.insert("name".to_owned(), json!(name));
    if !item.note().is_empty() {
        row.insert("note".to_owned(), json!(item.note()));
    }
    if let Some(due) = item.due() {
        row.insert("due".to_owned(), json!(due.to_string()));
    }
    if let Some(priority) = item.priority() {
        row.insert("priority".to_owned(), json!(priority));
    }
    if !item.assignee().is_empty() {
        row.insert("assignee".to_owned(), json!(item.assignee()));
    }
    if !item.tags().is_empty() {
        row.insert("tags".to_owned(), json!(item.tags()));
    }
    Value::Object(row)
}

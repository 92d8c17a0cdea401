//! `betwixt lists`: which lists there are.

use betwixt_core::safe_text::SafeText;
use serde_json::{Value, json};

use super::reach::{self, Unanswered};
use crate::args::{Lists, Place};
use crate::print;
use crate::report::Report;

/// Prints the lists of the relay; without one those that this folder knows.
pub(crate) fn run(place: &Place, lists: &Lists) -> Result<(), Report> {
    let prefix = lists.prefix.as_deref().unwrap_or_default();
    reach::run(place, async |reach| {
        let rows: Vec<(String, Option<String>, String)> = match reach.lists(prefix).await {
            Ok(found) => found
                .into_iter()
                .map(|listed| (listed.name.to_string(), Some(listed.title.to_string()), listed.uid.to_string()))
                .collect(),
            Err(Unanswered::Offline(why)) => {
                print::note(&format!("{why}; these are the lists that this folder knows"));
                let known = reach.folder.lists_at(&reach.address.record())?.into_iter();
                let known = known.filter(|(name, _)| name.as_str().starts_with(prefix));
                known.map(|(name, uid)| (name.to_string(), None, uid.to_string())).collect()
            }
            Err(Unanswered::Fault(report)) => return Err(report),
        };
        if place.json {
            let row = |(name, title, uid)| json!({ "name": name, "title": title, "uid": uid });
            return print::json(&Value::Array(rows.into_iter().map(row).collect()));
        }
        let width = rows.iter().map(|(name, ..)| name.len()).max().unwrap_or_default();
        print::lines(rows.into_iter().map(|(name, title, _)| match title.filter(|title| !title.is_empty()) {
            Some(title) => format!("{name:width$}  {}", SafeText::line(&title)),
            None => name,
        }))
    })
}

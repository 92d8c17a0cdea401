//! `betwixt keys`: the arithmetic of keys, to look at.

mod growth;

use betwixt_core::key::{Gap, Hint, Key, SiteNumber, between, midpoint, spaced, tag_of};
use serde_json::{Value, json};

use crate::args::{Keys, KeysVerb};
use crate::print;
use crate::report::Report;

pub(crate) fn run(keys: &Keys, as_json: bool) -> Result<(), Report> {
    let made = match &keys.what {
        KeysVerb::Between { low, high, site } => {
            let (low, high) = (end(low)?, end(high)?);
            vec![between(Gap::new(low.as_ref(), high.as_ref())?, SiteNumber(*site), Hint::None, &mut |_| false)?]
        }
        KeysVerb::Midpoint { low, high } => {
            let (low, high) = (end(low)?, end(high)?);
            vec![midpoint(Gap::new(low.as_ref(), high.as_ref())?)?]
        }
        KeysVerb::Spaced { count } => spaced(usize::try_from(*count)?),
        KeysVerb::Growth(plan) => return growth::run(plan, as_json),
    };
    if as_json {
        let rows: Vec<Value> = made.iter().map(row).collect();
        let one = matches!(keys.what, KeysVerb::Spaced { .. }).then_some(rows.clone().into());
        return print::json(&one.unwrap_or_else(|| rows.into_iter().next().unwrap_or_default()));
    }
    print::lines(made.iter().map(ToString::to_string))
}

/// A bound; empty is an open end.
fn end(text: &str) -> Result<Option<Key>, Report> {
    if text.is_empty() { Ok(None) } else { Ok(Some(Key::parse(text)?)) }
}

fn row(key: &Key) -> Value {
    json!({ "key": key.as_str(), "bytes": key.len(), "site": tag_of(key).map(|number| number.0) })
}

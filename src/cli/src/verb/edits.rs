//! From the words of the command line to an edit.

use std::io::{self, Read as _};

use betwixt_client::Site;
use betwixt_core::edit::{Edit, Spot};
use betwixt_core::list::List;
use betwixt_core::register::Register;
use smol_str::SmolStr;

use super::item;
use crate::args::{Add, Mv};
use crate::report::Report;

/// New items at the end of the list: one, or one a line of standard input.
pub(super) fn add(add: &Add) -> Result<Edit, Report> {
    let texts = if add.text == ["-"] {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes)?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        text.lines().map(str::to_owned).filter(|line| !line.trim().is_empty()).collect()
    } else {
        vec![add.text.join(" ")]
    };
    if texts.is_empty() {
        return Err(Report::new("nothing to add: standard input has no line"));
    }
    let item = |text: String| {
        let mut registers = vec![Register::Text(text.into())];
        registers.extend(add.note.as_deref().map(|note| Register::Note(note.into())));
        registers.extend(add.due.map(|due| Register::Due(Some(due))));
        registers.extend(add.priority.map(|priority| Register::Priority(Some(priority))));
        registers.extend(add.assignee.as_deref().map(|who| Register::Assignee(who.into())));
        if !add.tag.is_empty() {
            registers.push(Register::Tags(add.tag.iter().map(SmolStr::new).collect()));
        }
        registers.extend(add.depth.filter(|depth| *depth > 0).map(Register::Depth));
        registers
    };
    Ok(Edit::Add { spot: Spot::Bottom, items: texts.into_iter().map(item).collect() })
}

/// One register of one item.
pub(super) fn set(site: &Site, item: &str, register: Register) -> Result<Edit, Report> {
    let item = site.read(|list| item::find(list, item))?;
    Ok(Edit::Set { writes: vec![(item, vec![register])] })
}

/// One item elsewhere.
pub(super) fn mv(list: &List, mv: &Mv) -> Result<Edit, Report> {
    let moved = item::find(list, &mv.item)?;
    let spot = match (&mv.before, &mv.after) {
        (Some(before), _) => Spot::Before(item::find(list, before)?),
        (_, Some(after)) => Spot::After(item::find(list, after)?),
        _ if mv.top => Spot::Top,
        _ => Spot::Bottom,
    };
    if matches!(spot, Spot::Before(other) | Spot::After(other) if other == moved) {
        return Err(Report::new("an item cannot be moved next to itself"));
    }
    Ok(Edit::Move { items: vec![moved], spot })
}

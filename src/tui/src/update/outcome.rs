//! What follows from an edit that was made.

use betwixt_core::edit::{Did, Outcome, Spot};
use betwixt_core::hlc::Millis;
use betwixt_core::id::ItemId;
use betwixt_core::list::List;
use betwixt_core::safe_text::SafeText;

use super::editor::close;
use super::list::{key_of, open};
use crate::editor::{Editor, Then};
use crate::keymap::Action;
use crate::model::{Model, Sending, Sent};
use crate::msg::Effect;
use crate::overlay::Overlay;
use crate::switcher::Mode;
use crate::toast::Toast;
use crate::words::{counted, thousands};

/// Cells of a text that a message quotes.
const QUOTED_CELLS_MAX: usize = 40;

pub(super) fn edited(model: &mut Model, list: &List, outcome: &Outcome, now: Millis) -> Vec<Effect> {
    let Some(Sent { what, top, then }) = model.sent.take() else { return vec![] };
    if let Some(text) = message(model, &what, outcome) {
        model.say(Toast::calm(&text, now));
    }
    let live = |id: &&ItemId| list.row(**id).is_some();
    let first = outcome.items.iter().find(live).copied();
    let newest = outcome.items.iter().rfind(live).copied();
    match what {
        Sending::New { opens_next } | Sending::Pasted { opens_next } => {
            let depth = model.editor.take().map(|editor| editor.depth);
            if let Some(id) = newest {
                model.select(list, id, top);
                if opens_next {
                    let depth = depth.or_else(|| list.item(id).map(betwixt_core::item::Item::depth)).unwrap_or(0);
                    let top = model.top(list);
                    open(model, list, Editor::of_new(Spot::After(id), depth, Then::Next), top);
                }
            }
        }
        Sending::Rewrite { .. } | Sending::Restore => {
            close(model, list);
            if let Some(id) = first {
                model.select(list, id, top);
            }
        }
        Sending::Move | Sending::Undo | Sending::Redo => {
            if let Some(id) = first {
                model.select(list, id, top);
            }
        }
        Sending::Delete => {
            model.settle(list);
            model.reveal(list, top);
        }
        Sending::Title => match &mut model.overlay {
            Some(Overlay::Switcher(switcher)) => switcher.mode = Mode::Choosing,
            Some(Overlay::Title(_)) => model.overlay = None,
            _ => {}
        },
        Sending::Write => {}
    }
    match then {
        Some(key) => {
            model.settle(list);
            super::press(model, list, key, now)
        }
        None => vec![],
    }
}

/// What the person is told, if the screen does not say it by itself.
fn message(model: &Model, what: &Sending, outcome: &Outcome) -> Option<String> {
    let undo = || key_of(model, Action::Undo);
    let done = done(outcome);
    let said = match what {
        Sending::Pasted { .. } => Some(format!("{} added, {} to undo", thousands(outcome.items.len()), undo())),
        Sending::Delete => Some(format!("{} deleted, {} to undo", thousands(outcome.items.len()), undo())),
        Sending::Undo if outcome.did == Did::Nothing => Some("nothing to undo".to_owned()),
        Sending::Redo if outcome.did == Did::Nothing => Some("nothing to redo".to_owned()),
        Sending::Undo => Some(format!("undid: {done}")),
        Sending::Redo => Some(format!("did again: {done}")),
        Sending::Restore => Some("added again".to_owned()),
        Sending::Rewrite { over: Some(theirs) } => {
            let theirs = SafeText::line(theirs).truncate(QUOTED_CELLS_MAX);
            Some(format!("yours stands; theirs was: {theirs}"))
        }
        Sending::Rewrite { over: None } | Sending::New { .. } | Sending::Move | Sending::Write | Sending::Title => None,
    };
    let left_alone = (outcome.left_alone > 0)
        .then(|| format!("{} left alone: changed by others since", thousands(outcome.left_alone)));
    let cleaned = (outcome.cleaned > 0)
        .then(|| format!("control characters made visible in {}", counted(outcome.cleaned, "text")));
    let parts: Vec<String> = [said, left_alone, cleaned].into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(" · "))
}

/// "3 moved".
fn done(outcome: &Outcome) -> String {
    if outcome.did == Did::Titled {
        return "the title".to_owned();
    }
    format!("{} {}", thousands(outcome.items.len()), outcome.did.word())
}

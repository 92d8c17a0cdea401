//! Keys in the drawer of refused edits.

use crate::keymap::Action;
use crate::model::Model;
use crate::msg::Effect;
use crate::overlay::Overlay;

pub(super) fn act(model: &mut Model, action: Action) -> Vec<Effect> {
    let Some(Overlay::Drawer { at }) = &mut model.overlay else { return vec![] };
    let refusals = &model.refusals;
    let place = at.and_then(|at| refusals.iter().position(|one| one.number == at));
    let number = |place: usize| refusals.get(place.min(refusals.len().saturating_sub(1))).map(|one| one.number);
    match (action, *at) {
        // It stays open when the last one is gone: the next key must not fall through to the rows.
        (Action::Back, _) => model.overlay = None,
        (Action::Down, _) => *at = number(place.map_or(0, |place| place + 1)),
        (Action::Up, _) => *at = number(place.unwrap_or_default().saturating_sub(1)),
        (Action::Top, _) => *at = number(0),
        (Action::Bottom, _) => *at = number(usize::MAX),
        (Action::TakeUpAgain, Some(number)) => return vec![Effect::TakeUpAgain(number)],
        (Action::Export, Some(number)) => return vec![Effect::ExportRefused(number)],
        (Action::Drop, Some(number)) => return vec![Effect::DiscardRefused(number)],
        _ => {}
    }
    vec![]
}

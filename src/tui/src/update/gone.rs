//! Keys in the dialog about a list that was deleted. Nothing is picked until a key picks it.

use super::lists;
use crate::keymap::Action;
use crate::model::Model;
use crate::msg::Effect;
use crate::overlay::{GonePick, Overlay};
use crate::switcher::Purpose;

pub(super) fn act(model: &mut Model, action: Action) -> Vec<Effect> {
    let Some(Overlay::Gone { picked }) = &mut model.overlay else { return vec![] };
    let place = picked.and_then(|picked| GonePick::ALL.iter().position(|one| *one == picked));
    let at = |place: usize| GonePick::ALL.get(place.min(GonePick::ALL.len() - 1)).copied();
    *picked = match action {
        Action::PickExport => Some(GonePick::Export),
        Action::PickLists => Some(GonePick::Lists),
        Action::PickLetGo => Some(GonePick::LetGo),
        Action::Down => at(place.map_or(0, |place| place + 1)),
        Action::Up => at(place.unwrap_or_default().saturating_sub(1)),
        Action::Confirm => return confirm(model),
        Action::Back => {
            model.overlay = None;
            return vec![];
        }
        _ => *picked,
    };
    vec![]
}

fn confirm(model: &mut Model) -> Vec<Effect> {
    match model.overlay {
        // The dialog stays: the next thing is to open another list.
        Some(Overlay::Gone { picked: Some(GonePick::Export) }) => {
            vec![Effect::ExportGone { unwritten: model.unwritten.clone() }]
        }
        Some(Overlay::Gone { picked: Some(GonePick::Lists) }) => lists::open_switcher(model, Purpose::Open),
        Some(Overlay::Gone { picked: Some(GonePick::LetGo) }) => {
            let mut effects = vec![Effect::LetGo];
            effects.extend(lists::open_switcher(model, Purpose::Open));
            effects
        }
        _ => vec![],
    }
}

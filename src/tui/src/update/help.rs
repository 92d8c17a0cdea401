//! Keys on the page of all keys.

use crate::keymap::Action;
use crate::model::Model;
use crate::msg::Effect;
use crate::overlay::Overlay;
use crate::view::help_lines;

pub(super) fn act(model: &mut Model, action: Action) -> Vec<Effect> {
    let height = model.height();
    let last = help_lines(model).saturating_sub(height);
    let Some(Overlay::Help { scrolled }) = &mut model.overlay else { return vec![] };
    let now = (*scrolled).min(last);
    *scrolled = match action {
        Action::Down => now + 1,
        Action::Up => now.saturating_sub(1),
        Action::PageDown => now + height,
        Action::PageUp => now.saturating_sub(height),
        Action::Top => 0,
        Action::Bottom => last,
        Action::Back => {
            model.overlay = None;
            return vec![];
        }
        _ => now,
    }
    .min(last);
    vec![]
}

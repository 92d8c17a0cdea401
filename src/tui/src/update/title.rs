//! The title of the open list, written in its place above the rows.

use betwixt_core::edit::Edit;
use betwixt_core::list::List;

use crate::keymap::Action;
use crate::model::{Model, Sending};
use crate::msg::Effect;
use crate::overlay::Overlay;
use crate::text_line::TextLine;

pub(super) fn open(model: &mut Model, list: &List) -> Vec<Effect> {
    if !model.refuses_edits() {
        model.overlay = Some(Overlay::Title(TextLine::new(list.title().unwrap_or_default())));
    }
    vec![]
}

pub(super) fn act(model: &mut Model, list: &List, action: Action) -> Vec<Effect> {
    let Some(Overlay::Title(line)) = &mut model.overlay else { return vec![] };
    match action {
        Action::Back => model.overlay = None,
        Action::Confirm => {
            let title = line.text().trim().to_owned();
            if TextLine::new(list.title().unwrap_or_default()).text() == title {
                model.overlay = None;
                return vec![];
            }
            // It stays until the edit is made, so that a failure loses nothing.
            return model.send(list, Edit::Title(title.into()), Sending::Title);
        }
        _ => {
            line.act(action);
        }
    }
    vec![]
}

//! Keys in the dialog about another list of the same name. Nothing is picked until a key picks it.

use betwixt_core::name::ListName;

use crate::keymap::Action;
use crate::model::Model;
use crate::msg::{Choice, Effect};
use crate::overlay::{Dialog, Overlay, Pick};
use crate::text_line::TextLine;

pub(super) fn act(model: &mut Model, action: Action) -> Vec<Effect> {
    let list = model.setup.list.to_string();
    let Some(Overlay::Dialog(dialog)) = &mut model.overlay else { return vec![] };
    if let Some((line, fault)) = &mut dialog.name {
        match action {
            Action::Back => dialog.name = None,
            Action::Confirm => match line.text().trim().parse::<ListName>() {
                Ok(name) if name.as_str() == list => *fault = Some("that is the name that is taken".to_owned()),
                Ok(name) => return choose(model, Choice::Keep(name)),
                Err(why) => *fault = Some(why.to_string()),
            },
            _ => {
                line.act(action);
            }
        }
        return vec![];
    }
    dialog.picked = match (action, dialog.picked) {
        (Action::PickMerge, _) | (Action::Down, None) | (Action::Up, None | Some(Pick::Merge | Pick::Keep)) => {
            Some(Pick::Merge)
        }
        (Action::PickKeep, _) | (Action::Down, Some(Pick::Merge)) | (Action::Up, Some(Pick::Export)) => {
            Some(Pick::Keep)
        }
        (Action::PickExport, _) | (Action::Down, Some(Pick::Keep | Pick::Export)) => Some(Pick::Export),
        (Action::Confirm, picked) => return confirm(model, picked),
        (Action::Back, _) => {
            model.overlay = None;
            return vec![];
        }
        (_, picked) => picked,
    };
    vec![]
}

fn confirm(model: &mut Model, picked: Option<Pick>) -> Vec<Effect> {
    match picked {
        None => vec![],
        Some(Pick::Merge) => choose(model, Choice::Merge),
        Some(Pick::Export) => choose(model, Choice::Export),
        Some(Pick::Keep) => {
            let name = TextLine::new(&format!("{}-mine", model.setup.list));
            model.overlay = Some(Overlay::Dialog(Dialog { picked, name: Some((name, None)) }));
            vec![]
        }
    }
}

fn choose(model: &mut Model, choice: Choice) -> Vec<Effect> {
    model.overlay = None;
    vec![Effect::Choose(choice)]
}

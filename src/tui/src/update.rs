//! What happens, and what follows from it.

mod dialog;
mod drawer;
mod editor;
mod gone;
mod help;
mod list;
mod lists;
mod outcome;
mod switcher;
mod title;

use betwixt_core::hlc::Millis;
use betwixt_core::limits::Limits;
use betwixt_core::list::List;
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::layout::Rect;

use crate::keymap::{Action, Context, Fed, combination};
use crate::model::Model;
use crate::msg::{Effect, Msg};
use crate::overlay::{Dialog, Overlay};
use crate::paste;
use crate::text_line::Written;
use crate::toast::Toast;
use crate::words::thousands;

/// Applies one message and returns what the shell must do, in order.
///
/// Total and pure: `list` is the list as it is now, `now` any clock that does not run backwards. A message that means
/// nothing now does nothing. The cost does not depend on the length of the list, but for edits of many items.
pub fn update(model: &mut Model, list: &List, msg: Msg, now: Millis) -> Vec<Effect> {
    model.expire(now);
    model.settle(list);
    let mut effects = match msg {
        Msg::Key(event) => press(model, list, event, now),
        Msg::Paste(text) => pasted(model, list, &text, now),
        Msg::Resize { cols, rows } => resize(model, list, cols, rows),
        Msg::Changed | Msg::Wake => vec![],
        Msg::Status(status) => lists::status(model, status),
        Msg::People(people, me) => {
            model.people.update(people, me);
            vec![]
        }
        Msg::Refused(refusals) => {
            model.refusals = refusals;
            vec![]
        }
        Msg::Edited(outcome) => outcome::edited(model, list, &outcome, now),
        Msg::EditFailed(why) => {
            // An editor stays open: what was written is not lost with the edit.
            model.sent = None;
            model.say(Toast::warning(&why, now));
            vec![]
        }
        Msg::Notice(text) => {
            model.say(Toast::calm(&text, now));
            vec![]
        }
        Msg::Renamed(name) => {
            model.say(Toast::calm(&format!("your list is called {name} now"), now));
            model.setup.list = name;
            vec![]
        }
        Msg::Known(names) => {
            model.directory.know(names);
            vec![]
        }
        Msg::Lists { asked, lists, more } => {
            model.directory.take_in(&asked, lists, more);
            vec![]
        }
        Msg::ListsFailed { asked, why } => {
            model.directory.fail(&asked, why);
            vec![]
        }
        Msg::ListDeleted(name) => lists::deleted(model, &name, now),
        Msg::ListNotDeleted { list: name, why } => lists::not_deleted(model, &name, &why, now),
        Msg::Titled { list: name, title } => {
            model.directory.retitle(&name, &title);
            vec![]
        }
        Msg::Moving(items) => {
            model.moving = items.into_iter().collect();
            vec![]
        }
        Msg::Resumed => vec![Effect::Redraw],
    };
    model.settle(list);
    model.follow_up(&mut effects);
    effects
}

fn resize(model: &mut Model, list: &List, cols: u16, rows: u16) -> Vec<Effect> {
    let is_same = (model.area.width, model.area.height) == (cols, rows);
    let top = model.top(list);
    model.area = Rect { x: 0, y: 0, width: cols, height: rows };
    model.reveal(list, top);
    // The size that we have already: another program has taken over the terminal and left it to us again.
    if is_same { vec![Effect::Redraw] } else { vec![] }
}

fn press(model: &mut Model, list: &List, event: KeyEvent, now: Millis) -> Vec<Effect> {
    if event.kind == KeyEventKind::Release {
        return vec![];
    }
    model.is_touched = true;
    let context = model.context();
    match model.chord.feed(&model.keymap, context, combination(event), now) {
        Fed::Action(action, count) => act(model, list, context, action, count, now),
        Fed::Waiting | Fed::Nowhere => vec![],
        Fed::Unbound if context != Context::List && event.modifiers.contains(KeyModifiers::ALT) => {
            alt(model, list, event, now)
        }
        Fed::Unbound => {
            if let (true, Some(text)) = (context.is_typing(), typed(event)) {
                return write(model, list, &text, now);
            }
            vec![]
        }
    }
}

/// A terminal multiplexer joins Esc and the key after it into one: here they come apart again.
fn alt(model: &mut Model, list: &List, event: KeyEvent, now: Millis) -> Vec<Effect> {
    let context = model.context();
    let esc = combination(KeyEvent::new(KeyCode::Esc, KeyModifiers::NONE));
    let Some(action) = model.keymap.action(context, &[esc]) else { return vec![] };
    let mut effects = act(model, list, context, action, None, now);
    let key = KeyEvent { modifiers: event.modifiers - KeyModifiers::ALT, ..event };
    match &mut model.sent {
        // Closing the editor has sent an edit; the key is about what comes out of it.
        Some(sent) if !effects.is_empty() => sent.then = Some(key),
        _ => {
            model.settle(list);
            effects.extend(press(model, list, key, now));
        }
    }
    effects
}

fn act(
    model: &mut Model,
    list: &List,
    context: Context,
    action: Action,
    count: Option<usize>,
    now: Millis,
) -> Vec<Effect> {
    match (context, action) {
        (_, Action::Redraw) => vec![Effect::Redraw],
        (_, Action::Suspend) => vec![Effect::Suspend],
        (_, Action::Quit) => vec![Effect::Quit],
        (Context::List | Context::Editor, Action::Help) => {
            model.overlay = Some(Overlay::Help { scrolled: 0 });
            vec![]
        }
        (Context::List, Action::Attention) => {
            if !model.ask_about_trouble() {
                model.overlay = Some(Overlay::Drawer { at: model.refusals.first().map(|one| one.number) });
            }
            vec![]
        }
        (Context::List, _) => list::act(model, list, action, count, now),
        (Context::Editor, _) => editor::act(model, list, action, now),
        (Context::Help, _) => help::act(model, action),
        (Context::Drawer, _) => drawer::act(model, action),
        (Context::Dialog, _) => dialog::act(model, action),
        (Context::Gone, _) => gone::act(model, action),
        (Context::Switcher, _) => switcher::act(model, list, action, now),
        (Context::Line, _) => match model.overlay {
            Some(Overlay::Switcher(_)) => switcher::act(model, list, action, now),
            Some(Overlay::Title(_)) => title::act(model, list, action),
            _ => dialog::act(model, action),
        },
    }
}

/// The text that a key types.
fn typed(event: KeyEvent) -> Option<String> {
    match event.code {
        KeyCode::Char(c) if (event.modifiers - KeyModifiers::SHIFT).is_empty() => {
            // Where a terminal reports Shift apart from the letter.
            let is_upper = event.modifiers.contains(KeyModifiers::SHIFT) && c.is_ascii_lowercase();
            Some(if is_upper { c.to_ascii_uppercase() } else { c }.to_string())
        }
        _ => None,
    }
}

fn write(model: &mut Model, list: &List, text: &str, now: Millis) -> Vec<Effect> {
    match (&mut model.overlay, &mut model.editor) {
        (Some(Overlay::Dialog(Dialog { name: Some((line, fault)), .. })), _) => {
            *fault = None;
            line.write(text);
        }
        (Some(Overlay::Title(line)), _) => {
            let written = line.write(text);
            tell_written(model, written, "a title", now);
        }
        (Some(Overlay::Switcher(_)), _) => return switcher::write(model, list, text, now),
        (None, Some(_)) => editor::write(model, text, now),
        _ => {}
    }
    vec![]
}

/// Says what came of writing into a line, if it is not what was typed; `what` is it that the line is the text of.
fn tell_written(model: &mut Model, written: Written, what: &str, now: Millis) {
    match written {
        Written::In => {}
        Written::Shown => model.say(Toast::calm("control characters are shown as pictures", now)),
        Written::TooLong(bytes) => {
            let most = thousands(usize::try_from(Limits::DEFAULT.text_bytes).unwrap_or(usize::MAX));
            let text = format!("not written: {what} holds {most} bytes, that would be {}", thousands(bytes));
            model.say(Toast::warning(&text, now));
        }
    }
}

fn pasted(model: &mut Model, list: &List, text: &str, now: Millis) -> Vec<Effect> {
    model.is_touched = true;
    model.chord.clear();
    match model.context() {
        Context::List => list::paste(model, list, text),
        Context::Editor if paste::is_many_lines(text) => editor::paste_lines(model, list, text, now),
        Context::Editor | Context::Line | Context::Switcher => write(model, list, text.trim_matches(['\n', '\r']), now),
        Context::Help | Context::Drawer | Context::Dialog | Context::Gone => vec![],
    }
}

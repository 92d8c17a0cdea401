//! What the model asks the shell to do.

use std::fs::{self, File};
use std::io::Write as _;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};

use betwixt_core::causes::Causes;
use betwixt_tui::{Choice, Effect, Msg};

use super::Screen;
use super::guard::Guard;
use crate::report::Report;
use crate::verb::tell_kept;

impl Screen {
    /// Carries out an effect; returns what the model must hear of it.
    pub(super) async fn carry_out(&mut self, effect: Effect, guard: &mut Guard) -> Result<Vec<Msg>, Report> {
        let heard = match effect {
            Effect::Open(list) => return Ok(self.open_list(&list).await),
            Effect::Edit(edit) => Some(match self.site.edit(&edit) {
                Ok(outcome) => Msg::Edited(outcome),
                Err(fault) => Msg::EditFailed(Causes(&fault).to_string()),
            }),
            Effect::Here { at, editing } => {
                self.site.here(at, editing);
                None
            }
            Effect::TakeUpAgain(number) => match self.site.take_up_again(number) {
                Ok(_) => None,
                Err(fault) => Some(Msg::Notice(Causes(&fault).to_string())),
            },
            Effect::DiscardRefused(number) => match self.site.discard(number) {
                Ok(_) => None,
                Err(fault) => Some(Msg::Notice(Causes(&fault).to_string())),
            },
            Effect::ExportRefused(number) => Some(Msg::Notice(self.export_refused(number))),
            Effect::Choose(choice) => Some(self.choose(&choice)),
            Effect::AskLists(asked) => {
                self.ask_lists(asked);
                None
            }
            Effect::Title { list, title } => {
                self.title(list, title);
                None
            }
            Effect::DeleteList { name, uid } => {
                self.delete_list(name, uid);
                None
            }
            Effect::MoveTo { items, list } => self.move_to(items, list),
            Effect::ExportGone { unwritten } => Some(Msg::Notice(match self.site.export(&unwritten) {
                Ok(path) => format!("the list is in {}", path.display()),
                Err(error) => Causes(&error).to_string(),
            })),
            Effect::LetGo => match self.site.let_go() {
                Ok(()) => None,
                Err(error) => Some(Msg::Notice(Causes(&error).to_string())),
            },
            Effect::Redraw => {
                guard.redraw()?;
                None
            }
            Effect::Suspend => {
                self.suspend(guard).await?;
                None
            }
            Effect::Quit => {
                self.running = false;
                None
            }
            Effect::WakeAt(at) => {
                self.wake_at = Some(at);
                None
            }
        };
        Ok(heard.into_iter().collect())
    }

    /// Carries out what the person decided; says how it went.
    fn choose(&mut self, choice: &Choice) -> Msg {
        let told = match choice {
            Choice::Merge => self.site.merge().map(|()| Msg::Notice("your items go below theirs".to_owned())),
            Choice::Keep(name) => self.site.keep_as(name).map(|()| {
                self.opening.name = name.clone();
                // Without a name the next start would open the list that has the old one.
                let _ = self.opening.folder.set_last_list(name);
                Msg::Renamed(name.clone())
            }),
            Choice::Export => {
                self.site.export_and_leave().map(|path| Msg::Notice(format!("your list is in {}", path.display())))
            }
        };
        told.unwrap_or_else(|error| Msg::Notice(Causes(&error).to_string()))
    }

    /// Writes a refused edit to a file of its own; one line says how it went.
    fn export_refused(&self, number: u64) -> String {
        let kept = self.site.kept();
        let Some((_, kept)) = kept.iter().find(|(known, _)| *known == number) else {
            return "it is not there any more".to_owned();
        };
        let (what, why) = tell_kept(kept);
        let folder = self.opening.folder.path().join("exports");
        let path = folder.join(format!("{}-refused-{number}.txt", self.opening.name));
        let write = || {
            fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
            let mut file = File::options().write(true).create(true).truncate(true).mode(0o600).open(&path)?;
            writeln!(file, "{what}\n\nrefused: {why}")?;
            file.sync_all()
        };
        match write() {
            Ok(()) => format!("written to {}", path.display()),
            Err(error) => format!("cannot write {}: {error}", path.display()),
        }
    }
}

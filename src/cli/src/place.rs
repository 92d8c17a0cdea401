//! Where this run keeps its lists, which relay it uses, and what its person is called.

use std::path::PathBuf;

use betwixt_client::{Address, Folder};
use betwixt_core::limits::NAME_GRAPHEMES_MAX;
use betwixt_core::op::body::Kinds;
use betwixt_core::op::kind;
use betwixt_core::safe_text::SafeText;
use etcetera::BaseStrategy as _;

use crate::args::Place;
use crate::report::Report;

impl Place {
    /// The data folder's path.
    pub(crate) fn data_path(&self) -> Result<PathBuf, Report> {
        match &self.data {
            Some(path) => Ok(std::path::absolute(path)?),
            None => Ok(etcetera::choose_base_strategy()?.data_dir().join("betwixt")),
        }
    }

    /// The data folder, made if it is not there.
    pub(crate) fn folder(&self) -> Result<Folder, Report> {
        // What to do is the same whatever is in the way.
        Folder::open(self.data_path()?).map_err(|error| Report::from(error).hint("choose another one with --data"))
    }

    /// The relay: the one that was named, or the folder's own.
    pub(crate) fn address(&self, folder: &Folder) -> Result<Address, Report> {
        match &self.relay {
            Some(relay) => Ok(relay.clone()),
            None => Ok(Address::Local(betwixt_relay::local::socket_path(folder.path())?)),
        }
    }

    /// What others call this person: 1 to 32 graphemes that are safe to show.
    pub(crate) fn person(&self) -> Result<String, Report> {
        let name = match &self.name {
            Some(name) => name.clone(),
            None => user_at_host(),
        };
        let safe = SafeText::line(name.trim());
        let graphemes = safe.graphemes().count();
        if (1..=NAME_GRAPHEMES_MAX).contains(&graphemes) {
            return Ok(safe.as_str().to_owned());
        }
        Err(Report::new(format!("a name has 1 to {NAME_GRAPHEMES_MAX} characters, not {graphemes}")))
    }
}

/// The kinds of ops that this run can carry out. `BETWIXT_TEST_KIND` makes it one more, as a later version would be.
pub(crate) fn kinds() -> Kinds {
    if std::env::var_os("BETWIXT_TEST_KIND").is_some() { Kinds::KNOWN.and(kind::PROBE) } else { Kinds::KNOWN }
}

fn user_at_host() -> String {
    let user =
        std::env::var("USER").or_else(|_unset| std::env::var("LOGNAME")).unwrap_or_else(|_unset| "me".to_owned());
    let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let name = format!("{user}@{host}");
    SafeText::line(&name).graphemes().take(NAME_GRAPHEMES_MAX).map(|(grapheme, _)| grapheme).collect()
}

//! The configuration file: `betwixt/config.toml` in the XDG configuration folder. What the command line or the environment
//! says goes before it; without a file everything is as it is.

use std::io;
use std::path::PathBuf;

use betwixt_client::Address;
use etcetera::BaseStrategy as _;
use serde::Deserialize;

use crate::args::Place;
use crate::report::Report;

/// What a configuration file may say.
#[derive(Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Config {
    /// What others call you.
    name: Option<String>,
    /// The relay to use instead of the data folder's own.
    relay: Option<String>,
    /// The data folder.
    data: Option<PathBuf>,
    /// The colours.
    pub(crate) theme: Theme,
    /// The keys.
    pub(crate) keys: Keys,
}

/// Which colours the screen has.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Theme {
    /// As the terminal says that it is light or dark.
    #[default]
    Auto,
    /// For a dark terminal.
    Dark,
    /// For a light one.
    Light,
    /// None.
    Mono,
}

/// Which keys the screen has.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Keys {
    /// Those that people who use vim expect.
    #[default]
    Vim,
    /// Arrows, function keys and Ctrl.
    Plain,
}

impl Config {
    /// Reads the file, if there is one.
    pub(crate) fn read() -> Result<Self, Report> {
        let path = etcetera::choose_base_strategy()?.config_dir().join("betwixt").join("config.toml");
        match std::fs::read_to_string(&path) {
            Ok(text) => Self::parse(&text).map_err(|why| Report::new(format!("{}: {why}", path.display()))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(Report::new(format!("cannot read {}: {error}", path.display()))),
        }
    }

    /// Fills in what the command line left open.
    pub(crate) fn complete(&self, mut place: Place) -> Result<Place, Report> {
        if place.relay.is_none() {
            place.relay = self.relay.as_deref().map(str::parse::<Address>).transpose()?;
        }
        place.name = place.name.or_else(|| self.name.clone());
        place.data = place.data.or_else(|| self.data.clone());
        Ok(place)
    }

    fn parse(text: &str) -> Result<Self, String> {
        toml::from_str(text).map_err(|error| {
            let line = error.span().map(|span| 1 + text.get(..span.start).unwrap_or_default().matches('\n').count());
            let what = error.message().lines().next().unwrap_or_default().to_owned();
            line.map_or_else(|| what.clone(), |line| format!("line {line}: {what}"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_says_what_it_says_and_nothing_else() {
        let config = Config::parse("name = \"ana\"\ntheme = \"light\"\nkeys = \"plain\"\n").unwrap();
        assert_eq!((config.name.as_deref(), config.theme, config.keys), (Some("ana"), Theme::Light, Keys::Plain));
        assert_eq!(Config::parse(""), Ok(Config::default()));
        let error = Config::parse("name = \"ana\"\nnmae = \"x\"\n").unwrap_err();
        assert!(error.starts_with("line 2: unknown field `nmae`"), "{error}");
        assert!(Config::parse("keys = \"emacs\"").unwrap_err().starts_with("line 1: "));
    }
}

//! What can be said on the command line.

mod files;
mod growth;
mod lists;

use std::path::PathBuf;

use betwixt_client::Address;
use betwixt_core::name::ListName;
use betwixt_core::register::Date;
use clap::error::ErrorKind;
use clap::{ArgGroup, Args as ClapArgs, CommandFactory as _, Parser, Subcommand};

pub(crate) use self::files::{Export, Import};
pub(crate) use self::growth::Growth;
pub(crate) use self::lists::{Copy, Delete, Lists, Log, Title, Watch};

/// A to-do list that a team edits together in its terminals.
///
/// `betwixt LIST` opens a list on the screen; without a name it is the one that was opened last, at first `inbox`. Run the
/// same command in a second terminal and edit the same list, live.
#[derive(Debug, Parser)]
#[command(version)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) place: Place,
    /// The list to open
    pub(crate) list: Option<ListName>,
    #[command(subcommand)]
    pub(crate) verb: Option<Verb>,
}

/// Where lists are kept, and as whom; before or after the verb.
#[derive(Debug, Clone, ClapArgs)]
pub(crate) struct Place {
    /// Relay to use instead of the data folder's own: ws://HOST:PORT
    #[arg(long, global = true, env = "BETWIXT_RELAY", value_name = "URL")]
    pub(crate) relay: Option<Address>,
    /// Data folder; by default betwixt in the XDG data folder
    #[arg(long, global = true, env = "BETWIXT_DATA", value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// What others call you; by default user@host
    #[arg(long, global = true, env = "BETWIXT_NAME", value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// Print JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Seconds that a verb waits for the relay
    #[arg(long, global = true, value_name = "SECONDS", default_value = "2", value_parser = seconds)]
    pub(crate) wait: std::time::Duration,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    #[command(flatten)]
    OnList(ListVerb),
    /// Name the lists of the relay
    Lists(Lists),
    /// Tell who did what to a list, and when; the newest last
    Log(Log),
    /// Tell what is done to a list from now on, as it happens
    Watch(Watch),
    /// Delete a list, for everybody
    Delete(Delete),
    /// Bring title and items of a list to another relay, as a new list
    Copy(Copy),
    /// Show the arithmetic of keys
    Keys(Keys),
    /// Run the data folder's relay in the foreground, for other machines too where --listen is given
    Relay(Relay),
}

/// What is done to one list.
#[derive(Debug, Subcommand)]
pub(crate) enum ListVerb {
    /// Add an item at the end of a list; with - an item a line from standard input
    Add(Add),
    /// Print a list
    Ls {
        /// The list
        list: ListName,
    },
    /// Tick an item
    Done {
        /// The list
        list: ListName,
        /// The item, by the id that `ls` prints
        item: String,
        /// Take the tick away
        #[arg(long)]
        not: bool,
    },
    /// Put an item into the trash
    Rm {
        /// The list
        list: ListName,
        /// The item, by the id that `ls` prints
        item: String,
    },
    /// Write an item's text
    Edit {
        /// The list
        list: ListName,
        /// The item, by the id that `ls` prints
        item: String,
        /// The new text
        #[arg(required = true)]
        text: Vec<String>,
    },
    /// Move an item
    Mv(Mv),
    /// Write a list's title
    Title(Title),
    /// Take back what was done last to a list from here: an import, say
    Undo {
        /// The list
        list: ListName,
    },
    /// Bring the items of a file to the end of a list
    Import(Import),
    /// Print a list as a file
    Export(Export),
    /// Tell how a list stands with its relay
    Status {
        /// The list
        list: ListName,
    },
}

impl ListVerb {
    /// Which list.
    pub(crate) fn list(&self) -> &ListName {
        match self {
            Self::Add(Add { list, .. })
            | Self::Mv(Mv { list, .. })
            | Self::Title(Title { list, .. })
            | Self::Import(Import { list, .. })
            | Self::Export(Export { list, .. })
            | Self::Ls { list }
            | Self::Done { list, .. }
            | Self::Rm { list, .. }
            | Self::Edit { list, .. }
            | Self::Undo { list }
            | Self::Status { list } => list,
        }
    }
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Add {
    /// The list
    pub(crate) list: ListName,
    /// The text, or - for an item a line from standard input
    #[arg(required = true)]
    pub(crate) text: Vec<String>,
    /// A tag; may be given several times
    #[arg(long, value_name = "TAG")]
    pub(crate) tag: Vec<String>,
    /// Level in the outline, from 0
    #[arg(long, value_name = "LEVEL", value_parser = clap::value_parser!(u8).range(0..=8))]
    pub(crate) depth: Option<u8>,
    /// More text
    #[arg(long)]
    pub(crate) note: Option<String>,
    /// The day it is due: YYYY-MM-DD
    #[arg(long, value_parser = date)]
    pub(crate) due: Option<Date>,
    /// 1 (highest) to 9
    #[arg(long, value_parser = clap::value_parser!(u8).range(1..=9))]
    pub(crate) priority: Option<u8>,
    /// Who does it
    #[arg(long, value_name = "WHO")]
    pub(crate) assignee: Option<String>,
}

#[derive(Debug, ClapArgs)]
#[command(group(ArgGroup::new("spot").required(true)))]
pub(crate) struct Mv {
    /// The list
    pub(crate) list: ListName,
    /// The item, by the id that `ls` prints
    pub(crate) item: String,
    /// To the top
    #[arg(long, group = "spot")]
    pub(crate) top: bool,
    /// To the bottom
    #[arg(long, group = "spot")]
    pub(crate) bottom: bool,
    /// Right before this item
    #[arg(long, group = "spot", value_name = "ITEM")]
    pub(crate) before: Option<String>,
    /// Right behind this item
    #[arg(long, group = "spot", value_name = "ITEM")]
    pub(crate) after: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Keys {
    #[command(subcommand)]
    pub(crate) what: KeysVerb,
}

#[derive(Debug, Subcommand)]
pub(crate) enum KeysVerb {
    /// A key between two, as a site makes it; '' is an open end
    Between {
        /// The lower key
        low: String,
        /// The upper key
        high: String,
        /// The number of the site that makes it
        #[arg(long, value_name = "NUMBER", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..65_536))]
        site: u32,
    },
    /// The key halfway between two, as in the textbook; '' is an open end
    Midpoint {
        /// The lower key
        low: String,
        /// The upper key
        high: String,
    },
    /// As many keys, evenly spaced and as short as they can be
    Spaced {
        /// How many
        #[arg(value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
        count: u32,
    },
    /// How long keys become when people insert in one way
    Growth(Growth),
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Relay {
    /// Listen for other machines too, at HOST:PORT; may be given several times
    #[arg(long, value_name = "ADDR")]
    pub(crate) listen: Vec<String>,
    /// Set a limit, for instance `items=1000`; may be given several times
    #[arg(long = "limit", value_name = "NAME=VALUE")]
    pub(crate) limits: Vec<String>,
    /// Threads that own lists; by default as many as there are cores
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(crate) workers: Option<u16>,
    /// Serve other machines without encryption
    #[arg(long)]
    pub(crate) insecure: bool,
}

/// Ends the program as clap does when it cannot make sense of the command line.
pub(crate) fn usage(what: &str) -> ! {
    Args::command().error(ErrorKind::ArgumentConflict, what).exit()
}

fn seconds(text: &str) -> Result<std::time::Duration, String> {
    let seconds = text.parse::<f64>().map_err(|error| error.to_string())?;
    std::time::Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())
}

fn date(text: &str) -> Result<Date, String> {
    Date::parse(text).ok_or_else(|| "a day is written YYYY-MM-DD".to_owned())
}

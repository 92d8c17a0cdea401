//! What can be said of lists as a whole.

use std::num::NonZeroUsize;

use betwixt_client::Address;
use betwixt_core::name::ListName;
use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct Lists {
    /// What their names begin with
    pub(crate) prefix: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Title {
    /// The list
    pub(crate) list: ListName,
    /// The title; '' takes it away
    #[arg(required = true)]
    pub(crate) text: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Log {
    /// The list
    pub(crate) list: ListName,
    /// The last so many only
    #[arg(long, value_name = "NUMBER")]
    pub(crate) limit: Option<NonZeroUsize>,
}

#[derive(Debug, Args)]
pub(crate) struct Watch {
    /// The list
    pub(crate) list: ListName,
}

#[derive(Debug, Args)]
pub(crate) struct Delete {
    /// The list
    pub(crate) list: ListName,
    /// Delete it, for everybody
    #[arg(long)]
    pub(crate) yes: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Copy {
    /// The list
    pub(crate) list: ListName,
    /// The relay that it goes to: ws://HOST:PORT
    #[arg(long, value_name = "RELAY")]
    pub(crate) to: Address,
    /// What it is to be called there; by default as it is here
    #[arg(long = "as", value_name = "NAME")]
    pub(crate) called: Option<ListName>,
}

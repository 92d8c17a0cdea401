//! What can be said of lists as a whole.

use betwixt_core::name::ListName;
use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct Title {
    /// The list
    pub(crate) list: ListName,
    /// The title; '' takes it away
    #[arg(required = true)]
    pub(crate) text: Vec<String>,
}

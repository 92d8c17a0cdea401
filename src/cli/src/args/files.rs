//! What can be said of files that hold lists.

use std::path::PathBuf;

use betwixt_core::formats::Format;
use betwixt_core::name::ListName;
use clap::{Args, ValueEnum};

/// A format, as it is called on the command line.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum FormatName {
    /// Check boxes: - [ ] text
    Markdown,
    /// A line an item: (A) text @context due:2026-11-30
    #[value(name = "todo.txt")]
    TodoTxt,
    /// Everything, the list's title too
    Json,
}

impl From<FormatName> for Format {
    fn from(name: FormatName) -> Self {
        match name {
            FormatName::Markdown => Self::Markdown,
            FormatName::TodoTxt => Self::TodoTxt,
            FormatName::Json => Self::Json,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct Import {
    /// The list
    pub(crate) list: ListName,
    /// The file, or - for standard input
    pub(crate) file: PathBuf,
    /// The file's format; by default what its name says, else Markdown
    #[arg(long, value_enum)]
    pub(crate) format: Option<FormatName>,
    /// Say what would come in, and change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Export {
    /// The list
    pub(crate) list: ListName,
    /// The format; by default Markdown, and JSON with --json
    #[arg(long, value_enum)]
    pub(crate) format: Option<FormatName>,
}

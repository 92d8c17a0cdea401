//! A list as a file, on standard output.

use std::io::{self, IsTerminal as _};

use betwixt_client::Site;
use betwixt_core::formats::{Draft, Format, export};
use betwixt_core::safe_text::SafeText;

use crate::args::Export;
use crate::print;
use crate::report::Report;

/// Prints the live items of a list, in order.
pub(super) fn run(site: &Site, export: &Export, as_json: bool) -> Result<(), Report> {
    let default = if as_json { Format::Json } else { Format::Markdown };
    let format = export.format.map_or(default, Format::from);
    let (title, items) = site.read(|list| {
        let items: Vec<Draft> = list.live().map(|(_, item)| Draft::from(item)).collect();
        (list.title().unwrap_or_default().to_owned(), items)
    });
    file(&self::export(format, &title, &items))
}

/// Prints a file: as it is into a pipe or a file, safe to show on a terminal.
pub(super) fn file(text: &str) -> Result<(), Report> {
    let is_shown = io::stdout().is_terminal();
    print::lines(text.lines().map(|line| if is_shown { SafeText::line(line).to_string() } else { line.to_owned() }))
}

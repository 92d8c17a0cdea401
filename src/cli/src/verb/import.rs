//! The items of a file, brought into a list as one step of undo.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::time::Duration;

use betwixt_client::Site;
use betwixt_core::causes::Causes;
use betwixt_core::edit::{Edit, Spot};
use betwixt_core::formats::{Draft, Format, Imported, export, import};
use betwixt_core::safe_text::SafeText;
use serde_json::json;

use super::export::file;
use super::link::stuck;
use super::sending::Sending;
use crate::args::{Import, Place};
use crate::print;
use crate::report::Report;

/// Bytes of a file that is read: more than a full list has.
const FILE_BYTES_MAX: u64 = 256 * 1024 * 1024;
/// Lines that are named one by one; a file in another format may have thousands.
const NAMED_MAX: usize = 20;

/// Reads the file of an import, and names what cannot come in.
pub(super) fn read(verb: &Import) -> Result<Imported, Report> {
    let bytes = bytes_of(&verb.file)?;
    let format = verb.format.map_or_else(|| Format::of_file(&verb.file.to_string_lossy()), Format::from);
    let imported = import(format, &bytes);
    for fault in imported.faults.iter().take(NAMED_MAX) {
        tell(&Causes(fault).to_string());
    }
    if let Some(more @ 1..) = imported.faults.len().checked_sub(NAMED_MAX) {
        tell(&format!("and {more} more lines that cannot come in"));
    }
    if imported.cleaned > 0 {
        tell(&format!("{} items have control characters, made visible", imported.cleaned));
    }
    if imported.items.is_empty() {
        return Err(Report::new(format!("nothing in {} comes in", name(&verb.file))));
    }
    Ok(imported)
}

/// Prints what would come in, as a file.
pub(super) fn rehearse(imported: &Imported, as_json: bool) -> Result<(), Report> {
    let format = if as_json { Format::Json } else { Format::Markdown };
    file(&export(format, &imported.title, &imported.items))?;
    tell(&format!("{} items would come in", imported.items.len()));
    Ok(())
}

/// Adds the items at the end of the list, and waits for as long as they go out.
pub(super) async fn run(place: &Place, site: &Site, imported: Imported, left: Duration) -> Result<(), Report> {
    if let Some(why) = stuck(site) {
        return Err(Report::new(why));
    }
    let kept = site.kept().len();
    // A title that somebody has written stands.
    let title = Some(imported.title)
        .filter(|title| !title.is_empty() && site.read(|list| list.title().unwrap_or_default().is_empty()));
    if let Some(title) = &title {
        site.edit(&Edit::Title(title.clone()))?;
        print::note(&format!("the title of the list is \"{title}\" from now on"));
    }
    let items = imported.items.into_iter().map(Draft::registers).collect();
    let outcome = site.edit(&Edit::Add { spot: Spot::Bottom, items })?;
    let sending = Sending { total: outcome.items.len(), kept };
    let sent = sending.wait(site, place.wait, left).await?;
    if place.json {
        let ids: Vec<String> = outcome.items.iter().map(ToString::to_string).collect();
        let faults: Vec<_> = imported
            .faults
            .iter()
            .map(|fault| json!({ "line": fault.line, "what": Causes(&fault.what).to_string() }))
            .collect();
        return print::json(&json!({
            "items": ids, "title": title, "sent": sent, "faults": faults, "cleaned": imported.cleaned,
        }));
    }
    let how = if sent { "sent" } else { "kept here, not yet sent" };
    print::lines(std::iter::once(format!("{} items {how}", outcome.items.len())))
}

fn bytes_of(path: &Path) -> Result<Vec<u8>, Report> {
    let cannot = |error: io::Error| Report::new(format!("cannot read {}: {error}", name(path)));
    let mut bytes = Vec::new();
    let source: Box<dyn Read> = if is_standard_input(path) {
        Box::new(io::stdin().lock())
    } else {
        Box::new(File::open(path).map_err(cannot)?)
    };
    let read = source.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes).map_err(cannot)?;
    if u64::try_from(read).is_ok_and(|read| read > FILE_BYTES_MAX) {
        return Err(Report::new(format!("{} has more than {FILE_BYTES_MAX} bytes", name(path))));
    }
    Ok(bytes)
}

fn is_standard_input(path: &Path) -> bool {
    path.as_os_str() == "-"
}

fn name(path: &Path) -> String {
    if is_standard_input(path) { "standard input".to_owned() } else { path.display().to_string() }
}

/// Says something beside the result.
#[expect(clippy::print_stderr, reason = "standard output is for what the verb is asked for")]
fn tell(what: &str) {
    eprintln!("{}", SafeText::line(what));
}

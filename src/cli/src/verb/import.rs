//! The items of a file, brought into a list as one step of undo.

use std::fs::File;
use std::io::{self, IsTerminal as _, Read, Write as _};
use std::path::Path;
use std::time::{Duration, Instant};

use betwixt_client::Site;
use betwixt_client::replica::Kept;
use betwixt_core::causes::Causes;
use betwixt_core::edit::{Edit, Spot};
use betwixt_core::formats::{Draft, Format, Imported, export, import};
use betwixt_core::safe_text::SafeText;
use serde_json::json;

use super::export::file;
use super::link::stuck;
use crate::args::{Import, Place};
use crate::print;
use crate::report::Report;

/// Bytes of a file that is read: more than a full list has.
const FILE_BYTES_MAX: u64 = 256 * 1024 * 1024;
/// Lines that are named one by one; a file in another format may have thousands.
const NAMED_MAX: usize = 20;
/// How often progress is told.
const TOLD_EVERY: Duration = Duration::from_millis(100);

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
    let items = imported.items.into_iter().map(Draft::registers).collect();
    let outcome = site.edit(&Edit::Add { spot: Spot::Bottom, items })?;
    let progress = Progress { total: outcome.items.len(), is_shown: io::stderr().is_terminal() };

    let (mut unsent, mut until) = (site.status().unsent, Instant::now() + left);
    loop {
        let now = Instant::now();
        let pause = until.saturating_duration_since(now).min(TOLD_EVERY);
        site.wait_until(pause, |status| status.unsent == 0 || status.kept > kept || stuck(site).is_some()).await;
        let status = site.status();
        if status.unsent == 0 || status.kept > kept || stuck(site).is_some() || now >= until {
            break;
        }
        // The wait is for a relay that does not answer; one that takes its time with a long list does.
        if status.unsent < unsent {
            (unsent, until) = (status.unsent, Instant::now() + place.wait);
            progress.tell(unsent);
        }
    }
    progress.end();
    if let Some((_, Kept::Refused { code, .. })) = site.kept().last().filter(|_| site.kept().len() > kept) {
        return Err(Report::new(format!("the relay refused it: {code}")));
    }

    let sent = site.status().unsent == 0;
    if place.json {
        let ids: Vec<String> = outcome.items.iter().map(ToString::to_string).collect();
        let faults: Vec<_> = imported
            .faults
            .iter()
            .map(|fault| json!({ "line": fault.line, "what": Causes(&fault.what).to_string() }))
            .collect();
        return print::json(&json!({ "items": ids, "sent": sent, "faults": faults, "cleaned": imported.cleaned }));
    }
    let how = if sent { "sent" } else { "kept here, not yet sent" };
    print::lines(std::iter::once(format!("{} items {how}", outcome.items.len())))
}

/// How much of an import has gone out, on one line of a terminal.
struct Progress {
    total: usize,
    is_shown: bool,
}

impl Progress {
    fn tell(&self, unsent: usize) {
        if self.is_shown {
            let sent = self.total.saturating_sub(unsent);
            // Progress that cannot be told is no reason to stop.
            let _ = write!(io::stderr(), "\r{sent} of {} sent\x1b[K", self.total);
        }
    }

    fn end(&self) {
        if self.is_shown {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
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

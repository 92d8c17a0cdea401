//! What goes to standard output: text that is safe for a terminal, and JSON that is plain ASCII where it matters.

use std::fmt::Write as _;
use std::io::{self, Write as _};

use betwixt_core::safe_text::SafeText;
use serde_json::Value;

use crate::report::Report;

/// Prints lines. A reader that has gone away ends the printing, and is no error.
pub(crate) fn lines(lines: impl Iterator<Item = String>) -> Result<(), Report> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    for line in lines {
        if let Err(error) = writeln!(out, "{line}") {
            return gone_or(error);
        }
    }
    out.flush()
        .or_else(|error| gone_or(error).map_err(|report| io::Error::other(report.to_string())))
        .map_err(Report::from)
}

/// Prints one JSON value in a line. Controls and bidirectional marks are escaped: it may be shown on a terminal.
pub(crate) fn json(value: &Value) -> Result<(), Report> {
    let mut text = String::new();
    for c in value.to_string().chars() {
        let bidi =
            matches!(c, '\u{200e}' | '\u{200f}' | '\u{061c}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        let control = matches!(c, '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}');
        if bidi || control {
            // Writing to a string cannot fail.
            let _ = write!(text, "\\u{:04x}", u32::from(c));
        } else {
            text.push(c);
        }
    }
    lines(std::iter::once(text))
}

/// Says on standard error what is worth knowing and no error.
pub(crate) fn note(text: &str) {
    // Whoever closed it does not want to know.
    let _ = writeln!(io::stderr(), "note: {}", SafeText::line(text));
}

fn gone_or(error: io::Error) -> Result<(), Report> {
    if error.kind() == io::ErrorKind::BrokenPipe { Ok(()) } else { Err(error.into()) }
}

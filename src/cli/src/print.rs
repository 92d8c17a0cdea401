//! What goes to standard output: text that is safe for a terminal, and JSON that is plain ASCII where it matters.

use std::fmt::Write as _;
use std::io::{self, Write as _};

use betwixt_core::safe_text::SafeText;
use serde_json::Value;

use crate::report::Report;

/// Prints lines. A reader that has gone away ends the printing, and is no error.
pub(crate) fn lines(lines: impl Iterator<Item = String>) -> Result<(), Report> {
    let mut out = Out::new();
    for line in lines {
        if !out.line(&line)? {
            return Ok(());
        }
    }
    out.flush().map(|_is_read| ())
}

/// Standard output, line by line.
pub(crate) struct Out(io::BufWriter<io::StdoutLock<'static>>);

impl Out {
    pub(crate) fn new() -> Self {
        Self(io::BufWriter::new(io::stdout().lock()))
    }

    /// Prints a line, soon. Says whether anybody reads: if not, that ends the printing, and is no error.
    pub(crate) fn line(&mut self, line: &str) -> Result<bool, Report> {
        wanted(writeln!(self.0, "{line}"))
    }

    /// Prints what waits to be printed. Says whether anybody reads.
    pub(crate) fn flush(&mut self) -> Result<bool, Report> {
        wanted(self.0.flush())
    }
}

fn wanted(written: io::Result<()>) -> Result<bool, Report> {
    match written {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Prints one JSON value in a line.
pub(crate) fn json(value: &Value) -> Result<(), Report> {
    lines(std::iter::once(json_line(value)))
}

/// A JSON value in a line. Controls and bidirectional marks are escaped: it may be shown on a terminal.
pub(crate) fn json_line(value: &Value) -> String {
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
    text
}

/// Says on standard error what is worth knowing and no error.
pub(crate) fn note(text: &str) {
    // Whoever closed it does not want to know.
    let _ = writeln!(io::stderr(), "note: {}", SafeText::line(text));
}

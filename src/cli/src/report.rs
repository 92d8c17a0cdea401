//! The one report of an error: `error: a: b: c`, and an exit code.

use std::error::Error;
use std::fmt;
use std::process::ExitCode;

use betwixt_core::causes::Causes;
use betwixt_core::safe_text::SafeText;

/// What is said when a command fails.
#[derive(Debug)]
pub(crate) struct Report(String);

impl Report {
    /// A report in one's own words.
    pub(crate) fn new(what: impl fmt::Display) -> Self {
        Self(what.to_string())
    }

    /// Prints it; the exit code is 1.
    pub(crate) fn print(&self) -> ExitCode {
        // File names and what relays say are other people's text.
        #[expect(clippy::print_stderr, reason = "the one place where errors are printed")]
        {
            eprintln!("error: {}", SafeText::line(&self.0));
        }
        ExitCode::FAILURE
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<E: Error> From<E> for Report {
    fn from(error: E) -> Self {
        Self(Causes(&error).to_string())
    }
}

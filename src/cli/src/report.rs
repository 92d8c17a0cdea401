//! The one report of an error: `error: a: b: c`, and an exit code.

use std::error::Error;
use std::fmt;
use std::io::{self, Write as _};
use std::process::ExitCode;

use betwixt_core::causes::Causes;
use betwixt_core::safe_text::SafeText;
use clap::error::ErrorKind;

/// What a program ends with whose command line means nothing.
const USAGE: u8 = 2;

/// What is said when a command fails.
#[derive(Debug)]
pub(crate) struct Report(String);

impl Report {
    /// A report in one's own words.
    pub(crate) fn new(what: impl fmt::Display) -> Self {
        Self(what.to_string())
    }

    /// The same, with what to do about it.
    pub(crate) fn hint(self, what: &str) -> Self {
        Self(format!("{}: {what}", self.0))
    }

    /// Prints what clap says to a command line that means nothing, or that asks for help.
    ///
    /// It quotes the arguments, which may be anybody's text.
    pub(crate) fn print_usage(error: &clap::Error) -> ExitCode {
        let text = error.render().to_string();
        if error.kind() == ErrorKind::ValueValidation {
            // One line says it all; how the command is used is not what is wrong.
            let line = text.split("\n\n").next().unwrap_or(&text).trim().replace('\n', " ");
            Self::print_line(&line);
        } else if error.use_stderr() {
            text.lines().for_each(Self::print_line);
        } else {
            // Help and version are our own text; a closed output is nothing to speak of.
            let _ = error.print();
        }
        if error.use_stderr() { ExitCode::from(USAGE) } else { ExitCode::SUCCESS }
    }

    fn print_line(line: &str) {
        let _ = writeln!(io::stderr(), "{}", SafeText::line(line));
    }

    /// Prints it; the exit code is 1.
    pub(crate) fn print(&self) -> ExitCode {
        // File names and what relays say are other people's text.
        Self::print_line(&format!("error: {}", self.0));
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

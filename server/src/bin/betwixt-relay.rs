//! The relay alone, for machines without a terminal.

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use betwixt_core::causes::Causes;
use betwixt_core::op::body::Kinds;
use betwixt_core::safe_text::SafeText;
use betwixt_relay::serve::{Arguments, RelayError, serve, told_to_end};
use clap::Parser;

/// Where lists are kept unless told otherwise.
const DATA: &str = "betwixt-relay";

/// Orders, stores and passes on what terminals say to Betwixt lists.
#[derive(Debug, Parser)]
#[command(name = "betwixt-relay", version)]
struct Command {
    #[command(flatten)]
    arguments: Arguments,
}

#[tokio::main]
#[expect(clippy::print_stderr, reason = "the one report of this program")]
async fn main() -> ExitCode {
    let Command { arguments } = Command::parse();
    match run(arguments).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // It quotes arguments and paths.
            eprintln!("error: {}", SafeText::line(&Causes(&error).to_string()));
            ExitCode::FAILURE
        }
    }
}

async fn run(arguments: Arguments) -> Result<(), RelayError> {
    let told_to_end = told_to_end().map_err(RelayError::Signals)?;
    let data = arguments.data.clone().unwrap_or_else(|| PathBuf::from(DATA));
    serve(arguments, Kinds::KNOWN, data, told_to_end, &mut io::stdout(), &mut io::stderr()).await
}

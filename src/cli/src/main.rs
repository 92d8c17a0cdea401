//! `betwixt`: a to-do list that a team edits together in its terminals.
//!
//! Without a verb it opens a list on the screen; each verb does one thing without the screen. This crate puts the pieces
//! together: what a list is, is in `betwixt-core`; what a site does, in `betwixt-client`; what is drawn, in
//! `betwixt-tui`; what a relay does, in `betwixt-relay`.

mod args;
mod clock;
mod config;
mod keeper;
mod keys;
mod place;
mod print;
mod relay;
mod report;
mod screen;
mod verb;

use std::process::ExitCode;

use clap::Parser;

use self::args::{Args, Verb};
use self::config::Config;
use self::report::Report;

fn main() -> ExitCode {
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => return Report::print_usage(&error),
    };
    match run(args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(report) => report.print(),
    }
}

fn run(args: Args) -> Result<(), Report> {
    let Args { place, list, verb } = args;
    let config = Config::read()?;
    let place = config.complete(place)?;
    match verb {
        None => screen::open(&place, &config, list.as_ref()),
        Some(_) if list.is_some() => args::usage("a verb comes before its list"),
        Some(Verb::Keys(keys)) => keys::run(&keys, place.json),
        Some(Verb::Relay(relay)) => relay::run(&place, &relay),
        Some(Verb::OnList(verb)) => verb::run(&place, &verb),
        Some(Verb::Lists(lists)) => verb::lists::run(&place, &lists),
        Some(Verb::Log(log)) => verb::log::run(&place, &log),
        Some(Verb::Watch(watch)) => verb::watch::run(&place, &watch),
        Some(Verb::Delete(delete)) => verb::delete::run(&place, &delete),
        Some(Verb::Copy(copy)) => verb::copy::run(&place, &copy),
    }
}

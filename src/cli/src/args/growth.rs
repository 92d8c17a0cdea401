//! `betwixt keys growth`: its patterns and generators by name.

use std::path::PathBuf;

use betwixt_core::growth::{Generator, Pattern};
use clap::{Args as ClapArgs, ValueEnum};

#[derive(Debug, ClapArgs)]
pub(crate) struct Growth {
    /// The way
    #[arg(long, value_enum)]
    pub(crate) pattern: PatternName,
    /// How many inserts in all
    #[arg(long, value_name = "NUMBER", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) n: u32,
    /// How many sites insert in turn, in a crowd at once; by default 1, in a crowd 100, in mixed 10
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..=500))]
    pub(crate) sites: Option<u32>,
    /// What random numbers come from
    #[arg(long, value_name = "NUMBER", default_value_t = 12_345)]
    pub(crate) seed: u64,
    /// What makes the keys
    #[arg(long, value_enum, default_value_t = GeneratorName::Between)]
    pub(crate) generator: GeneratorName,
    /// Write site, insert, key and round of each key to this file, in the order of the keys
    #[arg(long, value_name = "FILE")]
    pub(crate) dump: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum PatternName {
    /// At the end
    Append,
    /// At the start
    Prepend,
    /// Right behind one item
    After,
    /// Right ahead of one item
    Before,
    /// A typed run amid 1,000 items
    Run,
    /// Between the last two
    Pingpong,
    /// In random places
    Random,
    /// Random ones of 1,000 items to random places
    Moves,
    /// A run of each site in one gap, at the same time
    Crowd,
    /// Stretches of all of these
    Mixed,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum GeneratorName {
    /// The app's
    Between,
    /// The textbook's
    Midpoint,
}

impl Growth {
    pub(crate) fn pattern(&self) -> Pattern {
        match self.pattern {
            PatternName::Append => Pattern::Append,
            PatternName::Prepend => Pattern::Prepend,
            PatternName::After => Pattern::After,
            PatternName::Before => Pattern::Before,
            PatternName::Run => Pattern::Run,
            PatternName::Pingpong => Pattern::Pingpong,
            PatternName::Random => Pattern::Random,
            PatternName::Moves => Pattern::Moves,
            PatternName::Crowd => Pattern::Crowd,
            PatternName::Mixed => Pattern::Mixed,
        }
    }

    pub(crate) fn generator(&self) -> Generator {
        match self.generator {
            GeneratorName::Between => Generator::Between,
            GeneratorName::Midpoint => Generator::Midpoint,
        }
    }
}

//! `betwixt keys growth`: how long keys become.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;

use betwixt_core::growth::{FIRST_SITE, Figures, Generator, Made, Pattern, Plan};
use betwixt_core::key::Tag;
use serde_json::json;

use crate::args::Growth;
use crate::print;
use crate::report::Report;

/// The most inserts with keys of the textbook's, which become as long as there are inserts.
const MIDPOINT_MAX: usize = 20_000;

pub(crate) fn run(growth: &Growth, as_json: bool) -> Result<(), Report> {
    let (pattern, generator) = (growth.pattern(), growth.generator());
    let sites = match (growth.sites, pattern) {
        (Some(sites), _) => usize::try_from(sites)?,
        (None, Pattern::Crowd) => 100,
        (None, Pattern::Mixed) => 10,
        _ => 1,
    };
    let plan = Plan { pattern, count: usize::try_from(growth.n)?, sites, seed: growth.seed, generator };
    if generator == Generator::Midpoint && plan.count > MIDPOINT_MAX {
        return Err(Report::new(format!("run midpoint for more than {MIDPOINT_MAX} inserts")));
    }
    let mut made = plan.run();
    let figures = Figures::of(&made);
    if let Some(file) = &growth.dump {
        made.sort_unstable_by(|a, b| (&a.key, a.number).cmp(&(&b.key, b.number)));
        dump(&made, file).map_err(|error| Report::new(format!("write {}: {error}", file.display())))?;
    }
    let tag_bytes = if generator == Generator::Between { Tag::new(FIRST_SITE).bytes().len() } else { 0 };
    if as_json {
        return print::json(&json!({
            "count": figures.count,
            "mean": figures.mean,
            "p99": figures.p99,
            "longest": figures.longest,
            "tag_bytes": tag_bytes,
            "full_at": figures.full_at,
            "duplicates": figures.duplicates,
            "interleaved": figures.interleaved,
        }));
    }
    let full_at = figures.full_at.map_or_else(|| "never".to_owned(), |number| format!("insert {number}"));
    let lines = [
        format!("keys         {}", figures.count),
        format!("mean bytes   {:.2}", figures.mean),
        format!("p99 bytes    {}", figures.p99),
        format!("longest      {} bytes, {tag_bytes} of them the tag", figures.longest),
        format!("list full    {full_at}"),
        format!("duplicates   {}", figures.duplicates),
        format!("interleaved  {}", figures.interleaved),
    ];
    print::lines(lines.into_iter())
}

/// Writes a line for each key: site, insert, key, and the round of concurrent runs that it belongs to or `-`.
fn dump(made: &[Made], file: &Path) -> std::io::Result<()> {
    let mut out = BufWriter::new(File::create(file)?);
    for Made { site, number, key, round } in made {
        let round = round.map_or_else(|| "-".to_owned(), |round| round.to_string());
        writeln!(out, "{site} {number} {key} {round}")?;
    }
    out.flush()
}

//! Laws of the core, checked on random inputs. `BETWIXT_CASES` sets how many for each law.

use proptest::test_runner::Config;

mod any;
mod formats;
mod json;
mod json_vectors;
mod keys;
mod list;
mod order;
mod rebalance;
mod snapshot;
mod vectors;
mod wire;

/// Returns the settings of a law: `BETWIXT_CASES` cases, or a few hundred.
fn config() -> Config {
    let cases = std::env::var("BETWIXT_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(256);
    Config { cases, failure_persistence: None, ..Config::default() }
}

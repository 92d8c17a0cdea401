//! How long keys become: ways in which people insert, run through the order, the generators and the hints of the app.
//!
//! Keys are not limited here, so that the insert at which a real list would be full can be told.

mod figures;
mod table;

use crate::key::{LongKey, SiteNumber};

pub use self::figures::Figures;
use self::table::{Random, Table};

/// A way in which people insert.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pattern {
    /// Always at the end.
    Append,
    /// Always at the start.
    Prepend,
    /// Always right behind one item, which has another behind it.
    After,
    /// Always right ahead of one item, which has another ahead of it.
    Before,
    /// A typed or pasted run in the middle of 1,000 items that came in random places.
    Run,
    /// Always between the last two.
    Pingpong,
    /// In random places.
    Random,
    /// Random items of 1,000, which a rebalance has placed, to random places.
    Moves,
    /// Each site a run of its own in the same gap, none of which the others see.
    Crowd,
    /// Stretches of all of these.
    Mixed,
}

/// What makes the keys.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Generator {
    /// What the app uses, with its hints and its check that no key is made twice.
    Between,
    /// The textbook's, without tags.
    Midpoint,
}

/// What to run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Plan {
    /// How items are inserted.
    pub pattern: Pattern,
    /// How many inserts in all.
    pub count: usize,
    /// How many sites insert, in turn; in a crowd all at once.
    pub sites: usize,
    /// What the random numbers come from.
    pub seed: u64,
    /// What makes the keys.
    pub generator: Generator,
}

/// The number of the first site: its tag has two bytes, so the figures hold for the first 504 sites of a list.
pub const FIRST_SITE: SiteNumber = SiteNumber(500);

/// A key that was made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Made {
    /// Which site made it.
    pub site: SiteNumber,
    /// Which insert it was, from 1.
    pub number: usize,
    /// The key.
    pub key: LongKey,
    /// Which round of concurrent runs it belongs to: the site's keys of the round are one run.
    pub round: Option<u32>,
}

/// Items that a list has before its items are moved, or before a run is typed into it.
const ITEMS: usize = 1_000;
/// The longest stretch of one pattern among others.
const STRETCH_MAX: usize = 400;

const SINGLE: [Pattern; 9] = [
    Pattern::Append,
    Pattern::Prepend,
    Pattern::After,
    Pattern::Before,
    Pattern::Run,
    Pattern::Pingpong,
    Pattern::Random,
    Pattern::Moves,
    Pattern::Crowd,
];

impl Plan {
    /// Returns all keys that were made, in the order in which they were; what the list held before is left out.
    #[must_use]
    pub fn run(&self) -> Vec<Made> {
        let mut random = Random(self.seed);
        let mut table = Table::new(self.generator);
        let sites = self.sites.max(1);
        match self.pattern {
            Pattern::After | Pattern::Before | Pattern::Crowd => table.append(2),
            Pattern::Moves => table.space(ITEMS),
            Pattern::Run => (0..ITEMS).for_each(|_| table.insert(FIRST_SITE, random.below(table.len() + 1), None)),
            Pattern::Append | Pattern::Prepend | Pattern::Pingpong | Pattern::Random | Pattern::Mixed => {}
        }
        table.made.clear();
        if self.pattern != Pattern::Mixed {
            let middle = table.len() / 2;
            stretch(&mut table, self.pattern, self.count, middle, |step| site(step % sites), sites, &mut random);
            return table.made;
        }
        while table.made.len() < self.count {
            let pattern = SINGLE[random.below(SINGLE.len())];
            let count = (1 + random.below(STRETCH_MAX)).min(self.count - table.made.len());
            let at = random.below(table.len() + 1);
            let by = random.below(sites);
            stretch(&mut table, pattern, count, at, |_| site(by), sites, &mut random);
        }
        table.made
    }
}

fn site(number: usize) -> SiteNumber {
    SiteNumber(FIRST_SITE.0.saturating_sub(u32::try_from(number).expect("a list has few sites")))
}

/// Inserts `count` items, around row `at` where the pattern has a place.
fn stretch(
    table: &mut Table,
    pattern: Pattern,
    count: usize,
    at: usize,
    by: impl Fn(usize) -> SiteNumber,
    sites: usize,
    random: &mut Random,
) {
    if pattern == Pattern::Crowd {
        let share = |number: usize| count / sites + usize::from(number < count % sites);
        table.crowd(at, (0..sites).map(|number| (site(number), share(number))));
        return;
    }
    for step in 0..count {
        let row = match pattern {
            Pattern::Append => table.len(),
            Pattern::Prepend => 0,
            Pattern::After => at,
            Pattern::Pingpong => at + step.div_ceil(2),
            Pattern::Random => random.below(table.len() + 1),
            Pattern::Moves => {
                table.take(random.below(table.len().max(1)));
                random.below(table.len() + 1)
            }
            Pattern::Before | Pattern::Run | Pattern::Crowd | Pattern::Mixed => at + step,
        };
        table.insert(by(step), row, None);
    }
}

//! Hybrid logical clock stamps: what decides which of two writes to one register wins.
//!
//! Source: Kulkarni, Demirbas and others, "Logical Physical Clocks", OPODIS 2014.

use serde::{Deserialize, Serialize};

use crate::id::SiteId;

/// A time in milliseconds since 1970-01-01 UTC, or a span in milliseconds.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Millis(pub u64);

impl Millis {
    /// This time, that much later.
    #[must_use]
    pub const fn plus(self, span: Self) -> Self {
        Self(self.0.saturating_add(span.0))
    }

    /// How long after `earlier` this is; zero if it is not after it.
    #[must_use]
    pub const fn since(self, earlier: Self) -> Self {
        Self(self.0.saturating_sub(earlier.0))
    }
}

/// The part of a stamp that sites compare before they compare themselves.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Tick {
    /// Wall clock of the stamping site, or the highest that it had seen.
    pub wall: Millis,
    /// Counts stamps of one millisecond.
    pub counter: u16,
}

impl Tick {
    /// The least tick above this one.
    #[must_use]
    pub const fn next(self) -> Self {
        match self.counter.checked_add(1) {
            Some(counter) => Self { wall: self.wall, counter },
            None => Self { wall: self.wall.plus(Millis(1)), counter: 0 },
        }
    }

    /// The tick of a new stamp: `now`, or the least above all that were seen.
    #[must_use]
    pub fn after(highest: Self, now: Millis) -> Self {
        Self { wall: now, counter: 0 }.max(highest.next())
    }
}

/// A stamp: total order by tick, then by site.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Hlc {
    /// When.
    pub tick: Tick,
    /// The site that stamped.
    pub site: SiteId,
}

/// The highest tick that a relay lets in: a minute ahead of its own clock, or one step above what the list has already.
///
/// The second keeps a list alive that an old clock fault has carried into the future.
#[must_use]
pub fn tick_limit(relay_clock: Millis, highest: Tick) -> Tick {
    Tick { wall: relay_clock.plus(crate::limits::CLOCK_AHEAD_MAX), counter: u16::MAX }.max(highest.next())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_tick_is_above_all_seen_even_when_the_clock_went_back() {
        let seen = Tick { wall: Millis(100), counter: 7 };
        assert_eq!(Tick::after(seen, Millis(90)), Tick { wall: Millis(100), counter: 8 });
        assert_eq!(Tick::after(seen, Millis(101)), Tick { wall: Millis(101), counter: 0 });
        let last = Tick { wall: Millis(100), counter: u16::MAX };
        assert_eq!(Tick::after(last, Millis(90)), Tick { wall: Millis(101), counter: 0 });
    }

    #[test]
    fn a_clock_an_hour_ahead_is_over_the_limit_unless_the_list_is_there_already() {
        let now = Millis(1_000_000_000);
        let hour_ahead = Tick { wall: now.plus(Millis(3_600_000)), counter: 0 };
        assert!(hour_ahead > tick_limit(now, Tick::default()));
        assert!(hour_ahead.next() <= tick_limit(now, hour_ahead));
        assert!(hour_ahead.next().next() > tick_limit(now, hour_ahead));
    }
}

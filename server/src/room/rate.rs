//! How many ops were sequenced in the last second.

use betwixt_core::hlc::Millis;

/// Tenths of a second.
const TENTHS: usize = 10;

/// Ops of the last ten tenths of a second, by tenth.
#[derive(Debug, Default, Clone)]
pub struct Rate {
    counts: [u32; TENTHS],
    /// The tenth that is being counted, since 1970.
    tenth: u64,
}

impl Rate {
    /// Counts ops that were sequenced now.
    pub fn add(&mut self, now: Millis, ops: u32) {
        self.advance(now);
        let slot = &mut self.counts[place(self.tenth)];
        *slot = slot.saturating_add(ops);
    }

    /// Ops of the last second.
    pub fn per_second(&mut self, now: Millis) -> u32 {
        self.advance(now);
        self.counts.iter().fold(0, |sum, count| sum.saturating_add(*count))
    }

    fn advance(&mut self, now: Millis) {
        let tenth = now.0 / 100;
        // A clock that was set back by more than a second starts over; by less, it counts on in the present tenth.
        let behind = tenth < self.tenth && self.tenth - tenth > TENTHS as u64;
        if behind || tenth.saturating_sub(self.tenth) >= TENTHS as u64 {
            self.counts = [0; TENTHS];
            self.tenth = tenth;
        }
        while self.tenth < tenth {
            self.tenth += 1;
            self.counts[place(self.tenth)] = 0;
        }
    }
}

fn place(tenth: u64) -> usize {
    usize::try_from(tenth % TENTHS as u64).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_second_counts() {
        let mut rate = Rate::default();
        rate.add(Millis(10_000), 5);
        rate.add(Millis(10_450), 2);
        assert_eq!(rate.per_second(Millis(10_900)), 7);
        assert_eq!(rate.per_second(Millis(11_000)), 2);
        assert_eq!(rate.per_second(Millis(11_500)), 0);
    }

    #[test]
    fn a_clock_that_is_set_back_counts_on() {
        let mut rate = Rate::default();
        rate.add(Millis(100_000), 5);
        rate.add(Millis(20_000), 1);
        assert_eq!(rate.per_second(Millis(20_100)), 1);
    }
}

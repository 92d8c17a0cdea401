//! The rate limit of a link: tokens that fill up steadily, one for each op.

use std::time::Duration;

use betwixt_core::limits::Limits;
use tokio::time::Instant;

/// Tokens of one link. It may run into debt: an op is never refused for its rate, the link waits afterwards.
#[derive(Debug)]
pub(super) struct Tokens {
    per_second: f64,
    burst: f64,
    left: f64,
    at: Instant,
}

impl Tokens {
    /// A full bucket.
    pub(super) fn new(limits: &Limits, now: Instant) -> Self {
        let burst = f64::from(limits.ops_burst);
        Self { per_second: f64::from(limits.ops_per_second), burst, left: burst, at: now }
    }

    /// Takes a token for each op; returns how long the link has to wait until it is out of debt.
    pub(super) fn take(&mut self, ops: usize, now: Instant) -> Option<Duration> {
        if self.per_second == 0.0 {
            return None;
        }
        let since = now.saturating_duration_since(self.at).as_secs_f64();
        self.left =
            (self.left + since * self.per_second).min(self.burst) - f64::from(u32::try_from(ops).unwrap_or(u32::MAX));
        self.at = now;
        (self.left < 0.0).then(|| Duration::from_secs_f64((-self.left / self.per_second).min(60.0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn after_a_burst_a_link_waits_for_what_it_took_too_much() {
        let start = Instant::now();
        let limits = Limits { ops_per_second: 100, ops_burst: 1_000, ..Limits::DEFAULT };
        let mut tokens = Tokens::new(&limits, start);
        assert_eq!(tokens.take(1_000, start), None);
        assert_eq!(tokens.take(50, start), Some(Duration::from_millis(500)));
        assert_eq!(tokens.take(100, start + Duration::from_millis(1_500)), None);
        let mut free = Tokens::new(&Limits { ops_per_second: 0, ..limits }, start);
        assert_eq!(free.take(1_000_000, start), None);
    }
}

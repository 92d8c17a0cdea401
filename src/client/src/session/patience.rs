//! When to dial again, when to ask whether the other side is there, and when to stop believing that it is.

use betwixt_core::hlc::Millis;

/// A session's patience with its relay.
#[derive(Debug, Clone)]
pub struct Patience {
    /// First pause after a failure; doubled with each, up to `pause_max`.
    pause_min: Millis,
    pause_max: Millis,
    greeting_max: Millis,
    /// The other side is asked after this silence,
    ask_after: Millis,
    /// is said to be silent after this,
    silent_after: Millis,
    /// and the link is given up after this.
    dead_after: Millis,
    failures: u32,
    heard_at: Millis,
    asked_at: Millis,
    /// When the silence was last looked at.
    looked_at: Millis,
}

impl Patience {
    /// With the local relay of a folder, which is there at once or stopped.
    #[must_use]
    pub const fn local() -> Self {
        Self::new(Millis(40), Millis(500), Millis(3_000), Millis(1_000), Millis(3_000))
    }

    /// With a relay over a network.
    #[must_use]
    pub const fn remote() -> Self {
        Self::new(Millis(500), Millis(30_000), Millis(10_000), Millis(10_000), Millis(25_000))
    }

    const fn new(
        pause_min: Millis,
        pause_max: Millis,
        greeting_max: Millis,
        ask_after: Millis,
        silent_after: Millis,
    ) -> Self {
        Self {
            pause_min,
            pause_max,
            greeting_max,
            ask_after,
            silent_after,
            dead_after: betwixt_core::limits::DEAD_AFTER,
            failures: 0,
            heard_at: Millis(0),
            asked_at: Millis(0),
            looked_at: Millis(0),
        }
    }

    /// How long a greeting, or the next part of a snapshot, may take.
    pub(super) const fn greeting_max(&self) -> Millis {
        self.greeting_max
    }

    pub(super) fn heard(&mut self, now: Millis) {
        self.heard_at = now;
    }

    pub(super) fn succeeded(&mut self) {
        self.failures = 0;
    }

    /// The pause after one more failure: between half and all of a span that doubles.
    pub(super) fn failed(&mut self, random: u64) -> Millis {
        let doubled = self.pause_min.0.saturating_mul(1 << self.failures.min(16)).min(self.pause_max.0);
        self.failures = self.failures.saturating_add(1);
        Millis(doubled / 2 + random % (doubled / 2 + 1))
    }

    /// Whether to ask the other side now; counts as asked.
    pub(super) fn asks(&mut self, now: Millis) -> bool {
        self.looked_at = now;
        let asks = now.since(self.heard_at.max(self.asked_at)) >= self.ask_after;
        if asks {
            self.asked_at = now;
        }
        asks
    }

    pub(super) fn is_heard(&self, now: Millis) -> bool {
        now.since(self.heard_at) < self.silent_after
    }

    pub(super) fn is_dead(&self, now: Millis) -> bool {
        now.since(self.heard_at) >= self.dead_after
    }

    /// When to look again: at the next question, and when the silence gets its name.
    pub(super) fn wake_at(&self) -> Millis {
        let ask_at = self.heard_at.max(self.asked_at).plus(self.ask_after);
        let silent_at = self.heard_at.plus(self.silent_after);
        if self.looked_at < silent_at { ask_at.min(silent_at) } else { ask_at }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_a_limit_and_are_never_all_the_same() {
        let mut patience = Patience::remote();
        let pauses: Vec<u64> = (0..12).map(|_| patience.failed(u64::MAX).0).collect();
        assert!(pauses.iter().all(|pause| (250..=30_000).contains(pause)), "{pauses:?}");
        let mut other = Patience::remote();
        assert_ne!((0..12).map(|_| other.failed(12_345).0).collect::<Vec<_>>(), pauses);
    }
}

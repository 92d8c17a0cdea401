//! Links: what is under way on them, in order, and which end still holds them.

use std::collections::VecDeque;

use betwixt_core::hlc::Millis;
use betwixt_core::id::SiteId;
use betwixt_core::wire::{ToRelay, ToSite};

use super::seeded::Seeded;

/// One direction of a link: frames stay in order, each arrives when its time has come.
#[derive(Debug)]
pub(super) struct Way<T> {
    frames: VecDeque<(Millis, T)>,
    last: Millis,
}

/// A link between a machine and the relay. Either end may have let go of it while the other has not noticed.
#[derive(Debug)]
pub(super) struct Link {
    pub(super) machine: usize,
    pub(super) up: Way<ToRelay>,
    pub(super) down: Way<ToSite>,
    pub(super) held_by_site: bool,
    pub(super) held_by_relay: bool,
    /// The site that the relay has welcomed on it.
    pub(super) member: Option<SiteId>,
}

impl Link {
    pub(super) fn of(machine: usize) -> Self {
        Self {
            machine,
            up: Way::default(),
            down: Way::default(),
            held_by_site: true,
            held_by_relay: true,
            member: None,
        }
    }

    /// Whether the relay sends entries to it.
    pub(super) const fn is_live(&self) -> bool {
        self.held_by_relay && self.member.is_some()
    }

    /// When something happens on it.
    pub(super) fn due(&self, now: Millis) -> Option<Millis> {
        // An end that has let go is noticed by the other behind the last frame.
        let closes = self.held_by_site != self.held_by_relay;
        let frames = [self.up.due(), self.down.due()].into_iter().flatten().min();
        frames.or(closes.then_some(now))
    }

    /// Nothing will happen on it any more.
    pub(super) const fn is_over(&self) -> bool {
        !self.held_by_site && !self.held_by_relay
    }
}

impl<T> Default for Way<T> {
    fn default() -> Self {
        Self { frames: VecDeque::new(), last: Millis(0) }
    }
}

impl<T: Clone> Way<T> {
    /// Puts a frame on its way; now and then it arrives late, or twice.
    pub(super) fn send(&mut self, frame: T, now: Millis, random: &mut Seeded) {
        let delay = if random.once_in(60) { random.below(900) } else { random.below(8) };
        self.last = now.plus(Millis(delay)).max(self.last);
        if random.once_in(100) {
            self.frames.push_back((self.last, frame.clone()));
        }
        self.frames.push_back((self.last, frame));
    }

    pub(super) fn due(&self) -> Option<Millis> {
        self.frames.front().map(|(due, _)| *due)
    }

    pub(super) fn take(&mut self, now: Millis) -> Option<T> {
        self.frames.pop_front_if(|(due, _)| *due <= now).map(|(_, frame)| frame)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    /// Loses all that is under way but the first frames, which arrive late.
    pub(super) fn cut(&mut self, random: &mut Seeded) {
        self.frames.truncate(random.place(self.frames.len() + 1));
    }

    pub(super) fn clear(&mut self) {
        self.frames.clear();
    }
}

//! What goes wrong in a world, and which rule of the protocol is switched off in it.

/// What can happen in a world beside cuts, delays, crashes, refusals and clocks that are wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Faults {
    /// Sites are restored from copies, and cloned.
    pub(super) copies: bool,
    /// The relay loses what it had acknowledged.
    pub(super) losses: bool,
    /// Each machine begins with a list of its own, and lists are deleted and made again under the same name.
    pub(super) lists: bool,
    /// A rule that does not hold.
    pub(super) without: Option<Rule>,
}

impl Faults {
    /// The kinds of worlds take turns.
    pub(super) fn of(seed: u64) -> Self {
        // What a copy or a lost tail does to lists that are deleted is a question for people, not for a law.
        let lists = seed & 7 == 4;
        Self { copies: seed & 1 != 0, losses: seed & 2 != 0, lists, without: None }
    }

    /// Whether a copy of a site may speak, or a log go back: then laws about "once" hold for effects, not for ops.
    pub(super) const fn are_plain(self) -> bool {
        !self.copies && !self.losses
    }
}

/// A rule of DESIGN.md section 5 that a world can be without.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rule {
    /// Relay: what is in the log already is not appended again.
    Dedupe,
    /// Relay: what is sent is durable.
    AckAfterSync,
    /// Relay: `Hello` waits until the log is durable.
    HelloIsBarrier,
    /// Relay: a site reads on only where its chain is that of the log.
    ChainCheck,
    /// Relay: a stamp far ahead of its clock is refused.
    ClockLimit,
    /// Relay: a refusal is said.
    RefusalIsSaid,
    /// Site: own sequenced ops are given back to a log that lost them.
    Journal,
    /// Site: another op under an own id is no ack.
    ClashIsNoAck,
    /// Site: one that is contradicted becomes a new one.
    Renewal,
    /// Site: what was placed before the number came is placed anew with it.
    PlacedWithNumber,
    /// Site: a key is issued once.
    KeysOnce,
    /// Site: an edit is on the disk before it is shown.
    EditOnDiskFirst,
    /// Site: a snapshot leaves what is pending.
    PendingOutlivesSnapshot,
    /// Relay: a site whose place in the log was trimmed is given a snapshot.
    TrimmedIsSnapshot,
    /// Relay: a list that was deleted is never taken for a new one.
    DeletedStaysDeleted,
    /// Site: a list that is merged is kept until its items are in the other one.
    MergedBeforeRemoved,
}

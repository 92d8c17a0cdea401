//! How a site stands with its relay, as people are told.

use betwixt_core::hlc::Millis;
use betwixt_core::id::ListUid;
use betwixt_core::wire::Figures;

use crate::replica::Replica;
use crate::session::{Ended, Session, State};

/// How a site stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Status {
    /// The link to the relay.
    pub link: LinkStatus,
    /// Edits that are kept here and not sequenced.
    pub unsent: usize,
    /// What lies in the drawer.
    pub kept: usize,
    /// The relay's figures of the list.
    pub figures: Option<Figures>,
    /// Whether this machine's disk takes nothing.
    pub disk_fault: bool,
}

/// The link to the relay, in one word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinkStatus {
    /// What the relay has is shown as it comes.
    Live,
    /// Reading what the relay has.
    CatchingUp {
        /// Entries that are still to come.
        missing: u64,
    },
    /// There is no link; it is being tried.
    Offline,
    /// There is a link, and nobody answers at its other end.
    Silent,
    /// The log has an op that needs a newer program.
    NeedsNewer,
    /// The relay has another list of that name.
    OtherList(ListUid),
    /// The list was deleted on the relay.
    Gone,
    /// The relay's store of the list is damaged.
    Damaged,
    /// Relay and site have no version of the protocol in common.
    Version,
}

impl Status {
    pub(crate) fn of(replica: &Replica, session: &Session, now: Millis, disk_fault: bool) -> Self {
        let link = match session.state() {
            State::Ended(Ended::OtherList(uid)) => LinkStatus::OtherList(*uid),
            State::Ended(Ended::Gone) => LinkStatus::Gone,
            State::Ended(Ended::Version) => LinkStatus::Version,
            State::Ended(Ended::Damaged) => LinkStatus::Damaged,
            _ if replica.stopped_before().is_some() => LinkStatus::NeedsNewer,
            State::Waiting { .. } | State::Dialing | State::Greeting { .. } => LinkStatus::Offline,
            State::CatchingUp { .. } | State::Live if !session.is_heard(now) => LinkStatus::Silent,
            State::CatchingUp { target } => {
                LinkStatus::CatchingUp { missing: target.saturating_sub(replica.confirmed().mark().seq) }
            }
            State::Live => LinkStatus::Live,
        };
        let kept = replica.kept().len();
        Self { link, unsent: replica.unsent(), kept, figures: session.figures(), disk_fault }
    }
}

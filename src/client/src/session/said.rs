//! What the relay says, and what the session makes of it.

use betwixt_core::hlc::Millis;
use betwixt_core::snapshot::Assembly;
use betwixt_core::wire::{CloseReason, ToRelay, ToSite, Welcome};

use super::{Ended, Outputs, Outside, Session, State, Unnamed, new_secret, push};
use crate::replica::{Received, Refusal, Replica};

/// Longest time that a relay can ask a site to stay away.
const RETRY_AFTER_MAX: Millis = Millis(300_000);

impl Session {
    pub(super) fn said(
        &mut self,
        replica: &mut Replica,
        message: ToSite,
        outside: &mut Outside<'_>,
        out: &mut Outputs,
    ) {
        let uid = replica.confirmed().uid();
        match message {
            ToSite::Welcome(welcome) => self.welcomed(replica, &welcome, outside, out),
            ToSite::OtherList { uid: other, .. } if replica.is_blank() => {
                out.unnamed = Some(Unnamed::Adopt(other));
                // With a pause, in case the other list cannot be opened here.
                self.lose(outside, out);
            }
            ToSite::OtherList { uid: other, .. } => {
                out.hang_up = true;
                self.state = State::Ended(Ended::OtherList(other));
            }
            ToSite::Gone { uid: gone } if gone == uid => {
                out.hang_up = true;
                out.unnamed = Some(Unnamed::Gone);
                self.state = State::Ended(Ended::Gone);
            }
            ToSite::SnapshotBegin(begin) => {
                if let State::Greeting { snapshot, .. } = &mut self.state {
                    *snapshot = Some(Box::new(Assembly::new(*begin)));
                }
            }
            ToSite::SnapshotPart { part, .. } => {
                if let State::Greeting { snapshot: Some(snapshot), deadline } = &mut self.state {
                    *deadline = outside.now.plus(self.patience.greeting_max());
                    if snapshot.add(part).is_err() {
                        self.lose(outside, out);
                    }
                }
            }
            ToSite::SnapshotEnd { .. } => {
                let State::Greeting { snapshot, .. } = &mut self.state else { return };
                match snapshot.take().map(|snapshot| snapshot.finish()) {
                    Some(Ok(list)) if list.uid() == uid => {
                        let (journal, spare) = ((outside.journal)(), new_secret(outside.random));
                        if replica.install(list, journal, spare, &mut out.writes) == Received::Collided {
                            self.end_link(Millis(0), outside, out);
                        }
                    }
                    Some(_) => self.lose(outside, out),
                    None => {}
                }
            }
            ToSite::Entries { entries, list } if list == uid && self.is_welcome() => {
                for entry in &entries {
                    if entry.op.site == replica.site() {
                        self.window = self.window.saturating_mul(2).min(push::UNDER_WAY_MAX);
                    }
                    if let Err(_does_not_continue) = replica.receive(entry, &mut out.writes) {
                        return self.lose(outside, out);
                    }
                }
            }
            ToSite::Refused { op, code, .. } if self.is_welcome() => match replica.refused(op, code, &mut out.writes) {
                Refusal::Unknown => {}
                Refusal::Kept => {
                    // None of those behind it were let in. Many may be refused like it: one at a time until one is not.
                    self.sent = self.sent.min(op.ctr.saturating_sub(1));
                    self.window = 1;
                }
                Refusal::Again => self.end_link(Millis(0), outside, out),
            },
            ToSite::Stale { need_seq, .. } if self.is_welcome() => {
                self.need_seq = self.need_seq.max(need_seq);
                self.sent = 0;
            }
            ToSite::Collision { need_seq, .. } if self.is_welcome() => {
                self.need_seq = self.need_seq.max(need_seq);
                self.collided = true;
            }
            ToSite::People { people, .. } => self.people = people,
            ToSite::Figures { figures, .. } => self.figures = Some(figures),
            ToSite::Closing { reason, retry_after } => match reason {
                CloseReason::Version => {
                    out.hang_up = true;
                    self.state = State::Ended(Ended::Version);
                }
                CloseReason::Damaged => {
                    out.hang_up = true;
                    self.state = State::Ended(Ended::Damaged);
                }
                _ => {
                    self.replaced |= reason == CloseReason::Replaced;
                    // Not all sites at once, and not in a ring with another link of this site.
                    let pause = self.patience.failed((outside.random)());
                    self.end_link(retry_after.min(RETRY_AFTER_MAX).plus(pause), outside, out);
                }
            },
            ToSite::Gone { .. }
            | ToSite::Entries { .. }
            | ToSite::Refused { .. }
            | ToSite::Stale { .. }
            | ToSite::Collision { .. }
            | ToSite::Wait { .. }
            | ToSite::Unreadable
            | ToSite::Lists { .. } => {}
        }
    }

    fn welcomed(&mut self, replica: &mut Replica, welcome: &Welcome, outside: &mut Outside<'_>, out: &mut Outputs) {
        if !matches!(self.state, State::Greeting { .. }) || welcome.uid != replica.confirmed().uid() {
            return;
        }
        replica.meet(welcome.clock, outside.wall, welcome.limits.clone());
        self.patience.succeeded();
        self.sent = 0;
        self.window = push::UNDER_WAY_MAX;
        // What another link has asked for may be lost with the tail of its log.
        self.need_seq = 0;
        self.collided = self.replaced || replica.contradicts(welcome.last);
        self.state = State::CatchingUp { target: welcome.head };
        let (at, editing) = self.here;
        if at.is_some() {
            out.send.push(ToRelay::Here { list: welcome.uid, at, editing });
        }
    }
}

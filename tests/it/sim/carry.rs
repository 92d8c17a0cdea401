//! What comes over links, and what each end does about it.

use betwixt_client::session::Input;
use betwixt_core::hlc::Millis;
use betwixt_core::id::OpId;
use betwixt_core::wire::{CloseReason, Hello, ToRelay, ToSite};
use betwixt_relay::room::Verdict;

use super::fault::Rule;
use super::world::World;

impl World {
    /// Whatever is due on a link.
    pub(super) fn carry(&mut self, id: u64) {
        let now = self.now;
        let Some(link) = self.links.get_mut(&id) else { return };
        let machine = link.machine;
        if let Some(frame) = link.up.take(now) {
            if link.held_by_relay {
                self.relay_takes(id, frame);
            }
        } else if let Some(frame) = link.down.take(now) {
            if link.held_by_site {
                self.machine_hears(machine, frame);
            }
        } else if link.held_by_site {
            link.held_by_site = false;
            self.machines[machine].link = None;
            self.step(machine, Input::Lost);
        } else {
            link.held_by_relay = false;
        }
        if self.links.get(&id).is_some_and(|link| link.is_over() && link.down.is_empty()) {
            self.links.remove(&id);
        }
    }

    fn relay_takes(&mut self, id: u64, frame: ToRelay) {
        match frame {
            ToRelay::Hello(hello) => self.greet(id, &hello),
            ToRelay::Push { ops, .. } => {
                let clock = self.clock();
                let Some(session) = self.links.get(&id).and_then(|link| link.member) else { return };
                let list = self.relay.list();
                let before = self.relay.tail.len();
                for op in ops {
                    let OpId { site, ctr } = op.id();
                    let reply = match self.relay.push(op, session, clock) {
                        Verdict::Sequenced(_) | Verdict::Repeat | Verdict::Resend => continue,
                        Verdict::Refused(code) => {
                            self.counts.refusals += 1;
                            if self.is_without(Rule::RefusalIsSaid) {
                                continue;
                            }
                            ToSite::Refused { list, op: OpId { site, ctr }, code }
                        }
                        Verdict::Stale { need_seq } => ToSite::Stale { list, need_seq },
                        Verdict::Collision { need_seq } => {
                            self.counts.collisions += 1;
                            ToSite::Collision { list, need_seq }
                        }
                    };
                    self.say(id, reply);
                }
                if self.relay.tail.len() > before {
                    let soon = self.now.plus(Millis(self.random.below(9)));
                    self.relay.commit_at.get_or_insert(soon);
                    if self.is_without(Rule::AckAfterSync) {
                        let entries = self.relay.tail.get(before..).unwrap_or_default().to_vec();
                        self.tell_all(&entries);
                    }
                }
            }
            ToRelay::Here { .. } | ToRelay::Leave { .. } | ToRelay::Lists(_) | ToRelay::DeleteList { .. } => {}
        }
    }

    /// A `Hello` is a barrier: older links of the site are closed, and the log is made durable.
    fn greet(&mut self, id: u64, hello: &Hello) {
        let site = hello.secret.site();
        for (other, link) in &mut self.links {
            if *other != id && link.is_live() && link.member == Some(site) {
                let closing = ToSite::Closing { reason: CloseReason::Replaced, retry_after: Millis(0) };
                link.down.send(closing, self.now, &mut self.random);
                link.held_by_relay = false;
                link.up.clear();
            }
        }
        if !self.is_without(Rule::HelloIsBarrier) {
            self.commit();
        }
        if !self.links.get(&id).is_some_and(|link| link.held_by_relay) {
            return;
        }
        let clock = self.clock();
        let (said, snapshot) = self.relay.greet(hello, clock, &mut self.random);
        self.counts.snapshots += u64::from(snapshot);
        for message in said {
            self.say(id, message);
        }
        let is_open = hello.uid == self.relay.uid();
        if let Some(link) = self.links.get_mut(&id).filter(|_| is_open) {
            link.member = Some(site);
        }
    }

    fn say(&mut self, id: u64, message: ToSite) {
        if let Some(link) = self.links.get_mut(&id) {
            link.down.send(message, self.now, &mut self.random);
        }
    }

    fn tell_all(&mut self, entries: &[betwixt_core::log::Entry]) {
        let list = self.relay.list();
        for link in self.links.values_mut().filter(|link| link.is_live()) {
            let news = ToSite::Entries { list, entries: entries.to_vec() };
            link.down.send(news, self.now, &mut self.random);
        }
    }

    /// One transaction of the relay's, which may be the last thing that its process does, or fail.
    pub(super) fn commit(&mut self) {
        if self.relay.tail.is_empty() {
            self.relay.commit_at = None;
            return;
        }
        let fate = if self.is_quiet { 99 } else { self.random.below(80) };
        if fate == 0 {
            self.crash_relay(false);
            return;
        }
        if fate == 1 {
            self.relay.disk.fail_next_commits(1);
        }
        let behind = self.ledger.log.len() as u64;
        let Some(entries) = self.relay.commit() else {
            self.crash_relay(true);
            return;
        };
        let mut law = self.owed.check_list(&entries, self.relay.list());
        let clock = self.clock();
        let appended = self.ledger.append(entries.clone());
        let list = self.relay.room().list();
        law = law.and_then(|()| self.ledger.check_head(list, behind, clock)).and(appended);
        law = law.and_then(|()| self.ledger.check_read(list));
        self.hold(law);
        // On the disk, and nobody was told.
        if fate == 2 {
            self.crash_relay(false);
        } else if !self.is_without(Rule::AckAfterSync) {
            self.tell_all(&entries);
        }
    }
}

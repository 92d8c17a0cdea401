//! What a reader does with what its link brings: the session reads it, and each entry is told as it is applied.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use betwixt_core::hlc::Millis;
use betwixt_core::list::List;
use betwixt_core::wire::ToSite;
use tokio::sync::{Notify, mpsc};

use super::{From, News, Reading, State};
use crate::Address;
use crate::account::{Before, account};
use crate::drive::{Driven, Turn};
use crate::replica::{Replica, Stored, Write};
use crate::session::{Ended, Input, Outside, Patience, Session, State as Reached, Unnamed, new_secret};
use crate::site::{os_random, steady_clock, wall_clock};
use crate::status::{LinkStatus, Status};

/// A reader as its driver sees it.
#[derive(Debug)]
pub(super) struct Following {
    address: Address,
    works: Mutex<Works>,
    batches: mpsc::Sender<Vec<News>>,
    close: Notify,
}

#[derive(Debug)]
struct Works {
    replica: Replica,
    session: Session,
    /// Whether entries are told: from the head on, or all of them.
    tells: bool,
    /// Nothing is read any more.
    ended: bool,
    started: Instant,
}

impl Following {
    pub(super) fn new(reading: Reading, from: From, batches: mpsc::Sender<Vec<News>>) -> Self {
        let Reading { address, name, uid, person, kinds } = reading;
        // A site of its own: the relay takes a second link of a site for its first one, come again.
        let stored = Stored {
            steps: Vec::new(),
            secret: new_secret(&mut os_random),
            confirmed: List::new(uid),
            pending: BTreeMap::new(),
            issued: HashSet::new(),
            kept: BTreeMap::new(),
        };
        let replica = Replica::new(stored, person.clone(), kinds);
        let patience = if address.is_local() { Patience::local() } else { Patience::remote() };
        let mut session = Session::new(name, person, kinds, patience);
        let tells = from == From::Start;
        if tells {
            session.want_entries();
        }
        let works = Works { replica, session, tells, ended: false, started: Instant::now() };
        Self { address, works: Mutex::new(works), batches, close: Notify::new() }
    }

    pub(super) fn link(&self) -> LinkStatus {
        let works = self.lock();
        Status::of(&works.replica, &works.session, steady_clock(works.started), false).link
    }

    pub(super) fn close(&self) {
        self.close.notify_one();
    }

    fn lock(&self) -> MutexGuard<'_, Works> {
        self.works.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Driven for Following {
    fn address(&self) -> Address {
        self.address.clone()
    }

    fn pause(&self) -> Option<Duration> {
        let works = self.lock();
        let wake_at = works.session.wake_at().filter(|_| !works.ended);
        wake_at.map(|at| Duration::from_millis(at.since(steady_clock(works.started)).0))
    }

    fn work(&self, inputs: Vec<Input>) -> Turn {
        tokio::task::block_in_place(|| {
            let mut works = self.lock();
            let (mut turn, mut news) = (Turn::default(), Vec::new());
            for input in inputs.into_iter().flat_map(apart) {
                works.step(input, &mut turn, &mut news);
            }
            if !news.is_empty() {
                // `ready` has made room; a reader that is gone wants no news.
                let _ = self.batches.try_send(news);
            }
            turn
        })
    }

    async fn closed(&self) {
        self.close.notified().await;
    }

    async fn woken(&self) {
        std::future::pending::<()>().await;
    }

    async fn ready(&self) {
        // Nobody else sends, so that the room is still there when something is to be sent.
        let _ = self.batches.reserve().await;
    }
}

/// A message of many entries as messages of one each: what was there before an entry is seen before it is applied.
fn apart(input: Input) -> Vec<Input> {
    match input {
        Input::Said(ToSite::Entries { list, entries }) => {
            let one = |entry| Input::Said(ToSite::Entries { list, entries: vec![entry] });
            entries.into_iter().map(one).collect()
        }
        input => vec![input],
    }
}

impl Works {
    fn step(&mut self, input: Input, turn: &mut Turn, news: &mut Vec<News>) {
        if self.ended {
            return;
        }
        let before = match &input {
            Input::Said(ToSite::Entries { entries, .. }) if self.tells => {
                entries.first().map(|entry| Before::of(self.replica.confirmed(), &entry.op))
            }
            _ => None,
        };
        let was_live = matches!(self.session.state(), Reached::Live);
        let now: Millis = steady_clock(self.started);
        let mut outside = Outside { now, wall: wall_clock(), random: &mut os_random, journal: &mut Vec::new };
        let mut out = self.session.step(&mut self.replica, input, &mut outside);
        turn.add(&mut out);

        let list = self.replica.confirmed();
        for write in out.writes.iter().filter(|_| self.tells) {
            match (write, &before) {
                (Write::Entry(entry), Some(before)) => {
                    news.push(News::Told(Box::new(account(before.clone(), entry, list))));
                }
                (Write::List(list), _) => news.push(News::Skipped(state_of(list))),
                _ => {}
            }
        }
        let ended = match (self.session.state(), out.unnamed) {
            (Reached::Ended(why), _) => Some(News::Ended(*why)),
            (_, Some(Unnamed::Adopt(other))) => Some(News::Ended(Ended::OtherList(other))),
            _ => self.replica.stopped_before().map(|_kind| News::NeedsNewer),
        };
        if let Some(ended) = ended {
            news.push(ended);
            self.ended = true;
            (turn.hang_up, turn.dial) = (true, false);
        } else if !was_live && matches!(self.session.state(), Reached::Live) {
            news.push(News::Reached(state_of(list)));
            // What comes from here on is told, also what comes while there is no link.
            self.tells = true;
            self.session.want_entries();
        }
    }
}

fn state_of(list: &List) -> State {
    State { seq: list.mark().seq, items: list.live().count(), title: list.title().unwrap_or_default().into() }
}

//! A reader of a list: follows its log over a link, without a site on the disk and without joining.
//!
//! It is the session of a site over a replica in memory. It dials again by itself, goes on with the entry behind the last
//! that it has read, and hands out each entry once.

mod follow;

use std::collections::VecDeque;
use std::sync::Arc;

use betwixt_core::id::ListUid;
use betwixt_core::name::ListName;
use betwixt_core::op::body::Kinds;
use smol_str::SmolStr;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use self::follow::Following;
use crate::account::Account;
use crate::session::Ended;
use crate::{Address, LinkStatus};

/// Batches of news that wait to be taken. While they wait, no more is read from the link.
const BATCHES_MAX: usize = 2;

/// Which list is read.
#[derive(Debug, Clone)]
pub struct Reading {
    /// Where the relay is.
    pub address: Address,
    /// What the list is called there.
    pub name: ListName,
    /// Which list it is.
    pub uid: ListUid,
    /// What the person is called.
    pub person: SmolStr,
    /// Kinds of ops that this program can carry out.
    pub kinds: Kinds,
}

/// From where on entries are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum From {
    /// From the first that the relay still has.
    Start,
    /// From the head of the log, as it is when it has been reached.
    Head,
}

/// A list at a place in its log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct State {
    /// The place.
    pub seq: u64,
    /// Live items.
    pub items: usize,
    /// Its title; empty is none. From a peer: show it as `SafeText` only.
    pub title: SmolStr,
}

/// What a reader comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum News {
    /// The relay does not have the entries up to here, or they are others than were told: this is what came of them.
    Skipped(State),
    /// The next entry.
    Told(Box<Account>),
    /// All that the relay had when the link was opened is told.
    Reached(State),
    /// The relay has no such list any more, or does not let it be read. Nothing follows.
    Ended(Ended),
    /// The next entry is an op that needs a newer program. Nothing follows.
    NeedsNewer,
}

/// Reads a list until it is dropped.
#[derive(Debug)]
pub struct Reader {
    following: Arc<Following>,
    batches: mpsc::Receiver<Vec<News>>,
    taken: VecDeque<News>,
    has_ended: bool,
    task: JoinHandle<()>,
}

impl Reader {
    /// Begins to dial. Needs a multi-threaded tokio runtime.
    #[must_use]
    pub fn start(reading: Reading, from: From) -> Self {
        let (batch, batches) = mpsc::channel(BATCHES_MAX);
        let following = Arc::new(Following::new(reading, from, batch));
        let driven = Arc::clone(&following);
        let task = tokio::spawn(async move { crate::drive::drive(driven.as_ref()).await });
        Self { following, batches, taken: VecDeque::new(), has_ended: false, task }
    }

    /// What comes next; `None` behind the last. Cancel safe.
    pub async fn next(&mut self) -> Option<News> {
        if self.has_ended {
            return None;
        }
        while self.taken.is_empty() {
            self.taken.extend(self.batches.recv().await?);
        }
        let news = self.taken.pop_front();
        self.has_ended = matches!(news, Some(News::Ended(_) | News::NeedsNewer));
        news
    }

    /// The link to the relay.
    #[must_use]
    pub fn link(&self) -> LinkStatus {
        self.following.link()
    }

    /// Closes the link, as far as that takes no time.
    pub async fn close(mut self) {
        self.following.close();
        // The task ends by itself; it is only waited for, so a panic in it is its own report.
        let _ = (&mut self.task).await;
    }
}

impl Drop for Reader {
    /// Lets the task end.
    fn drop(&mut self) {
        self.following.close();
    }
}

//! A site at work: its replica, its session, its slot on the disk and its link, under one handle.
//!
//! An edit is on this machine's disk when [`Site::edit`] returns. All the rest goes on in a task of its own.

mod choice;
mod drive;
mod gone;
pub mod rescue;
mod transfer;
mod whole;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use betwixt_core::edit::{Edit, EditFault, Outcome};
use betwixt_core::hlc::Millis;
use betwixt_core::id::{ItemId, ListUid, SiteId};
use betwixt_core::list::List;
use betwixt_core::log::Watermark;
use betwixt_core::name::ListName;
use betwixt_core::op::body::Kinds;
use betwixt_core::wire::Person;
use smol_str::SmolStr;
use tokio::sync::{Notify, watch};
use tokio::task::JoinHandle;

pub use self::choice::ChoiceError;
pub use self::transfer::{Moved, News};
use self::whole::Whole;
pub use self::whole::WholeError;
use crate::folder::{Folder, Slot};
use crate::replica::Kept;
use crate::{Address, Status};

/// What a site is opened with.
#[derive(Debug, Clone)]
pub struct Opening {
    /// The data folder.
    pub folder: Folder,
    /// Where the relay is.
    pub address: Address,
    /// What the list is called there.
    pub name: ListName,
    /// What the person is called.
    pub person: SmolStr,
    /// Kinds of ops that this program can carry out.
    pub kinds: Kinds,
}

/// A site at work on one list. Ends when it is closed or dropped.
#[derive(Debug)]
pub struct Site {
    shared: Arc<Shared>,
    task: tokio::sync::Mutex<Option<JoinHandle<()>>>,
    /// Held by whoever carries items to other lists.
    carrying: tokio::sync::Mutex<()>,
}

#[derive(Debug)]
struct Shared {
    whole: Mutex<Whole>,
    /// There is something to send, or something was decided.
    wake: Notify,
    /// The site is to end.
    close: Notify,
    /// Counts changes of what is shown.
    changes: watch::Sender<u64>,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Whole> {
        // A panic while the lock was held is a bug in pure code; what is on the disk is whole all the same.
        self.whole.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self) {
        self.changes.send_modify(|changes| *changes += 1);
    }
}

impl Site {
    /// Opens a list in a slot, and begins to dial its relay. Needs a multi-threaded tokio runtime.
    ///
    /// # Errors
    ///
    /// The folder or the slot's replica cannot be read.
    pub fn open(slot: Arc<Slot>, opening: Opening) -> Result<Self, WholeError> {
        let whole = Whole::open(slot, opening)?;
        let shared = Arc::new(Shared {
            whole: Mutex::new(whole),
            wake: Notify::new(),
            close: Notify::new(),
            changes: watch::Sender::new(0),
        });
        let driven = Arc::clone(&shared);
        let task = tokio::spawn(async move { crate::drive::drive(driven.as_ref()).await });
        Ok(Self { shared, task: tokio::sync::Mutex::new(Some(task)), carrying: tokio::sync::Mutex::new(()) })
    }

    /// Uses the list as shown: confirmed and pending.
    pub fn read<R>(&self, look: impl FnOnce(&List) -> R) -> R {
        look(self.shared.lock().replica.shown())
    }

    /// Makes an edit: it is on this machine's disk, shown, and on its way when this returns.
    ///
    /// # Errors
    ///
    /// It cannot be made, or cannot be kept; then nothing has changed.
    pub fn edit(&self, edit: &Edit) -> Result<Outcome, EditFault> {
        let outcome = self.shared.lock().edit(edit)?;
        self.shared.wake.notify_one();
        self.shared.tell();
        Ok(outcome)
    }

    /// How the site stands.
    #[must_use]
    pub fn status(&self) -> Status {
        self.shared.lock().status()
    }

    /// How far the log was read.
    #[must_use]
    pub fn mark(&self) -> Watermark {
        self.shared.lock().replica.confirmed().mark()
    }

    /// Which list it is.
    #[must_use]
    pub fn uid(&self) -> ListUid {
        self.shared.lock().replica.confirmed().uid()
    }

    /// What the list is called on the relay.
    #[must_use]
    pub fn name(&self) -> ListName {
        self.shared.lock().session.name().clone()
    }

    /// Who is on the list, and which of them this site is.
    #[must_use]
    pub fn people(&self) -> (Vec<Person>, SiteId) {
        let whole = self.shared.lock();
        (whole.session.people().to_vec(), whole.replica.site())
    }

    /// Tells others where this person is.
    pub fn here(&self, at: Option<ItemId>, editing: bool) {
        if self.shared.lock().here(at, editing) {
            self.shared.wake.notify_one();
        }
    }

    /// The drawer, by number.
    #[must_use]
    pub fn kept(&self) -> Vec<(u64, Kept)> {
        self.shared.lock().replica.kept().iter().map(|(number, kept)| (*number, kept.clone())).collect()
    }

    /// Takes something out of the drawer; it is gone then.
    ///
    /// # Errors
    ///
    /// The disk does not take it.
    pub fn discard(&self, number: u64) -> Result<Option<Kept>, EditFault> {
        let kept = self.shared.lock().release(number)?;
        self.shared.tell();
        Ok(kept)
    }

    /// Tries something from the drawer again, as a new edit.
    ///
    /// # Errors
    ///
    /// The edit cannot be made; then it stays in the drawer.
    pub fn take_up_again(&self, number: u64) -> Result<Outcome, EditFault> {
        let outcome = self.shared.lock().take_up_again(number)?;
        self.shared.wake.notify_one();
        self.shared.tell();
        Ok(outcome)
    }

    /// Counts up with each change of what is shown.
    #[must_use]
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.shared.changes.subscribe()
    }

    /// Waits until `holds`, for at most `limit`; says whether it did.
    pub async fn wait_until(&self, limit: Duration, mut holds: impl FnMut(&Status) -> bool) -> bool {
        let mut changes = self.changes();
        let wait = async {
            while !holds(&self.status()) {
                if changes.changed().await.is_err() {
                    return;
                }
            }
        };
        tokio::time::timeout(limit, wait).await.is_ok()
    }

    /// Ends the site: closes the link and frees what it holds of the slot. An edit after it is kept, and sent the next time
    /// that the list is opened. An extra call is harmless.
    pub async fn close(&self) {
        self.shared.close.notify_one();
        if let Some(task) = self.task.lock().await.take() {
            // It ends by itself and is only waited for, so a panic in it is its own report.
            let _ = task.await;
        }
        self.shared.lock().settle();
    }

    pub(crate) const fn carrying(&self) -> &tokio::sync::Mutex<()> {
        &self.carrying
    }
}

impl Drop for Site {
    /// Lets the task end, and with it what the site holds of the slot.
    fn drop(&mut self) {
        self.shared.close.notify_one();
    }
}

/// The wall clock.
#[must_use]
pub fn wall_clock() -> Millis {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    Millis(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}

/// A random number of the operating system.
///
/// # Panics
///
/// The operating system gives none: nothing can be made without it.
#[must_use]
pub fn os_random() -> u64 {
    getrandom::u64().expect("the operating system gives random numbers")
}

/// Milliseconds since some moment before; never jumps.
pub(crate) fn steady_clock(start: Instant) -> Millis {
    Millis(u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX))
}

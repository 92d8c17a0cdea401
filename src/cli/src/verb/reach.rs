//! A relay and how long a verb waits for it: what verbs need that look at lists from outside.

use std::sync::Arc;
use std::time::{Duration, Instant};

use betwixt_client::directory::{self, DirectoryError};
use betwixt_client::folder::Slot;
use betwixt_client::reader::Reading;
use betwixt_client::site::{Opening, os_random};
use betwixt_client::{Address, Folder, Site};
use betwixt_core::causes::Causes;
use betwixt_core::name::ListName;
use betwixt_core::wire::Listed;

use super::{faulty, is_settled};
use crate::args::Place;
use crate::keeper::Keeper;
use crate::place::kinds;
use crate::report::Report;

/// How soon a relay that is not there is asked again: the folder's own comes within moments.
const AGAIN: Duration = Duration::from_millis(40);

/// A relay within reach, and the data folder beside it.
pub(super) struct Reach {
    pub(super) place: Place,
    pub(super) folder: Folder,
    pub(super) address: Address,
    pub(super) keeper: Option<Keeper>,
    started: Instant,
}

/// Why a relay says nothing.
pub(super) enum Unanswered {
    /// None is there, in words; it may come.
    Offline(String),
    /// It will not answer, or this process should run it and cannot.
    Fault(Report),
}

impl From<Unanswered> for Report {
    fn from(unanswered: Unanswered) -> Self {
        match unanswered {
            Unanswered::Offline(why) => Self::new(why),
            Unanswered::Fault(report) => report,
        }
    }
}

/// Does a verb's work while this process helps to keep the folder's relay alive.
pub(super) fn run(place: &Place, work: impl AsyncFnOnce(&mut Reach) -> Result<(), Report>) -> Result<(), Report> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(async {
        let folder = place.folder()?;
        let address = place.address(&folder)?;
        let keeper = place.relay.is_none().then(|| Keeper::start(folder.path().to_owned()));
        let mut reach = Reach { place: place.clone(), folder, address, keeper, started: Instant::now() };
        let done = work(&mut reach).await;
        if let Some(keeper) = reach.keeper {
            keeper.end().await;
        }
        done
    })
}

impl Reach {
    /// What is left of the wait.
    pub(super) fn left(&self) -> Duration {
        self.place.wait.saturating_sub(self.started.elapsed())
    }

    /// Begins the wait anew: for another relay.
    pub(super) fn wait_anew(&mut self) {
        self.started = Instant::now();
    }

    /// The relay's lists whose names begin like this.
    pub(super) async fn lists(&self, prefix: &str) -> Result<Vec<Listed>, Unanswered> {
        self.ask(&self.address, async || directory::all(&self.address, prefix).await).await
    }

    /// The list of this name on a relay.
    pub(super) async fn find(&self, address: &Address, name: &ListName) -> Result<Option<Listed>, Unanswered> {
        self.ask(address, async || directory::find(address, name).await).await
    }

    /// Which list of this relay a reader is to read.
    pub(super) async fn reading(&self, name: &ListName) -> Result<Reading, Report> {
        let Some(found) = self.find(&self.address, name).await? else { return Err(no_list(name)) };
        Ok(Reading {
            address: self.address.clone(),
            name: found.name,
            uid: found.uid,
            person: self.place.person()?.into(),
            kinds: kinds(),
        })
    }

    /// Asks a relay until it answers, for as long as the verb waits.
    pub(super) async fn ask<R>(
        &self,
        address: &Address,
        question: impl AsyncFn() -> Result<R, DirectoryError>,
    ) -> Result<R, Unanswered> {
        let silent = format!("offline, no relay answers at {}", where_is(address));
        let answer = async {
            let mut why = silent.clone();
            loop {
                match tokio::time::timeout(self.left(), question()).await {
                    Ok(Ok(answer)) => return Ok(answer),
                    Ok(Err(error)) if error.is_final() => return Err(Unanswered::Fault(error.into())),
                    Ok(Err(DirectoryError::Dial(_))) => {}
                    Ok(Err(error)) => why = format!("offline, {}", Causes(&error)),
                    Err(_elapsed) => return Err(Unanswered::Offline(why)),
                }
                if self.left().is_zero() {
                    return Err(Unanswered::Offline(why));
                }
                tokio::time::sleep(AGAIN.min(self.left())).await;
            }
        };
        let own = self.keeper.as_ref().filter(|_| address.is_local());
        tokio::select! {
            biased;
            // A relay that this very process cannot run is not worth waiting for.
            () = faulty(own) => {
                let fault = own.and_then(Keeper::fault).map_or(silent, |fault| fault.line);
                Err(Unanswered::Fault(Report::new(fault)))
            }
            answer = answer => answer,
        }
    }

    /// Opens a list of a relay in a slot, and waits until it stands with its relay as well as it will.
    pub(super) async fn open(&self, slot: &Arc<Slot>, address: &Address, name: &ListName) -> Result<Site, Report> {
        let opening = Opening {
            folder: self.folder.clone(),
            address: address.clone(),
            name: name.clone(),
            person: self.place.person()?.into(),
            kinds: kinds(),
        };
        let site = Site::open(Arc::clone(slot), opening)?;
        site.wait_until(self.left(), is_settled).await;
        Ok(site)
    }

    /// A slot of the folder.
    pub(super) fn lease(&self) -> Result<Arc<Slot>, Report> {
        Ok(Arc::new(self.folder.lease(&mut os_random)?))
    }
}

/// Where a relay is, for people.
pub(super) fn where_is(address: &Address) -> String {
    if address.is_local() { "this folder".to_owned() } else { address.to_string() }
}

/// What is said of a list that the relay does not have.
pub(super) fn no_list(name: &ListName) -> Report {
    Report::new(format!("the relay has no list called {name}: `betwixt lists` names those that there are"))
}

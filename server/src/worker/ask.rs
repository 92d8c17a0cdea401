//! Those who ask for a list by its name: to open it, or to delete it. They wait while it is being looked for.
//!
//! The name decides which list it is; whether the one that a site means was deleted is known only from the store.
//! A deleted list is [`Gone`](betwixt_core::wire::ToSite::Gone) before anything else is said of its name, so that nobody
//! is asked to merge it with another.

use std::sync::Arc;

use betwixt_core::hlc::Millis;
use betwixt_core::id::ListUid;
use betwixt_core::name::ListName;
use betwixt_core::op::body::Kinds;
use betwixt_core::wire::{CloseReason, ToSite};
use betwixt_store::StoreError;

use super::command::{Found, Identity};
use super::hello::random_uid;
use super::open::Open;
use super::{Command, Deletion, Held, Hello, RETRY_DAMAGED, RETRY_STORAGE, Storage, Worker};
use crate::clock;
use crate::engine::{Engine, LoadError};
use crate::notice::Notice;
use crate::outbox::SessionId;

/// Somebody who asks for a list.
#[derive(Debug)]
pub(super) enum Ask {
    Hello(Hello),
    Delete(Deletion),
}

impl Ask {
    pub(super) const fn name(&self) -> &ListName {
        match self {
            Self::Hello(hello) => &hello.name,
            Self::Delete(deletion) => &deletion.name,
        }
    }

    /// Which list is meant, if the site knows one.
    pub(super) const fn uid(&self) -> Option<ListUid> {
        match self {
            Self::Hello(hello) => hello.uid,
            Self::Delete(deletion) => Some(deletion.uid),
        }
    }

    pub(super) fn is_of(&self, session: SessionId) -> bool {
        matches!(self, Self::Hello(hello) if hello.session == session)
    }

    /// Closes the link instead of an answer.
    pub(super) fn turn_away(&self, reason: CloseReason, retry_after: Millis) {
        match self {
            Self::Hello(hello) => hello.turn_away(reason, retry_after),
            Self::Delete(deletion) => deletion.outbox.close(reason, retry_after),
        }
    }

    /// Says that the list was deleted.
    pub(super) fn say_gone(&self, uid: ListUid) {
        match self {
            Self::Hello(hello) => hello.say_gone(uid),
            Self::Delete(deletion) => deletion.outbox.reply(&ToSite::Gone { uid }),
        }
    }

    /// Says that another list has the name.
    fn say_other_list(&self, uid: ListUid) {
        match self {
            Self::Hello(hello) => hello.say_other_list(uid),
            Self::Delete(deletion) => {
                deletion.outbox.reply(&ToSite::OtherList { name: deletion.name.clone(), uid });
            }
        }
    }
}

impl Worker {
    /// Answers somebody who asks for a list, at once or when it is known which one has the name.
    pub(super) fn admit(&mut self, ask: Ask) {
        if self.draining.is_some() {
            return;
        }
        let name = ask.name().clone();
        match self.lists.get_mut(&name) {
            Some(Held::Loading(waiting)) => waiting.push(ask),
            Some(Held::Deleting(deleting)) => deleting.take(ask),
            Some(Held::Open(open)) if ask.uid().is_none_or(|uid| uid == open.room().list().uid()) => match ask {
                Ask::Hello(hello) => self.with_open(&name, |open, task| open.greet(hello, task)),
                Ask::Delete(_) if self.storage == Storage::Down => {
                    ask.turn_away(CloseReason::Storage, RETRY_STORAGE);
                }
                Ask::Delete(deletion) => self.delete(deletion),
            },
            Some(Held::Open(_)) => self.judge(ask),
            // What the store has of the list is known only when it is open again.
            None if self.storage == Storage::Down => ask.turn_away(CloseReason::Storage, RETRY_STORAGE),
            None => self.look_for(ask),
        }
    }

    /// Has the store looked into for a list that is not open.
    fn look_for(&mut self, ask: Ask) {
        let name = ask.name().clone();
        let (engine, sender) = (Arc::clone(&self.shared.engine), self.channels.sender.clone());
        let (kinds, uid) = (self.shared.options.kinds, ask.uid());
        // A list that is to be deleted is not loaded: a damaged one can be deleted too.
        let is_hello = matches!(ask, Ask::Hello(_));
        self.lists.insert(name.clone(), Held::Loading(vec![ask]));
        self.shared.runtime.spawn_blocking(move || {
            let _ = sender.send(if is_hello {
                let found = open_stored(&*engine, &name, uid, kinds);
                Command::Loaded { name, found }
            } else {
                let found = identify(&*engine, &name, uid);
                Command::Identified { name, uid, found }
            });
        });
    }

    /// A list was loaded, or there is none.
    pub(super) fn note_loaded(&mut self, name: &ListName, found: Result<Found, LoadError>) {
        let Some(waiting) = self.take_waiting(name) else { return };
        match found {
            Ok(Found::List(loaded)) => {
                self.lists.insert(name.clone(), Held::Open(Box::new(Open::loaded(name.clone(), *loaded))));
                for ask in waiting {
                    self.admit(ask);
                }
            }
            Ok(Found::Nothing { uid, deleted }) => {
                for ask in waiting {
                    let known = ask.uid();
                    match (uid, &ask) {
                        (Some(uid), _) if deleted && known == Some(uid) => {
                            ask.say_gone(uid);
                            continue;
                        }
                        // The first one makes the list. One that knows a list which was not looked for waits again.
                        (_, Ask::Hello(_)) if !self.lists.contains_key(name) && (known.is_none() || known == uid) => {
                            let open = Open::new(name.clone(), known.unwrap_or_else(random_uid), clock::now());
                            self.lists.insert(name.clone(), Held::Open(Box::new(open)));
                        }
                        _ => {}
                    }
                    self.admit(ask);
                }
            }
            Err(fault) => {
                let damaged = matches!(fault, LoadError::Damaged { .. });
                let (hellos, deletions): (Vec<_>, Vec<_>) =
                    waiting.into_iter().partition(|ask| !damaged || matches!(ask, Ask::Hello(_)));
                self.close_for(fault, &hellos);
                for ask in deletions {
                    self.admit(ask);
                }
            }
        }
    }

    /// It is known which list has the name of one that is to be deleted.
    pub(super) fn note_identified(
        &mut self,
        name: &ListName,
        uid: Option<ListUid>,
        found: Result<Identity, LoadError>,
    ) {
        let Some(waiting) = self.take_waiting(name) else { return };
        let Identity { held, deleted } = match found {
            Ok(found) => found,
            Err(fault) => {
                self.close_for(fault, &waiting);
                return;
            }
        };
        for ask in waiting {
            match ask {
                Ask::Delete(deletion) if Some(deletion.uid) == uid && !self.lists.contains_key(name) => {
                    self.delete_stored(deletion, held, deleted);
                }
                // Others have to be looked for by themselves.
                ask => self.admit(ask),
            }
        }
    }

    /// Deletes a list that is not open, if it is the one that has the name.
    fn delete_stored(&mut self, deletion: Deletion, held: Option<ListUid>, deleted: bool) {
        match held {
            Some(held) if held == deletion.uid => {
                if self.storage == Storage::Down {
                    deletion.outbox.close(CloseReason::Storage, RETRY_STORAGE);
                } else {
                    self.delete(deletion);
                }
            }
            Some(held) if !deleted => Ask::Delete(deletion).say_other_list(held),
            _ => deletion.outbox.reply(&ToSite::Gone { uid: deletion.uid }),
        }
    }

    /// Has it looked for whether the list that is meant was deleted: another one has its name.
    fn judge(&mut self, ask: Ask) {
        let Some(uid) = ask.uid() else { return };
        let (name, engine, sender) =
            (ask.name().clone(), Arc::clone(&self.shared.engine), self.channels.sender.clone());
        self.judged.push(ask);
        self.shared.runtime.spawn_blocking(move || {
            let deleted = engine.is_deleted(uid);
            let _ = sender.send(Command::Judged { name, uid, deleted });
        });
    }

    /// It is known whether a list was deleted whose name another one had when that was asked.
    pub(super) fn note_judged(&mut self, name: &ListName, uid: ListUid, deleted: Result<bool, StoreError>) {
        let asks: Vec<Ask> = self.judged.extract_if(.., |ask| ask.name() == name && ask.uid() == Some(uid)).collect();
        let deleted = match deleted {
            Ok(deleted) => deleted,
            Err(source) => return self.close_for(LoadError::Store { list: name.clone(), source }, &asks),
        };
        for ask in asks {
            match self.lists.get(name) {
                _ if deleted => ask.say_gone(uid),
                Some(Held::Open(open)) if open.room().list().uid() != uid => {
                    ask.say_other_list(open.room().list().uid());
                }
                // The other one is not there any more.
                _ => self.admit(ask),
            }
        }
    }

    fn take_waiting(&mut self, name: &ListName) -> Option<Vec<Ask>> {
        let waiting = match self.lists.get_mut(name) {
            Some(Held::Loading(waiting)) => std::mem::take(waiting),
            _ => return None,
        };
        self.lists.remove(name);
        Some(waiting)
    }

    /// Closes the links of those who asked for a list that cannot be read.
    fn close_for(&self, fault: LoadError, asks: &[Ask]) {
        let (reason, retry) = match fault {
            LoadError::Store { .. } => (CloseReason::Storage, RETRY_STORAGE),
            LoadError::Damaged { .. } => (CloseReason::Damaged, RETRY_DAMAGED),
        };
        self.shared.notices.say(Notice::List(Arc::new(fault)));
        for ask in asks {
            ask.turn_away(reason, retry);
        }
    }
}

/// What a site finds that opens a list which is not open.
fn open_stored(engine: &dyn Engine, name: &ListName, uid: Option<ListUid>, kinds: Kinds) -> Result<Found, LoadError> {
    if let Some(loaded) = engine.load(name, kinds)? {
        return Ok(Found::List(Box::new(loaded)));
    }
    Ok(Found::Nothing { uid, deleted: is_deleted(engine, name, uid)? })
}

/// What a site finds that deletes a list which is not open.
fn identify(engine: &dyn Engine, name: &ListName, uid: Option<ListUid>) -> Result<Identity, LoadError> {
    Ok(Identity { held: engine.identity(name)?, deleted: is_deleted(engine, name, uid)? })
}

fn is_deleted(engine: &dyn Engine, name: &ListName, uid: Option<ListUid>) -> Result<bool, LoadError> {
    let deleted = uid.map_or(Ok(false), |uid| engine.is_deleted(uid));
    deleted.map_err(|source| LoadError::Store { list: name.clone(), source })
}

//! An open list: its room, the sessions on it, those that wait to be answered, and what it tells them from time to time.

mod catch_up;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use betwixt_core::hlc::Millis;
use betwixt_core::id::{ItemId, ListUid, SiteId};
use betwixt_core::limits::PRESENCE_EVERY;
use betwixt_core::list::List;
use betwixt_core::log::Watermark;
use betwixt_core::name::ListName;
use betwixt_core::wire::json::Skipped;
use betwixt_core::wire::{CloseReason, Figures, Message as _, Person, ToSite, json};
use bytes::Bytes;
use smol_str::SmolStr;

use self::catch_up::CatchUp;
use super::people::message_of;
use super::recent::Recent;
use crate::engine::{Append, Loaded, Meta, Record};
use crate::figures::{Board, figures_of};
use crate::outbox::{Outbox, SessionId};
use crate::room::rate::Rate;
use crate::room::sketch::{One, Pushed};
use crate::room::{Room, Rules, Verdict};

/// How long a list that nobody has open stays loaded.
const GRACE: Duration = Duration::from_secs(10);
/// How often figures are told at most.
const FIGURES_EVERY: Duration = Duration::from_secs(1);

/// An open list.
pub(super) struct Open {
    name: ListName,
    room: Room,
    /// What the list's record says, or will when it has one.
    meta: Meta,
    recent: Recent,
    rate: Rate,
    members: BTreeMap<SessionId, Member>,
    catch_up: CatchUp,
    people: Told,
    figures: Told,
    shown: Option<Figures>,
    /// When nobody had it open any more.
    idle_since: Option<Instant>,
}

/// A session on the list.
struct Member {
    site: SiteId,
    name: SmolStr,
    at: Option<ItemId>,
    editing: bool,
    /// Whether it was welcomed, and counts as present.
    present: bool,
    outbox: Arc<Outbox>,
}

/// Something that is told to all, not more often than every so much.
struct Told {
    every: Duration,
    last: Option<Instant>,
    due: Option<Instant>,
    message: Option<Bytes>,
}

impl Told {
    const fn every(every: Duration) -> Self {
        Self { every, last: None, due: None, message: None }
    }

    /// There is something new: it is told as soon as it may be.
    fn note_change(&mut self) {
        if self.due.is_none() {
            let now = Instant::now();
            self.due = Some(self.last.map_or(now, |last| (last + self.every).max(now)));
        }
    }

    fn take_due(&mut self, now: Instant) -> bool {
        let is_due = self.due.is_some_and(|due| due <= now);
        if is_due {
            (self.due, self.last) = (None, Some(now));
        }
        is_due
    }
}

impl Open {
    /// A list that the store does not have yet.
    pub(super) fn new(name: ListName, uid: ListUid, now: Millis) -> Self {
        let meta = Meta { uid, made: now, title: SmolStr::default() };
        Self::with(name, List::new(uid), meta, CatchUp::default())
    }

    /// A list as the store has it.
    pub(super) fn loaded(name: ListName, loaded: Loaded) -> Self {
        let catch_up =
            CatchUp::with_stored(loaded.snapshot_seq, loaded.snapshot_bytes, loaded.log_bytes, loaded.first_seq);
        Self::with(name, loaded.list, loaded.meta, catch_up)
    }

    fn with(name: ListName, list: List, meta: Meta, catch_up: CatchUp) -> Self {
        Self {
            name,
            recent: Recent::behind(list.mark().seq),
            room: Room::new(list),
            meta,
            rate: Rate::default(),
            members: BTreeMap::new(),
            catch_up,
            people: Told::every(Duration::from_millis(PRESENCE_EVERY.0)),
            figures: Told::every(FIGURES_EVERY),
            shown: None,
            idle_since: Some(Instant::now()),
        }
    }

    pub(super) const fn room(&self) -> &Room {
        &self.room
    }

    /// When [`Open::ring`] has something to do.
    pub(super) fn due(&self) -> Option<Instant> {
        let idle = self.idle_since.map(|since| since + GRACE);
        [self.people.due, self.figures.due, idle].into_iter().flatten().min()
    }

    /// Whether nobody has had it open for long, and all of it is on the disk.
    pub(super) fn is_idle_since(&self, now: Instant) -> bool {
        self.room.is_durable() && self.idle_since.is_some_and(|since| since + GRACE <= now)
    }

    /// Sequences ops of a session; returns what is to be appended to the log.
    ///
    /// A session that is gone, since its link was replaced or closed, says nothing any more.
    pub(super) fn push(&mut self, session: SessionId, ops: Pushed, now: Millis, rules: Rules<'_>) -> Option<Append> {
        let member = self.members.get(&session)?;
        let list = self.room.list().uid();
        let mut records = Vec::new();
        let mut told = None;
        // Of a script that has to be told: a site knows what it has sent before.
        let (mut repeated, mut unconnected) = (None, None);
        for one in ops.each() {
            let (op, is_sketch) = (one.id(member.site), matches!(one, One::Sketch(_)));
            let reply = match self.room.take(one, member.site, now, rules) {
                Verdict::Sequenced(entry) => {
                    let record = Record { seq: entry.seq, bytes: Bytes::from(entry.to_bytes()) };
                    self.recent.push(record.clone());
                    records.push(record);
                    continue;
                }
                Verdict::Repeat => {
                    repeated = is_sketch.then_some(op).max(repeated);
                    continue;
                }
                Verdict::Resend => {
                    unconnected = is_sketch.then_some(op).max(unconnected);
                    continue;
                }
                Verdict::Refused(code) => ToSite::Refused { list, op, code },
                Verdict::Stale { need_seq } => ToSite::Stale { list, need_seq },
                Verdict::Collision { need_seq } => ToSite::Collision { list, need_seq },
            };
            // All ops behind a stale one are stale: once is enough.
            if told.as_ref() != Some(&reply) {
                member.outbox.reply(&reply);
                told = Some(reply);
            }
        }
        let known = self.room.list().site(member.site).map_or(0, |site| site.ctr);
        for (op, why) in [(repeated, Skipped::Repeat), (unconnected, Skipped::Unconnected)] {
            if let Some(op) = op {
                member.outbox.tell(json::skipped(list, op, known, why));
            }
        }
        if records.is_empty() {
            return None;
        }
        self.rate.add(now, u32::try_from(records.len()).unwrap_or(u32::MAX));
        let meta = self.renewed_meta(records.first().is_some_and(|first| first.seq == 1));
        Some(Append { name: self.name.clone(), meta, records })
    }

    /// What the list's record has to say from now on, if that is another.
    fn renewed_meta(&mut self, is_made: bool) -> Option<Meta> {
        let title = self.room.list().title().unwrap_or_default();
        let is_other = is_made || self.meta.title != title;
        is_other.then(|| {
            self.meta.title = title.into();
            self.meta.clone()
        })
    }

    pub(super) fn note_here(&mut self, session: SessionId, at: Option<ItemId>, editing: bool) {
        if let Some(member) = self.members.get_mut(&session)
            && (member.at, member.editing) != (at, editing)
        {
            (member.at, member.editing) = (at, editing);
            self.people.note_change();
        }
    }

    pub(super) fn leave(&mut self, session: SessionId) {
        if self.members.remove(&session).is_some() {
            self.people.note_change();
            self.figures.note_change();
        }
        self.catch_up.forget(session);
        if self.members.is_empty() {
            self.idle_since.get_or_insert_with(Instant::now);
        }
    }

    /// Closes the link of a session, which comes back later.
    pub(super) fn turn_away(&mut self, session: SessionId, reason: CloseReason, retry_after: Millis) {
        if let Some(member) = self.members.get(&session) {
            member.outbox.close(reason, retry_after);
            self.leave(session);
        }
    }

    /// Its sessions, which are told elsewhere what becomes of the list.
    pub(super) fn into_sessions(self) -> Vec<(SessionId, Arc<Outbox>)> {
        self.members.into_iter().map(|(session, member)| (session, member.outbox)).collect()
    }

    /// Closes the links of all sessions.
    pub(super) fn close_all(self, reason: CloseReason, retry_after: Millis) {
        for member in self.members.values() {
            member.outbox.close(reason, retry_after);
        }
    }

    /// Tells people and figures whose time has come.
    pub(super) fn ring(&mut self, now: Instant, clock: Millis, board: &Board) {
        let list = self.room.list().uid();
        if self.people.take_due(now) {
            let people = self.members.values().filter(|member| member.present).map(Member::person);
            let message = message_of(list, people);
            self.tell(&message);
            self.people.message = Some(message);
        }
        if self.figures.take_due(now) {
            let figures = figures_of(self.room.list(), self.members.len(), self.rate.per_second(clock));
            if self.shown != Some(figures) {
                let message = Bytes::from(ToSite::Figures { list, figures }.to_bytes());
                self.tell(&message);
                self.figures.message = Some(message);
                self.shown = Some(figures);
                board.put(&self.name, figures);
            }
            if figures.ops > 0 {
                // What was counted a second ago no longer does.
                self.figures.note_change();
            }
        }
    }

    /// Sends what is durable since `before` to all that are live.
    fn broadcast(&mut self, before: Watermark) {
        let (list, durable) = (self.room.list().uid(), self.room.durable());
        for (last, message) in self.recent.messages(list, before.seq, durable.seq) {
            for (session, member) in &self.members {
                member.outbox.with(|queue| queue.offer_entries(*session, last, &message));
            }
        }
        self.recent.trim(durable.seq);
        self.figures.note_change();
    }

    /// Sends presence or figures to all that are live.
    fn tell(&self, message: &Bytes) {
        for (session, member) in &self.members {
            member.outbox.with(|queue| queue.offer_note(*session, message));
        }
    }
}

impl Member {
    fn person(&self) -> Person {
        Person { site: self.site, name: self.name.clone(), at: self.at, editing: self.editing }
    }
}

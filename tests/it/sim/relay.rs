//! The relay: the production room over the production engine, with the worker and the committer between them as thin as can
//! be. A commit is an event of its own; what is sequenced before it is lost with a crash.

use std::sync::Arc;

use betwixt_core::hlc::Millis;
use betwixt_core::id::{ListUid, SiteId};
use betwixt_core::limits::Limits;
use betwixt_core::list::List;
use betwixt_core::log::{Entry, Watermark};
use betwixt_core::name::ListName;
use betwixt_core::op::Op;
use betwixt_core::op::body::Kinds;
use betwixt_core::snapshot;
use betwixt_core::wire::{Hello, ToSite, VERSION, Welcome};
use betwixt_relay::engine::{Append, Behind, Delete, Engine as _, LogLimits, Meta, Record, Stored};
use betwixt_relay::room::{Room, Rules, Verdict};
use betwixt_relay::snapshot::Snapshot;
use betwixt_store::Store;
use betwixt_store::memory::MemoryStore;

use super::fault::Rule;
use super::seeded::Seeded;

/// Entries that a site reads as they are, whatever a snapshot would save.
const FEW_ENTRIES: u64 = 24;
/// What is left of a log that is trimmed: a few entries.
const LOG: LogLimits = LogLimits { bytes_max: 4_000, age_max: Millis(3_000), entries_min: 6 };
/// Bytes of a part of a snapshot: several for a list of a few items.
const PART_BYTES: usize = 900;

pub(super) struct Relay {
    pub(super) disk: Arc<MemoryStore>,
    engine: Stored,
    name: ListName,
    /// The list that has the name; a list in which nothing was written is known to this process only.
    uid: Option<ListUid>,
    pub(super) room: Option<Room>,
    /// Sequenced, and not on the disk yet.
    pub(super) tail: Vec<Entry>,
    pub(super) commit_at: Option<Millis>,
    pub(super) down_until: Millis,
    pub(super) limits: Limits,
    /// A list that snapshots are sent of: durable, but not always the newest.
    cached: Option<List>,
    without: Option<Rule>,
}

impl Relay {
    pub(super) fn new(without: Option<Rule>) -> Self {
        let disk = Arc::new(MemoryStore::default());
        let opened = Arc::clone(&disk);
        let engine = Stored::open_with(move || Ok(Arc::clone(&opened) as Arc<dyn Store>)).expect("memory opens");
        let name = "list".parse().expect("a name");
        let limits = Limits::DEFAULT;
        let (tail, down_until) = (Vec::new(), Millis(0));
        Self {
            disk,
            engine,
            name,
            uid: None,
            room: None,
            tail,
            commit_at: None,
            down_until,
            limits,
            cached: None,
            without,
        }
    }

    /// The list that has the name, if one has.
    pub(super) fn uid(&self) -> Option<ListUid> {
        self.uid.or_else(|| self.engine.identity(&self.name).expect("what was written is read"))
    }

    /// The list that has the name.
    pub(super) fn list(&self) -> ListUid {
        self.uid().expect("some machine has opened the list")
    }

    /// The room, loaded if it is not open.
    pub(super) fn room(&mut self) -> &mut Room {
        let uid = self.list();
        let (engine, name) = (&self.engine, &self.name);
        self.room.get_or_insert_with(|| {
            let loaded = engine.load(name, Kinds::KNOWN).expect("what was written is read");
            Room::new(loaded.map_or_else(|| List::new(uid), |loaded| loaded.list))
        })
    }

    /// Deletes the list, which is durable; returns which it was, or nothing if that fails.
    pub(super) fn delete(&mut self, remembers: bool) -> Option<ListUid> {
        let (name, uid) = (self.name.clone(), self.list());
        // A relay that does not remember writes down that some other list was deleted.
        let recorded = if remembers { uid } else { ListUid::from_bytes([0; 16]) };
        self.engine.commit(&[Delete { name, uid: recorded, at: Millis(0) }.into()]).ok()?;
        (self.uid, self.room, self.cached) = (None, None, None);
        Some(uid)
    }

    /// The process ends: what was not on the disk is gone.
    pub(super) fn crash(&mut self) {
        (self.uid, self.room, self.commit_at, self.cached) = (None, None, None, None);
        self.tail.clear();
        self.engine.reopen().expect("memory opens");
    }

    /// The durable log behind an entry; nothing if it was trimmed there.
    fn log_behind(&self, seq: u64) -> Option<Vec<Entry>> {
        match self.engine.read(&self.name, seq, usize::MAX).expect("what was written is read") {
            Behind::Entries(records) => {
                Some(records.iter().map(|record| Entry::from_bytes(&record.bytes).expect("an entry")).collect())
            }
            Behind::Trimmed => None,
        }
    }

    pub(super) fn push(&mut self, op: Op, session: SiteId, clock: Millis) -> Verdict {
        let (limits, without) = (self.limits.clone(), self.without);
        let rules = Rules { limits: &limits, kinds: Kinds::KNOWN };
        let clock = if without == Some(Rule::ClockLimit) { clock.plus(Millis(1 << 40)) } else { clock };
        let room = self.room();
        let verdict = match room.push(op.clone(), session, clock, rules) {
            Verdict::Repeat if without == Some(Rule::Dedupe) => {
                let mut list = room.list().clone();
                let entry = Entry::behind(list.mark(), op);
                list.apply(&entry, Kinds::KNOWN).expect("it continues the log");
                *room = Room::new(list);
                Verdict::Sequenced(entry)
            }
            verdict => verdict,
        };
        if let Verdict::Sequenced(entry) = &verdict {
            self.tail.push(entry.clone());
        }
        verdict
    }

    /// Brings the tail to the disk; returns it, now acknowledged, or nothing if that fails.
    pub(super) fn commit(&mut self) -> Option<Vec<Entry>> {
        self.commit_at = None;
        let tail = std::mem::take(&mut self.tail);
        let Some(last) = tail.last() else { return Some(tail) };
        let mark = last.mark();
        let is_made = tail.first().is_some_and(|first| first.seq == 1);
        let uid = self.list();
        let meta = is_made.then(|| Meta { uid, made: Millis(0), title: "".into() });
        let records = tail.iter().map(|entry| Record { seq: entry.seq, bytes: entry.to_bytes().into() }).collect();
        self.engine.commit(&[Append { name: self.name.clone(), meta, records }.into()]).ok()?;
        self.room().note_durable(mark);
        Some(tail)
    }

    /// Stores a snapshot of a list that is durable.
    pub(super) fn save(&mut self) -> bool {
        let list = self.room().list().clone();
        let saved = self.engine.save(&self.name, &Snapshot::of(&list)).is_ok();
        self.cached = Some(list);
        saved
    }

    /// Trims the log of a list whose snapshot was stored just now; tells its first entry then, if that could be done.
    pub(super) fn trim(&mut self, clock: Millis) -> Option<u64> {
        let (uid, upto) = (self.list(), self.room().head().seq);
        let left = self.engine.trim(&self.name, uid, upto, &LOG, clock).ok()?;
        left.map(|left| left.first)
    }

    /// The answer to a `Hello`, up to and with the entries that are missing, and whether it is a snapshot.
    pub(super) fn greet(&mut self, hello: &Hello, clock: Millis, random: &mut Seeded) -> (Vec<ToSite>, bool) {
        let known = hello.uid.expect("a site knows which list it means");
        if self.engine.is_deleted(known).expect("memory answers") {
            return (vec![ToSite::Gone { uid: known }], false);
        }
        let uid = self.uid().unwrap_or(known);
        if uid != known {
            return (vec![ToSite::OtherList { name: self.name.clone(), uid }], false);
        }
        self.uid = Some(uid);
        let head = self.room().head();
        let mut messages = Vec::new();
        let mut after = hello.mark.seq;
        let trimmed = self.log_behind(after).is_none() && self.without != Some(Rule::TrimmedIsSnapshot);
        let from_snapshot = trimmed || self.wants_snapshot(hello, head);
        if from_snapshot {
            let cached = self.cached.take().filter(|cached| self.log_behind(cached.mark().seq).is_some());
            let whole = cached.unwrap_or_else(|| self.room().list().clone());
            after = whole.mark().seq;
            messages.push(ToSite::SnapshotBegin(Box::new(snapshot::begin(&whole))));
            messages.extend(snapshot::parts(&whole, PART_BYTES).map(|part| ToSite::SnapshotPart { list: uid, part }));
            messages.push(ToSite::SnapshotEnd { list: uid });
        }
        let last = self.room().list().site(hello.secret.site()).map(|site| (site.ctr, site.hash));
        messages.push(ToSite::Welcome(Box::new(Welcome {
            version: VERSION,
            name: self.name.clone(),
            uid,
            head: head.seq,
            limits: self.limits.clone(),
            clock,
            last,
        })));
        // What is left of it, where a relay does not care what the site has read.
        let mut missing = (after..=head.seq).find_map(|after| self.log_behind(after)).unwrap_or_default();
        // Empty, but for a relay without the barrier.
        missing.extend(self.tail.iter().filter(|entry| entry.seq > after).cloned());
        let together = 1 + random.place(8);
        messages
            .extend(missing.chunks(together).map(|entries| ToSite::Entries { list: uid, entries: entries.to_vec() }));
        (messages, from_snapshot)
    }

    fn wants_snapshot(&mut self, hello: &Hello, head: Watermark) -> bool {
        let seq = hello.mark.seq;
        if self.without == Some(Rule::ChainCheck) {
            return seq > head.seq;
        }
        if self.without == Some(Rule::TrimmedIsSnapshot) && self.log_behind(seq).is_none() {
            return false;
        }
        let chain_there = self.engine.chain_at(&self.name, seq).expect("what was written is read");
        let read_here = match seq {
            0 => hello.mark == Watermark::start(self.list()),
            seq if seq == head.seq => hello.mark == head,
            seq => seq < head.seq && chain_there == Some(hello.mark.chain),
        };
        !read_here || (!hello.pending && head.seq - seq > FEW_ENTRIES)
    }
}

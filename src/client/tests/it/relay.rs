//! A relay in memory: one list, its log, and the rules of a push as the design has them.

use betwixt_core::hlc::{Millis, tick_limit};
use betwixt_core::id::{ListUid, SiteId};
use betwixt_core::limits::{KEY_JUMP_BYTES, KEY_SOFT_BYTES, Limits, SENT_BYTES_MAX};
use betwixt_core::list::List;
use betwixt_core::log::Entry;
use betwixt_core::op::body::Kinds;
use betwixt_core::op::{Body, Op};
use betwixt_core::register::Register;
use betwixt_core::snapshot;
use betwixt_core::wire::{Hello, RefusedCode, ToSite, Welcome};

/// A text with this in it is refused.
pub(crate) const BAD: &str = "bad";

#[derive(Debug, Clone)]
pub(crate) struct Relay {
    pub(crate) list: List,
    pub(crate) log: Vec<Entry>,
    /// The log up to here is not kept any more.
    pub(crate) trimmed: u64,
    pub(crate) clock: Millis,
    pub(crate) items_max: usize,
}

impl Relay {
    pub(crate) fn new(uid: ListUid) -> Self {
        let clock = Millis(1_000_000_000);
        Self { list: List::new(uid), log: Vec::new(), trimmed: 0, clock, items_max: 100_000 }
    }

    pub(crate) fn head(&self) -> u64 {
        self.list.mark().seq
    }

    /// The answer to a `Hello`, up to and with the entries that are missing.
    pub(crate) fn hello(&self, hello: &Hello) -> Vec<ToSite> {
        let list = self.list.uid();
        if hello.uid != Some(list) {
            return vec![ToSite::OtherList { name: hello.name.clone(), uid: list }];
        }
        let chain_there = match hello.mark.seq {
            0 => Some(List::new(list).mark().chain),
            seq => usize::try_from(seq - 1).ok().and_then(|at| self.log.get(at)).map(|entry| entry.chain),
        };
        let mut said = Vec::new();
        let mut from = hello.mark.seq;
        if chain_there != Some(hello.mark.chain) || from < self.trimmed {
            said.push(ToSite::SnapshotBegin(Box::new(snapshot::begin(&self.list))));
            said.extend(
                snapshot::parts(&self.list, SENT_BYTES_MAX / 64).map(|part| ToSite::SnapshotPart { list, part }),
            );
            said.push(ToSite::SnapshotEnd { list });
            from = self.head();
        }
        let site = self.list.site(hello.secret.site()).map(|site| (site.ctr, site.hash));
        said.push(ToSite::Welcome(Box::new(Welcome {
            version: 1,
            name: hello.name.clone(),
            uid: list,
            head: self.head(),
            limits: Limits::DEFAULT,
            clock: self.clock,
            last: site,
        })));
        let missing = self.log.iter().filter(|entry| entry.seq > from);
        said.extend(missing.map(|entry| ToSite::Entries { list, entries: vec![entry.clone()] }));
        said
    }

    /// Takes a pushed op: the entry for everybody, or the answer for its site alone, or neither.
    pub(crate) fn push(&mut self, session: SiteId, op: Op) -> (Option<Entry>, Option<ToSite>) {
        let list = self.list.uid();
        let refused = |code| (None, Some(ToSite::Refused { list, op: op.id(), code }));
        let known = self.list.site(op.site).cloned();
        if let Some(last) = known.as_ref().filter(|last| op.ctr <= last.ctr) {
            let collides = op.ctr == last.ctr && op.hash != last.hash;
            return (None, collides.then(|| ToSite::Collision { list, need_seq: self.head() }));
        }
        if op.site != session {
            return refused(RefusedCode::ForeignSite);
        }
        if op.body.registers().iter().any(|register| matches!(register, Register::Text(text) if text.contains(BAD))) {
            return refused(RefusedCode::Control);
        }
        if op.hlc.tick > tick_limit(self.clock, self.list.highest()) {
            return refused(RefusedCode::Clock);
        }
        if known.is_none() && op.ctr != 1 {
            return refused(RefusedCode::NotJoined);
        }
        if op.prev != known.map_or(0, |last| last.ctr) {
            return (None, None);
        }
        let too_long = |bytes: usize| bytes > KEY_SOFT_BYTES && bytes > self.list.lengths().longest() + KEY_JUMP_BYTES;
        match &op.body {
            Body::Put(put) if self.list.item(put.item).is_none() => return refused(RefusedCode::Gone),
            Body::Add(_) if self.list.items().len() >= self.items_max => return refused(RefusedCode::Full),
            body if body.key().is_some_and(|key| too_long(key.len())) => return refused(RefusedCode::KeyJump),
            _ => {}
        }
        (Some(self.sequence(op)), None)
    }

    /// Puts an op into the log, whatever it says.
    pub(crate) fn sequence(&mut self, op: Op) -> Entry {
        let entry = Entry::behind(self.list.mark(), op);
        self.list.apply(&entry, Kinds::KNOWN.and(63)).expect("the entry continues the log");
        self.log.push(entry.clone());
        entry
    }

    /// Forgets the last entries, as a store that had not synced them does.
    pub(crate) fn lose(&mut self, entries: usize) {
        let left = self.log.len().saturating_sub(entries);
        self.log.truncate(left.max(usize::try_from(self.trimmed).expect("few entries")));
        self.list = List::new(self.list.uid());
        for entry in &self.log {
            self.list.apply(entry, Kinds::KNOWN.and(63)).expect("a log is applied again");
        }
    }
}

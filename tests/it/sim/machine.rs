//! A machine: the production replica, session and store of one site, on a disk that tests can copy.

use betwixt_client::replica::{Replica, Write};
use betwixt_client::session::{Patience, Session, new_secret};
use betwixt_client::store::{self, Meta};
use betwixt_core::hlc::{Hlc, Millis};
use betwixt_core::id::ListUid;
use betwixt_core::op::Body;
use betwixt_core::op::body::Kinds;
use betwixt_store::Store as _;
use betwixt_store::memory::{Contents, MemoryStore};

use super::seeded::Seeded;

pub(super) const UID: ListUid = ListUid::from_bytes([7; 16]);

pub(super) struct Machine {
    pub(super) replica: Replica,
    pub(super) session: Session,
    pub(super) disk: MemoryStore,
    pub(super) meta: Meta,
    pub(super) random: Seeded,
    /// How far its clock is ahead of the relay's.
    pub(super) ahead: i64,
    /// The link that its session has.
    pub(super) link: Option<u64>,
    /// No link can be made before.
    pub(super) away_until: Millis,
    /// Not looked at again before: a session may ask for the moment that is.
    pub(super) looked_at: Millis,
    /// What a machine without the rule that an edit is on the disk first has not written yet.
    pub(super) unwritten: Vec<Write>,
}

impl Machine {
    pub(super) fn new(seed: u64) -> Self {
        let mut random = Seeded(seed);
        let secret = new_secret(&mut || random.next());
        let meta = Meta { relay: "local".into(), name: "list".parse().expect("a name"), secret };
        let disk = MemoryStore::default();
        disk.commit(&store::put_meta(UID, &meta)).expect("memory takes all");
        Self {
            replica: load(&disk, &meta),
            session: session(),
            disk,
            meta,
            random,
            ahead: 0,
            link: None,
            away_until: Millis(0),
            looked_at: Millis(0),
            unwritten: Vec::new(),
        }
    }

    /// The program ends, and starts with what is on the disk.
    pub(super) fn start(&mut self) {
        self.meta = store::meta(&self.disk, UID).expect("memory answers").expect("a replica is there");
        self.unwritten.clear();
        self.reload();
        self.session = session();
        self.link = None;
    }

    /// Takes the replica anew from the disk, in the middle of a session.
    pub(super) fn reload(&mut self) {
        self.replica = load(&self.disk, &self.meta);
    }

    /// As [`Machine::reload`], but the keys that it has issued are forgotten.
    pub(super) fn forget_issued(&mut self) {
        self.commit(&[Write::IssuedNone]);
        self.reload();
    }

    pub(super) fn restore(&mut self, contents: &Contents) {
        self.disk.restore(contents.clone());
        self.start();
    }

    pub(super) fn commit(&mut self, writes: &[Write]) {
        let batch = store::batch(UID, &mut self.meta, writes, Millis(0));
        self.disk.commit(&batch).expect("memory takes all");
    }

    /// Whether a program that starts now has what this one has.
    pub(super) fn equals_its_disk(&self) -> bool {
        let other = load(&self.disk, &self.meta);
        let one = &self.replica;
        one.site() == other.site()
            && one.confirmed().mark() == other.confirmed().mark()
            && one.confirmed().state_hash() == other.confirmed().state_hash()
            && one.shown().state_hash() == other.shown().state_hash()
            && one.pending().eq(other.pending())
            && one.kept() == other.kept()
    }

    /// Counter and stamp of each edit that is pending.
    pub(super) fn stamps(&self) -> Vec<(u64, Hlc)> {
        let edits = self.replica.pending().filter(|op| !matches!(op.body, Body::Join(_)));
        edits.map(|op| (op.ctr, op.hlc)).collect()
    }

    pub(super) const fn wall(&self, clock: Millis) -> Millis {
        Millis(clock.0.saturating_add_signed(self.ahead))
    }
}

fn session() -> Session {
    Session::new("list".parse().expect("a name"), "ana".into(), Kinds::KNOWN, Patience::local())
}

fn load(disk: &MemoryStore, meta: &Meta) -> Replica {
    let (stored, _entries) = store::load(disk, UID, meta, Kinds::KNOWN).expect("the replica loads");
    Replica::new(stored, "ana".into(), Kinds::KNOWN)
}

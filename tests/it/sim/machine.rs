//! A machine: the production replica, session and store of one site, on a disk that tests can copy.

use betwixt_client::replica::{Replica, Write};
use betwixt_client::session::{Ended, Patience, Session, State, new_secret};
use betwixt_client::store::{self, Meta};
use betwixt_core::hlc::{Hlc, Millis};
use betwixt_core::id::ListUid;
use betwixt_core::op::Body;
use betwixt_core::op::body::Kinds;
use betwixt_store::Store as _;
use betwixt_store::memory::{Contents, MemoryStore};

use super::people::{Merging, fresh_uid};
use super::seeded::Seeded;

/// The list of machines that begin with the same one.
pub(super) const UID: ListUid = ListUid::from_bytes([7; 16]);

pub(super) struct Machine {
    /// The list that it shows.
    pub(super) uid: ListUid,
    /// The list that its folder has by the name.
    pub(super) named: ListUid,
    /// Items that go to the list that it shows, once that is read.
    pub(super) merging: Option<Merging>,
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
    /// A machine that has this list by the name, or one of its own.
    pub(super) fn new(seed: u64, uid: Option<ListUid>) -> Self {
        let mut random = Seeded(seed);
        let secret = new_secret(&mut || random.next());
        let uid = uid.unwrap_or_else(|| fresh_uid(&mut || random.next()));
        let meta = Meta { relay: "local".into(), name: "list".parse().expect("a name"), secret };
        let disk = MemoryStore::default();
        disk.commit(&store::put_meta(uid, &meta)).expect("memory takes all");
        Self {
            replica: load(&disk, uid, &meta),
            uid,
            named: uid,
            merging: None,
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
        self.merging = None;
        self.unwritten.clear();
        self.link = None;
        self.become_replica_of(self.to_open());
    }

    /// The list that a program opens which starts now.
    pub(super) fn to_open(&self) -> ListUid {
        let Meta { relay, name, .. } = &self.meta;
        store::to_open(&self.disk, relay, name, self.named).expect("memory answers")
    }

    /// Shows a list of its disk, or one of which it has nothing yet, and opens it at the relay.
    pub(super) fn become_replica_of(&mut self, uid: ListUid) {
        self.uid = uid;
        if let Some(meta) = store::meta(&self.disk, uid).expect("memory answers") {
            self.meta = meta;
        } else {
            self.disk.commit(&store::put_meta(uid, &self.meta)).expect("memory takes all");
        }
        self.reload();
        self.session = session();
    }

    /// Takes a replica off its disk.
    pub(super) fn remove(&self, uid: ListUid) {
        self.disk.commit(&store::remove(uid)).expect("memory takes all");
    }

    /// Whether its person knows that the list was deleted.
    pub(super) const fn is_deleted(&self) -> bool {
        matches!(self.session.state(), State::Ended(Ended::Gone))
    }

    /// Takes the replica anew from the disk, in the middle of a session.
    pub(super) fn reload(&mut self) {
        self.replica = load(&self.disk, self.uid, &self.meta);
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
        let batch = store::batch(self.uid, &mut self.meta, writes, Millis(0));
        self.disk.commit(&batch).expect("memory takes all");
    }

    /// Whether a program that starts now has what this one has.
    pub(super) fn equals_its_disk(&self) -> bool {
        let other = load(&self.disk, self.uid, &self.meta);
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

fn load(disk: &MemoryStore, uid: ListUid, meta: &Meta) -> Replica {
    let (stored, _entries) = store::load(disk, uid, meta, Kinds::KNOWN).expect("the replica loads");
    Replica::new(stored, "ana".into(), Kinds::KNOWN)
}

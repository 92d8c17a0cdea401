//! Sites and a relay in one thread: every message, cut, crash and restored copy happens when the test says so.

use std::collections::{BTreeSet, VecDeque};

use betwixt_client::replica::{Kept, Replica, Write};
use betwixt_client::session::{Input, Outputs, Outside, Patience, Session, State, new_secret};
use betwixt_client::store::{self, Meta};
use betwixt_core::edit::{Edit, EditFault, Outcome, Spot};
use betwixt_core::hlc::Millis;
use betwixt_core::id::{ItemId, ListUid};
use betwixt_core::op::body::Kinds;
use betwixt_core::register::Register;
use betwixt_core::wire::{CloseReason, ToRelay, ToSite};
use betwixt_store::Store as _;
use betwixt_store::memory::{Contents, MemoryStore};

use crate::relay::Relay;

pub(crate) const UID: ListUid = ListUid::from_bytes([7; 16]);

/// Random numbers from a seed: splitmix64.
#[derive(Debug, Clone)]
pub(crate) struct Seeded(pub(crate) u64);

impl Seeded {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(end.max(1)).expect("small")).expect("small")
    }
}

/// A copy of all that a site has on its disk.
#[derive(Debug, Clone)]
pub(crate) struct Copy {
    contents: Contents,
    meta: Meta,
}

pub(crate) struct Peer {
    pub(crate) replica: Replica,
    pub(crate) session: Session,
    pub(crate) disk: MemoryStore,
    pub(crate) meta: Meta,
    pub(crate) random: Seeded,
    /// How far the machine's clock is ahead of the relay's.
    pub(crate) ahead: u64,
    pub(crate) up: VecDeque<ToRelay>,
    pub(crate) down: VecDeque<ToSite>,
    linked: bool,
    /// The relay has welcomed the link: it gets what comes.
    welcome: bool,
    /// All that ever came to the drawer.
    pub(crate) told: Vec<Kept>,
    pub(crate) renewals: usize,
}

impl Peer {
    fn new(seed: u64) -> Self {
        let mut random = Seeded(seed);
        let secret = new_secret(&mut || random.next());
        let meta = Meta { relay: "local".into(), name: "list".parse().expect("a name"), secret };
        let disk = MemoryStore::default();
        let (replica, session) = begin(&disk, &meta);
        Self {
            replica,
            session,
            disk,
            meta,
            random,
            ahead: 0,
            up: VecDeque::new(),
            down: VecDeque::new(),
            linked: false,
            welcome: false,
            told: Vec::new(),
            renewals: 0,
        }
    }

    pub(crate) fn copy(&self) -> Copy {
        Copy { contents: self.disk.snapshot(), meta: self.meta.clone() }
    }

    /// The program ends and starts with what is on the disk.
    pub(crate) fn restart(&mut self) {
        self.cut();
        let before = self.replica.clone();
        (self.replica, self.session) = begin(&self.disk, &self.meta);
        assert_same(&before, &self.replica);
    }

    /// What a program that starts now would have is what this one has.
    #[track_caller]
    pub(crate) fn check_disk(&self) {
        assert_same(&self.replica, &begin(&self.disk, &self.meta).0);
    }

    pub(crate) fn restore(&mut self, copy: &Copy) {
        self.cut();
        self.disk.restore(copy.contents.clone());
        self.meta = copy.meta.clone();
        (self.replica, self.session) = begin(&self.disk, &self.meta);
    }

    pub(crate) fn cut(&mut self) {
        (self.linked, self.welcome) = (false, false);
        self.up.clear();
        self.down.clear();
    }

    fn write(&mut self, writes: &[Write]) {
        for write in writes {
            match write {
                Write::Keep(_, kept) => self.told.push(kept.clone()),
                Write::Site(_) => self.renewals += 1,
                _ => {}
            }
        }
        let batch = store::batch(UID, &mut self.meta, writes, Millis(0));
        self.disk.commit(&batch).expect("memory takes all");
    }
}

fn begin(disk: &MemoryStore, meta: &Meta) -> (Replica, Session) {
    let kinds = Kinds::KNOWN;
    let (stored, _entries) = store::load(disk, UID, meta, kinds).expect("the replica loads");
    let session = Session::new("list".parse().expect("a name"), "ana".into(), kinds, Patience::local());
    (Replica::new(stored, "ana".into(), kinds), session)
}

/// Two replicas are equal in all that is kept.
#[track_caller]
pub(crate) fn assert_same(one: &Replica, other: &Replica) {
    assert_eq!(one.site(), other.site());
    assert_eq!(one.confirmed().mark(), other.confirmed().mark());
    assert_eq!(one.confirmed().state_hash(), other.confirmed().state_hash());
    let items = |replica: &Replica| replica.shown().items().map(|(id, item)| (id, item.clone())).collect::<Vec<_>>();
    assert_eq!(items(one), items(other));
    assert_eq!(one.shown().header(), other.shown().header());
    assert_eq!(one.shown().state_hash(), other.shown().state_hash());
    assert!(one.pending().eq(other.pending()), "pending");
    assert_eq!(one.kept(), other.kept());
}

pub(crate) struct World {
    pub(crate) relay: Relay,
    pub(crate) peers: Vec<Peer>,
    pub(crate) now: Millis,
}

impl World {
    pub(crate) fn new(peers: usize, seed: u64) -> Self {
        let mut random = Seeded(seed);
        let peers = (0..peers).map(|_| Peer::new(random.next())).collect();
        Self { relay: Relay::new(UID), peers, now: Millis(1_000) }
    }

    pub(crate) fn edit(&mut self, at: usize, edit: &Edit) -> Result<Outcome, EditFault> {
        let peer = &mut self.peers[at];
        let wall = self.relay.clock.plus(Millis(peer.ahead));
        let minted = peer.replica.mint(edit, wall, &mut || peer.random.next())?;
        peer.write(&minted.writes);
        let outcome = peer.replica.adopt(minted);
        self.step(at, Input::Edited);
        Ok(outcome)
    }

    /// New items at the end of a site's list.
    pub(crate) fn add(&mut self, at: usize, texts: &[&str]) -> Vec<ItemId> {
        let items = texts.iter().map(|text| vec![Register::Text((*text).into())]).collect();
        self.edit(at, &Edit::Add { spot: Spot::Bottom, items }).expect("items are added").items
    }

    pub(crate) fn set(&mut self, at: usize, item: ItemId, text: &str) {
        let writes = vec![(item, vec![Register::Text(text.into())])];
        self.edit(at, &Edit::Set { writes }).expect("a text is written");
    }

    /// One step of a site's session, with all that a driver does about it.
    pub(crate) fn step(&mut self, at: usize, input: Input) -> Outputs {
        let peer = &mut self.peers[at];
        let wall = self.relay.clock.plus(Millis(peer.ahead));
        let disk = &peer.disk;
        let mut outside = Outside {
            now: self.now,
            wall,
            random: &mut || peer.random.next(),
            journal: &mut || store::journal(disk, UID).expect("the journal loads"),
        };
        let mut out = peer.session.step(&mut peer.replica, input, &mut outside);
        let writes = std::mem::take(&mut out.writes);
        peer.write(&writes);
        if out.hang_up {
            peer.cut();
        } else if peer.linked {
            peer.up.extend(out.send.iter().cloned());
        }
        if out.dial {
            self.peers[at].linked = true;
            let linked = self.step(at, Input::Linked);
            out.send.extend(linked.send);
        }
        out
    }

    /// The relay takes the next message of a site, if there is one.
    pub(crate) fn carry_up(&mut self, at: usize) -> bool {
        let Some(message) = self.peers[at].up.pop_front() else { return false };
        let site = self.peers[at].replica.site();
        match message {
            ToRelay::Hello(hello) => {
                // A barrier: what older links of this site have under way is of no interest any more.
                for (other, peer) in self.peers.iter_mut().enumerate() {
                    if other != at && peer.linked && peer.replica.site() == hello.secret.site() {
                        peer.cut();
                        peer.linked = true;
                        peer.down.push_back(ToSite::Closing { reason: CloseReason::Replaced, retry_after: Millis(0) });
                    }
                }
                let said = self.relay.hello(&hello);
                let peer = &mut self.peers[at];
                peer.down.extend(said);
                peer.welcome = true;
            }
            ToRelay::Push { ops, .. } => {
                for op in ops {
                    let (entry, answer) = self.relay.push(site, op);
                    self.peers[at].down.extend(answer);
                    self.tell_all(entry);
                }
            }
            ToRelay::Here { .. } | ToRelay::Leave { .. } | ToRelay::Lists(_) | ToRelay::DeleteList { .. } => {}
        }
        true
    }

    pub(crate) fn tell_all(&mut self, entry: Option<betwixt_core::log::Entry>) {
        let Some(entry) = entry else { return };
        for peer in self.peers.iter_mut().filter(|peer| peer.welcome) {
            peer.down.push_back(ToSite::Entries { list: UID, entries: vec![entry.clone()] });
        }
    }

    /// A site takes the next message of the relay, if there is one.
    pub(crate) fn carry_down(&mut self, at: usize) -> bool {
        let Some(message) = self.peers[at].down.pop_front() else { return false };
        self.step(at, Input::Said(message));
        true
    }

    /// The relay loses entries that it had acknowledged, and all links with them.
    pub(crate) fn lose_tail(&mut self, entries: usize) {
        self.relay.lose(entries);
        (0..self.peers.len()).for_each(|at| self.cut(at));
    }

    pub(crate) fn cut(&mut self, at: usize) {
        self.peers[at].cut();
        self.step(at, Input::Lost);
    }

    /// Time passes for everybody.
    pub(crate) fn pass(&mut self, millis: u64) {
        self.now = self.now.plus(Millis(millis));
        self.relay.clock = self.relay.clock.plus(Millis(millis));
        for at in 0..self.peers.len() {
            let out = self.step(at, Input::Tick);
            if out.ping {
                self.step(at, Input::Heard);
            }
        }
    }

    /// Lets everything arrive until nothing is under way.
    #[track_caller]
    pub(crate) fn settle(&mut self) {
        let mut quiet = 0;
        for _ in 0..20_000 {
            let mut moved = false;
            for at in 0..self.peers.len() {
                moved |= self.carry_up(at) | self.carry_down(at);
            }
            quiet = if moved { 0 } else { quiet + 1 };
            if !moved {
                self.pass(600);
                let done = |peer: &Peer| matches!(peer.session.state(), State::Live | State::Ended(_));
                if quiet > 3 && self.peers.iter().all(done) {
                    return;
                }
            }
        }
        let states: Vec<_> = self.peers.iter().map(|peer| (peer.session.state(), peer.replica.unsent())).collect();
        panic!("the sites do not come to rest: {states:?}, up {:?}, down {:?}", self.peers[0].up, self.peers[0].down);
    }

    /// Lets everything of one site arrive.
    pub(crate) fn settle_of(&mut self, at: usize) {
        for _ in 0..8 {
            while self.carry_up(at) | self.carry_down(at) {}
            self.now = self.now.plus(Millis(600));
            self.step(at, Input::Tick);
        }
    }

    /// I3, I4 and I5, with all queues empty.
    #[track_caller]
    pub(crate) fn check(&self) {
        let ids: BTreeSet<_> = self.relay.log.iter().map(|entry| entry.op.id()).collect();
        assert_eq!(ids.len(), self.relay.log.len(), "an op is in the log once");
        for (at, peer) in self.peers.iter().enumerate() {
            let pending: Vec<_> = peer.replica.pending().map(|op| (op.ctr, op.prev, &op.body)).collect();
            let last = self.relay.list.site(peer.replica.site()).map(|site| site.ctr);
            assert!(pending.is_empty(), "site {at}, behind {last:?}: {pending:?}, {:?}", peer.session);
            assert_eq!(peer.replica.confirmed().mark(), self.relay.list.mark(), "site {at} has read all");
            assert_eq!(peer.replica.shown().state_hash(), self.relay.list.state_hash(), "site {at} shows the same");
            let shown: Vec<_> = peer.replica.shown().live().map(|(id, _)| id).collect();
            let there: Vec<_> = self.relay.list.live().map(|(id, _)| id).collect();
            assert_eq!(shown, there, "site {at} shows the same order");
        }
        for (id, item) in self.relay.list.items() {
            let placed = self.relay.log.iter().map(|entry| &entry.op);
            let placed = placed.filter(|op| op.body.item() == Some(id) && op.key().is_some());
            assert_eq!(placed.map(|op| op.hlc).max(), Some(item.position.hlc), "the greatest stamp places an item");
        }
    }

    pub(crate) fn keys(&self, at: usize) -> Vec<betwixt_core::key::Key> {
        self.peers[at].replica.shown().live().map(|(_, item)| item.position.key.clone()).collect()
    }

    pub(crate) fn texts(&self, at: usize) -> Vec<String> {
        self.peers[at].replica.shown().live().map(|(_, item)| item.text().to_owned()).collect()
    }
}

//! A list: the state that its log's ops make, the same at every replica that has read the same log.

pub mod lengths;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

pub use self::lengths::Lengths;
use crate::edit::Spot;
use crate::hlc::{Hlc, Tick};
use crate::id::{Hash, ItemId, ListUid, SiteId};
use crate::item::{Item, Position, Write};
use crate::key::Key;
use crate::limits::CTR_MAX;
use crate::log::{Entry, Watermark};
use crate::op::body::Kinds;
use crate::op::{Body, EpochId, Op, encode, kind};
use crate::order::{Life, Order, Place};
use crate::register::Field;

/// What a list knows of a site that has joined it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Site {
    /// What the person at the site was called when it joined. From a peer: show it as `SafeText` only.
    pub name: SmolStr,
    /// How many had joined before: what the site's tags are made of.
    pub number: u32,
    /// Counter of its last op in the log.
    pub ctr: u64,
    /// Hash of that op.
    pub hash: Hash,
}

/// An epoch of a list: its identity, and its number for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Epoch {
    /// What ops name.
    pub id: EpochId,
    /// How many rebalances there were.
    pub number: u32,
}

/// The list's title, with the stamp that won it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Title {
    /// What people see.
    pub text: SmolStr,
    /// The stamp that won.
    pub hlc: Hlc,
}

/// A list at one watermark.
///
/// Items are shared between copies of a list: a copy costs its order and a pointer an item.
#[derive(Debug, Clone)]
pub struct List {
    uid: ListUid,
    mark: Watermark,
    epoch: Epoch,
    items: BTreeMap<ItemId, Arc<Item>>,
    order: Order,
    sites: BTreeMap<SiteId, Site>,
    title: Option<Title>,
    highest: Tick,
    lengths: Lengths,
}

/// What an op did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// The site has its number.
    Joined,
    /// An item came.
    Added(ItemId),
    /// An item changed, or would have.
    Put {
        /// Which.
        item: ItemId,
        /// Whether its move stands, if it moved it.
        place: Option<Write>,
        /// Whether a text that it wrote stands, if it wrote one.
        text: Option<Write>,
    },
    /// The title was written.
    Titled(Write),
    /// None: a repeat, or an op on an item that is not there.
    Nothing,
}

/// Why an entry cannot be applied. The list is as it was.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ApplyError {
    /// It is not the next one.
    #[error("entry {found} of the log where {expected} comes next")]
    Gap {
        /// The next one.
        expected: u64,
        /// What came.
        found: u64,
    },
    /// It continues another log than this replica has read.
    #[error("entry {seq} does not continue the log that was read here")]
    Chain {
        /// Its place in the log.
        seq: u64,
    },
    /// Its op has a counter that no site comes to.
    #[error("entry {seq} is an op with the impossible counter {ctr}")]
    Counter {
        /// Its place in the log.
        seq: u64,
        /// The counter.
        ctr: u64,
    },
    /// An op that this program cannot carry out.
    #[error("entry {seq} is an op of kind {kind}, which needs a newer betwixt")]
    Unread {
        /// Its place in the log.
        seq: u64,
        /// The kind.
        kind: u8,
    },
}

/// The parts of a list that are not its items and sites.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// Which list.
    pub uid: ListUid,
    /// How far its log was read.
    pub mark: Watermark,
    /// Its epoch.
    pub epoch: Epoch,
    /// Its title.
    pub title: Option<Title>,
    /// The highest tick of any op in its log.
    pub highest: Tick,
}

impl List {
    /// A list of which nothing has been read.
    #[must_use]
    pub fn new(uid: ListUid) -> Self {
        let epoch = Epoch { id: EpochId::first(uid), number: 0 };
        let header = Header { uid, mark: Watermark::start(uid), epoch, title: None, highest: Tick::default() };
        Self::from_parts(header, BTreeMap::new(), BTreeMap::new())
    }

    /// The list of these parts.
    #[must_use]
    pub fn from_parts(header: Header, items: BTreeMap<ItemId, Arc<Item>>, sites: BTreeMap<SiteId, Site>) -> Self {
        let order: Order = items.iter().map(|(id, item)| place(*id, item)).collect();
        let lengths = order.live().map(|place| &place.key).collect();
        let Header { uid, mark, epoch, title, highest } = header;
        Self { uid, mark, epoch, items, order, sites, title, highest, lengths }
    }

    /// The parts that are not items and sites.
    #[must_use]
    pub fn header(&self) -> Header {
        Header { uid: self.uid, mark: self.mark, epoch: self.epoch, title: self.title.clone(), highest: self.highest }
    }

    /// Which list it is.
    #[must_use]
    pub const fn uid(&self) -> ListUid {
        self.uid
    }

    /// How far its log was read.
    #[must_use]
    pub const fn mark(&self) -> Watermark {
        self.mark
    }

    /// The generation of its keys.
    #[must_use]
    pub const fn epoch(&self) -> Epoch {
        self.epoch
    }

    /// The highest tick of any op that was applied.
    #[must_use]
    pub const fn highest(&self) -> Tick {
        self.highest
    }

    /// The title, if it was ever written. From a peer: show it as `SafeText` only.
    #[must_use]
    pub fn title(&self) -> Option<&str> {
        self.title.as_ref().map(|title| title.text.as_str())
    }

    /// An item, live or dead.
    #[must_use]
    pub fn item(&self, id: ItemId) -> Option<&Item> {
        self.items.get(&id).map(Arc::as_ref)
    }

    /// All items, live and dead, by id.
    #[must_use]
    pub fn items(&self) -> impl ExactSizeIterator<Item = (ItemId, &Item)> {
        self.items.iter().map(|(id, item)| (*id, item.as_ref()))
    }

    /// The live items in order.
    #[must_use]
    pub fn live(&self) -> impl DoubleEndedIterator<Item = (ItemId, &Item)> {
        self.order.live().filter_map(|place| self.item(place.id).map(|item| (place.id, item)))
    }

    /// The order of all items.
    #[must_use]
    pub const fn order(&self) -> &Order {
        &self.order
    }

    /// How many live keys there are of each length.
    #[must_use]
    pub const fn lengths(&self) -> &Lengths {
        &self.lengths
    }

    /// A site that has joined.
    #[must_use]
    pub fn site(&self, id: SiteId) -> Option<&Site> {
        self.sites.get(&id)
    }

    /// All sites that have joined, by id.
    #[must_use]
    pub fn sites(&self) -> impl ExactSizeIterator<Item = (SiteId, &Site)> {
        self.sites.iter().map(|(id, site)| (*id, site))
    }

    /// How many live items stand before a live item: its row.
    #[must_use]
    pub fn row(&self, id: ItemId) -> Option<usize> {
        let item = self.item(id).filter(|item| !item.deleted())?;
        Some(self.order.rank(&item.position.key, id).live)
    }

    /// The live item in a row.
    #[must_use]
    pub fn at_row(&self, row: usize) -> Option<ItemId> {
        self.order.live_at(row).map(|place| place.id)
    }

    /// The live item next behind an item, live or dead.
    #[must_use]
    pub fn live_after(&self, id: ItemId) -> Option<ItemId> {
        let item = self.item(id)?;
        self.order.after(&item.position.key, id).find(|place| place.life == Life::Live).map(|place| place.id)
    }

    /// The live item next before an item, live or dead.
    #[must_use]
    pub fn live_before(&self, id: ItemId) -> Option<ItemId> {
        let item = self.item(id)?;
        self.order.before(&item.position.key, id).find(|place| place.life == Life::Live).map(|place| place.id)
    }

    /// The keys on both sides of a spot, among live items that are not in `moving`; `None` for an open end.
    ///
    /// They always differ: where equal keys stand on both sides, the spot is behind all that are equal, since there is
    /// no key between them. Returns `None` if the spot names an item that is not here.
    #[must_use]
    pub fn gap_at(&self, spot: Spot, moving: &BTreeSet<ItemId>) -> Option<(Option<Key>, Option<Key>)> {
        let stays = |place: &&Place| place.life == Life::Live && !moving.contains(&place.id);
        let low = match spot {
            Spot::Top => None,
            Spot::Bottom => self.order.live().rev().find(stays).map(|place| (&place.key, place.id)),
            Spot::After(id) => Some((&self.item(id)?.position.key, id)),
            Spot::Before(id) => {
                self.order.before(&self.item(id)?.position.key, id).find(stays).map(|place| (&place.key, place.id))
            }
        };
        let high = match low {
            Some((low, id)) => self.order.after(low, id).find(|place| stays(place) && place.key > *low),
            None => self.order.live().find(stays),
        };
        Some((low.map(|(key, _)| key.clone()), high.map(|place| place.key.clone())))
    }

    /// The keys on both sides of the room right behind an item, in the order of all items, live and dead.
    ///
    /// Returns `None` if there is no such item.
    #[must_use]
    pub fn gap_behind(&self, id: ItemId) -> Option<(Option<Key>, Option<Key>)> {
        let low = &self.item(id)?.position.key;
        let high = self.order.after(low, id).find(|place| place.key > *low);
        Some((Some(low.clone()), high.map(|place| place.key.clone())))
    }

    /// The keys on both sides of the room right before an item, in the order of all items, live and dead.
    ///
    /// Returns `None` if there is no such item.
    #[must_use]
    pub fn gap_ahead_of(&self, id: ItemId) -> Option<(Option<Key>, Option<Key>)> {
        let high = &self.item(id)?.position.key;
        let low = self.order.before(high, id).find(|place| place.key < *high);
        Some((low.map(|place| place.key.clone()), Some(high.clone())))
    }

    /// Applies the next entry of the log.
    ///
    /// # Errors
    ///
    /// It is not the next one, continues another log, or is an op of a kind outside `kinds`.
    pub fn apply(&mut self, entry: &Entry, kinds: Kinds) -> Result<Effect, ApplyError> {
        let next = self.mark.next(&entry.op, entry.state_hash.as_ref());
        if entry.seq != next.seq {
            return Err(ApplyError::Gap { expected: next.seq, found: entry.seq });
        }
        if entry.mark() != next {
            return Err(ApplyError::Chain { seq: entry.seq });
        }
        if entry.op.ctr > CTR_MAX {
            return Err(ApplyError::Counter { seq: entry.seq, ctr: entry.op.ctr });
        }
        let kind = entry.op.body.kind();
        let unread = matches!(entry.op.body, Body::Unread { .. }) && kind != kind::PROBE;
        if unread || !kinds.has(kind) {
            return Err(ApplyError::Unread { seq: entry.seq, kind });
        }
        self.mark = next;
        let joined = self.note_site(&entry.op);
        let effect = self.say(&entry.op);
        Ok(if joined && effect == Effect::Nothing { Effect::Joined } else { effect })
    }

    /// Carries out what an op says, in the log or not: so it is shown before it is sequenced.
    pub fn say(&mut self, op: &Op) -> Effect {
        self.highest = self.highest.max(op.hlc.tick);
        match &op.body {
            Body::Add(add) => {
                let position = Position { hlc: op.hlc, op: op.id(), key: add.key.clone() };
                self.put(add.item, Some(position), op)
            }
            Body::Put(put) => {
                let position = put.key.clone().map(|key| Position { hlc: op.hlc, op: op.id(), key });
                self.put(put.item, position, op)
            }
            Body::List(list) => {
                if self.title.as_ref().is_some_and(|title| title.hlc >= op.hlc) {
                    return Effect::Titled(Write::Lost);
                }
                self.title = Some(Title { text: list.title.clone(), hlc: op.hlc });
                Effect::Titled(Write::Won)
            }
            Body::Join(_) | Body::Unread { .. } => Effect::Nothing,
        }
    }

    /// The hash of everything that two replicas with one chain have in common.
    #[must_use]
    pub fn state_hash(&self) -> Hash {
        use sha2::{Digest, Sha256};
        let mut sha = Sha256::new();
        sha.update(encode(&(self.uid, self.epoch, &self.title, self.highest)));
        for item in &self.items {
            sha.update(encode(&(item.0, item.1.as_ref())));
        }
        for site in &self.sites {
            sha.update(encode(&site));
        }
        Hash::from_bytes(sha.finalize().into())
    }

    /// Takes down a site's last op; says whether it joined by it.
    fn note_site(&mut self, op: &Op) -> bool {
        let joined = u32::try_from(self.sites.len()).unwrap_or(u32::MAX);
        let Some(site) = self.sites.get_mut(&op.site) else {
            let name = match &op.body {
                Body::Join(join) => join.name.clone(),
                _ => SmolStr::default(),
            };
            self.sites.insert(op.site, Site { name, number: joined, ctr: op.ctr, hash: op.hash });
            return true;
        };
        if op.ctr > site.ctr {
            (site.ctr, site.hash) = (op.ctr, op.hash);
        }
        false
    }

    /// Writes an item; one that is not here comes to be, if it is given a place and the op is an `Add`.
    fn put(&mut self, id: ItemId, position: Option<Position>, op: &Op) -> Effect {
        let before = self.items.get(&id).map(|item| place(id, item));
        let effect = match (self.items.get_mut(&id), position) {
            (Some(item), position) => {
                let item = Arc::make_mut(item);
                let placed = position.map(|position| item.place(&position));
                let mut text = None;
                for register in op.body.registers() {
                    let write = item.write(register, op.hlc);
                    if register.field() == Field::Text {
                        text = Some(write);
                    }
                }
                Effect::Put { item: id, place: placed, text }
            }
            (None, Some(position)) if op.body.kind() == kind::ADD => {
                let mut item = Item::new(position);
                for register in op.body.registers() {
                    item.write(register, op.hlc);
                }
                self.items.insert(id, Arc::new(item));
                Effect::Added(id)
            }
            (None, _) => return Effect::Nothing,
        };
        let after = self.items.get(&id).map(|item| place(id, item));
        if before != after {
            if let Some(Place { key, id, life }) = before {
                self.order.remove(&key, id);
                self.lengths.remove(&key, life);
            }
            if let Some(Place { key, id, life }) = after {
                self.lengths.insert(&key, life);
                self.order.insert(key, id, life);
            }
        }
        effect
    }
}

fn place(id: ItemId, item: &Item) -> Place {
    let life = if item.deleted() { Life::Dead } else { Life::Live };
    Place { key: item.position.key.clone(), id, life }
}

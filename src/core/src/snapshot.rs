//! A whole list at one watermark, in parts that each fit a message.
//!
//! `Begin` says what is to come, parts bring sites and items, and the list is whole only when all of them are there
//! and its state hash is the announced one. Stored lists use the same parts.
//!
//! A part of items stands by itself: sites are named by their place in a table of the part, and times are counted from
//! the list's earliest, so that an item with one text costs about 30 bytes beside it.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::bounded;
use crate::hlc::{Hlc, Millis, Tick};
use crate::id::{Hash, ItemId, OpId, SiteId};
use crate::item::{Item, Position, Written};
use crate::key::Key;
use crate::limits::CTR_MAX;
use crate::list::{Header, List, Site};
use crate::op::encode;
use crate::register::Register;

/// What a snapshot brings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Begin {
    /// The list's own parts.
    pub header: Header,
    /// How many items come, live and dead.
    pub items: u32,
    /// How many sites come.
    pub sites: u32,
    /// The state hash of the whole.
    pub state_hash: Hash,
}

/// A piece of a snapshot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Part {
    /// Sites that have joined.
    Sites(#[serde(deserialize_with = "bounded::list::<_, _, 65_536>")] Vec<(SiteId, Site)>),
    /// Items, packed.
    Items(Items),
}

/// Items that share a table of sites and a first moment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Items {
    #[serde(deserialize_with = "bounded::list::<_, _, 65_536>")]
    sites: Vec<SiteId>,
    from: Millis,
    /// One [`PackedItem`] behind the other. They stay bytes until they are unpacked, one at a time: as values they
    /// take up to twenty times the memory.
    packed: Vec<u8>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct PackedItem {
    id: ItemId,
    key: Key,
    stamp: Stamp,
    /// The op that placed it: its site by place in the table, and its counter.
    op: (u32, u64),
    #[serde(deserialize_with = "bounded::list::<_, _, 16>")]
    registers: Vec<(Register, Option<Stamp>)>,
}

/// Milliseconds since the first moment, counter, site by place in the table.
type Stamp = (u64, u16, u32);

/// Why a snapshot is not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SnapshotError {
    /// A part is not in order within itself.
    #[error("malformed part of a snapshot")]
    Part,
    /// An item or a site came before.
    #[error("a snapshot that brings one of its {what} twice")]
    Twice {
        /// Items or sites.
        what: &'static str,
    },
    /// More or fewer items or sites came than were announced.
    #[error("a snapshot with {found} {what} where {announced} were announced")]
    Count {
        /// Items or sites.
        what: &'static str,
        /// What came.
        found: usize,
        /// What was announced.
        announced: u32,
    },
    /// The whole is not what was announced.
    #[error("the state hash of a snapshot is not the announced one")]
    Hash,
}

/// What a snapshot of this list brings.
#[must_use]
pub fn begin(list: &List) -> Begin {
    Begin {
        header: list.header(),
        items: u32::try_from(list.items().len()).unwrap_or(u32::MAX),
        sites: u32::try_from(list.sites().len()).unwrap_or(u32::MAX),
        state_hash: list.state_hash(),
    }
}

/// The parts of this list, each encoded in at most `bytes_max` bytes, or with one item or site where that is larger.
pub fn parts(list: &List, bytes_max: usize) -> impl Iterator<Item = Part> {
    let mut site_parts: Vec<Part> = Vec::new();
    let mut bytes = 0;
    for (id, site) in list.sites() {
        let site = (id, site.clone());
        let site_bytes = encode(&site).len();
        match site_parts.last_mut() {
            Some(Part::Sites(part)) if bytes + site_bytes <= bytes_max => {
                bytes += site_bytes;
                part.push(site);
            }
            _ => {
                bytes = SITES_FRAME_BYTES + site_bytes;
                site_parts.push(Part::Sites(vec![site]));
            }
        }
    }
    let from = earliest(list);
    let mut items = list.items().peekable();
    let item_parts = core::iter::from_fn(move || {
        items.peek()?;
        let mut part = Items { sites: Vec::new(), from, packed: Vec::new() };
        while items.next_if(|(id, item)| part.take(*id, item, bytes_max)).is_some() {}
        Some(Part::Items(part))
    });
    site_parts.into_iter().chain(item_parts)
}

/// A part's kind and how many sites it has.
const SITES_FRAME_BYTES: usize = 1 + 3;
/// A part's kind, how many sites it names, its first moment, and how many bytes of items it has.
const ITEMS_FRAME_BYTES: usize = 1 + 3 + 10 + 5;

/// The earliest moment of any stamp of an item; ids are random, so a part's own is hardly later.
fn earliest(list: &List) -> Millis {
    let stamps = list.items().flat_map(|(_, item)| {
        let registers = item.registers().iter().map(|written| written.hlc);
        registers.chain([item.position.hlc])
    });
    stamps.map(|hlc| hlc.tick.wall).min().unwrap_or_default()
}

impl Items {
    /// Packs one more item if it fits; the first always does.
    fn take(&mut self, id: ItemId, item: &Item, bytes_max: usize) -> bool {
        let (sites, packed) = (self.sites.len(), self.packed.len());
        let Position { hlc, op, key } = &item.position;
        let registers = item
            .registers()
            .iter()
            .map(|Written { register, hlc: stamp }| (register.clone(), (stamp != hlc).then(|| self.pack(*stamp))));
        let registers = registers.collect();
        let stamp = self.pack(*hlc);
        let op = (self.site(op.site), op.ctr);
        self.packed.extend(encode(&PackedItem { id, key: key.clone(), stamp, op, registers }));
        let fits = ITEMS_FRAME_BYTES + 16 * self.sites.len() + self.packed.len() <= bytes_max;
        if !fits && packed > 0 {
            self.sites.truncate(sites);
            self.packed.truncate(packed);
            return false;
        }
        true
    }

    fn site(&mut self, id: SiteId) -> u32 {
        let at = self.sites.iter().position(|known| *known == id).unwrap_or_else(|| {
            self.sites.push(id);
            self.sites.len() - 1
        });
        u32::try_from(at).unwrap_or(u32::MAX)
    }

    fn pack(&mut self, hlc: Hlc) -> Stamp {
        let Tick { wall, counter } = hlc.tick;
        (wall.since(self.from).0, counter, self.site(hlc.site))
    }

    /// The items, up to the first that is malformed.
    pub(crate) fn unpack(&self) -> impl Iterator<Item = Result<(ItemId, Item), SnapshotError>> {
        let mut rest = self.packed.as_slice();
        core::iter::from_fn(move || {
            if rest.is_empty() {
                return None;
            }
            let Ok((packed, behind)) = postcard::take_from_bytes(rest) else {
                rest = &[];
                return Some(Err(SnapshotError::Part));
            };
            rest = behind;
            Some(self.unpack_item(packed))
        })
    }

    fn site_at(&self, at: u32) -> Result<SiteId, SnapshotError> {
        usize::try_from(at).ok().and_then(|at| self.sites.get(at)).copied().ok_or(SnapshotError::Part)
    }

    fn unpack_stamp(&self, (wall, counter, site): Stamp) -> Result<Hlc, SnapshotError> {
        Ok(Hlc { tick: Tick { wall: self.from.plus(Millis(wall)), counter }, site: self.site_at(site)? })
    }

    fn unpack_item(&self, packed: PackedItem) -> Result<(ItemId, Item), SnapshotError> {
        let PackedItem { id, key, stamp, op: (site, ctr), registers } = packed;
        let hlc = self.unpack_stamp(stamp)?;
        let op = OpId { site: self.site_at(site)?, ctr };
        let registers = registers.into_iter().map(|(register, stamp)| {
            let hlc = stamp.map_or(Ok(hlc), |stamp| self.unpack_stamp(stamp))?;
            Ok(Written { register, hlc })
        });
        let registers = registers.collect::<Result<_, SnapshotError>>()?;
        Ok((id, Item::from_parts(Position { hlc, op, key }, registers)))
    }
}

/// A snapshot as its parts come in.
#[derive(Debug, Clone)]
pub struct Assembly {
    begin: Begin,
    items: BTreeMap<ItemId, Arc<Item>>,
    sites: BTreeMap<SiteId, Site>,
}

impl Assembly {
    /// A snapshot of which nothing has come but what it brings.
    #[must_use]
    pub const fn new(begin: Begin) -> Self {
        Self { begin, items: BTreeMap::new(), sites: BTreeMap::new() }
    }

    /// Takes a part.
    ///
    /// # Errors
    ///
    /// The part is malformed, or brings what came before, or more than was announced. The snapshot is then of no use.
    pub fn add(&mut self, part: Part) -> Result<(), SnapshotError> {
        match part {
            Part::Sites(sites) => {
                for (id, site) in sites {
                    if site.ctr > CTR_MAX {
                        return Err(SnapshotError::Part);
                    }
                    if self.sites.insert(id, site).is_some() {
                        return Err(SnapshotError::Twice { what: "sites" });
                    }
                    at_most("sites", self.sites.len(), self.begin.sites)?;
                }
            }
            Part::Items(items) => {
                for unpacked in items.unpack() {
                    let (id, item) = unpacked?;
                    if self.items.insert(id, Arc::new(item)).is_some() {
                        return Err(SnapshotError::Twice { what: "items" });
                    }
                    at_most("items", self.items.len(), self.begin.items)?;
                }
            }
        }
        Ok(())
    }

    /// The list, if all has come.
    ///
    /// # Errors
    ///
    /// Something is missing, or the whole is not what was announced.
    pub fn finish(self) -> Result<List, SnapshotError> {
        let Self { begin, items, sites } = self;
        if u32::try_from(items.len()) != Ok(begin.items) {
            return Err(count("items", items.len(), begin.items));
        }
        if u32::try_from(sites.len()) != Ok(begin.sites) {
            return Err(count("sites", sites.len(), begin.sites));
        }
        let list = List::from_parts(begin.header, items, sites);
        if list.state_hash() == begin.state_hash { Ok(list) } else { Err(SnapshotError::Hash) }
    }
}

fn at_most(what: &'static str, found: usize, announced: u32) -> Result<(), SnapshotError> {
    let within = u32::try_from(found).is_ok_and(|found| found <= announced);
    if within { Ok(()) } else { Err(count(what, found, announced)) }
}

const fn count(what: &'static str, found: usize, announced: u32) -> SnapshotError {
    SnapshotError::Count { what, found, announced }
}

//! A whole list at one watermark, in parts that each fit a message.
//!
//! `Begin` says what is to come, parts bring sites and items, and the list is whole only when all of them are there
//! and its state hash is the announced one. Stored lists use the same parts.
//!
//! A part of items stands by itself: sites are named by their place in a table of the part, and times are counted from
//! the part's earliest, so that an item with one text costs about 25 bytes beside it.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::bounded;
use crate::hlc::{Hlc, Millis, Tick};
use crate::id::{Hash, ItemId, OpId, SiteId};
use crate::item::{Item, Position, Written};
use crate::key::Key;
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
    #[serde(deserialize_with = "bounded::list::<_, _, 65_536>")]
    items: Vec<PackedItem>,
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

/// Milliseconds since the part's first moment, counter, site by place in the table.
type Stamp = (u64, u16, u32);

/// Why a snapshot is not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SnapshotError {
    /// A part is not in order within itself.
    #[error("malformed part of a snapshot")]
    Part,
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

/// The parts of this list, each encoded in at most `bytes_max` bytes, or one item where that is larger.
pub fn parts(list: &List, bytes_max: usize) -> impl Iterator<Item = Part> {
    let sites: Vec<(SiteId, Site)> = list.sites().map(|(id, site)| (id, *site)).collect();
    // A site is at most 16 + 5 + 10 + 32 bytes.
    let site_parts: Vec<Part> =
        sites.chunks((bytes_max / 64).max(1)).map(|sites| Part::Sites(sites.to_vec())).collect();
    let mut items = list.items().peekable();
    let item_parts = core::iter::from_fn(move || {
        items.peek()?;
        let mut packer = Packer::new();
        while let Some((id, item)) = items.peek() {
            if !packer.take(*id, item, bytes_max) {
                break;
            }
            items.next();
        }
        Some(Part::Items(packer.items))
    });
    site_parts.into_iter().chain(item_parts)
}

/// Fills one part of items.
struct Packer {
    items: Items,
    bytes: usize,
}

impl Packer {
    /// Room for the part's own counts and its first moment.
    const FRAME_BYTES: usize = 32;

    fn new() -> Self {
        Self { items: Items { sites: Vec::new(), from: Millis(0), items: Vec::new() }, bytes: Self::FRAME_BYTES }
    }

    /// Packs one more item if it fits; the first always does.
    fn take(&mut self, id: ItemId, item: &Item, bytes_max: usize) -> bool {
        let first = self.items.items.is_empty();
        if first {
            // Stamps before the first item's are counted from it too: the difference wraps and reads back the same.
            self.items.from = item.position.hlc.tick.wall;
        }
        let sites = self.items.sites.len();
        let Position { hlc, op, key } = &item.position;
        let registers = item.registers().iter().map(|Written { register, hlc: stamp }| {
            (register.clone(), (stamp != hlc).then(|| self.items.pack(*stamp)))
        });
        let registers = registers.collect();
        let packed = PackedItem {
            id,
            key: key.clone(),
            stamp: self.items.pack(*hlc),
            op: (self.items.site(op.site), op.ctr),
            registers,
        };
        let bytes = encode(&packed).len() + 16 * (self.items.sites.len() - sites);
        if !first && self.bytes + bytes > bytes_max {
            self.items.sites.truncate(sites);
            return false;
        }
        self.bytes += bytes;
        self.items.items.push(packed);
        true
    }
}

impl Items {
    fn site(&mut self, id: SiteId) -> u32 {
        let at = self.sites.iter().position(|known| *known == id).unwrap_or_else(|| {
            self.sites.push(id);
            self.sites.len() - 1
        });
        u32::try_from(at).unwrap_or(u32::MAX)
    }

    fn pack(&mut self, hlc: Hlc) -> Stamp {
        let Tick { wall, counter } = hlc.tick;
        (wall.0.wrapping_sub(self.from.0), counter, self.site(hlc.site))
    }

    fn site_at(&self, at: u32) -> Result<SiteId, SnapshotError> {
        usize::try_from(at).ok().and_then(|at| self.sites.get(at)).copied().ok_or(SnapshotError::Part)
    }

    fn unpack(&self, (wall, counter, site): Stamp) -> Result<Hlc, SnapshotError> {
        let wall = Millis(wall.wrapping_add(self.from.0));
        Ok(Hlc { tick: Tick { wall, counter }, site: self.site_at(site)? })
    }

    fn unpack_item(&self, packed: &PackedItem) -> Result<Item, SnapshotError> {
        let hlc = self.unpack(packed.stamp)?;
        let (site, ctr) = packed.op;
        let op = OpId { site: self.site_at(site)?, ctr };
        let registers = packed.registers.iter().map(|(register, stamp)| {
            let hlc = stamp.map_or(Ok(hlc), |stamp| self.unpack(stamp))?;
            Ok(Written { register: register.clone(), hlc })
        });
        let registers = registers.collect::<Result<_, SnapshotError>>()?;
        Ok(Item::from_parts(Position { hlc, op, key: packed.key.clone() }, registers))
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
    /// The part is malformed, or brings more than was announced.
    pub fn add(&mut self, part: Part) -> Result<(), SnapshotError> {
        match part {
            Part::Sites(sites) => self.sites.extend(sites),
            Part::Items(items) => {
                for packed in &items.items {
                    self.items.insert(packed.id, Arc::new(items.unpack_item(packed)?));
                }
            }
        }
        let over = |found: usize, announced: u32| u32::try_from(found).is_ok_and(|found| found > announced);
        if over(self.items.len(), self.begin.items) {
            return Err(count("items", self.items.len(), self.begin.items));
        }
        if over(self.sites.len(), self.begin.sites) {
            return Err(count("sites", self.sites.len(), self.begin.sites));
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

const fn count(what: &'static str, found: usize, announced: u32) -> SnapshotError {
    SnapshotError::Count { what, found, announced }
}

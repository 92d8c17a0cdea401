//! Ops, entries and items as they are shown to a script.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::fields;
use crate::hlc::{Hlc, Millis};
use crate::id::{ItemId, OpId, SiteId};
use crate::item::{Item, Written};
use crate::key::Key;
use crate::list::Site;
use crate::log::Entry;
use crate::op::{Body, Op};
use crate::register::Register;

/// A stamp.
#[derive(Serialize)]
pub(super) struct Stamp {
    wall: Millis,
    counter: u16,
    site: SiteId,
}

impl From<Hlc> for Stamp {
    fn from(hlc: Hlc) -> Self {
        Self { wall: hlc.tick.wall, counter: hlc.tick.counter, site: hlc.site }
    }
}

/// An entry of the log.
pub(super) struct ShownEntry<'a>(pub(super) &'a Entry);

impl Serialize for ShownEntry<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Entry { seq, op, chain, state_hash } = self.0;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("seq", seq)?;
        map.serialize_entry("op", &ShownOp(op))?;
        map.serialize_entry("chain", chain)?;
        if let Some(state_hash) = state_hash {
            map.serialize_entry("state_hash", state_hash)?;
        }
        map.end()
    }
}

/// An op with all its parts.
pub(super) struct ShownOp<'a>(pub(super) &'a Op);

impl Serialize for ShownOp<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Op { site, ctr, prev, epoch, hlc, body, hash } = self.0;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("site", site)?;
        map.serialize_entry("ctr", ctr)?;
        map.serialize_entry("prev", prev)?;
        map.serialize_entry("epoch", epoch)?;
        map.serialize_entry("hlc", &Stamp::from(*hlc))?;
        match body {
            Body::Join(join) => map.serialize_entry("join", join)?,
            Body::Add(add) => {
                map.serialize_entry("add", &Change { item: add.item, key: Some(&add.key), registers: &add.registers })?;
            }
            Body::Put(put) => {
                let change = Change { item: put.item, key: put.key.as_ref(), registers: &put.registers };
                map.serialize_entry("put", &change)?;
            }
            Body::List(list) => map.serialize_entry("list", list)?,
            Body::Unread { kind, bytes } => {
                map.serialize_entry("unread", &Unread { kind: *kind, bytes: hex(bytes) })?;
            }
        }
        map.serialize_entry("hash", hash)?;
        map.end()
    }
}

#[derive(Serialize)]
struct Unread {
    kind: u8,
    bytes: String,
}

fn hex(bytes: &[u8]) -> String {
    let digit = |half: u8| char::from_digit(u32::from(half), 16).unwrap_or('0');
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// What an op says of an item.
struct Change<'a> {
    item: ItemId,
    key: Option<&'a Key>,
    registers: &'a [Register],
}

impl Serialize for Change<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("item", &self.item)?;
        if let Some(key) = self.key {
            map.serialize_entry("key", key)?;
        }
        self.registers.iter().try_for_each(|register| fields::write(&mut map, register))?;
        map.end()
    }
}

/// An item of a snapshot.
pub(super) struct ShownItem<'a>(pub(super) ItemId, pub(super) &'a Item);

impl Serialize for ShownItem<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(id, item) = self;
        let position = &item.position;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("item", id)?;
        map.serialize_entry("key", &position.key)?;
        for written in item.registers() {
            fields::write(&mut map, &written.register)?;
        }
        map.serialize_entry("hlc", &Stamp::from(position.hlc))?;
        map.serialize_entry::<_, OpId>("op", &position.op)?;
        let others = || item.registers().iter().filter(|written| written.hlc != position.hlc);
        if others().next().is_some() {
            let stamp = |written: &Written| (fields::name(written.register.field()), Stamp::from(written.hlc));
            map.serialize_entry("hlcs", &Map(others().map(stamp).collect()))?;
        }
        map.end()
    }
}

/// Names and values, in their order.
struct Map<V>(Vec<(&'static str, V)>);

impl<V: Serialize> Serialize for Map<V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

/// A site of a snapshot.
#[derive(Serialize)]
pub(super) struct ShownSite<'a> {
    site: SiteId,
    #[serde(flatten)]
    known: &'a Site,
}

impl<'a> ShownSite<'a> {
    pub(super) const fn new(site: SiteId, known: &'a Site) -> Self {
        Self { site, known }
    }
}

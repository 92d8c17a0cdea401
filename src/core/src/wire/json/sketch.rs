//! An op as a script says it: what it leaves out is filled in where the list is known.

use serde::Deserialize;
use smol_str::SmolStr;

use super::fields::{Fields, given};
use crate::edit::Spot;
use crate::hlc::Tick;
use crate::id::{Hash, ItemId, SiteId};
use crate::key::Key;
use crate::op::check::OpFault;
use crate::op::{EpochId, Join, ListPut};
use crate::register::Register;

/// An op of which parts may be missing.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "OpFields")]
pub struct Sketch {
    /// The how-manieth op of its site it is.
    pub ctr: u64,
    /// Counter of the site's last op that was not refused.
    pub prev: Option<u64>,
    /// What is seldom given. Apart, so that a push of many short ops stays small.
    pub given: Option<Box<Given>>,
    /// What it says.
    pub said: Said,
}

/// Parts of an op that a script seldom gives.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Given {
    /// The site that says it.
    pub site: Option<SiteId>,
    /// The epoch that its key belongs to; there if it has one.
    pub epoch: Option<EpochId>,
    /// The stamp, and the site that stamped if it is another.
    pub hlc: Option<(Tick, Option<SiteId>)>,
    /// The hash that it is to have.
    pub hash: Option<Hash>,
}

/// What an op says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Said {
    /// The site's first op.
    Join(Join),
    /// A new item.
    Add {
        /// Its id.
        item: ItemId,
        /// Where it stands.
        at: At,
        /// What is written at once.
        registers: Vec<Register>,
    },
    /// A change of an item.
    Put {
        /// Which item.
        item: ItemId,
        /// Where it goes.
        at: Option<At>,
        /// What is written.
        registers: Vec<Register>,
    },
    /// A write of the list's own registers.
    List(ListPut),
}

/// A place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum At {
    /// A key of the op's epoch.
    Key(Key),
    /// Beside an item, or at an end.
    Spot(Spot),
}

/// Why fields are no op.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum SketchFault {
    #[error("an op says one of `join`, `add`, `put` and `list`")]
    Kind,
    #[error("`ctr` counts a site's ops from 1")]
    Counter,
    #[error("the op with `ctr` 1 is the site's `join`, and no other op is one")]
    Join,
    #[error("an item is placed by one of `after`, `before` and `key`")]
    Place,
    #[error("a `key` needs the `epoch` that it was made in; `after` and `before` need none")]
    Epoch,
    #[error("a `put` that says nothing of its item")]
    Nothing,
    #[error(transparent)]
    Register(OpFault),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object")]
struct OpFields {
    ctr: u64,
    #[serde(default, deserialize_with = "given")]
    prev: Option<u64>,
    #[serde(default, deserialize_with = "given")]
    site: Option<SiteId>,
    #[serde(default, deserialize_with = "given")]
    epoch: Option<EpochId>,
    #[serde(default, deserialize_with = "given")]
    hlc: Option<HlcFields>,
    #[serde(default, deserialize_with = "given")]
    hash: Option<Hash>,
    #[serde(default, deserialize_with = "given")]
    join: Option<JoinFields>,
    #[serde(default, deserialize_with = "given")]
    add: Option<Fields>,
    #[serde(default, deserialize_with = "given")]
    put: Option<Fields>,
    #[serde(default, deserialize_with = "given")]
    list: Option<ListFields>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object")]
struct HlcFields {
    wall: crate::hlc::Millis,
    #[serde(default)]
    counter: u16,
    #[serde(default, deserialize_with = "given")]
    site: Option<SiteId>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object")]
struct JoinFields {
    #[serde(default)]
    name: SmolStr,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object")]
struct ListFields {
    title: SmolStr,
}

impl TryFrom<OpFields> for Sketch {
    type Error = SketchFault;

    fn try_from(op: OpFields) -> Result<Self, SketchFault> {
        let said = match (op.join, op.add, op.put, op.list) {
            (Some(JoinFields { name }), None, None, None) => Said::Join(Join { name }),
            (None, Some(fields), None, None) => {
                let item = fields.item;
                let (at, registers) = fields.take()?;
                Said::Add { item, at: at.ok_or(SketchFault::Place)?, registers }
            }
            (None, None, Some(fields), None) => {
                let item = fields.item;
                let (at, registers) = fields.take()?;
                if at.is_none() && registers.is_empty() {
                    return Err(SketchFault::Nothing);
                }
                Said::Put { item, at, registers }
            }
            (None, None, None, Some(ListFields { title })) => Said::List(ListPut { title }),
            _ => return Err(SketchFault::Kind),
        };
        match (op.ctr, &said) {
            (0, _) => return Err(SketchFault::Counter),
            (1, Said::Join(_)) => {}
            (1, _) | (_, Said::Join(_)) => return Err(SketchFault::Join),
            _ => {}
        }
        let has_key = matches!(said, Said::Add { at: At::Key(_), .. } | Said::Put { at: Some(At::Key(_)), .. });
        if has_key && op.epoch.is_none() {
            return Err(SketchFault::Epoch);
        }
        let hlc = op.hlc.map(|hlc| (Tick { wall: hlc.wall, counter: hlc.counter }, hlc.site));
        let given = Given { site: op.site, epoch: op.epoch, hlc, hash: op.hash };
        let given = (given != Given::default()).then(|| Box::new(given));
        Ok(Self { ctr: op.ctr, prev: op.prev, given, said })
    }
}

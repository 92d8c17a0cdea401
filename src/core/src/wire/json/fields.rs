//! What an op says of an item, as fields beside each other: which item, its place, its registers.

use serde::de::Error as _;
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer};
use smol_str::SmolStr;

use crate::bounded;
use crate::edit::Spot;
use crate::id::ItemId;
use crate::key::Key;
use crate::limits::{Limits, TAGS_MAX};
use crate::op::check::{OpFault, check_register};
use crate::register::{Date, Field, Register};

use super::sketch::{At, SketchFault};

/// The fields as they come; one that is null is not one that is left out.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub(super) struct Fields {
    pub(super) item: ItemId,
    #[serde(default, deserialize_with = "after")]
    after: Option<Spot>,
    #[serde(default, deserialize_with = "before")]
    before: Option<Spot>,
    #[serde(default, deserialize_with = "given")]
    key: Option<Key>,
    #[serde(default, deserialize_with = "given")]
    text: Option<SmolStr>,
    #[serde(default, deserialize_with = "given")]
    note: Option<SmolStr>,
    #[serde(default, deserialize_with = "given")]
    done: Option<bool>,
    #[serde(default, deserialize_with = "due")]
    due: Option<Register>,
    #[serde(default, deserialize_with = "priority")]
    priority: Option<Register>,
    #[serde(default, deserialize_with = "given")]
    assignee: Option<SmolStr>,
    #[serde(default, deserialize_with = "tags")]
    tags: Option<Vec<SmolStr>>,
    #[serde(default, deserialize_with = "given")]
    depth: Option<u8>,
    #[serde(default, deserialize_with = "given")]
    deleted: Option<bool>,
}

impl Fields {
    /// Where the item goes, and what is written.
    pub(super) fn take(self) -> Result<(Option<At>, Vec<Register>), SketchFault> {
        let at = match (self.after, self.before, self.key) {
            (None, None, None) => None,
            (Some(spot), None, None) | (None, Some(spot), None) => Some(At::Spot(spot)),
            (None, None, Some(key)) => Some(At::Key(key)),
            _ => return Err(SketchFault::Place),
        };
        let registers = [
            self.text.map(Register::Text),
            self.note.map(Register::Note),
            self.done.map(Register::Done),
            self.due,
            self.priority,
            self.assignee.map(Register::Assignee),
            self.tags.map(Register::Tags),
            self.depth.map(Register::Depth),
            self.deleted.map(Register::Deleted),
        ];
        let registers: Vec<Register> = registers.into_iter().flatten().collect();
        // What the relay only calls malformed. Lengths are for it to measure: it sets the limits.
        let limits = Limits { text_bytes: u32::MAX, note_bytes: u32::MAX, ..Limits::DEFAULT };
        for register in &registers {
            if let Err(fault @ OpFault::Range { .. }) = check_register(register, &limits) {
                return Err(SketchFault::Register(fault));
            }
        }
        Ok((at, registers))
    }
}

/// A field that is there: null is a value like any other.
pub(super) fn given<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

fn after<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Spot>, D::Error> {
    Ok(Some(Option::deserialize(deserializer)?.map_or(Spot::Top, Spot::After)))
}

fn before<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Spot>, D::Error> {
    Ok(Some(Option::deserialize(deserializer)?.map_or(Spot::Bottom, Spot::Before)))
}

fn due<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Register>, D::Error> {
    let Some(day) = Option::<SmolStr>::deserialize(deserializer)? else { return Ok(Some(Register::Due(None))) };
    let no_day = || D::Error::custom(format_args!("{day:?} is no day: one is written YYYY-MM-DD"));
    Date::parse(&day).map(|date| Some(Register::Due(Some(date)))).ok_or_else(no_day)
}

fn priority<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Register>, D::Error> {
    Ok(Some(Register::Priority(Option::deserialize(deserializer)?)))
}

fn tags<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Vec<SmolStr>>, D::Error> {
    bounded::list::<D, SmolStr, TAGS_MAX>(deserializer).map(Some)
}

/// What a register is called.
pub(super) const fn name(field: Field) -> &'static str {
    match field {
        Field::Text => "text",
        Field::Note => "note",
        Field::Done => "done",
        Field::Due => "due",
        Field::Priority => "priority",
        Field::Assignee => "assignee",
        Field::Tags => "tags",
        Field::Depth => "depth",
        Field::Deleted => "deleted",
    }
}

/// Writes a register as a field.
pub(super) fn write<M: SerializeMap>(map: &mut M, register: &Register) -> Result<(), M::Error> {
    let name = name(register.field());
    match register {
        Register::Text(text) | Register::Note(text) | Register::Assignee(text) => map.serialize_entry(name, text),
        Register::Done(flag) | Register::Deleted(flag) => map.serialize_entry(name, flag),
        Register::Due(due) => map.serialize_entry(name, &due.map(|due| due.to_string())),
        Register::Priority(priority) => map.serialize_entry(name, priority),
        Register::Tags(tags) => map.serialize_entry(name, tags),
        Register::Depth(depth) => map.serialize_entry(name, depth),
    }
}

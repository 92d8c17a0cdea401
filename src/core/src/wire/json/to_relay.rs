//! Reading what a script says.

use serde::Deserialize;
use smol_str::SmolStr;

use super::fields::given;
use super::sketch::Sketch;
use crate::bounded;
use crate::id::{Hash, ItemId, ListUid, SiteSecret};
use crate::log::Watermark;
use crate::name::ListName;
use crate::op::body::Kinds;
use crate::wire::{Hello, Listing, ToRelay, VERSION};

/// Bytes of a reason: it may quote what came.
const WHY_BYTES_MAX: usize = 512;

/// What a script says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FromScript {
    /// Ops to be sequenced, once they are whole.
    Push {
        /// On which list.
        list: ListUid,
        /// The ops.
        ops: Vec<Sketch>,
    },
    /// What the compact spelling says in the same way: anything but a push.
    Message(ToRelay),
}

/// Why a frame could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub struct Unread {
    /// In the words of the parser, bounded.
    why: Box<str>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case", expecting = "a message")]
enum Frame {
    Hello(Box<HelloFields>),
    Push(PushFields),
    Here(HereFields),
    Leave(LeaveFields),
    Lists(ListsFields),
    DeleteList(DeleteFields),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object")]
struct HelloFields {
    #[serde(default = "this_version", deserialize_with = "bounded::list::<_, _, 16>")]
    versions: Vec<u16>,
    #[serde(default, deserialize_with = "kinds")]
    kinds: Option<Kinds>,
    secret: SiteSecret,
    name: ListName,
    #[serde(default, deserialize_with = "given")]
    uid: Option<ListUid>,
    #[serde(default, deserialize_with = "given")]
    seq: Option<u64>,
    #[serde(default, deserialize_with = "given")]
    chain: Option<Hash>,
    #[serde(default)]
    pending: bool,
    person: SmolStr,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object")]
struct PushFields {
    list: ListUid,
    #[serde(deserialize_with = "bounded::list::<_, _, 4_096>")]
    ops: Vec<Sketch>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object")]
struct HereFields {
    list: ListUid,
    #[serde(default)]
    at: Option<ItemId>,
    #[serde(default)]
    editing: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object")]
struct LeaveFields {
    list: ListUid,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object")]
struct ListsFields {
    #[serde(default)]
    prefix: SmolStr,
    #[serde(default, deserialize_with = "given")]
    after: Option<ListName>,
    #[serde(default = "as_many_as_fit")]
    limit: u16,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object")]
struct DeleteFields {
    name: ListName,
    uid: ListUid,
}

/// Reads a frame.
///
/// Memory: at most eight times the text, and a kilobyte for the reason.
///
/// # Errors
///
/// It is no message, or has a field that there is none of.
pub fn read(text: &str) -> Result<FromScript, Unread> {
    if !text.trim_start().starts_with('{') {
        return Err(Unread::new("a frame is a JSON object: {\"hello\": {..}}"));
    }
    let frame = serde_json::from_str(text).map_err(|error| Unread::new(&error.to_string()))?;
    Ok(FromScript::Message(match frame {
        Frame::Push(PushFields { list, ops }) => return Ok(FromScript::Push { list, ops }),
        Frame::Hello(hello) => ToRelay::Hello(Box::new(hello.take()?)),
        Frame::Here(HereFields { list, at, editing }) => ToRelay::Here { list, at, editing },
        Frame::Leave(LeaveFields { list }) => ToRelay::Leave { list },
        Frame::Lists(ListsFields { prefix, after, limit }) => ToRelay::Lists(Listing { prefix, after, limit }),
        Frame::DeleteList(DeleteFields { name, uid }) => ToRelay::DeleteList { name, uid },
    }))
}

impl Unread {
    /// With this reason, or as much of it as there is room for.
    #[must_use]
    pub fn new(why: &str) -> Self {
        let end = why.floor_char_boundary(WHY_BYTES_MAX);
        Self { why: why.get(..end).unwrap_or_default().into() }
    }
}

impl HelloFields {
    fn take(self) -> Result<Hello, Unread> {
        let Self { versions, kinds, secret, name, uid, seq, chain, pending, person } = self;
        let start = || uid.map_or(Watermark { seq: 0, chain: Hash::from_bytes([0; 32]) }, Watermark::start);
        let mark = match (seq, chain) {
            (Some(seq), Some(chain)) => Watermark { seq, chain },
            (None | Some(0), None) => start(),
            _ => return Err(Unread::new("`seq` and `chain` say together how far the list was read")),
        };
        let kinds = kinds.unwrap_or(Kinds::KNOWN);
        Ok(Hello { versions, kinds, secret, name, uid, mark, pending, person })
    }
}

fn this_version() -> Vec<u16> {
    vec![VERSION]
}

const fn as_many_as_fit() -> u16 {
    u16::MAX
}

/// Kinds by number.
fn kinds<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Kinds>, D::Error> {
    let kinds = bounded::list::<D, u8, 64>(deserializer)?;
    Ok(Some(kinds.into_iter().fold(Kinds::NONE, Kinds::and)))
}

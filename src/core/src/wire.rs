//! What sites and relays say to each other, in the spelling `betwixt.1`; scripts may use [`json`] instead.
//!
//! A WebSocket message holds one message: a byte for its kind (the place of the variant in [`ToRelay`] or [`ToSite`],
//! from 0) and its fields, in the encoding of the `postcard` crate. Ops are as in module `op`, entries as in module
//! `log`. A message of an unknown kind is skipped; one that does not decode is answered with [`ToSite::Unreadable`].
//!
//! ```text
//! site                         relay
//!   Hello ------------------->
//!         <------------------- OtherList | Gone | Closing, or
//!         <------------------- [SnapshotBegin SnapshotPart.. SnapshotEnd] Welcome Entries..
//!   Push ------------------->
//!         <------------------- Entries (an op's own entry is its ack) | Refused | Stale | Collision | Wait
//!   Here <------------------> People, Figures
//!
//!   Lists ------------------> on a link that has opened a list, or none
//!         <------------------- Lists
//!   DeleteList ------------->
//!         <------------------- Gone, to all that have it open too; OtherList
//! ```

pub mod json;

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use crate::bounded;
use crate::hlc::Millis;
use crate::id::{Hash, ItemId, ListUid, OpId, SiteId, SiteSecret};
use crate::limits::Limits;
use crate::log::{Entry, Watermark};
use crate::name::ListName;
use crate::op::Op;
use crate::op::body::Kinds;
use crate::snapshot::{Begin, Part};

/// The WebSocket subprotocol of the compact spelling.
pub const SUBPROTOCOL: &str = "betwixt.1";
/// The version of the protocol that this program speaks.
pub const VERSION: u16 = 1;

/// What a site opens a list with, and a barrier: what the relay had from this site before is settled first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// Versions of the protocol that the site speaks.
    #[serde(deserialize_with = "bounded::list::<_, _, 16>")]
    pub versions: Vec<u16>,
    /// Kinds of ops that the site can carry out.
    pub kinds: Kinds,
    /// Proves which site it is.
    pub secret: SiteSecret,
    /// What the list is called on this relay.
    pub name: ListName,
    /// Which list the site knows by that name; `None` if it knows none.
    pub uid: Option<ListUid>,
    /// How far the site has read that list.
    pub mark: Watermark,
    /// Whether the site has ops that are not sequenced. Then it needs the entries, not a snapshot.
    pub pending: bool,
    /// What the person at the site is called.
    pub person: SmolStr,
}

/// What a site says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum ToRelay {
    /// Opens a list.
    Hello(Box<Hello>),
    /// Ops to be sequenced, in the order of their counters.
    Push {
        /// On which list.
        list: ListUid,
        /// The ops.
        #[serde(deserialize_with = "bounded::list::<_, _, 4_096>")]
        ops: Vec<Op>,
    },
    /// Where the person is.
    Here {
        /// On which list.
        list: ListUid,
        /// The selected item.
        at: Option<ItemId>,
        /// Whether it is being edited.
        editing: bool,
    },
    /// Closes a list; the link stays.
    Leave {
        /// Which list.
        list: ListUid,
    },
    /// Asks which lists there are.
    Lists(Listing),
    /// Deletes a list, for everybody; [`ToSite::Gone`] is the ack. A list that is deleted already is gone as well.
    DeleteList {
        /// What it is called on this relay.
        name: ListName,
        /// Which list: another one of that name is not meant.
        uid: ListUid,
    },
}

/// Which lists are asked for: those whose names begin with `prefix`, in the order of their names, from the first behind
/// `after` on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listing {
    /// What their names begin with; everything begins with nothing.
    pub prefix: SmolStr,
    /// The last one that is known already.
    pub after: Option<ListName>,
    /// How many at most; a relay may send fewer, see [`ToSite::Lists`].
    pub limit: u16,
}

/// A list as a relay's directory has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listed {
    /// What it is called.
    pub name: ListName,
    /// Which list it is.
    pub uid: ListUid,
    /// Its title; empty if it has none. From a peer: show it as `SafeText` only.
    pub title: SmolStr,
}

/// What a relay says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToSite {
    /// The list is open; entries from here up to `head` are on their way.
    Welcome(Box<Welcome>),
    /// Another list has that name here.
    OtherList {
        /// The name.
        name: ListName,
        /// The list that has it.
        uid: ListUid,
    },
    /// The list was deleted here.
    Gone {
        /// The list.
        uid: ListUid,
    },
    /// A snapshot follows.
    SnapshotBegin(Box<Begin>),
    /// A piece of it.
    SnapshotPart {
        /// Of which list.
        list: ListUid,
        /// The piece.
        part: Part,
    },
    /// That was all of it.
    SnapshotEnd {
        /// Of which list.
        list: ListUid,
    },
    /// The next entries of the log; durable.
    Entries {
        /// Of which list.
        list: ListUid,
        /// The entries.
        #[serde(deserialize_with = "bounded::list::<_, _, 4_096>")]
        entries: Vec<Entry>,
    },
    /// An op that will not be sequenced.
    Refused {
        /// On which list.
        list: ListUid,
        /// The op.
        op: OpId,
        /// Why.
        code: RefusedCode,
    },
    /// An op whose key is of another epoch: read up to `need_seq`, give it a key of the new one, and send again.
    Stale {
        /// On which list.
        list: ListUid,
        /// Read up to here first.
        need_seq: u64,
    },
    /// Another op of this site has that counter in the log: read up to `need_seq`, then be a new site.
    Collision {
        /// On which list.
        list: ListUid,
        /// Read up to here first.
        need_seq: u64,
    },
    /// Ops come too fast; nothing more is read from this link for that time.
    Wait {
        /// Milliseconds.
        retry_after: Millis,
    },
    /// Who is on the list, whole, at most every 200 ms.
    People {
        /// On which list.
        list: ListUid,
        /// Everybody, this site too.
        #[serde(deserialize_with = "bounded::list::<_, _, 4_096>")]
        people: Vec<Person>,
    },
    /// What the relay shows of the list.
    Figures {
        /// Of which list.
        list: ListUid,
        /// The figures.
        figures: Figures,
    },
    /// A message of this link did not decode; it was skipped.
    Unreadable,
    /// The relay is about to close the link.
    Closing {
        /// Why.
        reason: CloseReason,
        /// When to dial again.
        retry_after: Millis,
    },
    /// The lists that were asked for.
    Lists {
        /// What was asked.
        asked: Listing,
        /// The lists, in the order of their names.
        #[serde(deserialize_with = "bounded::list::<_, _, 4_096>")]
        lists: Vec<Listed>,
        /// Whether there are more behind the last of them.
        more: bool,
    },
}

/// The answer to a `Hello`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Welcome {
    /// The version that both will speak.
    pub version: u16,
    /// What the list is called here.
    pub name: ListName,
    /// Which list it is.
    pub uid: ListUid,
    /// How far its log goes, durably.
    pub head: u64,
    /// The relay's limits.
    pub limits: Limits,
    /// The relay's clock.
    pub clock: Millis,
    /// The site's last op in the log: its counter and hash.
    pub last: Option<(u64, Hash)>,
}

/// Somebody on a list, as the relay stamped them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Person {
    /// Their site.
    pub site: SiteId,
    /// What they call themselves. From a peer: show it as `SafeText` only.
    pub name: SmolStr,
    /// The item that they have selected.
    pub at: Option<ItemId>,
    /// Whether they are editing it.
    pub editing: bool,
}

/// A relay's figures of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Figures {
    /// Links that have it open.
    pub links: u32,
    /// Live items.
    pub items: u32,
    /// Ops sequenced in the last second.
    pub ops: u32,
    /// Bytes of the longest live key.
    pub longest: u32,
    /// Mean bytes of live keys, in hundredths.
    pub mean_hundredths: u32,
    /// Number of the epoch.
    pub epoch: u32,
}

/// Why an op will not be sequenced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum RefusedCode {
    /// The item is not there (any more).
    #[error("the item is gone")]
    Gone,
    /// The key is not canonical.
    #[error("bad key")]
    BadKey,
    /// The key is far longer than the list's longest: the site gives it a shorter one.
    #[error("the key jumps in length")]
    KeyJump,
    /// A text, a key or the op is over a limit.
    #[error("too large")]
    TooLarge,
    /// A text has a control character.
    #[error("a control character in a text")]
    Control,
    /// The stamp is too far ahead of the relay's clock.
    #[error("the clock of the site is ahead")]
    Clock,
    /// The op is of another site than the session's.
    #[error("the op of another site")]
    ForeignSite,
    /// The site has not joined the list.
    #[error("the site has not joined")]
    NotJoined,
    /// The list has as many items, or sites, as it may have.
    #[error("the list is full")]
    Full,
    /// A kind of op that this relay does not let in.
    #[error("unknown kind of op")]
    UnknownKind,
    /// The op contradicts itself: its hash, its counters, its values.
    #[error("malformed op")]
    Malformed,
}

/// Why a relay closes a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum CloseReason {
    /// The relay ends, or hands over.
    #[error("the relay is closing")]
    Shutdown,
    /// Another link of this site opened the list.
    #[error("replaced by another link of this site")]
    Replaced,
    /// No common version of the protocol.
    #[error("no common version of the protocol")]
    Version,
    /// No `Hello` in time, or something before it.
    #[error("no hello in time, or something before it")]
    NoHello,
    /// The link took nothing for too long.
    #[error("the link took nothing for too long")]
    Stalled,
    /// The relay cannot write; it will try again.
    #[error("the relay cannot write to its disk")]
    Storage,
    /// The stored list is damaged.
    #[error("the stored list is damaged")]
    Damaged,
    /// More lists, links or bytes than the relay takes.
    #[error("over a limit of the relay")]
    Limit,
}

/// Why a message could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WireError {
    /// A kind that this program does not know: skip it.
    #[error("message of unknown kind {0}")]
    UnknownKind(u8),
    /// The bytes are no message of their kind.
    #[error("malformed message")]
    Malformed(#[source] postcard::Error),
    /// A message, and more behind it.
    #[error("bytes behind the end of a message")]
    Longer,
}

/// A direction's messages.
pub trait Message: Serialize + for<'de> Deserialize<'de> {
    /// How many kinds there are.
    const KINDS: u8;

    /// The bytes of the message.
    fn to_bytes(&self) -> Vec<u8> {
        crate::op::encode(self)
    }

    /// Reads a message.
    ///
    /// # Errors
    ///
    /// The kind is unknown, or the bytes are no message of their kind and nothing more.
    fn from_bytes(bytes: &[u8]) -> Result<Self, WireError> {
        if let Some(kind) = bytes.first().filter(|kind| **kind >= Self::KINDS) {
            return Err(WireError::UnknownKind(*kind));
        }
        match postcard::take_from_bytes(bytes) {
            Ok((message, [])) => Ok(message),
            Ok(_) => Err(WireError::Longer),
            Err(source) => Err(WireError::Malformed(source)),
        }
    }
}

impl Message for ToRelay {
    const KINDS: u8 = 6;
}

impl Message for ToSite {
    const KINDS: u8 = 16;
}

/// Place of [`ToSite::Entries`] among the variants.
const ENTRIES_KIND: u8 = 6;

/// The bytes of a [`ToSite::Entries`] with these encoded entries: what a relay sends as it was stored.
#[must_use]
pub fn entries_message<'a>(list: ListUid, entries: impl ExactSizeIterator<Item = &'a [u8]>) -> Vec<u8> {
    let mut bytes = vec![ENTRIES_KIND];
    bytes.extend_from_slice(list.as_bytes());
    bytes.extend(crate::op::encode(&entries.len()));
    for entry in entries {
        bytes.extend_from_slice(entry);
    }
    bytes
}

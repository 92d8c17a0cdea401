//! What any op must hold, whatever the list: checked by the client before it mints, by the relay before it orders.

use super::body::{Body, BodyFault};
use super::{Add, ListPut, Op, Put};
use crate::limits::{DEPTH_MAX, LABEL_BYTES_MAX, Limits, PRIORITY_MAX, TAGS_MAX};
use crate::register::Register;
use crate::safe_text::{Kind, find_forbidden};

/// Why an op is refused by itself.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OpFault {
    /// Its hash is not that of its content.
    #[error("the hash of an op is not that of its content")]
    Hash,
    /// Its body could not be read.
    #[error("unreadable op")]
    Body(#[source] BodyFault),
    /// The stamp is a placeholder, or counters are zero where they start at one.
    #[error("an op is counted from 1, and above its predecessor")]
    Counter,
    /// A key longer than the relay takes.
    #[error("key of {bytes} bytes; the limit is {limit}")]
    KeyBytes {
        /// Its length.
        bytes: usize,
        /// The limit.
        limit: usize,
    },
    /// A text longer than the relay takes.
    #[error("{what} of {bytes} bytes; the limit is {limit}")]
    TextBytes {
        /// Which text.
        what: &'static str,
        /// Its length.
        bytes: usize,
        /// The limit.
        limit: usize,
    },
    /// A control character, which no client lets through.
    #[error("{what} with the control character {found:?}")]
    Control {
        /// Which text.
        what: &'static str,
        /// The first such character.
        found: char,
    },
    /// A number out of its range.
    #[error("{what} out of its range")]
    Range {
        /// Which number.
        what: &'static str,
    },
    /// One register written twice in one op.
    #[error("an op that writes a register twice")]
    Twice,
    /// A change that changes nothing.
    #[error("an op that says nothing")]
    Empty,
}

/// Checks an op by itself.
///
/// # Errors
///
/// The first [`OpFault`] that is found.
pub fn check(op: &Op, limits: &Limits) -> Result<(), OpFault> {
    if let Some(fault) = op.body.fault() {
        return Err(OpFault::Body(fault));
    }
    if op.hash != op.content_hash() {
        return Err(OpFault::Hash);
    }
    if op.ctr == 0 || op.prev >= op.ctr || (op.ctr == 1) != matches!(op.body, Body::Join) {
        return Err(OpFault::Counter);
    }
    check_body(&op.body, limits)
}

/// Checks what an op says: see [`check`].
///
/// # Errors
///
/// The first [`OpFault`] that is found.
pub fn check_body(body: &Body, limits: &Limits) -> Result<(), OpFault> {
    if let Some(key) = body.key() {
        at_most(key.len(), limits.key_bytes).map_err(|limit| OpFault::KeyBytes { bytes: key.len(), limit })?;
    }
    match body {
        Body::Put(Put { key: None, registers, .. }) if registers.is_empty() => Err(OpFault::Empty),
        Body::Add(Add { registers, .. }) | Body::Put(Put { registers, .. }) => {
            let twice = registers
                .iter()
                .enumerate()
                .any(|(at, one)| registers.iter().skip(at + 1).any(|other| other.field() == one.field()));
            if twice { Err(OpFault::Twice) } else { registers.iter().try_for_each(|one| check_register(one, limits)) }
        }
        Body::List(ListPut { title }) => check_text("title", title, limits.text_bytes, Kind::Line),
        Body::Join | Body::Unread { .. } => Ok(()),
    }
}

fn check_register(register: &Register, limits: &Limits) -> Result<(), OpFault> {
    let label_bytes = u32::try_from(LABEL_BYTES_MAX).unwrap_or(u32::MAX);
    let in_range = |what, holds: bool| if holds { Ok(()) } else { Err(OpFault::Range { what }) };
    match register {
        Register::Text(text) => check_text("text", text, limits.text_bytes, Kind::Line),
        Register::Note(note) => check_text("note", note, limits.note_bytes, Kind::Note),
        Register::Assignee(who) => check_text("assignee", who, label_bytes, Kind::Line),
        Register::Tags(tags) => {
            in_range("number of tags", tags.len() <= TAGS_MAX)?;
            tags.iter().try_for_each(|tag| check_text("tag", tag, label_bytes, Kind::Line))
        }
        Register::Due(due) => in_range("due date", due.is_none_or(crate::register::Date::is_valid)),
        Register::Priority(priority) => {
            in_range("priority", priority.is_none_or(|priority| (1..=PRIORITY_MAX).contains(&priority)))
        }
        Register::Depth(depth) => in_range("depth", *depth <= DEPTH_MAX),
        Register::Done(_) | Register::Deleted(_) => Ok(()),
    }
}

fn check_text(what: &'static str, text: &str, limit: u32, kind: Kind) -> Result<(), OpFault> {
    at_most(text.len(), limit).map_err(|limit| OpFault::TextBytes { what, bytes: text.len(), limit })?;
    find_forbidden(text, kind).map_or(Ok(()), |found| Err(OpFault::Control { what, found }))
}

/// `Err` with the limit if there are more bytes.
fn at_most(bytes: usize, limit: u32) -> Result<(), usize> {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    if bytes <= limit { Ok(()) } else { Err(limit) }
}

//! What any op must hold, whatever the list: checked by the client before it mints, by the relay before it orders.

use super::body::{Body, BodyFault};
use super::{Add, Join, ListPut, Op, Put};
use crate::limits::{CTR_MAX, DEPTH_MAX, LABEL_BYTES_MAX, Limits, NAME_BYTES_MAX, PRIORITY_MAX, TAGS_MAX};
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
    if op.ctr == 0 || op.ctr > CTR_MAX || op.prev >= op.ctr || (op.ctr == 1) != matches!(op.body, Body::Join(_)) {
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
        let limit = bytes(limits.key_bytes);
        if key.len() > limit {
            return Err(OpFault::KeyBytes { bytes: key.len(), limit });
        }
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
        Body::List(ListPut { title }) => check_text("title", title, bytes(limits.text_bytes), Kind::Line),
        Body::Join(Join { name }) => check_text("name", name, NAME_BYTES_MAX, Kind::Line),
        Body::Unread { .. } => Ok(()),
    }
}

pub(crate) fn check_register(register: &Register, limits: &Limits) -> Result<(), OpFault> {
    let in_range = |what, holds: bool| if holds { Ok(()) } else { Err(OpFault::Range { what }) };
    match register {
        Register::Text(text) => check_text("text", text, bytes(limits.text_bytes), Kind::Line),
        Register::Note(note) => check_text("note", note, bytes(limits.note_bytes), Kind::Note),
        Register::Assignee(who) => check_text("assignee", who, LABEL_BYTES_MAX, Kind::Line),
        Register::Tags(tags) => {
            in_range("number of tags", tags.len() <= TAGS_MAX)?;
            tags.iter().try_for_each(|tag| {
                in_range("length of a tag", !tag.is_empty())?;
                check_text("tag", tag, LABEL_BYTES_MAX, Kind::Line)
            })
        }
        Register::Due(due) => in_range("due date", due.is_none_or(crate::register::Date::is_valid)),
        Register::Priority(priority) => {
            in_range("priority", priority.is_none_or(|priority| (1..=PRIORITY_MAX).contains(&priority)))
        }
        Register::Depth(depth) => in_range("depth", *depth <= DEPTH_MAX),
        Register::Done(_) | Register::Deleted(_) => Ok(()),
    }
}

fn check_text(what: &'static str, text: &str, limit: usize, kind: Kind) -> Result<(), OpFault> {
    if text.len() > limit {
        return Err(OpFault::TextBytes { what, bytes: text.len(), limit });
    }
    find_forbidden(text, kind).map_or(Ok(()), |found| Err(OpFault::Control { what, found }))
}

fn bytes(limit: u32) -> usize {
    usize::try_from(limit).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hlc::{Hlc, Tick};
    use crate::id::{Hash, ItemId, ListUid, OpId, SiteId};
    use crate::key::{Key, KeyError};
    use crate::op::{EpochId, encode, kind};

    const ITEM: ItemId = ItemId::from_bytes([3; 8]);

    fn op(ctr: u64, prev: u64, body: Body) -> Op {
        let site = SiteId::from_bytes([2; 16]);
        let hlc = Hlc { tick: Tick::default(), site };
        Op::new(OpId { site, ctr }, prev, EpochId::first(ListUid::from_bytes([1; 16])), hlc, body)
    }

    fn add(key: &str, registers: Vec<Register>) -> Body {
        Body::Add(Add { item: ITEM, key: Key::parse(key).unwrap(), registers })
    }

    fn put(registers: Vec<Register>) -> Body {
        Body::Put(Put { item: ITEM, key: None, registers })
    }

    #[track_caller]
    fn check_op(op: &Op, expected: Option<OpFault>) {
        let checked = check(op, &Limits::DEFAULT);
        assert_eq!(checked, expected.map_or(Ok(()), Err), "{op:?}");
    }

    #[track_caller]
    fn check_put(register: Register, expected: Option<OpFault>) {
        check_op(&op(2, 1, put(vec![register])), expected);
    }

    #[test]
    fn what_a_client_mints_is_let_in() {
        check_op(&op(1, 0, Body::Join(Join::default())), None);
        check_op(&op(2, 1, add(&"a".repeat(128), vec![])), None);
        check_op(&op(9, 1, put(vec![Register::Note("two\nlines".into()), Register::Done(true)])), None);
        check_op(&op(2, 1, Body::List(ListPut { title: "x".repeat(4_096).into() })), None);
        check_put(Register::Text("x".repeat(4_096).into()), None);
        check_put(Register::Note("x".repeat(16_384).into()), None);
        check_put(Register::Assignee("x".repeat(64).into()), None);
        check_put(Register::Tags(vec!["x".repeat(64).into(); 32]), None);
        check_put(Register::Depth(8), None);
        check_put(Register::Priority(Some(9)), None);
        check_put(Register::Due(None), None);
    }

    #[test]
    fn a_hash_that_is_not_the_contents_is_a_fault() {
        let mut forged = op(2, 1, put(vec![Register::Done(true)]));
        forged.hash = Hash::from_bytes([9; 32]);
        check_op(&forged, Some(OpFault::Hash));
    }

    #[test]
    fn a_body_that_cannot_be_read_is_a_fault_with_the_reason() {
        let fault = |body| check(&op(2, 1, body), &Limits::DEFAULT).err();
        let keyed = |key: &str| encode(&(ITEM, key, Vec::<Register>::new()));
        let long = KeyError::TooLong { bytes: 129 };
        let table = [
            (Body::read(kind::PROBE, &[]), BodyFault::Kind(kind::PROBE)),
            (Body::read(kind::REBALANCE, &[1]), BodyFault::Kind(kind::REBALANCE)),
            (Body::read(kind::ADD, &keyed("a!")), BodyFault::Key(KeyError::TrailingLowest)),
            (Body::read(kind::ADD, &keyed(&"a".repeat(129))), BodyFault::Key(long)),
            (
                Body::read(kind::PUT, &encode(&(ITEM, Some(""), Vec::<Register>::new()))),
                BodyFault::Key(KeyError::Empty),
            ),
            (Body::read(kind::ADD, &[1, 2]), BodyFault::Malformed(kind::ADD)),
            (Body::read(kind::PUT, &[put(vec![]).to_bytes(), vec![0]].concat()), BodyFault::Malformed(kind::PUT)),
            (Body::read(kind::JOIN, &[5]), BodyFault::Malformed(kind::JOIN)),
            (Body::read(kind::LIST, &[5]), BodyFault::Malformed(kind::LIST)),
        ];
        for (body, expected) in table {
            assert_eq!(fault(body), Some(OpFault::Body(expected)));
        }
    }

    #[test]
    fn counters_begin_at_one_with_a_join_and_ascend() {
        let write = || put(vec![Register::Done(true)]);
        for wrong in [
            op(0, 0, write()),
            op(2, 2, write()),
            op(2, 3, write()),
            op(CTR_MAX + 1, 1, write()),
            op(1, 0, write()),
            op(2, 1, Body::Join(Join::default())),
        ] {
            check_op(&wrong, Some(OpFault::Counter));
        }
    }

    #[test]
    fn a_key_or_a_text_over_its_limit_is_a_fault() {
        let limits = Limits { key_bytes: 4, ..Limits::DEFAULT };
        let long = op(2, 1, add("aaaaa", vec![]));
        assert_eq!(check(&long, &limits), Err(OpFault::KeyBytes { bytes: 5, limit: 4 }));
        let over = |what, limit| Some(OpFault::TextBytes { what, bytes: limit + 1, limit });
        check_put(Register::Text("x".repeat(4_097).into()), over("text", 4_096));
        check_put(Register::Note("x".repeat(16_385).into()), over("note", 16_384));
        check_put(Register::Assignee("x".repeat(65).into()), over("assignee", 64));
        check_put(Register::Tags(vec!["x".repeat(65).into()]), over("tag", 64));
        check_op(&op(2, 1, Body::List(ListPut { title: "x".repeat(4_097).into() })), over("title", 4_096));
    }

    #[test]
    fn a_control_character_is_a_fault() {
        let control = |what, found| Some(OpFault::Control { what, found });
        check_put(Register::Text("a\nb".into()), control("text", '\n'));
        check_put(Register::Note("a\u{1b}[2J".into()), control("note", '\u{1b}'));
        check_put(Register::Assignee("\u{7f}".into()), control("assignee", '\u{7f}'));
        check_put(Register::Tags(vec!["ok".into(), "\u{9b}".into()]), control("tag", '\u{9b}'));
        check_op(&op(2, 1, Body::List(ListPut { title: "\0".into() })), control("title", '\0'));
    }

    #[test]
    fn a_value_out_of_its_range_is_a_fault() {
        let range = |what| Some(OpFault::Range { what });
        check_put(Register::Depth(9), range("depth"));
        check_put(Register::Priority(Some(0)), range("priority"));
        check_put(Register::Priority(Some(10)), range("priority"));
        check_put(Register::Tags(vec!["x".into(); 33]), range("number of tags"));
        check_put(Register::Tags(vec!["".into()]), range("length of a tag"));
        let bytes = encode(&(2026_u16, 2_u8, 29_u8));
        check_put(Register::Due(Some(postcard::from_bytes(&bytes).unwrap())), range("due date"));
    }

    #[test]
    fn an_op_that_writes_twice_or_nothing_is_a_fault() {
        let twice = vec![Register::Done(true), Register::Depth(1), Register::Done(true)];
        check_op(&op(2, 1, put(twice.clone())), Some(OpFault::Twice));
        check_op(&op(2, 1, add("a", twice)), Some(OpFault::Twice));
        check_op(&op(2, 1, put(vec![])), Some(OpFault::Empty));
    }

    #[test]
    fn a_peer_cannot_even_spell_a_register_twice_or_an_empty_tag() {
        for registers in [vec![Register::Done(true); 2], vec![Register::Tags(vec!["".into()])]] {
            let sent = op(2, 1, put(registers)).to_bytes();
            let came: Op = postcard::from_bytes(&sent).unwrap();
            check_op(&came, Some(OpFault::Body(BodyFault::Malformed(kind::PUT))));
        }
    }
}

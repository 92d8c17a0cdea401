//! One item of a list: its place and its registers, each with the stamp that won it.

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use crate::hlc::Hlc;
use crate::id::OpId;
use crate::key::Key;
use crate::register::{Date, Field, Register};

/// Where an item stands, and who put it there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Position {
    /// The stamp that won.
    pub hlc: Hlc,
    /// The op that put it there: the identity of a position, whatever a rebalance does to its key.
    pub op: OpId,
    /// The place.
    pub key: Key,
}

/// A register as it stands: its value and the stamp that won it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Written {
    /// The value.
    pub register: Register,
    /// The stamp that won.
    pub hlc: Hlc,
}

/// An item, live or dead.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Item {
    /// Where it stands.
    pub position: Position,
    /// What was ever written, in the order of [`Field`].
    registers: Vec<Written>,
}

/// What became of a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Write {
    /// It stands.
    Won,
    /// The register already carries a stamp as great.
    Lost,
}

impl Item {
    /// An item at this place, with nothing written.
    #[must_use]
    pub const fn new(position: Position) -> Self {
        Self { position, registers: Vec::new() }
    }

    /// An item of these parts; `registers` in any order, of each field the last one counts.
    #[must_use]
    pub fn from_parts(position: Position, mut registers: Vec<Written>) -> Self {
        registers.sort_by_key(|written| written.register.field());
        registers.reverse();
        registers.dedup_by_key(|written| written.register.field());
        registers.reverse();
        Self { position, registers }
    }

    /// What was ever written, in the order of [`Field`].
    #[must_use]
    pub fn registers(&self) -> &[Written] {
        &self.registers
    }

    /// Writes a register if `hlc` is strictly greater than what it carries.
    pub fn write(&mut self, register: &Register, hlc: Hlc) -> Write {
        match self.find(register.field()) {
            Ok(at) if self.registers[at].hlc >= hlc => Write::Lost,
            Ok(at) => {
                self.registers[at] = Written { register: register.clone(), hlc };
                Write::Won
            }
            Err(at) => {
                self.registers.insert(at, Written { register: register.clone(), hlc });
                Write::Won
            }
        }
    }

    /// Places the item if the stamp is strictly greater than that of where it stands.
    pub fn place(&mut self, position: &Position) -> Write {
        if position.hlc > self.position.hlc {
            self.position = position.clone();
            Write::Won
        } else {
            Write::Lost
        }
    }

    /// A register as it stands, if it was ever written.
    #[must_use]
    pub fn written(&self, field: Field) -> Option<&Written> {
        self.find(field).ok().map(|at| &self.registers[at])
    }

    /// A register's value, written or not.
    #[must_use]
    pub fn register(&self, field: Field) -> Register {
        self.written(field).map_or_else(|| Register::unwritten(field), |written| written.register.clone())
    }

    /// Its text. From a peer: show it as `SafeText` only.
    #[must_use]
    pub fn text(&self) -> &str {
        self.words(Field::Text)
    }

    /// Its note; may have line feeds.
    #[must_use]
    pub fn note(&self) -> &str {
        self.words(Field::Note)
    }

    /// Who does it; empty is nobody.
    #[must_use]
    pub fn assignee(&self) -> &str {
        self.words(Field::Assignee)
    }

    /// Whether it is done.
    #[must_use]
    pub fn done(&self) -> bool {
        self.flag(Field::Done)
    }

    /// Whether it is in the trash.
    #[must_use]
    pub fn deleted(&self) -> bool {
        self.flag(Field::Deleted)
    }

    /// Level in the outline, from 0.
    #[must_use]
    pub fn depth(&self) -> u8 {
        match self.value(Field::Depth) {
            Some(Register::Depth(depth)) => *depth,
            _ => 0,
        }
    }

    /// The day it is due.
    #[must_use]
    pub fn due(&self) -> Option<Date> {
        match self.value(Field::Due) {
            Some(Register::Due(due)) => *due,
            _ => None,
        }
    }

    /// 1 (highest) to 9.
    #[must_use]
    pub fn priority(&self) -> Option<u8> {
        match self.value(Field::Priority) {
            Some(Register::Priority(priority)) => *priority,
            _ => None,
        }
    }

    /// Words to find it by.
    #[must_use]
    pub fn tags(&self) -> &[SmolStr] {
        match self.value(Field::Tags) {
            Some(Register::Tags(tags)) => tags,
            _ => &[],
        }
    }

    fn find(&self, field: Field) -> Result<usize, usize> {
        self.registers.binary_search_by_key(&field, |written| written.register.field())
    }

    fn value(&self, field: Field) -> Option<&Register> {
        self.written(field).map(|written| &written.register)
    }

    fn flag(&self, field: Field) -> bool {
        matches!(self.value(field), Some(Register::Done(true) | Register::Deleted(true)))
    }

    fn words(&self, field: Field) -> &str {
        match self.value(field) {
            Some(Register::Text(words) | Register::Note(words) | Register::Assignee(words)) => words,
            _ => "",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hlc::{Millis, Tick};
    use crate::id::SiteId;

    fn hlc(wall: u64, site: u8) -> Hlc {
        Hlc { tick: Tick { wall: Millis(wall), counter: 0 }, site: SiteId::from_bytes([site; 16]) }
    }

    fn position(wall: u64, key: &str) -> Position {
        let op = OpId { site: SiteId::from_bytes([1; 16]), ctr: wall };
        Position { hlc: hlc(wall, 1), op, key: Key::parse(key).expect("a key") }
    }

    #[test]
    fn the_strictly_greater_stamp_wins_a_register() {
        let mut item = Item::new(position(1, "a"));
        assert_eq!(item.write(&Register::Text("milk".into()), hlc(5, 1)), Write::Won);
        assert_eq!(item.write(&Register::Text("bread".into()), hlc(5, 1)), Write::Lost, "a tie stays");
        assert_eq!(item.write(&Register::Text("bread".into()), hlc(4, 9)), Write::Lost);
        assert_eq!(item.text(), "milk");
        assert_eq!(item.write(&Register::Text("bread".into()), hlc(5, 2)), Write::Won, "sites break ties");
        assert_eq!(item.text(), "bread");
    }

    #[test]
    fn a_move_and_an_edit_both_survive() {
        let mut item = Item::new(position(1, "a"));
        assert_eq!(item.place(&position(7, "b")), Write::Won);
        assert_eq!(item.write(&Register::Done(true), hlc(6, 2)), Write::Won);
        assert_eq!(item.place(&position(7, "c")), Write::Lost);
        assert_eq!((item.position.key.as_str(), item.done()), ("b", true));
    }
}

//! Items on their way from one list to another of the same relay.
//!
//! They are written there first, under the ids that they have, and deleted here when the relay has them there. Whatever
//! happens in between, each is in one of the lists, and in both only until this site has a link again.
//!
//! That holds for one site: two that move one item to two lists at the same time leave it in both, as two people do who
//! copy it.

use betwixt_core::hlc::{Hlc, Tick};
use betwixt_core::id::{ItemId, ListUid, SiteId};
use betwixt_core::item::Item;
use betwixt_core::list::List;
use betwixt_core::name::ListName;
use betwixt_core::register::{Field, Register};
use serde::{Deserialize, Serialize};

/// Items on their way to another list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Transfer {
    /// What that list is called.
    pub to: ListName,
    /// Which items, in their order.
    pub items: Vec<ItemId>,
    /// Where they were written, if they were.
    pub written: Option<Written>,
}

/// Where items were written that are on their way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Written {
    /// In which list.
    pub list: ListUid,
    /// With stamps that are not below this one; all that was there before are.
    pub since: Tick,
}

impl Written {
    /// Whether an item stands where it was written, or where somebody has moved it since: also if it was deleted since.
    #[must_use]
    pub fn has(&self, there: &Item) -> bool {
        there.position.hlc.tick >= self.since
    }
}

/// What an item carries, to be written elsewhere.
#[must_use]
pub fn carried(item: &Item) -> Vec<Register> {
    let written = item.registers().iter().map(|written| written.register.clone());
    written.filter(|register| register.field() != Field::Deleted).collect()
}

/// What there is still to be written of items in the list that they go to.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Missing {
    /// Items that are not there, with all that they carry.
    pub items: Vec<(ItemId, Vec<Register>)>,
    /// Items that somebody has changed here since they were written there, with what is new.
    pub writes: Vec<(ItemId, Vec<Register>)>,
}

impl Missing {
    /// Compares `items`, as they are here, with the list that they go to, in which `site` writes them.
    ///
    /// What was written there is not written again, whatever others have done to it there since; one that was there before
    /// stays as it is.
    #[must_use]
    pub fn of(items: &[(ItemId, Vec<Register>)], to: &List, written: Option<Written>, site: SiteId) -> Self {
        let mut missing = Self::default();
        for (id, registers) in items {
            let there = to.item(*id);
            match (there, written.filter(|written| there.is_some_and(|there| written.has(there)))) {
                (Some(there), Some(Written { since, .. })) if !there.deleted() => {
                    let first = first_stamp(there, since, site);
                    let is_news = |register: &&Register| is_news(register, there, first);
                    let new: Vec<Register> = registers.iter().filter(is_news).cloned().collect();
                    if !new.is_empty() {
                        missing.writes.push((*id, new));
                    }
                }
                (Some(there), None) if !there.deleted() => {}
                (Some(_), Some(_)) => {}
                (_, None) | (None, Some(_)) => missing.items.push((*id, registers.clone())),
            }
        }
        missing
    }
}

/// The stamp with which this site wrote an item: its first one of those that it can be.
fn first_stamp(there: &Item, since: Tick, site: SiteId) -> Option<Hlc> {
    let stamps = there.registers().iter().map(|written| written.hlc).chain([there.position.hlc]);
    stamps.filter(|hlc| hlc.site == site && hlc.tick >= since).min()
}

/// Whether a register holds something else than what came there with the item, and nobody wrote it there since.
fn is_news(register: &Register, there: &Item, first: Option<Hlc>) -> bool {
    let as_it_came = there.written(register.field()).is_none_or(|written| Some(written.hlc) == first);
    as_it_came && there.register(register.field()) != *register
}

#[cfg(test)]
mod tests {
    use betwixt_core::hlc::Millis;
    use betwixt_core::id::OpId;
    use betwixt_core::key::Key;
    use betwixt_core::op::{Add, Body, EpochId, Op, Put};

    use super::*;

    const ITEM: ItemId = ItemId::from_bytes([3; 8]);
    const SITE: SiteId = SiteId::from_bytes([2; 16]);

    const fn tick(wall: u64) -> Tick {
        Tick { wall: Millis(wall), counter: 0 }
    }

    fn say(list: &mut List, wall: u64, body: Body) {
        let hlc = Hlc { tick: tick(wall), site: SITE };
        list.say(&Op::new(OpId { site: SITE, ctr: wall }, wall - 1, EpochId::first(list.uid()), hlc, body));
    }

    fn put(list: &mut List, wall: u64, key: Option<&str>, registers: Vec<Register>) {
        let key = key.map(|key| Key::parse(key).expect("a key"));
        say(list, wall, Body::Put(Put { item: ITEM, key, registers }));
    }

    fn empty() -> List {
        List::new(ListUid::from_bytes([1; 16]))
    }

    /// The item was written there at 5.
    fn there() -> List {
        let mut list = empty();
        let registers = vec![Register::Text("milk".into()), Register::Done(false)];
        say(&mut list, 5, Body::Add(Add { item: ITEM, key: Key::parse("a").expect("a key"), registers }));
        list
    }

    /// Compares with what was written since this time.
    #[track_caller]
    fn check(to: &List, since: Option<u64>, here: Vec<Register>, items: usize, writes: Vec<Register>) {
        let written = since.map(|since| Written { list: to.uid(), since: tick(since) });
        let missing = Missing::of(&[(ITEM, here)], to, written, SITE);
        let new: Vec<Register> = missing.writes.iter().flat_map(|(_, registers)| registers.clone()).collect();
        assert_eq!((missing.items.len(), new), (items, writes));
    }

    fn milk() -> Vec<Register> {
        vec![Register::Text("milk".into())]
    }

    #[test]
    fn what_was_written_is_not_written_again_whatever_becomes_of_it_there() {
        check(&empty(), None, milk(), 1, vec![]);
        // Before the edit that follows the record, the program may have ended.
        check(&empty(), Some(5), milk(), 1, vec![]);
        check(&there(), Some(5), milk(), 0, vec![]);
        let mut dead = there();
        put(&mut dead, 6, None, vec![Register::Deleted(true)]);
        check(&dead, Some(5), milk(), 0, vec![]);
    }

    #[test]
    fn what_was_there_before_counts_only_while_it_is_live() {
        check(&there(), None, vec![Register::Text("oat milk".into())], 0, vec![]);
        let mut dead = there();
        put(&mut dead, 6, None, vec![Register::Deleted(true)]);
        check(&dead, None, milk(), 1, vec![]);
        check(&dead, Some(7), milk(), 1, vec![]);
    }

    #[test]
    fn what_is_changed_here_meanwhile_is_missing_unless_it_was_changed_there_too() {
        let here = || vec![Register::Text("oat milk".into()), Register::Done(false), Register::Depth(1)];
        check(&there(), Some(5), here(), 0, vec![Register::Text("oat milk".into()), Register::Depth(1)]);
        let mut moved = there();
        put(&mut moved, 6, Some("b"), vec![]);
        check(&moved, Some(5), here(), 0, vec![Register::Text("oat milk".into()), Register::Depth(1)]);
        put(&mut moved, 7, None, vec![Register::Text("soy milk".into())]);
        check(&moved, Some(5), here(), 0, vec![Register::Depth(1)]);
    }
}

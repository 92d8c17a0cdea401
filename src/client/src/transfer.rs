//! Items on their way from one list to another of the same relay.
//!
//! They are written there first, and deleted here when the relay has them there: whatever happens in between, each is in
//! one of the lists, and in both only until the next time that there is a link. An item keeps its id, so that writing it
//! there once more changes nothing.

use betwixt_core::id::ItemId;
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
}

/// What an item carries, to be written elsewhere.
#[must_use]
pub fn carried(item: &Item) -> Vec<Register> {
    let written = item.registers().iter().map(|written| written.register.clone());
    written.filter(|register| register.field() != Field::Deleted).collect()
}

/// What there is still to be written of these items in the list that they go to.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Missing {
    /// Items that are not there, with all that they carry.
    pub items: Vec<(ItemId, Vec<Register>)>,
    /// Items that somebody has changed here since they were written there, with what is new.
    pub writes: Vec<(ItemId, Vec<Register>)>,
}

impl Missing {
    /// Compares `items`, as they are here, with the list that they go to.
    ///
    /// An item that is live there was written by an earlier attempt. What was changed there since then stands.
    #[must_use]
    pub fn of(items: &[(ItemId, Vec<Register>)], to: &List) -> Self {
        let mut missing = Self::default();
        for (id, registers) in items {
            match to.item(*id).filter(|there| !there.deleted()) {
                None => missing.items.push((*id, registers.clone())),
                Some(there) => {
                    let new: Vec<Register> = registers.iter().filter(|one| is_news(one, there)).cloned().collect();
                    if !new.is_empty() {
                        missing.writes.push((*id, new));
                    }
                }
            }
        }
        missing
    }

    /// Whether there is nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.items.is_empty() && self.writes.is_empty()
    }
}

/// Whether a register holds something else than what came there with the item, and nobody wrote it there since.
fn is_news(register: &Register, there: &Item) -> bool {
    let as_it_came = there.written(register.field()).is_none_or(|written| written.hlc == there.position.hlc);
    as_it_came && there.register(register.field()) != *register
}

#[cfg(test)]
mod tests {
    use betwixt_core::hlc::{Hlc, Millis, Tick};
    use betwixt_core::id::{ListUid, OpId, SiteId};
    use betwixt_core::key::Key;
    use betwixt_core::op::{Add, Body, EpochId, Op, Put};

    use super::*;

    const ITEM: ItemId = ItemId::from_bytes([3; 8]);

    fn say(list: &mut List, wall: u64, body: Body) {
        let site = SiteId::from_bytes([2; 16]);
        let hlc = Hlc { tick: Tick { wall: Millis(wall), counter: 0 }, site };
        list.say(&Op::new(OpId { site, ctr: wall }, wall - 1, EpochId::first(list.uid()), hlc, body));
    }

    fn there() -> List {
        let mut list = List::new(ListUid::from_bytes([1; 16]));
        let registers = vec![Register::Text("milk".into()), Register::Done(false)];
        say(&mut list, 2, Body::Add(Add { item: ITEM, key: Key::parse("a").expect("a key"), registers }));
        list
    }

    #[track_caller]
    fn check(to: &List, here: Vec<Register>, items: usize, writes: Vec<Register>) {
        let missing = Missing::of(&[(ITEM, here)], to);
        let written: Vec<Register> = missing.writes.iter().flat_map(|(_, registers)| registers.clone()).collect();
        assert_eq!((missing.items.len(), written), (items, writes));
    }

    #[test]
    fn an_item_that_is_not_there_or_dead_there_is_missing() {
        let here = || vec![Register::Text("milk".into())];
        check(&List::new(ListUid::from_bytes([1; 16])), here(), 1, vec![]);
        let mut dead = there();
        say(&mut dead, 3, Body::Put(Put { item: ITEM, key: None, registers: vec![Register::Deleted(true)] }));
        check(&dead, here(), 1, vec![]);
        check(&there(), here(), 0, vec![]);
    }

    #[test]
    fn what_is_changed_here_meanwhile_is_missing_unless_it_was_changed_there_too() {
        let here = vec![Register::Text("oat milk".into()), Register::Done(false), Register::Depth(1)];
        check(&there(), here.clone(), 0, vec![Register::Text("oat milk".into()), Register::Depth(1)]);
        let mut changed = there();
        let text = vec![Register::Text("soy milk".into())];
        say(&mut changed, 3, Body::Put(Put { item: ITEM, key: None, registers: text }));
        check(&changed, here, 0, vec![Register::Depth(1)]);
    }
}

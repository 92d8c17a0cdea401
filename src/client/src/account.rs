//! What an entry of a log did, told in terms of items and texts.

use betwixt_core::hlc::{Hlc, Millis};
use betwixt_core::id::{ItemId, SiteId};
use betwixt_core::item::{Item, Write};
use betwixt_core::key::Key;
use betwixt_core::list::List;
use betwixt_core::log::Entry;
use betwixt_core::op::{Body, Op};
use betwixt_core::register::Register;
use smol_str::SmolStr;

/// What an entry of a log did, and who did it. All texts are from peers: show them as `SafeText` only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// Its place in the log.
    pub seq: u64,
    /// When, by the stamp that its site gave it.
    pub at: Millis,
    /// Who.
    pub site: SiteId,
    /// What the person there was called when it joined.
    pub name: SmolStr,
    /// What.
    pub deed: Deed,
}

/// What an op did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Deed {
    /// The site joined the list.
    Joined,
    /// A new item came.
    Added {
        /// Which.
        item: ItemId,
        /// Where it stands.
        key: Key,
        /// What it carries.
        registers: Vec<Register>,
    },
    /// An item was moved, written, or both.
    Changed {
        /// Which.
        item: ItemId,
        /// Its text before.
        text: SmolStr,
        /// Its move, if it was moved.
        moved: Option<Moved>,
        /// What was written.
        writes: Vec<Wrote>,
    },
    /// The title was written.
    Titled {
        /// The title before; empty is none.
        old: SmolStr,
        /// What was written.
        new: SmolStr,
        /// What became of it.
        write: Write,
    },
    /// Nothing: the item is not there.
    Missed {
        /// Which.
        item: ItemId,
    },
    /// An op of a kind that changes no item.
    Other {
        /// The kind.
        kind: u8,
    },
}

/// A move of an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moved {
    /// Where to.
    pub key: Key,
    /// What became of it.
    pub write: Write,
    /// The live item that it stands behind from then on, and its text; `None` at the top.
    pub behind: Option<(ItemId, SmolStr)>,
}

/// A write of a register.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrote {
    /// What was there before.
    pub old: Register,
    /// What was written.
    pub new: Register,
    /// What became of it.
    pub write: Write,
}

/// What an op is about, as it was before.
#[derive(Debug, Clone)]
pub(crate) struct Before {
    item: Option<Item>,
    title: Option<(SmolStr, Hlc)>,
}

impl Before {
    pub(crate) fn of(list: &List, op: &Op) -> Self {
        let title = matches!(op.body, Body::List(_)).then(|| list.header().title).flatten();
        Self {
            item: op.body.item().and_then(|item| list.item(item)).cloned(),
            title: title.map(|title| (title.text, title.hlc)),
        }
    }
}

/// What an entry did that made `after` of what was `before`.
pub(crate) fn account(before: Before, entry: &Entry, after: &List) -> Account {
    let op = &entry.op;
    let deed = match &op.body {
        Body::Join(_) => Deed::Joined,
        Body::List(list) => {
            let (old, stamp) = before.title.map_or_else(Default::default, |(text, stamp)| (text, Some(stamp)));
            Deed::Titled { old, new: list.title.clone(), write: write(stamp, op.hlc) }
        }
        Body::Unread { kind, .. } => Deed::Other { kind: *kind },
        Body::Add(add) if before.item.is_none() => {
            Deed::Added { item: add.item, key: add.key.clone(), registers: add.registers.clone() }
        }
        Body::Add(_) | Body::Put(_) => match (op.body.item(), before.item) {
            (Some(id), Some(item)) => changed(id, &item, op, after),
            (Some(item), None) => Deed::Missed { item },
            (None, _) => Deed::Other { kind: op.body.kind() },
        },
    };
    let name = after.site(op.site).map(|site| site.name.clone()).unwrap_or_default();
    Account { seq: entry.seq, at: op.hlc.tick.wall, site: op.site, name, deed }
}

fn changed(id: ItemId, item: &Item, op: &Op, after: &List) -> Deed {
    let moved = op.key().map(|key| {
        let behind = after.live_before(id);
        let behind = behind.and_then(|behind| Some((behind, SmolStr::new(after.item(behind)?.text()))));
        Moved { key: key.clone(), write: write(Some(item.position.hlc), op.hlc), behind }
    });
    let writes = op.body.registers().iter().map(|register| {
        let field = register.field();
        let write = write(item.written(field).map(|written| written.hlc), op.hlc);
        Wrote { old: item.register(field), new: register.clone(), write }
    });
    Deed::Changed { item: id, text: item.text().into(), moved, writes: writes.collect() }
}

/// What becomes of a write with this stamp where that one stands.
fn write(standing: Option<Hlc>, hlc: Hlc) -> Write {
    if standing.is_none_or(|standing| hlc > standing) { Write::Won } else { Write::Lost }
}

#[cfg(test)]
mod tests {
    use betwixt_core::hlc::Tick;
    use betwixt_core::id::{ListUid, OpId};
    use betwixt_core::list::Effect;
    use betwixt_core::op::body::Kinds;
    use betwixt_core::op::{Add, Join, ListPut, Put};

    use super::*;

    const MILK: ItemId = ItemId::from_bytes([1; 8]);
    const BREAD: ItemId = ItemId::from_bytes([2; 8]);

    struct Log {
        list: List,
        ctr: u64,
    }

    impl Log {
        fn new() -> Self {
            let mut log = Self { list: List::new(ListUid::from_bytes([7; 16])), ctr: 0 };
            assert_eq!(log.say(1, Body::Join(Join { name: "ana".into() })).0.deed, Deed::Joined);
            for (item, text, key) in [(MILK, "milk", "b"), (BREAD, "bread", "d")] {
                let registers = vec![Register::Text(text.into())];
                let (told, _) = log.say(2, Body::Add(Add { item, key: key_of(key), registers: registers.clone() }));
                assert_eq!(told.deed, Deed::Added { item, key: key_of(key), registers });
                assert_eq!((told.name.as_str(), told.at), ("ana", Millis(2)));
            }
            log
        }

        fn say(&mut self, wall: u64, body: Body) -> (Account, Effect) {
            self.ctr += 1;
            let site = SiteId::from_bytes([3; 16]);
            let counter = u16::try_from(self.ctr).expect("a short log");
            let hlc = Hlc { tick: Tick { wall: Millis(wall), counter }, site };
            let op = Op::new(OpId { site, ctr: self.ctr }, self.ctr - 1, self.list.epoch().id, hlc, body);
            let entry = Entry::behind(self.list.mark(), op);
            let before = Before::of(&self.list, &entry.op);
            let effect = self.list.apply(&entry, Kinds::KNOWN).expect("it continues");
            (account(before, &entry, &self.list), effect)
        }

        fn put(&mut self, wall: u64, item: ItemId, key: Option<&str>, registers: Vec<Register>) -> (Account, Effect) {
            self.say(wall, Body::Put(Put { item, key: key.map(key_of), registers }))
        }
    }

    fn key_of(text: &str) -> Key {
        Key::parse(text).expect("a key")
    }

    #[test]
    fn a_change_is_told_with_what_was_there_before_and_what_became_of_it() {
        let mut log = Log::new();
        let cream = Register::Text("cream".into());
        let (told, _) = log.put(5, MILK, Some("f"), vec![cream.clone(), Register::Done(true)]);
        let Deed::Changed { item: MILK, text, moved: Some(moved), writes } = told.deed else { panic!("{told:?}") };
        assert_eq!((text.as_str(), moved.write), ("milk", Write::Won));
        assert_eq!(moved.behind, Some((BREAD, "bread".into())));
        let old = Register::Text("milk".into());
        assert_eq!(writes[0], Wrote { old, new: cream, write: Write::Won });
        assert_eq!(writes[1].old, Register::Done(false));
    }

    #[test]
    fn what_it_says_of_each_write_is_what_the_list_did() {
        let mut log = Log::new();
        for wall in [9, 4, 9, 3, 12] {
            let text = vec![Register::Text(format!("at {wall}").into())];
            let (told, effect) = log.put(wall, MILK, Some("c"), text);
            let Deed::Changed { moved: Some(moved), writes, .. } = told.deed else { panic!("{told:?}") };
            let said = Effect::Put { item: MILK, place: Some(moved.write), text: Some(writes[0].write) };
            assert_eq!(effect, said, "at {wall}");
            let (told, effect) = log.say(wall, Body::List(ListPut { title: "Work".into() }));
            let Deed::Titled { write, .. } = told.deed else { panic!("{told:?}") };
            assert_eq!(effect, Effect::Titled(write), "at {wall}");
        }
        let nobody = ItemId::from_bytes([9; 8]);
        let (told, effect) = log.put(20, nobody, None, vec![Register::Done(true)]);
        assert_eq!((told.deed, effect), (Deed::Missed { item: nobody }, Effect::Nothing));
    }
}

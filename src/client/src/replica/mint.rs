//! From intentions to ops: keys, stamps, counters, and the step that takes them back.

use std::collections::{BTreeMap, BTreeSet};

use betwixt_core::edit::{Did, Edit, EditFault, Outcome, Spot};
use betwixt_core::hlc::{Hlc, Millis};
use betwixt_core::id::{ItemId, OpId};
use betwixt_core::key::{Full, Gap, Key, Trail, between};
use betwixt_core::list::List;
use betwixt_core::op::check::check_body;
use betwixt_core::op::{Add, Body, ListPut, Op, Put};
use betwixt_core::order::{Life, Place};
use betwixt_core::register::{Field, Register};
use betwixt_core::safe_text::{Kind, visible_controls};
use smol_str::SmolStr;

use super::undo::{Change, Neighbours, Step, Target, Way};
use super::{Pending, Replica, Write};

/// Where random numbers come from: the operating system, or a seed in a simulation.
pub type Randomness<'a> = &'a mut dyn FnMut() -> u64;

/// Ops that are minted but not said yet: nothing has changed until [`Replica::adopt`].
#[derive(Debug)]
pub struct Minted {
    /// What must be on the disk first.
    pub writes: Vec<Write>,
    /// What they do.
    pub outcome: Outcome,
    pending: Vec<Pending>,
    issued: Vec<Key>,
    trail: Trail,
    step: Option<Step>,
    way: Way,
}

/// The work on one intention.
struct Mint<'a> {
    replica: &'a Replica,
    /// What will be shown, so far. Only made where an op looks at what an earlier one of the same intention did.
    shown: Option<List>,
    now: Millis,
    pending: Vec<Pending>,
    issued: Vec<Key>,
    trail: Trail,
    changes: Vec<Change>,
    items: Vec<ItemId>,
    cleaned: usize,
}

impl Replica {
    /// Mints the ops of an intention.
    ///
    /// # Errors
    ///
    /// It names an item that is not here, has no room, or writes what is refused everywhere.
    pub fn mint(&self, edit: &Edit, now: Millis, random: Randomness<'_>) -> Result<Minted, EditFault> {
        let mut mint = Mint {
            replica: self,
            shown: None,
            now,
            pending: Vec::new(),
            issued: Vec::new(),
            trail: self.trail.clone(),
            changes: Vec::new(),
            items: Vec::new(),
            cleaned: 0,
        };
        let (way, did, left_alone) = match edit {
            Edit::Undo => mint.step_back(Way::Back)?,
            Edit::Redo => mint.step_back(Way::Again)?,
            Edit::Add { spot, items } => {
                mint.add(*spot, items, random)?;
                (Way::Forth, Did::Added, 0)
            }
            Edit::Move { items, spot } => {
                mint.place(items, *spot, &items.iter().copied().collect())?;
                (Way::Forth, Did::Moved, 0)
            }
            Edit::Set { writes } => {
                for (item, registers) in writes {
                    mint.write(*item, registers)?;
                }
                (Way::Forth, did(writes.iter().flat_map(|(_, registers)| registers)), 0)
            }
            Edit::TakeIn { items } => {
                mint.take_in(items)?;
                mint.changes.clear();
                (Way::Forth, Did::Added, 0)
            }
            Edit::GiveAway { items } => {
                for item in items {
                    mint.write(*item, &[Register::Deleted(true)])?;
                }
                mint.changes.clear();
                (Way::Forth, Did::Deleted, 0)
            }
            Edit::Title(title) => {
                let title = mint.clean(title, Kind::Line);
                mint.op(Body::List(ListPut { title }))?;
                (Way::Forth, Did::Titled, 0)
            }
        };
        Ok(mint.finish(way, did, left_alone))
    }

    /// Says minted ops: they are pending and shown from here on.
    pub fn adopt(&mut self, minted: Minted) -> Outcome {
        let Minted { outcome, pending, issued, trail, step, way, .. } = minted;
        for pending in pending {
            self.shown.say(&pending.op);
            self.pending.insert(pending);
        }
        self.issued.extend(issued);
        self.trail = trail;
        match step {
            Some(step) => self.history.push(step, way),
            None => self.history.drop_last(way),
        }
        outcome
    }

    /// A key inside the gap that this site has not seen or issued in this epoch. The trail says what keys will come, and
    /// takes this one down.
    pub(super) fn new_key(
        &self,
        low: Option<&Key>,
        high: Option<&Key>,
        shown: &List,
        trail: &mut Trail,
    ) -> Result<Key, Full> {
        let gap = Gap::new(low, high).map_err(|_reversed| Full)?;
        let key = between(gap, self.number(), trail.hint(gap), &mut |key| {
            self.issued.contains(key) || self.confirmed.order().has_key(key) || shown.order().has_key(key)
        })?;
        trail.follow(gap, &key);
        Ok(key)
    }
}

impl Mint<'_> {
    fn shown(&self) -> &List {
        self.shown.as_ref().unwrap_or(&self.replica.shown)
    }

    fn add(&mut self, spot: Spot, items: &[Vec<Register>], random: Randomness<'_>) -> Result<(), EditFault> {
        self.check_room(items.len())?;
        let mut run = self.run(spot, &BTreeSet::new())?;
        for registers in items {
            let item = loop {
                let item = ItemId::from_bytes(random().to_be_bytes());
                if self.replica.shown.item(item).is_none() && !self.items.contains(&item) {
                    break item;
                }
            };
            let registers = registers.iter().map(|register| self.cleaned(register)).collect();
            let key = self.next_in(&mut run)?;
            self.op(Body::Add(Add { item, key, registers }))?;
            self.changes.push(Change::Added { item });
            self.items.push(item);
        }
        Ok(())
    }

    /// Whether the list may have so many items more.
    fn check_room(&self, new: usize) -> Result<(), EditFault> {
        let items = self.replica.shown.items().len();
        let is_over = u32::try_from(items + new).is_ok_and(|after| after > self.replica.limits.items);
        if is_over { Err(EditFault::ListFull { items }) } else { Ok(()) }
    }

    fn take_in(&mut self, items: &[(ItemId, Vec<Register>)]) -> Result<(), EditFault> {
        let shown = &self.replica.shown;
        self.check_room(items.iter().filter(|(item, _)| shown.item(*item).is_none()).count())?;
        let mut run = self.run(Spot::Bottom, &BTreeSet::new())?;
        for (item, registers) in items {
            let mut registers: Vec<Register> = registers.iter().map(|register| self.cleaned(register)).collect();
            let key = self.next_in(&mut run)?;
            let body = if shown.item(*item).is_none() {
                Body::Add(Add { item: *item, key, registers })
            } else {
                registers.push(Register::Deleted(false));
                Body::Put(Put { item: *item, key: Some(key), registers })
            };
            self.op(body)?;
            self.items.push(*item);
        }
        Ok(())
    }

    /// Places items in one run; `moving` are all that the whole step moves.
    fn place(&mut self, items: &[ItemId], spot: Spot, moving: &BTreeSet<ItemId>) -> Result<(), EditFault> {
        if items.iter().any(|item| self.shown().item(*item).is_none()) {
            return Err(EditFault::NoItem);
        }
        let mut run = self.run(spot, moving)?;
        for item in items {
            let (was, between) = self.stood(*item, moving)?;
            let key = self.next_in(&mut run)?;
            let by = self.op(Body::Put(Put { item: *item, key: Some(key), registers: Vec::new() }))?;
            self.changes.push(Change::Placed { item: *item, by, was, between });
            self.items.push(*item);
        }
        Ok(())
    }

    /// Which op had placed an item before the whole step, and between which of the live items that stay.
    fn stood(&self, item: ItemId, moving: &BTreeSet<ItemId>) -> Result<(OpId, Neighbours), EditFault> {
        let before = &self.replica.shown;
        let position = &before.item(item).ok_or(EditFault::NoItem)?.position;
        let stays = |place: &&Place| place.life == Life::Live && !moving.contains(&place.id);
        let left = before.order().before(&position.key, item).find(stays).map(|place| place.id);
        let right = before.order().after(&position.key, item).find(stays).map(|place| place.id);
        Ok((position.op, (left, right)))
    }

    fn write(&mut self, item: ItemId, registers: &[Register]) -> Result<(), EditFault> {
        let found = self.replica.shown.item(item).ok_or(EditFault::NoItem)?;
        let registers: Vec<Register> = registers.iter().map(|register| self.cleaned(register)).collect();
        let fields: Vec<Field> = registers.iter().map(Register::field).collect();
        self.op(Body::Put(Put { item, key: None, registers }))?;
        let by = self.pending.last().map(|pending| pending.op.hlc).ok_or(EditFault::NoItem)?;
        self.changes.extend(fields.into_iter().map(|field| {
            let was = found.written(field).map(|written| written.hlc);
            Change::Wrote { item, by, was, old: found.register(field) }
        }));
        self.items.push(item);
        Ok(())
    }

    fn step_back(&mut self, way: Way) -> Result<(Way, Did, usize), EditFault> {
        let verb = if way == Way::Back { "undo" } else { "redo" };
        let step = self.replica.history.last(way).ok_or(EditFault::NoStep(verb))?;
        let (targets, left_alone) = step.back(&self.replica.shown);
        let moving: BTreeSet<ItemId> = targets.iter().filter_map(Target::placed).collect();
        for target in targets {
            match target {
                Target::Place(item, spot) => {
                    self.place(&[item], spot, &moving)?;
                    self.show_so_far();
                }
                Target::Write(item, registers) => self.write(item, &registers)?,
            }
        }
        Ok((way, step.did, left_alone))
    }

    /// Lets the next placement see what the last one did.
    fn show_so_far(&mut self) {
        let mut shown = self.shown.take().unwrap_or_else(|| self.replica.shown.clone());
        if let Some(last) = self.pending.last() {
            shown.say(&last.op);
        }
        self.shown = Some(shown);
    }

    /// The gap of a spot, to be filled from its lower end.
    fn run(&self, spot: Spot, moving: &BTreeSet<ItemId>) -> Result<(Option<Key>, Option<Key>), EditFault> {
        self.shown().gap_at(spot, moving).ok_or(EditFault::NoItem)
    }

    fn next_in(&mut self, (low, high): &mut (Option<Key>, Option<Key>)) -> Result<Key, EditFault> {
        let shown = self.shown.as_ref().unwrap_or(&self.replica.shown);
        let made = self.replica.new_key(low.as_ref(), high.as_ref(), shown, &mut self.trail);
        let key = made.map_err(|Full| EditFault::GapFull)?;
        *low = Some(key.clone());
        self.issued.push(key.clone());
        Ok(key)
    }

    fn op(&mut self, body: Body) -> Result<OpId, EditFault> {
        check_body(&body, &self.replica.limits)?;
        let replica = self.replica;
        if self.pending.is_empty() && replica.next_ctr() == 1 {
            let join = self.make(1, 0, replica.join());
            self.pending.push(Pending { op: join, unnumbered: false });
        }
        let (ctr, prev) = match self.pending.last() {
            Some(last) => (last.op.ctr + 1, last.op.ctr),
            None => (replica.next_ctr(), replica.prev_of(replica.next_ctr())),
        };
        let op = self.make(ctr, prev, body);
        let id = op.id();
        let unnumbered = !replica.has_joined() && op.key().is_some();
        self.pending.push(Pending { op, unnumbered });
        Ok(id)
    }

    fn make(&self, ctr: u64, prev: u64, body: Body) -> Op {
        let replica = self.replica;
        let highest = self.pending.last().map(|last| last.op.hlc.tick);
        let tick = replica.tick(self.now);
        let tick = highest.map_or(tick, |highest| tick.max(highest.next()));
        let hlc = Hlc { tick, site: replica.site };
        Op::new(OpId { site: replica.site, ctr }, prev, replica.confirmed.epoch().id, hlc, body)
    }

    fn cleaned(&mut self, register: &Register) -> Register {
        match register {
            Register::Text(text) => Register::Text(self.clean(text, Kind::Line)),
            Register::Note(note) => Register::Note(self.clean(note, Kind::Note)),
            Register::Assignee(who) => Register::Assignee(self.clean(who, Kind::Line)),
            Register::Tags(tags) => Register::Tags(tags.iter().map(|tag| self.clean(tag, Kind::Line)).collect()),
            other => other.clone(),
        }
    }

    fn clean(&mut self, text: &SmolStr, kind: Kind) -> SmolStr {
        let (visible, changed) = visible_controls(text, kind);
        if changed {
            self.cleaned += 1;
            SmolStr::new(visible)
        } else {
            text.clone()
        }
    }

    fn finish(self, way: Way, did: Did, left_alone: usize) -> Minted {
        let Self { replica, pending, issued, trail, mut changes, items, cleaned, now, .. } = self;
        // In the order in which the items stood: taken back so, each finds the one before it in its place again.
        changes.sort_by_cached_key(|change| {
            let item = change.placed().and_then(|id| replica.shown.item(id).map(|item| (&item.position.key, id)));
            item.map(|(key, id)| replica.shown.order().rank(key, id).all)
        });
        let step = (!changes.is_empty()).then_some(Step { did, changes, at: now });
        let writes = pending.iter().cloned().map(Write::Pending);
        let writes = writes.chain(issued.iter().cloned().map(Write::Issued));
        let steps = (step.is_some() || way != Way::Forth).then(|| replica.history.kept_after(step.as_ref(), way));
        let writes = writes.chain(steps.map(Write::Steps)).collect();
        Minted { writes, outcome: Outcome { items, did, left_alone, cleaned }, pending, issued, trail, step, way }
    }
}

/// What to call writes of these registers: by the one that people would name.
fn did<'a>(registers: impl Iterator<Item = &'a Register>) -> Did {
    let by_field: BTreeMap<Field, &Register> = registers.map(|register| (register.field(), register)).collect();
    match by_field.values().next_back() {
        Some(Register::Deleted(true)) => Did::Deleted,
        Some(Register::Deleted(false)) => Did::Restored,
        Some(Register::Depth(_)) => Did::Indented,
        Some(Register::Text(_)) => Did::Rewrote,
        Some(Register::Done(true)) => Did::Ticked,
        Some(Register::Done(false)) => Did::Unticked,
        Some(_) => Did::Wrote,
        None => Did::Nothing,
    }
}

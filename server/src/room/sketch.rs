//! Ops of scripts: what one leaves out is filled in at the head of the list, and then it is an op like any other.

use std::collections::BTreeSet;

use betwixt_core::hlc::{Hlc, Millis, Tick};
use betwixt_core::id::{ItemId, OpId, SiteId};
use betwixt_core::key::{Full, Gap, Hint, Key, SiteNumber, between};
use betwixt_core::list::List;
use betwixt_core::op::{Add, Body, Op, Put};
use betwixt_core::wire::RefusedCode;
use betwixt_core::wire::json::{At, Given, Said, Sketch};

use super::{Room, Rules, Verdict};

/// Ops that a site pushes.
#[derive(Debug)]
pub enum Pushed {
    /// Whole ones.
    Ops(Vec<Op>),
    /// Those of a script.
    Sketches(Vec<Sketch>),
}

/// One of them.
#[derive(Debug)]
pub enum One {
    /// A whole one.
    Op(Op),
    /// One of a script.
    Sketch(Sketch),
}

impl Pushed {
    /// How many there are.
    #[must_use]
    pub fn count(&self) -> usize {
        match self {
            Self::Ops(ops) => ops.len(),
            Self::Sketches(sketches) => sketches.len(),
        }
    }

    /// Each of them, in order.
    pub fn each(self) -> impl Iterator<Item = One> {
        let (ops, sketches) = match self {
            Self::Ops(ops) => (ops, Vec::new()),
            Self::Sketches(sketches) => (Vec::new(), sketches),
        };
        ops.into_iter().map(One::Op).chain(sketches.into_iter().map(One::Sketch))
    }
}

impl One {
    /// Which op it is, if it is said by that site.
    #[must_use]
    pub fn id(&self, session: SiteId) -> OpId {
        match self {
            Self::Op(op) => op.id(),
            Self::Sketch(sketch) => OpId { site: given(sketch).site.unwrap_or(session), ctr: sketch.ctr },
        }
    }
}

fn given(sketch: &Sketch) -> Given {
    sketch.given.as_deref().cloned().unwrap_or_default()
}

impl Room {
    /// Sequences an op, as [`Room::push`] does, or one of a script, once it is whole.
    ///
    /// One that was sent before is known by its counter alone where it has no hash: the stamp that it got is not the
    /// one that it would get now.
    pub fn take(&mut self, one: One, session: SiteId, clock: Millis, rules: Rules<'_>) -> Verdict {
        let sketch = match one {
            One::Op(op) => return self.push(op, session, clock, rules),
            One::Sketch(sketch) => sketch,
        };
        let given = given(&sketch);
        if given.site.is_some_and(|site| site != session) {
            return Verdict::Refused(RefusedCode::ForeignSite);
        }
        if let Some(verdict) = self.said_before(session, sketch.ctr, given.hash) {
            return verdict;
        }
        let joined = self.list.site(session);
        if joined.is_none() && !matches!(sketch.said, Said::Join(_)) {
            return Verdict::Refused(RefusedCode::NotJoined);
        }
        // What it lacks may be what a missing predecessor brings, or may have stood elsewhere in another epoch.
        if sketch.prev.is_some_and(|prev| prev != joined.map_or(0, |site| site.ctr)) {
            return Verdict::Resend;
        }
        if given.epoch.is_some_and(|epoch| epoch != self.list.epoch().id) {
            return Verdict::Stale { need_seq: self.head().seq };
        }
        match complete(&self.list, sketch, &given, session, clock) {
            Ok(op) => self.push(op, session, clock, rules),
            Err(code) => Verdict::Refused(code),
        }
    }
}

/// The whole op that comes next in the list.
fn complete(list: &List, sketch: Sketch, given: &Given, session: SiteId, clock: Millis) -> Result<Op, RefusedCode> {
    let joined = list.site(session);
    let number = SiteNumber(joined.map_or(0, |site| site.number));
    let body = match sketch.said {
        Said::Join(join) => Body::Join(join),
        Said::List(put) => Body::List(put),
        Said::Add { item, at, registers } => Body::Add(Add { item, key: key_at(list, at, item, number)?, registers }),
        Said::Put { item, at, registers } => {
            let key = at.map(|at| key_at(list, at, item, number)).transpose()?;
            Body::Put(Put { item, key, registers })
        }
    };
    let (tick, stamping) = given.hlc.unwrap_or_else(|| (Tick::after(list.highest(), clock), None));
    let hlc = Hlc { tick, site: stamping.unwrap_or(session) };
    let id = OpId { site: session, ctr: sketch.ctr };
    let mut op = Op::new(id, joined.map_or(0, |site| site.ctr), list.epoch().id, hlc, body);
    // Another one than it has is for the room to refuse.
    op.hash = given.hash.unwrap_or(op.hash);
    Ok(op)
}

/// The key of a place, for an item that may stand elsewhere by now.
fn key_at(list: &List, at: At, item: ItemId, number: SiteNumber) -> Result<Key, RefusedCode> {
    let spot = match at {
        At::Key(key) => return Ok(key),
        At::Spot(spot) => spot,
    };
    let (low, high) = list.gap_at(spot, &BTreeSet::from([item])).ok_or(RefusedCode::Gone)?;
    let Ok(gap) = Gap::new(low.as_ref(), high.as_ref()) else { return Err(RefusedCode::TooLarge) };
    between(gap, number, Hint::None, &mut |key| list.order().has_key(key)).map_err(|Full| RefusedCode::TooLarge)
}

#[cfg(test)]
mod tests;

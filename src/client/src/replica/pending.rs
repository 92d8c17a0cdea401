//! A site's own ops that are not sequenced: by counter, and by what they are about.

use std::collections::btree_map::{self, BTreeMap};
use std::collections::{BTreeSet, HashMap};
use std::ops::{Deref, RangeBounds};

use betwixt_core::id::ItemId;
use betwixt_core::op::Op;
use serde::{Deserialize, Serialize};

/// An op of this site that is not sequenced yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pending {
    /// The op.
    pub op: Op,
    /// Whether its key was minted before the site had its number: then it gets another before it is sent.
    pub unnumbered: bool,
}

/// All of them, in the order of their counters. What an op is about never changes while it is pending.
#[derive(Debug, Default, Clone)]
pub(super) struct AllPending {
    ops: BTreeMap<u64, Pending>,
    /// Counters by item; under `None` those that are about no item. Each entry of a log asks for its item's.
    by_item: HashMap<Option<ItemId>, BTreeSet<u64>>,
}

impl AllPending {
    /// The ops that are about an item, or about none, in the order of their counters.
    pub(super) fn about(&self, item: Option<ItemId>) -> impl Iterator<Item = &Op> {
        let counters = self.by_item.get(&item).into_iter().flatten();
        counters.filter_map(|ctr| self.ops.get(ctr)).map(|pending| &pending.op)
    }

    pub(super) fn insert(&mut self, pending: Pending) {
        self.remove(pending.op.ctr);
        self.by_item.entry(pending.op.body.item()).or_default().insert(pending.op.ctr);
        self.ops.insert(pending.op.ctr, pending);
    }

    pub(super) fn remove(&mut self, ctr: u64) -> Option<Pending> {
        let pending = self.ops.remove(&ctr)?;
        let item = pending.op.body.item();
        if let Some(counters) = self.by_item.get_mut(&item) {
            counters.remove(&ctr);
            if counters.is_empty() {
                self.by_item.remove(&item);
            }
        }
        Some(pending)
    }

    pub(super) fn into_values(self) -> impl Iterator<Item = Pending> {
        self.ops.into_values()
    }

    pub(super) fn values_mut(&mut self) -> btree_map::ValuesMut<'_, u64, Pending> {
        self.ops.values_mut()
    }

    pub(super) fn range_mut(&mut self, range: impl RangeBounds<u64>) -> btree_map::RangeMut<'_, u64, Pending> {
        self.ops.range_mut(range)
    }
}

impl Deref for AllPending {
    type Target = BTreeMap<u64, Pending>;

    fn deref(&self) -> &Self::Target {
        &self.ops
    }
}

impl FromIterator<Pending> for AllPending {
    fn from_iter<I: IntoIterator<Item = Pending>>(ops: I) -> Self {
        let mut all = Self::default();
        for pending in ops {
            all.insert(pending);
        }
        all
    }
}

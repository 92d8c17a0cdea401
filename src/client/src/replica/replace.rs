//! RE-PLACE: giving a pending placement a new key where its old one cannot be kept.
//!
//! ```text
//! in the FULL old order walk left from x to the nearest item whose position op is the same in the new state,
//! and put x right behind it; none -> walk right, put x before; none -> the middle
//! ```

use betwixt_core::id::ItemId;
use betwixt_core::key::{Full, Key, Trail};
use betwixt_core::limits::KEY_SOFT_BYTES;
use betwixt_core::list::List;

use super::{Replica, Write};

/// Which pending placements get new keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Which {
    /// All of them: the epoch is another one.
    All,
    /// Those that were minted before the site had its number.
    Unnumbered,
    /// Those with a long key, from this counter on.
    Long {
        /// The counter.
        from: u64,
    },
}

impl Replica {
    /// Places pending ops anew, in order, each among what is confirmed and what was placed before it.
    pub(super) fn replace(&mut self, old: &List, which: Which, writes: &mut Vec<Write>) {
        self.shown = self.confirmed.clone();
        let epoch = self.confirmed.epoch().id;
        let ctrs: Vec<u64> = self.pending.keys().copied().collect();
        let mut trail = Trail::default();
        for ctr in ctrs {
            let Some(mut pending) = self.pending.get(&ctr).cloned() else { continue };
            let concerned = match which {
                Which::All => true,
                Which::Unnumbered => pending.unnumbered,
                Which::Long { from } => from <= ctr && pending.op.key().is_some_and(|key| key.len() > KEY_SOFT_BYTES),
            };
            let placed = pending.op.key().and(pending.op.body.item()).filter(|_| concerned);
            if let Some(item) = placed
                && let Ok(key) = self.key_like(old, item, &mut trail)
            {
                writes.push(Write::Issued(key.clone()));
                self.issued.insert(key.clone());
                pending.op.body.set_key(key);
            }
            let before = self.pending.get(&ctr);
            pending.unnumbered &= !(concerned && self.has_joined());
            pending.op.epoch = epoch;
            if before != Some(&pending) {
                writes.push(Write::Pending(pending.clone()));
            }
            self.shown.say(&pending.op);
            self.pending.insert(pending);
        }
        self.trail = trail;
    }

    /// A key that puts an item where it stood in the old order, as far as the new state has the same items there.
    fn key_like(&self, old: &List, item: ItemId, trail: &mut Trail) -> Result<Key, Full> {
        let same = |id: ItemId| {
            let found = self.shown.item(id)?;
            (id != item && old.item(id)?.position.op == found.position.op).then_some(id)
        };
        let gap = old.item(item).and_then(|stood| {
            let key = &stood.position.key;
            let left = old.order().before(key, item).find_map(|place| same(place.id));
            let right = || old.order().after(key, item).find_map(|place| same(place.id));
            match left {
                Some(left) => self.shown.gap_behind(left),
                None => right().and_then(|right| self.shown.gap_ahead_of(right)),
            }
        });
        let (low, high) = gap.unwrap_or_else(|| {
            let places = self.shown.order();
            let middle = places.at(places.len() / 2).map(|place| place.key.clone());
            let low = middle.as_ref().and_then(|key| places.before(key, ItemId::from_bytes([0; 8])).next());
            (low.map(|place| place.key.clone()), middle)
        });
        self.new_key(low.as_ref(), high.as_ref(), &self.shown, trail)
    }
}

//! Rebalance: fresh short keys for all items of a list, in the order that they have, and the map from the old keys to them.
//!
//! ```text
//! old       a live   b dead   c dead   d live
//! new       s0       p1 t0    p1 t1    s1        s = spaced(2), t = spaced(2), p1 inside the gap of s0 and s1
//! a pending key k in the gap of c and d:  q k    q inside the gap of the new keys of c and d
//! ```
//!
//! A live item gets one of the evenly spaced keys; the dead of a gap get keys of their own inside it, so that they cost
//! the live ones nothing. Any other key of the old epoch, of an op that was made meanwhile, is carried into the gap in
//! which it stood, behind a prefix: two of one gap keep their order, and their room.
//!
//! Each replica works this out for itself from the same list, so that the op that asks for it says nothing of it.

use crate::id::ItemId;
use crate::key::{Full, Gap, Key, inside, spaced};
use crate::order::{Life, Order, Place};

/// The map from the keys of one epoch of a list to those of the next.
#[derive(Debug, Clone)]
pub struct Rebalance {
    old: Order,
    /// The new key of each place of `old`.
    new: Vec<Key>,
}

impl Rebalance {
    /// Works out the new keys of these places. Linear in their number.
    ///
    /// # Panics
    ///
    /// Never: keys for as many places as there can be have a few bytes.
    #[must_use]
    pub fn of(old: Order) -> Self {
        let live = spaced(old.live_len());
        let mut new = Vec::with_capacity(old.len());
        let mut ascending = live.iter();
        let (mut low, mut dead) = (None, 0);
        let last = core::iter::once(None);
        for place in old.iter().map(Some).chain(last) {
            if place.is_some_and(|place| place.life == Life::Dead) {
                dead += 1;
                continue;
            }
            let high = place.and_then(|_live| ascending.next());
            if dead > 0 {
                let prefix = prefix(low, high);
                new.extend(spaced(dead).iter().map(|key| join(&prefix, key).expect("both are short")));
                dead = 0;
            }
            new.extend(high.cloned());
            low = high;
        }
        Self { old, new }
    }

    /// The items in their order, each with its new key.
    pub fn keys(&self) -> impl Iterator<Item = (&Place, &Key)> {
        self.old.iter().zip(&self.new)
    }

    /// The new key of an item at this old key, in the list or on its way to it.
    ///
    /// Order is kept: whatever stood before another, by key and then by item, does so after it.
    ///
    /// # Errors
    ///
    /// [`Full`] if it would be longer than a key may be; one that is in the list never is.
    pub fn translate(&self, key: &Key, item: ItemId) -> Result<Key, Full> {
        let rank = self.old.rank(key, item).all;
        let is_it = self.old.at(rank).is_some_and(|place| place.key == *key && place.id == item);
        match self.new.get(rank) {
            Some(new) if is_it => Ok(new.clone()),
            high => join(&prefix(rank.checked_sub(1).and_then(|below| self.new.get(below)), high), key),
        }
    }
}

/// A key inside a gap of new keys, to put others behind: they still name the site that made them.
fn prefix(low: Option<&Key>, high: Option<&Key>) -> Key {
    let gap = Gap::new(low, high).expect("new keys ascend");
    inside(gap).expect("new keys are short")
}

fn join(prefix: &Key, key: &Key) -> Result<Key, Full> {
    // Canonical as its end is.
    Key::try_from_bytes(&[prefix.as_bytes(), key.as_bytes()].concat()).map_err(|_too_long| Full)
}

//! The order of a list: all places by (key, item id), with the rank of each among all and among the live.
//!
//! A sorted vector in chunks: inserting moves at most one chunk, a rank is a sum over chunks. At 100,000 items that is
//! about 300 chunks, so every call is a few microseconds, and walking the order is walking memory.

use crate::id::ItemId;
use crate::key::Key;

/// Whether an item is shown or in the trash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Life {
    /// Shown.
    Live,
    /// Deleted; it keeps its place.
    Dead,
}

/// One place of the order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place<K = Key> {
    /// Where.
    pub key: K,
    /// Which item; breaks ties of equal keys.
    pub id: ItemId,
    /// Shown or not.
    pub life: Life,
}

/// Places of a chunk; at twice that it is halved.
const CHUNK: usize = 256;

/// The order of a list.
#[derive(Debug, Clone)]
pub struct Order<K = Key> {
    chunks: Vec<Chunk<K>>,
}

#[derive(Debug, Clone)]
struct Chunk<K> {
    places: Vec<Place<K>>,
    live: usize,
}

impl<K> Default for Order<K> {
    fn default() -> Self {
        Self { chunks: Vec::new() }
    }
}

/// How many places, and how many of them are live, stand before some point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rank {
    /// Among all.
    pub all: usize,
    /// Among the live.
    pub live: usize,
}

impl<K: Ord> Order<K> {
    /// Places, live and dead.
    #[must_use]
    pub fn len(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.places.len()).sum()
    }

    /// Whether there is no place at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.chunks.is_empty()
    }

    /// Live places.
    #[must_use]
    pub fn live_len(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.live).sum()
    }

    /// Puts a place in. A second place of the same key and id replaces the first.
    pub fn insert(&mut self, key: K, id: ItemId, life: Life) {
        let at = self.chunk_of(&key, id);
        if self.chunks.is_empty() {
            self.chunks.push(Chunk { places: Vec::new(), live: 0 });
        }
        let chunk = &mut self.chunks[at];
        match chunk.find(&key, id) {
            Ok(place) => {
                chunk.live -= chunk.places[place].is_live();
                chunk.places[place].life = life;
            }
            Err(place) => chunk.places.insert(place, Place { key, id, life }),
        }
        chunk.live += usize::from(life == Life::Live);
        if chunk.places.len() >= CHUNK * 2 {
            let upper = Chunk::of(chunk.places.split_off(CHUNK));
            chunk.live -= upper.live;
            self.chunks.insert(at + 1, upper);
        }
    }

    /// Takes a place out; says whether it was there.
    pub fn remove(&mut self, key: &K, id: ItemId) -> bool {
        let at = self.chunk_of(key, id);
        let Some(chunk) = self.chunks.get_mut(at) else { return false };
        let Ok(place) = chunk.find(key, id) else { return false };
        chunk.live -= chunk.places.remove(place).is_live();
        if chunk.places.is_empty() {
            self.chunks.remove(at);
        }
        true
    }

    /// How many places stand before (key, id).
    #[must_use]
    pub fn rank(&self, key: &K, id: ItemId) -> Rank {
        let at = self.chunk_of(key, id);
        let mut rank = Rank { all: 0, live: 0 };
        for chunk in &self.chunks[..at.min(self.chunks.len())] {
            rank.all += chunk.places.len();
            rank.live += chunk.live;
        }
        if let Some(chunk) = self.chunks.get(at) {
            let (Ok(place) | Err(place)) = chunk.find(key, id);
            rank.all += place;
            rank.live += chunk.places[..place].iter().map(Place::is_live).sum::<usize>();
        }
        rank
    }

    /// The place with this many places before it.
    #[must_use]
    pub fn at(&self, mut rank: usize) -> Option<&Place<K>> {
        for chunk in &self.chunks {
            match chunk.places.get(rank) {
                Some(place) => return Some(place),
                None => rank -= chunk.places.len(),
            }
        }
        None
    }

    /// The live place with this many live places before it.
    #[must_use]
    pub fn live_at(&self, mut rank: usize) -> Option<&Place<K>> {
        for chunk in &self.chunks {
            if rank < chunk.live {
                return chunk.places.iter().filter(|place| place.life == Life::Live).nth(rank);
            }
            rank -= chunk.live;
        }
        None
    }

    /// All places, ascending.
    #[must_use]
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Place<K>> {
        self.chunks.iter().flat_map(|chunk| &chunk.places)
    }

    /// The live places, ascending.
    #[must_use]
    pub fn live(&self) -> impl DoubleEndedIterator<Item = &Place<K>> {
        self.iter().filter(|place| place.life == Life::Live)
    }

    /// The live places from a rank on, ascending: what a screen shows. Costs no more than what is taken.
    pub fn live_from(&self, mut rank: usize) -> impl Iterator<Item = &Place<K>> {
        let mut first = 0;
        while let Some(chunk) = self.chunks.get(first)
            && rank >= chunk.live
        {
            rank -= chunk.live;
            first += 1;
        }
        let rest = self.chunks.get(first..).unwrap_or_default();
        rest.iter().flat_map(|chunk| &chunk.places).filter(|place| place.life == Life::Live).skip(rank)
    }

    /// The places behind (key, id), ascending.
    pub fn after(&self, key: &K, id: ItemId) -> impl Iterator<Item = &Place<K>> {
        let (at, place) = self.cut(key, id);
        let head = self.chunks.get(at).map_or(&[][..], |chunk| &chunk.places[place..]);
        let head = match head.first() {
            Some(first) if first.key == *key && first.id == id => &head[1..],
            _ => head,
        };
        let rest = self.chunks.get(at + 1..).unwrap_or_default();
        head.iter().chain(rest.iter().flat_map(|chunk| &chunk.places))
    }

    /// The places before (key, id), descending.
    pub fn before(&self, key: &K, id: ItemId) -> impl Iterator<Item = &Place<K>> {
        let (at, place) = self.cut(key, id);
        let head = self.chunks.get(at).map_or(&[][..], |chunk| &chunk.places[..place]);
        let rest = &self.chunks[..at.min(self.chunks.len())];
        head.iter().rev().chain(rest.iter().rev().flat_map(|chunk| chunk.places.iter().rev()))
    }

    /// Whether any place has this key.
    #[must_use]
    pub fn has_key(&self, key: &K) -> bool {
        let least = ItemId::from_bytes([0; 8]);
        let (at, place) = self.cut(key, least);
        let here = self.chunks.get(at).and_then(|chunk| chunk.places.get(place));
        let next = || self.chunks.get(at + 1).and_then(|chunk| chunk.places.first());
        here.or_else(next).is_some_and(|found| found.key == *key)
    }

    fn cut(&self, key: &K, id: ItemId) -> (usize, usize) {
        let at = self.chunk_of(key, id);
        let place = self.chunks.get(at).map_or(0, |chunk| match chunk.find(key, id) {
            Ok(place) | Err(place) => place,
        });
        (at, place)
    }

    /// The chunk that has, or would take, (key, id): the last one that does not begin above it.
    fn chunk_of(&self, key: &K, id: ItemId) -> usize {
        let above =
            self.chunks.partition_point(|chunk| chunk.places.first().is_some_and(|p| (&p.key, p.id) <= (key, id)));
        above.saturating_sub(1)
    }
}

impl<K: Ord> Chunk<K> {
    fn of(places: Vec<Place<K>>) -> Self {
        let live = places.iter().map(Place::is_live).sum();
        Self { places, live }
    }

    fn find(&self, key: &K, id: ItemId) -> Result<usize, usize> {
        self.places.binary_search_by(|place| (&place.key, place.id).cmp(&(key, id)))
    }
}

impl<K> Place<K> {
    fn is_live(&self) -> usize {
        usize::from(self.life == Life::Live)
    }
}

impl<K: Ord> FromIterator<Place<K>> for Order<K> {
    /// The order of these places, in whatever order they come. Of several of one key and id the last counts.
    fn from_iter<I: IntoIterator<Item = Place<K>>>(places: I) -> Self {
        let mut places: Vec<Place<K>> = places.into_iter().collect();
        places.reverse();
        places.sort_by(|a, b| (&a.key, a.id).cmp(&(&b.key, b.id)));
        places.dedup_by(|later, first| (&later.key, later.id) == (&first.key, first.id));
        let mut chunks = Vec::with_capacity(places.len() / CHUNK + 1);
        let mut places = places.into_iter().peekable();
        while places.peek().is_some() {
            chunks.push(Chunk::of(places.by_ref().take(CHUNK).collect()));
        }
        Self { chunks }
    }
}

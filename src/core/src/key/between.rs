//! The default generator: keys that stay short when people insert in one place, and never clash.
//!
//! A key is a *stem*, which places it, and the [`Tag`] of its site. The stem is a prefix of one of the bounds and a
//! [`Counter`] after it. Under each prefix of either bound there is a counter that runs between the bounds, or upwards
//! from the lower one, or downwards from the upper one; the stem that comes out shortest is taken, of equals the one
//! with the shortest prefix. Appends, prepends, and inserts always after or always before one item therefore count, and
//! grow with the logarithm of their number; inserts in random places halve.
//!
//! Prefixes end where a counter does; the symbols of tags read as counters too. Any cut would be correct, but one inside
//! a counter shows a short stem that skips most of what the counter could still count.

use super::{Full, Gap, KEY_BYTES_MAX, Key, SiteNumber, Tag, counter::Counter, midpoint};

/// How many candidates are tried, so that a wrong `taken` cannot hold the caller: a second's work at most. Only as many
/// deletions and new inserts in one gap and epoch get there.
const TRIES_MAX: u32 = 65_536;

/// Returns a key strictly inside `gap`, made by `site`, for which `taken` is false.
///
/// Total: the bounds may be any two keys that ascend, whoever made them. Keys of two sites differ, whatever gaps they
/// were made in, and there is always room between the two. One site gets the same key for the same gap: `taken` must
/// know each key that this site has seen or made in this epoch, and a taken candidate makes it step on, upwards.
///
/// Concurrent runs of two sites in one gap can interleave.
///
/// Length: at most 3 bytes more than the longer bound, and the tag. Time: linear in the bounds' length.
///
/// # Errors
/// [`Full`] where the key would be longer than [`KEY_BYTES_MAX`], or where 65,536 candidates were taken.
pub fn between(gap: Gap<'_>, site: SiteNumber, taken: &mut dyn FnMut(&Key) -> bool) -> Result<Key, Full> {
    let tag = Tag::new(site);
    let mut refused: Option<Key> = None;
    for _ in 0..TRIES_MAX {
        let key = candidate(Gap { low: refused.as_ref().or(gap.low), high: gap.high }, tag)?;
        debug_assert!(gap.contains(&key), "a candidate is inside");
        if !taken(&key) {
            return Ok(key);
        }
        refused = Some(key);
    }
    Err(Full)
}

fn candidate(gap: Gap<'_>, tag: Tag) -> Result<Key, Full> {
    let stem: Vec<u8> = match shortest_stem(gap) {
        Some(stem) => stem.prefix.iter().copied().chain(stem.counter.symbols()).collect(),
        // No counter has room right above `abc` and below `abc#`, say; the digits always have.
        None => midpoint(gap)?.as_bytes().to_vec(),
    };
    if stem.len() + tag.bytes().len() > KEY_BYTES_MAX {
        return Err(Full);
    }
    Ok(Key::from_symbols(stem.iter().chain(tag.bytes()).copied()))
}

/// What places a key: it and whatever follows it is inside the gap.
struct Stem<'a> {
    prefix: &'a [u8],
    counter: Counter,
}

impl Stem<'_> {
    fn bytes(&self) -> usize {
        self.prefix.len() + self.counter.bytes()
    }
}

fn shortest_stem(gap: Gap<'_>) -> Option<Stem<'_>> {
    let low = gap.low().map_or(&[][..], Key::as_bytes);
    let high = gap.high().map(Key::as_bytes);
    let shared = high.map_or(0, |high| low.iter().zip(high).take_while(|(low, high)| low == high).count());

    // Past what the bounds share, a prefix of one of them is limited by that one only.
    let under_low = cuts(low).filter_map(|cut| {
        let (prefix, rest) = low.split_at(cut);
        let ceiling = high.filter(|_| cut <= shared).and_then(|high| Counter::read(&high[cut..]));
        let counter = Counter::choose(Counter::read(rest), ceiling)?;
        Some(Stem { prefix, counter })
    });
    let under_high = high.into_iter().flat_map(|high| {
        cuts(high).filter(move |&cut| shared < cut && cut < high.len()).filter_map(move |cut| {
            let (prefix, rest) = high.split_at(cut);
            let counter = Counter::choose(None, Counter::read(rest))?;
            Some(Stem { prefix, counter })
        })
    });
    under_low.chain(under_high).min_by_key(Stem::bytes)
}

/// Returns where `key` may be cut: its start, and after each counter that it reads as.
fn cuts(key: &[u8]) -> impl Iterator<Item = usize> {
    std::iter::successors(Some(0), |&cut| {
        let rest = key.get(cut..).filter(|rest| !rest.is_empty())?;
        Some(cut + Counter::bytes_at_start(rest))
    })
}

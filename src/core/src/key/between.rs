//! The default generator: keys that stay short when people insert in one place, and never clash.
//!
//! Each site has a *scope* of its own wherever it has put its [tag](super::Tag): all that begins with the tag and holds no
//! other one behind it. Inside its scope a site makes keys of codes alone; anywhere else it makes a code and its tag, or
//! the tag alone, and so a new scope. Of all the cuts of both bounds at which that comes to stand inside the gap, the
//! one that gives the shortest key is taken. Codes in the middle of what is left leave room for inserts in random
//! places.
//!
//! A run, see [`Hint`], goes on in tokens that nothing else is made of: right behind its first key, or right ahead of it,
//! nearer to it than whatever else may be put there. Its keys count, so they grow with the logarithm of its length; and
//! since nobody else can make a key in there who has not seen the run, no concurrent insert comes to stand in it.

use super::{
    Full, Gap, Hint, SiteNumber, Spelled,
    inside::inside_digits,
    run,
    scan::{Cut, Scan},
    tag::{Side, owner_of, token_of},
    token::{Lean, Next, Token, choose_code},
};

/// How many candidates are tried, so that a wrong `taken` cannot hold the caller: a second's work at most. Only as many
/// deletions and new inserts in one gap and epoch get there.
const TRIES_MAX: u32 = 65_536;

/// Returns a key strictly inside `gap`, made by `site`, for which `taken` is false.
///
/// Total: the bounds may be any two keys that ascend, whoever made them. Keys of two sites differ, whatever gaps they
/// were made in, and there is always room between the two. One site may get the same key twice: `taken` must know each
/// key that this site has seen or made in this epoch, and a taken candidate makes it step on, upwards.
///
/// Concurrent runs of two sites in one gap do not interleave, if the sites pass their [`Hint`]s.
///
/// Length: at most 4 bytes more than the longer bound, and the tag. Time: linear in the bounds' length.
///
/// # Errors
/// [`Full`] where the key would be longer than its kind may be, or where 65,536 candidates were taken.
pub fn between<K: Spelled>(
    gap: Gap<'_, K>,
    site: SiteNumber,
    hint: Hint,
    taken: &mut dyn FnMut(&K) -> bool,
) -> Result<K, Full> {
    let high = gap.high().map(Spelled::as_bytes);
    let mut key: K = candidate(gap.low().map(Spelled::as_bytes), high, site, hint)?;
    debug_assert!(gap.contains(&key), "a candidate is inside");
    for _ in 1..TRIES_MAX {
        if !taken(&key) {
            return Ok(key);
        }
        key = candidate(Some(key.as_bytes()), high, site, Hint::Up)?;
        debug_assert!(gap.contains(&key), "a candidate is inside");
    }
    if taken(&key) { Err(Full) } else { Ok(key) }
}

fn candidate<K: Spelled>(low: Option<&[u8]>, high: Option<&[u8]>, site: SiteNumber, hint: Hint) -> Result<K, Full> {
    let (run, lean) = match hint {
        Hint::None => (None, Lean::Middle),
        Hint::Up => (low.and_then(|low| run::behind(low, high, site)), Lean::Middle),
        Hint::Down => (high.and_then(|high| run::ahead_of(high, low, site)), Lean::Middle),
        Hint::ThenLower => (None, Lean::High),
        Hint::ThenHigher => (None, Lean::Low),
    };
    if let Some(draft) = run.or_else(|| shortest(low.unwrap_or_default(), high, site, lean)) {
        return draft.spelled();
    }
    // No code has room right above `abc` and below `abc#`, say; the digits always have.
    let place = inside_digits(low, high);
    Draft::new(&place, &[token_of(site, Side::Right)]).spelled()
}

/// A key to be: the beginning of another, and one or two tokens.
#[derive(Clone, Copy, Debug)]
pub(super) struct Draft<'a> {
    prefix: &'a [u8],
    tokens: [Token; 2],
    count: usize,
}

impl<'a> Draft<'a> {
    pub(super) fn new(prefix: &'a [u8], tokens: &[Token]) -> Self {
        let mut both = [Token(0); 2];
        both[..tokens.len()].copy_from_slice(tokens);
        Self { prefix, tokens: both, count: tokens.len() }
    }

    fn tail(&self) -> ([u8; 8], usize) {
        let mut symbols = [0; 8];
        let mut bytes = 0;
        for token in &self.tokens[..self.count] {
            bytes += token.spell(&mut symbols[bytes..]);
        }
        (symbols, bytes)
    }

    fn spelled<K: Spelled>(&self) -> Result<K, Full> {
        let (tail, bytes) = self.tail();
        K::spelled(self.prefix, &tail[..bytes])
    }

    /// How the key, and whatever may follow it, stands to another.
    pub(super) fn is_below(&self, other: &[u8]) -> bool {
        let (tail, bytes) = self.tail();
        let mut pairs = self.prefix.iter().chain(&tail[..bytes]).zip(other);
        pairs.find(|(here, there)| here != there).is_some_and(|(here, there)| here < there)
    }

    /// Whether the key is above another.
    pub(super) fn is_above(&self, other: &[u8]) -> bool {
        let (tail, bytes) = self.tail();
        self.prefix.iter().chain(&tail[..bytes]).gt(other)
    }
}

fn shortest<'a>(low: &'a [u8], high: Option<&'a [u8]>, site: SiteNumber, lean: Lean) -> Option<Draft<'a>> {
    let upper = high.unwrap_or_default();
    let shared = low.iter().zip(upper).take_while(|(low, high)| low == high).count();
    let node = token_of(site, Side::Right);
    let mut best = Shortest { bytes: usize::MAX, draft: None, site, node, node_bytes: node.bytes(), lean };
    let mut last_shared = Cut { at: 0, owner: None, next: None };
    for cut in Scan::new(low) {
        if best.is_shorter_than(cut.at) {
            break;
        }
        if cut.at > shared {
            // Past what the bounds share, a beginning of the lower one is limited by that one only.
            best.try_at(&low[..cut.at], cut.owner, cut.next, None);
            continue;
        }
        last_shared = cut;
        // Between a token and itself there is nothing.
        if cut.next.is_none_or(|next| cut.at + next.bytes > shared || next.ends_early) {
            let ceiling = upper.get(cut.at..).and_then(Token::read);
            best.try_at(&low[..cut.at], cut.owner, cut.next, ceiling);
        }
    }
    if shared < upper.len() {
        for cut in Scan::resumed(upper, last_shared) {
            if best.is_shorter_than(cut.at) {
                break;
            }
            if cut.at > shared && cut.next.is_some() {
                best.try_at(&upper[..cut.at], cut.owner, None, cut.next);
            }
        }
    }
    best.draft
}

/// The shortest draft so far; of equally short ones the first.
struct Shortest<'a> {
    bytes: usize,
    draft: Option<Draft<'a>>,
    site: SiteNumber,
    node: Token,
    node_bytes: usize,
    lean: Lean,
}

impl<'a> Shortest<'a> {
    /// Tries what may be put behind `prefix`, which is in `owner`'s scope, above `floor` and below `ceiling`.
    fn try_at(&mut self, prefix: &'a [u8], owner: Option<SiteNumber>, floor: Option<Next>, ceiling: Option<Next>) {
        // What is not whole is just below its token.
        let from = floor.map(|floor| Token(floor.token.0 + u32::from(floor.whole)));
        let end = ceiling.map(|ceiling| ceiling.token);
        if end.is_some_and(|end| from.is_some_and(|from| from >= end)) {
            return;
        }
        let is_own = owner == Some(self.site);
        // In an empty list the tag needs no code; anywhere else that would not halve what is left.
        let is_first = prefix.is_empty() && from.is_none() && end.is_none();
        let code = if is_first { None } else { choose_code(from, end, self.lean) };
        if let Some((code, bytes)) = code {
            if is_own {
                self.offer(prefix, &[code], bytes);
            } else {
                self.offer(prefix, &[code, self.node], bytes + self.node_bytes);
            }
        } else if !is_own && from.is_none_or(|from| from <= self.node) && end.is_none_or(|end| self.node < end) {
            self.offer(prefix, &[self.node], self.node_bytes);
        }
        if let Some(floor) = floor.filter(|floor| floor.ends_early)
            && end.is_none_or(|end| floor.filled() < end)
        {
            let filled = floor.filled();
            self.offer(prefix, &[filled, self.node], filled.bytes() + self.node_bytes);
        }
        // Ahead of its own node, on the left of it, the scope is its own.
        if let Some(ceiling) = ceiling
            && ceiling.whole
            && owner_of(ceiling.token) == Some((self.site, Side::Right))
        {
            let left = token_of(self.site, Side::Left);
            if from.is_none_or(|from| from <= left)
                && let Some((code, bytes)) = choose_code(None, None, self.lean)
            {
                self.offer(prefix, &[left, code], left.bytes() + bytes);
            }
        }
    }

    /// Whether nothing shorter can come behind a prefix of so many bytes.
    fn is_shorter_than(&self, prefix: usize) -> bool {
        self.bytes <= prefix + 1
    }

    fn offer(&mut self, prefix: &'a [u8], tokens: &[Token], bytes: usize) {
        if prefix.len() + bytes < self.bytes {
            self.bytes = prefix.len() + bytes;
            self.draft = Some(Draft::new(prefix, tokens));
        }
    }
}

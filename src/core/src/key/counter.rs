//! Counters that are spelled inside keys and sort as keys do.
//!
//! The first digit says how many follow, and counters ascend as their spellings do:
//!
//! | First digit | Bytes | Counters |
//! |---|---|---|
//! | 0 | | below all |
//! | 1 | 4 | 778,688 |
//! | 2 to 3 | 3 | 16,928 |
//! | 4 to 7 | 2 | 368 |
//! | 8 to 83 | 1 | 76 |
//! | 84 to 87 | 2 | 368 |
//! | 88 to 89 | 3 | 16,928 |
//! | 90 | 4 | 778,688 |
//! | 91 | | above all |
//!
//! No spelling begins another, and all first digits are covered, so *any* bytes read as a counter: those that spell it,
//! those above it and below the next, or those that end too early and are just below it. That is what lets a counter
//! be counted up or down under every prefix of every key, whoever made the key.

use super::{BASE, alphabet};

/// A number that is spelled in 1 to 4 symbols.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Counter(u32);

/// The first digits of counters of at most 1, 2, 3 and 4 bytes; each holds the one before.
const HEADS: [(usize, usize); 4] = [(8, 84), (4, 88), (2, 90), (1, 91)];

/// The lowest counter with each first digit.
const FIRST: [u32; BASE as usize] = {
    let mut first = [0; BASE as usize];
    let mut head = 1;
    while head < first.len() {
        first[head] = first[head - 1] + span(head - 1);
        head += 1;
    }
    first
};

/// Returns how many symbols follow the first digit `head`.
const fn tail_bytes(head: usize) -> usize {
    match head {
        4..=7 | 84..=87 => 1,
        2..=3 | 88..=89 => 2,
        1 | 90 => 3,
        _ => 0,
    }
}

/// Returns how many counters begin with the digit `head`.
const fn span(head: usize) -> u32 {
    let mut span = 1;
    let mut left = tail_bytes(head);
    while left > 0 {
        span *= BASE as u32;
        left -= 1;
    }
    span
}

impl Counter {
    /// Returns the counter with which `symbols` begin; none where there are none.
    pub(super) fn read(symbols: &[u8]) -> Option<Self> {
        let head = usize::from(alphabet::digit(*symbols.first()?));
        let tail = (1..=tail_bytes(head)).fold(0, |tail, at| {
            tail * u32::from(BASE) + symbols.get(at).map_or(0, |&symbol| u32::from(alphabet::digit(symbol)))
        });
        Some(Self(FIRST[head] + tail))
    }

    /// Returns how many of `symbols` the counter with which they begin takes; all of them if it does not end there.
    pub(super) fn bytes_at_start(symbols: &[u8]) -> usize {
        let head = symbols.first().map_or(0, |&symbol| usize::from(alphabet::digit(symbol)));
        symbols.len().min(1 + tail_bytes(head))
    }

    /// Returns a counter strictly between the two, if there is one.
    ///
    /// One byte is halved as long as it lasts: that keeps room for inserts in random places. After it an open end is
    /// counted one by one, so that a list's length shows in the logarithm only; between two ends it is halved too.
    pub(super) fn choose(floor: Option<Self>, ceiling: Option<Self>) -> Option<Self> {
        let first = floor.map_or(0, |Self(number)| number + 1).max(FIRST[1]);
        let end = ceiling.map_or(u32::MAX, |Self(number)| number).min(FIRST[91]);
        let mut middles = HEADS.iter().map(|&(head_first, head_end)| {
            let (first, end) = (first.max(FIRST[head_first]), end.min(FIRST[head_end]));
            (first < end).then(|| first + (end - first) / 2)
        });
        let one_byte = middles.next().flatten();
        let number = one_byte.or_else(|| match (floor, ceiling) {
            (Some(_), None) => (first < end).then_some(first),
            (None, Some(_)) => (first < end).then(|| end - 1),
            _ => middles.flatten().next(),
        });
        number.map(Self)
    }

    /// Returns how many symbols spell the counter.
    pub(super) fn bytes(self) -> usize {
        1 + tail_bytes(self.head())
    }

    /// Returns the symbols that spell the counter.
    pub(super) fn symbols(self) -> impl Iterator<Item = u8> {
        let head = self.head();
        let mut tail = self.0 - FIRST[head];
        let mut place = span(head);
        let tail = (0..tail_bytes(head)).map(move |_| {
            place /= u32::from(BASE);
            let digit = tail / place;
            tail %= place;
            digit
        });
        let head = u32::try_from(head).expect("a first digit is a digit");
        std::iter::once(head)
            .chain(tail)
            .map(|digit| alphabet::symbol(u8::try_from(digit).expect("digits are below 92")))
    }

    fn head(self) -> usize {
        FIRST.partition_point(|&first| first <= self.0) - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_ascend_as_counters_do_and_are_read_back() {
        let end = FIRST[91];
        let mut before: Vec<u8> = Vec::new();
        for number in (1..2_000).chain((2_000..end - 2_000).step_by(61)).chain(end - 2_000..end) {
            let symbols: Vec<u8> = Counter(number).symbols().collect();
            assert_eq!(symbols.len(), Counter(number).bytes());
            assert!(before < symbols && (before.is_empty() || !symbols.starts_with(&before)));
            assert_eq!(Counter::read(&symbols), Some(Counter(number)));
            before = symbols;
        }
    }

    #[test]
    fn a_choice_is_the_shortest_that_fits() {
        let read = |text: &str| Counter::read(text.as_bytes());
        let check = |floor: &str, ceiling: &str, expected: &str| {
            let counter = Counter::choose(read(floor), read(ceiling));
            let symbols = counter.into_iter().flat_map(Counter::symbols);
            assert_eq!(symbols.map(char::from).collect::<String>(), expected, "{floor:?} to {ceiling:?}");
        };
        check("", "", "P");
        check("P", "", "d");
        check("v", "", "w!");
        check("w~", "", "x!");
        check("", "*", ")~");
        check("v", "x", "wP");
        check("P", "Q", "");
        check("~", "", "");
        check("", "!", "");
        check("!", "~", "P");
        check("}~~~", "~", "");
    }
}

//! Tokens: what a key reads as, one after the other.
//!
//! The first digit of a token says its kind and how many digits follow. Tokens ascend as their spellings do:
//!
//! | First digit | Kind | Tokens of 1, 2, 3, 4 bytes |
//! |---|---|---|
//! | 0 | below all; never made as the last | 1 |
//! | 1 to 2 | code, below the tags | -, 91, 4,186, 385,112 |
//! | 3 to 25 | code, below the tags | 23 |
//! | 26 to 29 | up: behind a key, a run that goes up | 1, 91, 9,919, 627,900 |
//! | 30 to 60 | tag: two for each site, see [`Tag`](super::Tag) | 4, 1,001, 133,952 |
//! | 61 to 64 | down: ahead of a key, a run that goes down | 1, 91, 9,919, 627,900 |
//! | 65 to 88 | code, above the tags | 24 |
//! | 89 to 90 | code, above the tags | -, 91, 4,186, 385,112 |
//! | 91 | above all | 1 |
//!
//! No spelling begins another, and all first digits are covered, so *any* bytes read as tokens, whoever made them. The
//! last digit of a longer token is not 0, since a key may end with it. Bytes that break that, or that end too early, are
//! just below the token that they are read as: it is not *whole*.

use super::{BASE, alphabet};

/// A token, by its number in their order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Token(pub(super) u32);

/// What bytes begin with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Next {
    pub(super) token: Token,
    /// How many bytes it takes.
    pub(super) bytes: usize,
    /// Whether the bytes spell the token.
    pub(super) whole: bool,
    /// Whether the bytes end before the token does.
    pub(super) ends_early: bool,
}

impl Next {
    /// Returns a token whose spelling begins with these bytes, which end early: the shortest there is, and one in the
    /// middle of those.
    pub(super) fn filled(self) -> Token {
        let Token(lowest) = self.token;
        let over = if self.bytes > 1 {
            if self.token.bytes() - self.bytes == 1 { LAST / 2 } else { FOUR / 2 }
        } else {
            match SHAPES[self.token.head()] {
                Shape::Of(0) => 0,
                Shape::Of(1) => LAST / 2,
                Shape::Of(_) => FOUR / 2,
                Shape::Rising(split) => u32::from(split / 2) * THREE + LAST / 2,
                Shape::Falling(split) => u32::from(split) * FOUR + u32::from((BASE - split) / 2) * THREE + LAST / 2,
            }
        };
        Token(lowest + over)
    }
}

const HEADS: usize = BASE as usize;
const CODES_LOW: usize = 1;
const UP: usize = 26;
const TAGS: usize = 30;
const DOWN: usize = 61;
const CODES_HIGH: usize = 65;
const ABOVE: usize = 91;

/// What follows a first digit.
#[derive(Clone, Copy)]
enum Shape {
    /// So many digits.
    Of(u8),
    /// Two digits, or three if the first of them is not below this one.
    Rising(u8),
    /// Three digits, or two if the first of them is not below this one.
    Falling(u8),
}

const SHAPES: [Shape; HEADS] = {
    let mut shapes = [Shape::Of(0); HEADS];
    let mut head = 0;
    while head < HEADS {
        shapes[head] = match head {
            2 | 27 | 34..=44 | 63 | 89 => Shape::Of(1),
            28 | 45..=60 | 62 => Shape::Of(2),
            29 => Shape::Rising(17),
            90 => Shape::Rising(46),
            1 => Shape::Falling(46),
            61 => Shape::Falling(75),
            _ => Shape::Of(0),
        };
        head += 1;
    }
    shapes
};

/// How many digits the last of several may be: not 0.
const LAST: u32 = BASE as u32 - 1;
/// How many tokens share their first two digits, of three bytes and of four.
const THREE: u32 = LAST;
const FOUR: u32 = BASE as u32 * LAST;

/// The lowest token with each first digit.
const FIRST: [u32; HEADS] = {
    let base = BASE as u32;
    let mut first = [0; HEADS];
    let mut head = 1;
    while head < HEADS {
        let span = match SHAPES[head - 1] {
            Shape::Of(0) => 1,
            Shape::Of(1) => LAST,
            Shape::Of(_) => base * LAST,
            Shape::Rising(split) => split as u32 * THREE + (base - split as u32) * FOUR,
            Shape::Falling(split) => split as u32 * FOUR + (base - split as u32) * THREE,
        };
        first[head] = first[head - 1] + span;
        head += 1;
    }
    first
};

/// The first tag, and one past the last.
pub(super) const TAG_RANGE: (u32, u32) = (FIRST[TAGS], FIRST[DOWN]);
const UP_RANGE: (u32, u32) = (FIRST[UP], FIRST[TAGS]);
const DOWN_RANGE: (u32, u32) = (FIRST[DOWN], FIRST[CODES_HIGH]);
const CODES_BELOW_TAGS: u32 = FIRST[UP] - FIRST[CODES_LOW];
const CODES: u32 = CODES_BELOW_TAGS + FIRST[ABOVE] - FIRST[CODES_HIGH];

/// What a token is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Edge,
    Up,
    Code,
    Tag,
    Down,
}

impl Token {
    /// Returns what `symbols` begin with; none where there are none.
    #[inline]
    pub(super) fn read(symbols: &[u8]) -> Option<Next> {
        let head = usize::from(alphabet::digit(*symbols.first()?));
        let digit = |at: usize| symbols.get(at).map_or(0, |&symbol| u32::from(alphabet::digit(symbol)));
        let second = digit(1);
        let (tail, upper) = match SHAPES[head] {
            Shape::Of(0) => {
                return Some(Next { token: Self(FIRST[head]), bytes: 1, whole: true, ends_early: false });
            }
            Shape::Of(1) => (1, 0),
            Shape::Of(_) => (2, second * LAST),
            Shape::Rising(split) => match second.checked_sub(u32::from(split)) {
                None => (2, second * THREE),
                Some(over) => (3, u32::from(split) * THREE + over * FOUR + digit(2) * LAST),
            },
            Shape::Falling(split) => match second.checked_sub(u32::from(split)) {
                None => (3, second * FOUR + digit(2) * LAST),
                Some(over) => (2, u32::from(split) * FOUR + over * THREE),
            },
        };
        let last = digit(tail);
        let token = Self(FIRST[head] + upper + last.saturating_sub(1));
        let bytes = symbols.len().min(1 + tail);
        Some(Next { token, bytes, whole: last > 0, ends_early: bytes <= tail })
    }

    pub(super) fn kind(self) -> Kind {
        let within = |(first, end): (u32, u32)| (first..end).contains(&self.0);
        if within(TAG_RANGE) {
            Kind::Tag
        } else if within(UP_RANGE) {
            Kind::Up
        } else if within(DOWN_RANGE) {
            Kind::Down
        } else if self.0 == 0 || self.0 == FIRST[ABOVE] {
            Kind::Edge
        } else {
            Kind::Code
        }
    }

    /// Returns the token above, if it is of the same kind.
    pub(super) fn above(self) -> Option<Self> {
        let above = Self(self.0 + 1);
        (above.kind() == self.kind()).then_some(above)
    }

    /// Returns the token below a code or one of a run, if that is one of these too.
    ///
    /// Below the codes above the tags is the first of a run that goes down; below a run that goes up is a code.
    pub(super) fn below(self) -> Option<Self> {
        let below = Self(self.0.checked_sub(1)?);
        let is_fit = match self.kind() {
            Kind::Up | Kind::Code => matches!(below.kind(), Kind::Up | Kind::Code | Kind::Down),
            kind => below.kind() == kind,
        };
        is_fit.then_some(below)
    }

    /// The first of a run that goes up.
    pub(super) const fn first_up() -> Self {
        Self(UP_RANGE.0)
    }

    /// The first of a run that goes down.
    pub(super) const fn first_down() -> Self {
        Self(DOWN_RANGE.1 - 1)
    }

    /// Returns how many symbols spell the token.
    pub(super) fn bytes(self) -> usize {
        self.spell(&mut [0; 4])
    }

    /// Writes the symbols that spell the token to the start of `symbols`, which has room for four; returns how many.
    pub(super) fn spell(self, symbols: &mut [u8]) -> usize {
        let head = self.head();
        let rest = self.0 - FIRST[head];
        symbols[0] = symbol(u32::try_from(head).expect("a first digit is a digit"));
        if let Shape::Of(tail @ 0..=1) = SHAPES[head] {
            if tail == 1 {
                symbols[1] = symbol(rest + 1);
            }
            return 1 + usize::from(tail);
        }
        // How many tokens come before those with three digits, or with two, and which digit those begin with.
        let (second, rest, is_four) = match SHAPES[head] {
            Shape::Of(_) => (rest / THREE, rest % THREE, false),
            Shape::Rising(split) => match rest.checked_sub(u32::from(split) * THREE) {
                None => (rest / THREE, rest % THREE, false),
                Some(over) => (u32::from(split) + over / FOUR, over % FOUR, true),
            },
            Shape::Falling(split) => match rest.checked_sub(u32::from(split) * FOUR) {
                None => (rest / FOUR, rest % FOUR, true),
                Some(over) => (u32::from(split) + over / THREE, over % THREE, false),
            },
        };
        symbols[1] = symbol(second);
        if is_four {
            symbols[2] = symbol(rest / LAST);
        }
        let last = 2 + usize::from(is_four);
        symbols[last] = symbol(rest % LAST + 1);
        1 + last
    }

    fn head(self) -> usize {
        // Most are codes of one byte or tags of two.
        let over = |first: usize| self.0.wrapping_sub(FIRST[first]);
        let near = |first: usize, over: u32| first + usize::try_from(over).expect("a first digit is a digit");
        if over(CODES_HIGH) < 24 {
            near(CODES_HIGH, over(CODES_HIGH))
        } else if over(3) < 23 {
            near(3, over(3))
        } else if over(34) < 11 * LAST {
            near(34, over(34) / LAST)
        } else {
            FIRST.partition_point(|&first| first <= self.0) - 1
        }
    }
}

fn symbol(digit: u32) -> u8 {
    alphabet::symbol(u8::try_from(digit).expect("digits are below 92"))
}

/// Where between two ends a code is taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Lean {
    Middle,
    /// Nearest to the lower end.
    Low,
    /// Nearest to the upper end.
    High,
}

/// The codes of at most 1, 2, 3 and 4 bytes, counted from the lowest; each range holds the one before.
const CODES_BY_BYTES: [(u32, u32); 4] = {
    let below = [FIRST[3], FIRST[2], FIRST[2] - 46 * THREE, FIRST[1]];
    let above = [FIRST[89], FIRST[90], FIRST[90] + 46 * THREE, FIRST[91]];
    let mut ranges = [(0, 0); 4];
    let mut at = 0;
    while at < 4 {
        ranges[at] = (below[at] - FIRST[CODES_LOW], CODES_BELOW_TAGS + above[at] - FIRST[CODES_HIGH]);
        at += 1;
    }
    ranges
};

/// Returns how many codes are below `token`.
const fn codes_below(token: u32) -> u32 {
    if token < FIRST[CODES_LOW] {
        0
    } else if token < FIRST[UP] {
        token - FIRST[CODES_LOW]
    } else if token < FIRST[CODES_HIGH] {
        CODES_BELOW_TAGS
    } else if token < FIRST[ABOVE] {
        CODES_BELOW_TAGS + token - FIRST[CODES_HIGH]
    } else {
        CODES
    }
}

/// Returns a code in `from..end`, if there is one, and how many bytes it takes; a missing end is open.
///
/// One byte is halved as long as it lasts: that keeps room for inserts in random places. After it an open end is
/// counted one by one, so that a list's length shows in the logarithm only; between two ends it is halved too.
pub(super) fn choose_code(from: Option<Token>, end: Option<Token>, lean: Lean) -> Option<(Token, usize)> {
    let first = from.map_or(0, |Token(token)| codes_below(token));
    let past = end.map_or(CODES, |Token(token)| codes_below(token));
    let in_bytes = |bytes: usize| {
        let (least, most) = CODES_BY_BYTES[bytes - 1];
        let (first, past) = (first.max(least), past.min(most));
        (first < past).then(|| match lean {
            Lean::Middle => first + (past - first) / 2,
            Lean::Low => first,
            Lean::High => past - 1,
        })
    };
    let (code, bytes) = if let Some(code) = in_bytes(1) {
        (code, 1)
    } else if first >= past {
        return None;
    } else {
        match (from, end) {
            (Some(_), None) => (first, 0),
            (None, Some(_)) => (past - 1, 0),
            _ => (2..=4).find_map(|bytes| Some((in_bytes(bytes)?, bytes)))?,
        }
    };
    let token = Token(match code.checked_sub(CODES_BELOW_TAGS) {
        None => FIRST[CODES_LOW] + code,
        Some(above) => FIRST[CODES_HIGH] + above,
    });
    Some((token, if bytes == 0 { token.bytes() } else { bytes }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spelled(token: Token) -> Vec<u8> {
        let mut symbols = [0; 4];
        let bytes = token.spell(&mut symbols);
        symbols[..bytes].to_vec()
    }

    #[test]
    fn spellings_ascend_as_tokens_do_and_are_read_back() {
        let last = FIRST[ABOVE];
        let mut before: Vec<u8> = Vec::new();
        for number in (0..20_000).chain((20_000..last - 20_000).step_by(61)).chain(last - 20_000..=last) {
            let symbols = spelled(Token(number));
            assert_eq!(symbols.len(), Token(number).bytes());
            assert!(before < symbols && (before.is_empty() || !symbols.starts_with(&before)));
            let next = Next { token: Token(number), bytes: symbols.len(), whole: true, ends_early: false };
            assert_eq!(Token::read(&symbols), Some(next));
            before = symbols;
        }
    }

    #[test]
    fn what_spells_no_token_is_just_below_the_one_that_it_reads_as() {
        for text in
            ["#", "#5", "#5!", "#z!", "$", "$!", "=", "=!", ">P", ">P!", "D", "O5!", "`", "a!", "|", "}5", "}zP!"]
        {
            let Some(next) = Token::read(text.as_bytes()) else { panic!("{text} reads as a token") };
            assert!(!next.whole, "{text}");
            assert_eq!(next.bytes, text.len());
            assert_eq!(next.ends_early, next.bytes < next.token.bytes(), "{text}");
            assert!(text.as_bytes() < &spelled(next.token), "{text}");
            assert!(&spelled(Token(next.token.0 - 1))[..] < text.as_bytes(), "{text}");
            let filled = spelled(next.filled());
            assert!(!next.ends_early || filled.starts_with(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn the_kinds_are_as_large_as_the_table_says() {
        assert_eq!(UP_RANGE.1 - UP_RANGE.0, 1 + 91 + 9_919 + 627_900);
        assert_eq!(DOWN_RANGE.1 - DOWN_RANGE.0, 1 + 91 + 9_919 + 627_900);
        assert_eq!(CODES_BELOW_TAGS, 23 + 91 + 4_186 + 385_112);
        assert_eq!(CODES, 47 + 2 * (91 + 4_186 + 385_112));
        assert_eq!(TAG_RANGE.1 - TAG_RANGE.0, 4 + 1_001 + 133_952);
    }
}

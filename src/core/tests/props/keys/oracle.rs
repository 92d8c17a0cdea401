//! The textbook midpoint once more, slowly: with whole numbers of any size instead of digits.

use std::cmp::Ordering;

use betwixt_core::key::{BASE, Gap, Key, digit_of};

/// Decimals enough for the longest key and the digit after it.
const PLACES: usize = betwixt_core::key::KEY_BYTES_MAX + 2;

/// A fraction in units of the last place.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Fraction(Natural);

impl Fraction {
    pub(crate) fn of(key: &Key) -> Self {
        let digits = key.as_bytes().iter().filter_map(|&symbol| digit_of(symbol)).chain(std::iter::repeat(0));
        Self(digits.take(PLACES).fold(Natural::zero(), |sum, digit| sum.times(BASE).plus(digit)))
    }

    /// Returns the fraction cut after `places` places, in units of the last of them.
    fn cut(&self, places: usize) -> Natural {
        (places..PLACES).fold(self.0.clone(), |number, _| number.divide(BASE).0)
    }
}

/// Returns the digits of the textbook midpoint, without a limit on their number.
///
/// At each precision the bounds are cut to it. At the first where they are two or more units apart, the midpoint is
/// half their sum. Where they are first one unit apart, the cut upper bound becomes *the* upper bound.
pub(crate) fn midpoint_digits(gap: Gap<'_>) -> Vec<u8> {
    let low = gap.low().map_or(Fraction(Natural::zero()), Fraction::of);
    let mut high_from = gap.high().is_none().then(|| (0, Natural::zero().plus(1)));
    for places in 1..=PLACES {
        let cut_low = low.cut(places);
        let cut_high = match (&high_from, gap.high()) {
            (Some((from, high)), _) => (*from..places).fold(high.clone(), |number, _| number.times(BASE)),
            (None, high) => Fraction::of(high.expect("an open end has its bound")).cut(places),
        };
        if cut_low.plus(1) < cut_high {
            let (mut middle, _) = cut_low.sum(&cut_high).divide(2);
            let mut digits = Vec::new();
            for _ in 0..places {
                let (rest, digit) = middle.divide(BASE);
                digits.push(digit);
                middle = rest;
            }
            digits.reverse();
            return digits;
        }
        if high_from.is_none() && cut_low < cut_high {
            high_from = Some((places, cut_high));
        }
    }
    Vec::new()
}

/// A whole number of any size, as bytes, the lowest first; the highest is not 0.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Natural(Vec<u8>);

impl Natural {
    fn zero() -> Self {
        Self(Vec::new())
    }

    fn times(&self, factor: u8) -> Self {
        Self::carried(self.0.iter().map(|&byte| u16::from(byte) * u16::from(factor)))
    }

    fn plus(&self, addend: u8) -> Self {
        self.sum(&Self(vec![addend]))
    }

    fn sum(&self, other: &Self) -> Self {
        let byte = |number: &Self, at| number.0.get(at).copied().map_or(0, u16::from);
        Self::carried((0..self.0.len().max(other.0.len())).map(|at| byte(self, at) + byte(other, at)))
    }

    fn carried(columns: impl Iterator<Item = u16>) -> Self {
        let mut carry = 0;
        let mut bytes = Vec::new();
        for column in columns.chain([0]) {
            let [high, low] = (column + carry).to_be_bytes();
            bytes.push(low);
            carry = u16::from(high);
        }
        Self::trimmed(bytes)
    }

    fn divide(&self, divisor: u8) -> (Self, u8) {
        let mut rest = 0;
        let mut quotient: Vec<u8> = Vec::new();
        for &byte in self.0.iter().rev() {
            let part = u16::from_be_bytes([rest, byte]);
            quotient.push(u8::try_from(part / u16::from(divisor)).expect("the rest is below the divisor"));
            rest = u8::try_from(part % u16::from(divisor)).expect("a rest is below the divisor");
        }
        quotient.reverse();
        (Self::trimmed(quotient), rest)
    }

    fn trimmed(mut bytes: Vec<u8>) -> Self {
        while bytes.last() == Some(&0) {
            bytes.pop();
        }
        Self(bytes)
    }
}

impl Ord for Natural {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.len().cmp(&other.0.len()).then_with(|| self.0.iter().rev().cmp(other.0.iter().rev()))
    }
}

impl PartialOrd for Natural {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

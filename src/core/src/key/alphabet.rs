//! The 92 symbols of keys, and the digits that they stand for.

/// How many symbols there are.
pub const BASE: u8 = 92;

/// The symbol of digit 0, in which no key ends.
pub const LOWEST: u8 = b'!';

/// Ascending, so that byte order is numeric order. Printable, so that a key can be shown as it is; without the two
/// that JSON escapes, so that it travels as it is.
const SYMBOLS: &[u8; BASE as usize] =
    b"!#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_`abcdefghijklmnopqrstuvwxyz{|}~";

/// Returns the symbol that stands for `digit`; none for a number that is no digit.
#[must_use]
pub fn symbol_of(digit: u8) -> Option<u8> {
    SYMBOLS.get(usize::from(digit)).copied()
}

/// Returns the digit, 0 to 91, that `symbol` stands for; none for a byte outside the alphabet.
#[must_use]
pub fn digit_of(symbol: u8) -> Option<u8> {
    match symbol {
        b'!' => Some(0),
        b'#'..=b'[' => Some(symbol - b'#' + 1),
        b']'..=b'~' => Some(symbol - b']' + 58),
        _ => None,
    }
}

/// As [`symbol_of`], for what is known to be a digit.
pub(super) fn symbol(digit: u8) -> u8 {
    SYMBOLS[usize::from(digit)]
}

/// The digit of each symbol, and [`BASE`] for what is none.
const DIGITS: [u8; 256] = {
    let mut digits = [BASE; 256];
    let mut digit = 0;
    while digit < BASE {
        digits[SYMBOLS[digit as usize] as usize] = digit;
        digit += 1;
    }
    digits
};

/// As [`digit_of`], for a byte of a key.
pub(super) fn digit(symbol: u8) -> u8 {
    let digit = DIGITS[usize::from(symbol)];
    debug_assert!(digit < BASE, "a key holds symbols only");
    digit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_and_digits_mirror_each_other_in_ascending_order() {
        assert!(SYMBOLS.is_sorted_by(|a, b| a < b));
        for byte in 0..=u8::MAX {
            assert_eq!(symbol_of(byte).is_some(), byte < BASE);
            assert_eq!(symbol_of(byte).and_then(digit_of), symbol_of(byte).map(|_| byte));
            assert_eq!(digit_of(byte), Some(DIGITS[usize::from(byte)]).filter(|&digit| digit < BASE));
            assert_eq!(digit_of(byte).and_then(symbol_of), digit_of(byte).map(|_| byte));
        }
        assert_eq!(symbol_of(0), Some(LOWEST));
    }
}

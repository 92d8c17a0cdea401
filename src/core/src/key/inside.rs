//! A place inside any gap, made of digits, that other keys can be put behind.

use super::{Full, Gap, Spelled, midpoint::digits_inside, token::Token};

/// Returns a key strictly inside `gap` and no beginning of its upper bound, so that whatever is put behind it is inside
/// too. It reads as whole tokens: what is put behind it reads as it does alone, so it names the same site.
///
/// Length: at most 4 bytes more than the longer bound.
///
/// # Errors
/// [`Full`] where the key would be longer than its kind may be.
pub fn inside<K: Spelled>(gap: Gap<'_, K>) -> Result<K, Full> {
    K::spelled(&inside_digits(gap.low().map(Spelled::as_bytes), gap.high().map(Spelled::as_bytes)), &[])
}

/// Returns the symbols of [`inside`], however many they are.
pub(super) fn inside_digits(low: Option<&[u8]>, high: Option<&[u8]>) -> Vec<u8> {
    let mut symbols = digits_inside(low, high);
    let mut at = 0;
    while let Some(next) = symbols.get(at..).and_then(Token::read) {
        if next.ends_early {
            let mut whole = [0; 4];
            let bytes = next.filled().spell(&mut whole);
            symbols.splice(at.., whole[..bytes].iter().copied());
            break;
        }
        at += next.bytes;
    }
    symbols
}

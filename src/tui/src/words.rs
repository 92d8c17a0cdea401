//! Numbers as people read them.

/// A number with its thousands apart: `12,453`.
pub(crate) fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut spelled = String::with_capacity(digits.len() * 4 / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            spelled.push(',');
        }
        spelled.push(digit);
    }
    spelled
}

/// `1 item`, `2 items`.
pub(crate) fn counted(number: usize, one: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {one}{plural}", thousands(number))
}

/// As a number of cells; no screen is wider than what fits.
pub(crate) fn cells(number: usize) -> u16 {
    u16::try_from(number).unwrap_or(u16::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_apart() {
        for (number, spelled) in
            [(0, "0"), (999, "999"), (1_000, "1,000"), (12_453, "12,453"), (1_000_000, "1,000,000")]
        {
            assert_eq!(thousands(number), spelled);
        }
    }
}

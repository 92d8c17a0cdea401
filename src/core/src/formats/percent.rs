//! Words without white space: what a word may not hold is spelled by its bytes, `%20`.

use std::fmt::Write as _;

/// The word for `text`: characters that are not `plain`, and `%`, are spelled out.
pub(super) fn encode(text: &str, plain: impl Fn(char) -> bool) -> String {
    let mut word = String::with_capacity(text.len());
    for c in text.chars() {
        if c != '%' && plain(c) {
            word.push(c);
        } else {
            for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                let _ = write!(word, "%{byte:02X}");
            }
        }
    }
    word
}

/// The text that [`encode`] made this word of, with the same `plain`.
pub(super) fn decode(word: &str, plain: impl Fn(char) -> bool) -> Option<String> {
    let mut bytes = Vec::with_capacity(word.len());
    let mut rest = word;
    while let Some(c) = rest.chars().next() {
        let coded = rest.strip_prefix('%').map(|after| after.get(..2));
        let taken = if let Some(digits) = coded {
            bytes.push(u8::from_str_radix(digits?, 16).ok()?);
            3
        } else {
            bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            c.len_utf8()
        };
        rest = rest.get(taken..)?;
    }
    let text = String::from_utf8(bytes).ok()?;
    // Each text has one spelling, so that a word which only looks like ours is left as it is.
    (encode(&text, plain) == word).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_read_back_and_others_are_left_alone() {
        let plain = |c: char| c.is_alphanumeric();
        for text in ["", "ana", "two words", "a\nb%", "é ü", "100%25"] {
            let word = encode(text, plain);
            assert!(!word.contains(char::is_whitespace), "{word}");
            assert_eq!(decode(&word, plain).as_deref(), Some(text));
        }
        for other in ["%", "%4", "%zz", "%+1", "%61", "a b", "%ff", "%c3%a9"] {
            assert_eq!(decode(other, plain), None, "{other}");
        }
    }
}

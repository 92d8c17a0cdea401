//! What a program writes to a terminal, and whether it drives that terminal in any way that it should not.

use std::collections::BTreeSet;

/// Modes that the screen switches on and off: cursor, wrapping, alternate screen, bracketed paste, synchronised update.
const MODES: [&str; 5] = ["?25", "?7", "?1049", "?2004", "?2026"];

/// All that a stream does to a terminal but print, draw in colour, erase, move the cursor and use the screen's own modes.
///
/// One sentence for each kind of thing; none for a stream that is as it should be. A title, a clipboard, a question, a
/// string of any kind, an 8-bit control and a control other than CR, LF, TAB and backspace are all found.
#[must_use]
pub fn misuse(stream: &[u8]) -> BTreeSet<String> {
    let text = String::from_utf8_lossy(stream);
    let mut found = BTreeSet::new();
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\r' | '\n' | '\t' | '\x08' => {}
            '\x1b' if rest.next_if_eq(&'[').is_some() => {
                let mut parameters = String::new();
                while let Some(next) = rest.next_if(|c| matches!(c, ' '..='?')) {
                    parameters.push(next);
                }
                let last = rest.next().unwrap_or_default();
                if !is_drawing(&parameters, last) {
                    found.insert(format!("CSI {parameters:?} {last:?}"));
                }
            }
            '\x1b' => {
                found.insert(format!("ESC {:?}", rest.peek().copied().unwrap_or_default()));
            }
            c if c.is_control() => {
                found.insert(format!("control {c:?}"));
            }
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' | '\u{61c}' => {
                found.insert(format!("reordering {c:?}"));
            }
            _ => {}
        }
    }
    found
}

fn is_drawing(parameters: &str, last: char) -> bool {
    let numbers = parameters.chars().all(|c| c.is_ascii_digit() || matches!(c, ';' | ':'));
    match last {
        'm' | 'H' | 'J' | 'K' | 'A'..='D' => numbers,
        'h' | 'l' => MODES.contains(&parameters),
        'q' => parameters.strip_suffix(' ').is_some_and(|style| style.chars().all(|c| c.is_ascii_digit())),
        _ => false,
    }
}

/// Whether a stream that may go to a pipe or a file has nothing for a terminal in it: lines of text alone.
#[must_use]
pub fn is_plain(stream: &[u8]) -> bool {
    misuse(stream).is_empty() && !stream.contains(&0x1b) && !stream.contains(&b'\r') && !stream.contains(&8)
}

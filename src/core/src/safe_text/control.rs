//! Control characters: what they show as, and where they may not stand.

use std::borrow::Cow;

use super::Kind;

/// Returns the first character that no text of this kind may hold, or `None` if a relay may take the text.
///
/// Forbidden are C0 controls but TAB, and but LF in a note; DEL; and C1 controls. Whatever else a text holds is a
/// matter of showing it, which [`SafeText`](super::SafeText) does.
#[must_use]
pub fn find_forbidden(text: &str, kind: Kind) -> Option<char> {
    text.chars().find(|&c| is_forbidden(c, kind))
}

/// Returns the text with each forbidden control made visible, and whether there was one.
///
/// For text from a file, a paste or an argument, before it goes into an op: then [`find_forbidden`] finds nothing. Check
/// the limit on a text's length after this, for it may grow. Calling it twice is harmless.
///
/// C0 and DEL become their pictures in the U+2400 block. C1 has no pictures there, so it becomes its number, `\x9b`:
/// the writer then sees what every reader sees, and which control it was is not lost, as it would be in U+FFFD. CR LF in
/// a note becomes LF, which does not count as making a control visible: it is how some systems end a line.
#[must_use]
pub fn visible_controls(text: &str, kind: Kind) -> (Cow<'_, str>, bool) {
    if find_forbidden(text, kind).is_none() {
        return (Cow::Borrowed(text), false);
    }
    let mut visible = String::with_capacity(text.len());
    let mut any_shown = false;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c == '\r' && kind == Kind::Note && chars.peek() == Some(&'\n') {
            continue;
        }
        if is_forbidden(c, kind) {
            visible.push_str(&picture(c));
            any_shown = true;
        } else {
            visible.push(c);
        }
    }
    (Cow::Owned(visible), any_shown)
}

/// Returns what shows the control character `control`.
pub(super) fn picture(control: char) -> String {
    const PICTURE_OF_NUL: u32 = 0x2400;
    let number = u32::from(control);
    match control {
        '\0'..='\x1f' => char::from_u32(PICTURE_OF_NUL + number).into_iter().collect(),
        '\x7f' => "␡".to_owned(),
        _ => format!("\\x{number:02x}"),
    }
}

fn is_forbidden(c: char, kind: Kind) -> bool {
    match c {
        '\t' => false,
        '\n' => kind == Kind::Line,
        _ => c.is_control(),
    }
}

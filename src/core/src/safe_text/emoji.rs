//! Emoji that are written as several characters.

use unicode_properties::UnicodeEmoji;
use unicode_properties::emoji::EmojiStatus;

use super::class::ZWJ;

const VARIATION_SELECTOR_16: char = '\u{FE0F}';
const BLACK_FLAG: char = '🏴';

/// The flags of England, Scotland and Wales: the only tag sequences for general interchange. Any other one may spell
/// a hidden message.
const FLAG_TAGS: [&str; 3] = [
    "\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}",
    "\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}",
    "\u{E0067}\u{E0062}\u{E0077}\u{E006C}\u{E0073}\u{E007F}",
];

/// As many as the longest sequences for general interchange join: a family of four, two people with a heart and a kiss.
const JOINED_MAX: usize = 4;

/// Returns what stands after the emoji sequence at the start of `text`, or `None` if there is none.
///
/// A sequence is a keycap, a pair of regional indicators, a flag by tags, or emoji with a variation selector or a skin
/// tone, joined by ZWJ. An emoji of one character is none: it needs no exception. At most 41 bytes long.
///
/// Source: UTS 51, ED-14c to ED-16, without the lists of which sequences have a picture.
pub(super) fn strip_sequence(text: &str) -> Option<&str> {
    let mut chars = text.chars();
    let first = chars.next()?;
    let rest = chars.as_str();
    match first {
        '0'..='9' | '#' | '*' => rest.strip_prefix("\u{FE0F}\u{20E3}"),
        // What has no emoji, and is most of every text, is told at once.
        '\0'..='\u{A8}' => None,
        '\u{1F1E6}'..='\u{1F1FF}' => rest.strip_prefix(|c| matches!(c, '\u{1F1E6}'..='\u{1F1FF}')),
        BLACK_FLAG => FLAG_TAGS.iter().find_map(|tags| rest.strip_prefix(tags)).or_else(|| strip_joined(text, rest)),
        _ => strip_joined(text, rest),
    }
}

/// `rest` is `text` without its first character.
fn strip_joined<'a>(text: &'a str, rest: &'a str) -> Option<&'a str> {
    let mut end = strip_element(text)?;
    for _ in 1..JOINED_MAX {
        let Some(next) = end.strip_prefix(ZWJ).and_then(strip_element) else { break };
        end = next;
    }
    (end.len() < rest.len()).then_some(end)
}

/// Strips one emoji with what may belong to it.
fn strip_element(text: &str) -> Option<&str> {
    let mut chars = text.chars();
    let emoji = chars.next()?;
    let rest = chars.as_str();
    let takes_skin_tone = match emoji.emoji_status() {
        EmojiStatus::EmojiModifierBase | EmojiStatus::EmojiPresentationAndModifierBase => true,
        EmojiStatus::EmojiPresentation | EmojiStatus::EmojiOther => false,
        _ => return None,
    };
    let toned = rest.strip_prefix(|c| takes_skin_tone && matches!(c, '\u{1F3FB}'..='\u{1F3FF}'));
    Some(toned.or_else(|| rest.strip_prefix(VARIATION_SELECTOR_16)).unwrap_or(rest))
}

//! Classes of characters, by what a terminal does with them.

use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

/// Zero width non-joiner.
pub(super) const ZWNJ: char = '\u{200C}';
/// Zero width joiner.
pub(super) const ZWJ: char = '\u{200D}';

/// What a character by itself does to the cells of a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// Takes cells of its own.
    Plain,
    /// Is drawn on the character before it.
    Mark,
    /// Is seen only by how the letters beside it look.
    Joiner,
    /// Is not seen at all.
    Invisible,
    /// Reorders what stands around it; the name is Unicode's.
    Bidi(&'static str),
    /// Steers the terminal.
    Control,
    /// Ends a line.
    LineBreak,
    /// Half a flag: joins its like in the next cell.
    RegionalIndicator,
    /// Nobody can know what it looks like.
    Unknown,
}

impl Class {
    pub(super) fn of(c: char) -> Self {
        match c {
            ' '..='~' => Self::Plain,
            '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}' => Self::LineBreak,
            _ if c.is_control() => Self::Control,
            ZWNJ | ZWJ => Self::Joiner,
            '\u{1F1E6}'..='\u{1F1FF}' => Self::RegionalIndicator,
            // A skin tone on nothing that has skin, and the half-width voicing marks, join a grapheme like a mark.
            '\u{1F3FB}'..='\u{1F3FF}' | '\u{FF9E}' | '\u{FF9F}' => Self::Mark,
            _ => match bidi_name(c) {
                Some(name) => Self::Bidi(name),
                None if is_named_invisible(c) => Self::Invisible,
                None => Self::of_category(c),
            },
        }
    }

    fn of_category(c: char) -> Self {
        match c.general_category() {
            GeneralCategory::Format if !is_prepended_sign(c) => Self::Invisible,
            GeneralCategory::NonspacingMark | GeneralCategory::SpacingMark | GeneralCategory::EnclosingMark => {
                Self::Mark
            }
            GeneralCategory::PrivateUse | GeneralCategory::Unassigned | GeneralCategory::Surrogate => Self::Unknown,
            _ => Self::Plain,
        }
    }
}

fn bidi_name(c: char) -> Option<&'static str> {
    Some(match c {
        '\u{061C}' => "ALM",
        '\u{200E}' => "LRM",
        '\u{200F}' => "RLM",
        '\u{202A}' => "LRE",
        '\u{202B}' => "RLE",
        '\u{202C}' => "PDF",
        '\u{202D}' => "LRO",
        '\u{202E}' => "RLO",
        '\u{2066}' => "LRI",
        '\u{2067}' => "RLI",
        '\u{2068}' => "FSI",
        '\u{2069}' => "PDI",
        _ => return None,
    })
}

/// The invisible characters that are not in the category of format controls, and the blocks kept for more of them.
///
/// Source: Unicode, `Default_Ignorable_Code_Point`, and U+FFF0-FFFB whole.
fn is_named_invisible(c: char) -> bool {
    matches!(c,
        '\u{034F}'
        | '\u{115F}'..='\u{1160}'
        | '\u{17B4}'..='\u{17B5}'
        | '\u{180B}'..='\u{180F}'
        | '\u{2060}'..='\u{206F}'
        | '\u{3164}'
        | '\u{FE00}'..='\u{FE0F}'
        | '\u{FFA0}'
        | '\u{FFF0}'..='\u{FFFB}'
        | '\u{E0000}'..='\u{E0FFF}')
}

/// Format controls by category, yet drawn: they enclose the digits after them.
///
/// Source: Unicode, `Prepended_Concatenation_Mark`.
fn is_prepended_sign(c: char) -> bool {
    matches!(c,
        '\u{0600}'..='\u{0605}'
        | '\u{06DD}'
        | '\u{070F}'
        | '\u{0890}'..='\u{0891}'
        | '\u{08E2}'
        | '\u{110BD}'
        | '\u{110CD}')
}

/// Whether a joiner beside this letter or mark changes how a word reads: Arabic, Syriac, and the scripts of India,
/// Myanmar and Cambodia.
pub(super) fn is_shaped_by_joiners(c: char) -> bool {
    let script = matches!(c,
        '\u{0600}'..='\u{077F}'
        | '\u{0870}'..='\u{08FF}'
        | '\u{0900}'..='\u{0DFF}'
        | '\u{1000}'..='\u{109F}'
        | '\u{1780}'..='\u{17FF}'
        | '\u{1CD0}'..='\u{1CFF}'
        | '\u{A8E0}'..='\u{A8FF}');
    script
        && matches!(c.general_category_group(), GeneralCategoryGroup::Letter | GeneralCategoryGroup::Mark)
        && matches!(Class::of(c), Class::Plain | Class::Mark)
}

/// Whether this sign takes the vowel from the consonant before it. A joiner after it is text even at a word's end, as in
/// the older spelling of Malayalam.
///
/// Source: Unicode, `Indic_Syllabic_Category=Virama` within the blocks of [`is_shaped_by_joiners`]; RFC 5892, A.1.
pub(super) fn is_virama(c: char) -> bool {
    matches!(
        c,
        '\u{094D}'
            | '\u{09CD}'
            | '\u{0A4D}'
            | '\u{0ACD}'
            | '\u{0B4D}'
            | '\u{0BCD}'
            | '\u{0C4D}'
            | '\u{0CCD}'
            | '\u{0D4D}'
            | '\u{0DCA}'
    )
}

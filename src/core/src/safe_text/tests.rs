//! The policy by example, and as laws over any string.

use std::borrow::Cow;

use proptest::prelude::*;
use unicode_segmentation::UnicodeSegmentation;

use super::class::{Class, is_shaped_by_joiners, is_virama};
use super::hostile::HOSTILE;
use super::{Kind, SafeText, emoji, find_forbidden, visible_controls};

#[track_caller]
fn check_line(raw: &str, expected: &str) {
    assert_eq!(SafeText::line(raw).as_str(), expected, "{raw:?}");
    check_safe(raw);
}

#[track_caller]
fn check_kept(raw: &str) {
    check_line(raw, raw);
}

/// The laws that hold for the safe text of any string.
#[track_caller]
fn check_safe(raw: &str) {
    check_laws(raw, &SafeText::line(raw), Kind::Line);
    let note = SafeText::note(raw);
    check_laws(raw, &note, Kind::Note);
    for line in note.as_str().lines() {
        assert_eq!(SafeText::line(line).as_str(), line, "a line of the note of {raw:?}");
    }
}

#[track_caller]
fn check_laws(raw: &str, safe: &SafeText, kind: Kind) {
    let text = safe.as_str();
    assert_eq!(&SafeText::sanitized(text, kind), safe, "not idempotent for {raw:?}");
    check_characters(text, kind);
    let mut width = 0;
    for (grapheme, cells) in safe.graphemes() {
        assert!(grapheme.len() <= 64, "{} bytes in one grapheme of {text:?}", grapheme.len());
        assert_eq!(cells == 0, grapheme == "\n", "{cells} cells for {grapheme:?} of {text:?}");
        width += cells;
    }
    assert_eq!(safe.width(), width, "{text:?}");
    for cells_max in [0, 1, 2, 3, 7, width.saturating_sub(1), width, width + 1] {
        check_truncated(safe, cells_max, kind);
    }
}

/// Walks the text again, allowing an invisible character only where the policy does.
#[track_caller]
fn check_characters(text: &str, kind: Kind) {
    let mut rest = text;
    let mut last = None;
    let mut marks = 0;
    loop {
        if let Some(after) = emoji::strip_sequence(rest) {
            (rest, last, marks) = (after, rest.chars().next(), 0);
            continue;
        }
        let mut chars = rest.chars();
        let Some(c) = chars.next() else { return };
        rest = chars.as_str();
        match Class::of(c) {
            Class::Plain => marks = 0,
            Class::Mark => {
                marks += 1;
                assert!(marks <= 4, "{marks} marks on one character of {text:?}");
                assert!(last.is_some_and(|last| last != '\n'), "{c:?} on nothing in {text:?}");
            }
            Class::Joiner => {
                let next_is_shaped = rest.chars().next().is_some_and(is_shaped_by_joiners);
                let stands_in_word = |last| is_virama(last) || (is_shaped_by_joiners(last) && next_is_shaped);
                assert!(last.is_some_and(stands_in_word), "stray {c:?} in {text:?}");
            }
            Class::LineBreak if c == '\n' && kind == Kind::Note => marks = 0,
            class => panic!("{class:?} {c:?} in {text:?}"),
        }
        last = Some(c);
    }
}

#[track_caller]
fn check_truncated(safe: &SafeText, cells_max: usize, kind: Kind) {
    let cut = safe.truncate(cells_max);
    assert!(cut.width() <= cells_max, "{safe:?} takes {} of {cells_max} cells", cut.width());
    assert_eq!(SafeText::sanitized(cut.as_str(), kind), cut, "{safe:?} in {cells_max} cells");
    let was_cut = safe.width() > cells_max;
    assert_eq!(&cut == safe, !was_cut);
    assert_eq!(was_cut && cells_max > 0, was_cut && cut.as_str().ends_with('…'));
}

#[test]
fn controls_show_as_pictures_or_numbers() {
    check_line("a\x1b[31m red", "a␛[31m red");
    check_line("\x1b]52;c;cHduZWQ=\x07", "␛]52;c;cHduZWQ=␇");
    check_line("a\0\x08\x1f\x7f", "a␀␈␟␡");
    check_line("\u{9b}31m\u{80}\u{9f}", r"\x9b31m\x80\x9f");
    check_line("a\tb", "a b");
}

#[test]
fn line_breaks_show_in_a_line_and_only_lf_breaks_a_note() {
    let raw = "a\nb\r\nc\rd\u{85}e\u{2028}f\u{2029}g\th";
    check_line(raw, "a⏎b⏎c⏎d⏎e⏎f⏎g h");
    assert_eq!(SafeText::note(raw).as_str(), "a\nb\nc⏎d⏎e⏎f⏎g h");
    assert_eq!(SafeText::note("a\n\u{301}b").as_str(), "a\n◌\u{301}b");
    assert_eq!(SafeText::note("ab\ncd").width(), 4);
}

#[test]
fn reordering_shows_by_name() {
    check_line("a\u{202E}b\u{202C}", "a‹RLO›b‹PDF›");
    check_line("\u{2066}\u{2067}\u{2068}\u{2069}", "‹LRI›‹RLI›‹FSI›‹PDI›");
    check_line("\u{200E}\u{200F}\u{061C}", "‹LRM›‹RLM›‹ALM›");
    check_line("\u{202A}\u{202B}\u{202D}", "‹LRE›‹RLE›‹LRO›");
}

#[test]
fn a_run_of_invisibles_leaves_one_marker() {
    check_line("a\u{200B}\u{FEFF}\u{2060}b", "a·b");
    check_line("soft\u{AD}hyphen", "soft·hyphen");
    check_line("a\u{E0001}\u{E0070}\u{E007F}b\u{E0100}", "a·b·");
    check_line("\u{115F}\u{1160}a\u{3164}b\u{FFA0}", "·a·b·");
    check_line("a\u{FE00}b\u{FE0F}c\u{FE0E}", "a·b·c·");
    check_line("a\u{034F}\u{301}", "a·\u{301}");
    check_line("\u{1BCA0}\u{FFF9}\u{FFF0}\u{17B4}\u{180E}", "·");
    // Its own kind of dot is left alone.
    check_kept("col·lega");
}

#[test]
fn joiners_stay_inside_words_of_scripts_that_need_them() {
    // Persian "I want", Sanskrit "ksha" kept apart, Sinhala "Sri", Bengali ya-phalaa, an old Malayalam chillu.
    for word in ["می\u{200C}خواهم", "क्\u{200D}ष", "ශ්\u{200D}රී", "র\u{200D}্য", "ന്\u{200D} x"]
    {
        check_kept(word);
    }
    check_line("a\u{200D}b\u{200C}c", "a·b·c");
    check_line("ب\u{200D}\u{200D}ب", "ب·ب");
    check_line("ب\u{200C}b", "ب·b");
    check_line("\u{200C}ب\u{200C}", "·ب·");
    // The mark after the joiner is one too many.
    check_line("क\u{901}\u{902}\u{903}\u{93C}\u{200D}\u{93E}", "क\u{901}\u{902}\u{903}\u{93C}·");
}

#[test]
fn emoji_sequences_stay_whole() {
    for sequence in [
        "👨\u{200D}👩\u{200D}👧\u{200D}👦",
        "👩🏻\u{200D}❤\u{FE0F}\u{200D}💋\u{200D}👩🏿",
        "🏳\u{FE0F}\u{200D}🌈",
        "🇩🇪🇫🇷",
        "🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}",
        "🏴\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}",
        "🏴\u{E0067}\u{E0062}\u{E0077}\u{E006C}\u{E0073}\u{E007F}",
        "🏴\u{200D}☠\u{FE0F}",
        "1\u{FE0F}\u{20E3}#\u{FE0F}\u{20E3}",
        "❤\u{FE0F}©\u{FE0F}",
        "👍🏽👋🏿",
        "👩🏽\u{200D}💻",
        "🦀✔",
    ] {
        check_kept(sequence);
    }
}

#[test]
fn broken_emoji_sequences_show_their_parts() {
    check_line("👩\u{200D}", "👩·");
    check_line("👩\u{200D}a", "👩·a");
    check_line("👩\u{200D}\u{200D}👩", "👩·👩");
    check_line("🦀🏻\u{200D}💻", "🦀🏻·💻");
    check_line("1\u{FE0F}", "1·");
    check_line("🏴\u{E0070}\u{E0077}\u{E007F}", "🏴·");
    check_line("🇩", "🄳");
    check_line("🇩🇪🇦🇿🇿", "🇩🇪🇦🇿🅉");
    check_line("🇩\u{301}🇪", "🄳\u{301}🄴");
    check_line("👩\u{200D}👩\u{200D}👩\u{200D}👩\u{200D}👩", "👩\u{200D}👩\u{200D}👩\u{200D}👩·👩");
}

#[test]
fn marks_are_at_most_four_and_never_without_a_base() {
    check_kept("e\u{301}a\u{310}\u{311}\u{312}\u{313}");
    check_line("a\u{310}\u{311}\u{312}\u{313}\u{314}\u{315}\u{200B}\u{316}b", "a\u{310}\u{311}\u{312}\u{313}·b");
    check_line("\u{301}a", "◌\u{301}a");
    check_line("\u{1F3FF}a", "◌\u{1F3FF}a");
    // A long conjunct has its marks on several letters.
    check_kept("कार्त्स्न्य");
    // Signs that enclose the digits after them are format controls by category only.
    check_kept("\u{600}1\u{6DD}2\u{110BD}3");
    check_kept("ñandú Việt ไม้ שָׁלוֹם 日本語 한국어");
}

#[test]
fn what_nobody_can_know_becomes_a_replacement() {
    check_line("\u{E000}\u{F8FF}\u{10FFFD}", "\u{FFFD}\u{FFFD}\u{FFFD}");
    check_line("\u{FFFE}\u{FDD0}\u{10FFFF}\u{0378}", "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}");
    check_line("\u{1161}a\u{11A8}\u{0605}", "\u{FFFD}a\u{FFFD}\u{FFFD}");
    check_line(&format!("a{}b", "ᄀ".repeat(22)), "a\u{FFFD}b");
    check_line(&format!("a{}b", "ᄀ".repeat(21)), &format!("a{}b", "ᄀ".repeat(21)));
    // The joiner before what is blotted loses the letter that it joined to.
    check_line(&format!("क\u{200C}{}क", "क्".repeat(20)), "क·\u{FFFD}");
}

#[test]
fn width_is_of_what_is_drawn() {
    for (raw, cells) in [
        ("", 0),
        ("abc", 3),
        ("\x1b[m", 3),
        ("日本", 4),
        ("e\u{301}", 1),
        ("👨\u{200D}👩\u{200D}👧", 2),
        ("🇩🇪", 2),
        ("1\u{FE0F}\u{20E3}", 2),
        ("\u{202E}", 5),
    ] {
        assert_eq!(SafeText::line(raw).width(), cells, "{raw:?}");
    }
}

#[test]
fn truncating_cuts_between_graphemes() {
    for (raw, cells_max, expected) in [
        ("abc", 3, "abc"),
        ("abcd", 3, "ab…"),
        ("abcd", 1, "…"),
        ("abcd", 0, ""),
        ("日本語", 4, "日…"),
        ("日本語", 5, "日本…"),
        ("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…"),
        ("👨\u{200D}👩\u{200D}👧x", 2, "…"),
        ("می\u{200C}خواهم", 3, "می…"),
    ] {
        assert_eq!(SafeText::line(raw).truncate(cells_max).as_str(), expected, "{raw:?} in {cells_max}");
    }
}

/// The characters that must not be seen raw, written down apart from the classes that the policy uses.
fn is_banned(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}'..='\u{1160}' | '\u{17B4}'..='\u{17B5}' | '\u{180B}'..='\u{180F}'
            | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{3164}'
            | '\u{E000}'..='\u{F8FF}' | '\u{FDD0}'..='\u{FDEF}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFA0}'
            | '\u{FFF0}'..='\u{FFFB}' | '\u{FFFE}'..='\u{FFFF}' | '\u{1D173}'..='\u{1D17A}' | '\u{1F1E6}'..='\u{1F1FF}'
            | '\u{E0000}'..='\u{10FFFF}')
}

#[test]
fn no_banned_character_passes_alone_or_between_letters() {
    for c in '\0'..=char::MAX {
        for raw in [format!("{c}"), format!("a{c}b")] {
            let safe = SafeText::line(&raw);
            assert!(!safe.as_str().contains(is_banned), "{c:?} passes as {safe:?}");
            assert_eq!(SafeText::line(safe.as_str()), safe, "{c:?}");
            assert!(safe.graphemes().all(|(_, cells)| cells > 0), "{c:?} has no cells");
        }
    }
}

#[test]
fn text_without_need_of_change_is_kept() {
    check_kept("Buy milk, 2 l (~3 €) - \\o/");
    assert_eq!(SafeText::line("").as_str(), SafeText::default().as_str());
    assert_eq!(SafeText::line("a\u{7f}").to_string(), "a␡");
}

#[test]
fn hostile_strings_become_safe() {
    assert!(HOSTILE.len() >= 60, "{}", HOSTILE.len());
    for raw in HOSTILE {
        assert_ne!(SafeText::line(raw).as_str(), *raw, "is no attack");
        check_safe(raw);
    }
}

#[test]
fn a_client_makes_controls_visible_and_keeps_the_rest() {
    for (raw, kind, expected, any_shown) in [
        ("a\tb", Kind::Line, "a\tb", false),
        ("a\nb\rc", Kind::Line, "a␊b␍c", true),
        ("a\nb\rc", Kind::Note, "a\nb␍c", true),
        ("a\r\nb", Kind::Note, "a\nb", false),
        ("a\r\nb", Kind::Line, "a␍␊b", true),
        ("\x1b[31m\x7f\0", Kind::Note, "␛[31m␡␀", true),
        ("\u{9b}31m\u{85}", Kind::Line, r"\x9b31m\x85", true),
        ("\u{202E}\u{200B}\u{2028}é", Kind::Line, "\u{202E}\u{200B}\u{2028}é", false),
    ] {
        assert_eq!(visible_controls(raw, kind), (Cow::Borrowed(expected), any_shown), "{raw:?} as {kind:?}");
    }
}

#[test]
fn a_relay_finds_the_controls_that_no_client_sends() {
    for (text, kind, expected) in [
        ("a\tb é \u{202E}", Kind::Line, None),
        ("a\nb", Kind::Note, None),
        ("a\nb", Kind::Line, Some('\n')),
        ("a\rb", Kind::Note, Some('\r')),
        ("a\x1b\x07", Kind::Note, Some('\x1b')),
        ("\x7f", Kind::Line, Some('\x7f')),
        ("\u{85}", Kind::Note, Some('\u{85}')),
        ("\u{a0}", Kind::Line, None),
    ] {
        assert_eq!(find_forbidden(text, kind), expected, "{text:?} as {kind:?}");
    }
}

fn cases() -> ProptestConfig {
    let cases = std::env::var("BETWIXT_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(256);
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

/// Pieces that mean something only by what stands beside them.
fn piece() -> impl Strategy<Value = String> {
    const PIECES: &[&str] = &[
        "a",
        " ",
        "1",
        "#",
        "·",
        "◌",
        "\u{FFFD}",
        "\n",
        "\r",
        "\r\n",
        "\t",
        "\x1b",
        "\u{9b}",
        "\u{200B}",
        "\u{200C}",
        "\u{200D}",
        "\u{FE0F}",
        "\u{FE0E}",
        "\u{20E3}",
        "\u{301}",
        "\u{489}",
        "\u{34F}",
        "\u{1F3FB}",
        "👩",
        "❤",
        "🏴",
        "🏳",
        "\u{E0067}",
        "\u{E007F}",
        "🇩",
        "🇪",
        "\u{202E}",
        "\u{61C}",
        "ب",
        "لا",
        "\u{64B}",
        "\u{600}",
        "\u{605}",
        "क",
        "\u{94D}",
        "\u{93F}",
        "\u{903}",
        "\u{D4E}",
        "\u{110BD}",
        "ᄀ",
        "\u{1161}",
        "\u{11A8}",
        "가",
        "각",
        "ｶ",
        "\u{FF9E}",
        "日",
        "\u{E000}",
        "\u{FFFF}",
        "\u{2D7F}",
        "ⵏ",
        "\u{1A15}",
        "\u{1A17}",
        "\u{1A10}",
        "\u{17D2}",
        "\u{1780}",
        "\u{16D67}",
        "\u{16D63}",
        "\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}",
    ];
    prop_oneof![
        6 => prop::sample::select(PIECES).prop_map(str::to_owned),
        1 => (prop::sample::select(PIECES), 2..30_usize).prop_map(|(piece, times)| piece.repeat(times)),
        1 => prop::sample::select(HOSTILE).prop_map(str::to_owned),
        2 => any::<char>().prop_map(String::from),
    ]
}

fn raw() -> impl Strategy<Value = String> {
    prop::collection::vec(piece(), 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn any_text_becomes_safe(raw in raw()) {
        check_safe(&raw);
    }

    #[test]
    fn what_a_client_sends_a_relay_takes(raw in raw()) {
        for kind in [Kind::Line, Kind::Note] {
            let (sent, any_shown) = visible_controls(&raw, kind);
            prop_assert_eq!(find_forbidden(&sent, kind), None);
            prop_assert_eq!(visible_controls(&sent, kind), (Cow::Borrowed(&*sent), false));
            prop_assert!(any_shown || sent == raw.replace("\r\n", "\n"));
        }
    }

    #[test]
    fn characters_come_in_the_same_order(raw in raw()) {
        let kept: Vec<_> = SafeText::line(&raw).as_str().chars().filter(|c| raw.contains(*c)).collect();
        let mut rest = raw.chars();
        // A replacement may also be in the raw text, where it need not be in step.
        for c in kept.into_iter().filter(|c| !is_replacement(*c)) {
            prop_assert!(rest.any(|other| other == c), "{:?}", raw);
        }
    }
}

fn is_replacement(c: char) -> bool {
    matches!(c, '·' | '◌' | '⏎' | '‹' | '›' | '\u{FFFD}' | '\u{2400}'..='\u{2421}' | '\u{1F130}'..='\u{1F149}')
        || c.is_ascii()
}

#[test]
fn graphemes_concatenate_to_the_text() {
    for raw in HOSTILE {
        let safe = SafeText::line(raw);
        assert_eq!(safe.graphemes().map(|(grapheme, _)| grapheme).collect::<String>(), safe.as_str());
        assert_eq!(safe.graphemes().count(), safe.as_str().graphemes(true).count());
    }
}

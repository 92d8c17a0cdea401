//! What a list's file says is what the list says; and lines that nobody edited are written as they were read.

use std::path::Path;

use betwixt_core::formats::{Draft, Format, Imported, export, import};
use betwixt_core::limits::TAGS_MAX;
use betwixt_core::register::Date;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use smol_str::SmolStr;

/// Pieces that mean something in one of the formats.
const PIECES: [&str; 60] = [
    "a",
    "word",
    "é",
    "日本",
    "עברית",
    " ",
    "  ",
    "\t",
    "x ",
    "X",
    "(A) ",
    "(B)",
    "(J) ",
    "2016-02-21 ",
    "2016-02-30",
    "due:2026-11-30",
    "due:",
    "@home",
    "+garden",
    "@",
    "+",
    "tag:a%20b",
    "who:ana",
    "depth:2",
    "note:a%0Ab",
    "rec:1d",
    "{",
    "}",
    "{}",
    "{#a}",
    " {} ",
    "{!2}",
    "#",
    "%",
    "%20",
    "\\",
    "`",
    "```",
    "*",
    "**",
    "_",
    "[",
    "]",
    "[ ] ",
    "[x]",
    "- ",
    "1. ",
    "> ",
    "<",
    "<br>",
    "<!--",
    "-->",
    "&amp;",
    "&",
    "](b)",
    "[a]: b",
    "!",
    "|",
    "\u{a0}",
    "\u{2028}",
];

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => vec(select(&PIECES[..]), 0..8).prop_map(|pieces| pieces.concat()),
        1 => "[a-z ]{1,20}",
        1 => "[\\PC\t]{0,40}",
    ]
}

/// Words that are no marks of todo.txt.
fn plain_text() -> impl Strategy<Value = String> {
    let word = prop_oneof!["[a-zA-Z0-9.,{}#%*()-]{1,8}", "[\\PC&&[^@+:\\s]]{1,8}"];
    (vec(word, 1..6), select(&["", "x ", "(A) ", " ", "2016-02-21 ", "2016-02-21 (A) "][..]))
        .prop_map(|(words, head)| format!("{head}{}", words.join(" ")))
        .prop_filter("not blank", |text| !text.trim().is_empty())
}

fn any_note() -> impl Strategy<Value = String> {
    let line = prop_oneof![any_text(), "[a-z][a-z ]{0,20}", Just(String::new())];
    prop_oneof![Just(String::new()), vec(line, 1..6).prop_map(|lines| lines.join("\n"))]
}

fn any_label() -> impl Strategy<Value = SmolStr> {
    let odd = "[\\PC ]{1,12}".prop_filter("64 bytes", |label| label.len() <= 64);
    prop_oneof!["[a-z0-9]{1,8}", "[+@#%][a-z+ ]{0,4}", odd].prop_map(SmolStr::from)
}

fn any_draft(text: impl Strategy<Value = String>) -> impl Strategy<Value = Draft> {
    let day = (1..=9999_u16, 1..=12_u8, 1..=28_u8).prop_map(|(year, month, day)| Date::new(year, month, day));
    let words = (text, any_note(), prop_oneof![Just(SmolStr::default()), any_label()], vec(any_label(), 0..5));
    let rest = (any::<bool>(), prop_oneof![Just(None), day], option::of(1..=9_u8), 0..=8_u8);
    (words, rest).prop_map(|((text, note, assignee, mut tags), (done, due, priority, depth))| {
        tags.sort();
        tags.dedup();
        Draft { text: text.into(), note: note.into(), done, due, priority, assignee, tags, depth }
    })
}

#[track_caller]
fn check(format: Format, items: &[Draft]) -> Imported {
    let file = export(format, "A title", items);
    let imported = import(format, file.as_bytes());
    assert_eq!(imported.faults, [], "{file}");
    assert_eq!(imported.items, items, "{file}");
    assert_eq!(imported.cleaned, 0);
    imported
}

proptest! {
    #![proptest_config(super::config())]

    #[test]
    fn json_says_everything(items in vec(any_draft(any_text()), 0..6)) {
        prop_assert_eq!(check(Format::Json, &items).title, "A title");
    }

    #[test]
    fn markdown_and_json_say_every_title(title in any_text()) {
        // White space alone heads nothing.
        prop_assume!(!title.trim().is_empty());
        for format in [Format::Markdown, Format::Json] {
            let file = export(format, &title, &[]);
            prop_assert_eq!(import(format, file.as_bytes()).title, title.as_str(), "{}", file);
        }
    }

    #[test]
    fn markdown_says_every_register(items in vec(any_draft(any_text()), 0..6)) {
        prop_assert_eq!(check(Format::Markdown, &items).title, "A title");
    }

    #[test]
    fn todo_txt_says_every_register_beside_a_text_without_marks(items in vec(any_draft(plain_text()), 0..6)) {
        // A done text that says its own priority, and is given the same one, says it once.
        let mut items = items;
        for item in items.iter_mut().filter(|item| item.text.contains("(A) ")) {
            item.priority = item.priority.filter(|priority| *priority != 1);
        }
        check(Format::TodoTxt, &items);
    }

    #[test]
    fn a_line_of_todo_txt_that_nobody_edits_is_written_as_it_was_read(lines in vec(any_text(), 0..8)) {
        let lines = lines.iter().filter(|line| !line.trim().is_empty());
        let file: String = lines.flat_map(|line| [line.as_str(), "\n"]).collect();
        let imported = import(Format::TodoTxt, file.as_bytes());
        prop_assert_eq!(export(Format::TodoTxt, "", &imported.items), file);
    }

    #[test]
    fn todo_txt_of_any_list_settles(items in vec(any_draft(any_text()), 0..6)) {
        let file = export(Format::TodoTxt, "", &items);
        let imported = import(Format::TodoTxt, file.as_bytes());
        prop_assert!(imported.items.len() <= items.len());
        prop_assert_eq!(&import(Format::TodoTxt, export(Format::TodoTxt, "", &imported.items).as_bytes()), &imported);
    }

    #[test]
    fn any_bytes_are_read_and_what_comes_is_within_limits(bytes in vec(any::<u8>(), 0..200), pieces in vec(any_text(), 0..20)) {
        let text = pieces.join("\n");
        for format in [Format::Markdown, Format::TodoTxt, Format::Json] {
            for file in [&bytes[..], text.as_bytes()] {
                for item in import(format, file).items {
                    prop_assert!(item.tags.len() <= TAGS_MAX && item.text.len() <= 4_096 && item.depth <= 8);
                }
            }
        }
    }

    #[test]
    fn any_boxes_of_others_settle_with_the_first_import(pieces in vec(any_text(), 0..20), indents in vec(0..5_usize, 20)) {
        let lines = pieces.iter().zip(indents).map(|(text, indent)| format!("{}- [ ] {text}\n", "  ".repeat(indent)));
        let first = import(Format::Markdown, lines.collect::<String>().as_bytes());
        check(Format::Markdown, &first.items);
    }
}

/// A file that others wrote, or `None` where those are not at hand.
fn file_of_others(name: &str) -> Option<Vec<u8>> {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data")).join(name);
    let read = std::fs::read(&path).ok();
    if read.is_none() {
        #[expect(clippy::print_stdout, reason = "a test says what it skips")]
        {
            println!("skipped: {} is not there", path.display());
        }
    }
    read
}

#[test]
fn check_lists_of_others_come_whole_and_stay_the_same() {
    for (name, boxes) in [
        ("md-coding-interview-university.md", 463),
        ("md-front-end-checklist.md", 100),
        ("md-api-security-checklist-ar.md", 64),
    ] {
        let Some(file) = file_of_others(name) else { continue };
        let first = import(Format::Markdown, &file);
        assert_eq!((first.items.len(), first.faults.as_slice()), (boxes, &[][..]), "{name}");
        assert!(first.items.iter().all(|item| !item.done && !item.text.is_empty()), "{name}");
        check(Format::Markdown, &first.items);
        check(Format::Json, &first.items);
    }
}

#[test]
fn todo_txt_of_others_is_written_as_it_was_read() {
    for name in ["todotxt-qtodotxt2-example.txt", "todotxt-todotxt-tui.txt"] {
        let Some(file) = file_of_others(name) else { continue };
        let imported = import(Format::TodoTxt, &file);
        let text = String::from_utf8(file).expect("UTF-8");
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(export(Format::TodoTxt, "", &imported.items).lines().collect::<Vec<_>>(), lines, "{name}");
        check(Format::Markdown, &imported.items);
        for (line, item) in lines.iter().zip(&imported.items) {
            agrees_with_the_oracle(line, item);
        }
    }
}

/// Another parser reads the same registers in a line.
#[track_caller]
fn agrees_with_the_oracle(line: &str, item: &Draft) {
    let task: todo_txt::task::Simple = line.parse().expect("it reads any line");
    assert_eq!(task.finished, item.done, "{line}");
    assert_eq!(task.due_date.map(|due| due.to_string()), item.due.map(|due| due.to_string()), "{line}");
    let priority = u8::from(task.priority.clone()) + 1;
    // It finds no priority behind the date of a done line, where the files of others have it.
    if !item.done {
        assert_eq!(Some(priority).filter(|priority| *priority <= 9), item.priority, "{line}");
    }
    let mut tags: Vec<String> = task.contexts.clone();
    tags.extend(task.projects.iter().map(|project| format!("+{project}")));
    let mut ours: Vec<String> = item.tags.iter().map(ToString::to_string).collect();
    tags.sort();
    ours.sort();
    assert_eq!(tags, ours, "{line}");
}

#[test]
fn the_files_kept_as_vectors_say_one_list() {
    let json = include_str!("../../../../assets/formats/list.json");
    let list = import(Format::Json, json.as_bytes());
    assert_eq!((list.items.len(), list.faults.as_slice(), list.title.as_str()), (4, &[][..], "Saturday"));
    for (format, file) in [
        (Format::Json, json),
        (Format::Markdown, include_str!("../../../../assets/formats/list.md")),
        (Format::TodoTxt, include_str!("../../../../assets/formats/list.txt")),
    ] {
        assert_eq!(import(format, file.as_bytes()).items, list.items, "{format:?}");
        assert_eq!(export(format, "Saturday", &list.items), file);
    }
}

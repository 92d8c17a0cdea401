//! Which boxes of a Markdown file come in, and how.

use super::super::{Format, export, import};
use super::*;
use crate::register::Date;

/// Reads a file, and shows its items as `level mark text | note`.
#[track_caller]
fn check(file: &str, expected: &[&str]) {
    let imported = import(Format::Markdown, file.as_bytes());
    assert_eq!(imported.faults, []);
    let rows: Vec<String> = imported.items.iter().map(row).collect();
    assert_eq!(rows, expected, "{file}");
    let again = import(Format::Markdown, export(Format::Markdown, "t", &imported.items).as_bytes());
    assert_eq!(again.items, imported.items, "{file}");
}

fn row(draft: &Draft) -> String {
    let mark = if draft.done { 'x' } else { ' ' };
    let note = if draft.note.is_empty() { String::new() } else { format!(" | {}", draft.note.replace('\n', "/")) };
    format!("{} {mark} {}{note}", draft.depth, draft.text)
}

#[test]
fn any_bullet_and_any_number_may_carry_a_box() {
    check(
        "* [ ] a\n+ [x] b\n- [X] c\n1. [ ] d\n2) [ ] e\n- [] no\n- [y] no\n- no\n- [ ]no\n",
        &["0   a", "0 x b", "0 x c", "0   d", "0   e"],
    );
}

#[test]
fn the_level_counts_the_boxes_around() {
    check(
        "- [ ] a\n  - [ ] b\n    - no box\n      - [ ] c\n- no box\n  - [ ] d\n    1. [ ] e\n\n\
         - [ ] f\n\n    - [ ] g\n",
        &["0   a", "1   b", "2   c", "0   d", "1   e", "0   f", "1   g"],
    );
    let deep: String = (0..12).flat_map(|level| ["  ".repeat(level), "- [ ] x\n".to_owned()]).collect();
    let levels: Vec<u8> = import(Format::Markdown, deep.as_bytes()).items.iter().map(|item| item.depth).collect();
    assert_eq!(levels, [0, 1, 2, 3, 4, 5, 6, 7, 8, 8, 8, 8]);
}

#[test]
fn boxes_in_code_are_left_alone_and_those_in_quotes_come() {
    check("```\n- [ ] no\n```\n\n    - [ ] no\n\n`- [ ] no`\n\n<!--\n- [ ] no\n-->\n", &[]);
    check("> - [ ] a\n>   b\n>   - [x] c\n>\n> > * [ ] d\n> >   e\n", &["0   a b", "1 x c", "0   d e"]);
    check("- [ ] a\n\n  ```\n  - [ ] no\n  ```\n- [ ] b", &["0   a", "0   b"]);
}

#[test]
fn the_text_is_what_the_author_typed() {
    check(
        "- [ ]   **a** [b](http://c \"d\") `e` <br> \\*f\\* &amp; ![g][h] ~~i~~ :+1:  \r\n  on *two\r\n  lines*\r\n",
        &["0   **a** [b](http://c \"d\") `e` <br> \\*f\\* &amp; ![g][h] ~~i~~ :+1: on *two lines*"],
    );
    check(
        "\u{feff}- [ ] ends in \\\n- [ ] `open\n- [ ] code`\n- [ ] [x]: y\n",
        &["0   ends in \\", "0   `open", "0   code`", "0   [x]: y"],
    );
}

#[test]
fn paragraphs_right_under_a_box_are_its_note() {
    check(
        "- [ ] a\n\n  first\n  line\n\n  - [ ] b\n\n  *second*\n\n  > quoted\n\n  - bullet\n\nprose\n",
        &["0   a | first/line//*second*", "1   b"],
    );
}

#[test]
fn marks_fill_registers_and_other_braces_are_text() {
    let imported = import(
        Format::Markdown,
        b"- [ ] a {#b #two%20words @ana !2 due:2026-11-30}\n- [ ] a {#b  @c}\n- [ ] a{#b}\n- [ ] {!0}\n- [ ] #a @b !2\n",
    );
    let [first, rest @ ..] = imported.items.as_slice() else { panic!("five items") };
    let expected = Draft {
        text: "a".into(),
        tags: vec!["b".into(), "two words".into()],
        assignee: "ana".into(),
        priority: Some(2),
        due: Date::parse("2026-11-30"),
        ..Draft::default()
    };
    assert_eq!(first, &expected);
    let rest: Vec<String> = rest.iter().map(row).collect();
    assert_eq!(rest, ["0   a {#b  @c}", "0   a{#b}", "0   {!0}", "0   #a @b !2"]);
}

#[test]
fn what_would_read_as_something_else_is_guarded() {
    let item = |text: &str| Draft { text: text.into(), ..Draft::default() };
    let odd_note = Draft { note: "- [ ] x\n```\n\n  y  \n".into(), ..item("noted") };
    let items =
        [item(""), item(" a "), item("{}"), item("a {#b}"), item("{} a"), Draft { depth: 3, ..item("deep") }, odd_note];
    let file = export(Format::Markdown, "Our # list", &items);
    assert_eq!(
        file,
        "# Our # list\n\n- [ ] {}\n- [ ] {}  a  {}\n- [ ] {} {}\n- [ ] a {#b} {}\n- [ ] {} {} a\n  - [ ] deep {depth:3}\n\
         - [ ] noted\n\n  ````note\n  - [ ] x\n  ```\n\n    y  \n\n  ````\n"
    );
    assert_eq!(import(Format::Markdown, file.as_bytes()).items, items);
}

//! What single lines of todo.txt are read as, and that they are written as they were.

use super::*;

#[track_caller]
fn check(line: &str, expected: &Draft) {
    let draft = read(line);
    assert_eq!(&draft, expected, "{line}");
    assert_eq!(write(&draft), line);
}

fn tags<const N: usize>(tags: [&str; N]) -> Vec<SmolStr> {
    tags.into_iter().map(SmolStr::from).collect()
}

fn day(text: &str) -> Option<Date> {
    Date::parse(text)
}

#[test]
fn marks_fill_registers_and_leave_the_text_where_the_line_allows() {
    let text = |text: &str| Draft { text: text.into(), ..Draft::default() };
    check("Buy milk", &text("Buy milk"));
    check("(A) Buy", &Draft { priority: Some(1), ..text("Buy") });
    check("(I) Buy", &Draft { priority: Some(9), ..text("Buy") });
    check("(J) Buy", &text("(J) Buy"));
    check("(a) Buy", &text("(a) Buy"));
    check("(A)Buy", &text("(A)Buy"));
    check("x Buy", &Draft { done: true, ..text("Buy") });
    check("xylophone", &text("xylophone"));
    check("2016-12-08 Buy", &text("2016-12-08 Buy"));
    check("Call +Garden @home", &Draft { tags: tags(["+Garden", "home"]), ..text("Call") });
    check("@CIC +Galactica", &Draft { tags: tags(["CIC", "+Galactica"]), ..text("@CIC") });
    check(
        "(C) 2016-12-08 Feed @cat now rec:+1d due:2014-02-23",
        &Draft {
            priority: Some(3),
            tags: tags(["cat"]),
            due: day("2014-02-23"),
            ..text("2016-12-08 Feed @cat now rec:+1d")
        },
    );
    check("a due:2017-06-10 rec:6d", &Draft { due: day("2017-06-10"), ..text("a due:2017-06-10 rec:6d") });
    check("a due:2017-02-30", &text("a due:2017-02-30"));
    check("a due:2017-06-10 @b", &Draft { due: day("2017-06-10"), tags: tags(["b"]), ..text("a due:2017-06-10") });
    check(
        "a @b tag:two%20words who:ana depth:2 due:2026-11-30 note:one%0Atwo",
        &Draft {
            tags: tags(["b", "two words"]),
            assignee: "ana".into(),
            depth: 2,
            due: day("2026-11-30"),
            note: "one\ntwo".into(),
            ..text("a")
        },
    );
    check("mail bob@example.org 1+1 @ + h:1", &text("mail bob@example.org 1+1 @ + h:1"));
}

#[test]
fn a_priority_is_found_where_done_lines_keep_it() {
    let done = |priority, text: &str| Draft { done: true, priority, text: text.into(), ..Draft::default() };
    check("x 2016-02-21 (B) Seal", &done(Some(2), "2016-02-21 Seal"));
    check("x (B) Seal", &done(Some(2), "Seal"));
    check("x (B) 2016-02-21 Seal", &done(Some(2), "(B) 2016-02-21 Seal"));
    check("x 2016-02-21 2016-02-20 (B) Seal", &done(Some(2), "2016-02-21 2016-02-20 (B) Seal"));
    check("x  (B) Seal", &done(None, "(B) Seal"));
}

#[test]
fn an_edit_of_a_register_shows_in_the_line() {
    let edited = |line: &str, edit: fn(&mut Draft)| {
        let mut draft = read(line);
        edit(&mut draft);
        write(&draft)
    };
    assert_eq!(edited("(A) a @b", |draft| draft.done = true), "x (A) a @b");
    assert_eq!(edited("x 2016-02-21 (B) a", |draft| draft.done = false), "(B) 2016-02-21 a");
    assert_eq!(edited("a @b", |draft| draft.tags.clear()), "a");
    assert_eq!(edited("a due:2017-06-10", |draft| draft.due = day("2018-01-01")), "a due:2018-01-01");
    assert_eq!(
        edited("a due:2017-06-10 t:1", |draft| draft.due = day("2018-01-01")),
        "a due:2017-06-10 t:1 due:2018-01-01",
        "the last one counts"
    );
}

#[test]
fn a_text_of_our_own_that_begins_like_a_mark_is_set_off() {
    for (text, done, line) in [
        ("x ray", false, " x ray"),
        ("(A) ray", false, " (A) ray"),
        (" x ray", false, "  x ray"),
        ("x ray", true, "x x ray"),
        ("2016-02-21 (B) ray", true, "x  2016-02-21 (B) ray"),
        (" ray", false, " ray"),
    ] {
        check(line, &Draft { text: text.into(), done, ..Draft::default() });
    }
}

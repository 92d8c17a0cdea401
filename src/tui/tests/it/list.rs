//! Keys among the rows.

use betwixt_core::hlc::Millis;
use betwixt_tui::{Effect, Msg, Preset, Setup};

use crate::desk::{Desk, check, setup};

const ABCD: [&str; 4] = ["▌ [ ] a", "  [ ] b", "  [ ] c", "  [ ] d"];

#[test]
fn an_item_moves_by_rows_and_by_counts_and_not_past_the_ends() {
    check(&ABCD, "J", &["  [ ] b", "▌ [ ] a", "  [ ] c", "  [ ] d"]);
    check(&ABCD, "2J", &["  [ ] b", "  [ ] c", "▌ [ ] a", "  [ ] d"]);
    check(&ABCD, "50J", &["  [ ] b", "  [ ] c", "  [ ] d", "▌ [ ] a"]);
    check(&ABCD, "GK", &["  [ ] a", "  [ ] b", "▌ [ ] d", "  [ ] c"]);
    check(&ABCD, "j<a-down>", &["  [ ] a", "  [ ] c", "▌ [ ] b", "  [ ] d"]);
    check(&ABCD, "jgJ", &["  [ ] a", "  [ ] c", "  [ ] d", "▌ [ ] b"]);
    check(&ABCD, "GgK", &["▌ [ ] d", "  [ ] a", "  [ ] b", "  [ ] c"]);
    assert_eq!(check(&ABCD, "KGJ", &["  [ ] a", "  [ ] b", "  [ ] c", "▌ [ ] d"]).edits, 0);
}

#[test]
fn the_selection_goes_by_rows_pages_and_numbers() {
    check(&ABCD, "2j", &["  [ ] a", "  [ ] b", "▌ [ ] c", "  [ ] d"]);
    check(&ABCD, "9jk", &["  [ ] a", "  [ ] b", "▌ [ ] c", "  [ ] d"]);
    check(&ABCD, "3G", &["  [ ] a", "  [ ] b", "▌ [ ] c", "  [ ] d"]);
    check(&ABCD, "G", &["  [ ] a", "  [ ] b", "  [ ] c", "▌ [ ] d"]);
    check(&ABCD, "Ggg", &ABCD);
    check(&ABCD, "<end><home>", &ABCD);
    check(&ABCD, "<down><down><up>", &["  [ ] a", "▌ [ ] b", "  [ ] c", "  [ ] d"]);
    check(&ABCD, "<c-d>", &["  [ ] a", "  [ ] b", "  [ ] c", "▌ [ ] d"]);
}

#[test]
fn deleting_takes_two_presses_and_can_be_undone() {
    let desk = check(&ABCD, "jdd", &["  [ ] a", "▌ [ ] c", "  [ ] d"]);
    assert_eq!(desk.foot(), "1 deleted, u to undo");
    check(&ABCD, "3dd", &["▌ [ ] d"]);
    check(&ABCD, "Gdd", &["  [ ] a", "  [ ] b", "▌ [ ] c"]);
    check(&ABCD, "<del>", &["▌ [ ] b", "  [ ] c", "  [ ] d"]);
    check(&ABCD, "2ddu", &ABCD);
    assert_eq!(check(&ABCD, "d", &ABCD).edits, 0);
    assert_eq!(check(&ABCD, "djd<esc>", &ABCD).edits, 0, "d, then something else, is nothing");
}

#[test]
fn done_is_a_tick_that_comes_off_again() {
    check(&ABCD, "x", &["▌ [x] a", "  [ ] b", "  [ ] c", "  [ ] d"]);
    check(&ABCD, "<space><space>", &ABCD);
    check(&ABCD, "3x", &["▌ [x] a", "  [x] b", "  [x] c", "  [ ] d"]);
    check(&ABCD, "jx2Gk3x", &["▌ [x] a", "  [x] b", "  [x] c", "  [ ] d"]);
}

#[test]
fn an_item_goes_one_level_below_the_row_above_and_no_deeper() {
    check(&ABCD, ">", &ABCD);
    check(&ABCD, "j>", &["  [ ] a", "▌   [ ] b", "  [ ] c", "  [ ] d"]);
    let desk = check(&ABCD, "j>>", &["  [ ] a", "▌   [ ] b", "  [ ] c", "  [ ] d"]);
    assert_eq!(desk.foot(), "no deeper than below the row above");
    check(&ABCD, "j>j>><", &["  [ ] a", "    [ ] b", "▌   [ ] c", "  [ ] d"]);
}

#[test]
fn undo_says_what_it_undid_and_shows_it() {
    let desk = check(&ABCD, "2JggUu", &ABCD);
    assert_eq!(desk.foot(), "undid: 1 moved");
    let desk = check(&ABCD, "2Jggu<c-r>", &["  [ ] b", "  [ ] c", "▌ [ ] a", "  [ ] d"]);
    assert_eq!(desk.foot(), "did again: 1 moved");
    assert_eq!(check(&ABCD, "u", &ABCD).foot(), "nothing to undo");
}

#[test]
fn a_begun_key_says_what_may_follow_and_is_given_up_after_a_second() {
    let mut desk = Desk::new(setup(), 80, 16);
    desk.fill(&ABCD);
    desk.keys("g");
    assert_eq!(desk.foot(), "g   g first row   l lists   t title   1 list 1   K to top   J to bottom");
    let wake = desk.effects.iter().find_map(|effect| match effect {
        Effect::WakeAt(time) => Some(*time),
        _ => None,
    });
    assert_eq!(wake, Some(desk.now.plus(Millis(1_000))));
    desk.now = desk.now.plus(Millis(1_000));
    desk.send(Msg::Wake);
    desk.keys("J");
    assert_eq!(desk.rows()[1], "▌ [ ] a", "J alone moves down by one row");
}

#[test]
fn a_key_that_is_let_go_means_nothing() {
    let mut desk = Desk::of(&ABCD);
    let mut event = crossterm::event::KeyEvent::from(crossterm::event::KeyCode::Char('j'));
    event.kind = crossterm::event::KeyEventKind::Release;
    desk.send(Msg::Key(event));
    assert_eq!(desk.rows(), ABCD);
    event.kind = crossterm::event::KeyEventKind::Repeat;
    desk.send(Msg::Key(event));
    assert_eq!(desk.rows()[1], "▌ [ ] b");
}

#[test]
fn esc_never_quits_and_q_does() {
    let mut desk = Desk::of(&ABCD);
    desk.keys("<esc><esc><esc>?<esc>o<esc>");
    assert!(!desk.effects.contains(&Effect::Quit));
    desk.keys("<c-l><c-z>q");
    assert!(desk.effects.ends_with(&[Effect::Redraw, Effect::Suspend, Effect::Quit]));
}

#[test]
fn pasted_lines_are_items_and_one_step_of_undo() {
    let mut desk = Desk::of(&ABCD);
    desk.send(Msg::Paste("- [ ] x\n  - y\r\n* [x] z\n".to_owned()));
    assert_eq!(desk.rows()[..4], ["  [ ] a", "  [ ] x", "    [ ] y", "▌ [x] z"]);
    assert_eq!((desk.edits, desk.foot().as_str()), (1, "3 added, u to undo"));
    desk.keys("u");
    assert_eq!(desk.rows().len(), 4);
}

#[test]
fn the_plain_preset_needs_no_vim() {
    let mut desk = Desk::new(Setup { preset: Preset::Plain, ..setup() }, 40, 16);
    desk.keys("<c-n>milk<enter>bread<enter><esc><space>");
    assert_eq!(desk.rows(), ["  [ ] milk", "▌ [x] bread"]);
    desk.keys("<a-up>");
    assert_eq!(desk.rows(), ["▌ [x] bread", "  [ ] milk"]);
    desk.keys("<c-z><c-z>");
    assert_eq!(desk.rows(), ["  [ ] milk", "▌ [ ] bread"]);
    desk.keys("<f2>!<esc>");
    assert_eq!(desk.rows()[1], "▌ [ ] bread", "Esc throws away");
    desk.keys("<c-z>");
    assert_eq!(desk.rows()[1], "▌ [ ] bread!", "and undo brings it back");
}

#[test]
fn a_page_down_takes_the_screen_along() {
    let rows: Vec<String> = (1..=100).map(|number| format!("[ ] row {number}")).collect();
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    let mut desk = Desk::of(&rows);
    assert!(desk.screen().contains("1-10 of 100"), "{}", desk.screen());
    desk.keys("gg<pgdn>");
    assert!(desk.screen().contains("11-20 of 100"), "{}", desk.screen());
    desk.keys("G");
    assert!(desk.screen().contains("91-100 of 100"), "{}", desk.screen());
    desk.keys("50G");
    assert!(desk.rows().contains(&"▌ [ ] row 50".to_owned()));
    assert!(desk.rows().contains(&"  [ ] row 48".to_owned()), "two rows of margin above");
}

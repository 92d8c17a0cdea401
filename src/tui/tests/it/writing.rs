//! The line editor.

use betwixt_tui::{Effect, Msg};

use crate::desk::{Desk, check};

const AB: [&str; 2] = ["▌ [ ] a", "  [ ] b"];

#[test]
fn o_writes_below_and_goes_on_until_an_empty_row() {
    check(&AB, "ox<enter>y<enter><enter>", &["  [ ] a", "  [ ] x", "▌ [ ] y", "  [ ] b"]);
    check(&AB, "ox<esc>", &["  [ ] a", "▌ [ ] x", "  [ ] b"]);
    check(&AB, "o<esc>", &AB);
    check(&AB, "o  <enter>", &AB);
    check(&AB, "jox<enter>", &["  [ ] a", "  [ ] b", "  [ ] x", "▌ [ ] write the item"]);
}

#[test]
fn upper_o_writes_above_and_a_at_the_end() {
    check(&AB, "Ox<enter>y<esc>", &["  [ ] x", "▌ [ ] y", "  [ ] a", "  [ ] b"]);
    check(&AB, "O<esc>", &AB);
    check(&AB, "ax<enter>", &["  [ ] a", "  [ ] b", "▌ [ ] x"]);
    check(&[], "ox<enter>y<esc>", &["  [ ] x", "▌ [ ] y"]);
    check(&[], "ix<esc>", &["▌ [ ] x"]);
}

#[test]
fn an_item_is_edited_in_its_place() {
    check(&AB, "ebc<enter>", &["▌ [ ] abc", "  [ ] b"]);
    check(&AB, "i<home>x<esc>", &["▌ [ ] xa", "  [ ] b"]);
    check(&AB, "<enter><bs>z<enter>", &["▌ [ ] z", "  [ ] b"]);
    assert_eq!(check(&AB, "e<enter>", &AB).edits, 0, "no change, no edit");
}

#[test]
fn what_is_thrown_away_can_be_brought_back() {
    let mut desk = check(&AB, "exyz<c-c>", &AB);
    assert_eq!(desk.foot(), "not kept; u brings it back");
    assert!(!desk.effects.contains(&Effect::Quit));
    desk.keys("u");
    assert_eq!(desk.rows()[0], "▌ [ ] axyz");
    desk.keys("<enter>");
    assert_eq!(desk.rows(), ["▌ [ ] axyz", "  [ ] b"]);
}

#[test]
fn an_item_cannot_be_emptied_by_accident() {
    let desk = check(&AB, "e<bs><enter>", &["▌ [ ] write the item", "  [ ] b"]);
    assert_eq!(desk.foot(), "an item needs a text; dd deletes it");
    check(&AB, "e<bs><esc>", &AB);
}

#[test]
fn alt_and_a_key_is_esc_and_then_the_key() {
    check(&AB, "ox<a-j>", &["  [ ] a", "  [ ] x", "▌ [ ] b"]);
    check(&AB, "ebc<a-J>", &["  [ ] b", "▌ [ ] abc"]);
    check(&AB, "ox<a-o>y<esc>", &["  [ ] a", "  [ ] x", "▌ [ ] y", "  [ ] b"]);
    check(&AB, "e<a-down>", &["  [ ] a", "▌ [ ] b"]);
    check(&AB, "?<a-j>", &["  [ ] a", "▌ [ ] b"]);
}

#[test]
fn tab_changes_the_level_while_writing() {
    check(&AB, "ox<tab><tab><enter>y<s-tab><esc>", &["  [ ] a", "    [ ] x", "▌ [ ] y", "  [ ] b"]);
    check(&AB, "je<tab><enter>", &["  [ ] a", "▌   [ ] b"]);
    check(&["▌ [ ] a", "    [ ] b"], "ox<esc>", &["  [ ] a", "▌   [ ] x", "    [ ] b"]);
}

#[test]
fn pasted_lines_in_a_new_row_are_items_and_in_an_item_one_line() {
    let mut desk = Desk::of(&AB);
    desk.keys("ox");
    desk.send(Msg::Paste("1\n- y\n- z".to_owned()));
    assert_eq!(desk.rows(), ["  [ ] a", "  [ ] x1", "  [ ] y", "  [ ] z", "▌ [ ] write the item", "  [ ] b"]);
    assert_eq!(desk.edits, 1);
    desk.keys("<esc>gge");
    desk.send(Msg::Paste(" 1\n2".to_owned()));
    assert_eq!(desk.rows()[0], "▌ [ ] a1 2");
    desk.send(Msg::Paste("\x1b[2J\n".to_owned()));
    assert_eq!(desk.rows()[0], "▌ [ ] a1 2␛[2J");
}

#[test]
fn a_failed_edit_loses_nothing() {
    let mut desk = Desk::of(&AB);
    desk.keys("omilk");
    desk.fails = Some("the list is full: it has 2 items");
    desk.keys("<enter>");
    assert_eq!(desk.rows()[1], "▌ [ ] milk");
    assert_eq!(desk.foot(), "the list is full: it has 2 items");
    desk.keys(" too<enter><esc>");
    assert_eq!(desk.rows(), ["  [ ] a", "▌ [ ] milk too", "  [ ] b"]);
}

#[test]
fn a_paste_that_is_too_long_is_refused_whole() {
    let mut desk = Desk::of(&AB);
    desk.keys("ea");
    desk.send(Msg::Paste("x".repeat(5_000)));
    assert_eq!(desk.rows()[0], "▌ [ ] aa");
    assert!(desk.foot().starts_with("not written: an item holds 4,096 byte"), "{}", desk.foot());
}

#[test]
fn the_caret_stands_in_the_cell_where_writing_goes_on() {
    let mut desk = Desk::of(&["▌[ ] 写作业"]);
    desk.keys("e");
    let (_, cursor) = desk.draw();
    let cursor = cursor.expect("a cursor");
    assert_eq!((cursor.x, cursor.y), (6 + 6, 2));
    desk.keys("<left>");
    assert_eq!(desk.draw().1.expect("a cursor").x, 6 + 4);
    desk.keys(&"x".repeat(60));
    let x = desk.draw().1.expect("a cursor").x;
    assert!(x < 39, "a long line scrolls so that the caret is in sight: {x}");
    desk.keys("<esc>");
    let cursor = desk.draw().1.expect("a cursor");
    assert_eq!((cursor.x, cursor.y), (6, 2), "not writing, it stands on the selected row");
}

#[test]
fn help_opens_over_the_editor_and_gives_it_back() {
    let mut desk = Desk::of(&AB);
    desk.keys("ox<f1>");
    assert!(desk.screen().contains("first row"), "{}", desk.screen());
    desk.keys("<esc>y<enter><esc>");
    assert_eq!(desk.rows(), ["  [ ] a", "▌ [ ] xy", "  [ ] b"]);
}

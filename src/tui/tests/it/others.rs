//! What others do while a person's hand is on a row.

use betwixt_core::edit::{Edit, Spot};
use betwixt_core::register::Register;
use betwixt_core::wire::Person;
use betwixt_tui::{Effect, Msg};

use crate::desk::{ANA, Desk, ME, setup};

fn add(text: &str, spot: Spot) -> Edit {
    Edit::Add { spot, items: vec![vec![Register::Text(text.into())]] }
}

fn text(desk: &Desk, old: &str, new: &str) -> Edit {
    Edit::Set { writes: vec![(desk.id(old), vec![Register::Text(new.into())])] }
}

fn delete(desk: &Desk, text: &str) -> Edit {
    Edit::Set { writes: vec![(desk.id(text), vec![Register::Deleted(true)])] }
}

#[test]
fn rows_that_come_above_do_not_move_the_selected_row_on_the_screen() {
    let mut desk = Desk::of(&["[ ] a", "[ ] b", "▌[ ] c"]);
    for number in 0..20 {
        desk.theirs(ANA, add(&format!("below {number}"), Spot::Bottom));
    }
    let line = desk.line_of("[ ] c");
    for number in 0..20 {
        desk.theirs(ANA, add(&format!("new {number}"), Spot::Top));
        assert_eq!(desk.line_of("[ ] c"), line, "{}", desk.screen());
    }
    desk.keys("J");
    assert_eq!(desk.line_of("[ ] c"), line + 1, "what I do moves the row, not the screen");
}

#[test]
fn rows_that_come_above_are_in_sight_while_there_is_room_below() {
    let mut desk = Desk::of(&["▌[ ] a", "[ ] b"]);
    desk.theirs(ANA, add("new", Spot::Top));
    assert_eq!(desk.rows(), ["  [ ] new", "▌ [ ] a", "  [ ] b"]);
    let line = desk.line_of("[ ] a");
    for number in 0..30 {
        desk.theirs(ANA, add(&format!("below {number}"), Spot::Bottom));
    }
    assert_eq!(desk.line_of("[ ] a"), line, "what comes below does not scroll the screen");
}

#[test]
fn the_editor_stays_on_its_line_too() {
    let mut desk = Desk::of(&["[ ] a", "[ ] b", "▌[ ] c", "[ ] d"]);
    desk.keys("onew");
    let line = desk.line_of("[ ] new");
    desk.theirs(ANA, add("above", Spot::Top));
    let b = delete(&desk, "b");
    desk.theirs(ANA, b);
    assert_eq!(desk.line_of("[ ] new"), line, "{}", desk.screen());
    desk.keys("<esc>");
    assert_eq!(desk.rows()[line - 2], "▌ [ ] new", "{}", desk.screen());
}

#[test]
fn until_a_key_is_pressed_the_first_row_stays_in_sight() {
    let mut desk = Desk::new(setup(), 40, 16);
    desk.theirs(ANA, add("a", Spot::Top));
    desk.theirs(ANA, add("b", Spot::Top));
    assert_eq!(desk.rows(), ["▌ [ ] b", "  [ ] a"]);
}

#[test]
fn the_selection_goes_to_the_nearest_when_its_item_is_deleted() {
    let mut desk = Desk::of(&["[ ] a", "[ ] b", "▌[ ] c"]);
    let c = delete(&desk, "c");
    desk.theirs(ANA, c);
    assert_eq!(desk.rows(), ["  [ ] a", "▌ [ ] b"]);
    let a = delete(&desk, "a");
    desk.theirs(ANA, a);
    assert_eq!(desk.rows(), ["▌ [ ] b"]);
    let b = delete(&desk, "b");
    desk.theirs(ANA, b);
    assert_eq!(desk.model.selected(), None);
    assert!(desk.screen().contains("An empty list."));
}

#[test]
fn the_selection_follows_its_item_when_somebody_moves_it() {
    let mut desk = Desk::of(&["▌[ ] a", "[ ] b", "[ ] c"]);
    let item = desk.id("a");
    desk.theirs(ANA, Edit::Move { items: vec![item], spot: Spot::Bottom });
    assert_eq!(desk.model.selected(), Some(item));
}

#[test]
fn an_item_that_is_deleted_while_i_write_comes_back_with_my_text() {
    let mut desk = Desk::of(&["[ ] a", "▌[ ] milk", "[ ] c"]);
    desk.send(Msg::People(vec![person(ME, "bea"), person(ANA, "ana")], ME));
    desk.keys("e, two");
    let line = desk.line_of("milk, two");
    let milk = delete(&desk, "milk");
    desk.theirs(ANA, milk);
    assert_eq!(desk.line_of("milk, two"), line, "{}", desk.screen());
    assert_eq!(desk.foot(), "deleted by ana: Enter adds it again");
    desk.keys("<enter>");
    assert_eq!(desk.rows(), ["  [ ] a", "▌ [ ] milk, two", "  [ ] c"]);
    assert_eq!(desk.foot(), "added again");
}

#[test]
fn esc_lets_a_deleted_item_go_and_the_text_can_still_be_had() {
    let mut desk = Desk::of(&["[ ] a", "▌[ ] milk", "[ ] c"]);
    desk.keys("e, two");
    let milk = delete(&desk, "milk");
    desk.theirs(ANA, milk);
    assert!(desk.foot().starts_with("deleted by somebody: Enter adds it"), "{}", desk.foot());
    desk.keys("<esc>");
    assert_eq!(desk.rows(), ["  [ ] a", "▌ [ ] c"]);
    desk.keys("u<enter>");
    assert_eq!(desk.rows(), ["  [ ] a", "▌ [ ] milk, two", "  [ ] c"]);
}

#[test]
fn mine_wins_over_a_text_that_came_while_i_wrote_and_theirs_is_told() {
    let mut desk = Desk::new(setup(), 80, 16);
    desk.fill(&["▌[ ] milk"]);
    desk.send(Msg::People(vec![person(ANA, "ana")], ME));
    desk.keys("e, two");
    let theirs = text(&desk, "milk", "oat milk");
    desk.theirs(ANA, theirs);
    assert_eq!(desk.foot(), "changed by ana: Enter keeps yours; theirs: oat milk");
    desk.keys("<enter>");
    assert_eq!(desk.rows(), ["▌ [ ] milk, two"]);
    assert_eq!(desk.foot(), "yours stands; theirs was: oat milk");
}

#[test]
fn their_text_stays_where_i_had_changed_nothing() {
    let mut desk = Desk::new(setup(), 80, 16);
    desk.fill(&["▌[ ] milk"]);
    desk.keys("e");
    let theirs = text(&desk, "milk", "oat milk");
    desk.theirs(ANA, theirs);
    desk.keys("<enter>");
    assert_eq!((desk.rows(), desk.edits), (vec!["▌ [ ] oat milk".to_owned()], 0));
}

fn person(site: betwixt_core::id::SiteId, name: &str) -> Person {
    Person { site, name: name.into(), at: None, editing: false }
}

#[test]
fn others_are_named_at_the_rows_where_they_are() {
    let mut desk = Desk::of(&["▌[ ] a", "[ ] b"]);
    let (a, b) = (desk.id("a"), desk.id("b"));
    let me = Person { at: Some(a), ..person(ME, "bea") };
    let ana = Person { at: Some(b), editing: true, ..person(ANA, "ana") };
    desk.send(Msg::People(vec![me, ana], ME));
    assert_eq!(desk.rows()[0], "▌ [ ] a");
    assert!(desk.rows()[1].ends_with("✎ ana"), "{}", desk.screen());
    assert!(desk.draw().0[0].ends_with("bea  ●ana"), "{}", desk.screen());
}

#[test]
fn the_others_hear_where_i_am_when_it_changes() {
    let mut desk = Desk::of(&["▌[ ] a", "[ ] b"]);
    let b = desk.id("b");
    desk.keys("jj");
    assert_eq!(desk.effects, [Effect::Here { at: Some(b), editing: false }]);
    desk.keys("e");
    assert_eq!(desk.effects.last(), Some(&Effect::Here { at: Some(b), editing: true }));
    desk.keys("<esc>");
    assert_eq!(desk.effects.last(), Some(&Effect::Here { at: Some(b), editing: false }));
}

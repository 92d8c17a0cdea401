//! The drawer of refused edits, and the dialog about another list.

use betwixt_tui::{Choice, Effect, Link, Msg, Refusal, Status};

use crate::desk::{Desk, live, setup};

fn refusal(number: u64, what: &str) -> Refusal {
    Refusal { number, what: what.to_owned(), code: "the item is gone".to_owned() }
}

fn drawer() -> Desk {
    let mut desk = Desk::new(setup(), 80, 16);
    desk.fill(&["▌[ ] a"]);
    desk.send(Msg::Status(Status { refused: 3, ..live(0) }));
    desk.send(Msg::Refused(vec![refusal(4, "milk"), refusal(7, "bread"), refusal(9, "eggs")]));
    desk.effects.clear();
    desk
}

#[test]
fn refused_edits_are_announced_and_dealt_with_one_by_one() {
    let mut desk = drawer();
    assert!(desk.screen().contains("all sent · 3 refused (!)"), "{}", desk.screen());
    assert!(desk.foot().starts_with("! show refused"));
    desk.keys("!jt");
    assert_eq!(desk.effects, [Effect::TakeUpAgain(7)]);
    desk.send(Msg::Refused(vec![refusal(4, "milk"), refusal(9, "eggs")]));
    desk.keys("e");
    assert_eq!(desk.effects.last(), Some(&Effect::ExportRefused(9)), "the next one is selected");
    desk.keys("d");
    assert!(!desk.effects.contains(&Effect::DiscardRefused(9)), "throwing away takes two presses");
    desk.keys("d");
    assert_eq!(desk.effects.last(), Some(&Effect::DiscardRefused(9)));
}

#[test]
fn the_drawer_stays_open_when_it_is_empty() {
    let mut desk = drawer();
    desk.keys("!");
    desk.send(Msg::Refused(vec![]));
    assert!(desk.screen().contains("Nothing is refused."));
    desk.keys("dd");
    assert_eq!(desk.edits, 0, "no key falls through to the rows");
    desk.keys("<esc>");
    assert_eq!(desk.rows(), ["▌ [ ] a"]);
}

fn other_list() -> Desk {
    let mut desk = Desk::new(setup(), 80, 16);
    desk.fill(&["▌[ ] a"]);
    desk.send(Msg::Status(Status { link: Link::OtherList, ..live(1) }));
    desk
}

#[test]
fn another_list_of_that_name_waits_for_a_choice() {
    let mut desk = other_list();
    assert!(desk.screen().contains("Another list is called inbox"), "{}", desk.screen());
    desk.keys("<enter>");
    assert!(desk.effects.is_empty(), "nothing is picked by itself");
    desk.keys("m<enter>");
    assert_eq!(desk.effects, [Effect::Choose(Choice::Merge)]);
    let mut desk = other_list();
    desk.keys("jjj<enter>");
    assert_eq!(desk.effects, [Effect::Choose(Choice::Export)]);
}

#[test]
fn mine_is_kept_under_a_name_that_is_a_name() {
    let mut desk = other_list();
    desk.keys("n<enter>");
    assert!(desk.screen().contains("new name: inbox-mine"), "{}", desk.screen());
    desk.keys(" 2<enter>");
    assert!(desk.screen().contains("not ' '"), "{}", desk.screen());
    desk.keys("<c-u>inbox<enter>");
    assert!(desk.screen().contains("that is the name that is taken"), "{}", desk.screen());
    desk.keys("<c-u>old<enter>");
    assert_eq!(desk.effects, [Effect::Choose(Choice::Keep("old".parse().expect("a name")))]);
}

#[test]
fn the_dialog_does_not_interrupt_writing_and_can_be_put_off() {
    let mut desk = Desk::new(setup(), 80, 16);
    desk.fill(&["▌[ ] a"]);
    desk.keys("e");
    desk.send(Msg::Status(Status { link: Link::OtherList, ..live(1) }));
    desk.keys("bc");
    assert_eq!(desk.rows(), ["▌ [ ] abc"]);
    desk.keys("<enter>");
    assert!(desk.screen().contains("Another list is called inbox"));
    desk.keys("<esc>");
    assert_eq!(desk.rows(), ["▌ [ ] abc"]);
    assert!(desk.screen().contains("another list has this name (!)"));
    desk.keys("!");
    assert!(desk.screen().contains("Another list is called inbox"));
    desk.send(Msg::Status(live(0)));
    assert_eq!(desk.rows(), ["▌ [ ] abc"], "it goes when there is nothing to choose");
}

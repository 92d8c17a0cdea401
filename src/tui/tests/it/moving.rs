//! Items that go to another list.

use betwixt_core::edit::Edit;
use betwixt_core::register::Register;
use betwixt_tui::{Effect, Msg, Preset, Setup, Status};

use crate::desk::{ANA, Desk, list_name, live, setup};

fn desk() -> Desk {
    let mut desk = Desk::new(setup(), 80, 16);
    desk.fill(&["[ ] a", "▌[ ] b", "[ ] c", "[ ] d"]);
    desk.send(Msg::Status(live(0)));
    desk.send(Msg::Known(["home", "inbox"].map(list_name).to_vec()));
    desk.effects.clear();
    desk
}

fn moved(desk: &Desk, texts: &[&str], list: &str) -> Effect {
    Effect::MoveTo { items: texts.iter().map(|text| desk.id(text)).collect(), list: list_name(list) }
}

#[test]
fn rows_go_to_the_list_that_is_picked() {
    for (keys, texts, next) in [
        ("Mhome<enter>", &["b"][..], "▌ [ ] c"),
        ("2Mhome<enter>", &["b", "c"], "▌ [ ] d"),
        ("100Mhome<enter>", &["b", "c", "d"], "▌ [ ] a"),
        ("M<enter>", &["b"], "▌ [ ] c"),
    ] {
        let mut desk = desk();
        desk.keys(keys);
        let is_move = |effect: &&Effect| matches!(effect, Effect::MoveTo { .. });
        assert_eq!(desk.effects.iter().find(is_move), Some(&moved(&desk, texts, "home")), "{keys}");
        assert!(desk.rows().contains(&next.to_owned()), "{keys}: {}", desk.screen());
        assert_eq!((desk.rows().len(), desk.edits), (4, 0), "they are there until they have arrived");
    }
}

#[test]
fn the_list_that_they_are_in_cannot_be_chosen() {
    let mut desk = desk();
    desk.keys("2M");
    assert!(desk.screen().contains("move 2 items to:"), "{}", desk.screen());
    desk.keys("inbox");
    assert!(desk.screen().contains("that is the list that they are in"), "{}", desk.screen());
    desk.effects.clear();
    desk.keys("<enter>");
    assert_eq!(desk.told(), []);
    desk.keys("<c-t><c-d><c-u>garden<enter>");
    assert!(desk.effects.contains(&Effect::Here { at: Some(desk.id("d")), editing: false }));
    assert!(desk.effects.contains(&moved(&desk, &["b", "c"], "garden")), "into a list that is made for them");
}

#[test]
fn what_somebody_deletes_meanwhile_is_not_moved() {
    let mut desk = desk();
    desk.keys("2M");
    let delete = |desk: &Desk, text| Edit::Set { writes: vec![(desk.id(text), vec![Register::Deleted(true)])] };
    let b = delete(&desk, "b");
    desk.theirs(ANA, b);
    desk.keys("home<enter>");
    assert!(desk.effects.contains(&moved(&desk, &["c"], "home")));
    desk.effects.clear();
    desk.keys("M");
    let d = delete(&desk, "d");
    desk.theirs(ANA, d);
    desk.keys("home<enter>");
    assert_eq!(desk.foot(), "nothing to move: somebody deleted it");
    assert!(!desk.effects.iter().any(|effect| matches!(effect, Effect::MoveTo { .. })));
}

#[test]
fn what_is_under_way_is_marked_and_can_still_be_changed() {
    let mut desk = desk();
    let b = desk.id("b");
    desk.send(Msg::Moving(vec![b]));
    desk.send(Msg::Status(Status { moving: 1, ..live(0) }));
    assert!(desk.rows()[1].ends_with("→ moving"), "{}", desk.screen());
    assert!(desk.screen().contains("all sent · 1 moving"), "{}", desk.screen());
    desk.keys("x");
    assert!(desk.rows()[1].starts_with("▌ [x] b"), "{}", desk.screen());
    desk.send(Msg::Moving(vec![]));
    assert_eq!(desk.rows()[1], "▌ [x] b");
}

#[test]
fn the_plain_preset_moves_rows_too() {
    let mut desk = Desk::new(Setup { preset: Preset::Plain, ..setup() }, 80, 16);
    desk.keys("<c-n>milk<enter><esc><f6>home<enter>");
    assert!(desk.effects.contains(&moved(&desk, &["milk"], "home")));
}

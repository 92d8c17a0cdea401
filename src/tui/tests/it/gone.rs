//! A list that was deleted, by somebody or by the person herself.

use betwixt_core::edit::Edit;
use betwixt_tui::{Effect, Link, Model, Msg, Preset, Setup, Status};

use crate::desk::{ANA, Desk, list_name, live, setup};

const ROWS: [&str; 2] = ["▌ [ ] a", "  [ ] b"];

fn gone(unsent: usize) -> Msg {
    Msg::Status(Status { link: Link::Gone, ..live(unsent) })
}

fn desk() -> Desk {
    let mut desk = Desk::new(setup(), 80, 16);
    desk.fill(&ROWS);
    desk.send(Msg::Status(live(0)));
    desk.effects.clear();
    desk
}

fn asked(desk: &Desk) -> bool {
    desk.screen().contains("The list inbox was deleted.")
}

#[test]
fn a_list_that_somebody_deletes_says_so_and_waits_for_a_choice() {
    let mut desk = desk();
    desk.send(gone(2));
    assert!(asked(&desk), "{}", desk.screen());
    assert!(desk.screen().contains("2 edits were not sent"), "{}", desk.screen());
    desk.keys("<enter>");
    assert_eq!(desk.told(), [], "nothing is picked by itself");
    desk.keys("<esc>");
    assert_eq!(desk.rows(), ROWS);
    assert!(desk.screen().contains("deleted (!)"), "{}", desk.screen());
    desk.send(gone(3));
    assert_eq!(desk.rows(), ROWS, "it does not come twice by itself");
    desk.keys("!e<enter>");
    assert_eq!(desk.told(), [Effect::ExportGone { unwritten: vec![] }]);
    assert!(asked(&desk), "the next thing is to open another list");
    desk.keys("o<enter>");
    assert!(matches!(desk.told().last(), Some(Effect::AskLists(_))), "{:?}", desk.effects);
    assert!(desk.screen().contains("open list:"), "{}", desk.screen());
}

#[test]
fn letting_go_asks_for_another_list_at_once() {
    let mut desk = desk();
    desk.send(gone(0));
    desk.keys("l");
    assert_eq!(desk.told(), []);
    desk.keys("<enter>");
    assert_eq!(desk.told()[0], Effect::LetGo);
    desk.keys("inbox");
    assert!(desk.screen().contains("new list \"inbox\""), "the deleted one is none of them: {}", desk.screen());
    desk.keys("<enter>");
    assert_eq!(desk.told().last(), Some(&Effect::Open(list_name("inbox"))));
}

#[test]
fn nothing_can_be_written_in_a_list_that_was_deleted() {
    let mut desk = desk();
    desk.send(gone(0));
    desk.keys("<esc>");
    for keys in ["x", "dd", "o", "O", "a", "e", "J", ">", "u", "M", "gt", "gJ"] {
        desk.send(Msg::Resumed);
        desk.keys(keys);
        if keys != ">" {
            assert_eq!(desk.foot(), "this list was deleted: ! to export it or open another", "{keys}");
        }
        assert_eq!(desk.rows(), ROWS, "{keys}");
    }
    desk.send(Msg::Paste("x\ny".to_owned()));
    assert_eq!((desk.rows(), desk.edits), (ROWS.map(str::to_owned).to_vec(), 0));
    desk.keys("jk");
    assert_eq!(desk.rows(), ROWS, "it can be read");
}

#[test]
fn what_is_being_written_when_the_list_goes_is_kept() {
    for preset in [Preset::Vim, Preset::Plain] {
        let mut desk = Desk::new(Setup { preset, ..setup() }, 80, 16);
        desk.send(Msg::Status(live(0)));
        desk.keys(if preset == Preset::Vim { "omilk" } else { "<c-n>milk" });
        desk.send(gone(0));
        assert!(!asked(&desk), "an open editor is not torn away");
        assert!(desk.foot().starts_with("this list was deleted: Esc goes on"), "{}", desk.foot());
        desk.keys(", two<enter>");
        assert!(desk.rows()[0].ends_with("milk, two"), "{}", desk.screen());
        assert!(desk.foot().starts_with("this list was deleted: "), "{}", desk.foot());
        desk.keys("<esc>");
        assert!(asked(&desk) && desk.screen().contains("what you were writing was not saved"), "{}", desk.screen());
        desk.keys("e<enter>");
        assert_eq!(desk.told().last(), Some(&Effect::ExportGone { unwritten: vec!["milk, two".to_owned()] }));
        assert_eq!(desk.edits, 0);
        let model = std::mem::replace(&mut desk.model, Model::new(setup()));
        desk.model = model.switched(list_name("trip"), String::new());
        desk.send(Msg::Status(live(0)));
        desk.keys(if preset == Preset::Vim { "u<enter>" } else { "<c-z><enter>" });
        assert_eq!(desk.rows(), ["▌ [ ] milk, two"], "it can be had in the next list");
    }
}

#[test]
fn an_item_that_was_only_looked_at_leaves_nothing_to_keep() {
    let mut desk = desk();
    desk.keys("e");
    desk.send(gone(0));
    desk.keys("<esc>e<enter>");
    assert_eq!(desk.told().last(), Some(&Effect::ExportGone { unwritten: vec![] }));
}

#[test]
fn a_title_that_is_being_written_is_not_torn_away() {
    let mut desk = desk();
    desk.keys("gtMine");
    desk.send(gone(0));
    desk.keys("<enter>");
    assert!(desk.screen().starts_with(" title of inbox: Mine"), "{}", desk.screen());
    desk.keys("<esc>");
    assert!(asked(&desk));
}

#[test]
fn who_deletes_the_open_list_is_led_to_another_one() {
    for is_gone_first in [false, true] {
        let mut desk = desk();
        desk.theirs(ANA, Edit::Title("Groceries".into()));
        desk.keys("gl<c-d>inbox<enter>");
        let name = list_name("inbox");
        assert!(desk.effects.contains(&Effect::DeleteList { name: name.clone(), uid: desk.list.uid() }));
        desk.keys("<esc><esc>");
        if is_gone_first {
            desk.send(gone(0));
            assert_eq!(desk.rows(), ROWS, "no question to whoever knows the answer");
        }
        desk.send(Msg::ListDeleted(name));
        desk.send(gone(0));
        assert_eq!(desk.foot(), "inbox is deleted: open another list, or make one");
        assert!(desk.screen().contains("open list:") && !asked(&desk), "{}", desk.screen());
        desk.keys("<esc>x");
        assert_eq!(desk.rows(), ROWS);
        assert!(desk.foot().starts_with("this list was deleted"), "{}", desk.foot());
        desk.keys("!");
        assert!(asked(&desk), "the export is still to be had");
    }
}

#[test]
fn a_deletion_that_failed_leaves_all_as_it_was() {
    let mut desk = desk();
    desk.keys("gl<c-d>inbox<enter><esc>");
    desk.send(Msg::ListNotDeleted { list: list_name("inbox"), why: "too slow".to_owned() });
    desk.keys("x");
    assert_eq!(desk.edits, 1);
    desk.send(gone(0));
    assert!(asked(&desk), "somebody else deleted it");
}

//! The lists, their titles, and a list that was deleted, at many sizes, as text.

use betwixt_core::edit::{Edit, Spot};
use betwixt_core::register::Register;
use betwixt_tui::{Link, Msg, Status};

use crate::desk::{ANA, Desk, list_name, live, setup};

const SIZES: [(u16, u16); 5] = [(80, 24), (120, 40), (40, 10), (20, 5), (1, 1)];

/// What a relay of a small team has.
const TEAM: [(&str, &str); 9] = [
    ("home", "Around the house"),
    ("inbox", "Groceries and beta"),
    ("release-2.0", "Everything that must be done before 2.0 can go out to everybody"),
    ("roadmap", ""),
    ("standup-2026-11-27", "Stand-up of Friday"),
    ("standup-2026-11-30", "Stand-up of Monday"),
    ("standup-2026-12-01", "写作业 and 🚀 launch"),
    ("trip", "Trip to Łódź"),
    ("wishes", "مراجعة قائمة الأمان"),
];

fn snapshot(name: &str, desk: &mut Desk) {
    for (cols, rows) in SIZES {
        desk.resize(cols, rows);
        insta::assert_snapshot!(format!("{name}_{cols}x{rows}"), desk.screen());
    }
}

fn desk() -> Desk {
    let mut desk = Desk::new(setup(), 80, 24);
    desk.fill(&["▌[ ] Ship the beta", "[ ] Buy milk", "[x] Tag it", "[ ] Water the plants", "[ ] Call Łukasz"]);
    desk.theirs(ANA, Edit::Title("Groceries and beta".into()));
    desk.send(Msg::Status(live(0)));
    desk.send(Msg::Known(["inbox", "home", "trip", "notes"].map(list_name).to_vec()));
    desk
}

fn switcher() -> Desk {
    let mut desk = desk();
    desk.keys("gl");
    desk.answer(&TEAM, false);
    desk
}

#[test]
fn all_lists() {
    let mut desk = desk();
    desk.keys("g");
    snapshot("lists_begun", &mut desk);
    let mut desk = Desk::new(setup(), 80, 24);
    desk.send(Msg::Status(live(0)));
    desk.keys("gl");
    snapshot("lists_empty", &mut desk);
    snapshot("lists", &mut switcher());
}

#[test]
fn looking_for_a_list() {
    let mut desk = switcher();
    desk.keys("stand<down>");
    snapshot("lists_searching", &mut desk);
    desk.keys("<esc>garden");
    snapshot("lists_new", &mut desk);
    desk.keys("<esc>für Ana");
    snapshot("lists_no_name", &mut desk);
}

#[test]
fn lists_while_offline() {
    let mut desk = desk();
    desk.send(Msg::Status(Status { link: Link::Offline { why: Some("connection refused".to_owned()) }, ..live(2) }));
    desk.keys("gl");
    snapshot("lists_offline", &mut desk);
}

#[test]
fn more_lists_than_there_is_room_for() {
    let mut desk = desk();
    let names: Vec<String> = (0..100).map(|number| format!("list-{number:03}")).collect();
    let lists: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "one of many")).collect();
    desk.keys("gl");
    desk.answer(&lists, true);
    desk.keys("<pgdn><pgdn>");
    snapshot("lists_more", &mut desk);
}

#[test]
fn deleting_a_list() {
    let mut desk = switcher();
    desk.keys("relea<del>rel<enter>");
    snapshot("lists_delete", &mut desk);
}

#[test]
fn writing_a_title() {
    let mut desk = switcher();
    desk.keys("road<c-t>Where we are going");
    snapshot("lists_title", &mut desk);
    let mut desk = self::desk();
    desk.keys("gt, and more");
    snapshot("title", &mut desk);
}

#[test]
fn moving_items() {
    let mut desk = desk();
    desk.keys("3M");
    desk.answer(&TEAM, false);
    snapshot("move", &mut desk);
    desk.keys("<enter>");
    let items = (0..3).filter_map(|row| desk.list.at_row(row)).collect();
    desk.send(Msg::Moving(items));
    desk.send(Msg::Status(Status { moving: 3, ..live(3) }));
    snapshot("moving", &mut desk);
}

#[test]
fn a_list_that_was_deleted() {
    let mut desk = desk();
    desk.theirs(ANA, Edit::Add { spot: Spot::Bottom, items: vec![vec![Register::Text("a".into())]] });
    desk.keys("obuy oat milk");
    desk.send(Msg::Status(Status { link: Link::Gone, ..live(3) }));
    snapshot("gone_writing", &mut desk);
    desk.keys("<esc>");
    snapshot("gone_asked", &mut desk);
    desk.keys("jj");
    snapshot("gone", &mut desk);
    desk.keys("<esc>x");
    snapshot("gone_refused", &mut desk);
}

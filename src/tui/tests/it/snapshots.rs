//! The screen at many sizes, as text.

use betwixt_core::edit::{Edit, Spot};
use betwixt_core::id::SiteId;
use betwixt_core::register::{Date, Register};
use betwixt_core::wire::Person;
use betwixt_tui::{Link, Msg, Refusal, Setup, Status};

use crate::desk::{ANA, Desk, ME, live, setup};

const SIZES: [(u16, u16); 6] = [(80, 24), (120, 40), (40, 10), (20, 5), (19, 4), (1, 1)];

fn snapshot(name: &str, desk: &mut Desk) {
    for (cols, rows) in SIZES {
        desk.resize(cols, rows);
        insta::assert_snapshot!(format!("{name}_{cols}x{rows}"), desk.screen());
    }
}

fn snapshot_at(name: &str, desk: &mut Desk, cols: u16, rows: u16) {
    desk.resize(cols, rows);
    insta::assert_snapshot!(name, desk.screen());
}

/// A list that a team works on.
fn team() -> Desk {
    let mut desk = Desk::new(setup(), 80, 24);
    let text = |text: &str| Register::Text(text.into());
    let items = vec![
        vec![text("Ship the beta"), Register::Priority(Some(1)), Register::Due(Date::new(2026, 12, 4))],
        vec![text("Write the release notes"), Register::Depth(1), Register::Assignee("ana".into())],
        vec![text("Check the upgrade path, from every version that is still out there, by hand"), Register::Depth(1)],
        vec![text("Tag it"), Register::Depth(1), Register::Done(true)],
        vec![text("写作业 and 🚀 launch 👩‍🔬"), Register::Tags(vec!["school".into(), "fun".into()])],
        vec![text("مراجعة قائمة الأمان"), Register::Assignee("bea".into())],
        vec![text("Buy milk"), Register::Done(true)],
        vec![text("Water the plants"), Register::Due(Date::new(2026, 12, 1)), Register::Tags(vec!["home".into()])],
    ];
    let outcome = desk.theirs(ANA, Edit::Add { spot: Spot::Bottom, items });
    desk.theirs(ANA, Edit::Title("Groceries and beta".into()));
    desk.keys("2G");
    let person = |site: u8, name: &str, row: usize, editing| Person {
        site: SiteId::from_bytes([site; 16]),
        name: name.into(),
        at: outcome.items.get(row).copied(),
        editing,
    };
    let people = vec![person(1, "bea", 1, false), person(2, "ana", 4, true), person(3, "ana", 7, false)];
    desk.send(Msg::People(people, ME));
    desk.send(Msg::Status(live(0)));
    desk
}

#[test]
fn an_empty_list_says_how_to_begin() {
    let mut desk = Desk::new(setup(), 80, 24);
    desk.send(Msg::Status(live(0)));
    snapshot("first_screen", &mut desk);
    let mut remote = Desk::new(Setup { relay: Some("wss://relay.example/".to_owned()), ..setup() }, 80, 24);
    remote.send(Msg::Status(Status { link: Link::CatchingUp { missing: 12_453 }, ..live(0) }));
    snapshot_at("first_screen_on_its_way", &mut remote, 80, 24);
}

#[test]
fn a_list_that_a_team_works_on() {
    snapshot("team", &mut team());
}

#[test]
fn a_long_list_shows_where_we_are() {
    let mut desk = Desk::new(setup(), 80, 24);
    let items = (1..=12_453).map(|number| vec![Register::Text(format!("row {number}").into())]).collect();
    desk.theirs(ANA, Edit::Add { spot: Spot::Bottom, items });
    desk.send(Msg::Status(Status { link: Link::Host("relay.example".to_owned()), unsent: 3, ..live(0) }));
    desk.keys("6000G");
    snapshot("long", &mut desk);
}

#[test]
fn writing_a_new_item() {
    let mut desk = team();
    desk.keys("o写 a new item");
    snapshot("writing", &mut desk);
    desk.keys(&" and its text does not end where the screen does".repeat(2));
    snapshot_at("writing_a_long_text", &mut desk, 80, 24);
}

#[test]
fn all_keys() {
    let mut desk = team();
    desk.keys("?");
    snapshot("help", &mut desk);
}

#[test]
fn refused_edits() {
    let mut desk = team();
    desk.send(Msg::Status(Status { refused: 2, ..live(4) }));
    let refusal = |number, what: &str, code: &str| Refusal { number, what: what.to_owned(), code: code.to_owned() };
    desk.send(Msg::Refused(vec![
        refusal(1, "rewrite \"Buy oat milk\"", "the item is gone"),
        refusal(2, "add \"写作业\"", "the list is full"),
    ]));
    snapshot_at("refused_status", &mut desk, 80, 24);
    desk.keys("!j");
    snapshot("drawer", &mut desk);
}

#[test]
fn another_list_of_that_name() {
    let mut desk = team();
    desk.send(Msg::Status(Status { link: Link::OtherList, ..live(4) }));
    desk.keys("j");
    snapshot("dialog", &mut desk);
    desk.resize(80, 24);
    desk.keys("n<enter>!<enter>");
    snapshot_at("dialog_name", &mut desk, 80, 24);
}

#[test]
fn long_keys_are_told_in_words() {
    let mut desk = Desk::new(setup(), 80, 24);
    desk.theirs(ANA, Edit::Add { spot: Spot::Bottom, items: vec![vec![Register::Text("a".into())]; 2] });
    // Always between the last two that came: keys grow as fast as they can.
    for round in 0..800 {
        let (above, below) = (desk.list.at_row(round / 2), desk.list.at_row(round / 2 + 1));
        let spot =
            if round % 2 == 0 { Spot::After(above.expect("a row")) } else { Spot::Before(below.expect("a row")) };
        desk.theirs(ANA, Edit::Add { spot, items: vec![vec![Register::Text(format!("row {round}").into())]] });
        if desk.list.lengths().longest() >= 64 {
            break;
        }
    }
    assert!(desk.list.lengths().longest() >= 64, "this makes long keys");
    desk.send(Msg::Status(live(0)));
    snapshot("long_keys", &mut desk);
}

#[test]
fn a_crowd_is_counted() {
    let mut desk = team();
    let at = desk.list.at_row(0);
    let people = (1..=40).map(|site| Person {
        site: SiteId::from_bytes([site; 16]),
        name: format!("person {}", site % 37).into(),
        at,
        editing: site % 2 == 0,
    });
    desk.send(Msg::People(people.collect(), ME));
    snapshot_at("crowd_80x24", &mut desk, 80, 24);
    snapshot_at("crowd_40x10", &mut desk, 40, 10);
}

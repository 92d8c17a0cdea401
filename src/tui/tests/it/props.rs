//! Whatever happens, at whatever size: no panic, and the selection is a live item.

use betwixt_core::edit::{Edit, Spot};
use betwixt_core::id::ListUid;
use betwixt_core::name::ListName;
use betwixt_core::register::Register;
use betwixt_core::wire::{Listed, Listing, Person};
use betwixt_tui::{Effect, Link, Msg, Preset, Refusal, Setup, Status};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use proptest::prelude::*;

use crate::desk::{ANA, Desk, ME, list_name, setup};

#[derive(Debug, Clone)]
enum Step {
    Key(KeyCode, KeyModifiers),
    Keys(&'static str),
    Paste(String),
    Resize(u16, u16),
    TheyAdd(usize, String, u8),
    TheyDelete(usize),
    TheyMove(usize, usize),
    TheyWrite(usize, String),
    Later(u64),
    Fail,
    Status(u8),
    People(Vec<(u8, String, usize)>),
    Refused(Vec<u64>),
    Known(Vec<u8>),
    Answer(usize, Vec<(u8, String)>, bool),
    NoAnswer(usize),
    Deleted(u8),
    NotDeleted(u8),
    Titled(u8, String),
    Moving(Vec<usize>),
}

fn size() -> impl Strategy<Value = (u16, u16)> {
    prop_oneof![4 => (0_u16..=60, 0_u16..=30), 1 => (60_u16..=130, 0_u16..=45)]
}

fn step() -> impl Strategy<Value = Step> {
    let keys = prop_oneof![
        Just("dd"),
        Just("gg"),
        Just("G"),
        Just("J"),
        Just("K"),
        Just("gK"),
        Just("gJ"),
        Just("3j"),
        Just("5dd"),
        Just("o"),
        Just("O"),
        Just("a"),
        Just("e"),
        Just("x"),
        Just("u"),
        Just("<c-r>"),
        Just(">"),
        Just("<"),
        Just("<enter>"),
        Just("<esc>"),
        Just("<c-c>"),
        Just("?"),
        Just("!"),
        Just("<c-d>"),
        Just("<pgdn>"),
        Just("<tab>"),
        Just("<s-tab>"),
        Just("<bs>"),
        Just("<a-o>"),
        Just("<a-down>"),
        Just("n<enter>"),
        Just("99J"),
        Just("gl"),
        Just("gt"),
        Just("3M"),
        Just("g2"),
        Just("]"),
        Just("["),
        Just("<c-t>"),
        Just("<c-d>l-3<enter>"),
        Just("<c-d>inbox<enter>"),
        Just("l-1"),
        Just("<c-o>"),
        Just("<f6>"),
        Just("<up>"),
        Just("<down><down>"),
        Just("<pgup>"),
    ];
    let code = prop_oneof![
        any::<char>().prop_map(KeyCode::Char),
        "[a-zA-Z0-9!?<>]".prop_map(|c| KeyCode::Char(c.chars().next().expect("a character"))),
        Just(KeyCode::Enter),
        Just(KeyCode::Esc),
        Just(KeyCode::Backspace),
        Just(KeyCode::Left),
        Just(KeyCode::Delete),
    ];
    let modifiers = prop_oneof![
        4 => Just(KeyModifiers::NONE),
        1 => Just(KeyModifiers::CONTROL),
        1 => Just(KeyModifiers::ALT),
        1 => Just(KeyModifiers::SHIFT),
    ];
    prop_oneof![
        6 => keys.prop_map(Step::Keys),
        3 => (code, modifiers).prop_map(|(code, modifiers)| Step::Key(code, modifiers)),
        1 => "(\\PC|[\\n\\t ]){0,20}".prop_map(Step::Paste),
        1 => size().prop_map(|(cols, rows)| Step::Resize(cols, rows)),
        3 => (any::<usize>(), "\\PC{0,30}", 0_u8..=8).prop_map(|(at, text, depth)| Step::TheyAdd(at, text, depth)),
        2 => any::<usize>().prop_map(Step::TheyDelete),
        1 => (any::<usize>(), any::<usize>()).prop_map(|(from, to)| Step::TheyMove(from, to)),
        1 => (any::<usize>(), "\\PC{0,30}").prop_map(|(at, text)| Step::TheyWrite(at, text)),
        1 => (0_u64..8_000).prop_map(Step::Later),
        1 => Just(Step::Fail),
        1 => (0_u8..9).prop_map(Step::Status),
        1 => prop::collection::vec((0_u8..9, "\\PC{0,10}", any::<usize>()), 0..6).prop_map(Step::People),
        1 => prop::collection::vec(0_u64..6, 0..4).prop_map(Step::Refused),
        1 => prop::collection::vec(0_u8..9, 0..9).prop_map(Step::Known),
        4 => (any::<usize>(), prop::collection::vec((any::<u8>(), "\\PC{0,40}"), 0..40), any::<bool>())
            .prop_map(|(question, lists, more)| Step::Answer(question, lists, more)),
        1 => any::<usize>().prop_map(Step::NoAnswer),
        1 => (0_u8..9).prop_map(Step::Deleted),
        1 => (0_u8..9).prop_map(Step::NotDeleted),
        1 => ((0_u8..9), "\\PC{0,40}").prop_map(|(list, title)| Step::Titled(list, title)),
        1 => prop::collection::vec(any::<usize>(), 0..4).prop_map(Step::Moving),
    ]
}

/// One of the lists; the open one among them.
fn list(number: u8) -> ListName {
    if number == 4 { list_name("inbox") } else { list_name(&format!("l-{number}")) }
}

/// One of the questions about lists so far, answered or not.
fn question(desk: &Desk, at: usize) -> Option<Listing> {
    let is_question = |effect: &Effect| match effect {
        Effect::AskLists(asked) => Some(asked.clone()),
        _ => None,
    };
    let questions: Vec<Listing> = desk.effects.iter().filter_map(is_question).collect();
    // Mostly the last ones, which may still be open.
    let back = (at % 4).min(questions.len().saturating_sub(1));
    questions.into_iter().rev().nth(back)
}

fn row(desk: &Desk, at: usize) -> Option<betwixt_core::id::ItemId> {
    desk.list.at_row(at.checked_rem(desk.list.order().live_len())?)
}

fn take(desk: &mut Desk, step: Step) {
    match step {
        Step::Key(code, modifiers) => desk.send(Msg::Key(KeyEvent::new(code, modifiers))),
        Step::Keys(keys) => desk.keys(keys),
        Step::Paste(text) => desk.send(Msg::Paste(text)),
        Step::Resize(cols, rows) => desk.resize(cols, rows),
        Step::TheyAdd(at, text, depth) => {
            let spot = row(desk, at).map_or(Spot::Bottom, Spot::After);
            let item = vec![Register::Text(text.into()), Register::Depth(depth)];
            desk.theirs(ANA, Edit::Add { spot, items: vec![item] });
        }
        Step::TheyDelete(at) => {
            if let Some(id) = row(desk, at) {
                desk.theirs(ANA, Edit::Set { writes: vec![(id, vec![Register::Deleted(true)])] });
            }
        }
        Step::TheyMove(from, to) => {
            if let (Some(from), Some(to)) = (row(desk, from), row(desk, to))
                && from != to
            {
                desk.theirs(ANA, Edit::Move { items: vec![from], spot: Spot::Before(to) });
            }
        }
        Step::TheyWrite(at, text) => {
            if let Some(id) = row(desk, at) {
                desk.theirs(ANA, Edit::Set { writes: vec![(id, vec![Register::Text(text.into())])] });
            }
        }
        Step::Later(millis) => {
            desk.now.0 += millis;
            desk.send(Msg::Wake);
        }
        Step::Fail => desk.fails = Some("no room for a key here"),
        Step::Status(kind) => {
            let link = match kind {
                0 => Link::LocalRelay,
                1 => Link::Host("relay.example".to_owned()),
                2 => Link::CatchingUp { missing: u64::MAX },
                3 => Link::Offline { why: Some("no route to host".to_owned()) },
                4 => Link::NeedsNewer,
                5 | 6 => Link::OtherList,
                7 => Link::Gone,
                _ => Link::Damaged,
            };
            let many = usize::from(kind) * 1_000_000;
            desk.send(Msg::Status(Status {
                link,
                unsent: many,
                refused: many,
                stranded: many,
                moving: many,
                figures: None,
            }));
        }
        Step::People(people) => {
            let people = people.into_iter().map(|(site, name, at)| Person {
                site: betwixt_core::id::SiteId::from_bytes([site; 16]),
                name: name.into(),
                at: row(desk, at),
                editing: site % 2 == 0,
            });
            let people = people.collect();
            desk.send(Msg::People(people, ME));
        }
        Step::Refused(numbers) => {
            let refusals = numbers.into_iter().map(|number| Refusal {
                number,
                what: "milk".to_owned(),
                code: "the item is gone".to_owned(),
            });
            desk.send(Msg::Refused(refusals.collect()));
        }
        Step::Known(lists) => desk.send(Msg::Known(lists.into_iter().map(list).collect())),
        Step::Answer(at, lists, more) => {
            if let Some(asked) = question(desk, at) {
                let listed = |(number, title): (u8, String)| Listed {
                    name: list(number),
                    uid: ListUid::from_bytes([number; 16]),
                    title: title.into(),
                };
                desk.send(Msg::Lists { asked, lists: lists.into_iter().map(listed).collect(), more });
            }
        }
        Step::NoAnswer(at) => {
            if let Some(asked) = question(desk, at) {
                desk.send(Msg::ListsFailed { asked, why: "too slow".to_owned() });
            }
        }
        Step::Deleted(number) => desk.send(Msg::ListDeleted(list(number))),
        Step::NotDeleted(number) => desk.send(Msg::ListNotDeleted { list: list(number), why: "too slow".to_owned() }),
        Step::Titled(number, title) => desk.send(Msg::Titled { list: list(number), title }),
        Step::Moving(rows) => {
            let items = rows.into_iter().filter_map(|at| row(desk, at)).collect();
            desk.send(Msg::Moving(items));
        }
    }
}

/// How many cases each law tries: `BETWIXT_CASES`, or a few hundred.
fn cases() -> u32 {
    std::env::var("BETWIXT_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(256)
}

/// Lines for rows on the desk's screen.
const ROW_LINES: usize = 10;

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_panics_and_the_selection_is_live(
        size in size(),
        plain in any::<bool>(),
        steps in prop::collection::vec(step(), 0..60),
    ) {
        let preset = if plain { Preset::Plain } else { Preset::Vim };
        let mut desk = Desk::new(Setup { preset, ..setup() }, size.0, size.1);
        for step in steps {
            let shown = format!("{step:?}");
            take(&mut desk, step);
            desk.draw();
            let selected = desk.model.selected();
            let is_live = selected.is_some_and(|id| desk.list.row(id).is_some());
            prop_assert!(is_live || (selected.is_none() && desk.list.order().live_len() == 0), "after {}", shown);
        }
    }

    #[test]
    fn whatever_others_do_the_row_under_the_hand_stays_on_its_line(
        before in 1_usize..30,
        at in any::<usize>(),
        edits in prop::collection::vec((any::<bool>(), any::<usize>()), 0..40),
    ) {
        let rows: Vec<String> = (0..before).map(|number| format!("[ ] row {number}")).collect();
        let mut desk = Desk::of(&rows.iter().map(String::as_str).collect::<Vec<_>>());
        desk.keys(&format!("{}G", at % before + 1));
        let selected = desk.model.selected();
        let mut line = desk.line_of("▌");
        for (adds, at) in edits {
            let id = row(&desk, at).expect("a row");
            if adds {
                let item = vec![Register::Text("new".into())];
                desk.theirs(ANA, Edit::Add { spot: Spot::Before(id), items: vec![item] });
            } else if Some(id) != selected {
                desk.theirs(ANA, Edit::Set { writes: vec![(id, vec![Register::Deleted(true)])] });
            }
            prop_assert_eq!(desk.model.selected(), selected);
            // Unless fewer rows are left above it than there are lines, or fewer below it than there is room for.
            let above = desk.list.row(selected.expect("a selection")).expect("a row");
            let hidden = above.saturating_sub(line - 2).min(desk.list.order().live_len().saturating_sub(ROW_LINES));
            line = above - hidden + 2;
            prop_assert_eq!(desk.line_of("▌"), line);
        }
    }
}

//! Text that attacks a terminal, through every place that shows text of others.

use betwixt_core::edit::{Edit, Spot};
use betwixt_core::register::Register;
use betwixt_core::safe_text::hostile::HOSTILE;
use betwixt_core::wire::Person;
use betwixt_tui::{Effect, Link, Model, Msg, Refusal, Setup, Status};
use ratatui::Terminal;
use ratatui::backend::TestBackend;

use crate::desk::{ANA, Desk, ME, list_name, live, setup};

#[track_caller]
fn check_cells(desk: &Desk, hostile: &str) {
    for (cols, rows) in [(80, 24), (40, 10), (20, 5), (7, 3)] {
        let mut terminal = Terminal::new(TestBackend::new(cols, rows)).expect("a screen");
        terminal.draw(|frame| betwixt_tui::view(&desk.model, &desk.list, frame)).expect("a frame");
        for cell in terminal.backend().buffer().content() {
            let bad = cell.symbol().chars().find(|c| c.is_control() || is_steering(*c));
            assert_eq!(bad, None, "{hostile:?} reaches a cell as {:?}", cell.symbol());
        }
    }
}

/// What reorders or hides, whatever a terminal does with controls.
fn is_steering(c: char) -> bool {
    matches!(c,
        '\u{200E}' | '\u{200F}' | '\u{061C}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{2028}'
        | '\u{2029}' | '\u{200B}' | '\u{FEFF}' | '\u{2060}')
}

#[test]
fn no_attack_reaches_a_cell() {
    for hostile in HOSTILE {
        let setup = Setup {
            person: (*hostile).to_owned(),
            command: (*hostile).to_owned(),
            socket: (*hostile).to_owned(),
            data: (*hostile).to_owned(),
            ..setup()
        };
        let mut desk = Desk::new(setup, 80, 24);
        desk.model = Model::new(Setup { relay: Some((*hostile).to_owned()), ..self::setup() });
        check_cells(&desk, hostile);
        let text = || -> Register { Register::Text((*hostile).into()) };
        let item = vec![text(), Register::Assignee((*hostile).into()), Register::Tags(vec![(*hostile).into()])];
        desk.theirs(ANA, Edit::Add { spot: Spot::Top, items: vec![item, vec![text()]] });
        desk.theirs(ANA, Edit::Title((*hostile).into()));
        let id = desk.list.at_row(1);
        let person = |site, name: &str| Person { site, name: name.into(), at: id, editing: true };
        desk.send(Msg::People(vec![person(ME, hostile), person(ANA, hostile)], ME));
        desk.send(Msg::Status(Status { link: Link::Host((*hostile).to_owned()), ..live(1) }));
        check_cells(&desk, hostile);
        desk.send(Msg::Status(Status { link: Link::Offline { why: Some((*hostile).to_owned()) }, ..live(1) }));
        desk.send(Msg::Notice((*hostile).to_owned()));
        check_cells(&desk, hostile);
        desk.keys("e");
        check_cells(&desk, hostile);
        desk.send(Msg::Paste((*hostile).to_owned()));
        check_cells(&desk, hostile);
        let theirs = vec![(desk.list.at_row(0).expect("a row"), vec![Register::Text(format!("{hostile}!").into())])];
        desk.theirs(ANA, Edit::Set { writes: theirs });
        check_cells(&desk, hostile);
        desk.keys("<enter><esc>");
        check_cells(&desk, hostile);
        let refusal = Refusal { number: 1, what: (*hostile).to_owned(), code: (*hostile).to_owned() };
        desk.send(Msg::Refused(vec![refusal]));
        desk.keys("!");
        check_cells(&desk, hostile);
        desk.keys("<esc>");
        desk.send(Msg::EditFailed((*hostile).to_owned()));
        check_cells(&desk, hostile);
    }
}

#[test]
fn no_attack_reaches_a_cell_through_the_lists() {
    for hostile in HOSTILE {
        let mut desk = Desk::new(setup(), 80, 24);
        desk.send(Msg::Status(live(1)));
        desk.theirs(ANA, Edit::Title((*hostile).into()));
        desk.keys("gl");
        desk.answer(&[("a", hostile), ("inbox", hostile), ("z", &hostile.repeat(40))], true);
        check_cells(&desk, hostile);
        for keys in ["<down>", "<up><c-t>", "<esc><up><c-t>", "<esc><c-d>", "<enter>"] {
            desk.keys(keys);
            check_cells(&desk, hostile);
        }
        desk.send(Msg::Paste((*hostile).to_owned()));
        check_cells(&desk, hostile);
        desk.keys("<esc>");
        desk.send(Msg::Paste((*hostile).to_owned()));
        check_cells(&desk, hostile);
        desk.keys("<esc><esc>gl");
        let question = desk.told().into_iter().rev().find_map(|effect| match effect {
            Effect::AskLists(asked) => Some(asked),
            _ => None,
        });
        let asked = question.expect("a question");
        desk.send(Msg::ListsFailed { asked, why: (*hostile).to_owned() });
        check_cells(&desk, hostile);
        desk.send(Msg::ListNotDeleted { list: list_name("a"), why: (*hostile).to_owned() });
        check_cells(&desk, hostile);
        desk.send(Msg::Titled { list: list_name("a"), title: (*hostile).to_owned() });
        desk.keys("<esc>gt");
        check_cells(&desk, hostile);
        desk.send(Msg::Paste((*hostile).to_owned()));
        check_cells(&desk, hostile);
    }
}

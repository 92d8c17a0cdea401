//! The lists: finding one, going to it, its title, deleting it.

use betwixt_core::edit::Edit;
use betwixt_core::hlc::Millis;
use betwixt_core::id::ListUid;
use betwixt_core::wire::Listing;
use betwixt_tui::{Effect, Link, Model, Msg, Preset, Setup, Status};

use crate::desk::{ANA, Desk, list_name, listed, live, setup};

const TEAM: [(&str, &str); 4] =
    [("home", "Around the house"), ("inbox", ""), ("standup-1", "Monday"), ("standup-2", "Tuesday")];

fn desk() -> Desk {
    let mut desk = Desk::new(setup(), 80, 16);
    desk.fill(&["▌[ ] a", "[ ] b"]);
    desk.send(Msg::Status(live(0)));
    desk.send(Msg::Known(["inbox", "home", "trip"].map(list_name).to_vec()));
    desk.effects.clear();
    desk
}

fn switcher() -> Desk {
    let mut desk = desk();
    desk.keys("gl");
    desk.answer(&TEAM, false);
    desk
}

fn question(prefix: &str, after: Option<&str>) -> Effect {
    Effect::AskLists(Listing { prefix: prefix.into(), after: after.map(list_name), limit: 100 })
}

/// What is picked, as the screen shows it.
#[track_caller]
fn picked(desk: &Desk) -> String {
    let (lines, _) = desk.draw();
    let line = lines.iter().find(|line| line.starts_with('▌')).unwrap_or_else(|| panic!("{}", lines.join("\n")));
    let row = line.trim_start_matches(['▌', ' ']);
    let keyless =
        row.strip_prefix('g').map(|row| row.trim_start_matches(char::is_numeric)).filter(|row| row.starts_with(' '));
    keyless.unwrap_or(row).trim().to_owned()
}

fn opened(name: &str) -> Effect {
    Effect::Open(list_name(name))
}

#[test]
fn a_list_is_found_by_a_few_letters_and_opened() {
    let mut desk = desk();
    desk.keys("gl");
    assert_eq!(desk.told(), [question("", None)]);
    assert!(picked(&desk).starts_with("inbox"), "the open one is under the hand");
    desk.answer(&TEAM, false);
    desk.keys("TUES");
    assert!(picked(&desk).starts_with("standup-2"), "by its title, in any case: {}", desk.screen());
    desk.keys("<enter>");
    assert_eq!(desk.told().last(), Some(&opened("standup-2")));
    assert_eq!(desk.rows(), ["▌ [ ] a", "  [ ] b"], "the switcher is gone");
    assert_eq!(desk.edits, 0);
}

#[test]
fn keys_that_are_not_typed_choose() {
    for (keys, name) in [
        ("<down>", "standup-1"),
        ("<c-n>", "standup-1"),
        ("<c-j>", "standup-1"),
        ("<up>", "home"),
        ("<c-p>", "home"),
        ("<c-k>", "home"),
        ("<pgdn>", "trip"),
        ("<pgdn><pgup>", "home"),
        ("h", "home"),
        ("up", "standup-1"),
    ] {
        let mut desk = switcher();
        desk.keys(keys);
        assert!(picked(&desk).starts_with(name), "{keys}: {}", desk.screen());
    }
}

#[test]
fn esc_clears_the_search_and_then_closes() {
    let mut desk = switcher();
    desk.keys("stand<esc>");
    assert!(picked(&desk).starts_with("inbox"), "{}", desk.screen());
    desk.keys("<esc>");
    assert_eq!(desk.rows(), ["▌ [ ] a", "  [ ] b"]);
    desk.keys("gl<enter>");
    assert!(!desk.effects.iter().any(|effect| matches!(effect, Effect::Open(_))), "the open list is open");
    assert_eq!(desk.rows().len(), 2);
}

#[test]
fn a_name_that_no_list_has_is_a_new_list() {
    let mut desk = switcher();
    desk.keys("garden");
    assert_eq!(picked(&desk), "new list \"garden\"");
    desk.keys("<enter>");
    assert_eq!(desk.told().last(), Some(&opened("garden")));
    let mut desk = switcher();
    desk.keys("home");
    assert!(!desk.screen().contains("new list"), "{}", desk.screen());
    desk.keys("<c-u>über");
    assert!(desk.screen().contains("a name has letters, digits, - _ ."), "{}", desk.screen());
    desk.effects.clear();
    desk.keys("<enter>");
    assert_eq!(desk.told(), [], "no list has such a name");
    desk.keys("<esc>stand<down><down>");
    assert_eq!(picked(&desk), "new list \"stand\"");
}

#[test]
fn what_is_typed_is_asked_of_the_relay_too() {
    let mut desk = desk();
    desk.keys("gl");
    desk.answer(&TEAM, true);
    desk.keys("zo");
    assert_eq!(desk.told(), [question("z", None), question("zo", None)]);
    assert_eq!(picked(&desk), "new list \"zo\"");
    desk.answer(&[("zebra", "")], false);
    desk.answer(&[("zoo", "Animals")], false);
    assert!(picked(&desk).starts_with("zoo"), "what came fits better than a new list: {}", desk.screen());
    desk.effects.clear();
    desk.keys("<bs>é");
    assert_eq!(desk.told(), [], "the one is known, and no name begins with the other");
}

#[test]
fn an_answer_never_moves_what_a_hand_picked() {
    let mut desk = desk();
    desk.keys("gl<down>");
    assert!(picked(&desk).starts_with("trip"));
    desk.answer(&[("a", ""), ("b", ""), ("inbox", ""), ("zoo", "")], false);
    assert!(picked(&desk).starts_with("trip"), "{}", desk.screen());
    desk.keys("<esc>gl");
    let names: Vec<String> =
        ["a", "z"].iter().flat_map(|head| (10..60).map(move |number| format!("{head}-{number}"))).collect();
    let many: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "")).collect();
    desk.keys("<down>");
    let line = desk.line_of("▌");
    desk.answer(&many, false);
    assert_eq!(desk.line_of("▌"), line, "{}", desk.screen());
    assert!(picked(&desk).starts_with("trip"), "{}", desk.screen());
    desk.keys("tri");
    desk.answer(&[("tr", "")], false);
    assert!(picked(&desk).starts_with("trip"), "{}", desk.screen());
}

#[test]
fn the_next_page_is_asked_for_before_the_end_and_only_once() {
    let mut desk = desk();
    desk.keys("gl");
    let names: Vec<String> = (0..100).map(|number| format!("list-{number:03}")).collect();
    let lists: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "")).collect();
    desk.answer(&lists, true);
    assert!(desk.screen().contains("of 103 lists, more below"), "{}", desk.screen());
    desk.keys("<pgdn>");
    assert_eq!(desk.told(), [], "the end is far");
    desk.keys(&"<pgdn>".repeat(20));
    assert_eq!(desk.told(), [question("", Some("list-099"))]);
    let line = desk.line_of("▌");
    desk.answer(&[("zoo", "")], false);
    assert!(desk.screen().contains("of 104 lists ─"), "{}", desk.screen());
    assert_eq!(desk.line_of("▌"), line, "{}", desk.screen());
    desk.keys(&"<down>".repeat(20));
    assert_eq!(desk.told(), [], "there is no more");
}

#[test]
fn offline_the_lists_of_this_machine_are_there() {
    let mut desk = switcher();
    desk.keys("<esc>");
    desk.send(Msg::Status(Status { link: Link::Offline { why: None }, ..live(0) }));
    desk.effects.clear();
    desk.keys("gl");
    assert_eq!(desk.told(), [], "there is nobody to ask");
    let screen = desk.screen();
    assert!(screen.contains("offline: the lists of this machine") && screen.contains("3 lists"), "{screen}");
    assert!(!screen.contains("standup"), "it would be another list of that name: {screen}");
    assert!(screen.contains("Around the house"), "{screen}");
    desk.send(Msg::Status(live(0)));
    assert_eq!(desk.told(), [question("", None)], "it is asked as soon as there is a link");
}

#[test]
fn a_relay_that_does_not_answer_is_named() {
    let mut desk = desk();
    desk.keys("gl");
    let Effect::AskLists(asked) = desk.told().remove(0) else { panic!("a question") };
    let other = Listing { prefix: "x".into(), ..asked.clone() };
    desk.send(Msg::ListsFailed { asked: other, why: "late".to_owned() });
    assert!(!desk.screen().contains("late"), "nobody asked that");
    desk.send(Msg::ListsFailed { asked, why: "too slow".to_owned() });
    assert!(desk.screen().contains("the relay tells no lists: too slow"), "{}", desk.screen());
}

#[test]
fn numbers_and_brackets_go_from_list_to_list() {
    for (keys, name) in [("g1", "home"), ("g3", "trip"), ("]", "trip"), ("[", "home"), ("9[", "home")] {
        let mut desk = desk();
        desk.keys(keys);
        assert_eq!(desk.told(), [opened(name)], "{keys}");
    }
    let mut desk = desk();
    desk.keys("g2");
    assert_eq!(desk.told(), [], "it is open");
    desk.keys("g7");
    assert_eq!(desk.foot(), "there is no list 7: 3 lists opened here yet; gl shows all");
    desk.send(Msg::Known(vec![]));
    desk.keys("]");
    assert_eq!(desk.foot(), "this is the last list that was opened here; gl shows all");
    desk.keys("[");
    assert_eq!(desk.foot(), "this is the first list that was opened here; gl shows all");
}

#[test]
fn the_plain_preset_goes_from_list_to_list_too() {
    let mut desk = Desk::new(Setup { preset: Preset::Plain, ..setup() }, 80, 16);
    desk.send(Msg::Status(live(0)));
    desk.send(Msg::Known(vec![list_name("home")]));
    desk.keys("<c-pgup>");
    assert_eq!(desk.told().last(), Some(&opened("home")));
    desk.keys("<c-o>ho<enter>");
    assert_eq!(desk.told().last(), Some(&opened("home")));
    desk.keys("<c-t>Mine<enter>");
    assert_eq!(desk.list.title(), Some("Mine"));
}

#[test]
fn another_list_has_its_own_screen_with_the_same_keys_and_size() {
    let mut desk = desk();
    desk.keys("gl");
    desk.answer(&TEAM, false);
    desk.keys("<esc>");
    let model = std::mem::replace(&mut desk.model, Model::new(setup()));
    desk.model = model.switched(list_name("trip"), "betwixt --list trip".to_owned());
    desk.list = betwixt_core::list::List::new(ListUid::from_bytes([9; 16]));
    desk.send(Msg::Changed);
    assert!(desk.screen().contains("betwixt --list trip"), "{}", desk.screen());
    desk.send(Msg::Status(live(0)));
    desk.keys("gl");
    assert!(picked(&desk).starts_with("trip"), "{}", desk.screen());
    assert!(desk.screen().contains("standup-2"), "what was told stays in sight until it is told again");
}

#[test]
fn the_title_of_the_open_list_is_written_above_the_rows() {
    let mut desk = desk();
    desk.keys("gtGroceries<enter>");
    assert_eq!(desk.list.title(), Some("Groceries"));
    assert!(desk.screen().starts_with(" Groceries  inbox"), "{}", desk.screen());
    desk.keys("gt<enter>gtx<esc>");
    assert_eq!((desk.list.title(), desk.edits), (Some("Groceries"), 1), "no change, no edit");
    desk.keys("gt and beta");
    desk.fails = Some("cannot keep it on this machine's disk");
    desk.keys("<enter>");
    assert!(desk.screen().starts_with(" title of inbox: Groceries and beta"), "nothing is lost: {}", desk.screen());
    desk.theirs(ANA, Edit::Title("Theirs".into()));
    desk.keys("<enter>");
    assert_eq!(desk.list.title(), Some("Groceries and beta"));
    desk.keys("u");
    assert_eq!(desk.foot(), "undid: the title");
    desk.keys("gt");
    desk.send(Msg::Paste("x".repeat(5_000)));
    assert!(desk.foot().starts_with("not written: a title holds 4,096 bytes"), "{}", desk.foot());
}

#[test]
fn titles_are_written_in_the_switcher() {
    let mut desk = switcher();
    desk.keys("<c-t>Groceries<enter>");
    assert_eq!(desk.list.title(), Some("Groceries"));
    assert!(picked(&desk).starts_with("inbox"), "the switcher is still there: {}", desk.screen());
    desk.keys("hom<c-t><c-u>At home<enter>");
    let title = Effect::Title { list: list_name("home"), title: "At home".to_owned() };
    assert_eq!(desk.told().last(), Some(&title));
    assert!(desk.screen().contains("Around the house"), "not before it is so");
    desk.send(Msg::Titled { list: list_name("home"), title: "At home".to_owned() });
    assert!(desk.screen().contains("At home"), "{}", desk.screen());
    desk.effects.clear();
    desk.keys("<c-t>x<esc>");
    assert!(desk.screen().contains("open list: hom"), "Esc goes back to choosing: {}", desk.screen());
    assert_eq!(desk.told(), []);
}

#[test]
fn a_list_is_deleted_only_by_its_name() {
    let mut desk = switcher();
    desk.keys("hom<c-d>");
    let screen = desk.screen();
    assert!(screen.contains("Delete home?  Around the house") && screen.contains("for everybody"), "{screen}");
    desk.effects.clear();
    desk.keys("<enter><enter>y<enter>");
    assert!(desk.screen().contains("not deleted: its name is home"), "{}", desk.screen());
    desk.keys("<esc><del><c-d>hom<enter>");
    assert_eq!(desk.told(), []);
    desk.keys("e<enter>");
    let listed = listed(&TEAM[0]);
    assert_eq!(desk.told(), [Effect::DeleteList { name: listed.name.clone(), uid: listed.uid }]);
    desk.effects.clear();
    desk.send(Msg::ListNotDeleted { list: list_name("home"), why: "the relay is silent".to_owned() });
    assert_eq!(desk.foot(), "home is not deleted: the relay is silent");
    desk.send(Msg::ListDeleted(list_name("home")));
    assert_eq!(desk.foot(), "home is deleted");
    assert_eq!(picked(&desk), "new list \"hom\"", "it is not there any more");
    assert_eq!(desk.told(), [question("", None), question("hom", None)], "all answers so far are old");
}

#[test]
fn a_list_that_the_relay_does_not_have_cannot_be_deleted_for_everybody() {
    let mut desk = switcher();
    desk.keys("trip<c-d>");
    assert_eq!(desk.foot(), "the relay has no such list: nobody else can see it");
    desk.send(Msg::Status(Status { link: Link::Offline { why: None }, ..live(0) }));
    desk.keys("<esc>hom<c-d>");
    assert_eq!(desk.foot(), "offline: a list is deleted on the relay, for everybody");
    desk.now = desk.now.plus(Millis(10_000));
    desk.send(Msg::Wake);
    assert!(desk.foot().starts_with("Enter open"), "{}", desk.foot());
}

#[test]
fn a_paste_is_looked_for() {
    let mut desk = switcher();
    desk.send(Msg::Paste("standup-2\n".to_owned()));
    assert!(picked(&desk).starts_with("standup-2"), "{}", desk.screen());
    assert_eq!(desk.edits, 0);
}

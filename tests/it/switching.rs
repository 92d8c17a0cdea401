//! Many lists, by key presses: one made, titled and filled, half of it moved to another while the link is cut, and one deleted
//! by one person while the other edits. Nothing is lost or doubled, and both are told.

use std::collections::BTreeSet;

use betwixt_tests::home::Home;
use betwixt_tests::relay::Relay;
use betwixt_tests::terminal::Terminal;
use betwixt_tests::wait::{LONG, until};

const ITEMS: usize = 200;

fn numbered(numbers: std::ops::RangeInclusive<usize>) -> Vec<String> {
    numbers.map(|number| format!("item {number}")).collect()
}

/// Opens a list by the switcher: one that there is, or a new one.
fn open_list(terminal: &mut Terminal, name: &str) {
    terminal.keys("gl");
    terminal.wait_for("open list:");
    terminal.keys(name);
    terminal.wait_until(LONG, "the list, or a new one", |screen| {
        screen.lines().any(|row| row.contains('▌') && row.contains(name))
    });
    terminal.keys("\r");
    terminal.wait_until(LONG, "the list, open", |screen| screen.lines().next().is_some_and(|row| row.contains(name)));
}

fn all_sent(terminal: &Terminal) {
    terminal.wait_until(LONG, "all sent", |screen| screen.contains("all sent") && !screen.contains("moving"));
}

/// Ids of a list's items.
fn ids(home: &Home, list: &str) -> BTreeSet<String> {
    let rows = home.json(["ls", list]);
    rows.as_array().expect("rows").iter().map(|row| row["id"].to_string()).collect()
}

#[test]
fn a_list_is_made_titled_and_filled_and_half_of_it_goes_elsewhere_while_the_link_is_cut() {
    let mut relay = Relay::default();
    let (ana, ben) = (Home::at_relay(&relay.url()), Home::at_relay(&relay.url()));
    let mut terminal = ana.open(["inbox"]);
    terminal.wait_for("127.0.0.1");

    open_list(&mut terminal, "work");
    terminal.keys("gt").keys("Release 0.1\r");
    terminal.wait_for("Release 0.1");
    terminal.paste(&format!("{}\n", numbered(1..=ITEMS).join("\n")));
    terminal.wait_for("of 200");
    all_sent(&terminal);
    assert_eq!(ben.texts("work"), numbered(1..=ITEMS));
    terminal.keys("u");
    terminal.wait_until(LONG, "one paste is one step", |screen| !screen.contains("[ ]"));
    terminal.keys("\u{12}");
    terminal.wait_for("of 200");
    all_sent(&terminal);

    // The first of two moves is under way when the link is cut, the second is made without one. Whether the first rows are
    // still here by then or not, the 50 behind them are others.
    terminal.keys("gg").keys("50M");
    terminal.wait_for("move 50 items to");
    terminal.keys("later\r");
    relay.kill();
    terminal.wait_for("offline");
    terminal.keys("51G").keys("50M");
    terminal.wait_for("offline: the lists of this machine");
    terminal.keys("later\r");
    terminal.wait_for("moving");
    relay.restart();
    terminal.wait_until(2 * LONG, "all moved", |screen| {
        screen.contains("all sent") && !screen.contains("moving") && screen.contains("of 100")
    });

    let (here, there) = (ids(&ben, "work"), ids(&ben, "later"));
    assert!(here.is_disjoint(&there), "an item is in both lists");
    assert_eq!((here.len(), there.len()), (ITEMS / 2, ITEMS / 2));
    let both: BTreeSet<String> = ben.texts("work").into_iter().chain(ben.texts("later")).collect();
    assert_eq!(both, numbered(1..=ITEMS).into_iter().collect());
    let number = |text: &String| text.trim_start_matches("item ").parse::<usize>().expect("a number");
    assert!(ben.texts("work").iter().map(number).is_sorted(), "what stays is in its order");
    assert!(ben.texts("later").iter().map(number).is_sorted(), "what went is in its order");

    open_list(&mut terminal, "later");
    terminal.wait_for("of 100");
}

#[test]
fn a_list_that_one_deletes_while_the_other_edits_is_gone_for_both_and_what_was_not_sent_is_not() {
    let mut relay = Relay::default();
    let (ana, ben) = (Home::at_relay(&relay.url()), Home::at_relay(&relay.url()));
    ana.ok(["add", "work", "sent", "long", "ago"]);

    // Ben has an edit that was not sent, in a window that is closed.
    let mut away = ben.open(["work"]);
    away.wait_for("sent long ago");
    relay.kill();
    away.wait_for("offline");
    away.keys("o").keys("written without a link\r\x1b");
    away.wait_for("1 unsent");
    away.keys("q");
    away.wait_end();
    relay.restart();

    // Cem writes while Ana deletes.
    let cem = Home::at_relay(&relay.url());
    let mut writing = cem.open(["work"]);
    writing.wait_for("sent long ago");
    writing.keys("o").keys("half a sentence");
    writing.wait_for("half a sentence");
    let mut deleting = ana.open(["work"]);
    deleting.wait_for("sent long ago");
    deleting.keys("gl");
    deleting.wait_for("open list:");
    deleting.keys("work");
    deleting.wait_until(LONG, "the list", |screen| screen.lines().any(|row| row.contains('▌') && row.contains("work")));
    deleting.keys("\x04");
    deleting.wait_for("for everybody");
    deleting.keys("\r");
    assert!(ana.ok(["ls", "work"]).contains("sent long ago"), "a stray Enter deletes nothing");
    deleting.keys("work\r");
    deleting.wait_for("deleted");
    writing.wait_for("deleted");
    assert!(writing.screen().contains("half a sentence"), "what is being written stays under the hand");

    // What he was writing goes into the file.
    writing.keys("\r");
    writing.wait_for("half a sentence");
    writing.keys("\x1b");
    writing.wait_for("The list work was deleted");
    writing.keys("e\r");
    writing.wait_for("the list is in");
    let exported = |home: &Home| -> String {
        until(LONG, "the file is written", || {
            let folder = std::fs::read_dir(home.data().join("exports")).ok()?;
            let file = folder.map_while(Result::ok).next()?.path();
            std::fs::read_to_string(file).ok().filter(|text| !text.is_empty())
        })
    };
    let file = exported(&cem);
    assert!(file.contains("- [ ] sent long ago") && file.contains("half a sentence"), "{file}");

    // Ben comes back: he is told, and his edit is there.
    let mut back = ben.open(["work"]);
    back.wait_for("The list work was deleted");
    back.wait_for("1 edit was not sent");
    back.keys("e\r");
    let file = exported(&ben);
    assert!(file.contains("written without a link"), "{file}");
    back.keys("l\r");
    back.wait_for("open list:");
    back.keys("work\r");
    back.wait_until(LONG, "an empty list", |screen| !screen.contains("deleted") && !screen.contains("written without"));
    back.keys("o").keys("a new beginning\r\x1b");
    all_sent(&back);
    assert_eq!(ana.texts("work"), ["a new beginning"], "the name is free again, for a list without the old items");
}

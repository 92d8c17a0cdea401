//! What the relay does not take, and what a person does about it: the drawer, and the choice about a name that is taken.

use std::fs;

use betwixt_tests::home::Home;
use betwixt_tests::peer::Peer;
use betwixt_tests::relay::Relay;
use betwixt_tests::terminal::Terminal;
use betwixt_tests::wait::LONG;

const LIMIT: [&str; 2] = ["--limit", "text_bytes=64"];

fn long() -> String {
    format!("too long for this relay {}", "x".repeat(60))
}

fn ten() -> Vec<String> {
    (0..10).map(|number| format!("short {number}")).collect()
}

/// A relay that takes texts of 64 bytes, and the screen of a home that made a longer one and ten others without it.
fn refused_one_of_eleven() -> (Relay, Home, Terminal) {
    let mut relay = Relay::start(&LIMIT);
    relay.kill();
    let home = Home::at_relay(&relay.url());
    let mut screen = home.open(["work"]);
    screen.wait_for("offline");
    screen.keys("o").keys(&long()).keys("\r");
    for text in ten() {
        screen.keys(&text).keys("\r");
    }
    screen.keys("\x1b").wait_for("11 unsent");
    relay.restart();
    screen.wait_until(LONG, "ten sent, one refused", |seen| {
        seen.contains("1 refused (!)") && seen.contains("all sent") && seen.contains("of 10")
    });
    assert!(!screen.screen().contains("too long for this relay"), "{}", screen.screen());
    (relay, home, screen)
}

#[test]
fn a_refused_op_is_listed_in_the_app_and_by_status_and_the_ten_behind_it_arrive() {
    let (relay, home, mut screen) = refused_one_of_eleven();
    assert_eq!(Home::at_relay(&relay.url()).texts("work"), ten());
    screen.keys("!");
    screen.wait_for("1 edit that the relay did not take");
    screen.wait_for("too long for this relay");
    screen.wait_for("too large");
    screen.keys("\x1bq").wait_end();

    let status = home.json(["status", "work"]);
    let refused = status["refused"].as_array().expect("an array");
    assert_eq!(refused.len(), 1, "{status}");
    assert_eq!((&refused[0]["what"], &refused[0]["why"]), (&long().into(), &"too large".into()), "{status}");
    assert_eq!(status["pending"], 0, "{status}");
    let plain = home.ok(["status", "work"]);
    assert!(plain.lines().any(|line| line.contains(&long()) && line.contains("too large")), "{plain}");
    assert_eq!(home.texts("work"), ten());
}

#[test]
fn a_verb_says_that_its_op_was_refused_and_why() {
    let mut relay = Relay::start(&LIMIT);
    let home = Home::at_relay(&relay.url());
    let said = home.error(["add", "work", &long()]);
    assert!(said.contains("text of 84 bytes; the limit is 64"), "{said}");
    home.ok(["add", "work", "fits"]);
    // One that was kept while there was no relay is refused later, and listed.
    relay.kill();
    let said = home.ok(["add", "work", &long(), "--wait", "0.1"]);
    assert!(said.contains("kept here, not yet sent"), "{said}");
    relay.restart();
    home.ok(["add", "work", "fits too"]);
    assert_eq!(home.texts("work"), ["fits", "fits too"]);
    assert_eq!(home.json(["status", "work"])["refused"].as_array().map(Vec::len), Some(1));
}

#[test]
fn what_was_refused_is_exported_and_taken_up_again_by_key_presses() {
    let (mut relay, home, mut screen) = refused_one_of_eleven();
    screen.keys("!").wait_for("too large");
    screen.keys("e").wait_for("written to ");
    let file = home.data().join("exports/work-refused-1.txt");
    let written = fs::read_to_string(&file).expect("the export is there");
    assert!(written.starts_with(&long()) && written.contains("refused: too large"), "{written}");

    // Under the same limit it would be refused again: it is said why, and stays in the drawer.
    screen.keys("t").wait_for("text of 84 bytes; the limit is 64");
    assert!(screen.screen().contains("too long for this relay"), "{}", screen.screen());
    relay.kill();
    screen.wait_for("offline");
    relay.restart_with(&[]);
    screen.wait_until(LONG, "linked again", |seen| !seen.contains("offline") && seen.contains("127.0.0.1"));
    screen.keys("t").wait_for("Nothing is refused.");
    screen.keys("\x1b");
    screen.wait_until(LONG, "eleven, sent", |seen| {
        seen.contains("of 11") && seen.contains("all sent") && !seen.contains("refused")
    });
    let mut all = ten();
    all.push(long());
    assert_eq!(Home::at_relay(&relay.url()).texts("work"), all);
    assert_eq!(home.json(["status", "work"])["refused"], serde_json::json!([]));
}

#[test]
fn what_was_refused_is_thrown_away_by_key_presses() {
    let (relay, home, mut screen) = refused_one_of_eleven();
    screen.keys("!").wait_for("too large");
    screen.keys("d").wait_for("throw away for good");
    screen.keys("d").wait_for("Nothing is refused.");
    // The next key does not fall through to the rows.
    screen.keys("dd\x1b").wait_for("1-10 of 10");
    screen.keys("q").wait_end();
    assert_eq!(home.json(["status", "work"])["refused"], serde_json::json!([]));
    assert_eq!(Home::at_relay(&relay.url()).texts("work"), ten());
}

/// A list made offline whose name somebody else's list has by now: the relay, my home, and my screen with the choice.
fn name_is_taken() -> (Relay, Home, Terminal) {
    let mut relay = Relay::default();
    relay.kill();
    let mine = Home::at_relay(&relay.url());
    for text in ["mine 1", "mine 2"] {
        let said = mine.ok(["add", "work", text, "--wait", "0.1"]);
        assert!(said.contains("kept here, not yet sent"), "{said}");
    }
    relay.restart();
    Home::at_relay(&relay.url()).ok(["add", "work", "theirs"]);
    let screen = mine.open(["work"]);
    screen.wait_for("Another list is called work on the relay.");
    screen.wait_for("another list has this name (!)");
    assert_nothing_is_given_away(&relay);
    (relay, mine, screen)
}

/// The relay's list has nothing of mine: no item, and nobody but its maker has joined it.
#[track_caller]
fn assert_nothing_is_given_away(relay: &Relay) {
    let mut peer = Peer::link(relay.address(), "work");
    peer.welcome();
    assert_eq!(peer.texts(), ["theirs"]);
    assert_eq!(peer.list.sites().len(), 1, "somebody else has joined");
}

#[test]
fn a_verb_says_that_the_choice_is_open_and_makes_none() {
    let (relay, mine, mut screen) = name_is_taken();
    let check = |arguments: &[&str]| {
        let said = mine.error(arguments);
        assert!(said.contains("work") && said.contains("another list") && said.contains("open it"), "{said}");
    };
    // While the screen has the choice open, and after it was closed without one.
    check(&["add", "work", "more"]);
    screen.keys("\x1b").wait_for("mine 1");
    screen.wait_for("2 unsent");
    screen.keys("q").wait_end();
    check(&["add", "work", "more"]);
    assert_eq!(mine.texts("work"), ["mine 1", "mine 2"]);
    let status = mine.json(["status", "work"]);
    assert_eq!((&status["connected"], &status["pending"]), (&false.into(), &2.into()), "{status}");
    assert_nothing_is_given_away(&relay);
    // It still waits for its answer.
    let screen = mine.open(["work"]);
    screen.wait_for("Another list is called work on the relay.");
}

#[test]
fn by_merging_mine_goes_below_theirs() {
    let (relay, mine, mut screen) = name_is_taken();
    // A stray Enter chooses nothing.
    screen.keys("\r").keys("m");
    assert_nothing_is_given_away(&relay);
    screen.keys("\r");
    screen.wait_until(LONG, "all three, sent", |seen| {
        ["theirs", "mine 1", "mine 2", "of 3", "all sent"].iter().all(|text| seen.contains(text))
            && !seen.contains("another list")
    });
    let all = ["theirs", "mine 1", "mine 2"];
    assert_eq!(Home::at_relay(&relay.url()).texts("work"), all);
    screen.keys("q").wait_end();
    assert_eq!(mine.texts("work"), all);
    // It was decided for good.
    let screen = mine.open(["work"]);
    screen.wait_until(LONG, "no choice", |seen| seen.contains("of 3") && seen.contains("all sent"));
}

#[test]
fn by_keeping_it_under_another_name_both_lists_are_as_they_were() {
    let (relay, mine, mut screen) = name_is_taken();
    screen.keys("n\r").wait_for("new name: work-mine");
    // The name that is taken is no other name.
    screen.keys("\x15work\r").wait_for("that is the name that is taken");
    assert_nothing_is_given_away(&relay);
    screen.keys("\x15ours\r");
    screen.wait_until(LONG, "mine, sent", |seen| {
        ["mine 1", "mine 2", "of 2", "all sent"].iter().all(|text| seen.contains(text))
            && !seen.contains("another list")
    });
    let title = screen.screen().lines().next().unwrap_or_default().to_owned();
    assert!(title.contains("ours") && !title.contains("work"), "{title}");
    let other = Home::at_relay(&relay.url());
    assert_eq!(other.texts("ours"), ["mine 1", "mine 2"]);
    assert_eq!(other.texts("work"), ["theirs"]);
    screen.keys("q").wait_end();
    assert_eq!(mine.texts("ours"), ["mine 1", "mine 2"]);
    assert_eq!(mine.texts("work"), ["theirs"]);
    // Without a name it is the list that was open last: by its new name.
    let again = mine.open([] as [&str; 0]);
    again.wait_for("mine 1");
}

#[test]
fn by_exporting_it_mine_is_in_a_file_and_theirs_is_open() {
    let (relay, mine, mut screen) = name_is_taken();
    screen.keys("e");
    assert_nothing_is_given_away(&relay);
    screen.keys("\r");
    screen.wait_until(LONG, "theirs alone", |seen| {
        seen.contains("theirs")
            && seen.contains("1-1 of 1")
            && seen.contains("all sent")
            && !seen.contains("another list")
    });
    let exports = mine.data().join("exports");
    let files: Vec<_> = fs::read_dir(&exports).expect("exports").flatten().map(|entry| entry.path()).collect();
    assert_eq!(files.len(), 1, "{files:?}");
    assert_eq!(fs::read_to_string(&files[0]).expect("a file"), "- [ ] mine 1\n- [ ] mine 2\n");
    screen.keys("q").wait_end();
    assert_eq!(mine.texts("work"), ["theirs"]);
    // What is written from here on goes to their list.
    mine.ok(["add", "work", "from me"]);
    assert_eq!(Home::at_relay(&relay.url()).texts("work"), ["theirs", "from me"]);
}

#[test]
fn what_one_window_chooses_does_not_hide_what_another_window_wrote() {
    let mut relay = Relay::default();
    relay.kill();
    let mine = Home::at_relay(&relay.url());
    let mut windows = [mine.open(["work"]), mine.open(["work"])];
    for (text, window) in ["from the first", "from the second"].iter().zip(&mut windows) {
        window.wait_for("offline");
        window.keys("o").keys(text).keys("\r\x1b");
        window.wait_for("1 unsent");
    }
    for window in &mut windows {
        window.keys("q").wait_end();
    }
    relay.restart();
    Home::at_relay(&relay.url()).ok(["add", "work", "theirs"]);
    // One after the other is asked about its own, whichever comes first.
    for left in [1, 0] {
        let mut screen = mine.open(["work"]);
        screen.wait_for("Another list is called work on the relay.");
        screen.keys("m\r");
        let all = format!("of {}", 3 - left);
        screen.wait_until(LONG, "mine below theirs, sent", |seen| seen.contains(&all) && seen.contains("all sent"));
        screen.keys("q").wait_end();
    }
    let mut texts = Home::at_relay(&relay.url()).texts("work");
    texts.sort();
    assert_eq!(texts, ["from the first", "from the second", "theirs"]);
}

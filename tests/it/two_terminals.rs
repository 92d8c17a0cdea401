//! Two terminals, one list: by key presses, on one data folder.

use std::process::Stdio;
use std::time::Duration;

use betwixt_tests::home::Home;
use betwixt_tests::terminal::Terminal;
use betwixt_tests::wait::{LONG, until};
use rustix::process::Signal;

const SOON: Duration = Duration::from_secs(1);
const HANDED_OVER: Duration = Duration::from_secs(2);

/// Adds an item by the keys that people use, and waits for it on the screen.
fn add(terminal: &mut Terminal, text: &str) {
    terminal.keys("o").keys(text).keys("\r\x1b");
    terminal.wait_for(text);
}

fn two(home: &Home) -> (Terminal, Terminal) {
    let first = home.open(["inbox"]);
    first.wait_for("local relay");
    let second = home.open(["inbox"]);
    second.wait_for("local relay");
    (first, second)
}

#[test]
fn what_one_types_shows_in_the_other_in_under_a_second() {
    let home = Home::new();
    let (mut first, mut second) = two(&home);
    first.keys("o").keys("buy milk\r");
    second.wait_within(SOON, "buy milk");
    first.keys("bake bread\r\x1b");
    second.wait_within(SOON, "bake bread");

    second.keys("gg").keys("J");
    first.wait_until(SOON, "bread above milk", |screen| {
        matches!((screen.find("bake bread"), screen.find("buy milk")), (Some(bread), Some(milk)) if bread < milk)
    });
    first.keys("ggi").keys(" with seeds\r\x1b");
    second.wait_within(SOON, "bake bread with seeds");
    second.keys("ggdd");
    first.wait_until(SOON, "no bread", |screen| !screen.contains("bake bread"));
    first.keys("u");
    assert_eq!(home.texts("inbox"), ["buy milk"], "the deletion was not the first terminal's to take back");
    second.keys("u");
    first.wait_within(SOON, "bake bread");
}

/// Ends the first terminal somehow; the second must show a new edit as sent within two seconds.
fn hands_over(end: impl FnOnce(&mut Terminal)) {
    let home = Home::new();
    let (mut first, mut second) = two(&home);
    add(&mut first, "before");
    second.wait_for("before");
    end(&mut first);
    second.keys("o").keys("after\r\x1b");
    second.wait_until(HANDED_OVER, "the new edit, sent", |screen| {
        screen.contains("after") && screen.contains("all sent") && screen.contains("local relay")
    });
    second.keys("q").wait_end();
    assert_eq!(home.texts("inbox"), ["before", "after"]);
}

#[test]
fn the_second_goes_on_when_the_first_quits() {
    hands_over(|first| {
        first.keys("q");
        first.wait_end();
    });
}

#[test]
fn the_second_goes_on_when_the_first_is_killed() {
    hands_over(Terminal::kill);
}

#[test]
fn the_second_goes_on_when_the_first_loses_its_terminal() {
    hands_over(|first| first.signal(Signal::HUP));
}

#[test]
fn the_second_goes_on_when_the_first_is_suspended_and_the_first_comes_back() {
    let home = Home::new();
    let mut environment = home.environment();
    environment.push(("PS1".to_owned(), "shell> ".to_owned()));
    let mut shell = Terminal::start("bash".as_ref(), ["--norc", "-i"], &environment, (80, 24));
    shell.wait_for("shell> ");
    let betwixt = betwixt_tests::program::path("betwixt");
    shell.keys(&format!("{} inbox\r", betwixt.display()));
    shell.wait_for("local relay");
    add(&mut shell, "before");
    let mut second = home.open(["inbox"]);
    second.wait_for("before");

    shell.keys("\x1a");
    shell.wait_for("Stopped");
    second.keys("o").keys("after\r\x1b");
    second.wait_until(HANDED_OVER, "the new edit, sent", |screen| {
        screen.contains("after") && screen.contains("all sent") && screen.contains("local relay")
    });
    shell.keys("fg\r");
    shell.wait_for("after");
    add(&mut shell, "from the first again");
    second.wait_within(SOON, "from the first again");
    shell.keys("q");
    shell.wait_until(LONG, "the shell again", |screen| screen.trim_end().ends_with("shell>"));
}

#[test]
fn a_stopped_relay_is_named_and_nothing_is_lost() {
    let home = Home::new();
    let (mut first, mut second) = two(&home);
    add(&mut first, "before");
    second.wait_for("before");
    first.signal(Signal::STOP);
    second.keys("o").keys("meanwhile\r\x1b");
    second.wait_within(Duration::from_secs(8), "silent");
    second.wait_for("1 unsent");
    first.signal(Signal::CONT);
    second.wait_until(LONG, "all sent again", |screen| screen.contains("all sent"));
    first.wait_for("meanwhile");
}

#[test]
fn twenty_at_once_beside_both_are_all_sent() {
    let home = Home::new();
    let (first, second) = two(&home);
    let children: Vec<_> = (0..20)
        .map(|n| {
            let mut command = home.command(["add", "inbox", &format!("item {n:02}"), "--json", "--wait", "20"]);
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("betwixt starts")
        })
        .collect();
    for child in children {
        let output = child.wait_with_output().expect("betwixt ends");
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(printed.contains("\"sent\":true"), "{printed}{}", String::from_utf8_lossy(&output.stderr));
    }
    let mut texts = home.texts("inbox");
    texts.sort();
    assert_eq!(texts, (0..20).map(|n| format!("item {n:02}")).collect::<Vec<_>>());
    for terminal in [&first, &second] {
        terminal.wait_for("of 20");
    }
}

#[test]
fn another_home_sees_none_of_it() {
    let home = Home::new();
    home.ok(["add", "inbox", "mine"]);
    let other = Home::new();
    assert!(other.texts("inbox").is_empty());
    let screen = other.open(["inbox"]);
    screen.wait_for("local relay");
    assert!(!screen.screen().contains("mine"));
    until(LONG, "the first home has it", || (home.texts("inbox") == ["mine"]).then_some(()));
}

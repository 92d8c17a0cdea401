//! Kill -9 in the middle of edits: of the relay, and of a client right after each key press.

use std::collections::BTreeSet;
use std::time::Duration;

use betwixt_tests::home::Home;
use betwixt_tests::relay::Relay;
use betwixt_tests::terminal::Terminal;
use betwixt_tests::wait::{LONG, until};

/// The items on a screen, as texts.
fn texts(terminal: &Terminal) -> Vec<String> {
    let text =
        |row: &String| row.split_once("] ").map(|(_, text)| text.split("  ").next().unwrap_or(text).trim().to_owned());
    terminal.rows().iter().filter_map(text).collect()
}

fn first_row(screen: &str) -> Option<&str> {
    screen.lines().find(|line| line.contains("[ ]") || line.contains("[x]"))
}

#[test]
fn a_killed_relay_has_all_that_was_shown_as_sent() {
    let mut relay = Relay::default();
    let (ana, ben) = (Home::at_relay(&relay.url()), Home::at_relay(&relay.url()));
    let mut screens = [ana.open(["work"]), ben.open(["work"])];
    for screen in &screens {
        screen.wait_for("all sent");
        screen.wait_for("127.0.0.1");
    }
    let mut sent: BTreeSet<String> = BTreeSet::new();
    for round in 0..3 {
        for number in 0..4 {
            for (who, screen) in ["ana", "ben"].iter().zip(&mut screens) {
                screen.keys("o").keys(&format!("{who} {round} {number}\r\x1b"));
            }
            if number == 1 {
                // What both screens show when one of them says that all is sent has been fsynced.
                for screen in &screens {
                    screen.wait_until(LONG, "its edits, sent", |screen| screen.contains("all sent"));
                    sent.extend(texts(screen));
                }
            }
        }
        relay.kill();
        for screen in &screens {
            screen.wait_for("offline");
        }
        relay.restart();
    }
    for screen in &screens {
        screen.wait_until(LONG, "linked again, all sent", |screen| {
            screen.contains("all sent") && !screen.contains("offline") && screen.contains("of 24")
        });
    }
    let newcomer = Home::at_relay(&relay.url());
    let all = newcomer.texts("work");
    let lost: Vec<_> = sent.iter().filter(|text| !all.contains(text)).collect();
    assert!(lost.is_empty(), "shown as sent, and lost: {lost:?}");
    assert_eq!(all.len(), 24, "{all:?}");
    for screen in &mut screens {
        // Key presses bring both screens to the same rows.
        screen.resize((80, 40));
        screen.keys("gg");
        screen.wait_until(LONG, "all rows", |screen| screen.contains("1-24 of 24"));
        assert_eq!(texts(screen), all);
    }
}

#[test]
fn a_killed_client_has_each_edit_that_its_screen_showed() {
    let home = Home::new();
    let mut expected: Vec<String> = Vec::new();
    for press in 0..50 {
        let mut screen = home.open(["inbox"]);
        screen.wait_until(LONG, "what was there before", |seen| {
            expected.last().map_or_else(|| seen.contains("first item"), |last| seen.contains(last.as_str()))
        });
        // By turns a new item, a tick, a longer text and a move: one key press makes each of them an edit.
        let shown: Box<dyn Fn(&str) -> bool> = match press % 4 {
            0 => {
                let text = format!("item {press}");
                screen.keys("ggO").keys(&text);
                screen.wait_for(&text);
                screen.keys("\r");
                expected.insert(0, text.clone());
                // Enter saves, and opens the next row.
                Box::new(move |seen: &str| seen.contains(&text) && seen.contains("write the item"))
            }
            1 => {
                screen.keys("gg ");
                Box::new(|seen: &str| first_row(seen).is_some_and(|row| row.contains("[x]")))
            }
            2 => {
                let text = format!("{} changed", expected[0]);
                screen.keys("ggi").keys(" changed");
                screen.wait_for(&text);
                screen.keys("\r");
                expected[0].clone_from(&text);
                Box::new(move |seen: &str| seen.contains(&text) && !seen.contains("Ctrl-c discard"))
            }
            _ => {
                screen.keys("ggJ");
                if expected.len() > 1 {
                    expected.swap(0, 1);
                }
                let first = expected[0].clone();
                Box::new(move |seen: &str| first_row(seen).is_some_and(|row| row.contains(&first)))
            }
        };
        screen.wait_until(LONG, "the edit", shown);
        screen.kill();
        let texts = until(LONG, "the store is free again", || {
            let output = home.run(["--json", "--wait", "5", "ls", "inbox"]);
            output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
        });
        let rows: serde_json::Value = serde_json::from_str(&texts).expect("ls prints JSON");
        let found: Vec<&str> =
            rows.as_array().expect("an array").iter().filter_map(|row| row["text"].as_str()).collect();
        assert_eq!(found, expected, "after key press {press}");
        if press % 4 == 1 {
            assert_eq!(rows[0]["done"], true, "after key press {press}");
        }
    }
}

#[test]
fn edits_of_closed_windows_are_delivered_by_one_process() {
    let mut relay = Relay::default();
    let home = Home::at_relay(&relay.url());
    home.ok(["add", "work", "before"]);
    relay.kill();
    let mut windows = [home.open(["work"]), home.open(["work"])];
    for (who, window) in ["one", "two"].iter().zip(&mut windows) {
        window.wait_for("offline");
        for number in 0..5 {
            window.keys("o").keys(&format!("{who} {number}\r\x1b"));
        }
        window.wait_for("5 unsent");
        window.keys("q");
        window.wait_end();
    }
    relay.restart();
    let screen = home.open(["work"]);
    screen.wait_until(Duration::from_secs(20), "all eleven, sent", |seen| {
        seen.contains("of 11") && seen.contains("all sent")
    });
    assert_eq!(Home::at_relay(&relay.url()).texts("work").len(), 11);
}

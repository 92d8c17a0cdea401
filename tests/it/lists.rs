//! Verbs about lists as a whole: which there are, what was done to them, what they are called, where else they are.

mod copy;
mod delete;
mod log;
mod title;
mod watch;

use std::net::TcpListener;

use betwixt_tests::home::Home;
use betwixt_tests::peer::Peer;
use betwixt_tests::relay::Relay;

/// Where nobody listens.
fn nowhere() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    format!("ws://{}", listener.local_addr().expect("an address"))
}

#[test]
fn lists_names_what_the_relay_has_with_titles_and_by_what_their_names_begin_with() {
    let home = Home::new();
    assert_eq!(home.ok(["lists"]), "");
    assert_eq!(home.json(["lists"]), serde_json::json!([]));
    for list in ["work-2", "groceries", "work"] {
        home.ok(["add", list, "an item"]);
    }
    home.ok(["title", "work", "Work", "of", "all"]);
    assert_eq!(home.ok(["lists"]), "groceries\nwork       Work of all\nwork-2\n");
    assert_eq!(home.ok(["lists", "work"]), "work    Work of all\nwork-2\n");
    assert_eq!(home.ok(["lists", "no such/"]), "");
    let found = home.json(["lists", "wor"]);
    assert_eq!((&found[0]["name"], &found[0]["title"]), (&"work".into(), &"Work of all".into()), "{found}");
    assert_eq!(found[0]["uid"], home.json(["status", "work"])["uid"]);
}

#[test]
fn lists_goes_through_all_pages_of_a_relay() {
    let relay = Relay::default();
    let names: Vec<String> = (100..330).map(|number| format!("list-{number}")).collect();
    for name in &names {
        drop(Peer::join(relay.address(), name));
    }
    let home = Home::at_relay(&relay.url());
    let printed = home.ok(["lists", "--wait", "20"]);
    assert!(printed.lines().eq(names.iter().map(String::as_str)), "{printed}");
}

#[test]
fn without_a_relay_lists_names_what_the_folder_knows_and_says_so() {
    let mut relay = Relay::default();
    let home = Home::at_relay(&relay.url());
    home.ok(["add", "work", "an item"]);
    home.ok(["add", "groceries", "an item"]);
    relay.kill();
    let output = home.run(["lists", "--wait", "0.2"]);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "groceries\nwork\n");
    let note = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(note.starts_with("note: offline, no relay answers at 127.0.0.1:") && note.lines().count() == 1, "{note}");
    let known = home.json(["lists", "w", "--wait", "0.2"]);
    assert_eq!((known[0]["name"].as_str(), &known[0]["title"]), (Some("work"), &serde_json::Value::Null), "{known}");
    assert_eq!(known.as_array().map(Vec::len), Some(1));
    // Another relay's are others.
    let elsewhere = home.with_relay(Some(&nowhere()));
    assert_eq!(elsewhere.ok(["lists", "--wait", "0.2"]), "");
}

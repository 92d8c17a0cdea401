//! `betwixt copy`: a list, brought to another relay.

use betwixt_tests::home::Home;
use betwixt_tests::relay::Relay;
use serde_json::Value;

use super::nowhere;

/// A list of three items, one of them in the trash.
fn with_list() -> Home {
    let home = Home::new();
    home.ok(["add", "work", "bread", "--due", "2026-12-01", "--priority", "2", "--tag", "home", "--assignee", "ben"]);
    home.ok(["add", "work", "with seeds", "--depth", "1", "--note", "a note"]);
    let gone = home.json(["add", "work", "gone"]);
    home.ok(["rm", "work", gone["item"].as_str().expect("an id")]);
    let milk = home.json(["add", "work", "milk"]);
    home.ok(["mv", "work", milk["item"].as_str().expect("an id"), "--top"]);
    home.ok(["title", "work", "Work"]);
    home
}

#[test]
fn title_and_items_come_over_with_all_they_say_as_a_list_of_its_own() {
    let (home, relay) = (with_list(), Relay::default());
    let result = home.json(["copy", "work", "--to", &relay.url()]);
    let said = |field: &str| result[field].clone();
    assert_eq!((said("list"), said("relay"), said("items")), ("work".into(), relay.url().into(), 3.into()), "{result}");
    assert_eq!((said("sent"), said("pending")), (true.into(), 0.into()), "{result}");
    assert_ne!(said("uid"), home.json(["status", "work"])["uid"], "a list of its own");
    let there = Home::at_relay(&relay.url());
    assert_eq!(there.json(["status", "work"])["uid"], said("uid"));
    assert_eq!(there.json(["status", "work"])["items"], 3, "what is in the trash stays here");
    let exported = home.ok(["export", "work", "--json"]);
    assert_eq!(there.ok(["export", "work", "--json"]), exported);
    assert_eq!(there.ok(["lists"]), "work  Work\n");

    // What is done to one is not done to the other.
    there.ok(["add", "work", "there alone"]);
    assert_eq!(home.ok(["export", "work", "--json"]), exported);
}

#[test]
fn a_name_that_is_taken_is_refused_and_another_name_is_not() {
    let (home, relay) = (with_list(), Relay::default());
    let there = Home::at_relay(&relay.url());
    there.ok(["add", "work", "theirs"]);
    let said = home.error(["copy", "work", "--to", &relay.url()]);
    assert!(said.contains("list called work with 1 items") && said.contains("--as"), "{said}");
    assert_eq!(there.texts("work"), ["theirs"]);
    let said = home.ok(["copy", "work", "--to", &relay.url(), "--as", "work-2"]);
    assert_eq!(said, format!("3 items sent to {} as work-2\n", relay.url()));
    assert_eq!(there.texts("work-2"), ["milk", "bread", "with seeds"]);
    let said = home.error(["copy", "work", "--to", &relay.url(), "--as", "work-2"]);
    assert!(said.contains("list called work-2 with 3 items"), "a second time: {said}");
    assert_eq!(there.texts("work-2").len(), 3);
}

#[test]
fn what_cannot_be_copied_is_an_error_in_one_line_and_leaves_no_trace() {
    let (home, relay) = (with_list(), Relay::default());
    let said = home.error(["copy", "nope", "--to", &relay.url()]);
    assert!(said.contains("no list called nope"), "{said}");
    home.ok(["title", "bare", ""]);
    let said = home.error(["copy", "bare", "--to", &relay.url()]);
    assert!(said.contains("nothing to copy: bare is empty"), "{said}");
    let to = nowhere();
    let said = home.error(["copy", "work", "--to", &to, "--wait", "0.5"]);
    assert!(said.contains("nothing was copied: offline, no relay answers at 127.0.0.1:"), "{said}");
    let there = home.with_relay(Some(&to));
    assert_eq!(there.ok(["lists", "--wait", "0.2"]), "", "the folder knows of no list there");
    assert_eq!(Home::at_relay(&relay.url()).ok(["lists"]), "");
}

#[test]
fn a_list_too_long_for_the_relay_is_not_half_copied() {
    let (home, relay) = (with_list(), Relay::start(&["--limit", "items=2"]));
    let said = home.error(["copy", "work", "--to", &relay.url()]);
    assert!(said.contains("the list is full"), "{said}");
    assert_eq!(Home::at_relay(&relay.url()).ok(["lists"]), "");
}

#[test]
fn a_copy_comes_from_what_is_kept_here_where_the_relay_is_gone() {
    let (mut from, to) = (Relay::default(), Relay::default());
    let home = Home::at_relay(&from.url());
    home.ok(["add", "work", "milk"]);
    from.kill();
    home.ok(["add", "work", "bread", "--wait", "0.2"]);
    let output = home.run(["copy", "work", "--to", &to.url(), "--wait", "1", "--json"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.starts_with("note: offline") && said.contains("kept here"), "{said}");
    let result: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((&result["items"], &result["sent"]), (&2.into(), &true.into()), "{result}");
    assert_eq!(Home::at_relay(&to.url()).texts("work"), ["milk", "bread"]);
}

#[test]
fn what_is_not_sent_in_time_is_on_its_way_and_it_is_said_how_to_see_it() {
    let home = Home::new();
    let line = "x".repeat(1_000);
    home.ok_with_input(["add", "work", "-", "--wait", "20"], &vec![line.as_str(); 400].join("\n"));
    // A message of about sixty or two go out at once, each other one waits for seconds.
    let relay = Relay::start(&["--limit", "ops_per_second=10", "--limit", "ops_burst=100"]);
    let result = home.json(["copy", "work", "--to", &relay.url(), "--wait", "1"]);
    assert_eq!((&result["items"], &result["sent"]), (&400.into(), &false.into()), "{result}");
    assert!(result["pending"].as_u64().is_some_and(|pending| pending > 200), "{result}");
    let said = home.ok(["copy", "work", "--to", &relay.url(), "--as", "other", "--wait", "1"]);
    let see = format!("`betwixt --relay {} status other`", relay.url());
    assert!(
        said.starts_with("400 items copied, ") && said.contains("edits not yet sent") && said.contains(&see),
        "{said}"
    );
    let status = home.json(["--relay", &relay.url(), "status", "other", "--wait", "1"]);
    assert!(status["pending"].as_u64().is_some_and(|pending| pending > 200), "{status}");
}

//! `betwixt title`, and the title in files.

use std::fs;

use betwixt_tests::home::Home;
use betwixt_tests::relay::Relay;

#[test]
fn a_title_is_written_shown_and_taken_away() {
    let home = Home::new();
    home.ok(["add", "work", "an item"]);
    assert_eq!(home.ok(["title", "work", "Work", "of", "all"]), "sent\n");
    assert_eq!(home.json(["status", "work"])["title"], "Work of all");
    assert!(home.ok(["status", "work"]).lines().any(|line| line == "title: Work of all"));
    assert_eq!(home.ok(["ls", "work"]).lines().count(), 1, "ls prints items alone");
    assert_eq!(home.json(["title", "work", "Other"]), serde_json::json!({ "title": "Other", "sent": true }));
    home.ok(["title", "work", ""]);
    assert_eq!(home.json(["status", "work"])["title"], "");
    assert!(!home.ok(["status", "work"]).contains("title"));
}

#[test]
fn a_title_that_the_relay_would_refuse_is_an_error_and_one_made_offline_waits() {
    let mut relay = Relay::start(&["--limit", "text_bytes=16"]);
    let home = Home::at_relay(&relay.url());
    home.ok(["add", "work", "an item"]);
    assert_eq!(home.error(["title", "work", "far too long for it"]), "error: title of 19 bytes; the limit is 16");
    relay.kill();
    let said = home.ok(["title", "work", "Short", "--wait", "0.2"]);
    assert!(said.starts_with("kept here, not yet sent: offline"), "{said}");
    assert_eq!(home.json(["title", "work", "Shorter", "--wait", "0.2"])["sent"], false);
}

#[test]
fn files_carry_the_title_out_and_into_a_list_that_has_none() {
    let home = Home::new();
    home.ok(["add", "work", "milk"]);
    home.ok(["title", "work", "Work # {}"]);
    assert_eq!(home.ok(["export", "work"]), "# Work # {} {}\n\n- [ ] milk\n");
    for format in ["markdown", "json"] {
        let file = home.path().join(format!("file.{format}")).display().to_string();
        fs::write(&file, home.ok(["export", "work", "--format", format])).expect("a file of ours");
        let printed = home.run(["import", format, &file, "--format", format]);
        assert_eq!(String::from_utf8_lossy(&printed.stdout), "1 items sent\n");
        assert!(String::from_utf8_lossy(&printed.stderr).contains("\"Work # {}\""), "it is not said");
        assert_eq!(home.json(["status", format])["title"], "Work # {}");
        let again = home.json(["import", format, &file, "--format", format]);
        assert_eq!(again["title"], serde_json::Value::Null, "it has it already");

        // One that somebody has written stands.
        home.ok(["add", "other", "an item"]);
        home.ok(["title", "other", "Mine"]);
        home.ok(["import", "other", &file, "--format", format]);
        assert_eq!(home.json(["status", "other"])["title"], "Mine");

        let rehearsed = home.ok(["import", "nowhere", &file, "--format", format, "--dry-run"]);
        assert_eq!(rehearsed, "# Work # {} {}\n\n- [ ] milk\n");
    }
}

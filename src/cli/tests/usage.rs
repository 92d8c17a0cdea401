//! The command line by itself: what is said to wrong usage, and the arithmetic of keys.

use std::process::{Command, Output};

fn betwixt(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_betwixt")).args(arguments).output().expect("betwixt starts")
}

#[track_caller]
fn printed(arguments: &[&str]) -> String {
    let output = betwixt(arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn wrong_usage_exits_with_2() {
    let wrong: [&[&str]; 17] = [
        &["add"],
        &["add", "../x", "text"],
        &["mv", "inbox", "abcd"],
        &["mv", "inbox", "abcd", "--top", "--bottom"],
        &["ls"],
        &["inbox", "ls", "inbox"],
        &["--wait", "-1", "ls", "inbox"],
        &["--relay", "http://x", "ls", "inbox"],
        &["title", "inbox"],
        &["log"],
        &["log", "../x"],
        &["log", "inbox", "--limit", "0"],
        &["watch"],
        &["delete", "--yes"],
        &["copy", "inbox"],
        &["copy", "inbox", "--to", "x"],
        &["copy", "inbox", "--to", "ws://127.0.0.1:1", "--as", "../x"],
    ];
    for arguments in wrong {
        assert_eq!(betwixt(arguments).status.code(), Some(2), "{arguments:?}");
    }
}

#[test]
fn the_screen_needs_a_terminal_and_says_so() {
    let output = betwixt(&["inbox"]);
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(said.starts_with("error: the screen needs a terminal"), "{said}");
}

#[test]
fn keys_shows_the_arithmetic() {
    assert_eq!(printed(&["keys", "midpoint", "a", "c"]), "b\n");
    let between = printed(&["keys", "between", "a", "c", "--site", "500", "--json"]);
    assert!(between.contains("\"site\":500"), "{between}");
    assert_eq!(printed(&["keys", "spaced", "100000"]).lines().map(str::len).max(), Some(3));
    for bad in [&["keys", "between", "c", "a"], &["keys", "between", "a", "a"], &["keys", "midpoint", "a!", "b"]] {
        let output = betwixt(bad);
        assert_eq!(output.status.code(), Some(1), "{bad:?}");
        assert!(String::from_utf8_lossy(&output.stderr).starts_with("error: "), "{bad:?}");
    }
}

#[test]
fn keys_growth_shows_what_a_pattern_comes_to() {
    let text = printed(&["keys", "growth", "--pattern", "append", "--n", "90"]);
    assert!(text.contains("longest      4 bytes, 2 of them the tag\n"), "{text}");
    let json = |args: &[&str]| -> serde_json::Value {
        let args = [&["keys", "growth", "--json", "--pattern"], args].concat();
        serde_json::from_str(&printed(&args)).expect("JSON")
    };
    let textbook = json(&["after", "--n", "2000", "--generator", "midpoint"]);
    assert_eq!(textbook["full_at"].as_u64().map(|at| (600..1_000).contains(&at)), Some(true), "{textbook}");
    let crowd = json(&["crowd", "--n", "400", "--sites", "4"]);
    assert_eq!([&crowd["count"], &crowd["duplicates"], &crowd["interleaved"]], [400, 0, 0], "{crowd}");
    let textbook = json(&["crowd", "--n", "400", "--sites", "4", "--generator", "midpoint"]);
    assert_eq!([&textbook["duplicates"], &textbook["tag_bytes"]], [300, 0], "{textbook}");
}

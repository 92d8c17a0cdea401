//! Lists as files, by the real binary: what comes in, what goes out, and what is said of lines that cannot.

use std::fs;
use std::path::{Path, PathBuf};

use betwixt_tests::home::Home;
use serde_json::Value;

/// A file that others wrote, or `None` where those are not at hand.
fn file_of_others(name: &str) -> Option<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data").join(name);
    if path.exists() {
        return Some(path.display().to_string());
    }
    println!("skipped: {} is not there", path.display());
    None
}

fn written(home: &Home, name: &str, text: impl AsRef<[u8]>) -> String {
    let path: PathBuf = home.path().join(name);
    fs::write(&path, text).expect("a file of ours");
    path.display().to_string()
}

/// What an item says: all that `ls --json` prints but its identity and its place.
fn said(home: &Home, list: &str) -> Vec<Value> {
    let mut rows = home.json(["ls", list]);
    let rows = rows.as_array_mut().expect("ls prints one array");
    for row in rows.iter_mut() {
        let row = row.as_object_mut().expect("a row is an object");
        for place in ["id", "key", "tag", "site", "name"] {
            row.remove(place);
        }
    }
    std::mem::take(rows)
}

#[test]
fn check_lists_of_others_come_whole_and_a_second_import_gives_the_same() {
    for (name, boxes) in [
        ("md-coding-interview-university.md", 463),
        ("md-front-end-checklist.md", 100),
        ("md-api-security-checklist-ar.md", 64),
    ] {
        let Some(file) = file_of_others(name) else { return };
        let home = Home::new();
        let printed = home.ok(["import", "work", &file, "--wait", "20"]);
        assert_eq!(printed, format!("{boxes} items sent\n"));
        let first = said(&home, "work");
        assert_eq!(first.len(), boxes, "{name}");
        assert!(first.iter().all(|row| row["done"] == false), "{name}");

        for format in ["markdown", "json"] {
            let again = written(&home, &format!("again.{format}"), home.ok(["export", "work", "--format", format]));
            home.ok(["import", format, &again, "--format", format, "--wait", "20"]);
            assert_eq!(said(&home, format), first, "{name} as {format}");
        }
    }
}

#[test]
fn todo_txt_of_others_goes_out_as_it_came() {
    for name in ["todotxt-qtodotxt2-example.txt", "todotxt-todotxt-tui.txt"] {
        let Some(file) = file_of_others(name) else { return };
        let home = Home::new();
        home.ok(["import", "work", &file, "--wait", "20"]);
        let text = fs::read_to_string(&file).expect("a text");
        let exported = home.ok(["export", "work", "--format", "todo.txt"]);
        assert_eq!(exported.lines().collect::<Vec<_>>(), text.lines().collect::<Vec<_>>(), "{name}");
    }
}

#[test]
fn bad_lines_are_named_and_the_rest_comes() {
    let home = Home::new();
    let file =
        written(&home, "a.txt", [b"one @home\r\n".as_slice(), b"\xff\n", &[b'x'; 5_000], b"\ntwo\x1b[2J"].concat());
    let output = home.run(["import", "work", &file, "--wait", "20"]);
    assert!(output.status.success());
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "line 2: not UTF-8\nline 3: text of 5000 bytes; the limit is 4096\n1 items have control characters, made visible\n"
    );
    assert_eq!(home.texts("work"), ["one", "two␛[2J"]);
    assert_eq!(said(&home, "work")[0]["tags"], serde_json::json!(["home"]));
}

#[test]
fn a_dry_run_says_what_would_come_and_makes_no_list() {
    let home = Home::new();
    let file = written(&home, "a.txt", "(B) one @home\nx two\n");
    let printed = home.ok(["import", "work", &file, "--dry-run"]);
    assert_eq!(printed, "- [ ] one {#home !2}\n- [x] two\n");
    assert!(!home.data().exists(), "nothing was opened");
}

#[test]
fn a_file_that_brings_nothing_is_an_error() {
    let home = Home::new();
    let file = written(&home, "a.md", "# Prose\n\n- no box\n");
    assert_eq!(home.error(["import", "work", &file]), format!("error: nothing in {file} comes in"));
    assert!(home.error(["import", "work", "/nowhere"]).starts_with("error: cannot read /nowhere: "));
    assert!(!home.data().exists(), "nothing was opened");
}

#[test]
fn standard_input_is_a_file_too() {
    let home = Home::new();
    home.ok(["add", "work", "before", "--wait", "20"]);
    home.ok_with_input(["import", "work", "-", "--wait", "20"], "- [ ] one\n  - [x] two\n");
    assert_eq!(home.ok(["export", "work"]), "- [ ] before\n- [ ] one\n  - [x] two\n");
    assert_eq!(
        home.ok(["export", "work", "--json"]),
        "{\"betwixt\": 1, \"title\": \"\", \"items\": [\n{\"text\":\"before\"},\n{\"text\":\"one\"},\n\
         {\"text\":\"two\",\"done\":true,\"depth\":1}\n]}\n"
    );
}

#[test]
fn one_import_is_one_step_that_is_taken_back_on_the_command_line_or_by_a_key() {
    let home = Home::new();
    let boxes: Vec<String> = (0..100).map(|number| format!("- [ ] box {number}")).collect();
    let file = written(&home, "boxes.md", boxes.join("\n"));
    home.ok(["add", "work", "before"]);
    home.ok(["import", "work", &file]);
    assert_eq!(home.texts("work").len(), 101);
    assert_eq!(home.ok(["undo", "work"]), "undid: 100 added, sent\n");
    assert_eq!(home.texts("work"), ["before"]);

    home.ok(["import", "work", &file]);
    let mut terminal = home.open(["work"]);
    terminal.wait_for("of 101");
    terminal.keys("u");
    terminal.wait_for("undid: 100 added");
    terminal.wait_for("1-1 of 1");
    terminal.keys("q");
    terminal.wait_end();
    assert_eq!(home.json(["undo", "work"])["undid"], "added", "the step before it");
    assert!(home.error(["undo", "work"]).contains("nothing to undo"));
}

//! `betwixt keys growth`, recounted by a program of its own that sees the keys alone.

use std::process::{Command, Output, Stdio};

use betwixt_tests::program;

fn check(dump: &str, figures: &str) -> Output {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/peers/keys/check.py");
    Command::new("python3").args([script, dump, figures]).stdin(Stdio::null()).output().expect("python3 runs")
}

#[test]
fn an_independent_count_of_the_keys_agrees() {
    if !Command::new("python3").arg("--version").output().is_ok_and(|output| output.status.success()) {
        println!("skipped: there is no python3");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let [dump, figures] = ["dump", "figures"].map(|name| folder.path().join(name).display().to_string());
    for (pattern, generator) in [
        ("append", "between"),
        ("moves", "between"),
        ("crowd", "between"),
        ("mixed", "between"),
        ("after", "midpoint"),
        ("crowd", "midpoint"),
    ] {
        let mut growth = Command::new(program::path("betwixt"));
        growth.args(["keys", "growth", "--json", "--n", "3000", "--dump", &dump]);
        let said = growth.args(["--pattern", pattern, "--generator", generator]).output().expect("betwixt runs");
        assert!(said.status.success(), "{said:?}");
        std::fs::write(&figures, &said.stdout).expect("a file is written");
        let output = check(&dump, &figures);
        assert!(output.status.success(), "{pattern} by {generator}: {output:?}");
    }
    // It does find what is wrong.
    let text = std::fs::read_to_string(&dump).expect("the dump");
    let (first, rest) = text.split_once('\n').expect("lines");
    std::fs::write(&dump, format!("{rest}{first}\n")).expect("a file is written");
    assert!(!check(&dump, &figures).status.success());
    let other = std::fs::read_to_string(&figures).expect("figures").replace("\"interleaved\":", "\"interleaved\":1");
    std::fs::write(&dump, &text).expect("a file is written");
    std::fs::write(&figures, other).expect("a file is written");
    assert!(!check(&dump, &figures).status.success());
}

//! `betwixt log`: who did what, when, and what became of it.

use std::io::Read as _;
use std::process::Stdio;

use betwixt_core::hlc::{Hlc, Millis, Tick};
use betwixt_core::limits::LABEL_BYTES_MAX;
use betwixt_core::op::{Body, Join, ListPut, Op, Put, kind};
use betwixt_core::register::Register;
use betwixt_core::safe_text::hostile::HOSTILE;
use betwixt_tests::escapes::is_plain;
use betwixt_tests::home::Home;
use betwixt_tests::peer::Peer;
use betwixt_tests::relay::Relay;

use super::nowhere;

/// The lines of a log without their times, which have one form.
#[track_caller]
fn told(log: &str) -> Vec<&str> {
    let line = |line| {
        let (time, rest) = str::split_at_checked(line, "2026-11-30 22:16:04  ".len()).expect("a time");
        let form = time.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect::<String>();
        assert_eq!(form, "0000-00-00 00:00:00  ", "{line}");
        rest
    };
    log.lines().map(line).collect()
}

/// A list with a bit of everything in its log.
fn busy() -> (Home, String) {
    let home = Home::new();
    let id = |item: serde_json::Value| item["item"].as_str().expect("an id").to_owned();
    let milk = id(home.json(["--name", "ana", "add", "work", "milk"]));
    home.ok(["add", "work", "bread", "--due", "2026-12-01", "--priority", "2", "--tag", "home", "--assignee", "ben"]);
    home.ok(["mv", "work", &milk, "--bottom"]);
    home.ok(["mv", "work", &milk, "--top"]);
    home.ok(["done", "work", &milk]);
    home.ok(["done", "work", &milk, "--not"]);
    home.ok(["edit", "work", &milk, "two", "milks"]);
    home.ok(["title", "work", "Work"]);
    home.ok(["title", "work", ""]);
    home.ok(["rm", "work", &milk]);
    (home, milk)
}

#[test]
fn the_log_tells_each_deed_in_a_line_the_newest_last() {
    let (home, _) = busy();
    let log = home.ok(["log", "work"]);
    assert_eq!(
        told(&log),
        [
            "ana  joined",
            "ana  added \"milk\"",
            "ana  added \"bread\", due 2026-12-01, priority 2, for ben, #home",
            "ana  moved \"milk\" behind \"bread\"",
            "ana  moved \"milk\" to the top",
            "ana  ticked \"milk\"",
            "ana  unticked \"milk\"",
            "ana  rewrote \"milk\" to \"two milks\"",
            "ana  titled the list \"Work\"",
            "ana  took the title of the list away",
            "ana  deleted \"two milks\"",
        ]
    );
    let last = home.ok(["log", "work", "--limit", "2"]);
    assert_eq!(told(&last), ["ana  took the title of the list away", "ana  deleted \"two milks\""]);
    assert_eq!(told(&home.ok(["log", "work", "--limit", "100"])).len(), 11);
    // Reading is no joining.
    assert_eq!(home.json(["status", "work"])["seq"], 11);
}

#[test]
fn for_programs_the_log_is_an_object_a_line() {
    let (home, milk) = busy();
    let log = home.ok(["log", "work", "--json"]);
    let rows: Vec<serde_json::Value> =
        log.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect();
    assert!(rows.iter().zip(1..).all(|(row, seq)| row["seq"] == seq), "{log}");
    let kinds: Vec<_> = rows.iter().map(|row| row["kind"].as_str().expect("a kind")).collect();
    assert_eq!(kinds, ["join", "add", "add", "put", "put", "put", "put", "put", "list", "list", "put"]);
    let time = rows[1]["time"].as_str().expect("a time");
    assert!(time.ends_with('Z') && time.contains('T') && time.len() == "2026-11-30T22:16:04.120Z".len(), "{time}");
    assert!(rows.iter().all(|row| row["name"] == "ana" && row["site"] == rows[0]["site"]), "{log}");
    assert_eq!(
        (&rows[3]["item"], &rows[3]["won"], &rows[3]["text"]),
        (&milk.as_str().into(), &true.into(), &"milk".into())
    );
    assert!(rows[3]["key"].is_string() && rows[3]["behind"].is_string() && rows[4]["behind"].is_null(), "{log}");
    let text = serde_json::json!([{ "field": "text", "value": "two milks", "old": "milk", "won": true }]);
    assert_eq!(rows[7]["writes"], text);
    assert_eq!(rows[8]["writes"], serde_json::json!([{ "field": "title", "value": "Work", "old": "", "won": true }]));
}

#[test]
fn a_write_that_lost_is_told_as_such() {
    let relay = Relay::default();
    let home = Home::at_relay(&relay.url());
    home.ok(["add", "work", "milk"]);
    let mut peer = Peer::join(relay.address(), "work");
    let item = peer.list.live().next().expect("an item").0;
    let key = peer.list.item(item).expect("it is there").position.key.clone();
    let registers = vec![Register::Text("cream".into()), Register::Done(true)];
    let body = Body::Put(Put { item, key: Some(key), registers });
    let op = peer.mint(body);
    let late = Hlc { tick: Tick { wall: Millis(5), counter: 0 }, site: peer.site() };
    peer.push(vec![Op::new(op.id(), op.prev, op.epoch, late, op.body)]);
    peer.add("behind it");
    let log = home.ok(["log", "work"]);
    let lines = told(log.lines().nth(3).expect("its line"));
    assert_eq!(
        lines,
        ["peer  moved \"milk\" (lost to a later move), rewrote it to \"cream\" (lost to a later write), ticked it"]
    );
    let log = home.ok(["log", "work", "--json"]);
    let row: serde_json::Value = serde_json::from_str(log.lines().nth(3).expect("its line")).expect("JSON");
    assert_eq!(
        (&row["won"], &row["writes"][0]["won"], &row["writes"][1]["won"]),
        (&false.into(), &false.into(), &true.into())
    );
}

#[test]
fn a_log_that_nobody_reads_to_its_end_ends_quietly() {
    let home = Home::new();
    let line = "x".repeat(100);
    let many = vec![line.as_str(); 3_000].join("\n");
    home.ok_with_input(["add", "work", "-", "--wait", "20"], &many);
    let mut command = home.command(["log", "work", "--wait", "20"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let mut stdout = child.stdout.take().expect("a pipe");
    let mut first = [0; 30];
    stdout.read_exact(&mut first).expect("a line");
    drop(stdout);
    let output = child.wait_with_output().expect("it ends");
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(0), ""));
}

#[test]
fn a_log_that_cannot_be_had_is_an_error_in_one_line() {
    let home = Home::new();
    for verb in ["log", "watch", "delete"] {
        let said = home.error([verb, "nope"]);
        assert!(said.contains("no list called nope") && said.contains("betwixt lists"), "{verb}: {said}");
    }
    // Nor has asking made one.
    assert_eq!(home.ok(["lists"]), "");
    let home = home.with_relay(Some(&nowhere()));
    for verb in ["log", "watch", "delete"] {
        let said = home.error([verb, "work", "--wait", "0.2"]);
        assert!(said.contains("offline, no relay answers at 127.0.0.1:"), "{verb}: {said}");
    }
}

#[test]
fn a_log_with_an_op_of_a_newer_program_is_told_up_to_there() {
    let relay = Relay::start_with(&[], &[("BETWIXT_TEST_KIND", "1")]);
    let mut peer = Peer::join(relay.address(), "work");
    peer.add("before");
    let op = peer.mint(Body::Unread { kind: kind::PROBE, bytes: vec![1] });
    peer.push(vec![op]);
    peer.add("behind");
    let output = Home::at_relay(&relay.url()).run(["log", "work"]);
    assert_eq!(told(&String::from_utf8_lossy(&output.stdout)), ["peer  joined", "peer  added \"before\""]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!((output.status.code(), said.as_str()), (Some(1), "error: this list needs a newer betwixt\n"));
}

#[test]
fn hostile_names_and_texts_do_not_drive_the_terminal_of_who_reads_the_log() {
    let relay = Relay::default();
    let mut deeds = 0;
    for text in HOSTILE.iter().filter(|text| !text.chars().any(char::is_control)) {
        let mut peer = Peer::link(relay.address(), "work");
        peer.welcome();
        let join = peer.mint(Body::Join(Join { name: (*text).into() }));
        let title = peer.mint(Body::List(ListPut { title: (*text).into() }));
        peer.push(vec![join, title]);
        peer.read_until("both", |peer| peer.list.site(peer.site()).is_some_and(|site| site.ctr == 2));
        deeds += 2;
        peer.add(text);
        let item = peer.list.live().last().expect("its item").0;
        let mut registers = vec![Register::Text(format!("{text}!").into())];
        registers.extend((text.len() <= LABEL_BYTES_MAX).then(|| Register::Tags(vec![(*text).into()])));
        let put = peer.mint(Body::Put(Put { item, key: None, registers }));
        peer.push(vec![put]);
        peer.read_until("its change", |peer| peer.list.site(peer.site()).is_some_and(|site| site.ctr == 4));
        deeds += 2;
    }
    assert!(deeds > 20, "too few of them come through");
    let home = Home::at_relay(&relay.url());
    for verb in
        [&["log", "work"][..], &["--json", "log", "work"], &["lists"], &["--json", "lists"], &["status", "work"]]
    {
        let output = home.run(verb);
        assert!(output.status.success(), "{verb:?}");
        assert!(
            is_plain(&output.stdout) && is_plain(&output.stderr),
            "{verb:?}: {:?}",
            String::from_utf8_lossy(&output.stdout)
        );
    }
    assert_eq!(home.ok(["log", "work"]).lines().count(), deeds);
}

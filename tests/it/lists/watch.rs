//! `betwixt watch`: what happens to a list, as it happens, whatever happens to the relay.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;
use std::time::Duration;

use betwixt_tests::home::Home;
use betwixt_tests::peer::Peer;
use betwixt_tests::relay::Relay;
use betwixt_tests::running::Running;
use betwixt_tests::wait::{LONG, until};
use rustix::process::Signal;
use serde_json::Value;

/// Waits until it has told of this entry; the entries that it told of, each of which must follow the one before.
#[track_caller]
fn told_up_to(watch: &Running, seq: u64) -> Vec<Value> {
    let mut rows = until(LONG, &format!("entry {seq}"), || {
        let rows = watch.wait_json(1);
        rows.last().is_some_and(|row| row["seq"] == seq).then_some(rows)
    });
    let first = rows.remove(0);
    assert!(first["items"].is_u64() && first["list"] == "work", "{first}");
    let from = first["seq"].as_u64().expect("a number") + 1;
    let seqs: Vec<u64> = rows.iter().map(|row| row["seq"].as_u64().expect("a number")).collect();
    assert_eq!(seqs, (from..=seq).collect::<Vec<u64>>(), "lost or repeated");
    rows
}

#[test]
fn a_watch_tells_where_it_begins_and_then_what_happens_and_ends_with_0() {
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let home = Home::new();
        home.ok(["add", "work", "before"]);
        let mut watch = home.start(["watch", "work", "--json"]);
        let first = watch.wait_json(1).remove(0);
        assert_eq!(first, serde_json::json!({ "list": "work", "seq": 2, "items": 1 }));
        home.ok(["--name", "ben", "add", "work", "milk"]);
        let rows = told_up_to(&watch, 3);
        assert_eq!((&rows[0]["kind"], &rows[0]["writes"][0]["value"]), (&"add".into(), &"milk".into()), "{rows:?}");
        watch.signal(signal);
        assert_eq!(watch.wait_end().code(), Some(0), "{signal:?}");
        // It has given the role back: the next one need not wait for anything.
        assert_eq!(home.json(["add", "work", "after", "--wait", "1"])["sent"], true);
        assert_eq!(watch.complaints(), Vec::<String>::new());
    }
}

#[test]
fn without_json_a_watch_prints_the_lines_of_the_log() {
    let home = Home::new();
    home.ok(["--name", "ana", "add", "work", "before"]);
    let watch = home.start(["watch", "work"]);
    watch.wait_for("work has 1 items");
    home.ok(["add", "work", "milk"]);
    watch.wait_for("ana  added \"milk\"");
    assert_eq!(watch.printed().len(), 1, "{:?}", watch.printed());
    assert_eq!(home.ok(["log", "work", "--limit", "1"]).trim_end(), watch.printed()[0]);
}

#[test]
fn a_relay_that_is_killed_and_comes_back_costs_no_entry_and_repeats_none() {
    let mut relay = Relay::default();
    let mut peer = Peer::join(relay.address(), "work");
    let watch = Home::at_relay(&relay.url()).start(["watch", "work", "--json", "--wait", "0.5"]);
    assert_eq!(watch.wait_json(1)[0]["seq"], 1);
    for round in 0..3 {
        peer.add(&format!("before {round}"));
        peer.add(&format!("before {round}, too"));
        relay.kill();
        relay.restart();
        peer.link_again(relay.address());
        // What happens before the watch is there again is told as well.
        peer.add(&format!("after {round}"));
    }
    let rows = told_up_to(&watch, 10);
    assert_eq!(rows[8]["writes"][0]["value"], "after 2");
    watch.wait_for("\"seq\":10");
}

#[test]
fn a_watch_says_that_there_is_no_relay_once_and_goes_on_when_there_is() {
    let mut relay = Relay::default();
    let mut peer = Peer::join(relay.address(), "work");
    let watch = Home::at_relay(&relay.url()).start(["watch", "work", "--json", "--wait", "0.2"]);
    assert_eq!(watch.wait_json(1)[0]["seq"], 1);
    relay.kill();
    watch.wait_for("note: offline, no relay answers at 127.0.0.1:");
    relay.restart();
    peer.link_again(relay.address());
    peer.add("after");
    told_up_to(&watch, 2);
    watch.wait_for("note: the relay is there again");
    assert_eq!(watch.complaints().len(), 2, "{:?}", watch.complaints());
}

#[test]
fn the_role_of_the_folders_relay_changes_hands_without_a_loss() {
    let home = Home::new();
    home.ok(["add", "work", "before"]);
    // The first has the role; it goes by force, by Ctrl-C, and for a while by Ctrl-Z.
    let first = home.start(["watch", "work", "--json"]);
    assert_eq!(first.wait_json(1)[0]["seq"], 2);
    let mut second = home.start(["watch", "work", "--json"]);
    assert_eq!(second.wait_json(1)[0]["seq"], 2);
    let last = home.start(["watch", "work", "--json"]);
    assert_eq!(last.wait_json(1)[0]["seq"], 2);
    home.ok(["add", "work", "one"]);
    drop(first);
    assert_eq!(home.json(["add", "work", "two", "--wait", "5"])["sent"], true);
    told_up_to(&second, 4);
    second.signal(Signal::INT);
    assert_eq!(second.wait_end().code(), Some(0));
    assert_eq!(home.json(["add", "work", "three", "--wait", "5"])["sent"], true);
    told_up_to(&last, 5);

    last.signal(Signal::TSTP);
    assert_eq!(home.json(["add", "work", "while it is stopped", "--wait", "5"])["sent"], true);
    last.signal(Signal::CONT);
    home.ok(["add", "work", "four", "--wait", "5"]);
    told_up_to(&last, 7);
}

#[test]
fn a_watch_whose_reader_goes_away_ends_at_once_and_quietly() {
    let home = Home::new();
    home.ok(["add", "work", "before"]);
    let mut command = home.command(["watch", "work", "--json"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut line = String::new();
    stdout.read_line(&mut line).expect("its first line");
    drop(stdout);
    // Though nothing happens that would have to be printed.
    let status = until(LONG, "it ends", || child.try_wait().expect("a child can be waited for"));
    let output = child.wait_with_output().expect("it has ended");
    assert_eq!((status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(0), ""));
}

#[test]
fn a_watch_that_nobody_reads_can_be_ended_all_the_same() {
    let relay = Relay::default();
    let mut peer = Peer::join(relay.address(), "work");
    let mut command = Home::at_relay(&relay.url()).command(["watch", "work", "--json"]);
    let mut child = command.stdout(Stdio::piped()).spawn().expect("it starts");
    let mut stdout = child.stdout.take().expect("a pipe");
    let mut byte = [0];
    std::io::Read::read_exact(&mut stdout, &mut byte).expect("its first line");
    // More than any pipe takes.
    for number in 0..120 {
        peer.add(&format!("{number} {}", "x".repeat(4_000)));
    }
    let pid = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw).expect("a pid");
    rustix::process::kill_process(pid, Signal::TERM).expect("it is there");
    let status = until(Duration::from_secs(10), "it ends", || child.try_wait().expect("a child can be waited for"));
    assert_eq!(status.code(), Some(0));
}

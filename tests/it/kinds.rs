//! A list with a kind of op that only a newer program knows: the older one stops before it, says so, and loses nothing.
//!
//! `BETWIXT_TEST_KIND` makes a program know one kind more, as a later version would.

use betwixt_core::op::{Body, kind};
use betwixt_core::wire::RefusedCode;
use betwixt_tests::home::Home;
use betwixt_tests::peer::Peer;
use betwixt_tests::relay::Relay;
use betwixt_tests::wait::LONG;

const SWITCH: (&str, &str) = ("BETWIXT_TEST_KIND", "1");
const STOPPED: &str = "needs a newer betwixt";

fn probe() -> Body {
    Body::Unread { kind: kind::PROBE, bytes: vec![1, 2, 3] }
}

/// The texts of `work` as a program with the switch prints them.
fn texts_of_newer(home: &Home) -> Vec<String> {
    let output = home.command(["--json", "--wait", "10", "ls", "work"]).env(SWITCH.0, SWITCH.1).output();
    let output = output.expect("betwixt starts");
    let rows: serde_json::Value = serde_json::from_slice(&output.stdout).expect("ls prints JSON");
    rows.as_array().expect("an array").iter().map(|row| row["text"].as_str().expect("a text").to_owned()).collect()
}

#[test]
fn the_older_program_stops_before_it_says_so_and_sends_its_edits_once_it_is_newer() {
    let relay = Relay::start_with(&[], &[SWITCH]);
    let old = Home::at_relay(&relay.url());
    old.ok(["add", "work", "before"]);
    let mut peer = Peer::join(relay.address(), "work");
    let mut screen = old.open(["work"]);
    screen.wait_for("127.0.0.1");
    screen.wait_for("all sent");

    let op = peer.mint(probe());
    peer.push(vec![op]);
    peer.add("behind");
    screen.wait_for(STOPPED);
    assert!(screen.screen().contains("before") && !screen.screen().contains("behind"), "{}", screen.screen());
    screen.keys("ggo").keys("written meanwhile\r\x1b");
    screen.wait_for("1 unsent");
    screen.wait_for("written meanwhile");

    // Another of this program, and this one again after it was killed: the same.
    screen.kill();
    let again = old.open(["work"]);
    again.wait_until(LONG, "all as it was", |seen| {
        [STOPPED, "1 unsent", "before", "written meanwhile"].iter().all(|text| seen.contains(text))
            && !seen.contains("behind")
    });
    drop(again);
    let status = old.json(["status", "work"]);
    assert_eq!((&status["connected"], &status["pending"]), (&false.into(), &1.into()), "{status}");
    let status = old.ok(["status", "work"]);
    assert!(status.lines().next().is_some_and(|line| line.contains(STOPPED) && line.contains("1 unsent")), "{status}");
    assert_eq!(old.json(["add", "work", "by a verb"])["sent"], false);
    let said = old.ok(["add", "work", "by a verb too"]);
    assert!(said.contains(STOPPED) && said.lines().count() == 1, "{said}");

    // None of it has reached the relay; a newer program beside it reads on past the op.
    let new = Home::at_relay(&relay.url());
    let beside = new.open_with(["work"], &[SWITCH]);
    beside.wait_for("behind");
    beside.wait_for("all sent");
    assert_eq!(texts_of_newer(&new), ["before", "behind"]);

    // The same folder under the newer program: all that waited goes out.
    let newer = old.open_with(["work"], &[SWITCH]);
    newer.wait_until(LONG, "the newer program, all sent", |seen| {
        seen.contains("behind") && seen.contains("all sent") && !seen.contains(STOPPED)
    });
    beside.wait_for("written meanwhile");
    beside.wait_for("by a verb too");
    let texts = texts_of_newer(&new);
    assert_eq!(texts.len(), 5, "{texts:?}");
    assert_eq!(texts.get(..2), Some(&["before".to_owned(), "written meanwhile".to_owned()][..]), "{texts:?}");
}

#[test]
fn a_relay_that_does_not_know_the_kind_refuses_the_op_and_goes_on() {
    let relay = Relay::default();
    let home = Home::at_relay(&relay.url());
    let beside = home.open(["work"]);
    beside.wait_for("all sent");
    let mut peer = Peer::join(relay.address(), "work");
    let op = peer.mint_as(peer.ctr + 1, peer.ctr, probe());
    assert_eq!(peer.refused(&op), RefusedCode::UnknownKind);
    peer.add("goes on");
    beside.wait_for("goes on");
    assert!(!beside.screen().contains(STOPPED));
}

//! A client in another language, with a WebSocket library of its own, joins a list: `tests/scripts/json_client.py`.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use betwixt_core::edit::Spot;
use betwixt_core::key::{Gap, Hint, SiteNumber, between};
use betwixt_core::op::{Body, Put};
use betwixt_tests::home::Home;
use betwixt_tests::peer::Peer;
use betwixt_tests::relay::Relay;
use betwixt_tests::wait::{LONG, until};

const LIST: &str = "groceries";

fn script_path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/json_client.py")
}

/// Whether Python is here, with its library. `.ci/run` puts it there, and a run with `CI` set must have it.
fn has_websockets() -> bool {
    let mut python = Command::new("python3");
    python.args(["-c", "import websockets.sync.client"]).stdout(Stdio::null()).stderr(Stdio::null());
    let there = python.status().is_ok_and(|status| status.success());
    assert!(
        there || std::env::var_os("CI").is_none(),
        "python3 with the package `websockets` must be there where CI is"
    );
    there
}

/// The running script; killed when dropped.
struct Script {
    child: Child,
    lines: Receiver<String>,
}

impl Script {
    fn start(relay: &Relay) -> Self {
        let mut python = Command::new("python3");
        python.arg(script_path()).args([&relay.url(), LIST]);
        let mut child = python.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().expect("python3 starts");
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        let (sender, lines) = channel();
        thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                // A test that has failed hears no more.
                let _ = sender.send(line);
            }
        });
        Self { child, lines }
    }

    #[track_caller]
    fn line(&self) -> String {
        self.lines.recv_timeout(LONG).expect("the script says something, in time")
    }
}

impl Drop for Script {
    fn drop(&mut self) {
        // One that has ended is what was wanted.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Moves the item with that text to the top.
fn move_to_the_top(peer: &mut Peer, text: &str) {
    let item = peer.list.live().find(|(_, item)| item.text() == text).map(|(id, _)| id).expect("it is there");
    let (low, high) = peer.list.gap_at(Spot::Top, &BTreeSet::from([item])).expect("there is a top");
    let gap = Gap::new(low.as_ref(), high.as_ref()).expect("keys ascend");
    let number = SiteNumber(peer.list.site(peer.site()).map_or(0, |site| site.number));
    let key = between(gap, number, Hint::None, &mut |_| false).expect("there is room");
    let op = peer.mint(Body::Put(Put { item, key: Some(key), registers: Vec::new() }));
    peer.push(vec![op]);
}

#[test]
fn a_script_joins_adds_inserts_between_two_and_sees_another_site_move() {
    if !has_websockets() {
        println!("skipped: there is no python3 with the package websockets (pip install websockets)");
        return;
    }
    let relay = Relay::default();
    let mut peer = Peer::join(relay.address(), LIST);
    let mut script = Script::start(&relay);
    assert_eq!(script.line(), "milk, bread, eggs");
    peer.read_until("the script's items", |peer| peer.texts() == ["milk", "bread", "eggs"]);
    let eggs = peer.list.live().last().and_then(|(_, item)| item.due()).map(|due| due.to_string());
    assert_eq!(eggs.as_deref(), Some("2026-11-30"));

    move_to_the_top(&mut peer, "eggs");
    assert_eq!(script.line(), "moved: eggs, milk, bread");
    let status = until(LONG, "the script ends", || script.child.try_wait().expect("it is our child"));
    assert!(status.success(), "{status}");
    peer.read_until("its own move", |peer| peer.texts() == ["eggs", "milk", "bread"]);
    assert_eq!(Home::at_relay(&relay.url()).texts(LIST), ["eggs", "milk", "bread"]);
    let names: Vec<String> = peer.list.sites().map(|(_, site)| site.name.to_string()).collect();
    assert!(names.contains(&"script".to_owned()), "{names:?}");
}

#[test]
fn the_client_in_the_readme_is_the_one_that_is_tested() {
    let readme = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md")).expect("a README");
    let script = fs::read_to_string(script_path()).expect("the script");
    let (_, behind) = readme.split_once("```python\n").expect("the README shows a client");
    let (shown, _) = behind.split_once("```").expect("a block has an end");
    assert!(script.contains(shown), "not a part of the script:\n{shown}");
    let lines = shown.lines().filter(|line| !line.trim().is_empty()).count();
    assert!((20..=32).contains(&lines), "{lines} lines");
}

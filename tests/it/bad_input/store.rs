//! Damage on the disk: named, kept out, not changed.

use std::fs;
use std::path::Path;

use betwixt_core::wire::ToSite;
use betwixt_store::{Batch, Format, KeyRange, RedbStore, Store as _};
use betwixt_tests::home::Home;
use betwixt_tests::peer::Peer;
use betwixt_tests::relay::Relay;
use betwixt_tests::wait::{LONG, until};

use super::{one_line, relay_error};

/// The format of a relay's store, as it is documented; not the constant of the code.
const RELAY_FORMAT: Format = Format { name: b"betwixt-relay", number: 2, migrations: &[] };

#[test]
fn a_damaged_record_closes_its_list_and_no_other() {
    let mut relay = Relay::default();
    let home = Home::at_relay(&relay.url());
    home.ok_with_input(["add", "work", "-", "--wait", "10"], "one\ntwo\nthree\n");
    home.ok(["add", "other", "fine"]);
    relay.kill();
    let store = relay.data().join("relay.redb");
    damage_entry(&store, "work", 3);
    relay.restart();

    // Who comes new, and who has it already.
    let newcomer = Home::at_relay(&relay.url());
    for home in [&newcomer, &home] {
        let said = home.error(["add", "work", "more"]);
        assert!(said.contains("list work is damaged on the relay"), "{said}");
        let listed = home.run(["ls", "work"]);
        let note = String::from_utf8_lossy(&listed.stderr).into_owned();
        assert!(note.contains("list work is damaged on the relay") && note.lines().count() == 1, "{note}");
        let status = home.json(["status", "work"]);
        assert_eq!(status["connected"], false, "{status}");
        assert!(home.ok(["status", "work"]).contains("list work is damaged"));
    }
    let mut screen = home.open(["work"]);
    screen.wait_for("damaged on the relay");
    screen.wait_for("two");
    screen.keys("q").wait_end();
    let mut peer = Peer::link(relay.address(), "work");
    peer.read_to_end();
    assert!(matches!(peer.said[..], [ToSite::Closing { .. }]), "{:?}", peer.said);
    let complaint =
        until(LONG, "the relay names the list", || relay.complaints().into_iter().find(|line| line.contains("work")));
    assert!(complaint.contains("stays closed") && complaint.contains("entry 3"), "{complaint}");

    // The others work, also on that relay's next start.
    home.ok(["add", "other", "still fine"]);
    assert_eq!(newcomer.texts("other"), ["fine", "still fine"]);
    relay.kill();
    assert_eq!(entry_of(&store, "work", 3), DAMAGE, "what is damaged was not touched");
    relay.restart();
    assert_eq!(newcomer.texts("other"), ["fine", "still fine"]);
}

const DAMAGE: &[u8] = b"not an entry at all";

fn entry_key(store: &RedbStore, list: &str, seq: u64) -> Vec<u8> {
    let tail = [list.as_bytes(), &[0, 3], &seq.to_be_bytes()].concat();
    let pairs = store.pairs(KeyRange::all(), usize::MAX).expect("it can be read");
    pairs.into_iter().map(|(key, _)| key).find(|key| key.ends_with(&tail)).expect("an entry of that list")
}

fn damage_entry(path: &Path, list: &str, seq: u64) {
    let store = RedbStore::open(path, &RELAY_FORMAT).expect("the store opens");
    let mut batch = Batch::default();
    batch.put(entry_key(&store, list, seq), DAMAGE);
    store.commit(&batch).expect("it is written");
}

fn entry_of(path: &Path, list: &str, seq: u64) -> Vec<u8> {
    let store = RedbStore::open(path, &RELAY_FORMAT).expect("the store opens");
    store.get(&entry_key(&store, list, seq)).expect("it can be read").expect("it is there")
}

/// Ways to damage a store, and what is said then.
fn damages(whole: &[u8]) -> Vec<(&'static str, Vec<u8>, &'static str)> {
    let mut pages = whole.to_vec();
    for page in pages.chunks_mut(4096).skip(1).step_by(2) {
        page.fill(0xa5);
    }
    let other = tempfile::tempdir().expect("a temporary folder");
    let made = |name: &'static [u8], number| {
        let path = other.path().join("other.redb");
        // The one before it was another format.
        let _ = fs::remove_file(&path);
        drop(RedbStore::open(&path, &Format { name, number, migrations: &[] }).expect("a store can be made"));
        fs::read(&path).expect("it is there")
    };
    vec![
        ("every other page", pages, "damaged"),
        ("the second half is missing", whole[..whole.len() / 2].to_vec(), "damaged"),
        ("no bytes", Vec::new(), "damaged"),
        ("no store", b"#!/bin/sh\necho pwned\n".repeat(400), "damaged"),
        ("a store of somebody else", made(b"somebody-else", 1), "is not a store of"),
        ("a relay's store of a later version", made(b"betwixt-relay", 3), "newer betwixt"),
        ("a site's store of a later version", made(b"betwixt-client", 3), "newer betwixt"),
    ]
}

#[test]
fn a_damaged_store_is_not_opened_and_not_changed() {
    let home = Home::new();
    home.ok_with_input(["add", "inbox", "-", "--wait", "10"], &"an item\n".repeat(200));
    for name in ["relay.redb", "sites/0/replica.redb"] {
        let path = home.data().join(name);
        let whole = fs::read(&path).expect("a store");
        for (what, damage, word) in damages(&whole) {
            let is_of_the_other = (name == "relay.redb") == what.starts_with("a site's");
            if what.contains("later version") && is_of_the_other {
                continue;
            }
            fs::write(&path, &damage).expect("it can be written");
            for verb in [&["ls", "inbox"][..], &["add", "inbox", "more"], &["status", "inbox"]] {
                let said = home.error(verb);
                assert!(said.contains(word) && said.contains(&*path.to_string_lossy()), "{name}, {what}: {said}");
                let way = match word {
                    "damaged" => "put a copy of it back",
                    "newer betwixt" => "take a newer betwixt",
                    _ => "move it away",
                };
                assert!(said.contains(way), "{name}, {what}: no way back in: {said}");
            }
            if name == "relay.redb" {
                for said in [relay_error(&home.data(), &[]), home.error(["relay", "--listen", "127.0.0.1:0"])] {
                    assert!(said.contains(word) && said.contains("relay.redb"), "{what}: {said}");
                }
            }
            assert!(fs::read(&path).expect("it is there") == damage, "{name}, {what}: it was changed");
        }
        // The way back that is named leads back.
        fs::write(&path, &whole).expect("it can be written");
        assert_eq!(home.texts("inbox").len(), 200, "{name}");
    }
}

#[test]
fn the_screen_names_the_way_back_from_a_damaged_store() {
    let home = Home::new();
    home.ok(["add", "inbox", "an item"]);
    let path = home.data().join("relay.redb");
    let whole = fs::read(&path).expect("a store");
    fs::write(&path, b"no store").expect("it can be written");
    let mut screen = home.open(["inbox"]);
    screen.wait_for("offline");
    screen.wait_for("an item");
    screen.wait_for("damaged");
    screen.keys("o").keys("kept here\r\x1b").wait_for("1 unsent");
    screen.keys("q").wait_end();
    screen.resize((300, 24));
    screen.wait_until(LONG, "the way back, on the shell's screen", |seen| {
        let seen = seen.replace('\n', "");
        seen.contains("error: ") && seen.contains("relay.redb") && seen.contains("put a copy of it back")
    });
    assert_eq!(fs::read(&path).expect("it is there"), b"no store");
    fs::write(&path, &whole).expect("it can be written");
    assert_eq!(home.texts("inbox"), ["an item", "kept here"]);
}

#[test]
fn a_damaged_small_file_of_the_folder_is_named() {
    let home = Home::new();
    home.ok(["add", "inbox", "an item"]);
    for (name, damage) in [("lists.json", "{\"last\": 7"), ("lists.json", ""), ("sites/0/identity", "pwned\x1b[2J\n")] {
        let path = home.data().join(name);
        let whole = fs::read(&path).expect("it is there");
        fs::write(&path, damage).expect("it can be written");
        let output = home.run(["ls", "inbox"]);
        let said = one_line(&output, 1);
        assert!(said.contains(&*path.to_string_lossy()) && said.contains("move"), "{said}");
        assert_eq!(fs::read(&path).expect("it is there"), damage.as_bytes(), "{name}: it was changed");
        fs::write(&path, whole).expect("it can be written");
    }
    assert_eq!(home.texts("inbox"), ["an item"]);
}

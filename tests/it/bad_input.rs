//! Bad input of every kind: what comes over the wire, what lies on the disk, what stands on the command line.
//!
//! | case | what is expected | test |
//! |---|---|---|
//! | a frame that does not decode, a text frame | `Unreadable`; the link goes on | [`a_frame_that_does_not_decode_is_said_to_be_unreadable`] |
//! | a message over the limit | the link is closed with 1009; the site links again and goes on | [`a_message_over_the_limit_closes_its_own_link_only`] |
//! | an op with a bad key, of a foreign site, with a text over 4 KiB, a clock an hour ahead, a control character, a forged hash, an unknown kind, an item that is not there | refused with its code; the link's other ops go on | [`an_op_that_may_not_be_is_refused_with_its_code_and_the_others_go_on`] |
//! | noise instead of a handshake | the link is closed; others do not notice | [`noise_on_the_port_is_nobody_elses_business`] |
//! | a damaged record in a relay's store | that list is named and closed, the others work; nothing is changed | [`a_damaged_record_closes_its_list_and_no_other`] |
//! | a damaged, cut, empty, foreign or newer store | not opened, not changed by a byte, the way back is named | [`a_damaged_store_is_not_opened_and_not_changed`] |
//! | the same under a screen | edits are kept, the way back is named at the end | [`the_screen_names_the_way_back_from_a_damaged_store`] |
//! | a damaged record of this folder's lists, a damaged identity | the file and the way back are named | [`a_damaged_small_file_of_the_folder_is_named`] |
//! | a data folder that cannot be one | one line that names it and what to do | [`a_data_folder_that_cannot_be_written_is_named`] |
//! | `--listen` on a taken port, at no address, for others without `--insecure` | one line that says what to do | [`a_relay_that_cannot_listen_says_why`] |
//! | a folder that another relay serves | one line with its process | [`a_folder_that_is_served_already_is_named_with_its_process`] |
//! | a relay that is not there, or is none | edits are kept; each verb and the screen say so | [`a_relay_that_is_not_there_is_named`] |
//! | a list name with `../` and other wrong words | one line, exit code 2, no file is made | [`a_list_name_that_leads_out_is_refused_in_one_line`] |
//! | `NO_COLOR`, a dumb terminal, no terminal | no colour; verbs work, the screen says what it needs | [`without_colour_or_a_terminal_it_stays_sensible`] |
//! | a terminal that is closed under the screen | the program ends | [`a_terminal_that_goes_away_ends_the_program`] |
//! | text of others that attacks a terminal, as items, names, refused edits, arguments | it never drives the terminal | [`hostile_items_do_not_drive_the_terminal`], [`hostile_names_do_not_drive_the_terminal`], [`hostile_refused_edits_do_not_drive_the_terminal`], [`hostile_arguments_do_not_drive_the_terminal`] |

use std::ffi::OsStr;
use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use betwixt_core::hlc::{Hlc, Millis, Tick};
use betwixt_core::id::{Hash, ItemId, OpId, SiteId};
use betwixt_core::op::{Body, ListPut, Op, Put, kind};
use betwixt_core::register::Register;
use betwixt_core::safe_text::hostile::HOSTILE;
use betwixt_core::wire::{Message as _, RefusedCode, ToRelay, ToSite};
use betwixt_store::{Batch, Format, KeyRange, RedbStore, Store as _};
use betwixt_tests::escapes::{is_plain, misuse};
use betwixt_tests::home::Home;
use betwixt_tests::peer::Peer;
use betwixt_tests::program;
use betwixt_tests::relay::Relay;
use betwixt_tests::terminal::Terminal;
use betwixt_tests::wait::{LONG, until};
use portable_pty::{CommandBuilder, PtySize, native_pty_system};
use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use tokio_tungstenite::tungstenite::Message;

/// The format of a relay's store, as it is documented; not the constant of the code.
const RELAY_FORMAT: Format = Format { name: b"betwixt-relay", number: 1 };

/// A relay, a well-behaved screen on `work`, and a peer beside it that will not behave.
struct Beside {
    relay: Relay,
    home: Home,
    screen: Terminal,
    peer: Peer,
    edits: usize,
}

impl Beside {
    fn new() -> Self {
        let relay = Relay::default();
        let home = Home::at_relay(&relay.url());
        let mut screen = home.open(["work"]);
        // All rows in sight, however many edits there will be.
        screen.resize((80, 60));
        screen.wait_for("all sent");
        screen.wait_for("127.0.0.1");
        let peer = Peer::join(relay.address(), "work");
        Self { relay, home, screen, peer, edits: 0 }
    }

    /// The screen edits, the peer edits, each sees the other's, and the screen has never lost its link.
    #[track_caller]
    fn nobody_else_notices(&mut self) {
        self.edits += 1;
        let (mine, theirs) = (format!("mine {}.", self.edits), format!("theirs {}.", self.edits));
        let from = self.screen.bytes().len();
        self.screen.keys("o").keys(&mine).keys("\r\x1b");
        self.screen.wait_until(LONG, "its edit, sent", |seen| seen.contains(&mine) && seen.contains("all sent"));
        self.peer.add(&theirs);
        self.screen.wait_for(&theirs);
        self.peer.read_until("the screen's edit", |peer| peer.texts().contains(&mine));
        let since = String::from_utf8_lossy(&self.screen.bytes()[from..]).into_owned();
        assert!(!since.contains("offline") && !since.contains("refused"), "the screen noticed: {since:?}");
        assert_eq!(self.home.json(["status", "work"])["connected"], true);
    }
}

#[test]
fn a_frame_that_does_not_decode_is_said_to_be_unreadable() {
    let mut beside = Beside::new();
    let push = ToRelay::Push { list: beside.peer.list.uid(), ops: vec![] }.to_bytes();
    let garbled: [(&str, Message); 6] = [
        ("three bytes", Message::Binary(vec![1, 2, 3].into())),
        ("nothing", Message::Binary(Vec::new().into())),
        ("a message and a byte more", Message::Binary([&push[..], &[0]].concat().into())),
        ("half a message", Message::Binary(push[..push.len() / 2].to_vec().into())),
        ("a hello of noise", Message::Binary([&[0][..], &[0xff; 400]].concat().into())),
        ("text", Message::Text("{\"hello\":1}".into())),
    ];
    for (what, frame) in garbled {
        beside.peer.said.retain(|said| *said != ToSite::Unreadable);
        beside.peer.send(frame).expect("the link is there");
        beside.peer.read_until(what, |peer| peer.said.contains(&ToSite::Unreadable));
        beside.nobody_else_notices();
    }
}

#[test]
fn a_message_over_the_limit_closes_its_own_link_only() {
    let mut beside = Beside::new();
    // What was pushed before it on the link is taken all the same.
    let body = beside.peer.adding("right before");
    let op = beside.peer.mint(body);
    beside.peer.push(vec![op]);
    beside.peer.send(Message::Binary(vec![1; 256 * 1024 + 1].into())).expect("the link is there");
    beside.peer.read_to_end();
    assert_eq!(beside.peer.closed, Some(1009));
    beside.screen.wait_for("right before");
    beside.peer.link_again(beside.relay.address());
    beside.nobody_else_notices();
    assert_eq!(beside.peer.texts().iter().filter(|text| *text == "right before").count(), 1);
}

#[test]
fn an_op_that_may_not_be_is_refused_with_its_code_and_the_others_go_on() {
    type Make = fn(&Peer) -> Op;
    let cases: [(&str, RefusedCode, Make); 12] = [
        ("a key of symbols that are none", RefusedCode::BadKey, |peer| next_of(peer, raw_add(b"V\x01"))),
        ("a key that ends in the lowest symbol", RefusedCode::BadKey, |peer| next_of(peer, raw_add(b"V!"))),
        ("a key of no symbols", RefusedCode::BadKey, |peer| next_of(peer, raw_add(b""))),
        ("a key of 129 symbols", RefusedCode::BadKey, |peer| next_of(peer, raw_add(&[b'V'; 129]))),
        ("a foreign site", RefusedCode::ForeignSite, |peer| {
            let own = next_of(peer, peer.adding("x"));
            let id = OpId { site: SiteId::from_bytes([8; 16]), ctr: own.ctr };
            Op::new(id, own.prev, own.epoch, own.hlc, own.body)
        }),
        ("a text over 4 KiB", RefusedCode::TooLarge, |peer| next_of(peer, peer.adding(&"x".repeat(4_097)))),
        ("a clock an hour ahead", RefusedCode::Clock, |peer| {
            let own = next_of(peer, peer.adding("x"));
            let wall = own.hlc.tick.wall.plus(Millis(3_600_000));
            let hlc = Hlc { tick: Tick { wall, counter: 0 }, ..own.hlc };
            Op::new(own.id(), own.prev, own.epoch, hlc, own.body)
        }),
        ("a control character", RefusedCode::Control, |peer| next_of(peer, peer.adding("\x1b]0;pwned\x07"))),
        ("a forged hash", RefusedCode::Malformed, |peer| Op {
            hash: Hash::from_bytes([0; 32]),
            ..next_of(peer, peer.adding("x"))
        }),
        ("a body of noise", RefusedCode::Malformed, |peer| next_of(peer, Body::read(kind::ADD, &[0xff; 40]))),
        ("an unknown kind", RefusedCode::UnknownKind, |peer| next_of(peer, Body::Unread { kind: 250, bytes: vec![1] })),
        ("an item that is not there", RefusedCode::Gone, |peer| {
            let item = ItemId::from_bytes([9; 8]);
            next_of(peer, Body::Put(Put { item, key: None, registers: vec![Register::Done(true)] }))
        }),
    ];
    let mut beside = Beside::new();
    for (what, code, make) in cases {
        let op = make(&beside.peer);
        assert_eq!(beside.peer.refused(&op), code, "{what}");
        beside.nobody_else_notices();
    }
    // In the middle of a push: what is before it and behind it is taken.
    let bodies = [beside.peer.adding("ahead of it"), beside.peer.adding("behind it")];
    let [ahead, behind] = bodies.map(|body| beside.peer.mint(body));
    let bad = beside.peer.mint_as(behind.ctr + 1, ahead.ctr, raw_add(b"V!"));
    let behind = Op::new(OpId { ctr: bad.ctr + 1, ..bad.id() }, ahead.ctr, behind.epoch, behind.hlc, behind.body);
    beside.peer.ctr = behind.ctr;
    beside.peer.push(vec![ahead, bad, behind]);
    beside.screen.wait_for("ahead of it");
    beside.screen.wait_for("behind it");
    beside.nobody_else_notices();
}

/// The op that comes next, as far as its counter goes.
fn next_of(peer: &Peer, body: Body) -> Op {
    peer.mint_as(peer.ctr + 1, peer.ctr, body)
}

/// An item at whatever stands in the place of its key.
fn raw_add(key: &[u8]) -> Body {
    let mut len = vec![u8::try_from(key.len() & 0x7f).expect("seven bits")];
    if key.len() > 0x7f {
        len = vec![len[0] | 0x80, u8::try_from(key.len() >> 7).expect("short")];
    }
    Body::read(kind::ADD, &[&[9; 8][..], &len, key, &[0]].concat())
}

#[test]
fn noise_on_the_port_is_nobody_elses_business() {
    let mut beside = Beside::new();
    let noises: [&[u8]; 4] = [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n\
          Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: betwixt.1\r\n\
          Origin: http://pwned.example\r\n\r\n",
        b"\xff\xff\xff\xff\r\n\r\n",
    ];
    for noise in noises {
        let mut socket = TcpStream::connect(beside.relay.address()).expect("a relay listens");
        socket.set_read_timeout(Some(LONG)).expect("a socket has timeouts");
        socket.write_all(noise).expect("it takes bytes");
        let mut answer = Vec::new();
        // A reset is as good an end as any other.
        let _ = socket.read_to_end(&mut answer);
        assert!(!answer.starts_with(b"HTTP/1.1 101"), "{}", String::from_utf8_lossy(&answer));
        beside.nobody_else_notices();
    }
}

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
        drop(RedbStore::open(&path, &Format { name, number }).expect("a store can be made"));
        fs::read(&path).expect("it is there")
    };
    vec![
        ("every other page", pages, "damaged"),
        ("the second half is missing", whole[..whole.len() / 2].to_vec(), "damaged"),
        ("no bytes", Vec::new(), "damaged"),
        ("no store", b"#!/bin/sh\necho pwned\n".repeat(400), "damaged"),
        ("a store of somebody else", made(b"somebody-else", 1), "is not a store of"),
        ("a relay's store of a later version", made(b"betwixt-relay", 9), "newer betwixt"),
        ("a site's store of a later version", made(b"betwixt-client", 9), "newer betwixt"),
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

/// Runs `betwixt-relay`, which must fail with one line.
#[track_caller]
fn relay_error(data: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new(program::path("betwixt-relay"));
    command.arg("--data").arg(data).args(["--listen", "127.0.0.1:0"]).args(arguments);
    one_line(&command.stdin(Stdio::null()).output().expect("it starts"), 1)
}

/// The one line of a program that must have failed with this code.
#[track_caller]
fn one_line(output: &Output, code: i32) -> String {
    let said = String::from_utf8(output.stderr.clone()).expect("errors are UTF-8");
    assert_eq!(output.status.code(), Some(code), "{}: {said}", output.status);
    assert!(said.starts_with("error: ") && said.trim_end().lines().count() == 1, "not one line: {said:?}");
    assert!(is_plain(&output.stderr), "{said:?}");
    said.trim_end().to_owned()
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

#[test]
fn a_data_folder_that_cannot_be_written_is_named() {
    let home = Home::new();
    let file = home.path().join("file");
    fs::write(&file, "mine").expect("it can be written");
    // Below a file there is no folder, whoever asks.
    let below = file.join("data");
    let shown = below.display().to_string();
    for verb in [&["ls", "inbox"][..], &["add", "inbox", "more"], &["status", "inbox"]] {
        let said = home.error(verb.iter().chain(&["--data", &shown]));
        assert!(said.contains(&shown) && said.contains("--data"), "{said}");
    }
    for said in [relay_error(&below, &[]), home.error(["relay", "--listen", "127.0.0.1:0", "--data", &shown])] {
        assert!(said.contains(&shown), "{said}");
    }
    let mut screen = home.open(["--data", &shown]);
    screen.wait_end();
    screen.wait_until(LONG, "why", |seen| {
        let seen = seen.replace('\n', "");
        seen.contains("error: ") && seen.contains(&shown) && seen.contains("--data")
    });
    assert_eq!(fs::read(&file).expect("it is there"), b"mine");

    // A file, or a folder, stands where the folder has one of its own.
    for (number, (place, is_file)) in [
        ("sites", true),
        ("sites/0", true),
        ("lists.lock", false),
        ("lists.json", false),
        ("sites/0/lock", false),
        ("relay.lock", false),
    ]
    .into_iter()
    .enumerate()
    {
        let data = home.path().join(format!("data {number}"));
        let in_the_way = data.join(place);
        fs::create_dir_all(in_the_way.parent().expect("a folder")).expect("folders can be made");
        if is_file {
            fs::write(&in_the_way, "mine").expect("it can be written");
        } else {
            fs::create_dir(&in_the_way).expect("folders can be made");
        }
        let shown = data.display().to_string();
        let said = home.error(["ls", "inbox", "--data", &shown]);
        assert!(said.contains(&shown), "{place}: {said}");
    }
}

#[test]
fn a_relay_that_cannot_listen_says_why() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let taken = taken.local_addr().map(|address| (taken, address.to_string())).expect("an address");
    let home = Home::new();
    let data = home.path().join("data");
    let cases: [(&str, &[&str]); 4] = [
        (&taken.1, &["is taken by another program", "--listen"]),
        ("no-such-host.invalid:1", &["no-such-host.invalid", "no address"]),
        ("7878", &["7878", "no address"]),
        ("0.0.0.0:0", &["0.0.0.0", "--insecure"]),
    ];
    for (address, words) in cases {
        let said = home.error(["relay", "--listen", address]);
        let alone = relay_error(&data, &["--listen", address]);
        for word in words {
            assert!(said.contains(word) && alone.contains(word), "{address}: {said}\n{alone}");
        }
    }
    // A relay that did not start holds nothing.
    home.ok(["add", "inbox", "an item"]);
}

#[test]
fn a_folder_that_is_served_already_is_named_with_its_process() {
    let home = Home::new();
    let mut screen = home.open(["inbox"]);
    screen.wait_for("local relay");
    let pid = fs::read_to_string(home.data().join("relay.lock")).expect("the role is taken");
    let said = home.error(["relay", "--listen", "127.0.0.1:0"]);
    assert!(
        said.contains(&*home.data().to_string_lossy()) && said.contains(&format!("process {}", pid.trim())),
        "{said}"
    );
    assert!(said.contains("--data"), "it does not say what to do: {said}");
    screen.keys("o").keys("goes on\r\x1b");
    screen.wait_until(LONG, "its edit, sent", |seen| seen.contains("goes on") && seen.contains("all sent"));
}

#[test]
fn a_relay_that_is_not_there_is_named() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("an address").to_string();
    drop(listener);
    let url = format!("ws://{address}");
    let home = Home::at_relay(&url);
    let said = home.ok(["add", "work", "an item", "--wait", "0.3"]);
    assert!(said.contains("kept here, not yet sent") && said.contains(&address), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
    let listed = home.run(["ls", "work", "--wait", "0.3"]);
    let note = String::from_utf8_lossy(&listed.stderr).into_owned();
    assert!(note.contains("no relay answers at") && note.contains(&address) && note.lines().count() == 1, "{note}");
    assert!(String::from_utf8_lossy(&listed.stdout).contains("an item"));
    let status = home.ok(["status", "work", "--wait", "0.3"]);
    assert!(status.starts_with("work  offline, no relay answers at") && status.contains("1 unsent"), "{status}");
    let screen = home.open(["work"]);
    screen.wait_for("offline");
    screen.wait_for("1 unsent");
    screen.wait_for("an item");

    // What is no address at all is a wrong command line.
    for wrong in ["http://127.0.0.1:1", "ws://127.0.0.1", "ws://127.0.0.1:0", "ws://127.0.0.1:99999", "ws://:1", ""] {
        let said = one_line(&home.run(["--relay", wrong, "ls", "work"]), 2);
        assert!(said.contains("ws://HOST:PORT"), "{said}");
    }
}

#[test]
fn a_list_name_that_leads_out_is_refused_in_one_line() {
    let home = Home::new();
    let names = ["../x", "../../etc/passwd", "..", ".", "/etc/passwd", "a/b", "a\\b", "a b", "", "ä", &"x".repeat(65)];
    for name in names {
        for arguments in [&["add", name, "text"][..], &["ls", name], &["status", name], &[name]] {
            if arguments == [""] {
                continue;
            }
            let said = one_line(&home.run(arguments), 2);
            assert!(said.contains("list"), "{said}");
        }
    }
    assert!(!home.data().exists(), "a wrong name has made a folder");
    // A list that has such a name in the folder's record is nobody's: the record is damaged.
    home.ok(["add", "inbox", "an item"]);
    let record = home.data().join("lists.json");
    let text = fs::read_to_string(&record).expect("it is there").replace("\"inbox\"", "\"../inbox\"");
    fs::write(&record, text).expect("it can be written");
    let said = home.error(["ls", "inbox"]);
    assert!(said.contains("lists.json"), "{said}");
}

#[test]
fn without_colour_or_a_terminal_it_stays_sensible() {
    let home = Home::new();
    home.ok(["add", "inbox", "an item"]);
    // No colour: what is bold, dim or reversed may stay.
    let screen = home.open_with(["inbox"], &[("NO_COLOR", "1")]);
    screen.wait_for("an item");
    screen.wait_for("local relay");
    let colours = colours(&screen.bytes());
    assert!(colours.is_empty(), "{colours:?}");
    drop(screen);
    let coloured = home.open(["inbox"]);
    coloured.wait_for("an item");
    coloured.wait_for("local relay");
    assert!(!self::colours(&coloured.bytes()).is_empty(), "colours are not found where they are");
    drop(coloured);

    // A dumb terminal: the screen says what it needs, the verbs work and write no escape.
    let dumb = [("TERM", "dumb")];
    let mut screen = home.open_with(["inbox"], &dumb);
    screen.wait_end();
    screen.wait_for("error: the screen needs a terminal");
    assert!(!screen.bytes().contains(&0x1b), "{:?}", screen.screen());
    for verb in [&["ls", "inbox"][..], &["status", "inbox"], &["add", "inbox", "more"], &["--help"], &["ls"]] {
        let mut screen = home.open_with(verb, &dumb);
        screen.wait_end();
        screen.wait_until(LONG, "words", |seen| !seen.trim().is_empty());
        assert!(!screen.bytes().contains(&0x1b), "{verb:?}: {:?}", screen.screen());
    }
    let relay = home.open_with(["relay", "--listen", "127.0.0.1:0"], &dumb);
    relay.wait_for("listening on ws://");
    home.ok(["add", "inbox", "even more", "--wait", "10"]);
    relay.wait_for("inbox ");
    assert!(!relay.bytes().contains(&0x1b), "{:?}", relay.screen());
    drop(relay);

    // No terminal at all: the same words on standard error, and verbs as ever.
    let said = one_line(&home.run(["inbox"]), 1);
    assert!(said.contains("the screen needs a terminal") && said.contains("betwixt --help"), "{said}");
    let output = home.run(["ls", "inbox"]);
    assert!(output.status.success() && is_plain(&output.stdout), "{:?}", String::from_utf8_lossy(&output.stdout));
}

/// The colours in a stream, as the parameters of its CSI m.
fn colours(stream: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(stream).into_owned();
    let styles = text.split("\x1b[").skip(1).filter_map(|rest| {
        let (parameters, _) = rest.split_once(|c: char| c.is_ascii_alphabetic())?;
        rest.get(parameters.len()..)?.starts_with('m').then(|| parameters.to_owned())
    });
    let is_colour = |style: &String| {
        style.split([';', ':']).any(|one| one.parse().is_ok_and(|one: u16| matches!(one, 30..=38 | 40..=48 | 90..=107)))
    };
    styles.filter(is_colour).collect()
}

#[test]
fn a_terminal_that_goes_away_ends_the_program() {
    let betwixt = program::path("betwixt");
    let alone = [betwixt.as_os_str(), "inbox".as_ref()];
    assert_ends_with_its_terminal(&alone, (80, 24));
    // Without a cell: the cursor is hidden then, and cannot be shown again at the end.
    assert_ends_with_its_terminal(&alone, (0, 0));
    // Where the shell keeps the signal to itself and its job is not in the foreground, nobody is told: a terminal that
    // is gone must be noticed all the same.
    let job = format!("trap '' HUP TTIN TTOU; set -m; {} inbox & wait", betwixt.display());
    assert_ends_with_its_terminal(&["bash".as_ref(), "-c".as_ref(), job.as_ref()], (80, 24));
}

#[track_caller]
fn assert_ends_with_its_terminal(arguments: &[&OsStr], (cols, rows): (u16, u16)) {
    let home = Home::new();
    home.ok(["add", "inbox", "an item"]);
    let size = PtySize { rows, cols, pixel_width: 0, pixel_height: 0 };
    let pair = native_pty_system().openpty(size).expect("a pseudo-terminal");
    let mut command = CommandBuilder::from_argv(arguments.iter().map(|&argument| argument.to_owned()).collect());
    command.env_clear();
    for (name, value) in home.environment() {
        command.env(name, value);
    }
    let mut child = pair.slave.spawn_command(command).expect("betwixt starts");
    drop(pair.slave);
    let mut reader = pair.master.try_clone_reader().expect("a terminal can be read");
    let mut seen = String::new();
    while !seen.contains("\x1b[?2026l") {
        let mut buffer = [0; 4096];
        let len = reader.read(&mut buffer).expect("the program draws");
        seen.push_str(&String::from_utf8_lossy(&buffer[..len]));
    }
    let pid = until(LONG, "it has the role", || {
        let text = fs::read_to_string(home.data().join("relay.lock")).ok()?;
        text.parse().ok().and_then(Pid::from_raw)
    });
    // The window is closed: both ends of this side are gone.
    drop(reader);
    drop(pair.master);
    let deadline = Instant::now() + Duration::from_secs(15);
    let exit = loop {
        // The shell in between may end without its job.
        let exit = child.try_wait().expect("a child can be waited for");
        if let Some(exit) = exit.filter(|_| test_kill_process(pid).is_err()) {
            break exit;
        }
        if Instant::now() > deadline {
            // Not left behind by a test that fails, however it hides from its terminal.
            kill_process(pid, Signal::KILL).expect("it is there");
            panic!("the program lives on without its terminal");
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    // That it cannot draw any more is an error like any other, and the key reader may have to be left behind; a panic is
    // neither.
    assert!(matches!(exit.exit_code(), 0 | 1 | 129), "it ended in disorder: {exit}");
    assert_eq!(home.texts("inbox"), ["an item"]);
}

/// The hostile strings as lines of text: what `add LIST -` makes an item each of.
fn hostile_lines() -> Vec<String> {
    HOSTILE.iter().flat_map(|text| text.lines()).filter(|line| !line.trim().is_empty()).map(str::to_owned).collect()
}

/// What a screen draws. Before it takes the terminal it asks for the colours of it, in words of its own.
#[track_caller]
fn drawn(stream: &[u8]) -> &[u8] {
    let begin = b"\x1b[?1049h";
    let at = stream.windows(begin.len()).position(|window| window == begin).unwrap_or_default();
    let (asked, drawn) = stream.split_at(at);
    let asked = String::from_utf8_lossy(asked);
    let own = ["\x1b]10;?\x07", "\x1b]11;?\x07", "\x1b]10;?\x1b\\", "\x1b]11;?\x1b\\", "\x1b[c"];
    let other = own.iter().fold(asked.into_owned(), |asked, question| asked.replacen(question, "", 1));
    assert!(other.is_empty(), "before the screen: {other:?}");
    drawn
}

/// Looks at a whole list on a screen, and at each item of it in the editor.
#[track_caller]
fn assert_not_driven(home: &Home, list: &str, what: &str) {
    let rows = home.json(["ls", list]).as_array().map_or(0, Vec::len);
    let mut screen = home.open([list]);
    screen.wait_for("benign");
    screen.resize((100, u16::try_from(rows + 6).expect("a few rows")));
    screen.wait_for(&format!("1-{rows} of {rows}"));
    screen.keys("gg");
    for _ in 0..rows {
        screen.keys("i\x03j");
    }
    screen.keys("o").keys("the end\r\x1b").wait_for("the end");
    screen.keys("q").wait_end();
    let misuse = misuse(drawn(&screen.bytes()));
    assert!(misuse.is_empty(), "{what} drives the terminal: {misuse:?}");
    for verb in [&["ls", list][..], &["status", list]] {
        let output = home.run(verb);
        assert!(output.status.success());
        assert!(
            is_plain(&output.stdout) && is_plain(&output.stderr),
            "{what}: {:?}",
            String::from_utf8_lossy(&output.stdout)
        );
        let output = home.run([&["--json"][..], verb].concat());
        assert!(is_plain(&output.stdout), "{what}: {:?}", String::from_utf8_lossy(&output.stdout));
    }
}

#[test]
fn hostile_items_do_not_drive_the_terminal() {
    // The check finds what it is for.
    for text in HOSTILE {
        let is_control = |c: char| c.is_control() && !matches!(c, '\t' | '\r' | '\n' | '\x08');
        // Colours are what any program may write.
        let drives = text.chars().any(is_control) && !text.contains("[31;5m") && !text.contains("[2J\x1b[H");
        let drives = drives && !text.contains("[1A\x1b[2K") && !text.contains("[999;1H");
        let drives = drives && !["?1049h", "?25l", "?2004l"].iter().any(|mode| text.contains(mode));
        assert!(!drives || !misuse(text.as_bytes()).is_empty(), "{text:?} is not found");
    }
    assert!(misuse(b"\x1b[0;1;38;5;7m\x1b[2;3H\x1b[K\x1b[?25l\x1b[?2026h plain \r\n").is_empty());

    // As what somebody pastes into a verb.
    let home = Home::new();
    let output = {
        let mut child = home.command(["add", "inbox", "-", "--wait", "10"]);
        let mut child =
            child.stdin(Stdio::piped()).stderr(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
        let input = hostile_lines().join("\n");
        child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("it reads");
        child.wait_with_output().expect("it ends")
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(is_plain(&output.stdout) && is_plain(&output.stderr));
    let note = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(note.contains("control characters were made visible"), "it is not said: {note:?}");
    assert_not_driven(&home, "inbox", "text from standard input");

    // As what somebody pastes into the screen.
    let home = Home::new();
    let mut screen = home.open(["inbox"]);
    screen.wait_for("local relay");
    let pasted: Vec<String> = hostile_lines().into_iter().filter(|line| !line.contains('\x1b')).collect();
    screen.keys("o").paste(&pasted.join("\n"));
    screen.wait_for("benign");
    screen.keys("\x1b");
    screen.wait_until(LONG, "all sent", |seen| seen.contains("all sent"));
    screen.keys("q").wait_end();
    let found = misuse(drawn(&screen.bytes()));
    assert!(found.is_empty(), "a paste drives the terminal: {found:?}");
    assert_not_driven(&home, "inbox", "pasted text");

    // As what a peer says: controls are refused, the rest is shown tamely.
    let relay = Relay::default();
    let mut peer = Peer::join(relay.address(), "work");
    for text in HOSTILE {
        if text.chars().any(|c| c.is_control() && c != '\t') {
            let op = next_of(&peer, peer.adding(text));
            assert_eq!(peer.refused(&op), RefusedCode::Control, "{text:?}");
        } else {
            peer.add(text);
        }
    }
    let title = peer.mint(Body::List(ListPut { title: "benign \u{202e}denwp\u{2066}\u{e0070}".into() }));
    peer.push(vec![title]);
    peer.add("benign at the end");
    assert_not_driven(&Home::at_relay(&relay.url()), "work", "a peer's text");
}

#[test]
fn hostile_names_do_not_drive_the_terminal() {
    let relay = Relay::default();
    let watcher = Home::at_relay(&relay.url());
    watcher.ok(["add", "work", "an item"]);
    let mut watching = watcher.open(["work"]);
    watching.wait_for("all sent");
    for name in HOSTILE {
        // As a person's own name: shown on their own screen too, or not taken.
        let home = Home::at_relay(&relay.url());
        let output = home.command(["--name", name, "add", "work", "from them"]).output();
        match output {
            Ok(output) if output.status.success() => {}
            Ok(output) => {
                let said = one_line(&output, 1);
                assert!(said.contains("a name has 1 to 32 characters"), "{name:?}: {said}");
            }
            // An argument that no program can be given.
            Err(_nul) => assert!(name.contains('\0')),
        }
        // As a peer says it in its hello, whatever it is.
        drop(Peer::join_as(relay.address(), "work", name));
    }
    let mut own = watcher.open(["--name", HOSTILE[0], "work"]);
    own.wait_for("an item");
    own.wait_for("all sent");
    let peers: Vec<Peer> = HOSTILE.iter().step_by(9).map(|name| Peer::join_as(relay.address(), "work", name)).collect();
    watching.resize((200, 24));
    watching.wait_until(LONG, "people with names of a kind", |seen| {
        seen.lines().next().is_some_and(|line| line.contains("benign"))
    });
    drop(peers);
    for screen in [&mut watching, &mut own] {
        screen.keys("q").wait_end();
        let found = misuse(drawn(&screen.bytes()));
        assert!(found.is_empty(), "a name drives the terminal: {found:?}");
    }
    let listed = watcher.run(["ls", "work"]);
    assert!(is_plain(&listed.stdout));
    assert!(relay.printed().iter().chain(&relay.complaints()).all(|line| is_plain(line.as_bytes())));
}

#[test]
fn hostile_refused_edits_do_not_drive_the_terminal() {
    let mut relay = Relay::start(&["--limit", "text_bytes=16"]);
    relay.kill();
    let home = Home::at_relay(&relay.url());
    let long: Vec<String> = hostile_lines().into_iter().map(|line| format!("{line} and too long for it")).collect();
    home.ok_with_input(["add", "work", "-", "--wait", "0.1"], &long.join("\n"));
    relay.restart();
    let mut screen = home.open(["work"]);
    let refused = format!("{} refused (!)", long.len());
    screen.wait_until(LONG, "all refused", |seen| seen.contains(&refused));
    screen.keys("!").wait_for("too large");
    for _ in &long {
        screen.keys("j");
    }
    screen.keys("e").wait_for("written to");
    screen.keys("\x1bq").wait_end();
    let found = misuse(drawn(&screen.bytes()));
    assert!(found.is_empty(), "a refused edit drives the terminal: {found:?}");
    let status = home.run(["status", "work"]);
    let printed = String::from_utf8_lossy(&status.stdout).into_owned();
    assert_eq!(printed.lines().filter(|line| line.starts_with("refused ")).count(), long.len(), "{printed}");
    assert!(is_plain(&status.stdout), "{printed:?}");
    assert!(is_plain(&home.run(["--json", "status", "work"]).stdout));
}

#[test]
fn hostile_arguments_do_not_drive_the_terminal() {
    let home = Home::new();
    home.ok(["add", "inbox", "benign"]);
    let file = home.path().join("file");
    fs::write(&file, "").expect("it can be written");
    for text in HOSTILE.iter().filter(|text| !text.contains('\0')) {
        let path = file.join(text.replace('/', "_")).display().to_string();
        let uses: [&[&str]; 8] = [
            &["done", "inbox", text],
            &["ls", text],
            &[text],
            &["--relay", text, "ls", "inbox"],
            &["--wait", text, "ls", "inbox"],
            &["add", "inbox", "x", "--due", text],
            &["keys", "between", text, ""],
            &["ls", "inbox", "--data", &path],
        ];
        for arguments in uses {
            let output = home.run(arguments);
            assert!(!output.status.success(), "{arguments:?}");
            assert!(is_plain(&output.stderr), "{arguments:?}: {:?}", String::from_utf8_lossy(&output.stderr));
        }
        let relay = Command::new(program::path("betwixt-relay")).args(["--listen", text]).output().expect("it starts");
        assert!(!relay.status.success() && is_plain(&relay.stderr), "{:?}", String::from_utf8_lossy(&relay.stderr));
    }
    // On a terminal they are coloured at most.
    for arguments in
        [&["ls", HOSTILE[11]][..], &[HOSTILE[1]], &["frobnicate", HOSTILE[1]], &["done", "inbox", HOSTILE[0]]]
    {
        let mut screen = home.open(arguments);
        screen.wait_end();
        screen.wait_for("error");
        let found = misuse(drawn(&screen.bytes()));
        assert!(found.is_empty(), "{arguments:?} drives the terminal: {found:?}");
    }
    let exists: Vec<PathBuf> =
        fs::read_dir(home.path()).expect("it is there").flatten().map(|entry| entry.path()).collect();
    assert_eq!(exists.len(), 2, "an argument has made a file: {exists:?}");
}

//! The frames of every kind of message in JSON, as scripts may rely on them: `assets/wire/betwixt.1.json.txt`.
//!
//! `BETWIXT_BLESS=1` writes the file anew. A line of a message to a relay that is read no more, or otherwise, is a new
//! version of the protocol; so is a field less in one to a site.

use std::fmt::Write as _;
use std::path::Path;

use betwixt_core::edit::Spot;
use betwixt_core::hlc::Tick;
use betwixt_core::id::{OpId, SiteSecret};
use betwixt_core::limits::SENT_BYTES_MAX;
use betwixt_core::log::Watermark;
use betwixt_core::op::body::Kinds;
use betwixt_core::op::{Body, Join, ListPut, Op, kind};
use betwixt_core::register::{Date, Register};
use betwixt_core::wire::json::{At, FromScript, Given, Said, Sketch, Skipped, read, skipped, unreadable, write};
use betwixt_core::wire::{Hello, Listing, Message as _, ToRelay, ToSite};

use crate::any::{UID, item_id, log, site};
use crate::vectors::{list_and_entries, op, ops, to_relay, to_site};

const HEADER: &str = "\
# Test vectors of the wire protocol betwixt.1.json: a name, and a text frame.
# to_relay: what a script may say; a relay reads it as src/core/tests/props/json_vectors.rs has it.
# to_site: what a relay says, of the values whose bytes are in betwixt.1.txt.
# Made by BETWIXT_BLESS=1 cargo test --workspace --test props -- vectors
";

/// A script's sketch that leaves out all that may be left out.
fn sketch(ctr: u64, said: Said) -> Sketch {
    Sketch { ctr, prev: None, given: None, said }
}

fn push(op: Sketch) -> FromScript {
    FromScript::Push { list: UID, ops: vec![op] }
}

/// An op as a sketch that leaves out nothing.
pub(crate) fn whole(op: &Op) -> Option<Sketch> {
    let said = match op.body.clone() {
        Body::Join(join) => Said::Join(join),
        Body::Add(add) => Said::Add { item: add.item, at: At::Key(add.key), registers: add.registers },
        Body::Put(put) => Said::Put { item: put.item, at: put.key.map(At::Key), registers: put.registers },
        Body::List(list) => Said::List(list),
        Body::Unread { .. } => return None,
    };
    let given = Given {
        site: Some(op.site),
        epoch: Some(op.epoch),
        hlc: Some((op.hlc.tick, Some(op.hlc.site))),
        hash: Some(op.hash),
    };
    Some(Sketch { ctr: op.ctr, prev: Some(op.prev), given: Some(Box::new(given)), said })
}

/// A message of a site, of the vectors of the compact spelling.
fn message(name: &str) -> FromScript {
    let found = to_relay().into_iter().find(|(other, _)| *other == name);
    FromScript::Message(found.expect("there is a vector of that name").1)
}

fn first_hello() -> FromScript {
    let secret = SiteSecret::from_bytes([0x55; 32]);
    let zero = betwixt_core::id::Hash::from_bytes([0; 32]);
    FromScript::Message(ToRelay::Hello(Box::new(Hello {
        versions: vec![1],
        kinds: Kinds::KNOWN,
        secret,
        name: "groceries".parse().expect("a name"),
        uid: None,
        mark: Watermark { seq: 0, chain: zero },
        pending: false,
        person: "ana".into(),
    })))
}

/// What scripts may say, and what it is read as.
fn said() -> Vec<(&'static str, String, FromScript)> {
    let secret = "55".repeat(32);
    let list = UID.to_string();
    let (item, other) = (item_id(0x33), item_id(0x34));
    let in_push = |op: &str| format!(r#"{{"push":{{"list":"{list}","ops":[{op}]}}}}"#);
    let add = |ctr, at, registers| push(sketch(ctr, Said::Add { item, at: At::Spot(at), registers }));
    let put = |at: Option<Spot>, registers| push(sketch(3, Said::Put { item, at: at.map(At::Spot), registers }));
    let mark = list_and_entries().0.mark();
    let every_register = vec![
        Register::Text("buy milk".into()),
        Register::Note("two litres,\nnot skimmed".into()),
        Register::Done(true),
        Register::Due(Date::new(2026, 11, 30)),
        Register::Priority(Some(1)),
        Register::Assignee("ana".into()),
        Register::Tags(vec!["shop".into(), "today".into()]),
        Register::Depth(2),
        Register::Deleted(false),
    ];
    let mut stamped = sketch(3, Said::List(ListPut { title: "Groceries".into() }));
    let tick = Tick { wall: betwixt_core::hlc::Millis(1_790_000_000_000), counter: 0 };
    stamped.given = Some(Box::new(Given { hlc: Some((tick, None)), ..Given::default() }));
    let everything = ToRelay::Lists(Listing { prefix: "".into(), after: None, limit: u16::MAX });
    let mut said = vec![
        ("hello", format!(r#"{{"hello":{{"secret":"{secret}","name":"groceries","person":"ana"}}}}"#), first_hello()),
        (
            "hello_again",
            format!(
                r#"{{"hello":{{"versions":[1],"kinds":[1,2,3,4],"secret":"{secret}","name":"groceries","uid":"{list}","seq":{},"chain":"{}","pending":true,"person":"ana"}}}}"#,
                mark.seq, mark.chain
            ),
            message("hello"),
        ),
        (
            "push_join",
            in_push(r#"{"ctr":1,"join":{"name":"ana"}}"#),
            push(sketch(1, Said::Join(Join { name: "ana".into() }))),
        ),
        (
            "push_add_at_the_top",
            in_push(&format!(r#"{{"ctr":2,"add":{{"item":"{item}","after":null}}}}"#)),
            add(2, Spot::Top, vec![]),
        ),
        (
            "push_add_at_the_bottom",
            in_push(&format!(r#"{{"ctr":2,"add":{{"item":"{item}","before":null,"text":"bread"}}}}"#)),
            add(2, Spot::Bottom, vec![Register::Text("bread".into())]),
        ),
        (
            "push_add_after",
            in_push(&format!(
                r#"{{"ctr":3,"add":{{"item":"{item}","after":"{other}","text":"buy milk","note":"two litres,\nnot skimmed","done":true,"due":"2026-11-30","priority":1,"assignee":"ana","tags":["shop","today"],"depth":2,"deleted":false}}}}"#
            )),
            add(3, Spot::After(other), every_register),
        ),
        (
            "push_add_before",
            in_push(&format!(r#"{{"ctr":3,"add":{{"item":"{item}","before":"{other}"}}}}"#)),
            add(3, Spot::Before(other), vec![]),
        ),
        (
            "push_move",
            in_push(&format!(r#"{{"ctr":3,"put":{{"item":"{item}","after":"{other}"}}}}"#)),
            put(Some(Spot::After(other)), vec![]),
        ),
        (
            "push_written",
            in_push(&format!(r#"{{"ctr":3,"put":{{"item":"{item}","due":null,"priority":null}}}}"#)),
            put(None, vec![Register::Due(None), Register::Priority(None)]),
        ),
        ("push_list", in_push(r#"{"ctr":3,"hlc":{"wall":1790000000000},"list":{"title":"Groceries"}}"#), push(stamped)),
        ("here", format!(r#"{{"here":{{"list":"{list}","at":"{item}","editing":true}}}}"#), message("here")),
        ("leave", format!(r#"{{"leave":{{"list":"{list}"}}}}"#), message("leave")),
        ("lists", r#"{"lists":{"prefix":"gro","after":"gro-0","limit":50}}"#.to_owned(), message("lists")),
        ("lists_all", r#"{"lists":{}}"#.to_owned(), FromScript::Message(everything)),
        ("delete_list", format!(r#"{{"delete_list":{{"name":"groceries","uid":"{list}"}}}}"#), message("delete_list")),
    ];
    // An op as it is in the log, with all its parts.
    for (name, op) in ops() {
        if let Some(sketch) = whole(&op) {
            let name = ["push_whole_", name].concat().leak();
            said.push((name, in_push(&op_in_json(&op)), push(sketch)));
        }
    }
    said
}

/// An op as a relay shows it.
pub(crate) fn op_in_json(op: &Op) -> String {
    let entries = log(std::slice::from_ref(op));
    let frame = write(&ToSite::Entries { list: UID, entries }).remove(0);
    let from = frame.find("\"op\":").expect("an entry has an op") + 5;
    let to = frame.find(",\"chain\":").expect("the chain is behind the op");
    frame.get(from..to).expect("ASCII around it").to_owned()
}

/// What relays say, with what only scripts are told.
fn shown() -> Vec<(String, String)> {
    let unread = op(2, Body::Unread { kind: kind::PROBE, bytes: vec![1, 2, 0xfe] });
    let unread = ToSite::Entries { list: UID, entries: log(&[unread]) };
    let mut values = to_site();
    values.retain(|(name, _)| *name != "unreadable");
    values.push(("entries_unread", unread));
    let mut shown = Vec::new();
    for (name, value) in values {
        let frames = write(&value);
        assert_eq!(frames.len(), 1, "{name}");
        shown.extend(frames.into_iter().map(|frame| (name.to_owned(), frame)));
    }
    shown.push(("unreadable".to_owned(), unreadable("EOF while parsing a value at line 1 column 0")));
    let op = OpId { site: site(0x22), ctr: 2 };
    shown.push(("skipped".to_owned(), skipped(UID, op, 302, Skipped::Repeat)));
    shown.push(("skipped_unconnected".to_owned(), skipped(UID, op, 1, Skipped::Unconnected)));
    shown
}

#[test]
fn every_kind_is_spelled_in_json_as_in_the_test_vectors() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/wire/betwixt.1.json.txt");
    let bless = std::env::var_os("BETWIXT_BLESS").is_some_and(|value| value == "1");
    let mut made = String::from(HEADER);
    for (name, text, value) in said() {
        assert_eq!(read(&text), Ok(value), "to_relay.{name}");
        writeln!(made, "to_relay.{name} {text}").expect("a string takes all");
    }
    for (name, text) in shown() {
        assert!(text.len() <= SENT_BYTES_MAX && !text.contains('\n'), "to_site.{name}");
        writeln!(made, "to_site.{name} {text}").expect("a string takes all");
    }
    if bless {
        std::fs::write(&path, &made).expect("the test vectors can be written");
    } else {
        let stored = std::fs::read_to_string(&path).expect("the test vectors are there");
        assert_eq!(made, stored, "BETWIXT_BLESS=1 writes the file anew");
    }
}

#[test]
fn no_kind_is_without_a_test_vector_in_json() {
    let mut kinds: Vec<u8> = said()
        .into_iter()
        .map(|(_, _, value)| match value {
            FromScript::Push { list, .. } => ToRelay::Push { list, ops: vec![] }.to_bytes()[0],
            FromScript::Message(message) => message.to_bytes()[0],
        })
        .collect();
    kinds.sort_unstable();
    kinds.dedup();
    assert_eq!(kinds, (0..ToRelay::KINDS).collect::<Vec<u8>>());
    // Of every kind of the compact spelling there is a line, under the name that it has there; `site` says what is on it.
    let names: Vec<String> = shown().into_iter().map(|(name, _)| name).collect();
    for (name, _) in to_site() {
        assert!(names.iter().any(|shown| shown == name), "{name}");
    }
    assert!(shown().iter().all(|(_, text)| text.starts_with("{\"")), "each is an object with a name");
    assert!(shown().iter().any(|(_, text)| text.contains(&site(0x22).to_string())), "ids are texts");
}

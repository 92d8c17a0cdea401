//! A decoder never allocates more than eight times its input. A binary of its own, since it counts what the whole
//! process allocates.

use std::alloc::System;

use betwixt_core::id::{Hash, OpId};
use betwixt_core::limits::{Limits, TAGS_MAX};
use betwixt_core::log::Entry;
use betwixt_core::op::check::check;
use betwixt_core::op::{Add, Body, EpochId, Join, Op, kind};
use betwixt_core::register::Register;
use betwixt_core::snapshot::Part;
use betwixt_core::wire::{Message, Person, ToRelay, ToSite, json};
use peakmem_alloc::{INSTRUMENTED_SYSTEM, PeakMemAlloc, PeakMemAllocTrait};
use proptest::collection::vec;
use proptest::test_runner::{Config, TestRunner};
use smol_str::SmolStr;

use crate::any::{UID, any_entry, any_mutation, any_to_relay, any_to_site, hlc, item_id, key_of, mutate_all, site};

#[path = "props/any.rs"]
#[expect(dead_code, reason = "shared with the laws, which use all of it")]
mod any;

#[global_allocator]
static ALLOCATOR: &PeakMemAlloc<System> = &INSTRUMENTED_SYSTEM;

const TIMES_MAX: usize = 8;

/// The most bytes that `read` held at one time.
fn peak<T>(read: impl FnOnce() -> T) -> usize {
    ALLOCATOR.reset_peak_memory();
    drop(read());
    ALLOCATOR.get_peak_memory()
}

#[track_caller]
fn check_decoders(what: &str, bytes: &[u8]) {
    let held = [
        peak(|| ToRelay::from_bytes(bytes)),
        peak(|| ToSite::from_bytes(bytes)),
        peak(|| Entry::from_bytes(bytes)),
        peak(|| postcard::from_bytes::<Part>(bytes)),
    ];
    let most = held.into_iter().max().unwrap_or_default();
    assert!(most <= TIMES_MAX * bytes.len(), "{what}: {held:?} bytes for {} of input", bytes.len());
}

/// What a reason in words may take beside that.
const WHY_BYTES_MAX: usize = 1_024;

#[track_caller]
fn check_json(what: &str, text: &str) {
    let held = peak(|| json::read(text));
    let most = TIMES_MAX * text.len() + WHY_BYTES_MAX;
    assert!(held <= most, "{what}: {held} bytes for {} of input", text.len());
}

/// The ops in a push, from one to as many as a push may have; and each beginning of a short one.
fn check_json_push(what: &str, op: &str) {
    let push = |count: usize| {
        let ops = vec![op; count].join(",");
        format!(r#"{{"push":{{"list":"{UID}","ops":[{ops}]}}}}"#)
    };
    for count in [0, 1, 2, 3, 4, 5, 8, 9, 17, 33, 100, 1_000, 4_096] {
        check_json(what, &push(count));
    }
    let short = push(2);
    for cut in 0..short.len() {
        check_json(what, short.get(..cut).expect("ASCII"));
    }
}

/// What takes the most memory for its text in JSON.
fn check_json_decoder() {
    let item = item_id(1);
    let tags = vec!["\"x\""; TAGS_MAX].join(",");
    let long_tags = vec!["\"abcdefghijklmnopqrstuvwx\""; TAGS_MAX].join(",");
    let hash = "00".repeat(32);
    let ops = [
        ("a join", r#"{"ctr":1,"join":{}}"#.to_owned()),
        ("a title", r#"{"ctr":2,"list":{"title":""}}"#.to_owned()),
        ("a stamp", r#"{"ctr":1,"hlc":{"wall":1},"join":{}}"#.to_owned()),
        ("a hash", format!(r#"{{"ctr":1,"hash":"{hash}","join":{{}}}}"#)),
        ("a write", format!(r#"{{"ctr":2,"put":{{"item":"{item}","done":true}}}}"#)),
        ("a move", format!(r#"{{"ctr":2,"put":{{"item":"{item}","after":null}}}}"#)),
        ("tags", format!(r#"{{"ctr":2,"put":{{"item":"{item}","tags":[{tags}]}}}}"#)),
        ("tags on the heap", format!(r#"{{"ctr":2,"put":{{"item":"{item}","tags":[{long_tags}]}}}}"#)),
        ("escapes", format!(r#"{{"ctr":2,"list":{{"title":"{}"}}}}"#, "\\n".repeat(300))),
    ];
    for (what, op) in ops {
        check_json_push(what, &op);
    }
    check_json("an unknown field", &format!(r#"{{"leave":{{"{}":1}}}}"#, "x".repeat(50_000)));
    check_json("an unknown message", &format!(r#"{{"{}":1}}"#, "\\n".repeat(50_000)));
    check_json("a name", &format!(r#"{{"lists":{{"prefix":"{}"}}}}"#, "\\n".repeat(50_000)));
    check_json("versions", &format!(r#"{{"hello":{{"versions":[{}1]}}}}"#, "1,".repeat(50_000)));
    check_json("depth", &"[".repeat(50_000));
}

/// The message, every beginning of it, and it with every byte taken for a length that lies.
fn check_around(what: &str, message: &[u8]) {
    check_decoders(what, message);
    for cut in 0..message.len().min(1_500) {
        check_decoders(what, &message[..cut]);
        for lie in [&[0x7f][..], &[0xff, 0x7f], &[0xff, 0xff, 0xff, 0x7f], &[0xff; 9]] {
            let lying = [&message[..cut], lie, &message[cut + 1..]].concat();
            check_decoders(what, &lying);
        }
    }
}

/// Registers that take the most memory for their bytes.
fn dense_registers() -> Vec<Register> {
    vec![
        Register::Done(true),
        Register::Deleted(true),
        Register::Depth(1),
        Register::Due(None),
        Register::Priority(None),
        Register::Text("".into()),
        Register::Note("".into()),
        Register::Assignee("".into()),
        Register::Tags(vec!["x".into(); TAGS_MAX]),
    ]
}

fn op(body: Body) -> Op {
    Op::new(OpId { site: site(1), ctr: 1 }, 0, EpochId(Hash::from_bytes([7; 32])), hlc(1, 1, 1), body)
}

fn dense_op(registers: Vec<Register>) -> Op {
    op(Body::Add(Add { item: item_id(1), key: key_of(vec![]), registers }))
}

/// The body of an `Add` of these registers, of which a decoder may refuse some.
fn body_of(registers: &[Register]) -> Vec<u8> {
    Body::Add(Add { item: item_id(1), key: key_of(vec![]), registers: registers.to_vec() }).to_bytes()
}

#[test]
fn no_decoder_holds_more_than_eight_times_its_input() {
    let with_empty_tags = |mut registers: Vec<Register>| {
        registers.pop();
        registers.push(Register::Tags(vec!["".into(); TAGS_MAX]));
        registers
    };
    let tags = |tag: &str| Register::Tags(vec![SmolStr::from(tag); TAGS_MAX]);
    let bodies = [
        ("a join", Vec::new()),
        ("registers of each field", dense_registers()),
        ("registers of each field, tags empty", with_empty_tags(dense_registers())),
        ("one register", vec![Register::Done(true)]),
        ("tags", vec![tags("x")]),
        ("tags on the heap", vec![tags("abcdefghijklmnopqrstuvwx")]),
        ("empty tags", vec![tags("")]),
        ("tags, and again", vec![tags("x"), tags("x")]),
        ("tags, many times", vec![tags("x"); 16]),
        ("one register, many times", vec![Register::Done(true); 16]),
        ("a text on the heap", vec![Register::Text("abcdefghijklmnopqrstuvwx".into())]),
    ];
    for (what, registers) in bodies {
        let op = if registers.is_empty() { op(Body::Join(Join::default())) } else { dense_op(registers) };
        let entry = Entry { seq: 1, op: op.clone(), chain: op.hash, state_hash: None };
        check_around(what, &entry.to_bytes());
        for count in [1, 2, 3, 4, 5, 8, 9, 17, 33, 100, 300] {
            let push = ToRelay::Push { list: UID, ops: vec![op.clone(); count] }.to_bytes();
            let entries = ToSite::Entries { list: UID, entries: vec![entry.clone(); count] }.to_bytes();
            check_decoders(what, &push);
            check_decoders(what, &entries);
            if count < 3 {
                check_around(what, &push);
                check_around(what, &entries);
            }
        }
    }
    for count in [1, 2, 3, 5, 9, 50, 1_000] {
        let person = Person { site: site(1), name: "".into(), at: None, editing: false };
        check_around("people", &ToSite::People { list: UID, people: vec![person; count] }.to_bytes());
    }

    check_json_decoder();

    // A body that does not read is looked at once more, for the reason.
    for (what, registers) in [("each field", dense_registers()), ("twice", vec![tags("x"); 16])] {
        let mut bytes = body_of(&registers);
        for at in 0..bytes.len() {
            let kept = core::mem::replace(&mut bytes[at], 0xff);
            let unread = op(Body::Unread { kind: kind::ADD, bytes: bytes.clone() });
            let held = peak(|| check(&unread, &Limits::DEFAULT));
            assert!(held <= TIMES_MAX * unread.to_bytes().len(), "{what}: {held} bytes at {at}");
            bytes[at] = kept;
        }
    }

    let cases = std::env::var("BETWIXT_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(256);
    let mut runner = TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() });
    let messages = (any_to_relay(), any_to_site(), any_entry(), vec(any_mutation(), 0..4));
    let law = runner.run(&messages, |(to_relay, to_site, entry, mutations)| {
        for mut bytes in [to_relay.to_bytes(), to_site.to_bytes(), entry.to_bytes()] {
            mutate_all(&mut bytes, &mutations);
            check_decoders("a random message", &bytes);
        }
        Ok(())
    });
    law.expect("the law holds");
}

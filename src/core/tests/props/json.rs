//! What scripts say is read as it was meant, or the reason is told; what a relay says is JSON in frames of bounded size.

use betwixt_core::hlc::Millis;
use betwixt_core::limits::{Limits, SENT_BYTES_MAX};
use betwixt_core::op::check::{OpFault, check_body};
use betwixt_core::op::{Add, Body, Op, Put};
use betwixt_core::register::Register;
use betwixt_core::wire::json::{FromScript, read, write};
use betwixt_core::wire::{Listed, Listing, Person, ToSite};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::Value;

use crate::any::{UID, any_mutation, any_op, any_to_site, hlc, item_id, key_of, list_of, log, mutate_all, site};
use crate::config;
use crate::json_vectors::{op_in_json, whole};
use crate::vectors::op;

/// The frames of a message as JSON, each of them one message and not too long.
fn frames_of(message: &ToSite) -> Result<Vec<(String, Value)>, TestCaseError> {
    let mut frames = Vec::new();
    for frame in write(message) {
        prop_assert!(frame.len() <= SENT_BYTES_MAX, "{} bytes", frame.len());
        let Ok(Value::Object(object)) = serde_json::from_str(&frame) else { panic!("no object: {frame}") };
        prop_assert_eq!(object.len(), 1);
        frames.extend(object);
    }
    prop_assert!(!frames.is_empty());
    Ok(frames)
}

/// The elements under that name, of all frames one behind the other.
fn elements(frames: &[(String, Value)], name: &str) -> Vec<Value> {
    frames.iter().flat_map(|(_, value)| value[name].as_array().cloned().unwrap_or_default()).collect()
}

/// An op without what a script is told at once: numbers out of their range, a put of nothing, a join that is not first.
fn proper(mut op: Op) -> Option<Op> {
    let in_range = |register: &Register| {
        let put = Body::Put(Put { item: item_id(1), key: None, registers: vec![register.clone()] });
        !matches!(check_body(&put, &Limits::DEFAULT), Err(OpFault::Range { .. }))
    };
    op.ctr = op.ctr.max(2);
    match &mut op.body {
        Body::Unread { .. } => return None,
        Body::Join(_) => op.ctr = 1,
        Body::List(_) => {}
        Body::Add(Add { registers, .. }) => registers.retain(in_range),
        Body::Put(Put { registers, key, .. }) => {
            registers.retain(in_range);
            if registers.is_empty() && key.is_none() {
                return None;
            }
        }
    }
    // Fields have one order.
    if let Body::Add(Add { registers, .. }) | Body::Put(Put { registers, .. }) = &mut op.body {
        registers.sort_by_key(Register::field);
    }
    Some(op)
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn any_message_of_a_relay_is_json_in_bounded_frames(message in any_to_site()) {
        let frames = frames_of(&message)?;
        match &message {
            ToSite::Entries { entries, .. } => {
                let seqs: Vec<u64> = elements(&frames, "entries").iter().filter_map(|entry| entry["seq"].as_u64()).collect();
                prop_assert_eq!(seqs, entries.iter().map(|entry| entry.seq).collect::<Vec<_>>());
            }
            ToSite::Lists { lists, more, .. } => {
                prop_assert_eq!(elements(&frames, "lists").len(), lists.len());
                prop_assert_eq!(&frames[0].1["more"], *more);
            }
            ToSite::People { people, .. } => prop_assert_eq!(elements(&frames, "people").len(), people.len()),
            _ => {}
        }
    }

    #[test]
    fn an_op_as_it_is_shown_may_be_pushed_as_it_is(op in any_op()) {
        let Some(op) = proper(op) else { return Ok(()) };
        let text = format!(r#"{{"push":{{"list":"{UID}","ops":[{}]}}}}"#, op_in_json(&op));
        let ops = whole(&op).into_iter().collect();
        prop_assert_eq!(read(&text), Ok(FromScript::Push { list: UID, ops }));
    }

    #[test]
    fn any_text_is_read_or_refused_with_a_short_reason(
        noise in "\\PC{0,60}",
        tokens in vec(prop::sample::select(vec![
            "{", "}", "[", "]", ":", ",", "null", "true", "-1", "1e99", "\"hello\"", "\"push\"", "\"list\"", "\"ops\"",
            "\"ctr\"", "\"add\"", "\"after\"", "\"\\ud800\"", "\"key\"", "\"!\"", "18446744073709551616",
        ]), 0..40),
        op in any_op(),
        mutations in vec(any_mutation(), 1..5),
    ) {
        let mut bytes = format!(r#"{{"push":{{"list":"{UID}","ops":[{}]}}}}"#, op_in_json(&op)).into_bytes();
        mutate_all(&mut bytes, &mutations);
        for text in [noise, tokens.concat(), String::from_utf8_lossy(&bytes).into_owned()] {
            if let Err(unread) = read(&text) {
                let why = unread.to_string();
                prop_assert!(!why.is_empty() && why.len() <= 512, "{}", why);
            }
        }
    }
}

#[test]
fn what_does_not_fit_a_frame_comes_in_several() -> Result<(), TestCaseError> {
    // As large as the limits let them be in JSON: each character of the note and the text takes two bytes.
    let registers = vec![Register::Text("\"".repeat(4_096).into()), Register::Note("\n".repeat(16_384).into())];
    let ops: Vec<Op> = (0..9_u8)
        .map(|number| {
            let body = Add { item: item_id(number), key: key_of(vec![number]), registers: registers.clone() };
            op(u64::from(number) + 2, Body::Add(body))
        })
        .collect();
    let entries = log(&ops);
    let list = list_of(&entries);
    let frames = frames_of(&ToSite::Entries { list: UID, entries })?;
    assert_eq!(frames.len(), 9);
    assert_eq!(elements(&frames, "entries").len(), 9);
    assert!(frames.iter().all(|(name, value)| name == "entries" && value["list"] == UID.to_string()));

    let parts = betwixt_core::snapshot::parts(&list, SENT_BYTES_MAX - 64);
    let frames: Vec<_> =
        parts.map(|part| frames_of(&ToSite::SnapshotPart { list: UID, part })).collect::<Result<Vec<_>, _>>()?.concat();
    let items: Vec<String> = elements(&frames, "items").iter().map(|item| item["item"].to_string()).collect();
    assert_eq!(items, (0..9).map(|number| format!("\"{}\"", item_id(number))).collect::<Vec<_>>());

    let name = |number: u16| format!("list-{number}").parse().expect("a name");
    let lists = (0..60).map(|number| Listed { name: name(number), uid: UID, title: "\"".repeat(1_000).into() });
    let asked = Listing { prefix: "list".into(), after: None, limit: 60 };
    for more in [false, true] {
        let frames = frames_of(&ToSite::Lists { asked: asked.clone(), lists: lists.clone().collect(), more })?;
        assert_eq!((frames.len(), elements(&frames, "lists").len()), (1, 29));
        assert_eq!(frames[0].1["more"], true, "the rest is there to be asked for");
        let few = ToSite::Lists { asked: asked.clone(), lists: lists.clone().take(29).collect(), more };
        assert_eq!(frames_of(&few)?[0].1["more"], more);
    }

    let person = Person { site: site(1), name: "\"".repeat(512).into(), at: None, editing: false };
    let frames = frames_of(&ToSite::People { list: UID, people: vec![person; 100] })?;
    assert_eq!((frames.len(), elements(&frames, "people").len()), (1, 55), "a digest is whole in itself");
    Ok(())
}

#[test]
fn an_item_of_a_snapshot_says_which_registers_have_a_stamp_of_their_own() -> Result<(), TestCaseError> {
    let add = Body::Add(Add {
        item: item_id(1),
        key: key_of(vec![1]),
        registers: vec![Register::Text("milk".into()), Register::Depth(1)],
    });
    let written = Body::Put(Put { item: item_id(1), key: None, registers: vec![Register::Text("bread".into())] });
    let list = list_of(&log(&[op(2, add), op(3, written)]));
    let parts = betwixt_core::snapshot::parts(&list, 4_000);
    let frames: Vec<_> =
        parts.map(|part| frames_of(&ToSite::SnapshotPart { list: UID, part })).collect::<Result<Vec<_>, _>>()?.concat();
    let stamp = |wall: u64| serde_json::json!({"wall": wall, "counter": 3, "site": site(0x22).to_string()});
    let first = 1_790_000_000_002;
    assert_eq!(hlc(first, 3, 0x22).tick.wall, Millis(first));
    let expected = serde_json::json!({
        "item": item_id(1).to_string(), "key": key_of(vec![1]).to_string(), "text": "bread", "depth": 1,
        "hlc": stamp(first), "op": {"site": site(0x22).to_string(), "ctr": 2}, "hlcs": {"text": stamp(first + 1)},
    });
    assert_eq!(elements(&frames, "items"), [expected]);
    Ok(())
}

#[test]
fn what_a_script_gets_wrong_is_told_in_words() {
    let in_push = |op: &str| format!(r#"{{"push":{{"list":"{UID}","ops":[{op}]}}}}"#);
    let item = item_id(1);
    let add = |fields: &str| in_push(&format!(r#"{{"ctr":2,"add":{{"item":"{item}",{fields}}}}}"#));
    let put = |fields: &str| in_push(&format!(r#"{{"ctr":2,"put":{{"item":"{item}"{fields}}}}}"#));
    let hello = |fields: &str| {
        format!(r#"{{"hello":{{"secret":"{}","name":"work","person":"ana"{fields}}}}}"#, "55".repeat(32))
    };
    let table: Vec<(String, &str)> = vec![
        (String::new(), "a frame is a JSON object"),
        ("hello".into(), "a frame is a JSON object"),
        (
            r#"{"helo":{}}"#.into(),
            "unknown variant `helo`, expected one of `hello`, `push`, `here`, `leave`, `lists`, `delete_list`",
        ),
        (r#"{"hello":{}}"#.into(), "missing field `secret`"),
        (r#"{"leave":{"list":"12"}}"#.into(), "read the uid of a list: an id of this kind has 32 digits"),
        (
            format!(r#"{{"leave":{{"list":"{}"}}}}"#, "G".repeat(32)),
            "read the uid of a list: an id has only digits and lower-case letters",
        ),
        (r#"{"leave":{"list":7}}"#.into(), "invalid type: integer `7`, expected"),
        (format!(r#"{{"leave":{{"list":"{UID}"}}}} x"#), "trailing characters"),
        (format!(r#"{{"leave":{{"list":"{UID}","list":"{UID}"}}}}"#), "duplicate field `list`"),
        (hello(r#","colour":1"#), "unknown field `colour`, expected one of `versions`, `kinds`, `secret`"),
        (hello(r#","seq":3"#), "`seq` and `chain` say together how far the list was read"),
        (hello(r#","uid":null"#), "invalid type: null"),
        (in_push(r#"{"ctr":2}"#), "an op says one of `join`, `add`, `put` and `list`"),
        (in_push(r#"{"ctr":2,"join":{},"list":{"title":""}}"#), "an op says one of `join`, `add`, `put` and `list`"),
        (in_push(r#"{"list":{"title":""}}"#), "missing field `ctr`"),
        (in_push(r#"{"ctr":0,"list":{"title":""}}"#), "`ctr` counts a site's ops from 1"),
        (in_push(r#"{"ctr":-1,"list":{"title":""}}"#), "invalid value: integer `-1`, expected u64"),
        (
            in_push(r#"{"ctr":1,"list":{"title":""}}"#),
            "the op with `ctr` 1 is the site's `join`, and no other op is one",
        ),
        (in_push(r#"{"ctr":2,"join":{}}"#), "the op with `ctr` 1 is the site's `join`, and no other op is one"),
        (add(r#""text":"x""#), "an item is placed by one of `after`, `before` and `key`"),
        (add(r#""after":null,"before":null"#), "an item is placed by one of `after`, `before` and `key`"),
        (add(r#""key":"V""#), "a `key` needs the `epoch` that it was made in"),
        (add(r#""key":"V!""#), "read a key that ends in the lowest symbol"),
        (add(r#""after":"milk""#), "read an item: an id of this kind has 13 digits"),
        (
            add(r#""after":null,"txt":"x""#),
            "unknown field `txt`, expected one of `item`, `after`, `before`, `key`, `text`, `note`",
        ),
        (add(r#""after":null,"text":null"#), "invalid type: null, expected"),
        (put(""), "a `put` that says nothing of its item"),
        (put(r#","due":"30.11.2026""#), "\"30.11.2026\" is no day: one is written YYYY-MM-DD"),
        (put(r#","depth":9"#), "depth out of its range"),
        (put(r#","priority":0"#), "priority out of its range"),
        (put(r#","priority":300"#), "invalid value: integer `300`, expected u8"),
        (put(r#","tags":[""]"#), "length of a tag out of its range"),
        (put(&format!(r#","tags":[{}"x"]"#, "\"x\",".repeat(32))), "a list with more elements than it may have"),
        (in_push(&vec![r#"{"ctr":1,"join":{}}"#; 4_097].join(",")), "a list with more elements than it may have"),
        ("[".repeat(100_000), "a frame is a JSON object"),
        (r#"{"push":"#.repeat(10_000), "unknown field `push`, expected `list` or `ops`"),
        (r#"{"push":1}"#.into(), "invalid type: integer `1`, expected an object"),
    ];
    for (text, why) in table {
        let shown: String = text.chars().take(200).collect();
        let said = read(&text).expect_err(&shown).to_string();
        assert!(said.starts_with(why), "{shown}: {said}");
    }
}

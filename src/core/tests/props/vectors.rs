//! The bytes of every kind of message and op, as other programs may rely on them: `assets/wire/betwixt.1.txt`.
//!
//! `BETWIXT_BLESS=1` writes the file anew. A line that changes is a new version of the protocol.

use std::fmt::Write as _;
use std::path::Path;

use betwixt_core::hlc::Millis;
use betwixt_core::id::{Hash, OpId, SiteSecret};
use betwixt_core::limits::Limits;
use betwixt_core::list::List;
use betwixt_core::log::Entry;
use betwixt_core::op::body::Kinds;
use betwixt_core::op::{Add, Body, EpochId, Join, ListPut, Op, Put, kind};
use betwixt_core::register::{Date, Register};
use betwixt_core::snapshot::{Part, begin, parts};
use betwixt_core::wire::{
    CloseReason, Figures, Hello, Listed, Listing, Message, Person, RefusedCode, ToRelay, ToSite, VERSION, Welcome,
};

use crate::any::{UID, hlc, item_id, key_of, list_of, log, site};

const HEADER: &str = "\
# Test vectors of the wire protocol betwixt.1: a name, and the bytes of one value in hex.
# to_relay and to_site: whole messages. op and entry: as they stand under the chain's hash.
";

pub(crate) fn op(ctr: u64, body: Body) -> Op {
    let epoch = EpochId::first(UID);
    Op::new(OpId { site: site(0x22), ctr }, ctr - 1, epoch, hlc(1_790_000_000_000 + ctr, 3, 0x22), body)
}

pub(crate) fn ops() -> Vec<(&'static str, Op)> {
    let day = Date::new(2026, 11, 30);
    let every_register = vec![
        Register::Text("buy milk".into()),
        Register::Note("two litres,\nnot skimmed".into()),
        Register::Done(true),
        Register::Due(day),
        Register::Priority(Some(1)),
        Register::Assignee("ana".into()),
        Register::Tags(vec!["shop".into(), "today".into()]),
        Register::Depth(2),
        Register::Deleted(false),
    ];
    let (item, key) = (item_id(0x33), key_of(vec![45, 7]));
    vec![
        ("join", op(1, Body::Join(Join { name: "ana".into() }))),
        ("add", op(2, Body::Add(Add { item, key: key.clone(), registers: every_register }))),
        ("put_moved", op(3, Body::Put(Put { item, key: Some(key_of(vec![46])), registers: vec![] }))),
        ("put_written", op(300, Body::Put(Put { item, key: None, registers: vec![Register::Due(None)] }))),
        ("put_both", op(301, Body::Put(Put { item, key: Some(key), registers: vec![Register::Priority(None)] }))),
        ("list", op(302, Body::List(ListPut { title: "Groceries".into() }))),
        ("unknown", op(303, Body::Unread { kind: kind::PROBE, bytes: vec![1, 2, 3] })),
    ]
}

pub(crate) fn list_and_entries() -> (List, Vec<Entry>) {
    let ops: Vec<Op> = ops().into_iter().map(|(_, op)| op).filter(|op| op.body.kind() != kind::PROBE).collect();
    let entries = log(&ops);
    (list_of(&entries), entries)
}

fn listing() -> Listing {
    Listing { prefix: "gro".into(), after: Some("gro-0".parse().expect("a name")), limit: 50 }
}

pub(crate) fn to_relay() -> Vec<(&'static str, ToRelay)> {
    let (list, _) = list_and_entries();
    let hello = Hello {
        versions: vec![VERSION],
        kinds: Kinds::KNOWN,
        secret: SiteSecret::from_bytes([0x55; 32]),
        name: "groceries".parse().expect("a name"),
        uid: Some(UID),
        mark: list.mark(),
        pending: true,
        person: "ana".into(),
    };
    vec![
        ("hello", ToRelay::Hello(Box::new(hello))),
        ("push", ToRelay::Push { list: UID, ops: ops().into_iter().map(|(_, op)| op).collect() }),
        ("here", ToRelay::Here { list: UID, at: Some(item_id(0x33)), editing: true }),
        ("leave", ToRelay::Leave { list: UID }),
        ("lists", ToRelay::Lists(listing())),
        ("delete_list", ToRelay::DeleteList { name: "groceries".parse().expect("a name"), uid: UID }),
    ]
}

pub(crate) fn to_site() -> Vec<(&'static str, ToSite)> {
    let (list, entries) = list_and_entries();
    let name = || "groceries".parse().expect("a name");
    let welcome = Welcome {
        version: VERSION,
        name: name(),
        uid: UID,
        head: list.mark().seq,
        limits: Limits::DEFAULT,
        clock: Millis(1_790_000_000_000),
        last: Some((302, Hash::from_bytes([0x66; 32]))),
    };
    let mut pieces = parts(&list, 4_000);
    let mut part = || pieces.next().expect("sites, then items");
    let [sites, items] = [part(), part()];
    assert!(matches!((&sites, &items), (Part::Sites(_), Part::Items(_))));
    let figures = Figures { links: 2, items: 1, ops: 9, longest: 3, mean_hundredths: 300, epoch: 0 };
    let person = Person { site: site(0x22), name: "ana".into(), at: Some(item_id(0x33)), editing: false };
    let op = OpId { site: site(0x22), ctr: 302 };
    let listed = Listed { name: name(), uid: UID, title: "Groceries".into() };
    vec![
        ("welcome", ToSite::Welcome(Box::new(welcome))),
        ("other_list", ToSite::OtherList { name: name(), uid: UID }),
        ("gone", ToSite::Gone { uid: UID }),
        ("snapshot_begin", ToSite::SnapshotBegin(Box::new(begin(&list)))),
        ("snapshot_part_sites", ToSite::SnapshotPart { list: UID, part: sites }),
        ("snapshot_part_items", ToSite::SnapshotPart { list: UID, part: items }),
        ("snapshot_end", ToSite::SnapshotEnd { list: UID }),
        ("entries", ToSite::Entries { list: UID, entries }),
        ("refused", ToSite::Refused { list: UID, op, code: RefusedCode::Malformed }),
        ("stale", ToSite::Stale { list: UID, need_seq: 7 }),
        ("collision", ToSite::Collision { list: UID, need_seq: 300 }),
        ("wait", ToSite::Wait { retry_after: Millis(250) }),
        ("people", ToSite::People { list: UID, people: vec![person] }),
        ("figures", ToSite::Figures { list: UID, figures }),
        ("unreadable", ToSite::Unreadable),
        ("closing", ToSite::Closing { reason: CloseReason::Limit, retry_after: Millis(1_000) }),
        ("lists", ToSite::Lists { asked: listing(), lists: vec![listed], more: true }),
    ]
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"))
}

fn unhex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> =
        text.chars().map(|c| c.to_digit(16).and_then(|digit| u8::try_from(digit).ok()).expect("hex")).collect();
    digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

/// Encodes each of these, and decodes the line of the file to it.
fn check_lines<T: PartialEq + core::fmt::Debug>(
    made: &mut String,
    stored: &str,
    what: &str,
    values: Vec<(&str, T)>,
    encode: impl Fn(&T) -> Vec<u8>,
    decode: impl Fn(&[u8]) -> T,
) {
    for (name, value) in values {
        writeln!(made, "{what}.{name} {}", hex(&encode(&value))).expect("a string takes all");
        let line = stored.lines().find_map(|line| line.strip_prefix(&format!("{what}.{name} ")));
        if let Some(line) = line {
            assert_eq!(decode(&unhex(line)), value, "{what}.{name} decodes to another value");
        }
    }
}

#[test]
fn every_kind_is_spelled_as_in_the_test_vectors() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/wire/betwixt.1.txt");
    let bless = std::env::var_os("BETWIXT_BLESS").is_some_and(|value| value == "1");
    let stored =
        if bless { String::new() } else { std::fs::read_to_string(&path).expect("the test vectors are there") };

    let mut made = String::from(HEADER);
    let read_op = |bytes: &[u8]| postcard::from_bytes(bytes).expect("an op decodes");
    check_lines(&mut made, &stored, "op", ops(), Op::to_bytes, read_op);
    let (_, entries) = list_and_entries();
    let first = entries.into_iter().take(1).map(|entry| ("first", entry)).collect();
    check_lines(&mut made, &stored, "entry", first, Entry::to_bytes, |bytes| {
        Entry::from_bytes(bytes).expect("an entry decodes")
    });
    check_lines(&mut made, &stored, "to_relay", to_relay(), ToRelay::to_bytes, |bytes| {
        ToRelay::from_bytes(bytes).expect("a message decodes")
    });
    check_lines(&mut made, &stored, "to_site", to_site(), ToSite::to_bytes, |bytes| {
        ToSite::from_bytes(bytes).expect("a message decodes")
    });
    if bless {
        std::fs::create_dir_all(path.parent().expect("it is in a folder")).expect("the folder can be made");
        std::fs::write(&path, &made).expect("the test vectors can be written");
    } else {
        assert_eq!(made, stored, "BETWIXT_BLESS=1 writes the file anew");
    }
}

#[test]
fn no_kind_is_without_a_test_vector() {
    let mut kinds: Vec<u8> = to_relay().iter().map(|(_, message)| message.to_bytes()[0]).collect();
    kinds.dedup();
    assert_eq!(kinds, (0..ToRelay::KINDS).collect::<Vec<u8>>());
    let mut kinds: Vec<u8> = to_site().iter().map(|(_, message)| message.to_bytes()[0]).collect();
    kinds.dedup();
    assert_eq!(kinds, (0..ToSite::KINDS).collect::<Vec<u8>>());
    let known = (0..64).filter(|kind| Kinds::KNOWN.has(*kind));
    for kind in known {
        assert!(ops().iter().any(|(_, op)| op.body.kind() == kind), "kind {kind} of ops");
    }
}

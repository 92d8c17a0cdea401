//! Random values of everything that is sent or applied, from few sites, items and keys, so that they meet.

use betwixt_core::hlc::{Hlc, Millis, Tick};
use betwixt_core::id::{Hash, ItemId, ListUid, OpId, SiteId, SiteSecret};
use betwixt_core::item::{Item, Position};
use betwixt_core::key::{BASE, KEY_BYTES_MAX, Key, symbol_of};
use betwixt_core::limits::{Limits, TAGS_MAX};
use betwixt_core::list::{Epoch, Header, List, Site, Title};
use betwixt_core::log::{Entry, Watermark};
use betwixt_core::op::body::Kinds;
use betwixt_core::op::{Add, Body, EpochId, Join, ListPut, Op, Put};
use betwixt_core::register::{Date, Register};
use betwixt_core::snapshot::{self, Begin, Part};
use betwixt_core::wire::{CloseReason, Figures, Hello, Listed, Listing, Person, RefusedCode, ToRelay, ToSite, Welcome};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::{Index, select, subsequence};
use smol_str::SmolStr;

/// The list that everything is about.
pub(crate) const UID: ListUid = ListUid::from_bytes([0x11; 16]);

/// The site of this number.
pub(crate) fn site(number: u8) -> SiteId {
    SiteId::from_bytes([number; 16])
}

/// The item of this number.
pub(crate) fn item_id(number: u8) -> ItemId {
    ItemId::from_bytes([number; 8])
}

/// The stamp of that millisecond, counter and site.
pub(crate) fn hlc(wall: u64, counter: u16, number: u8) -> Hlc {
    Hlc { tick: Tick { wall: Millis(wall), counter }, site: site(number) }
}

/// The key of these digits, made canonical.
pub(crate) fn key_of(mut digits: Vec<u8>) -> Key {
    digits.push(1);
    let symbols: Vec<u8> = digits.into_iter().filter_map(symbol_of).collect();
    Key::try_from_bytes(&symbols).expect("digits that end in 1 are canonical")
}

/// Keys that are often equal, often neighbours, and sometimes as long as they may be.
pub(crate) fn any_key() -> impl Strategy<Value = Key> {
    prop_oneof![
        8 => vec(0..3_u8, 0..2),
        4 => vec(0..BASE, 0..5),
        1 => vec(0..BASE, 0..KEY_BYTES_MAX),
    ]
    .prop_map(key_of)
}

fn any_words() -> impl Strategy<Value = SmolStr> {
    prop_oneof![4 => "[a-z ]{0,12}", 2 => "\\PC{0,40}", 1 => ".{0,120}"].prop_map(SmolStr::from)
}

fn any_register_of(field: usize) -> BoxedStrategy<Register> {
    let day = (1..=9999_u16, 1..=12_u8, 1..=28_u8).prop_map(|(year, month, day)| Date::new(year, month, day));
    match field {
        0 => any_words().prop_map(Register::Text).boxed(),
        1 => any_words().prop_map(Register::Note).boxed(),
        2 => any::<bool>().prop_map(Register::Done).boxed(),
        3 => prop_oneof![Just(None), day].prop_map(Register::Due).boxed(),
        4 => any::<Option<u8>>().prop_map(Register::Priority).boxed(),
        5 => any_words().prop_map(Register::Assignee).boxed(),
        6 => vec("[a-zé]{1,30}".prop_map(SmolStr::from), 0..=TAGS_MAX).prop_map(Register::Tags).boxed(),
        7 => any::<u8>().prop_map(Register::Depth).boxed(),
        _ => any::<bool>().prop_map(Register::Deleted).boxed(),
    }
}

/// Registers of different fields, in any order.
pub(crate) fn any_registers() -> impl Strategy<Value = Vec<Register>> {
    subsequence((0..9).collect::<Vec<usize>>(), 0..=9)
        .prop_shuffle()
        .prop_flat_map(|fields| fields.into_iter().map(any_register_of).collect::<Vec<_>>())
}

/// What one of a few sites says: about which of a few items, and when.
#[derive(Debug, Clone)]
pub(crate) struct Saying {
    site: u8,
    wall: u64,
    item: u8,
    said: Said,
}

#[derive(Debug, Clone)]
enum Said {
    Add(Key, Vec<Register>),
    Put(Option<Key>, Vec<Register>),
    Title(SmolStr),
}

/// Items that are there before the sayings begin; a `Put` is about one of them.
pub(crate) const ITEMS: u8 = 12;
/// Sites that speak.
pub(crate) const SITES: u8 = 4;

fn any_saying() -> impl Strategy<Value = Saying> {
    let said = prop_oneof![
        2 => (any_key(), any_registers()).prop_map(|(key, registers)| Said::Add(key, registers)),
        6 => (option::of(any_key()), any_registers()).prop_map(|(key, registers)| Said::Put(key, registers)),
        1 => any_words().prop_map(Said::Title),
    ];
    // Sites stamp within the same few milliseconds, and far apart.
    let wall = prop_oneof![3 => 0..6_u64, 1 => 0..5_000_000_000_u64];
    (0..SITES, wall, any::<u8>(), said).prop_map(|(site, wall, item, said)| Saying { site, wall, item, said })
}

/// Ops of a few sites: each site's joining, the items by site 0, and then what was said, each site's counted on.
///
/// No two ops have one stamp. `Put`s are only about the items that came first, so that what follows those may be
/// said in any order.
pub(crate) fn any_ops(sayings: core::ops::Range<usize>) -> impl Strategy<Value = (Vec<Op>, Vec<Op>)> {
    let keys = vec(any_key(), usize::from(ITEMS));
    (keys, vec(any_saying(), sayings)).prop_map(|(keys, sayings)| {
        let mut pens: Vec<Pen> = (0..SITES).map(Pen::new).collect();
        let mut first: Vec<Op> = pens.iter_mut().map(|pen| pen.say(3, Body::Join(Join::default()))).collect();
        for (number, key) in (0..ITEMS).zip(keys) {
            let registers = vec![Register::Text(SmolStr::from(format!("item {number}")))];
            first.push(pens[0].say(3, Body::Add(Add { item: item_id(number), key, registers })));
        }
        let said = sayings.into_iter().map(|Saying { site, wall, item, said }| {
            let body = match said {
                Said::Add(key, registers) => Body::Add(Add { item: item_id(item), key, registers }),
                Said::Put(key, registers) => Body::Put(Put { item: item_id(item % ITEMS), key, registers }),
                Said::Title(title) => Body::List(ListPut { title }),
            };
            pens[usize::from(site)].say(wall, body)
        });
        let said = said.collect();
        (first, said)
    })
}

/// Mints the ops of one site.
pub(crate) struct Pen {
    number: u8,
    ctr: u64,
}

impl Pen {
    /// A site that has said nothing.
    pub(crate) fn new(number: u8) -> Self {
        Self { number, ctr: 0 }
    }

    /// Its next op; the counter keeps its stamps apart.
    pub(crate) fn say(&mut self, wall: u64, body: Body) -> Op {
        self.ctr += 1;
        let counter = u16::try_from(self.ctr).expect("a test says little");
        let id = OpId { site: site(self.number), ctr: self.ctr };
        Op::new(id, self.ctr - 1, EpochId::first(UID), hlc(wall, counter, self.number), body)
    }
}

/// The log of these ops.
pub(crate) fn log(ops: &[Op]) -> Vec<Entry> {
    let mut mark = Watermark::start(UID);
    let entries = ops.iter().map(|op| {
        let entry = Entry::behind(mark, op.clone());
        mark = entry.mark();
        entry
    });
    entries.collect()
}

/// The list of this log.
pub(crate) fn list_of(entries: &[Entry]) -> List {
    let mut list = List::new(UID);
    for entry in entries {
        list.apply(entry, Kinds::KNOWN).expect("the log goes on");
    }
    list
}

/// A list that many ops have made.
pub(crate) fn any_list(sayings: core::ops::Range<usize>) -> impl Strategy<Value = List> {
    any_ops(sayings).prop_map(|(first, said)| list_of(&log(&[first, said].concat())))
}

fn any_site() -> impl Strategy<Value = SiteId> {
    any::<[u8; 16]>().prop_map(SiteId::from_bytes)
}

fn any_item_id() -> impl Strategy<Value = ItemId> {
    any::<[u8; 8]>().prop_map(ItemId::from_bytes)
}

fn any_uid() -> impl Strategy<Value = ListUid> {
    any::<[u8; 16]>().prop_map(ListUid::from_bytes)
}

fn any_hash() -> impl Strategy<Value = Hash> {
    any::<[u8; 32]>().prop_map(Hash::from_bytes)
}

fn any_hlc() -> impl Strategy<Value = Hlc> {
    (any_tick(), any_site()).prop_map(|(tick, site)| Hlc { tick, site })
}

fn any_tick() -> impl Strategy<Value = Tick> {
    (any::<u64>(), any::<u16>()).prop_map(|(wall, counter)| Tick { wall: Millis(wall), counter })
}

fn any_mark() -> impl Strategy<Value = Watermark> {
    (any::<u64>(), any_hash()).prop_map(|(seq, chain)| Watermark { seq, chain })
}

fn any_body() -> impl Strategy<Value = Body> {
    prop_oneof![
        1 => ".{0,12}".prop_map(|name| Body::Join(Join { name: name.into() })),
        4 => (any_item_id(), any_key(), any_registers())
            .prop_map(|(item, key, registers)| Body::Add(Add { item, key, registers })),
        4 => (any_item_id(), option::of(any_key()), any_registers())
            .prop_map(|(item, key, registers)| Body::Put(Put { item, key, registers })),
        1 => any_words().prop_map(|title| Body::List(ListPut { title })),
        2 => (5..=255_u8, vec(any::<u8>(), 0..200)).prop_map(|(kind, bytes)| Body::Unread { kind, bytes }),
    ]
}

/// Any op that has a spelling.
pub(crate) fn any_op() -> impl Strategy<Value = Op> {
    (any_site(), any::<u64>(), any::<u64>(), any_hash(), any_hlc(), any_body())
        .prop_map(|(site, ctr, prev, epoch, hlc, body)| Op::new(OpId { site, ctr }, prev, EpochId(epoch), hlc, body))
}

/// Any entry that has a spelling.
pub(crate) fn any_entry() -> impl Strategy<Value = Entry> {
    (any::<u64>(), any_op(), any_hash(), option::of(any_hash())).prop_map(|(seq, op, chain, state_hash)| Entry {
        seq,
        op,
        chain,
        state_hash,
    })
}

fn any_kinds() -> impl Strategy<Value = Kinds> {
    vec(any::<u8>(), 0..4).prop_map(|kinds| kinds.into_iter().fold(Kinds::KNOWN, Kinds::and))
}

fn any_listing() -> impl Strategy<Value = Listing> {
    (any_words(), option::of(any_name()), any::<u16>()).prop_map(|(prefix, after, limit)| Listing {
        prefix,
        after,
        limit,
    })
}

fn any_listed() -> impl Strategy<Value = Listed> {
    (any_name(), any_uid(), any_words()).prop_map(|(name, uid, title)| Listed { name, uid, title })
}

/// Any message of a site.
pub(crate) fn any_to_relay() -> impl Strategy<Value = ToRelay> {
    let hello = (
        (vec(any::<u16>(), 0..=16), any_kinds(), any::<[u8; 32]>(), "[a-z][a-z0-9._-]{0,63}"),
        (option::of(any_uid()), any_mark(), any::<bool>(), any_words()),
    );
    let hello = hello.prop_map(|((versions, kinds, secret, name), (uid, mark, pending, person))| {
        let secret = SiteSecret::from_bytes(secret);
        let name = name.parse().expect("the alphabet of names");
        ToRelay::Hello(Box::new(Hello { versions, kinds, secret, name, uid, mark, pending, person }))
    });
    prop_oneof![
        hello,
        (any_uid(), vec(any_op(), 0..20)).prop_map(|(list, ops)| ToRelay::Push { list, ops }),
        (any_uid(), option::of(any_item_id()), any::<bool>()).prop_map(|(list, at, editing)| ToRelay::Here {
            list,
            at,
            editing
        }),
        any_uid().prop_map(|list| ToRelay::Leave { list }),
        any_listing().prop_map(ToRelay::Lists),
        (any_name(), any_uid()).prop_map(|(name, uid)| ToRelay::DeleteList { name, uid }),
    ]
}

fn any_header() -> impl Strategy<Value = Header> {
    let title = (any_words(), any_hlc()).prop_map(|(text, hlc)| Title { text, hlc });
    (any_uid(), any_mark(), any_hash(), any::<u32>(), option::of(title), any_tick()).prop_map(
        |(uid, mark, epoch, number, title, highest)| {
            let epoch = Epoch { id: EpochId(epoch), number };
            Header { uid, mark, epoch, title, highest }
        },
    )
}

fn any_part() -> impl Strategy<Value = Part> {
    let site = (any_site(), any::<u32>(), any::<u64>(), any_hash()).prop_map(|(id, number, ctr, hash)| {
        (id, Site { name: format!("site {}", ctr % 1000).into(), number, ctr, hash })
    });
    let items = (any_list(0..30), 0..4_000_usize, any::<Index>()).prop_map(|(list, bytes_max, which)| {
        let mut parts: Vec<Part> = snapshot::parts(&list, bytes_max).collect();
        parts.swap_remove(which.index(parts.len()))
    });
    prop_oneof![vec(site, 0..40).prop_map(Part::Sites), items]
}

fn any_person() -> impl Strategy<Value = Person> {
    (any_site(), any_words(), option::of(any_item_id()), any::<bool>()).prop_map(|(site, name, at, editing)| Person {
        site,
        name,
        at,
        editing,
    })
}

fn any_limits() -> impl Strategy<Value = Limits> {
    any::<[u32; 8]>().prop_map(|[a, b, c, d, e, f, g, h]| Limits {
        message_bytes: a,
        key_bytes: b,
        text_bytes: c,
        note_bytes: d,
        items: e,
        lists_per_link: f,
        ops_per_second: g,
        ops_burst: h,
    })
}

fn any_name() -> impl Strategy<Value = betwixt_core::name::ListName> {
    "[a-zA-Z0-9_-]{1,64}".prop_map(|name| name.parse().expect("the alphabet of names"))
}

/// Any message of a relay.
pub(crate) fn any_to_site() -> impl Strategy<Value = ToSite> {
    let codes = vec![RefusedCode::Gone, RefusedCode::BadKey, RefusedCode::KeyJump, RefusedCode::Malformed];
    let reasons = vec![CloseReason::Shutdown, CloseReason::Replaced, CloseReason::Limit];
    let last = option::of((any::<u64>(), any_hash()));
    let welcome = (any::<u16>(), any_name(), any_uid(), any::<u64>(), any_limits(), any::<u64>(), last);
    prop_oneof![
        welcome.prop_map(|(version, name, uid, head, limits, clock, last)| {
            ToSite::Welcome(Box::new(Welcome { version, name, uid, head, limits, clock: Millis(clock), last }))
        }),
        (any_name(), any_uid()).prop_map(|(name, uid)| ToSite::OtherList { name, uid }),
        any_uid().prop_map(|uid| ToSite::Gone { uid }),
        (any_header(), any::<u32>(), any::<u32>(), any_hash()).prop_map(|(header, items, sites, state_hash)| {
            ToSite::SnapshotBegin(Box::new(Begin { header, items, sites, state_hash }))
        }),
        (any_uid(), any_part()).prop_map(|(list, part)| ToSite::SnapshotPart { list, part }),
        any_uid().prop_map(|list| ToSite::SnapshotEnd { list }),
        (any_uid(), vec(any_entry(), 0..20)).prop_map(|(list, entries)| ToSite::Entries { list, entries }),
        (any_uid(), any_site(), any::<u64>(), select(codes)).prop_map(|(list, site, ctr, code)| ToSite::Refused {
            list,
            op: OpId { site, ctr },
            code
        }),
        (any_uid(), any::<u64>()).prop_map(|(list, need_seq)| ToSite::Stale { list, need_seq }),
        (any_uid(), any::<u64>()).prop_map(|(list, need_seq)| ToSite::Collision { list, need_seq }),
        any::<u64>().prop_map(|retry_after| ToSite::Wait { retry_after: Millis(retry_after) }),
        (any_uid(), vec(any_person(), 0..20)).prop_map(|(list, people)| ToSite::People { list, people }),
        (any_uid(), any::<[u32; 6]>()).prop_map(|(list, [links, items, ops, longest, mean_hundredths, epoch])| {
            ToSite::Figures { list, figures: Figures { links, items, ops, longest, mean_hundredths, epoch } }
        }),
        Just(ToSite::Unreadable),
        (select(reasons), any::<u64>())
            .prop_map(|(reason, retry_after)| ToSite::Closing { reason, retry_after: Millis(retry_after) }),
        (any_listing(), vec(any_listed(), 0..20), any::<bool>()).prop_map(|(asked, lists, more)| ToSite::Lists {
            asked,
            lists,
            more
        }),
    ]
}

/// A change of a message's bytes.
#[derive(Debug, Clone)]
pub(crate) enum Mutation {
    Set(Index, u8),
    Cut(Index),
    Insert(Index, Vec<u8>),
    Remove(Index),
}

/// One change: a byte set, the rest cut off, bytes put in, a byte taken out.
pub(crate) fn any_mutation() -> impl Strategy<Value = Mutation> {
    let byte = || prop_oneof![any::<u8>(), select(vec![0, 1, 0x7f, 0x80, 0xff])];
    prop_oneof![
        4 => (any::<Index>(), byte()).prop_map(|(at, byte)| Mutation::Set(at, byte)),
        1 => any::<Index>().prop_map(Mutation::Cut),
        2 => (any::<Index>(), vec(byte(), 1..10)).prop_map(|(at, bytes)| Mutation::Insert(at, bytes)),
        1 => any::<Index>().prop_map(Mutation::Remove),
    ]
}

/// Carries out changes, one after the other.
pub(crate) fn mutate_all(bytes: &mut Vec<u8>, mutations: &[Mutation]) {
    for mutation in mutations {
        mutate(bytes, mutation);
    }
}

/// Carries out a change; bytes without any stay so.
pub(crate) fn mutate(bytes: &mut Vec<u8>, mutation: &Mutation) {
    if bytes.is_empty() {
        return;
    }
    match mutation {
        Mutation::Set(at, byte) => *at.get_mut(bytes) = *byte,
        Mutation::Cut(at) => bytes.truncate(at.index(bytes.len())),
        Mutation::Insert(at, more) => {
            let at = at.index(bytes.len());
            bytes.splice(at..at, more.iter().copied());
        }
        Mutation::Remove(at) => {
            bytes.remove(at.index(bytes.len()));
        }
    }
}

/// An item at this place, with nothing written.
pub(crate) fn bare_item(key: Key) -> Item {
    let stamp = hlc(1, 0, 1);
    Item::new(Position { hlc: stamp, op: OpId { site: stamp.site, ctr: 1 }, key })
}

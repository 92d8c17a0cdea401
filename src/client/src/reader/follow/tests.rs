//! A reader under its driver, without a link: what it asks for, what it tells, and when it stops.

use betwixt_core::hlc::{Hlc, Tick};
use betwixt_core::id::{ItemId, ListUid, OpId, SiteId};
use betwixt_core::key::Key;
use betwixt_core::limits::{Limits, SENT_BYTES_MAX};
use betwixt_core::log::Entry;
use betwixt_core::op::body::Kinds;
use betwixt_core::op::{Add, Body, Join, Op, kind};
use betwixt_core::register::Register;
use betwixt_core::snapshot;
use betwixt_core::wire::{CloseReason, Hello, ToRelay, Welcome};

use super::*;
use crate::account::Deed;

const LIST: ListUid = ListUid::from_bytes([7; 16]);

/// A relay's list, and a reader of it.
struct Bench {
    list: List,
    log: Vec<Entry>,
    following: Following,
    batches: mpsc::Receiver<Vec<News>>,
}

impl Bench {
    fn new(from: From) -> Self {
        let (batch, batches) = mpsc::channel(8);
        let name = "work".parse().expect("a name");
        let address = Address::Local("/nowhere".into());
        let reading = Reading { address, name, uid: LIST, person: "ana".into(), kinds: Kinds::KNOWN };
        let following = Following::new(reading, from, batch);
        Self { list: List::new(LIST), log: Vec::new(), following, batches }
    }

    /// The relay sequences an op.
    fn say(&mut self, body: Body) {
        let ctr = u64::try_from(self.log.len()).expect("a short log") + 1;
        let site = SiteId::from_bytes([3; 16]);
        let hlc = Hlc { tick: Tick { wall: Millis(ctr), counter: 0 }, site };
        let op = Op::new(OpId { site, ctr }, ctr - 1, self.list.epoch().id, hlc, body);
        let entry = Entry::behind(self.list.mark(), op);
        self.list.apply(&entry, Kinds::KNOWN.and(kind::PROBE)).expect("it continues");
        self.log.push(entry);
    }

    fn add(&mut self, text: &str) {
        let number = u8::try_from(self.log.len()).expect("a short log");
        let key = Key::parse(&format!("b{}", char::from(b'a' + number))).expect("a key");
        let registers = vec![Register::Text(text.into())];
        self.say(Body::Add(Add { item: ItemId::from_bytes([number; 8]), key, registers }));
    }

    fn input(&self, input: Input) -> Turn {
        self.following.work(vec![input])
    }

    fn said(&self, message: ToSite) -> Turn {
        self.input(Input::Said(message))
    }

    /// The link opens; what the reader says first.
    fn link(&self) -> Hello {
        while !self.input(Input::Tick).dial {
            std::thread::yield_now();
        }
        match self.input(Input::Linked).send.pop() {
            Some(ToRelay::Hello(hello)) => *hello,
            other => panic!("not a hello: {other:?}"),
        }
    }

    fn welcome(&self) -> Turn {
        let name = "work".parse().expect("a name");
        let head = self.list.mark().seq;
        self.said(ToSite::Welcome(Box::new(Welcome {
            version: 1,
            name,
            uid: LIST,
            head,
            limits: Limits::DEFAULT,
            clock: Millis(1),
            last: None,
        })))
    }

    fn entries(&self, from: usize) -> Turn {
        self.said(ToSite::Entries { list: LIST, entries: self.log.get(from..).expect("a place in the log").to_vec() })
    }

    fn snapshot(&self) {
        self.said(ToSite::SnapshotBegin(Box::new(snapshot::begin(&self.list))));
        for part in snapshot::parts(&self.list, SENT_BYTES_MAX) {
            self.said(ToSite::SnapshotPart { list: LIST, part });
        }
        self.said(ToSite::SnapshotEnd { list: LIST });
    }

    /// What came, in words.
    fn news(&mut self) -> Vec<String> {
        let mut told = Vec::new();
        while let Ok(batch) = self.batches.try_recv() {
            told.extend(batch.into_iter().map(|news| match news {
                News::Told(account) => match account.deed {
                    Deed::Added { registers, .. } => format!("{} {registers:?}", account.seq),
                    deed => format!("{} {deed:?}", account.seq),
                },
                News::Skipped(state) => format!("skipped to {} with {}", state.seq, state.items),
                News::Reached(state) => format!("reached {} with {}", state.seq, state.items),
                other => format!("{other:?}"),
            }));
        }
        told
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_whole_log_is_told_and_each_entry_once_whatever_the_link_does() {
    let mut bench = Bench::new(From::Start);
    bench.say(Body::Join(Join { name: "ana".into() }));
    bench.add("milk");
    let hello = bench.link();
    assert!(hello.pending && hello.mark.seq == 0, "it asks for entries: {hello:?}");
    bench.welcome();
    bench.entries(0);
    assert_eq!(bench.news(), ["1 Joined", "2 [Text(\"milk\")]", "reached 2 with 1"]);

    bench.add("bread");
    bench.entries(2);
    bench.input(Input::Lost);
    bench.add("salt");
    let hello = bench.link();
    assert!(hello.pending && hello.mark == bench.log[2].mark(), "it asks for what comes next: {hello:?}");
    bench.welcome();
    // A relay may send more than was asked for.
    bench.entries(1);
    assert_eq!(bench.news(), ["3 [Text(\"bread\")]", "4 [Text(\"salt\")]", "reached 4 with 3"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn from_the_head_only_what_comes_then_is_told_and_nothing_of_it_is_missed() {
    let mut bench = Bench::new(From::Head);
    bench.say(Body::Join(Join { name: "ana".into() }));
    bench.add("milk");
    assert!(!bench.link().pending, "a snapshot is as good");
    bench.snapshot();
    bench.welcome();
    assert_eq!(bench.news(), ["reached 2 with 1"]);
    bench.said(ToSite::Closing { reason: CloseReason::Shutdown, retry_after: Millis(0) });
    bench.add("bread");
    assert!(bench.link().pending, "now each entry counts");
    bench.welcome();
    bench.entries(2);
    assert_eq!(bench.news(), ["3 [Text(\"bread\")]", "reached 3 with 2"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn where_entries_are_missing_it_says_so() {
    let mut bench = Bench::new(From::Start);
    bench.say(Body::Join(Join { name: "ana".into() }));
    bench.add("milk");
    bench.link();
    bench.snapshot();
    bench.add("bread");
    bench.welcome();
    bench.entries(2);
    assert_eq!(bench.news(), ["skipped to 2 with 1", "3 [Text(\"bread\")]", "reached 3 with 2"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_that_is_gone_another_or_too_new_ends_it() {
    let other = ListUid::from_bytes([8; 16]);
    let name = || "work".parse().expect("a name");
    let gone: [(ToSite, &str); 3] = [
        (ToSite::Gone { uid: LIST }, "Ended(Gone)"),
        (ToSite::OtherList { name: name(), uid: other }, "OtherList"),
        (ToSite::Closing { reason: CloseReason::Damaged, retry_after: Millis(0) }, "Ended(Damaged)"),
    ];
    for (message, end) in gone {
        let mut bench = Bench::new(From::Head);
        bench.link();
        let turn = bench.said(message);
        assert!(turn.hang_up && !turn.dial, "{end}");
        let news = bench.news();
        assert!(news.len() == 1 && news[0].contains(end), "{news:?}");
        assert!(bench.following.pause().is_none(), "nothing is tried any more");
    }

    let mut bench = Bench::new(From::Start);
    bench.say(Body::Join(Join { name: "ana".into() }));
    bench.say(Body::Unread { kind: kind::PROBE, bytes: Vec::new() });
    bench.add("behind it");
    bench.link();
    bench.welcome();
    assert!(bench.entries(0).hang_up);
    assert_eq!(bench.news(), ["1 Joined", "NeedsNewer"]);
}

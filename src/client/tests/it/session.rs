//! The session by itself: its timers, its gates, how it ends and begins again.

use betwixt_client::Replica;
use betwixt_client::session::{Ended, Input, Outputs, Outside, Patience, Session, State, Unnamed};
use betwixt_core::edit::{Edit, Spot};
use betwixt_core::hlc::{Hlc, Millis};
use betwixt_core::id::{ListUid, OpId, SiteId};
use betwixt_core::limits::Limits;
use betwixt_core::op::body::Kinds;
use betwixt_core::op::{Body, Join, Op};
use betwixt_core::snapshot;
use betwixt_core::wire::{CloseReason, ToRelay, ToSite, Welcome};

use crate::world::{UID, World};

/// A session with its replica, and the time.
struct Site {
    session: Session,
    replica: Replica,
    now: Millis,
}

impl Site {
    fn new(patience: Patience) -> Self {
        let world = World::new(1, 1);
        let replica = world.peers[0].replica.clone();
        let session = Session::new("list".parse().expect("a name"), "ana".into(), Kinds::KNOWN, patience);
        Self { session, replica, now: Millis(0) }
    }

    fn live(patience: Patience) -> Self {
        let mut site = Self::new(patience);
        site.greet();
        site.welcome(0);
        assert!(matches!(site.session.state(), State::Live));
        site
    }

    fn greet(&mut self) {
        assert!(self.step(Input::Tick).dial);
        let out = self.step(Input::Linked);
        assert!(matches!(out.send[..], [ToRelay::Hello(_)]), "{out:?}");
    }

    fn welcome(&mut self, head: u64) -> Outputs {
        let (limits, clock) = (Limits::DEFAULT, Millis(1_000));
        let name = "list".parse().expect("a name");
        self.said(ToSite::Welcome(Box::new(Welcome { version: 1, name, uid: UID, head, limits, clock, last: None })))
    }

    fn said(&mut self, message: ToSite) -> Outputs {
        self.step(Input::Said(message))
    }

    fn step(&mut self, input: Input) -> Outputs {
        let mut outside = Outside { now: self.now, wall: Millis(1_000), random: &mut || 7, journal: &mut Vec::new };
        self.session.step(&mut self.replica, input, &mut outside)
    }

    fn add(&mut self) -> Outputs {
        let edit = Edit::Add { spot: Spot::Bottom, items: vec![vec![]] };
        let mut random = u64::try_from(self.replica.shown().items().len()).expect("few");
        let mut next = || {
            random += 1;
            random
        };
        let minted = self.replica.mint(&edit, Millis(1_000), &mut next).expect("there is room");
        self.replica.adopt(minted);
        self.step(Input::Edited)
    }

    fn pushed(out: &Outputs) -> usize {
        out.send.iter().map(|message| if let ToRelay::Push { ops, .. } = message { ops.len() } else { 0 }).sum()
    }
}

/// Waits with nothing heard; returns when it asked, when it was silent first, and when the link was given up.
fn wait_in_silence(patience: Patience) -> (Vec<u64>, u64, u64) {
    let mut site = Site::live(patience);
    let (mut asked, mut silent) = (Vec::new(), 0);
    for _ in 0..200 {
        let wake_at = site.session.wake_at().expect("a live session looks at its link");
        assert!(wake_at > site.now || asked.is_empty(), "time goes on: {wake_at:?}");
        site.now = wake_at.max(site.now);
        if silent == 0 && !site.session.is_heard(site.now) {
            silent = site.now.0;
        }
        let out = site.step(Input::Tick);
        if out.ping {
            asked.push(site.now.0);
        }
        if out.hang_up {
            return (asked, silent, site.now.0);
        }
    }
    panic!("the link is never given up");
}

#[test]
fn silence_is_asked_about_named_and_given_up_in_time() {
    let (asked, silent, dead) = wait_in_silence(Patience::local());
    assert_eq!((&asked[..3], silent, dead), (&[1_000, 2_000, 3_000][..], 3_000, 60_000));
    let (asked, silent, dead) = wait_in_silence(Patience::remote());
    assert_eq!((&asked[..3], silent, dead), (&[10_000, 20_000, 30_000][..], 25_000, 60_000));
    let mut site = Site::live(Patience::local());
    site.now = Millis(3_500);
    assert!(!site.session.is_heard(site.now));
    site.step(Input::Heard);
    assert!(site.session.is_heard(site.now));
}

#[test]
fn a_greeting_that_is_not_answered_is_given_up_and_tried_again_later_and_later() {
    let mut site = Site::new(Patience::remote());
    let mut pauses = Vec::new();
    for _ in 0..8 {
        site.greet();
        let deadline = site.session.wake_at().expect("a deadline");
        assert_eq!(deadline.since(site.now), Millis(10_000));
        site.now = deadline;
        assert!(site.step(Input::Tick).hang_up);
        let retry_at = site.session.wake_at().expect("a time to dial");
        assert!(!site.step(Input::Tick).dial, "not before");
        pauses.push(retry_at.since(site.now).0);
        site.now = retry_at;
    }
    assert!(pauses.is_sorted() && pauses[0] < 500 && *pauses.last().expect("some") >= 15_000, "{pauses:?}");
}

#[test]
fn a_relay_that_closes_is_dialed_when_it_says_and_a_little_later() {
    for (hint, least, most) in [(0, 20, 41), (5_000, 5_020, 5_041), (u64::MAX, 300_020, 300_041)] {
        let mut site = Site::live(Patience::local());
        let closing = ToSite::Closing { reason: CloseReason::Shutdown, retry_after: Millis(hint) };
        assert!(site.said(closing).hang_up);
        let State::Waiting { retry_at } = site.session.state() else { panic!("it waits") };
        assert!((least..most).contains(&retry_at.0), "{hint}: {retry_at:?}");
    }
}

#[test]
fn nothing_is_sent_before_the_welcome_and_before_all_is_read() {
    let mut site = Site::new(Patience::local());
    assert_eq!(Site::pushed(&site.add()), 0);
    site.greet();
    assert_eq!(Site::pushed(&site.add()), 0);
    assert_eq!(Site::pushed(&site.welcome(1)), 0, "an entry is to come");
    assert!(matches!(site.session.state(), State::CatchingUp { target: 1 }));
    let entry = entry_of(&site, 9, 1, Body::Join(Join::default()));
    let out = site.said(ToSite::Entries { list: UID, entries: vec![entry] });
    assert_eq!(Site::pushed(&out), 1, "the join alone");
    assert_eq!(Site::pushed(&site.step(Input::Edited)), 0, "once");
}

fn entry_of(site: &Site, by: u8, ctr: u64, body: Body) -> betwixt_core::log::Entry {
    let by = SiteId::from_bytes([by; 16]);
    let list = site.replica.confirmed();
    let hlc = Hlc { tick: list.highest().next(), site: by };
    betwixt_core::log::Entry::behind(list.mark(), Op::new(OpId { site: by, ctr }, ctr - 1, list.epoch().id, hlc, body))
}

#[test]
fn stale_and_collision_hold_all_back_until_the_place_that_they_name_is_read() {
    for collision in [false, true] {
        let mut site = Site::live(Patience::local());
        assert_eq!(Site::pushed(&site.add()), 1);
        let before = site.replica.site();
        let (list, need_seq) = (UID, 2);
        let collides = ToSite::Collision { list, need_seq };
        site.said(if collision { collides } else { ToSite::Stale { list, need_seq } });
        for ctr in 1..=2 {
            assert_eq!(Site::pushed(&site.step(Input::Edited)), 0);
            assert_eq!(site.replica.site(), before);
            let entry = entry_of(&site, 9, ctr, Body::Join(Join::default()));
            let out = site.said(ToSite::Entries { list: UID, entries: vec![entry] });
            assert_eq!(Site::pushed(&out), usize::from(ctr == 2 && !collision));
            assert_eq!(out.hang_up, ctr == 2 && collision, "a new site says hello");
        }
        assert_eq!(site.replica.site() != before, collision);
        assert_eq!(site.replica.unsent(), 1);
    }
}

#[test]
fn what_a_relay_has_asked_for_before_it_lost_its_tail_holds_nothing_back() {
    let mut site = Site::live(Patience::local());
    site.add();
    site.said(ToSite::Stale { list: UID, need_seq: 1_000 });
    site.step(Input::Lost);
    site.now = Millis(10_000);
    site.greet();
    assert_eq!(Site::pushed(&site.welcome(0)), 1);
}

#[test]
fn what_a_link_that_is_gone_has_said_is_not_heard() {
    let mut site = Site::live(Patience::local());
    site.add();
    let op = site.replica.pending().next().expect("the join").id();
    site.step(Input::Lost);
    let code = betwixt_core::wire::RefusedCode::Full;
    site.said(ToSite::Refused { list: UID, op, code });
    site.said(ToSite::Gone { uid: UID });
    assert_eq!(site.replica.unsent(), 1);
    assert!(matches!(site.session.state(), State::Waiting { .. }));
}

#[test]
fn a_session_ends_with_a_reason_and_goes_on_only_by_a_choice() {
    let other = ListUid::from_bytes([8; 16]);
    let name = || "list".parse().expect("a name");
    let close = |reason| ToSite::Closing { reason, retry_after: Millis(5) };
    let table = [
        (ToSite::OtherList { name: name(), uid: other }, Ended::OtherList(other)),
        (ToSite::Gone { uid: UID }, Ended::Gone),
        (close(CloseReason::Version), Ended::Version),
        (close(CloseReason::Damaged), Ended::Damaged),
    ];
    for (message, why) in table {
        let mut site = Site::new(Patience::local());
        site.add();
        site.greet();
        assert!(site.said(message).hang_up);
        assert!(matches!(site.session.state(), State::Ended(found) if *found == why));
        site.now = Millis(1_000_000);
        assert_eq!(site.session.wake_at(), None);
        for input in [Input::Tick, Input::Lost, Input::Edited, Input::Linked] {
            assert!(!site.step(input).dial);
        }
        assert_eq!(site.replica.unsent(), 1, "edits are kept");
        site.session.rename("other".parse().expect("a name"));
        assert!(site.step(Input::Tick).dial);
    }
}

#[test]
fn a_blank_replica_takes_the_relays_list_and_does_not_ask_in_a_ring() {
    let mut site = Site::new(Patience::local());
    site.greet();
    let other = ListUid::from_bytes([8; 16]);
    let out = site.said(ToSite::OtherList { name: "list".parse().expect("a name"), uid: other });
    assert_eq!(out.unnamed, Some(Unnamed::Adopt(other)));
    assert!(site.session.wake_at() > Some(site.now));
}

#[test]
fn a_snapshot_that_is_cut_is_nothing_and_one_that_begins_again_is_whole() {
    let mut world = World::new(1, 3);
    world.add(0, &["a", "b", "c"]);
    world.settle();
    let list = &world.relay.list;
    let parts: Vec<_> = snapshot::parts(list, 60).collect();
    assert!(parts.len() > 2);
    let begin = || ToSite::SnapshotBegin(Box::new(snapshot::begin(list)));
    let part = |at: usize| ToSite::SnapshotPart { list: UID, part: parts[at].clone() };
    let end = || ToSite::SnapshotEnd { list: UID };

    let mut site = Site::new(Patience::local());
    site.greet();
    site.said(begin());
    site.said(part(0));
    site.now = Millis(2_900);
    site.said(part(1));
    site.now = Millis(3_100);
    assert!(!site.step(Input::Tick).hang_up, "a part gives it time");
    site.step(Input::Lost);
    assert_eq!(site.replica.confirmed().mark().seq, 0);

    site.now = Millis(10_000);
    site.greet();
    site.said(begin());
    site.said(part(0));
    site.said(begin());
    (0..parts.len()).for_each(|at| drop(site.said(part(at))));
    let out = site.said(end());
    assert!(!out.hang_up && out.writes.len() == 1);
    assert_eq!(site.replica.shown().state_hash(), list.state_hash());

    let mut site = Site::new(Patience::local());
    site.greet();
    site.said(begin());
    site.said(part(0));
    assert!(site.said(end()).hang_up, "a part is missing");
    assert_eq!(site.replica.confirmed().mark().seq, 0);
}

#[test]
fn an_unknown_kind_stops_the_site_which_keeps_its_edits_and_sends_nothing() {
    let mut world = World::new(2, 4);
    let item = world.add(0, &["a"])[0];
    world.settle();
    let body = Body::Unread { kind: 63, bytes: vec![] };
    let hlc = Hlc { tick: world.relay.list.highest().next(), site: SiteId::from_bytes([9; 16]) };
    let probe = Op::new(OpId { site: hlc.site, ctr: 1 }, 0, world.relay.list.epoch().id, hlc, body);
    let entry = world.relay.sequence(probe);
    let stop = entry.seq - 1;
    world.tell_all(Some(entry));
    while world.carry_down(0) | world.carry_down(1) {}
    let behind =
        Op::new(OpId { site: hlc.site, ctr: 2 }, 1, world.relay.list.epoch().id, hlc, Body::Join(Join::default()));
    let entry = world.relay.sequence(behind);
    world.tell_all(Some(entry));
    for restarts in [false, true] {
        if restarts {
            world.peers[0].restart();
        }
        world.set(0, item, "mine");
        world.settle_of(0);
        let peer = &world.peers[0];
        assert_eq!(peer.replica.confirmed().mark().seq, stop);
        assert_eq!(peer.replica.stopped_before(), Some(63));
        assert_eq!(peer.replica.unsent(), 1 + usize::from(restarts));
        assert_eq!(world.relay.head(), stop + 2, "nothing was sent");
        assert_eq!(world.texts(0), ["mine"]);
    }
    // A snapshot from behind the unknown op lets it go on.
    world.relay.trimmed = world.relay.head();
    world.cut(0);
    world.settle_of(0);
    assert_eq!(world.peers[0].replica.stopped_before(), None);
    assert_eq!(world.relay.head(), stop + 4);
}

#[test]
fn idle_clones_do_not_take_each_others_place_for_ever() {
    let mut world = World::new(2, 5);
    world.add(0, &["a"]);
    world.settle();
    let copy = world.peers[0].copy();
    world.peers[1].restore(&copy);
    world.settle();
    world.check();
    assert_ne!(world.peers[0].replica.site(), world.peers[1].replica.site());
}

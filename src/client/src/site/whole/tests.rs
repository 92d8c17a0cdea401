//! Replica and slot together, on a disk that can fail.

use betwixt_core::hlc::{Hlc, Tick};
use betwixt_core::id::{OpId, SiteId};
use betwixt_core::limits::Limits;
use betwixt_core::log::Entry;
use betwixt_core::op::body::Kinds;
use betwixt_core::op::{Add, Join, Op};
use betwixt_core::wire::{RefusedCode, ToSite, Welcome};
use betwixt_store::Store as _;

use super::*;
use crate::folder::Folder;
use crate::session::Unnamed;
use crate::status::LinkStatus;

struct Bench {
    dir: tempfile::TempDir,
    whole: Whole,
}

impl Bench {
    fn new() -> Self {
        let dir = tempfile::tempdir().expect("a folder for a while");
        let folder = Folder::open(dir.path()).expect("it opens");
        let slot = Arc::new(folder.lease(&mut os_random).expect("a slot is free"));
        let whole = Whole::open(slot, opening(folder, "list")).expect("it opens");
        Self { dir, whole }
    }

    fn slot(&self) -> &Slot {
        &self.whole.slot
    }

    fn has_mark(&self) -> bool {
        self.dir.path().join("sites/0/pending").exists()
    }

    /// The links opens and the relay welcomes.
    fn link(&mut self, head: u64) {
        assert!(self.whole.step(Input::Tick).dial);
        self.whole.step(Input::Linked);
        let (uid, limits, clock) = (self.whole.uid(), Limits::DEFAULT, wall_clock());
        let name = self.whole.session.name().clone();
        let welcome = Welcome { version: 1, name, uid, head, limits, clock, last: None };
        self.whole.step(Input::Said(ToSite::Welcome(Box::new(welcome))));
    }

    /// Another site's next op comes.
    fn receive(&mut self, ctr: u64, body: Body) {
        let confirmed = self.whole.replica.confirmed();
        let site = SiteId::from_bytes([9; 16]);
        let hlc = Hlc { tick: Tick::after(confirmed.highest(), Millis(5)), site };
        let op = Op::new(OpId { site, ctr }, ctr - 1, confirmed.epoch().id, hlc, body);
        let entry = Entry::behind(confirmed.mark(), op);
        let list = self.whole.uid();
        self.whole.step(Input::Said(ToSite::Entries { list, entries: vec![entry] }));
    }

    /// What a program that starts now would find.
    fn stored(&self) -> Replica {
        Whole::load(&self.whole.slot, &self.whole.opening, self.whole.uid()).expect("it loads").replica
    }

    #[track_caller]
    fn check_stored(&self) {
        let stored = self.stored();
        assert_eq!(stored.confirmed().mark(), self.whole.replica.confirmed().mark());
        assert_eq!(stored.shown().state_hash(), self.whole.replica.shown().state_hash());
        assert!(stored.pending().eq(self.whole.replica.pending()));
        assert_eq!(stored.kept(), self.whole.replica.kept());
    }
}

fn opening(folder: Folder, name: &str) -> Opening {
    let address = crate::Address::Local(folder.path().join("socket"));
    let name = name.parse().expect("a name");
    Opening { folder, address, name, person: "ana".into(), kinds: Kinds::KNOWN }
}

fn add(texts: &[&str]) -> Edit {
    let items = texts.iter().map(|text| vec![Register::Text((*text).into())]).collect();
    Edit::Add { spot: Spot::Bottom, items }
}

#[test]
fn an_edit_is_on_the_disk_when_it_is_shown_and_one_that_the_disk_refuses_is_nowhere() {
    let mut bench = Bench::new();
    assert!(!bench.has_mark());
    bench.whole.edit(&add(&["a"])).expect("it is made");
    assert!(bench.has_mark());
    bench.check_stored();

    bench.slot().set_broken(true);
    let before = bench.whole.replica.shown().state_hash();
    assert_eq!(bench.whole.edit(&add(&["b", "c", "d"])), Err(EditFault::Disk));
    assert_eq!(bench.whole.replica.shown().state_hash(), before);
    assert_eq!(bench.whole.replica.unsent(), 1);
    assert!(bench.whole.status().disk_fault);
    assert_eq!(bench.whole.edit(&Edit::Undo), Err(EditFault::Disk));

    bench.slot().set_broken(false);
    // A commit that was said to fail may be there all the same.
    let minted = bench.whole.replica.mint(&add(&["b", "c", "d"]), Millis(9), &mut os_random).expect("there is room");
    let ghosts = store::batch(bench.whole.uid(), &mut bench.whole.meta, &minted.writes, Millis(9));
    bench.slot().commit(&ghosts).expect("the disk is back");
    bench.whole.edit(&add(&["e"])).expect("it is made");
    assert!(!bench.whole.status().disk_fault);
    bench.check_stored();
    assert_eq!(bench.whole.replica.unsent(), 2);
}

#[test]
fn what_came_while_the_disk_failed_is_written_later_in_order() {
    let mut bench = Bench::new();
    bench.link(3);
    bench.receive(1, Body::Join(Join::default()));
    assert!(bench.whole.commit());
    bench.slot().set_broken(true);
    for ctr in [2, 3] {
        let item = ItemId::from_bytes([u8::try_from(ctr).expect("small"); 8]);
        let key = betwixt_core::key::Key::parse("V").expect("a key");
        bench.receive(ctr, Body::Add(Add { item, key, registers: vec![] }));
        assert!(!bench.whole.commit());
    }
    assert!(bench.whole.status().disk_fault);
    assert_eq!(bench.whole.entries, 1, "what is not on the disk is not counted");
    bench.slot().set_broken(false);
    assert!(bench.whole.commit());
    assert_eq!(bench.whole.entries, 3);
    bench.check_stored();
}

#[test]
fn a_long_log_is_stored_as_a_list_once() {
    let mut bench = Bench::new();
    bench.link(1_003);
    bench.receive(1, Body::Join(Join::default()));
    for ctr in 2..=1_003 {
        bench.receive(ctr, Body::List(betwixt_core::op::ListPut { title: format!("{ctr}").into() }));
        if ctr == 1_000 {
            assert!(bench.whole.commit());
            assert_eq!(bench.whole.entries, 1_000);
        }
    }
    assert!(bench.whole.commit());
    assert_eq!(bench.whole.entries, 0);
    bench.check_stored();
    let count = |letter: u8| {
        let range = betwixt_store::KeyRange::prefix(&[bench.whole.uid().as_bytes(), &[letter][..]].concat());
        bench.slot().with_store(|store| store.pairs(range, usize::MAX)).expect("it reads").len()
    };
    assert_eq!((count(b'L'), count(b'B')), (0, 1));
}

#[test]
fn the_record_of_a_list_is_written_when_it_is_new_or_changed() {
    let mut bench = Bench::new();
    assert!(bench.whole.meta_is_new);
    bench.whole.edit(&add(&["a"])).expect("it is made");
    assert!(!bench.whole.meta_is_new);
    let gone = betwixt_store::KeyRange::prefix(&[bench.whole.uid().as_bytes(), &b"M"[..]].concat());
    let mut batch = Batch::default();
    batch.delete_all(gone);
    bench.slot().commit(&batch).expect("committed");
    bench.whole.edit(&add(&["b"])).expect("it is made");
    let meta =
        |bench: &Bench| bench.slot().with_store(|store| store::meta(store, bench.whole.uid())).expect("it reads");
    assert_eq!(meta(&bench), None, "an edit does not write it again");
    bench.whole.rename(&"other".parse().expect("a name"));
    assert_eq!(meta(&bench).map(|meta| meta.name), Some("other".parse().expect("a name")));
}

#[test]
fn taking_up_again_makes_an_edit_and_empties_the_drawer_in_one() {
    let mut bench = Bench::new();
    bench.link(0);
    bench.whole.edit(&add(&["a"])).expect("it is made");
    let op = bench.whole.replica.pending().last().expect("it is pending").id();
    let list = bench.whole.uid();
    bench.whole.step(Input::Said(ToSite::Refused { list, op, code: RefusedCode::Full }));
    assert!(bench.whole.commit());
    assert_eq!((bench.whole.replica.kept().len(), bench.whole.replica.unsent()), (1, 0));
    bench.slot().set_broken(true);
    assert_eq!(bench.whole.take_up_again(1), Err(EditFault::Disk));
    assert_eq!(bench.whole.release(1), Err(EditFault::Disk));
    assert_eq!((bench.whole.replica.kept().len(), bench.whole.replica.unsent()), (1, 0));
    bench.slot().set_broken(false);
    assert!(bench.whole.commit());
    bench.check_stored();
    bench.whole.take_up_again(1).expect("it is made");
    assert_eq!((bench.whole.replica.kept().len(), bench.whole.replica.unsent()), (0, 1));
    bench.check_stored();
    assert_eq!(bench.whole.take_up_again(1), Err(EditFault::NoItem));
}

#[test]
fn a_mark_stays_while_any_list_of_the_slot_has_unsent_edits() {
    let mut bench = Bench::new();
    bench.whole.edit(&add(&["a"])).expect("it is made");
    let slot = Arc::clone(&bench.whole.slot);
    let mut other = Whole::open(slot, opening(bench.whole.opening.folder.clone(), "other")).expect("it opens");
    other.settle();
    assert!(bench.has_mark());
    bench.slot().commit(&store::remove(bench.whole.uid())).expect("committed");
    other.settle();
    assert!(!bench.has_mark());
    other.edit(&add(&["b"])).expect("it is made");
    assert!(bench.has_mark());
}

#[test]
fn unsent_edits_are_not_hidden_by_a_decision_that_another_window_took() {
    let mut bench = Bench::new();
    bench.whole.edit(&add(&["a"])).expect("it is made");
    let (uid, other) = (bench.whole.uid(), ListUid::from_bytes([8; 16]));
    let opening = bench.whole.opening.clone();
    opening.folder.set_list_uid("local", &opening.name, other).expect("recorded");
    let again = Whole::open(Arc::clone(&bench.whole.slot), opening.clone()).expect("it opens");
    assert_eq!((again.uid(), again.replica.unsent()), (uid, 1));
    bench.slot().commit(&store::remove(uid)).expect("committed");
    assert_eq!(Whole::open(Arc::clone(&bench.whole.slot), opening).expect("it opens").uid(), other);
}

#[test]
fn a_link_that_falls_silent_is_news_once() {
    let mut bench = Bench::new();
    bench.link(0);
    assert!(bench.whole.has_news());
    assert!(!bench.whole.has_news());
    bench.whole.started = bench.whole.started.checked_sub(std::time::Duration::from_secs(4)).expect("a clock");
    assert_eq!(bench.whole.status().link, LinkStatus::Silent);
    bench.whole.step(Input::Tick);
    assert!(bench.whole.has_news(), "though nothing but time has passed");
    assert!(!bench.whole.has_news());
}

#[test]
fn a_deleted_list_keeps_what_was_not_sent_until_it_is_let_go_of() {
    let mut bench = Bench::new();
    bench.link(0);
    bench.whole.edit(&add(&["a"])).expect("it is made");
    let (uid, opening) = (bench.whole.uid(), bench.whole.opening.clone());
    bench.whole.step(Input::Said(ToSite::Gone { uid: ListUid::from_bytes([8; 16]) }));
    assert_eq!(bench.whole.status().link, LinkStatus::Live, "another list is no news");
    let out = bench.whole.step(Input::Said(ToSite::Gone { uid }));
    assert_eq!(out.unnamed, Some(Unnamed::Gone));
    bench.whole.note_gone();
    assert_eq!(bench.whole.edit(&add(&["b"])), Err(EditFault::Gone));
    assert_eq!((bench.whole.uid(), bench.whole.replica.unsent()), (uid, 1));

    let folder = &opening.folder;
    let named = folder.list_uid("local", &opening.name, fresh_uid()).expect("it reads");
    assert_ne!(named, uid, "the name is free for another list");
    let again = Whole::open(Arc::clone(&bench.whole.slot), opening.clone()).expect("it opens");
    assert_eq!((again.uid(), again.replica.unsent()), (uid, 1), "and yet the edit is not out of sight");

    let path = bench.whole.export(&["b".to_owned()]).expect("it is exported");
    assert_eq!(std::fs::read_to_string(path).expect("it is there"), "- [ ] a\n- [ ] b\n");
    bench.whole.part_from_gone().expect("it is let go of");
    assert_eq!((bench.whole.uid(), bench.whole.replica.is_blank()), (named, true));
    assert!(matches!(bench.whole.part_from_gone(), Err(super::super::ChoiceError::NotGone)));
    assert_eq!(Whole::open(Arc::clone(&bench.whole.slot), opening).expect("it opens").uid(), named);
}

#[test]
fn a_deleted_list_without_anything_in_it_makes_room_at_once() {
    let mut bench = Bench::new();
    let uid = bench.whole.uid();
    assert!(bench.whole.step(Input::Tick).dial);
    bench.whole.step(Input::Linked);
    bench.whole.step(Input::Said(ToSite::Gone { uid }));
    bench.whole.note_gone();
    assert_ne!(bench.whole.uid(), uid);
    assert!(bench.whole.step(Input::Tick).dial, "the next list is looked for");
}

#[test]
fn what_is_on_its_way_to_another_list_is_found_again() {
    let mut bench = Bench::new();
    let items: Vec<ItemId> = (1..3).map(|number| ItemId::from_bytes([number; 8])).collect();
    bench.link(3);
    bench.receive(1, Body::Join(Join::default()));
    for (ctr, item) in (2..).zip(&items) {
        let key = betwixt_core::key::Key::parse("V").expect("a key");
        bench.receive(ctr, Body::Add(Add { item: *item, key, registers: vec![] }));
    }
    let transfer = Transfer { to: "other".parse().expect("a name"), items: items.clone(), written: None };
    bench.slot().set_broken(true);
    assert_eq!(bench.whole.plan(transfer.clone()), Err(EditFault::Disk));
    bench.slot().set_broken(false);
    assert_eq!(bench.whole.plan(transfer.clone()), Ok(1));
    assert_eq!(bench.whole.plan(transfer.clone()), Ok(2));
    let stored = |bench: &Bench| {
        let loaded = Whole::load(&bench.whole.slot, &bench.whole.opening, bench.whole.uid()).expect("it loads");
        loaded.transfers.into_keys().collect::<Vec<u64>>()
    };
    assert_eq!(stored(&bench), [1, 2]);
    bench.whole.end_transfer(1, items).expect("it is taken down");
    assert_eq!(stored(&bench), [2]);
    assert_eq!(bench.whole.replica.shown().live().count(), 0);
    let made = bench.whole.edit(&add(&["c"])).expect("it is made").items;
    let coming = Transfer { items: made, ..transfer };
    assert_eq!(bench.whole.plan(coming), Ok(3), "what was made here is not on its way here");
    bench.check_stored();
    bench.whole.settle();
    bench.slot().unmark_if_sent();
    assert!(bench.has_mark(), "what is on its way is unsent");
}

#[test]
fn of_several_lists_of_one_name_the_ones_with_unsent_edits_come_up_one_by_one() {
    let mut bench = Bench::new();
    bench.whole.edit(&add(&["a"])).expect("it is made");
    let first = bench.whole.uid();
    let (slot, opening) = (Arc::clone(&bench.whole.slot), bench.whole.opening.clone());
    let open = || Whole::open(Arc::clone(&slot), opening.clone()).expect("it opens");

    // The program ended while the relay's list was being read, to which items go, and the person wrote in that already.
    let other = ListUid::from_bytes([8; 16]);
    let mut whole = open();
    whole.adopt(other).expect("it loads");
    whole.edit(&add(&["b"])).expect("it is made");
    assert_eq!(open().uid(), first, "what nobody has decided about is not behind what goes out by itself");

    opening.folder.set_list_uid("local", &opening.name, other).expect("recorded");
    assert_eq!(open().uid(), other);
    slot.commit(&store::remove(other)).expect("committed");
    assert_eq!(open().uid(), first);
}

//! The replica on the disk: what is written is read again, at each commit, and damage is named.

use betwixt_client::replica::{Kept, Pending, Replica, Write};
use betwixt_client::store::{self, LoadError, Meta};
use betwixt_client::transfer::Transfer;
use betwixt_core::edit::{Edit, Spot};
use betwixt_core::hlc::Millis;
use betwixt_core::id::{ListUid, SiteSecret};
use betwixt_core::op::body::Kinds;
use betwixt_core::wire::RefusedCode;
use betwixt_store::memory::MemoryStore;
use betwixt_store::{Batch, KeyRange, Store as _};

use crate::world::{UID, World, assert_same};

fn meta() -> Meta {
    Meta { relay: "local".into(), name: "list".parse().expect("a name"), secret: SiteSecret::from_bytes([3; 32]) }
}

/// A world whose first site has something of every record.
fn full() -> World {
    let mut world = World::new(2, 77);
    let items = world.add(0, &["a", "b", "bad"]);
    world.settle();
    let copy = world.peers[0].copy();
    world.set(0, items[0], "A");
    world.settle();
    world.peers[0].restore(&copy);
    world.set(0, items[1], "B");
    world.settle();
    world.cut(0);
    world.add(1, &["c"]);
    world.settle_of(1);
    world.relay.trimmed = world.relay.head();
    world.settle();
    world.add(1, &["d", "e"]);
    world.settle();
    world.cut(0);
    world.add(0, &["pending"]);
    world
}

#[test]
fn a_store_with_every_record_loads_as_it_was() {
    let world = full();
    let peer = &world.peers[0];
    let contents = peer.disk.snapshot();
    let letters: std::collections::BTreeSet<char> = contents.iter().map(|(key, _)| char::from(key[16])).collect();
    assert_eq!(letters, "BIJKLMPSU".chars().collect());
    let known = store::meta(&peer.disk, UID).expect("it loads").expect("the renewal has stored it");
    assert_eq!(known, peer.meta);
    assert_eq!(store::lists(&peer.disk).expect("they load"), [(UID, known.clone())]);
    let (stored, _) = store::load(&peer.disk, UID, &known, Kinds::KNOWN).expect("it loads");
    assert_same(&Replica::new(stored, "ana".into(), Kinds::KNOWN), &peer.replica);
}

#[test]
fn every_write_stands_until_it_is_taken_back() {
    let mut world = World::new(1, 78);
    world.add(0, &["a"]);
    let op = world.peers[0].replica.pending().last().expect("it is pending").clone();
    let key = op.key().expect("an add has a key").clone();
    let disk = MemoryStore::default();
    let mut meta = meta();
    let write = |meta: &mut Meta, writes: &[Write]| {
        disk.commit(&store::batch(UID, meta, writes, Millis(5))).expect("memory takes all");
        store::load(&disk, UID, meta, Kinds::KNOWN).expect("it loads").0
    };
    let pending = Pending { op: op.clone(), unnumbered: true };
    let stored = write(&mut meta, &[Write::Pending(pending.clone())]);
    assert_eq!(stored.pending, [(op.ctr, pending)].into());
    assert!(write(&mut meta, &[Write::Settled(op.ctr)]).pending.is_empty());
    assert_eq!(write(&mut meta, &[Write::Issued(key.clone())]).issued, [key].into());
    assert!(write(&mut meta, &[Write::IssuedNone]).issued.is_empty());
    let kept = Kept::Refused { op: op.clone(), code: RefusedCode::Full };
    assert_eq!(write(&mut meta, &[Write::Keep(7, kept.clone())]).kept, [(7, kept)].into());
    assert!(write(&mut meta, &[Write::Release(7)]).kept.is_empty());
    let items = vec![op.body.item().expect("an add is of an item")];
    let transfer = Transfer { to: "other".parse().expect("a name"), items, written: None };
    write(&mut meta, &[Write::Transfer(3, transfer.clone())]);
    assert_eq!(store::transfers(&disk, UID).expect("they load"), [(3, transfer)].into());
    assert!(store::has_unsent(&disk, UID).expect("it answers"), "what is on its way is unsent");
    write(&mut meta, &[Write::Transferred(3)]);
    assert!(store::transfers(&disk, UID).expect("they load").is_empty());
    let secret = SiteSecret::from_bytes([4; 32]);
    assert_eq!(write(&mut meta, &[Write::Site(secret)]).secret, secret);
    assert_eq!(store::meta(&disk, UID).expect("it loads").map(|meta| meta.secret), Some(secret));
    write(&mut meta, &[Write::Journal(op.clone())]);
    assert_eq!(store::journal(&disk, UID).expect("it loads"), [op]);
    let day = 24 * 3_600_000;
    assert!(store::forget_journal(&disk, UID, Millis(30 * day)).expect("it answers").is_empty());
    disk.commit(&store::forget_journal(&disk, UID, Millis(30 * day + 6)).expect("it answers")).expect("committed");
    assert!(store::journal(&disk, UID).expect("it loads").is_empty());

    world.settle();
    let entry = world.relay.log[0].clone();
    let stored = write(&mut meta, &[Write::Entry(entry)]);
    assert_eq!(stored.confirmed.mark().seq, 1);
    let list = world.relay.list.clone();
    let stored = write(&mut meta, &[Write::List(Box::new(list.clone()))]);
    assert_eq!((stored.confirmed.mark(), stored.confirmed.state_hash()), (list.mark(), list.state_hash()));
    disk.commit(&store::remove(UID)).expect("committed");
    assert!(disk.snapshot().is_empty());
}

#[test]
fn a_lone_join_is_no_edit() {
    let mut world = World::new(1, 79);
    world.add(0, &["a", "b"]);
    let peer = &world.peers[0];
    assert_eq!(store::pending_len(&peer.disk, UID).expect("it answers"), 2);
    assert_eq!(peer.replica.unsent(), 2);
    let join = peer.replica.pending().next().expect("the join").clone();
    let disk = MemoryStore::default();
    let writes = [Write::Pending(Pending { op: join, unnumbered: false })];
    disk.commit(&store::batch(UID, &mut meta(), &writes, Millis(0))).expect("memory takes all");
    assert_eq!(store::pending_len(&disk, UID).expect("it answers"), 0);
}

#[test]
fn a_crash_at_any_commit_leaves_the_replica_of_before_or_after() {
    let mut world = World::new(2, 80);
    let items = world.add(0, &["a", "b"]);
    world.settle();
    let mut commits = 0;
    let mut check = |world: &mut World| {
        commits += 1;
        world.peers[0].check_disk();
    };
    for round in 0..4_u8 {
        world.set(0, items[usize::from(round % 2)], &format!("{round}"));
        check(&mut world);
        world.add(0, &["bad", "c"]);
        check(&mut world);
        world.edit(0, &Edit::Move { items: vec![items[0]], spot: Spot::Bottom }).expect("moved");
        check(&mut world);
        if round == 2 {
            world.lose_tail(3);
            check(&mut world);
        }
        loop {
            world.pass(300);
            let moved = world.carry_up(0) | world.carry_up(1) | world.carry_down(1);
            let said = world.carry_down(0);
            check(&mut world);
            if !moved && !said && world.peers[0].replica.unsent() == 0 {
                break;
            }
        }
    }
    assert!(commits > 40, "{commits}");
    world.settle();
    world.check();
}

#[test]
fn damage_of_any_record_is_an_error_with_a_name() {
    let world = full();
    let peer = &world.peers[0];
    let contents = peer.disk.snapshot();
    let load = |disk: &MemoryStore| {
        let loaded = store::load(disk, UID, &peer.meta, Kinds::KNOWN).map(drop);
        loaded.and(store::journal(disk, UID).map(drop)).and(store::meta(disk, UID).map(drop))
    };
    assert!(load(&MemoryStore::with_contents(contents.clone())).is_ok());
    for (key, value) in contents.iter().filter(|(_, value)| !value.is_empty()) {
        let letter = char::from(key[16]);
        for cut in [0, value.len() / 2, value.len() - 1] {
            let disk = MemoryStore::with_contents(contents.clone());
            let mut batch = Batch::default();
            batch.put(key, &value[..cut]);
            disk.commit(&batch).expect("memory takes all");
            match load(&disk) {
                Err(LoadError::Record { uid, record }) => assert_eq!((uid, record), (UID, letter)),
                other => panic!("{letter} cut at {cut}: {other:?}"),
            }
        }
        // Any byte may be another one: then it is an error or another value, and never a panic.
        for at in 0..value.len() {
            let disk = MemoryStore::with_contents(contents.clone());
            let mut bad = value.to_vec();
            bad[at] ^= 0x55;
            let mut batch = Batch::default();
            batch.put(key, bad);
            disk.commit(&batch).expect("memory takes all");
            let loaded = load(&disk);
            if matches!(letter, 'B' | 'S' | 'L') {
                assert!(loaded.is_err(), "{letter} with another byte at {at}");
            }
        }
    }
    // What is missing in the middle is found too.
    for letter in [b'S', b'L'] {
        let disk = MemoryStore::with_contents(contents.clone());
        let range = KeyRange::prefix(&[UID.as_bytes(), &[letter][..]].concat());
        let (key, _) = disk.pairs(range, 1).expect("it answers").remove(0);
        let mut batch = Batch::default();
        batch.delete(key);
        disk.commit(&batch).expect("memory takes all");
        assert!(matches!(load(&disk), Err(LoadError::Snapshot(_) | LoadError::Log(_))), "{}", char::from(letter));
    }
}

#[test]
fn lists_of_one_slot_do_not_mix() {
    let disk = MemoryStore::default();
    let uids = [ListUid::from_bytes([0; 16]), UID, ListUid::from_bytes([0xff; 16])];
    for (number, uid) in (1..).zip(uids) {
        let kept = Kept::Lost { item: betwixt_core::id::ItemId::from_bytes([1; 8]), text: format!("{number}").into() };
        disk.commit(&store::put_meta(uid, &meta())).expect("committed");
        disk.commit(&store::batch(uid, &mut meta(), &[Write::Keep(number, kept)], Millis(0))).expect("committed");
    }
    let found: Vec<ListUid> = store::lists(&disk).expect("they load").into_iter().map(|(uid, _)| uid).collect();
    assert_eq!(found, uids);
    disk.commit(&store::remove(uids[2])).expect("committed");
    disk.commit(&store::remove(uids[0])).expect("committed");
    let (stored, _) = store::load(&disk, UID, &meta(), Kinds::KNOWN).expect("it loads");
    assert_eq!(stored.kept.keys().collect::<Vec<_>>(), [&2]);
}

#[test]
fn an_older_program_stops_where_it_stops_reading_the_log_from_the_relay() {
    let mut world = World::new(1, 81);
    world.add(0, &["a"]);
    world.settle();
    let hlc = world.relay.log[1].op.hlc;
    let mut ctr = 2;
    for kind in [63, 63] {
        ctr += 1;
        let body = betwixt_core::op::Body::Unread { kind, bytes: vec![] };
        let id = betwixt_core::id::OpId { site: hlc.site, ctr };
        world.relay.sequence(betwixt_core::op::Op::new(id, ctr - 1, world.relay.list.epoch().id, hlc, body));
    }
    let disk = MemoryStore::default();
    let writes: Vec<Write> = world.relay.log.iter().cloned().map(Write::Entry).collect();
    disk.commit(&store::batch(UID, &mut meta(), &writes, Millis(0))).expect("committed");
    let (stored, _) = store::load(&disk, UID, &meta(), Kinds::KNOWN).expect("it loads");
    assert_eq!(stored.confirmed.mark().seq, 2);
    let (stored, _) = store::load(&disk, UID, &meta(), Kinds::KNOWN.and(63)).expect("it loads");
    assert_eq!(stored.confirmed.mark().seq, 4);
}

//! The data folder: one process a slot, unsent edits first, and one uid a name.

use std::collections::BTreeSet;
use std::fs;

use betwixt_client::Folder;
use betwixt_client::folder::{FolderError, Slot, SlotError, Unsent};
use betwixt_core::id::ListUid;

use crate::world::Seeded;

fn folder() -> (tempfile::TempDir, Folder) {
    let dir = tempfile::tempdir().expect("a folder for a while");
    let folder = Folder::open(dir.path().join("data")).expect("it opens");
    (dir, folder)
}

fn lease(folder: &Folder, random: &mut Seeded) -> Slot {
    folder.lease(&mut || random.next()).expect("a slot is free")
}

/// Which slots there are, by number, of those that were leased.
fn has_mark(folder: &Folder, number: usize) -> bool {
    folder.path().join(format!("sites/{number}/pending")).exists()
}

#[test]
fn two_leases_are_two_sites_and_a_slot_keeps_its_identity() {
    let (_dir, folder) = folder();
    let mut random = Seeded(1);
    let (one, other) = (lease(&folder, &mut random), lease(&folder, &mut random));
    assert_ne!(one.secret(), other.secret());
    let secret = *one.secret();
    drop(one);
    let again = lease(&folder, &mut random);
    assert_eq!(*again.secret(), secret, "the first free one");
    assert_eq!(fs::read_dir(folder.path().join("sites")).expect("it lists").count(), 2);
}

#[test]
fn a_free_slot_with_unsent_edits_goes_first_and_only_such_are_stranded() {
    let (_dir, folder) = folder();
    let mut random = Seeded(2);
    let slots: Vec<Slot> = (0..4).map(|_| lease(&folder, &mut random)).collect();
    let secrets: Vec<_> = slots.iter().map(|slot| *slot.secret()).collect();
    slots[1].mark().expect("it is marked");
    slots[2].mark().expect("it is marked");
    let mut slots: Vec<Option<Slot>> = slots.into_iter().map(Some).collect();
    slots[0] = None;
    slots[2] = None;
    slots[3] = None;
    let stranded = folder.stranded(&mut || random.next()).expect("they open");
    assert_eq!(stranded.iter().map(|slot| *slot.secret()).collect::<Vec<_>>(), [secrets[2]], "1 is not free");
    drop(stranded);
    let first = lease(&folder, &mut random);
    assert_eq!(*first.secret(), secrets[2]);
    assert_eq!(*lease(&folder, &mut random).secret(), secrets[0]);
    first.unmark_if_sent();
    assert!(has_mark(&folder, 1) && !has_mark(&folder, 2));
    drop(first);
    assert!(folder.stranded(&mut || random.next()).expect("they open").is_empty());
}

#[test]
fn a_mark_that_could_not_be_made_is_made_the_next_time() {
    let (_dir, folder) = folder();
    let slot = lease(&folder, &mut Seeded(3));
    let path = folder.path().join("sites/0/pending");
    fs::create_dir(&path).expect("something is in the way");
    assert!(slot.mark().is_err());
    fs::remove_dir(&path).expect("it goes");
    slot.mark().expect("it is marked");
    assert!(path.is_file());
    // A mark that is there costs nothing: nobody looks.
    fs::remove_file(&path).expect("it goes");
    slot.mark().expect("it is marked");
    assert!(!path.exists());
}

#[test]
fn a_damaged_slot_is_named_and_does_not_hold_up_the_others() {
    let (_dir, folder) = folder();
    let mut random = Seeded(4);
    let slots = [lease(&folder, &mut random), lease(&folder, &mut random)];
    for slot in &slots {
        slot.mark().expect("it is marked");
    }
    let secret = *slots[1].secret();
    drop(slots);
    let identity = folder.path().join("sites/0/identity");
    fs::write(&identity, "no secret\n").expect("written");
    let stranded = folder.stranded(&mut || random.next()).expect("one opens");
    assert_eq!(stranded.iter().map(|slot| *slot.secret()).collect::<Vec<_>>(), [secret]);
    let error = folder.stranded(&mut || random.next()).expect_err("the other is taken");
    assert!(matches!(error, FolderError::Slot(SlotError::Identity { path }) if path == identity));
}

#[test]
fn eight_at_once_give_a_name_one_uid() {
    let (_dir, folder) = folder();
    let name = "list".parse().expect("a name");
    let uids: BTreeSet<ListUid> = std::thread::scope(|scope| {
        let threads: Vec<_> = (1..=8)
            .map(|n| {
                let (folder, name) = (&folder, &name);
                scope.spawn(move || {
                    for round in 0..20_u8 {
                        let other = format!("list-{n}-{round}").parse().expect("a name");
                        folder.set_list_uid("local", &other, ListUid::from_bytes([round; 16])).expect("recorded");
                    }
                    folder.list_uid("local", name, ListUid::from_bytes([n; 16])).expect("recorded")
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().expect("it ends")).collect()
    });
    assert_eq!(uids.len(), 1);
    for n in 1..=8 {
        for round in 0..20_u8 {
            let other = format!("list-{n}-{round}").parse().expect("a name");
            let fresh = ListUid::from_bytes([99; 16]);
            assert_eq!(folder.list_uid("local", &other, fresh).expect("read"), ListUid::from_bytes([round; 16]));
        }
    }
    assert_eq!(folder.last_list().expect("read"), None);
    folder.set_last_list(&name).expect("recorded");
    assert_eq!(folder.last_list().expect("read"), Some(name.clone()));
    let elsewhere = folder.list_uid("ws://h:1", &name, ListUid::from_bytes([50; 16])).expect("recorded");
    assert_eq!(elsewhere, ListUid::from_bytes([50; 16]), "another relay has another list of that name");
}

#[test]
fn a_damaged_record_of_lists_is_an_error_and_stays_as_it_is() {
    let (_dir, folder) = folder();
    let path = folder.path().join("lists.json");
    fs::write(&path, "{ not json").expect("written");
    let name = "list".parse().expect("a name");
    let found = folder.list_uid("local", &name, ListUid::from_bytes([1; 16]));
    assert!(matches!(found, Err(FolderError::Lists { .. })));
    assert!(matches!(folder.set_last_list(&name), Err(FolderError::Lists { .. })));
    assert_eq!(fs::read_to_string(&path).expect("read"), "{ not json");
}

#[test]
fn a_list_is_forgotten_unless_a_slot_may_have_unsent_edits_of_it() {
    let (_dir, folder) = folder();
    let mut random = Seeded(9);
    let (name, uid, other) =
        ("work".parse().expect("a name"), ListUid::from_bytes([1; 16]), ListUid::from_bytes([2; 16]));
    folder.set_list_uid("local", &name, uid).expect("it is written");
    folder.set_list_uid("ws://there:1", &name, uid).expect("it is written");
    let mut forget =
        |uid| folder.forget_if_sent("local", &name, uid, &mut || random.next()).expect("it can be looked at");
    let known = |relay| folder.lists_at(relay).expect("it can be read");

    let slot = lease(&folder, &mut Seeded(10));
    slot.mark().expect("it is marked");
    assert_eq!(forget(uid), Unsent::Unknown, "a slot with unsent edits is in other hands");
    assert_eq!(known("local"), [(name.clone(), uid)]);
    drop(slot);
    assert_eq!(forget(other), Unsent::None);
    assert_eq!(known("local"), [(name.clone(), uid)], "another list was meant");
    assert_eq!(forget(uid), Unsent::None, "what the slot has unsent is not of this list");
    assert_eq!(known("local"), []);
    assert_eq!(known("ws://there:1"), [(name.clone(), uid)], "another relay's is another list");
}

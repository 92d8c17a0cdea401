//! Stores of earlier formats: copied, brought to the present one, whatever interrupts that.

use std::error::Error as _;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use betwixt_store::memory::MemoryStore;
use betwixt_store::{Batch, Format, KeyRange, Migration, OpenError, Pair, RedbStore, Store, StoreError};

use crate::flaky::{Disk, Unsynced};
use crate::{FORMAT, contents, script};

/// Format 2 has the length of each value in front of it, and none of the keys under `long`.
const SECOND: Format = Format { number: 2, migrations: &[add_lengths], ..FORMAT };
/// Format 3 says so.
const THIRD: Format = Format { number: 3, migrations: &[add_lengths, say_third], ..FORMAT };

fn add_lengths(store: &dyn Store) -> Result<Batch, StoreError> {
    let mut batch = Batch::default();
    for (key, value) in store.pairs(KeyRange::all(), usize::MAX)? {
        let len = u32::try_from(value.len()).unwrap().to_be_bytes();
        batch.put(key, [&len, &*value].concat());
    }
    batch.delete_all(KeyRange::prefix(b"long"));
    Ok(batch)
}

fn say_third(store: &dyn Store) -> Result<Batch, StoreError> {
    let pairs = u64::try_from(store.pairs(KeyRange::all(), usize::MAX)?.len()).unwrap();
    let mut batch = Batch::default();
    batch.put("third", pairs.to_be_bytes());
    Ok(batch)
}

/// What a store of format 1 holds, and what it is to hold in format 2.
fn before_and_after(commits: u32, migrations: &[Migration]) -> (Vec<Pair>, Vec<Pair>) {
    let store = MemoryStore::default();
    for n in 0..commits {
        store.commit(&script(n)).unwrap();
    }
    let before = contents(&store);
    for migration in migrations {
        store.commit(&migration(&store).unwrap()).unwrap();
    }
    (before, contents(&store))
}

/// A store of format 1 at this path, as its program closed it.
fn make_old(path: &Path) -> Vec<u8> {
    let store = RedbStore::open(path, &FORMAT).unwrap();
    for n in 0..12 {
        store.commit(&script(n)).unwrap();
    }
    drop(store);
    fs::read(path).unwrap()
}

fn files(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn copy_of(path: &Path) -> PathBuf {
    path.with_file_name("store.format-1")
}

#[test]
fn an_older_store_is_copied_and_migrated_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let old = make_old(&path);
    let (_, after) = before_and_after(12, SECOND.migrations);
    let store = RedbStore::open(&path, &SECOND).unwrap();
    assert_eq!(contents(&store), after);
    drop(store);
    assert_eq!(files(folder.path()), ["store", "store.format-1"]);
    assert!(fs::read(copy_of(&path)).unwrap() == old, "the copy is the file as it was");
    assert_eq!(fs::metadata(copy_of(&path)).unwrap().permissions().mode() & 0o777, 0o600);
    // It is of format 2 now: nothing is migrated or copied again, and the old program leaves it alone.
    fs::remove_file(copy_of(&path)).unwrap();
    assert_eq!(contents(&RedbStore::open(&path, &SECOND).unwrap()), after);
    assert!(matches!(RedbStore::open(&path, &FORMAT), Err(OpenError::Newer { found: 2, known: 1, .. })));
    assert_eq!(files(folder.path()), ["store"]);
}

#[test]
fn the_copy_put_back_is_the_old_store() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    make_old(&path);
    let (before, after) = before_and_after(12, SECOND.migrations);
    drop(RedbStore::open(&path, &SECOND).unwrap());
    fs::copy(copy_of(&path), &path).unwrap();
    assert_eq!(contents(&RedbStore::open(&path, &FORMAT).unwrap()), before);
    // The copy that is there is kept.
    let copy = fs::read(copy_of(&path)).unwrap();
    assert_eq!(contents(&RedbStore::open(&path, &SECOND).unwrap()), after);
    assert!(fs::read(copy_of(&path)).unwrap() == copy);
}

#[test]
fn what_was_written_by_the_old_program_since_is_copied_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    make_old(&path);
    drop(RedbStore::open(&path, &SECOND).unwrap());
    let first = fs::read(copy_of(&path)).unwrap();
    fs::copy(copy_of(&path), &path).unwrap();
    let store = RedbStore::open(&path, &FORMAT).unwrap();
    store.commit(&script(12)).unwrap();
    drop(store);
    let second = fs::read(&path).unwrap();
    drop(RedbStore::open(&path, &SECOND).unwrap());
    assert_eq!(files(folder.path()), ["store", "store.format-1", "store.format-1.2"]);
    assert!(fs::read(copy_of(&path)).unwrap() == first);
    assert!(fs::read(folder.path().join("store.format-1.2")).unwrap() == second);
}

#[test]
fn migrations_follow_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    make_old(&path);
    let (_, after) = before_and_after(12, THIRD.migrations);
    assert_eq!(contents(&RedbStore::open(&path, &THIRD).unwrap()), after);
    assert_eq!(files(folder.path()), ["store", "store.format-1"]);
    assert!(matches!(RedbStore::open(&path, &SECOND), Err(OpenError::Newer { found: 3, known: 2, .. })));
}

#[test]
fn a_store_that_no_migration_leads_from_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let old = make_old(&path);
    let error = RedbStore::open(&path, &Format { migrations: &[], ..SECOND }).unwrap_err();
    assert!(matches!(error, OpenError::Older { found: 1, known: 2, .. }), "{error:?}");
    assert!(error.to_string().contains("take the betwixt that wrote it"), "{error}");
    assert!(fs::read(&path).unwrap() == old);
    assert_eq!(files(folder.path()), ["store"]);
}

#[cfg(target_os = "linux")]
#[test]
fn without_room_for_a_copy_nothing_is_changed_and_it_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let old = make_old(&path);
    // A device on which there is never room.
    std::os::unix::fs::symlink("/dev/full", folder.path().join("store.format-1.new")).unwrap();
    let error = RedbStore::open(&path, &SECOND).unwrap_err();
    assert!(matches!(error, OpenError::Copy { found: 1, known: 2, .. }), "{error:?}");
    let said = error.to_string();
    assert!(said.contains("store.format-1") && said.contains("nothing in it was changed"), "{said}");
    assert!(error.source().unwrap().to_string().contains("No space left"));
    assert!(fs::read(&path).unwrap() == old, "not a byte has changed");
    assert_eq!(files(folder.path()), ["store"], "what was begun of the copy takes no room");
    // With room it goes on.
    let (_, after) = before_and_after(12, SECOND.migrations);
    assert_eq!(contents(&RedbStore::open(&path, &SECOND).unwrap()), after);
}

#[test]
fn a_copy_that_was_interrupted_is_made_anew() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let old = make_old(&path);
    fs::write(folder.path().join("store.format-1.new"), vec![7; old.len() * 2]).unwrap();
    drop(RedbStore::open(&path, &SECOND).unwrap());
    assert!(fs::read(copy_of(&path)).unwrap() == old);
    assert_eq!(files(folder.path()), ["store", "store.format-1"]);
}

#[test]
fn a_migration_that_fails_leaves_the_old_store() {
    fn failing(_: &dyn Store) -> Result<Batch, StoreError> {
        Err(StoreError::Reopen)
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    make_old(&path);
    let error = RedbStore::open(&path, &Format { migrations: &[failing], ..SECOND }).unwrap_err();
    assert!(matches!(error, OpenError::Migrate { found: 1, known: 2, .. }), "{error:?}");
    let (before, _) = before_and_after(12, &[]);
    assert_eq!(contents(&RedbStore::open(&path, &FORMAT).unwrap()), before);
}

#[test]
fn a_power_cut_at_any_moment_of_a_migration_leaves_one_format_or_the_other() {
    let folder = tempfile::tempdir().unwrap();
    let image = make_old(&folder.path().join("store"));
    let (before, after) = before_and_after(12, SECOND.migrations);
    let whole = Disk::new(image.clone(), u64::MAX);
    assert_eq!(contents(&RedbStore::with_backend(whole.clone(), &SECOND).unwrap()), after);
    let (mut old, mut new) = (0, 0);
    for events in 0..=whole.events() {
        let disk = Disk::new(image.clone(), events);
        drop(RedbStore::with_backend(disk.clone(), &SECOND));
        for unsynced in [Unsynced::Lost, Unsynced::Kept, Unsynced::Some(events), Unsynced::Some(!events)] {
            let left = disk.after_power_cut(unsynced);
            match RedbStore::with_backend(Disk::new(left.clone(), u64::MAX), &FORMAT) {
                Ok(store) => {
                    assert!(contents(&store) == before, "event {events}, {unsynced:?}");
                    old += 1;
                }
                Err(OpenError::Newer { found: 2, .. }) => new += 1,
                Err(error) => panic!("event {events}, {unsynced:?}: {error:?}"),
            }
            // The next start goes on from either.
            let store = RedbStore::with_backend(Disk::new(left, u64::MAX), &SECOND).unwrap();
            assert!(contents(&store) == after, "event {events}, {unsynced:?}");
        }
    }
    assert!(old > 20 && new > 3, "{old} old, {new} new");
}

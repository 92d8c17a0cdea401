//! Files, folders, locks and formats.

use std::error::Error;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use betwixt_store::{Batch, Format, OpenError, RedbStore, Store, StoreError, conformance, counting::Counting};
use redb::{Database, TableDefinition};

use crate::{FORMAT, contents, script};

fn permissions(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn it_conforms() {
    let folder = tempfile::tempdir().unwrap();
    conformance::check_all(&RedbStore::open(folder.path().join("store"), &FORMAT).unwrap());
    conformance::check_all(&Counting::new(RedbStore::open(folder.path().join("other"), &FORMAT).unwrap()));
}

#[test]
fn a_new_store_is_its_owners_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data/betwixt/store");
    RedbStore::open(&path, &FORMAT).unwrap();
    assert_eq!(permissions(&path), 0o600);
    assert_eq!(permissions(path.parent().unwrap()), 0o700);
    assert_eq!(permissions(&folder.path().join("data")), 0o700);
    assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1, "nothing but the store is left");
}

#[test]
fn what_was_committed_is_there_after_reopening() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let mut before = Vec::new();
    for n in 0..5 {
        let store = RedbStore::open(&path, &FORMAT).unwrap();
        assert_eq!(contents(&store), before);
        store.commit(&script(n)).unwrap();
        before = contents(&store);
    }
}

#[test]
fn a_store_has_one_owner_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let store = RedbStore::open(&path, &FORMAT).unwrap();
    let error = RedbStore::open(&path, &FORMAT).unwrap_err();
    assert!(matches!(&error, OpenError::InUse { path: named } if *named == path), "{error:?}");
    drop(store);
    RedbStore::open(&path, &FORMAT).unwrap();
}

#[test]
fn of_many_that_make_a_store_at_once_one_has_it_and_nothing_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    for round in 0..20 {
        let path = folder.path().join(round.to_string());
        std::thread::scope(|scope| {
            for n in 0..4 {
                let path = &path;
                scope.spawn(move || {
                    loop {
                        match RedbStore::open(path, &FORMAT) {
                            Ok(store) => {
                                let mut batch = Batch::default();
                                batch.put([n], "");
                                return store.commit(&batch).unwrap();
                            }
                            Err(OpenError::InUse { .. }) => std::thread::yield_now(),
                            Err(error) => panic!("{error:?}"),
                        }
                    }
                });
            }
        });
        assert_eq!(contents(&RedbStore::open(&path, &FORMAT).unwrap()).len(), 4, "round {round}");
        assert!(!path.with_extension("new").exists(), "round {round} left a draft");
    }
}

#[test]
fn what_an_interrupted_creation_left_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    fs::write(folder.path().join("store.new"), vec![7; 100_000]).unwrap();
    let store = RedbStore::open(&path, &FORMAT).unwrap();
    assert!(contents(&store).is_empty());
    assert!(!folder.path().join("store.new").exists());
}

#[test]
fn another_format_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    RedbStore::open(&path, &Format { number: 2, ..FORMAT }).unwrap().commit(&script(2)).unwrap();
    // As closed in order, and as a killed process leaves it.
    let closed = fs::read(&path).unwrap();
    let store = RedbStore::open(&path, &Format { number: 2, ..FORMAT }).unwrap();
    store.commit(&script(3)).unwrap();
    let killed = fs::read(&path).unwrap();
    drop(store);
    for image in [closed, killed] {
        fs::write(&path, &image).unwrap();
        let error = RedbStore::open(&path, &FORMAT).unwrap_err();
        assert!(matches!(error, OpenError::Newer { found: 2, known: 1, .. }), "{error:?}");
        let error = RedbStore::open(&path, &Format { number: 3, ..FORMAT }).unwrap_err();
        assert!(matches!(error, OpenError::Older { found: 2, known: 3, .. }), "no migration leads there: {error:?}");
        let error = RedbStore::open(&path, &Format { name: b"other", ..FORMAT }).unwrap_err();
        assert!(matches!(error, OpenError::Foreign { known: b"other", .. }), "{error:?}");
        assert_eq!(fs::read(&path).unwrap(), image, "not a byte has changed");
    }
}

#[test]
fn a_redb_file_of_another_program_is_foreign() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let table: TableDefinition<'_, &str, u64> = TableDefinition::new("format");
    let check = || {
        let before = fs::read(&path).unwrap();
        let error = RedbStore::open(&path, &FORMAT).unwrap_err();
        assert!(matches!(error, OpenError::Foreign { .. }), "{error:?}");
        assert_eq!(fs::read(&path).unwrap(), before);
    };
    let database = Database::create(&path).unwrap();
    drop(database);
    check();
    let database = Database::create(&path).unwrap();
    let transaction = database.begin_write().unwrap();
    transaction.open_table(table).unwrap().insert("betwixt-test", 1).unwrap();
    transaction.commit().unwrap();
    drop(database);
    check();
}

#[test]
fn what_the_system_refuses_is_said_with_the_path() {
    let folder = tempfile::tempdir().unwrap();
    let blocked = folder.path().join("file");
    fs::write(&blocked, "text").unwrap();
    for path in [folder.path().to_owned(), blocked.join("store")] {
        let error = RedbStore::open(&path, &FORMAT).unwrap_err();
        assert!(matches!(error, OpenError::Io { .. }), "{error:?}");
        assert!(error.to_string().contains(path.to_str().unwrap()), "{error}");
        assert!(error.source().is_some());
    }
}

#[test]
fn errors_say_what_to_do() {
    let path = || "data/store".into();
    let newer = OpenError::Newer { path: path(), found: 3, known: 1 };
    assert_eq!(
        newer.to_string(),
        "the store data/store has format 3, and this betwixt knows formats up to 1: take a newer betwixt"
    );
    let foreign = OpenError::Foreign { path: path(), known: b"betwixt-relay" };
    assert_eq!(
        foreign.to_string(),
        "data/store is not a store of `betwixt-relay`; nothing in it was changed: \
         move it away to start with an empty one"
    );
    let damaged = OpenError::Damaged { path: path(), source: betwixt_store::Damage::Empty };
    assert_eq!(
        damaged.to_string(),
        "the store data/store is damaged; nothing in it was changed: put a copy of it back as data/store, \
         or move it away to start with an empty one"
    );
    assert_eq!(StoreError::TooLarge { bytes: 9 }.to_string(), "a key or value of 9 bytes is too large for the store");
}

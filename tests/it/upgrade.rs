//! Data folders of earlier programs.
//!
//! `assets/stores/format-1` is a data folder as the last program with stores of format 1 left it: four lists of two sites,
//! with moves, deletions, tags and notes, and an edit of site 1 that no relay has. `format-1-lists` is what that program's
//! `ls --json` said of it, in the order `inbox`, `work`, `groceries`, `errands`.

use std::fs;
use std::path::{Path, PathBuf};

use betwixt_core::wire::Listing;
use betwixt_relay::Stored;
use betwixt_relay::engine::Engine as _;
use betwixt_store::{Format, RedbStore};
use betwixt_tests::home::Home;
use serde_json::Value;

const STORES: [&str; 3] = ["relay.redb", "sites/0/replica.redb", "sites/1/replica.redb"];
const LISTS: [&str; 4] = ["inbox", "work", "groceries", "errands"];

fn assets() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../assets/stores")
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if from.is_dir() {
            copy_folder(&from, &to);
        } else {
            fs::copy(&from, &to).expect("a file");
        }
    }
}

/// A home with the folder of format 1.
fn old_home() -> Home {
    let home = Home::new();
    copy_folder(&assets().join("format-1"), &home.data());
    home
}

fn expected(list: &str) -> Value {
    let text = fs::read_to_string(assets().join("format-1-lists").join(format!("{list}.json"))).expect("an asset");
    serde_json::from_str(&text).expect("JSON")
}

fn copy_of(home: &Home, store: &str) -> PathBuf {
    home.data().join(format!("{store}.format-1"))
}

#[test]
fn a_folder_of_format_1_has_all_that_it_had() {
    let home = old_home();
    for list in LISTS {
        assert_eq!(home.json(["ls", list, "--wait", "10"]), expected(list), "{list}");
    }
    // The edit that no relay had is sent.
    let status = home.json(["status", "work", "--wait", "10"]);
    assert_eq!((&status["pending"], &status["seq"]), (&Value::from(0), &Value::from(30)), "{status}");
    assert!(!home.data().join("sites/1/pending").exists());
    assert!(home.ok(["export", "work", "--format", "json"]).contains("Work, this week"));
    // A second start finds nothing to do.
    for store in STORES {
        let old = fs::read(assets().join("format-1").join(store)).expect("an asset");
        assert!(fs::read(copy_of(&home, store)).expect("a copy beside it") == old, "{store}: its copy is another");
        fs::remove_file(copy_of(&home, store)).expect("it is there");
    }
    for list in LISTS {
        assert_eq!(home.json(["ls", list, "--wait", "10"]), expected(list), "{list}, at the second start");
    }
    assert!(STORES.iter().all(|store| !copy_of(&home, store).exists()), "migrated again");
    // And it is edited as ever.
    home.ok(["add", "errands", "after the upgrade", "--wait", "10"]);
    assert_eq!(home.texts("errands").last().map(String::as_str), Some("after the upgrade"));
    assert_eq!(home.json(["status", "errands"])["pending"], 0);
    let listing = Listing { prefix: "".into(), after: None, limit: 9 };
    let engine = Stored::open(home.data().join("relay.redb")).expect("nobody has it open");
    let lists = engine.lists(&listing).expect("it can be read").lists;
    let titles: Vec<(&str, &str)> = lists.iter().map(|list| (list.name.as_str(), list.title.as_str())).collect();
    assert_eq!(titles, [("errands", ""), ("groceries", ""), ("inbox", ""), ("work", "Work, this week")]);
}

#[test]
fn both_sites_of_a_folder_of_format_1_are_who_they_were() {
    let home = old_home();
    let sites: std::collections::BTreeSet<String> = LISTS
        .iter()
        .flat_map(|list| expected(list).as_array().expect("items").clone())
        .map(|item| item["site"].as_str().expect("a site").to_owned())
        .collect();
    assert_eq!(sites.len(), 2);
    // New items are of those sites: no site was made anew.
    let first = home.json(["add", "work", "one more", "--wait", "10"]);
    assert!(!first.is_null());
    let rows = home.json(["ls", "work"]);
    let site = rows.as_array().and_then(|rows| rows.iter().find(|row| row["text"] == "one more"));
    let site = site.and_then(|row| row["site"].as_str()).expect("it is there, with its site");
    assert!(sites.contains(site), "{site} is none of {sites:?}");
}

#[test]
fn a_folder_without_room_for_the_copies_is_left_as_it_is() {
    if !cfg!(target_os = "linux") {
        println!("skipped: only Linux has a device that is always full");
        return;
    }
    let home = old_home();
    for store in STORES {
        let draft = copy_of(&home, store).with_extension("format-1.new");
        std::os::unix::fs::symlink("/dev/full", draft).expect("a link");
    }
    let said = home.error(["ls", "work"]);
    assert!(said.contains("nothing in it was changed") && said.contains("make room"), "{said}");
    assert!(said.contains("No space left"), "{said}");
    for store in STORES {
        let old = fs::read(assets().join("format-1").join(store)).expect("an asset");
        assert!(fs::read(home.data().join(store)).expect("it is there") == old, "{store} was changed");
    }
    // With room it goes on. What an attempt began of a copy is gone with it.
    for store in STORES {
        let _ = fs::remove_file(copy_of(&home, store).with_extension("format-1.new"));
    }
    assert_eq!(home.json(["ls", "work", "--wait", "10"]), expected("work"));
}

#[test]
fn a_store_of_a_later_format_is_refused_and_left_alone() {
    for (store, name) in [("relay.redb", &b"betwixt-relay"[..]), ("sites/1/replica.redb", b"betwixt-client")] {
        let home = old_home();
        let path = home.data().join(store);
        fs::remove_file(&path).expect("it is there");
        drop(RedbStore::open(&path, &Format { name, number: 3, migrations: &[] }).expect("a store can be made"));
        let later = fs::read(&path).expect("it is there");
        let said = home.error(["ls", "work"]);
        assert!(said.contains("has format 3") && said.contains("take a newer betwixt"), "{store}: {said}");
        assert!(fs::read(&path).expect("it is there") == later, "{store} was changed");
        assert!(!copy_of(&home, store).exists());
    }
}

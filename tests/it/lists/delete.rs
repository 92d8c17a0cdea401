//! `betwixt delete`: a list goes, for everybody.

use betwixt_tests::home::Home;
use betwixt_tests::peer::Peer;
use betwixt_tests::relay::Relay;

#[test]
fn it_is_done_only_when_it_is_meant() {
    let home = Home::new();
    home.ok(["add", "work", "milk"]);
    home.ok(["add", "work", "bread"]);
    let said = home.error(["delete", "work"]);
    assert!(said.contains("work with its 2 items") && said.contains("betwixt delete work --yes"), "{said}");
    assert_eq!(home.texts("work"), ["milk", "bread"]);
}

#[test]
fn a_deleted_list_is_gone_and_its_name_is_free() {
    let home = Home::new();
    home.ok(["add", "work", "milk"]);
    home.ok(["add", "work-2", "another"]);
    let uid = home.json(["status", "work"])["uid"].clone();
    assert_eq!(home.ok(["delete", "work", "--yes"]), "deleted\n");
    assert_eq!(home.ok(["lists"]), "work-2\n");
    let said = home.error(["delete", "work", "--yes"]);
    assert!(said.contains("no list called work"), "{said}");
    assert!(home.error(["log", "work"]).contains("no list called work"));

    home.ok(["add", "work", "a new one"]);
    assert_eq!(home.texts("work"), ["a new one"]);
    let again = home.json(["status", "work"])["uid"].clone();
    assert_ne!(again, uid);
    let result = home.json(["delete", "work", "--yes"]);
    assert_eq!(result, serde_json::json!({ "list": "work", "uid": again, "deleted": true, "unsent": 0 }));
    assert_eq!(home.texts("work-2"), ["another"]);
}

#[test]
fn who_watches_it_is_told() {
    let mut relay = Relay::default();
    let home = Home::at_relay(&relay.url());
    home.ok(["add", "work", "milk"]);
    let mut watch = Home::at_relay(&relay.url()).start(["watch", "work", "--json"]);
    assert_eq!(watch.wait_json(1)[0]["seq"], 2);
    home.ok(["delete", "work", "--yes"]);
    assert_eq!(watch.wait_end().code(), Some(1));
    watch.wait_for("error: the list work was deleted on the relay");

    // Also when it was deleted, and made anew, while there was no link.
    let mut peer = Peer::join(relay.address(), "work");
    peer.add("new");
    drop(peer);
    let mut watch = home.start(["watch", "work", "--json"]);
    assert_eq!(watch.wait_json(1)[0]["items"], 1);
    relay.kill();
    relay.restart();
    home.ok(["delete", "work", "--yes"]);
    let mut peer = Peer::join(relay.address(), "work");
    peer.add("another list");
    assert_eq!(watch.wait_end().code(), Some(1));
    watch.wait_for("error: the list work was deleted on the relay");
    assert_eq!(watch.printed().len(), 1, "nothing of the other list is told: {:?}", watch.printed());
}

#[test]
fn unsent_edits_of_a_deleted_list_stay_and_can_be_exported() {
    let mut relay = Relay::default();
    let home = Home::at_relay(&relay.url());
    home.ok(["add", "work", "milk"]);
    relay.kill();
    home.ok(["add", "work", "never sent", "--wait", "0.2"]);
    relay.restart();
    let said = home.error(["delete", "work"]);
    assert!(
        said.contains("work with its 1 items") && said.contains("1 edits of this folder were never sent"),
        "{said}"
    );
    let other = Home::at_relay(&relay.url());
    assert_eq!(other.ok(["delete", "work", "--yes"]), "deleted\n");
    // This folder hears of it now; the relay has no such list any more.
    let said = home.ok(["delete", "work", "--yes"]);
    assert!(said.contains("1 edits of this folder were never sent") && said.contains("betwixt export work"), "{said}");
    assert_eq!(home.json(["delete", "work", "--yes"])["unsent"], 1);
    for _ in 0..2 {
        assert_eq!(home.ok(["export", "work"]), "- [ ] milk\n- [ ] never sent\n");
    }
    // Another folder has nothing to keep.
    assert!(other.error(["log", "work"]).contains("no list called work"));
}

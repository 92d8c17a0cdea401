//! Folders, addresses and names that cannot be: one clear line.

use std::fs;
use std::net::TcpListener;

use betwixt_tests::home::Home;
use betwixt_tests::wait::LONG;

use super::{one_line, relay_error};

#[test]
fn a_data_folder_that_cannot_be_written_is_named() {
    let home = Home::new();
    let file = home.path().join("file");
    fs::write(&file, "mine").expect("it can be written");
    // Below a file there is no folder, whoever asks.
    let below = file.join("data");
    let shown = below.display().to_string();
    for verb in [&["ls", "inbox"][..], &["add", "inbox", "more"], &["status", "inbox"]] {
        let said = home.error(verb.iter().chain(&["--data", &shown]));
        assert!(said.contains(&shown) && said.contains("--data"), "{said}");
    }
    for said in [relay_error(&below, &[]), home.error(["relay", "--listen", "127.0.0.1:0", "--data", &shown])] {
        assert!(said.contains(&shown), "{said}");
    }
    let mut screen = home.open(["--data", &shown]);
    screen.wait_end();
    screen.wait_until(LONG, "why", |seen| {
        let seen = seen.replace('\n', "");
        seen.contains("error: ") && seen.contains(&shown) && seen.contains("--data")
    });
    assert_eq!(fs::read(&file).expect("it is there"), b"mine");

    // A file, or a folder, stands where the folder has one of its own.
    for (number, (place, is_file)) in [
        ("sites", true),
        ("sites/0", true),
        ("lists.lock", false),
        ("lists.json", false),
        ("sites/0/lock", false),
        ("relay.lock", false),
    ]
    .into_iter()
    .enumerate()
    {
        let data = home.path().join(format!("data {number}"));
        let in_the_way = data.join(place);
        fs::create_dir_all(in_the_way.parent().expect("a folder")).expect("folders can be made");
        if is_file {
            fs::write(&in_the_way, "mine").expect("it can be written");
        } else {
            fs::create_dir(&in_the_way).expect("folders can be made");
        }
        let shown = data.display().to_string();
        let said = home.error(["ls", "inbox", "--data", &shown]);
        assert!(said.contains(&shown), "{place}: {said}");
    }
}

#[test]
fn a_relay_that_cannot_listen_says_why() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let taken = taken.local_addr().map(|address| (taken, address.to_string())).expect("an address");
    let home = Home::new();
    let data = home.path().join("data");
    let cases: [(&str, &[&str]); 4] = [
        (&taken.1, &["is taken by another program", "--listen"]),
        ("no-such-host.invalid:1", &["no-such-host.invalid", "no address"]),
        ("7878", &["7878", "no address"]),
        ("0.0.0.0:0", &["0.0.0.0", "--insecure"]),
    ];
    for (address, words) in cases {
        let said = home.error(["relay", "--listen", address]);
        let alone = relay_error(&data, &["--listen", address]);
        for word in words {
            assert!(said.contains(word) && alone.contains(word), "{address}: {said}\n{alone}");
        }
    }
    // A relay that did not start holds nothing.
    home.ok(["add", "inbox", "an item"]);
}

#[test]
fn a_folder_that_is_served_already_is_named_with_its_process() {
    let home = Home::new();
    let mut screen = home.open(["inbox"]);
    screen.wait_for("local relay");
    let pid = fs::read_to_string(home.data().join("relay.lock")).expect("the role is taken");
    let said = home.error(["relay", "--listen", "127.0.0.1:0"]);
    assert!(
        said.contains(&*home.data().to_string_lossy()) && said.contains(&format!("process {}", pid.trim())),
        "{said}"
    );
    assert!(said.contains("--data"), "it does not say what to do: {said}");
    screen.keys("o").keys("goes on\r\x1b");
    screen.wait_until(LONG, "its edit, sent", |seen| seen.contains("goes on") && seen.contains("all sent"));
}

#[test]
fn a_relay_that_is_not_there_is_named() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("an address").to_string();
    drop(listener);
    let url = format!("ws://{address}");
    let home = Home::at_relay(&url);
    let said = home.ok(["add", "work", "an item", "--wait", "0.3"]);
    assert!(said.contains("kept here, not yet sent") && said.contains(&address), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
    let listed = home.run(["ls", "work", "--wait", "0.3"]);
    let note = String::from_utf8_lossy(&listed.stderr).into_owned();
    assert!(note.contains("no relay answers at") && note.contains(&address) && note.lines().count() == 1, "{note}");
    assert!(String::from_utf8_lossy(&listed.stdout).contains("an item"));
    let status = home.ok(["status", "work", "--wait", "0.3"]);
    assert!(status.starts_with("work  offline, no relay answers at") && status.contains("1 unsent"), "{status}");
    let screen = home.open(["work"]);
    screen.wait_for("offline");
    screen.wait_for("1 unsent");
    screen.wait_for("an item");

    // What is no address at all is a wrong command line.
    for wrong in ["http://127.0.0.1:1", "ws://127.0.0.1", "ws://127.0.0.1:0", "ws://127.0.0.1:99999", "ws://:1", ""] {
        let said = one_line(&home.run(["--relay", wrong, "ls", "work"]), 2);
        assert!(said.contains("ws://HOST:PORT"), "{said}");
    }
}

#[test]
fn a_list_name_that_leads_out_is_refused_in_one_line() {
    let home = Home::new();
    let names = ["../x", "../../etc/passwd", "..", ".", "/etc/passwd", "a/b", "a\\b", "a b", "", "ä", &"x".repeat(65)];
    for name in names {
        for arguments in [&["add", name, "text"][..], &["ls", name], &["status", name], &[name]] {
            if arguments == [""] {
                continue;
            }
            let said = one_line(&home.run(arguments), 2);
            assert!(said.contains("list"), "{said}");
        }
    }
    assert!(!home.data().exists(), "a wrong name has made a folder");
    // A list that has such a name in the folder's record is nobody's: the record is damaged.
    home.ok(["add", "inbox", "an item"]);
    let record = home.data().join("lists.json");
    let text = fs::read_to_string(&record).expect("it is there").replace("\"inbox\"", "\"../inbox\"");
    fs::write(&record, text).expect("it can be written");
    let said = home.error(["ls", "inbox"]);
    assert!(said.contains("lists.json"), "{said}");
}

//! What goes over the wire and how often: one entry for one intention, and a snapshot that is cut in the middle.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use betwixt_tests::home::Home;
use betwixt_tests::relay::Relay;
use betwixt_tests::wait::LONG;

#[test]
fn an_add_with_text_tags_and_depth_is_one_entry() {
    let relay = Relay::default();
    let home = Home::at_relay(&relay.url());
    home.ok(["add", "work", "the first one joins, too"]);
    let seq = |home: &Home| home.json(["status", "work"])["seq"].as_u64().expect("a number");
    let before = seq(&home);
    let all = ["--tag", "red", "--tag", "blue", "--depth", "2", "--note", "more", "--due", "2026-12-24"];
    let more = ["--priority", "3", "--assignee", "ben"];
    home.ok(["add", "work", "paint", "the", "door"].iter().chain(&all).chain(&more));
    assert_eq!(seq(&home), before + 1);

    // On the other side it is all there.
    let rows = Home::at_relay(&relay.url()).json(["ls", "work"]);
    let row = &rows[1];
    for (field, value) in [
        ("text", serde_json::json!("paint the door")),
        ("tags", serde_json::json!(["blue", "red"])),
        ("depth", serde_json::json!(2)),
        ("note", serde_json::json!("more")),
        ("due", serde_json::json!("2026-12-24")),
        ("priority", serde_json::json!(3)),
        ("assignee", serde_json::json!("ben")),
    ] {
        let mut found = row[field].clone();
        if let Some(list) = found.as_array_mut() {
            list.sort_by_key(ToString::to_string);
        }
        assert_eq!(found, value, "{field} of {row}");
    }
}

/// A pipe in front of a relay that is cut once, in the middle of what comes from the relay.
struct Cut {
    address: String,
    /// Bytes from the relay over all links.
    down: Arc<AtomicUsize>,
    is_done: Arc<AtomicBool>,
}

impl Cut {
    /// Cuts the first link that has brought so many bytes.
    fn after(bytes_max: usize, relay: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address").to_string();
        let (down, is_done) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
        let cut = Self { address, down: Arc::clone(&down), is_done: Arc::clone(&is_done) };
        let relay = relay.to_owned();
        thread::spawn(move || {
            for site in listener.incoming().map_while(Result::ok) {
                let Ok(link) = TcpStream::connect(&relay) else { continue };
                let (up_from, up_to) = (site.try_clone().expect("a socket"), link.try_clone().expect("a socket"));
                thread::spawn(move || copy(up_from, up_to, |_| true));
                let (down, is_done) = (Arc::clone(&down), Arc::clone(&is_done));
                let mut of_link = 0;
                thread::spawn(move || {
                    copy(link, site, |bytes| {
                        of_link += bytes;
                        down.fetch_add(bytes, Ordering::SeqCst);
                        of_link < bytes_max || is_done.swap(true, Ordering::SeqCst)
                    });
                });
            }
        });
        cut
    }

    fn url(&self) -> String {
        format!("ws://{}", self.address)
    }
}

/// Copies until one end is gone or `goes_on` says no; then both are closed.
fn copy(mut from: TcpStream, mut to: TcpStream, mut goes_on: impl FnMut(usize) -> bool) {
    let mut buffer = [0; 4096];
    while let Ok(len @ 1..) = from.read(&mut buffer) {
        if !goes_on(len) || to.write_all(&buffer[..len]).is_err() {
            break;
        }
    }
    for end in [from, to] {
        // One that is gone already is what was wanted.
        let _ = end.shutdown(Shutdown::Both);
    }
}

#[test]
fn a_site_joins_twenty_thousand_items_by_a_snapshot_though_the_link_is_cut_in_its_middle() {
    const ITEMS: usize = 20_000;
    const PART: usize = 60 * 1024;
    let relay = Relay::default();
    let texts: Vec<String> = (0..ITEMS).map(|number| format!("item {number:05}")).collect();
    Home::at_relay(&relay.url()).ok_with_input(["add", "work", "-", "--wait", "60"], &(texts.join("\n") + "\n"));

    // By a verb: cut behind several of its parts.
    let cut = Cut::after(5 * PART, relay.address());
    let home = Home::at_relay(&cut.url());
    let rows = home.json(["ls", "work", "--wait", "30"]);
    let found: Vec<&str> = rows.as_array().expect("an array").iter().filter_map(|row| row["text"].as_str()).collect();
    assert!(cut.is_done.load(Ordering::SeqCst), "the link was not cut");
    assert_eq!(found.len(), ITEMS);
    assert!(found.iter().zip(&texts).all(|(found, text)| found == text), "not in order");
    assert_eq!(home.json(["status", "work"])["seq"], ITEMS + 1);
    // An entry takes over 190 bytes: it came as a snapshot, and not much more often than it had to.
    let down = cut.down.load(Ordering::SeqCst);
    assert!((5 * PART..ITEMS * 150).contains(&down), "{down} bytes came from the relay");

    // On a screen.
    let cut = Cut::after(8 * PART, relay.address());
    let home = Home::at_relay(&cut.url());
    let mut screen = home.open(["work"]);
    screen.wait_until(LONG, "all items", |seen| seen.contains("of 20,000") && seen.contains("all sent"));
    assert!(cut.is_done.load(Ordering::SeqCst), "the link was not cut");
    screen.keys("G");
    screen.wait_for("item 19999");
    screen.keys("o").keys("one more\r\x1b");
    screen.wait_until(LONG, "it is sent", |seen| seen.contains("one more") && seen.contains("all sent"));
}

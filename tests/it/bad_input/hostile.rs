//! Text of others that attacks a terminal: it never drives it.

use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use betwixt_core::op::{Body, ListPut};
use betwixt_core::safe_text::hostile::HOSTILE;
use betwixt_core::wire::RefusedCode;
use betwixt_tests::escapes::{is_plain, misuse};
use betwixt_tests::home::Home;
use betwixt_tests::peer::Peer;
use betwixt_tests::program;
use betwixt_tests::relay::Relay;
use betwixt_tests::wait::LONG;

use super::{next_of, one_line};

/// The hostile strings as lines of text: what `add LIST -` makes an item each of.
fn hostile_lines() -> Vec<String> {
    HOSTILE.iter().flat_map(|text| text.lines()).filter(|line| !line.trim().is_empty()).map(str::to_owned).collect()
}

/// What a screen draws. Before it takes the terminal it asks for the colours of it, in words of its own.
#[track_caller]
fn drawn(stream: &[u8]) -> &[u8] {
    let begin = b"\x1b[?1049h";
    let at = stream.windows(begin.len()).position(|window| window == begin).unwrap_or_default();
    let (asked, drawn) = stream.split_at(at);
    let asked = String::from_utf8_lossy(asked);
    let own = ["\x1b]10;?\x07", "\x1b]11;?\x07", "\x1b]10;?\x1b\\", "\x1b]11;?\x1b\\", "\x1b[c"];
    let other = own.iter().fold(asked.into_owned(), |asked, question| asked.replacen(question, "", 1));
    assert!(other.is_empty(), "before the screen: {other:?}");
    drawn
}

/// Looks at a whole list on a screen, and at each item of it in the editor.
#[track_caller]
fn assert_not_driven(home: &Home, list: &str, what: &str) {
    let rows = home.json(["ls", list]).as_array().map_or(0, Vec::len);
    let mut screen = home.open([list]);
    screen.wait_for("benign");
    screen.resize((100, u16::try_from(rows + 6).expect("a few rows")));
    screen.wait_for(&format!("1-{rows} of {rows}"));
    screen.keys("gg");
    for _ in 0..rows {
        screen.keys("i\x03j");
    }
    screen.keys("o").keys("the end\r\x1b").wait_for("the end");
    screen.keys("q").wait_end();
    let misuse = misuse(drawn(&screen.bytes()));
    assert!(misuse.is_empty(), "{what} drives the terminal: {misuse:?}");
    for verb in [&["ls", list][..], &["status", list], &["log", list], &["lists"]] {
        let output = home.run(verb);
        assert!(output.status.success());
        assert!(
            is_plain(&output.stdout) && is_plain(&output.stderr),
            "{what}: {:?}",
            String::from_utf8_lossy(&output.stdout)
        );
        let output = home.run([&["--json"][..], verb].concat());
        assert!(is_plain(&output.stdout), "{what}: {:?}", String::from_utf8_lossy(&output.stdout));
    }
}

#[test]
fn hostile_items_do_not_drive_the_terminal() {
    // The check finds what it is for.
    for text in HOSTILE {
        let is_control = |c: char| c.is_control() && !matches!(c, '\t' | '\r' | '\n' | '\x08');
        // Colours are what any program may write.
        let drives = text.chars().any(is_control) && !text.contains("[31;5m") && !text.contains("[2J\x1b[H");
        let drives = drives && !text.contains("[1A\x1b[2K") && !text.contains("[999;1H");
        let drives = drives && !["?1049h", "?25l", "?2004l"].iter().any(|mode| text.contains(mode));
        assert!(!drives || !misuse(text.as_bytes()).is_empty(), "{text:?} is not found");
    }
    assert!(misuse(b"\x1b[0;1;38;5;7m\x1b[2;3H\x1b[K\x1b[?25l\x1b[?2026h plain \r\n").is_empty());

    // As what somebody pastes into a verb.
    let home = Home::new();
    let output = {
        let mut child = home.command(["add", "inbox", "-", "--wait", "10"]);
        let mut child =
            child.stdin(Stdio::piped()).stderr(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
        let input = hostile_lines().join("\n");
        child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("it reads");
        child.wait_with_output().expect("it ends")
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(is_plain(&output.stdout) && is_plain(&output.stderr));
    let note = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(note.contains("control characters were made visible"), "it is not said: {note:?}");
    assert_not_driven(&home, "inbox", "text from standard input");

    // As what somebody pastes into the screen.
    let home = Home::new();
    let mut screen = home.open(["inbox"]);
    screen.wait_for("local relay");
    let pasted: Vec<String> = hostile_lines().into_iter().filter(|line| !line.contains('\x1b')).collect();
    screen.keys("o").paste(&pasted.join("\n"));
    screen.wait_for("benign");
    screen.keys("\x1b");
    screen.wait_until(LONG, "all sent", |seen| seen.contains("all sent"));
    screen.keys("q").wait_end();
    let found = misuse(drawn(&screen.bytes()));
    assert!(found.is_empty(), "a paste drives the terminal: {found:?}");
    assert_not_driven(&home, "inbox", "pasted text");

    // As what a peer says: controls are refused, the rest is shown tamely.
    let relay = Relay::default();
    let mut peer = Peer::join(relay.address(), "work");
    for text in HOSTILE {
        if text.chars().any(|c| c.is_control() && c != '\t') {
            let op = next_of(&peer, peer.adding(text));
            assert_eq!(peer.refused(&op), RefusedCode::Control, "{text:?}");
        } else {
            peer.add(text);
        }
    }
    let title = peer.mint(Body::List(ListPut { title: "benign \u{202e}denwp\u{2066}\u{e0070}".into() }));
    peer.push(vec![title]);
    peer.add("benign at the end");
    assert_not_driven(&Home::at_relay(&relay.url()), "work", "a peer's text");
}

#[test]
fn hostile_names_do_not_drive_the_terminal() {
    let relay = Relay::default();
    let watcher = Home::at_relay(&relay.url());
    watcher.ok(["add", "work", "an item"]);
    let mut watching = watcher.open(["work"]);
    watching.wait_for("all sent");
    for name in HOSTILE {
        // As a person's own name: shown on their own screen too, or not taken.
        let home = Home::at_relay(&relay.url());
        let output = home.command(["--name", name, "add", "work", "from them"]).output();
        match output {
            Ok(output) if output.status.success() => {}
            Ok(output) => {
                let said = one_line(&output, 1);
                assert!(said.contains("a name has 1 to 32 characters"), "{name:?}: {said}");
            }
            // An argument that no program can be given.
            Err(_nul) => assert!(name.contains('\0')),
        }
        // As a peer says it in its hello, whatever it is.
        drop(Peer::join_as(relay.address(), "work", name));
    }
    let mut own = watcher.open(["--name", HOSTILE[0], "work"]);
    own.wait_for("an item");
    own.wait_for("all sent");
    let peers: Vec<Peer> = HOSTILE.iter().step_by(9).map(|name| Peer::join_as(relay.address(), "work", name)).collect();
    watching.resize((200, 24));
    watching.wait_until(LONG, "people with names of a kind", |seen| {
        seen.lines().next().is_some_and(|line| line.contains("benign"))
    });
    drop(peers);
    for screen in [&mut watching, &mut own] {
        screen.keys("q").wait_end();
        let found = misuse(drawn(&screen.bytes()));
        assert!(found.is_empty(), "a name drives the terminal: {found:?}");
    }
    let listed = watcher.run(["ls", "work"]);
    assert!(is_plain(&listed.stdout));
    assert!(relay.printed().iter().chain(&relay.complaints()).all(|line| is_plain(line.as_bytes())));
}

#[test]
fn hostile_refused_edits_do_not_drive_the_terminal() {
    let mut relay = Relay::start(&["--limit", "text_bytes=16"]);
    relay.kill();
    let home = Home::at_relay(&relay.url());
    let long: Vec<String> = hostile_lines().into_iter().map(|line| format!("{line} and too long for it")).collect();
    home.ok_with_input(["add", "work", "-", "--wait", "0.1"], &long.join("\n"));
    relay.restart();
    let mut screen = home.open(["work"]);
    let refused = format!("{} refused (!)", long.len());
    screen.wait_until(LONG, "all refused", |seen| seen.contains(&refused));
    screen.keys("!").wait_for("too large");
    for _ in &long {
        screen.keys("j");
    }
    screen.keys("e").wait_for("written to");
    screen.keys("\x1bq").wait_end();
    let found = misuse(drawn(&screen.bytes()));
    assert!(found.is_empty(), "a refused edit drives the terminal: {found:?}");
    let status = home.run(["status", "work"]);
    let printed = String::from_utf8_lossy(&status.stdout).into_owned();
    assert_eq!(printed.lines().filter(|line| line.starts_with("refused ")).count(), long.len(), "{printed}");
    assert!(is_plain(&status.stdout), "{printed:?}");
    assert!(is_plain(&home.run(["--json", "status", "work"]).stdout));
}

#[test]
fn hostile_arguments_do_not_drive_the_terminal() {
    let home = Home::new();
    home.ok(["add", "inbox", "benign"]);
    let file = home.path().join("file");
    fs::write(&file, "").expect("it can be written");
    for text in HOSTILE.iter().filter(|text| !text.contains('\0')) {
        let path = file.join(text.replace('/', "_")).display().to_string();
        let uses: [&[&str]; 10] = [
            &["done", "inbox", text],
            &["ls", text],
            &["log", text],
            &["copy", "inbox", "--to", text],
            &[text],
            &["--relay", text, "ls", "inbox"],
            &["--wait", text, "ls", "inbox"],
            &["add", "inbox", "x", "--due", text],
            &["keys", "between", text, ""],
            &["ls", "inbox", "--data", &path],
        ];
        for arguments in uses {
            let output = home.run(arguments);
            assert!(!output.status.success(), "{arguments:?}");
            assert!(is_plain(&output.stderr), "{arguments:?}: {:?}", String::from_utf8_lossy(&output.stderr));
        }
        let relay = Command::new(program::path("betwixt-relay")).args(["--listen", text]).output().expect("it starts");
        assert!(!relay.status.success() && is_plain(&relay.stderr), "{:?}", String::from_utf8_lossy(&relay.stderr));
    }
    // On a terminal they are coloured at most.
    for arguments in
        [&["ls", HOSTILE[11]][..], &[HOSTILE[1]], &["frobnicate", HOSTILE[1]], &["done", "inbox", HOSTILE[0]]]
    {
        let mut screen = home.open(arguments);
        screen.wait_end();
        screen.wait_for("error");
        let found = misuse(drawn(&screen.bytes()));
        assert!(found.is_empty(), "{arguments:?} drives the terminal: {found:?}");
    }
    let exists: Vec<PathBuf> =
        fs::read_dir(home.path()).expect("it is there").flatten().map(|entry| entry.path()).collect();
    assert_eq!(exists.len(), 2, "an argument has made a file: {exists:?}");
}

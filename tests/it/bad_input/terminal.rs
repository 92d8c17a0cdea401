//! Terminals that can less, and terminals that go away.

use std::ffi::OsStr;
use std::fs;
use std::io::Read as _;
use std::time::{Duration, Instant};

use betwixt_tests::escapes::is_plain;
use betwixt_tests::home::Home;
use betwixt_tests::program;
use betwixt_tests::wait::{LONG, until};
use portable_pty::{CommandBuilder, PtySize, native_pty_system};
use rustix::process::{Pid, Signal, kill_process, test_kill_process};

use super::one_line;

#[test]
fn without_colour_or_a_terminal_it_stays_sensible() {
    let home = Home::new();
    home.ok(["add", "inbox", "an item"]);
    // No colour: what is bold, dim or reversed may stay.
    let screen = home.open_with(["inbox"], &[("NO_COLOR", "1")]);
    screen.wait_for("an item");
    screen.wait_for("local relay");
    let colours = colours(&screen.bytes());
    assert!(colours.is_empty(), "{colours:?}");
    drop(screen);
    let coloured = home.open(["inbox"]);
    coloured.wait_for("an item");
    coloured.wait_for("local relay");
    assert!(!self::colours(&coloured.bytes()).is_empty(), "colours are not found where they are");
    drop(coloured);

    // A dumb terminal: the screen says what it needs, the verbs work and write no escape.
    let dumb = [("TERM", "dumb")];
    let mut screen = home.open_with(["inbox"], &dumb);
    screen.wait_end();
    screen.wait_for("error: the screen needs a terminal");
    assert!(!screen.bytes().contains(&0x1b), "{:?}", screen.screen());
    for verb in [&["ls", "inbox"][..], &["status", "inbox"], &["add", "inbox", "more"], &["--help"], &["ls"]] {
        let mut screen = home.open_with(verb, &dumb);
        screen.wait_end();
        screen.wait_until(LONG, "words", |seen| !seen.trim().is_empty());
        assert!(!screen.bytes().contains(&0x1b), "{verb:?}: {:?}", screen.screen());
    }
    let relay = home.open_with(["relay", "--listen", "127.0.0.1:0"], &dumb);
    relay.wait_for("listening on ws://");
    home.ok(["add", "inbox", "even more", "--wait", "10"]);
    relay.wait_for("inbox ");
    assert!(!relay.bytes().contains(&0x1b), "{:?}", relay.screen());
    drop(relay);

    // No terminal at all: the same words on standard error, and verbs as ever.
    let said = one_line(&home.run(["inbox"]), 1);
    assert!(said.contains("the screen needs a terminal") && said.contains("betwixt --help"), "{said}");
    let output = home.run(["ls", "inbox"]);
    assert!(output.status.success() && is_plain(&output.stdout), "{:?}", String::from_utf8_lossy(&output.stdout));
}

/// The colours in a stream, as the parameters of its CSI m.
fn colours(stream: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(stream).into_owned();
    let styles = text.split("\x1b[").skip(1).filter_map(|rest| {
        let (parameters, _) = rest.split_once(|c: char| c.is_ascii_alphabetic())?;
        rest.get(parameters.len()..)?.starts_with('m').then(|| parameters.to_owned())
    });
    let is_colour = |style: &String| {
        style.split([';', ':']).any(|one| one.parse().is_ok_and(|one: u16| matches!(one, 30..=38 | 40..=48 | 90..=107)))
    };
    styles.filter(is_colour).collect()
}

#[test]
fn a_terminal_that_goes_away_ends_the_program() {
    let betwixt = program::path("betwixt");
    let alone = [betwixt.as_os_str(), "inbox".as_ref()];
    assert_ends_with_its_terminal(&alone, (80, 24));
    // Without a cell: the cursor is hidden then, and cannot be shown again at the end.
    assert_ends_with_its_terminal(&alone, (0, 0));
    // Where the shell keeps the signal to itself and its job is not in the foreground, nobody is told: a terminal that
    // is gone must be noticed all the same.
    let job = format!("trap '' HUP TTIN TTOU; set -m; {} inbox & wait", betwixt.display());
    assert_ends_with_its_terminal(&["bash".as_ref(), "-c".as_ref(), job.as_ref()], (80, 24));
}

#[track_caller]
fn assert_ends_with_its_terminal(arguments: &[&OsStr], (cols, rows): (u16, u16)) {
    let home = Home::new();
    home.ok(["add", "inbox", "an item"]);
    let size = PtySize { rows, cols, pixel_width: 0, pixel_height: 0 };
    let pair = native_pty_system().openpty(size).expect("a pseudo-terminal");
    let mut command = CommandBuilder::from_argv(arguments.iter().map(|&argument| argument.to_owned()).collect());
    command.env_clear();
    for (name, value) in home.environment() {
        command.env(name, value);
    }
    let mut child = pair.slave.spawn_command(command).expect("betwixt starts");
    drop(pair.slave);
    let mut reader = pair.master.try_clone_reader().expect("a terminal can be read");
    let mut seen = String::new();
    while !seen.contains("\x1b[?2026l") {
        let mut buffer = [0; 4096];
        let len = reader.read(&mut buffer).expect("the program draws");
        seen.push_str(&String::from_utf8_lossy(&buffer[..len]));
    }
    let pid = until(LONG, "it has the role", || {
        let text = fs::read_to_string(home.data().join("relay.lock")).ok()?;
        text.parse().ok().and_then(Pid::from_raw)
    });
    // The window is closed: both ends of this side are gone.
    drop(reader);
    drop(pair.master);
    let deadline = Instant::now() + Duration::from_secs(15);
    let exit = loop {
        // The shell in between may end without its job.
        let exit = child.try_wait().expect("a child can be waited for");
        if let Some(exit) = exit.filter(|_| test_kill_process(pid).is_err()) {
            break exit;
        }
        if Instant::now() > deadline {
            // Not left behind by a test that fails, however it hides from its terminal.
            kill_process(pid, Signal::KILL).expect("it is there");
            panic!("the program lives on without its terminal");
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    // That it cannot draw any more is an error like any other, and the key reader may have to be left behind; a panic is
    // neither.
    assert!(matches!(exit.exit_code(), 0 | 1 | 129), "it ended in disorder: {exit}");
    assert_eq!(home.texts("inbox"), ["an item"]);
}

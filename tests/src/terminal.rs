//! A program in a pseudo-terminal: real key presses go in, and what is on the screen can be read.

use std::ffi::OsStr;
use std::io::{Read as _, Write};
use std::num::NonZeroU16;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use rustix::process::{Pid, Signal, kill_process};

use crate::wait::LONG;

/// A program in a terminal; killed when dropped.
pub struct Terminal {
    child: Box<dyn Child + Send + Sync>,
    master: Box<dyn MasterPty + Send>,
    keys: Box<dyn Write + Send>,
    seen: Arc<Mutex<Seen>>,
}

struct Seen {
    parser: vt100::Parser,
    bytes: Vec<u8>,
}

impl Terminal {
    /// Starts a program in a terminal of this size: columns, rows.
    ///
    /// # Panics
    ///
    /// There is no pseudo-terminal, or the program does not start.
    #[must_use]
    pub fn start<S: AsRef<OsStr>>(
        program: &Path,
        arguments: impl IntoIterator<Item = S>,
        environment: &[(String, String)],
        (cols, rows): (u16, u16),
    ) -> Self {
        let size = PtySize { rows, cols, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).expect("a pseudo-terminal");
        let mut command = CommandBuilder::new(program);
        command.args(arguments);
        command.env_clear();
        for (name, value) in environment {
            command.env(name, value);
        }
        let child = pair.slave.spawn_command(command).expect("the program starts");
        let keys = pair.master.take_writer().expect("a terminal takes keys");
        let mut reader = pair.master.try_clone_reader().expect("a terminal can be read");
        let seen =
            Arc::new(Mutex::new(Seen { parser: vt100::Parser::new(cells(rows), cells(cols), 0), bytes: Vec::new() }));
        let watched = Arc::clone(&seen);
        thread::spawn(move || {
            let mut buffer = [0; 8192];
            while let Ok(len @ 1..) = reader.read(&mut buffer) {
                let bytes = buffer.get(..len).unwrap_or_default();
                let mut seen = watched.lock().unwrap_or_else(PoisonError::into_inner);
                seen.parser.process(bytes);
                seen.bytes.extend_from_slice(bytes);
            }
        });
        Self { child, master: pair.master, keys, seen }
    }

    /// Types, as keys: a control character is the key that makes it.
    ///
    /// # Panics
    ///
    /// The terminal is gone.
    pub fn keys(&mut self, keys: &str) -> &mut Self {
        self.keys.write_all(keys.as_bytes()).and_then(|()| self.keys.flush()).expect("the terminal takes keys");
        self
    }

    /// Types if the terminal is still there; says whether it was.
    pub fn try_keys(&mut self, keys: &str) -> bool {
        self.keys.write_all(keys.as_bytes()).and_then(|()| self.keys.flush()).is_ok()
    }

    /// Pastes, as a terminal with bracketed paste does.
    pub fn paste(&mut self, text: &str) -> &mut Self {
        self.keys(&format!("\x1b[200~{text}\x1b[201~"))
    }

    /// Gives the terminal another size: columns, rows.
    ///
    /// # Panics
    ///
    /// The terminal is gone.
    pub fn resize(&mut self, (cols, rows): (u16, u16)) {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).parser.screen_mut().set_size(cells(rows), cells(cols));
        let size = PtySize { rows, cols, pixel_width: 0, pixel_height: 0 };
        self.master.resize(size).expect("a terminal has a size");
    }

    /// What is on the screen, a line a row.
    #[must_use]
    pub fn screen(&self) -> String {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).parser.screen().contents()
    }

    /// All that the program has written so far.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).bytes.clone()
    }

    /// The rows of the screen that have a box, as texts: the list as it is shown.
    #[must_use]
    pub fn rows(&self) -> Vec<String> {
        let boxes =
            |line: &&str| line.contains("[ ]") || line.contains("[x]") || line.contains('☐') || line.contains('☑');
        self.screen().lines().filter(boxes).map(|line| line.trim().to_owned()).collect()
    }

    /// Waits until the screen holds `text`.
    ///
    /// # Panics
    ///
    /// It does not in time.
    #[track_caller]
    pub fn wait_for(&self, text: &str) {
        self.wait_within(LONG, text);
    }

    /// Waits until the screen holds `text`, for at most `limit`.
    ///
    /// # Panics
    ///
    /// It does not in time.
    #[track_caller]
    pub fn wait_within(&self, limit: Duration, text: &str) {
        self.wait_until(limit, text, |screen| screen.contains(text));
    }

    /// Waits until the screen is as it should be.
    ///
    /// # Panics
    ///
    /// It is not in time.
    #[track_caller]
    pub fn wait_until(&self, limit: Duration, what: &str, holds: impl Fn(&str) -> bool) {
        let deadline = std::time::Instant::now() + limit;
        loop {
            let screen = self.screen();
            if holds(&screen) {
                return;
            }
            assert!(std::time::Instant::now() < deadline, "after {limit:?} not on the screen: {what}\n{screen}");
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// Sends the program a signal.
    ///
    /// # Panics
    ///
    /// It is gone.
    pub fn signal(&self, signal: Signal) {
        kill_process(self.pid(), signal).expect("the program is there");
    }

    /// Kills the program at once, and waits until it is gone.
    ///
    /// # Panics
    ///
    /// It is gone already.
    pub fn kill(&mut self) {
        self.signal(Signal::KILL);
        self.wait_end();
    }

    /// Waits until the program has ended.
    ///
    /// # Panics
    ///
    /// It has not in time.
    #[track_caller]
    pub fn wait_end(&mut self) {
        let deadline = std::time::Instant::now() + LONG;
        while self.is_running() {
            let screen = self.screen();
            assert!(std::time::Instant::now() < deadline, "after {LONG:?}: the program has not ended\n{screen}");
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// Whether the program is still there.
    pub fn is_running(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    fn pid(&self) -> Pid {
        let pid = self.child.process_id().and_then(|pid| i32::try_from(pid).ok()).and_then(Pid::from_raw);
        pid.expect("a running child has a pid")
    }
}

fn cells(count: u16) -> NonZeroU16 {
    NonZeroU16::new(count).expect("a terminal has cells")
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // One that has ended already is what was wanted; its number may be another program's by now.
        if self.is_running() {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

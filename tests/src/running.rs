//! A verb that runs on by itself: what it prints can be read while it does.

use std::io::{BufRead as _, BufReader, Read};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::wait::{LONG, until};

/// A running program; killed when dropped.
#[derive(Debug)]
pub struct Running {
    child: Child,
    printed: Arc<Mutex<Vec<String>>>,
    complaints: Arc<Mutex<Vec<String>>>,
}

impl Running {
    /// Starts a command, as a shell would start a job: in a process group of its own.
    ///
    /// # Panics
    ///
    /// It does not start.
    #[must_use]
    pub fn start(mut command: Command) -> Self {
        let command = command.process_group(0).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        let (printed, complaints) = (Arc::default(), Arc::default());
        collect(child.stdout.take().expect("a pipe"), Arc::clone(&printed));
        collect(child.stderr.take().expect("a pipe"), Arc::clone(&complaints));
        Self { child, printed, complaints }
    }

    /// What it has printed, a line an element.
    #[must_use]
    pub fn printed(&self) -> Vec<String> {
        self.printed.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What it has written to its standard error, a line an element.
    #[must_use]
    pub fn complaints(&self) -> Vec<String> {
        self.complaints.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Waits for so many lines of JSON, and returns them.
    ///
    /// # Panics
    ///
    /// They do not come, or are none.
    #[must_use]
    #[track_caller]
    pub fn wait_json(&self, lines: usize) -> Vec<Value> {
        let printed = until(LONG, &format!("{lines} lines"), || Some(self.printed()).filter(|all| all.len() >= lines));
        printed.iter().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
    }

    /// Waits for a line with this text, on either output.
    ///
    /// # Panics
    ///
    /// It does not come.
    #[track_caller]
    pub fn wait_for(&self, text: &str) {
        until(LONG, &format!("{text:?} is printed"), || {
            self.printed().iter().chain(&self.complaints()).any(|line| line.contains(text)).then_some(())
        });
    }

    /// Sends it a signal.
    ///
    /// # Panics
    ///
    /// It is gone.
    pub fn signal(&self, signal: Signal) {
        let pid = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw).expect("a child has a pid");
        kill_process(pid, signal).expect("the program is there");
    }

    /// Waits until it has ended by itself.
    ///
    /// # Panics
    ///
    /// It does not.
    #[track_caller]
    pub fn wait_end(&mut self) -> ExitStatus {
        until(LONG, "the program ends", || self.child.try_wait().expect("a child can be waited for"))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // One that has ended already is what was wanted.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Takes down each line, until there are no more.
fn collect(output: impl Read + Send + 'static, lines: Arc<Mutex<Vec<String>>>) {
    thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            lines.lock().unwrap_or_else(PoisonError::into_inner).push(line);
        }
    });
}

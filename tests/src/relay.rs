//! A relay process on loopback, that can be killed and started again.

use std::io::{BufRead as _, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use crate::program;
use crate::wait::{LONG, until};

/// A running `betwixt-relay` with a store of its own; killed when dropped.
#[derive(Debug)]
pub struct Relay {
    folder: TempDir,
    arguments: Vec<String>,
    environment: Vec<(String, String)>,
    child: Child,
    address: String,
    said: Said,
}

/// What a relay has said so far: on its standard output, and on its standard error.
#[derive(Debug, Default, Clone)]
struct Said {
    printed: Arc<Mutex<Vec<String>>>,
    complaints: Arc<Mutex<Vec<String>>>,
}

impl Default for Relay {
    fn default() -> Self {
        Self::start(&[])
    }
}

impl Relay {
    /// Starts a relay on a free port, with these arguments more.
    ///
    /// # Panics
    ///
    /// It does not start.
    #[must_use]
    pub fn start(arguments: &[&str]) -> Self {
        Self::start_with(arguments, &[])
    }

    /// The same, with these environment variables: by `betwixt relay`, which knows the test switches.
    ///
    /// # Panics
    ///
    /// It does not start.
    #[must_use]
    pub fn start_with(arguments: &[&str], environment: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let arguments: Vec<String> = arguments.iter().map(|&argument| argument.to_owned()).collect();
        let environment: Vec<_> =
            environment.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect();
        let (child, address, said) = spawn(folder.path(), "127.0.0.1:0", &arguments, &environment);
        Self { folder, arguments, environment, child, address, said }
    }

    /// Where it listens: a `ws://` address.
    #[must_use]
    pub fn url(&self) -> String {
        format!("ws://{}", self.address)
    }

    /// Where it listens: an address and a port.
    #[must_use]
    pub fn address(&self) -> &str {
        &self.address
    }

    /// The folder of its store.
    #[must_use]
    pub fn data(&self) -> &Path {
        self.folder.path()
    }

    /// What it has printed, a line an element.
    #[must_use]
    pub fn printed(&self) -> Vec<String> {
        self.said.printed.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What it has written to its standard error, a line an element.
    #[must_use]
    pub fn complaints(&self) -> Vec<String> {
        self.said.complaints.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Kills it at once.
    ///
    /// # Panics
    ///
    /// It is gone already.
    pub fn kill(&mut self) {
        self.child.kill().expect("the relay is there");
        self.child.wait().expect("a child can be waited for");
    }

    /// Starts it again, at the same address and on the same store.
    ///
    /// # Panics
    ///
    /// It does not start.
    pub fn restart(&mut self) {
        let address = self.address.clone();
        // The port may be held for a moment by links that are just being closed.
        (self.child, self.address, self.said) = spawn(self.folder.path(), &address, &self.arguments, &self.environment);
    }

    /// The same, with other arguments than before.
    ///
    /// # Panics
    ///
    /// It does not start.
    pub fn restart_with(&mut self, arguments: &[&str]) {
        self.arguments = arguments.iter().map(|&argument| argument.to_owned()).collect();
        self.restart();
    }

    /// Sends it a signal.
    ///
    /// # Panics
    ///
    /// It is gone.
    pub fn signal(&self, signal: Signal) {
        let pid = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw).expect("a child has a pid");
        kill_process(pid, signal).expect("the relay is there");
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        // One that was killed already is what was wanted.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn spawn(data: &Path, address: &str, arguments: &[String], environment: &[(String, String)]) -> (Child, String, Said) {
    let (name, verb) = if environment.is_empty() { ("betwixt-relay", None) } else { ("betwixt", Some("relay")) };
    let mut command = Command::new(program::path(name));
    command.args(verb).arg("--listen").arg(address).arg("--data").arg(data).args(arguments);
    command.envs(environment.iter().map(|(name, value)| (name, value)));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the relay starts");
    let said = Said::default();
    collect(child.stdout.take().expect("a pipe"), Arc::clone(&said.printed));
    collect(child.stderr.take().expect("a pipe"), Arc::clone(&said.complaints));
    let address = until(LONG, "the relay listens", || {
        let lines = said.printed.lock().unwrap_or_else(PoisonError::into_inner);
        lines.iter().find_map(|line| line.strip_prefix("listening on ws://").map(ToOwned::to_owned))
    });
    (child, address, said)
}

/// Takes down each line, until there are no more.
fn collect(output: impl Read + Send + 'static, lines: Arc<Mutex<Vec<String>>>) {
    thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            lines.lock().unwrap_or_else(PoisonError::into_inner).push(line);
        }
    });
}

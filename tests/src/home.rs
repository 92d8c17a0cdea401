//! A home of one's own: an empty folder in which the product keeps its data, and nothing of this machine shows.

use std::ffi::OsStr;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::program;
use crate::running::Running;
use crate::terminal::Terminal;

/// An empty home; removed with all that is in it.
#[derive(Debug)]
pub struct Home {
    folder: TempDir,
    relay: Option<String>,
}

impl Default for Home {
    fn default() -> Self {
        Self::new()
    }
}

impl Home {
    /// A home whose lists are on its own local relay.
    ///
    /// # Panics
    ///
    /// There is no temporary folder.
    #[must_use]
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a temporary folder"), relay: None }
    }

    /// A home whose lists are on a relay at this address.
    #[must_use]
    pub fn at_relay(url: &str) -> Self {
        Self { relay: Some(url.to_owned()), ..Self::new() }
    }

    /// The same, for a home that there is already.
    #[must_use]
    pub fn with_relay(self, url: Option<&str>) -> Self {
        Self { relay: url.map(ToOwned::to_owned), ..self }
    }

    /// Its folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Where the product keeps its data by default.
    #[must_use]
    pub fn data(&self) -> PathBuf {
        self.path().join(".local/share/betwixt")
    }

    /// The environment of a program at this home: nothing of this machine's, but what it runs by.
    #[must_use]
    pub fn environment(&self) -> Vec<(String, String)> {
        let home = self.path().display().to_string();
        let path = std::env::var("PATH").unwrap_or_default();
        let mut environment = vec![
            ("HOME".to_owned(), home),
            ("PATH".to_owned(), path),
            ("TERM".to_owned(), "xterm-256color".to_owned()),
            ("LANG".to_owned(), "C.UTF-8".to_owned()),
            ("USER".to_owned(), "ana".to_owned()),
        ];
        environment.extend(self.relay.clone().map(|relay| ("BETWIXT_RELAY".to_owned(), relay)));
        environment
    }

    /// A command of the product at this home.
    #[must_use]
    pub fn command<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Command {
        let mut command = Command::new(program::path("betwixt"));
        command.args(arguments).env_clear().envs(self.environment()).stdin(Stdio::null());
        command
    }

    /// Runs a verb to its end.
    ///
    /// # Panics
    ///
    /// It cannot be started.
    pub fn run<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Output {
        self.command(arguments).output().expect("betwixt starts")
    }

    /// Starts a verb that runs on by itself.
    #[must_use]
    pub fn start<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Running {
        Running::start(self.command(arguments))
    }

    /// Runs a verb that must succeed; returns what it printed.
    ///
    /// # Panics
    ///
    /// It fails.
    #[track_caller]
    pub fn ok<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> String {
        let output = self.run(arguments);
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "betwixt failed: {errors}");
        String::from_utf8(output.stdout).expect("betwixt prints UTF-8")
    }

    /// Runs a verb that must succeed with `--json`; returns what it printed.
    ///
    /// # Panics
    ///
    /// It fails, or prints something else.
    #[track_caller]
    pub fn json<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Value {
        let mut all: Vec<std::ffi::OsString> = arguments.into_iter().map(|a| a.as_ref().to_owned()).collect();
        all.insert(0, "--json".into());
        let printed = self.ok(all);
        serde_json::from_str(&printed).expect("--json prints JSON")
    }

    /// Runs a verb that must fail with one line and exit code 1; returns the line.
    ///
    /// # Panics
    ///
    /// It does otherwise.
    #[track_caller]
    pub fn error<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> String {
        let output = self.run(arguments);
        let errors = String::from_utf8(output.stderr).expect("errors are UTF-8");
        assert_eq!(output.status.code(), Some(1), "{errors}");
        assert!(errors.starts_with("error: ") && errors.trim_end().lines().count() == 1, "not one line: {errors:?}");
        errors.trim_end().to_owned()
    }

    /// Runs a verb with this standard input; it must succeed.
    ///
    /// # Panics
    ///
    /// It fails.
    #[track_caller]
    pub fn ok_with_input<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>, input: &str) -> String {
        let mut child = self
            .command(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("betwixt starts");
        child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("betwixt reads its input");
        let output = child.wait_with_output().expect("betwixt ends");
        assert!(output.status.success(), "betwixt failed: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("betwixt prints UTF-8")
    }

    /// The texts of a list, in order.
    ///
    /// # Panics
    ///
    /// `ls` fails.
    #[must_use]
    #[track_caller]
    pub fn texts(&self, list: &str) -> Vec<String> {
        let rows = self.json(["ls", list]);
        let rows = rows.as_array().expect("ls prints one array");
        rows.iter().map(|row| row["text"].as_str().expect("an item has a text").to_owned()).collect()
    }

    /// Opens a list on a screen of 80 by 24, with these environment variables more.
    #[must_use]
    pub fn open_with<S: AsRef<OsStr>>(
        &self,
        arguments: impl IntoIterator<Item = S>,
        more: &[(&str, &str)],
    ) -> Terminal {
        let mut environment = self.environment();
        environment.retain(|(name, _)| more.iter().all(|(other, _)| name != other));
        environment.extend(more.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())));
        Terminal::start(&program::path("betwixt"), arguments, &environment, (80, 24))
    }

    /// Opens a list on a screen of 80 by 24.
    #[must_use]
    pub fn open<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Terminal {
        Terminal::start(&program::path("betwixt"), arguments, &self.environment(), (80, 24))
    }
}

//! The headless binary: what it says, and what a kill leaves.

use std::io::{BufRead as _, BufReader, Read as _};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use betwixt_core::wire::SUBPROTOCOL;
use tokio::net::TcpStream;

use crate::relay::within;
use crate::site::{Site, key, upgrade};

fn command(data: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_betwixt-relay"));
    command.arg("--data").arg(data).args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// A running binary, killed when it is dropped.
struct Running {
    child: Child,
    address: SocketAddr,
    out: BufReader<std::process::ChildStdout>,
}

impl Running {
    fn start(data: &Path) -> Self {
        let mut child = command(data, &["--listen", "127.0.0.1:0"]).spawn().unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        out.read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("listening on ws://").unwrap().parse().unwrap();
        Self { child, address, out }
    }

    async fn dial(&self, number: u8) -> Site {
        let socket = TcpStream::connect(self.address).await.unwrap();
        Site::over(upgrade(socket, &[("sec-websocket-protocol", SUBPROTOCOL)]).await.unwrap(), number)
    }

    fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[track_caller]
fn check_error(data: &Path, arguments: &[&str], expected: &str) {
    let output = command(data, arguments).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.starts_with("error: ") && said.contains(expected) && said.lines().count() == 1, "{said}");
}

#[tokio::test]
async fn what_was_acknowledged_survives_kill_9() {
    let folder = tempfile::tempdir().unwrap();
    let mut running = Running::start(folder.path());
    let mut ana = running.dial(1).await;
    ana.open().await;
    let join = ana.mint(betwixt_core::op::Body::Join(betwixt_core::op::Join::default()));
    ana.push(vec![join]).await;
    for item in 0..20 {
        let add = ana.mint_add(item, &key("V"), &item.to_string());
        ana.push(vec![add]).await;
    }
    ana.until_acked().await;
    running.kill();
    let running = Running::start(folder.path());
    let mut ben = running.dial(2).await;
    ben.open().await;
    ben.until_seq(21).await;
    assert_eq!(ben.list.state_hash(), ana.list.state_hash());
}

#[tokio::test]
async fn it_ends_in_order_when_it_is_told_to() {
    let folder = tempfile::tempdir().unwrap();
    let mut running = Running::start(folder.path());
    let mut ana = running.dial(1).await;
    ana.open().await;
    let pid = rustix::process::Pid::from_child(&running.child);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    let closing = betwixt_core::wire::CloseReason::Shutdown;
    assert_eq!(within("it says so", ana.end()).await, crate::site::End::Closing(closing));
    drop(ana);
    assert!(running.child.wait().unwrap().success());
    let mut log = String::new();
    running.out.read_to_string(&mut log).unwrap();
    assert!(log.contains("inbox               1 links      0 items     0 op/s"), "{log}");
    assert!(!folder.path().join("relay.sock").exists());
}

#[test]
fn what_keeps_it_from_serving_is_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    check_error(&data, &["--listen", "0.0.0.0:0"], "add --insecure");
    check_error(&data, &["--listen", "nowhere"], "cannot listen on nowhere");
    check_error(&data, &["--limit", "items=many", "--listen", "127.0.0.1:0"], "items takes a number from 1 to");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    check_error(&data, &["--listen", &address], "is taken by another program");
    std::fs::create_dir_all(&data).unwrap();
    std::fs::write(data.join("relay.redb"), "not a store").unwrap();
    check_error(&data, &["--listen", "127.0.0.1:0"], "is damaged; nothing in it was changed: put a copy of it back");
}

#[test]
fn a_folder_has_one_relay() {
    let folder = tempfile::tempdir().unwrap();
    let running = Running::start(folder.path());
    let pid = format!("is served by another relay, process {}", running.child.id());
    check_error(folder.path(), &["--listen", "127.0.0.1:0"], &pid);
}

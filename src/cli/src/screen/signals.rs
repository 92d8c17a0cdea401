//! Signals that end or stop a program with a screen, and the end of its terminal, which not every shell signals.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::process::{Signal as Unix, kill_current_process_group};
use tokio::signal::unix::{Signal as Stream, SignalKind, signal};
use tokio::sync::Notify;

/// How long the program may take to end in order when its terminal is gone.
const LAST_WORK: Duration = Duration::from_millis(1_500);
/// The exit code of a program that SIGHUP has ended.
const HUNG_UP: i32 = 129;

/// What a signal asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Signal {
    /// The terminal is gone, or somebody wants this to end.
    End,
    /// Stop, as by Ctrl-Z.
    Suspend,
}

/// The signals that are listened to.
pub(super) struct Signals {
    hang_up: Stream,
    terminate: Stream,
    interrupt: Stream,
    stop: Stream,
    hung_up: Arc<Notify>,
}

impl Signals {
    pub(super) fn listen() -> io::Result<Self> {
        let hung_up = Arc::new(Notify::new());
        let tell = Arc::clone(&hung_up);
        std::thread::spawn(move || {
            if wait_for_hang_up() {
                tell.notify_one();
                std::thread::sleep(LAST_WORK);
                std::process::exit(HUNG_UP);
            }
        });
        Ok(Self {
            hung_up,
            hang_up: signal(SignalKind::hangup())?,
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            stop: signal(SignalKind::from_raw(Unix::TSTP.as_raw()))?,
        })
    }

    /// The next one. Cancel safe.
    pub(super) async fn next(&mut self) -> Signal {
        tokio::select! {
            () = self.hung_up.notified() => Signal::End,
            _ = self.hang_up.recv() => Signal::End,
            _ = self.terminate.recv() => Signal::End,
            _ = self.interrupt.recv() => Signal::End,
            _ = self.stop.recv() => Signal::Suspend,
        }
    }
}

/// Ends the program some time after its terminal is gone, whatever it is doing then. A key reader whose terminal is gone can
/// read nothing for ever without giving way; all that was shown is on the disk, and the relay's role goes with the process.
pub(super) fn end_without_terminal() -> io::Result<()> {
    let mut hang_up = signal(SignalKind::hangup())?;
    tokio::spawn(async move {
        hang_up.recv().await;
        tokio::time::sleep(LAST_WORK).await;
        std::process::exit(HUNG_UP);
    });
    Ok(())
}

/// Waits until the terminal is gone; false where the system cannot tell.
fn wait_for_hang_up() -> bool {
    let stdout = io::stdout();
    loop {
        // No event is asked for: a hang-up is told in any case.
        let mut terminal = [PollFd::new(&stdout, PollFlags::empty())];
        match poll(&mut terminal, None) {
            Ok(_) => return terminal[0].revents().contains(PollFlags::HUP),
            Err(Errno::INTR) => {}
            Err(_cannot_tell) => return false,
        }
    }
}

/// Stops this process and its group, as a shell's job; returns when it goes on.
pub(super) fn stop() {
    // A process group that does not take the signal leaves the program running, which is what it is told then.
    let _ = kill_current_process_group(Unix::STOP);
}

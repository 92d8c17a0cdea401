//! What ends a verb that goes on by itself, or stops it for a while.

use std::io;
use std::sync::Arc;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::process::{Signal as Unix, kill_current_process_group};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::Notify;

/// What somebody wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// That this ends: by Ctrl-C, by a signal, or since nobody reads what it prints.
    End,
    /// That it stops, as by Ctrl-Z.
    Suspend,
}

/// What is listened to.
pub(super) struct Endings {
    unread: Arc<Notify>,
    interrupt: Signal,
    terminate: Signal,
    hang_up: Signal,
    stop: Signal,
}

impl Endings {
    /// Needs a tokio runtime.
    pub(super) fn listen() -> io::Result<Self> {
        let unread = Arc::new(Notify::new());
        let tell = Arc::clone(&unread);
        std::thread::spawn(move || {
            if wait_until_unread() {
                tell.notify_one();
            }
        });
        Ok(Self {
            unread,
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hang_up: signal(SignalKind::hangup())?,
            stop: signal(SignalKind::from_raw(Unix::TSTP.as_raw()))?,
        })
    }

    /// The next one. Cancel safe.
    pub(super) async fn next(&mut self) -> Ending {
        tokio::select! {
            () = self.unread.notified() => Ending::End,
            _ = self.interrupt.recv() => Ending::End,
            _ = self.terminate.recv() => Ending::End,
            _ = self.hang_up.recv() => Ending::End,
            _ = self.stop.recv() => Ending::Suspend,
        }
    }
}

/// Waits until nobody reads standard output any more; false where the system cannot tell.
fn wait_until_unread() -> bool {
    let stdout = io::stdout();
    loop {
        // No event is asked for: the end of a pipe or of a terminal is told in any case.
        let mut output = [PollFd::new(&stdout, PollFlags::empty())];
        match poll(&mut output, None) {
            Ok(_) => return output[0].revents().intersects(PollFlags::HUP | PollFlags::ERR),
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

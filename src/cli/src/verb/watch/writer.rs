//! Standard output with a reader that may take its time: a thread writes, so that the rest goes on meanwhile.

use std::io::{self, Write as _};

use tokio::sync::mpsc;
use tokio::sync::oneshot;

use crate::report::Report;

/// Lines that wait to be written. While they wait, no more is read from the relay.
const LINES_MAX: usize = 64;

/// A thread that writes lines, each flushed at once. It ends with the program.
pub(super) struct Writer {
    lines: mpsc::Sender<String>,
    fault: oneshot::Receiver<io::Error>,
}

impl Writer {
    pub(super) fn start() -> Self {
        let (lines, mut queued) = mpsc::channel::<String>(LINES_MAX);
        let (tell, fault) = oneshot::channel();
        std::thread::spawn(move || {
            let mut out = io::stdout();
            while let Some(line) = queued.blocking_recv() {
                if let Err(error) = writeln!(out, "{line}").and_then(|()| out.flush()) {
                    // Told before the queue closes. Whoever has gone on without it does not ask.
                    let _ = tell.send(error);
                    return;
                }
            }
        });
        Self { lines, fault }
    }

    /// Writes what is queued.
    pub(super) async fn end(self) {
        drop(self.lines);
        // The thread has ended then, with or without a word.
        let _ = self.fault.await;
    }

    /// Queues a line; false if nobody reads it. Cancel safe, but for the line.
    pub(super) async fn line(&mut self, line: String) -> Result<bool, Report> {
        if self.lines.send(line).await.is_ok() {
            return Ok(true);
        }
        match self.fault.try_recv() {
            Ok(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
            _ => Ok(false),
        }
    }
}

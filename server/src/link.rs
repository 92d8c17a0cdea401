//! A link: one WebSocket, its reader and its writer, in one task.
//!
//! The reader decodes, checks limits and hands on to the workers; the writer takes from the [outbox](crate::outbox).
//! Neither waits for the other: a link that does not read is still read from, until its answers pile up.

mod accept;
mod directory;
mod metered;
mod reader;
mod spelling;
mod tokens;
mod writer;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::Sender;
use std::time::Duration;

use betwixt_core::hlc::Millis;
use betwixt_core::limits::HELLO_MAX;
use betwixt_core::name::ListName;
use betwixt_core::wire::CloseReason;
use futures_util::StreamExt as _;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite};
use tokio::sync::{OwnedSemaphorePermit, watch};
use tokio::time::{Instant, timeout, timeout_at};

use self::metered::Metered;
use self::reader::Reader;
use self::writer::Writer;
use crate::outbox::{Outbox, SessionId};
use crate::splits::Splits;
use crate::worker::{Command, Shared};

/// How long a link that is being closed may take for what is still queued.
const CLOSING_MAX: Duration = Duration::from_secs(1);
/// How long a closed link is read on, so that what it still sends does not make its system drop our last words.
const LINGER_MAX: Duration = Duration::from_millis(250);

/// Where a link comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The same user on this machine: no rate limit, and a relay that hands over is dialed again at once.
    Local,
    /// Anywhere.
    Remote,
}

/// How far a relay has come with its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// It works.
    Serving,
    /// Nothing more is read; what was read is made durable.
    Draining,
    /// Links are closed.
    Closing,
}

/// What all links share.
#[derive(Debug)]
pub struct Links {
    /// What links and workers share.
    pub shared: Arc<Shared>,
    /// Which worker owns a list.
    pub splits: Splits,
    /// The workers, by number.
    pub workers: Vec<Sender<Command>>,
    /// The last session's number.
    pub sessions: AtomicU64,
    /// How far the relay has come with its end.
    pub phase: watch::Receiver<Phase>,
}

impl Links {
    /// A session that never was.
    fn next_session(&self) -> SessionId {
        SessionId(self.sessions.fetch_add(1, Ordering::Relaxed))
    }

    /// Tells the worker that owns a list.
    fn tell(&self, name: &ListName, command: Command) {
        if let Some(worker) = self.workers.get(self.splits.table().owner(name)) {
            // A worker that has drained takes nothing more; its links are being closed.
            let _ = worker.send(command);
        }
    }
}

/// Serves one link until it ends. `greeting` is held until the link has said a `Hello`.
pub async fn serve<S>(socket: S, origin: Origin, links: Arc<Links>, greeting: OwnedSemaphorePermit)
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let hello_by = Instant::now() + Duration::from_millis(HELLO_MAX.0);
    let mut phase = links.phase.clone();
    let (socket, written) = Metered::new(socket);
    let limits = &links.shared.options.limits;
    let accepted = tokio::select! {
        accepted = timeout_at(hello_by, accept::accept(socket, limits)) => accepted,
        _ = phase.wait_for(|phase| *phase > Phase::Serving) => return,
    };
    let Ok(Ok((socket, spelling))) = accepted else { return };
    let (sink, stream) = socket.split();
    let outbox = Arc::new(Outbox::default());
    let mut reader = Reader::new(stream, origin, spelling, Arc::clone(&links), Arc::clone(&outbox), greeting);
    let mut writer = Writer::new(sink, written, spelling, Arc::clone(&links), Arc::clone(&outbox));
    let open = {
        let writing = writer.run();
        tokio::pin!(writing);
        let still_writing = tokio::select! {
            _end = &mut writing => false,
            end = reader.run(hello_by) => { end.close(&outbox); true }
            _ = phase.wait_for(|phase| *phase == Phase::Closing) => {
                outbox.close(CloseReason::Shutdown, retry_after(origin));
                true
            }
        };
        // Whatever is queued goes out first: acks, then the reason.
        !still_writing || timeout(CLOSING_MAX, writing).await.is_ok()
    };
    let sessions = outbox.look(|queue| queue.sessions().map(|(id, name)| (id, name.clone())).collect::<Vec<_>>());
    for (session, name) in sessions {
        links.tell(&name, Command::Leave { name: name.clone(), session });
    }
    if open && let Ok(mut socket) = reader.into_stream().reunite(writer.into_sink()) {
        let _ = timeout(LINGER_MAX, async {
            while let Some(Ok(_)) = socket.next().await {}
            // A message over the limit ends the WebSocket before its bytes were read.
            let mut rest = [0; 1024];
            while let Ok(1..) = socket.get_mut().read(&mut rest).await {}
        })
        .await;
    }
}

/// When a site dials again that a closing relay sends away: not all at once.
fn retry_after(origin: Origin) -> Millis {
    match origin {
        Origin::Local => Millis(50),
        Origin::Remote => {
            let mut random = [0; 2];
            // Without randomness all come back after the least time.
            let _ = getrandom::fill(&mut random);
            Millis(200 + u64::from(u16::from_be_bytes(random)) % 1_800)
        }
    }
}

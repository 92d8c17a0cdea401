//! The writing half of a link: takes work from the outbox, and feeds sessions from the log at the link's own speed.

use std::sync::Arc;
use std::time::Duration;

use betwixt_core::hlc::Millis;
use betwixt_core::id::ListUid;
use betwixt_core::limits::{PING_EVERY, STALLED_AFTER};
use betwixt_core::name::ListName;
use betwixt_core::wire::CloseReason;
use bytes::Bytes;
use futures_util::SinkExt as _;
use futures_util::stream::SplitSink;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::{Instant, MissedTickBehavior, interval_at, timeout};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::{Error, Message};

use super::Links;
use super::metered::{Metered, Written};
use super::spelling::Spelling;
use crate::engine::{Behind, LoadError, Record};
use crate::notice::Notice;
use crate::outbox::{Closing, Outbox, SessionId, Work};
use crate::worker::{Command, RETRY_DAMAGED, RETRY_STORAGE, messages_of};

/// Bytes of the log that are read at once for a link that catches up.
const READ_BYTES_MAX: usize = 128 * 1024;

/// The sending end of a link's WebSocket.
type Sink<S> = SplitSink<WebSocketStream<Metered<S>>, Message>;

/// Why a writer has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ended {
    /// All was said, and the link was closed.
    Closed,
    /// The link took nothing for too long, or is broken.
    Broken,
}

/// The writing half of a link.
pub(super) struct Writer<S> {
    sink: Sink<S>,
    written: Written,
    spelling: Spelling,
    links: Arc<Links>,
    outbox: Arc<Outbox>,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Writer<S> {
    pub(super) fn new(
        sink: Sink<S>,
        written: Written,
        spelling: Spelling,
        links: Arc<Links>,
        outbox: Arc<Outbox>,
    ) -> Self {
        Self { sink, written, spelling, links, outbox }
    }

    pub(super) fn into_sink(self) -> Sink<S> {
        self.sink
    }

    /// Writes until the link is closed or breaks.
    pub(super) async fn run(&mut self) -> Ended {
        let ping_every = Duration::from_millis(PING_EVERY.0);
        let mut ping = interval_at(Instant::now() + ping_every, ping_every);
        ping.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let outbox = Arc::clone(&self.outbox);
            // The ping first: a link that is busy with what it is sent, and says nothing itself, has to show that it lives.
            let work = tokio::select! {
                biased;
                _ = ping.tick() => {
                    if self.write([Message::Ping(Bytes::new())]).await.is_err() {
                        return Ended::Broken;
                    }
                    continue;
                }
                work = outbox.work() => work,
            };
            let written = match work {
                Work::Send(messages) => self.send(messages).await,
                Work::Tell(text) => self.write([Message::from(text)]).await,
                Work::Ask { session, name, after } => {
                    self.links.tell(&name, Command::CaughtUp { name: name.clone(), session, after });
                    Ok(())
                }
                Work::Read { session, name, uid, after } => self.feed(session, name, uid, after).await,
                Work::Close(closing) => {
                    let closed = self.close(closing).await;
                    return if closed.is_ok() { Ended::Closed } else { Ended::Broken };
                }
            };
            if written.is_err() {
                return Ended::Broken;
            }
        }
    }

    /// Sends the next part of the log to a session.
    async fn feed(&mut self, session: SessionId, name: ListName, uid: ListUid, after: u64) -> Result<(), Stopped> {
        let engine = Arc::clone(&self.links.shared.engine);
        let read = tokio::task::spawn_blocking(move || engine.read(&name, after, READ_BYTES_MAX)).await;
        // If the list was deleted meanwhile, what was read may be another's; its sessions ended before there was one.
        if !self.outbox.look(|queue| queue.has(session)) {
            return Ok(());
        }
        let records: Vec<Record> = match read {
            Ok(Ok(Behind::Entries(records))) => records,
            // It was trimmed while this link was fed. The site dials again, and is given a snapshot.
            Ok(Ok(Behind::Trimmed)) => {
                self.outbox.close(CloseReason::Stalled, Millis(0));
                return Ok(());
            }
            Ok(Err(fault)) => {
                let (reason, retry) = match fault {
                    LoadError::Damaged { .. } => (CloseReason::Damaged, RETRY_DAMAGED),
                    LoadError::Store { .. } => (CloseReason::Storage, RETRY_STORAGE),
                };
                self.links.shared.notices.say(Notice::List(Arc::new(fault)));
                self.outbox.close(reason, retry);
                return Ok(());
            }
            // The store's own pages are not what they were; the thread that met that is gone.
            Err(_panicked) => {
                self.outbox.close(CloseReason::Storage, RETRY_STORAGE);
                return Ok(());
            }
        };
        let bytes: usize = records.iter().map(|record| record.bytes.len()).sum();
        let last = records.last().map(|record| record.seq);
        let messages = messages_of(uid, records.iter());
        self.send(messages.into_iter().map(|(_, message)| message)).await?;
        self.outbox.with(|queue| queue.fed(session, last, bytes < READ_BYTES_MAX));
        Ok(())
    }

    async fn close(&mut self, Closing { message, code }: Closing) -> Result<(), Stopped> {
        let frame = Message::Close(Some(CloseFrame { code, reason: "".into() }));
        let message = message.and_then(|message| self.spelling.frames(message)).unwrap_or_default();
        self.write(message.into_iter().chain([frame])).await
    }

    /// Sends messages in the link's spelling.
    async fn send(&mut self, messages: impl IntoIterator<Item = Bytes>) -> Result<(), Stopped> {
        let spelling = self.spelling;
        let mut damaged = false;
        let frames = messages.into_iter().flat_map(|message| {
            let frames = spelling.frames(message);
            damaged |= frames.is_none();
            frames.unwrap_or_default()
        });
        self.write(frames).await?;
        // We encoded it, or it came out of the store.
        if damaged {
            self.outbox.close(CloseReason::Damaged, RETRY_DAMAGED);
        }
        Ok(())
    }

    /// Writes messages into one flush; gives up when the link takes nothing for too long.
    async fn write(&mut self, messages: impl IntoIterator<Item = Message>) -> Result<(), Stopped> {
        let sink = &mut self.sink;
        let writing = async {
            for message in messages {
                sink.feed(message).await?;
            }
            sink.flush().await
        };
        tokio::pin!(writing);
        loop {
            let before = self.written.bytes();
            match timeout(Duration::from_millis(STALLED_AFTER.0), &mut writing).await {
                Ok(written) => return written.map_err(Stopped::Broken),
                Err(_elapsed) if self.written.bytes() == before => return Err(Stopped::Stalled),
                Err(_elapsed) => {}
            }
        }
    }
}

/// Why nothing more can be written.
#[derive(Debug)]
enum Stopped {
    #[expect(dead_code, reason = "says in a debugger what broke")]
    Broken(Error),
    Stalled,
}

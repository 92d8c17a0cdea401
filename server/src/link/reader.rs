//! The reading half of a link: decodes, bounds, and hands on to the workers.

use std::sync::Arc;
use std::time::Duration;

use betwixt_core::hlc::Millis;
use betwixt_core::id::{ItemId, ListUid};
use betwixt_core::limits::{DEAD_AFTER, PRESENCE_EVERY};
use betwixt_core::wire::{self, CloseReason, ToRelay, ToSite, VERSION, json};
use futures_util::StreamExt as _;
use futures_util::stream::SplitStream;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, sleep, sleep_until, timeout_at};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::{Error, Message};

use super::metered::Metered;
use super::spelling::{Came, Spelling};
use super::tokens::Tokens;
use super::{Links, Origin, Phase, directory};
use crate::engine::LoadError;
use crate::notice::Notice;
use crate::outbox::Outbox;
use crate::room::sketch::Pushed;
use crate::worker::{Command, Deletion, Hello, RETRY_DAMAGED, RETRY_STORAGE};

/// Bytes of messages of one link that are not durable yet; then it is not read from.
const UNDER_WAY_BYTES_MAX: u32 = 1024 * 1024;
/// What a `Hello` counts as among the ops of a link: it may load a list, or make one.
const HELLO_OPS: usize = 20;

type Stream<S> = SplitStream<WebSocketStream<Metered<S>>>;

/// Why a reader has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ended {
    /// The site closed the link, or it broke.
    Gone,
    /// Silent for too long.
    Dead,
    /// A message over the limit.
    TooLarge,
    /// Told why.
    Because(CloseReason, Millis),
}

impl Ended {
    /// Closes the link accordingly.
    pub(super) fn close(self, outbox: &Outbox) {
        match self {
            Self::Gone => outbox.close_with(CloseCode::Normal),
            Self::Dead => outbox.close_with(CloseCode::Away),
            Self::TooLarge => outbox.close_with(CloseCode::Size),
            Self::Because(reason, retry_after) => outbox.close(reason, retry_after),
        }
    }
}

/// Where a person is.
struct Here {
    list: ListUid,
    at: Option<ItemId>,
    editing: bool,
}

/// The reading half of a link.
pub(super) struct Reader<S> {
    stream: Stream<S>,
    spelling: Spelling,
    links: Arc<Links>,
    outbox: Arc<Outbox>,
    /// Held until a `Hello` was accepted, or the directory was asked for, or a list deleted.
    greeting: Option<OwnedSemaphorePermit>,
    tokens: Option<Tokens>,
    under_way: Arc<Semaphore>,
    /// What waits until presence may be said again, and when that is.
    here: Option<Here>,
    here_from: Instant,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Reader<S> {
    pub(super) fn new(
        stream: Stream<S>,
        origin: Origin,
        spelling: Spelling,
        links: Arc<Links>,
        outbox: Arc<Outbox>,
        greeting: OwnedSemaphorePermit,
    ) -> Self {
        let now = Instant::now();
        let tokens = (origin == Origin::Remote).then(|| Tokens::new(&links.shared.options.limits, now));
        let under_way = Arc::new(Semaphore::new(UNDER_WAY_BYTES_MAX as usize));
        Self {
            stream,
            spelling,
            links,
            outbox,
            greeting: Some(greeting),
            tokens,
            under_way,
            here: None,
            here_from: now,
        }
    }

    pub(super) fn into_stream(self) -> Stream<S> {
        self.stream
    }

    /// Reads until the link ends, or the relay drains: then it waits for ever.
    pub(super) async fn run(&mut self, hello_by: Instant) -> Ended {
        let mut phase = self.links.phase.clone();
        tokio::select! {
            biased;
            _ = phase.wait_for(|phase| *phase > Phase::Serving) => {}
            ended = self.read(hello_by) => return ended,
        }
        std::future::pending().await
    }

    async fn read(&mut self, hello_by: Instant) -> Ended {
        loop {
            self.outbox.replies_fit().await;
            let silent_by = match self.greeting {
                Some(_) => hello_by,
                None => Instant::now() + Duration::from_millis(DEAD_AFTER.0),
            };
            let next = tokio::select! {
                next = timeout_at(silent_by, self.stream.next()) => next,
                () = sleep_until(self.here_from), if self.here.is_some() => {
                    if let Some(here) = self.here.take() {
                        self.say_here(here);
                    }
                    continue;
                }
            };
            let taken = match next {
                Err(_elapsed) if self.greeting.is_some() => Err(Ended::Because(CloseReason::NoHello, Millis(0))),
                Err(_elapsed) => Err(Ended::Dead),
                Ok(Some(Ok(frame @ (Message::Binary(_) | Message::Text(_))))) => self.take(&frame).await,
                Ok(Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_)))) => Ok(()),
                Ok(Some(Err(Error::Capacity(_)))) => Err(Ended::TooLarge),
                Ok(Some(Ok(Message::Close(_)) | Err(_)) | None) => Err(Ended::Gone),
            };
            if let Err(ended) = taken {
                return ended;
            }
        }
    }

    async fn take(&mut self, frame: &Message) -> Result<(), Ended> {
        let bytes = frame.len();
        let message = match self.spelling.read(frame) {
            Ok(Came::Message(message)) => message,
            Ok(Came::Sketches { list, ops }) if self.greeting.is_none() => {
                self.push(list, Pushed::Sketches(ops), bytes).await;
                return Ok(());
            }
            Ok(Came::Sketches { .. }) => return Err(Ended::Because(CloseReason::NoHello, Millis(0))),
            Ok(Came::Later) => return Ok(()),
            Err(unread) => {
                self.say_unreadable(&unread.to_string());
                return Ok(());
            }
        };
        match message {
            ToRelay::Hello(hello) => self.greet(*hello, bytes).await,
            ToRelay::Lists(asked) => {
                self.slow_down(HELLO_OPS).await;
                self.greeting = None;
                let answer = directory::lists(&self.links.shared.engine, asked).await?;
                self.outbox.reply(&answer);
                Ok(())
            }
            ToRelay::DeleteList { name, uid } => {
                self.slow_down(HELLO_OPS).await;
                self.greeting = None;
                let permit = self.permit(bytes).await;
                let deletion = Deletion { name: name.clone(), uid, outbox: Arc::clone(&self.outbox), permit };
                self.links.tell(&name, Command::Delete(Box::new(deletion)));
                Ok(())
            }
            _ if self.greeting.is_some() => Err(Ended::Because(CloseReason::NoHello, Millis(0))),
            ToRelay::Push { list, ops } => {
                self.push(list, Pushed::Ops(ops), bytes).await;
                Ok(())
            }
            ToRelay::Here { list, at, editing } => {
                let here = Here { list, at, editing };
                // One that waits for another list would be lost if this one took its place.
                if let Some(other) = self.here.take_if(|waiting| waiting.list != list) {
                    self.say_here(other);
                }
                if Instant::now() >= self.here_from {
                    self.say_here(here);
                } else {
                    self.here = Some(here);
                }
                Ok(())
            }
            ToRelay::Leave { list } => {
                if let Some((session, name)) = self.outbox.look(|queue| queue.session_of(list)) {
                    self.outbox.with(|queue| queue.end(session));
                    self.links.tell(&name, Command::Leave { name: name.clone(), session });
                }
                Ok(())
            }
        }
    }

    async fn greet(&mut self, hello: wire::Hello, bytes: usize) -> Result<(), Ended> {
        if !hello.versions.contains(&VERSION) {
            return Err(Ended::Because(CloseReason::Version, Millis(0)));
        }
        self.slow_down(HELLO_OPS).await;
        let name = hello.name;
        let limits = &self.links.shared.options.limits;
        let lists_max = usize::try_from(limits.lists_per_link).unwrap_or(usize::MAX);
        let others = self.outbox.look(|queue| queue.sessions().filter(|(_, open)| **open != name).count());
        if others >= lists_max {
            return Err(Ended::Because(CloseReason::Limit, Millis(1_000)));
        }
        let chain_there = if hello.mark.seq == 0 || hello.uid.is_none() {
            None
        } else {
            let (engine, name, seq) = (Arc::clone(&self.links.shared.engine), name.clone(), hello.mark.seq);
            match tokio::task::spawn_blocking(move || engine.chain_at(&name, seq)).await {
                Ok(Ok(chain)) => chain,
                Ok(Err(fault)) => {
                    let damaged = matches!(fault, LoadError::Damaged { .. });
                    self.links.shared.notices.say(Notice::List(Arc::new(fault)));
                    return Err(if damaged {
                        Ended::Because(CloseReason::Damaged, RETRY_DAMAGED)
                    } else {
                        Ended::Because(CloseReason::Storage, RETRY_STORAGE)
                    });
                }
                Err(_panicked) => return Err(Ended::Because(CloseReason::Storage, RETRY_STORAGE)),
            }
        };
        let _permit = self.permit(bytes).await;
        let session = self.links.next_session();
        let earlier = self.outbox.with(|queue| queue.open(session, name.clone()));
        if let Some(session) = earlier {
            self.links.tell(&name, Command::Leave { name: name.clone(), session });
        }
        let greeting = Hello {
            session,
            name: name.clone(),
            uid: hello.uid,
            mark: hello.mark,
            chain_there,
            pending: hello.pending,
            site: hello.secret.site(),
            person: hello.person,
            limits: limits.clone(),
            outbox: Arc::clone(&self.outbox),
        };
        self.links.tell(&name, Command::Hello(Box::new(greeting)));
        self.greeting = None;
        Ok(())
    }

    /// Says that a message was skipped; to a script, also why.
    fn say_unreadable(&self, why: &str) {
        match self.spelling {
            Spelling::Compact => self.outbox.reply(&ToSite::Unreadable),
            Spelling::Json => self.outbox.tell(json::unreadable(why)),
        }
    }

    async fn push(&mut self, list: ListUid, ops: Pushed, bytes: usize) {
        let count = ops.count();
        // A list that this link has not open, or no more: it was told, and sends again.
        if let Some((session, name)) = self.outbox.look(|queue| queue.session_of(list)) {
            let permit = self.permit(bytes).await;
            self.links.tell(&name, Command::Push { name: name.clone(), session, ops, permit });
        } else if self.spelling == Spelling::Json {
            let why = format!("a push to list {list}, which this link has not open: wait for its `welcome`");
            self.say_unreadable(&why);
        }
        self.slow_down(count).await;
    }

    /// Counts ops; says that they come too fast and waits, if they do.
    async fn slow_down(&mut self, ops: usize) {
        if let Some(wait) = self.tokens.as_mut().and_then(|tokens| tokens.take(ops, Instant::now())) {
            let retry_after = Millis(u64::try_from(wait.as_millis()).unwrap_or(u64::MAX));
            self.outbox.reply(&ToSite::Wait { retry_after });
            sleep(wait).await;
        }
    }

    fn say_here(&mut self, Here { list, at, editing }: Here) {
        self.here_from = Instant::now() + Duration::from_millis(PRESENCE_EVERY.0);
        if let Some((session, name)) = self.outbox.look(|queue| queue.session_of(list)) {
            self.links.tell(&name, Command::Here { name: name.clone(), session, at, editing });
        }
    }

    /// Room for a message among those that are under way; waits for it.
    async fn permit(&self, bytes: usize) -> OwnedSemaphorePermit {
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX).clamp(1, UNDER_WAY_BYTES_MAX);
        let permit = Arc::clone(&self.under_way).acquire_many_owned(bytes).await;
        permit.expect("nobody closes this semaphore")
    }
}

//! The task that owns a link and a clock. It decides nothing: the session does.

use std::time::Duration;

use betwixt_core::wire::{Message as _, ToRelay, ToSite, WireError};
use bytes::Bytes;
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{FutureExt, SinkExt, StreamExt};
use tokio::sync::mpsc;
use tokio_tungstenite::tungstenite::{self, Message};

use crate::Address;
use crate::link::{Link, dial};
use crate::session::{Input, Outputs};

/// Frames that are taken at once, and go into one transaction.
const FRAMES_MAX: usize = 256;
/// How long the driver sleeps when the session has nothing to wait for.
const LONG: Duration = Duration::from_hours(1);

/// A session and what it works on, as its driver sees it.
pub(crate) trait Driven: Sync {
    /// Where the relay is.
    fn address(&self) -> Address;

    /// How long until it wants a tick, if nothing else happens; `None` if it does not.
    fn pause(&self) -> Option<Duration>;

    /// Goes through what happened, in order, and says what is to be done about the link.
    fn work(&self, inputs: Vec<Input>) -> Turn;

    /// Ready when it is to end.
    fn closed(&self) -> impl Future<Output = ()> + Send;

    /// Ready when there may be something to send. Cancel safe.
    fn woken(&self) -> impl Future<Output = ()> + Send;

    /// Ready when it can take more of what the link brings. Cancel safe.
    fn ready(&self) -> impl Future<Output = ()> + Send;
}

/// What a driver does about its link: hang up or send, then dial.
#[derive(Debug, Default)]
pub(crate) struct Turn {
    /// Messages to the relay, in order.
    pub(crate) send: Vec<ToRelay>,
    /// Ask whether the other side is there.
    pub(crate) ping: bool,
    /// Close the link; nothing is sent over it.
    pub(crate) hang_up: bool,
    /// Dial.
    pub(crate) dial: bool,
}

impl Turn {
    /// Adds what the next step of a session wants: where it hangs up, nothing goes out any more that came before.
    pub(crate) fn add(&mut self, out: &mut Outputs) {
        self.send.append(&mut out.send);
        self.ping |= out.ping;
        if out.hang_up {
            self.send.clear();
            self.hang_up = true;
        }
        self.dial |= out.dial;
    }
}

/// An open link: what comes in, and where to put what goes out.
struct Open {
    incoming: SplitStream<Link>,
    outgoing: mpsc::UnboundedSender<Message>,
}

impl Open {
    fn new(link: Link) -> Self {
        let (sink, incoming) = link.split();
        let (outgoing, messages) = mpsc::unbounded_channel();
        // The writer ends when `outgoing` is dropped, or when the link takes no more.
        tokio::spawn(write(sink, messages));
        Self { incoming, outgoing }
    }
}

/// Drains what is queued into one write: the relay may read slowly, and this site goes on reading all the same.
async fn write(mut sink: SplitSink<Link, Message>, mut messages: mpsc::UnboundedReceiver<Message>) {
    let mut queued = Vec::new();
    while messages.recv_many(&mut queued, FRAMES_MAX).await > 0 {
        for message in queued.drain(..) {
            if sink.feed(message).await.is_err() {
                return;
            }
        }
        if sink.flush().await.is_err() {
            return;
        }
    }
    // The link is gone either way; saying so spares the relay a time-out.
    let _ = sink.close().await;
}

/// Carries what happens to `driven`, and what it wants to the link, until it is closed.
pub(crate) async fn drive(driven: &impl Driven) {
    let mut link: Option<Open> = None;
    loop {
        let pause = driven.pause().unwrap_or(LONG);
        let inputs = tokio::select! {
            () = driven.closed() => return,
            inputs = async { driven.ready().await; read(&mut link).await } => inputs,
            () = driven.woken() => vec![Input::Edited],
            () = tokio::time::sleep(pause) => vec![Input::Tick],
        };
        let mut dials = turn(&driven.work(inputs), &mut link);
        while dials {
            link = None;
            let address = driven.address();
            let dialed = tokio::select! {
                () = driven.closed() => return,
                dialed = dial(&address) => dialed,
            };
            let input = match dialed {
                Ok(opened) => {
                    link = Some(Open::new(opened));
                    Input::Linked
                }
                Err(_no_link) => Input::Lost,
            };
            dials = turn(&driven.work(vec![input]), &mut link);
        }
    }
}

/// Does to the link what is wanted; says whether to dial.
fn turn(turn: &Turn, link: &mut Option<Open>) -> bool {
    if turn.hang_up {
        *link = None;
    }
    if let Some(open) = link {
        let ping = turn.ping.then(|| Message::Ping(Bytes::new()));
        for message in turn.send.iter().map(|message| Message::Binary(message.to_bytes().into())).chain(ping) {
            // A writer that has ended is noticed by the reader.
            let _ = open.outgoing.send(message);
        }
    }
    turn.dial
}

/// What the link brings: at least one input, and what else is there already.
async fn read(link: &mut Option<Open>) -> Vec<Input> {
    let Some(open) = link else { return std::future::pending().await };
    let mut inputs = vec![input(open.incoming.next().await)];
    while inputs.len() < FRAMES_MAX
        && !matches!(inputs.last(), Some(Input::Lost))
        && let Some(next) = open.incoming.next().now_or_never()
    {
        inputs.push(input(next));
    }
    inputs
}

fn input(frame: Option<Result<Message, tungstenite::Error>>) -> Input {
    match frame {
        Some(Ok(Message::Binary(bytes))) => match ToSite::from_bytes(&bytes) {
            Ok(message) => Input::Said(message),
            Err(WireError::UnknownKind(_)) => Input::Heard,
            // A relay that speaks garbage is left, and tried again later.
            Err(_malformed) => Input::Lost,
        },
        Some(Ok(Message::Close(_)) | Err(_)) | None => Input::Lost,
        Some(Ok(_)) => Input::Heard,
    }
}

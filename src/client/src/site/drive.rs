//! The task that owns a site's link and clock. It decides nothing: the session does.

use std::sync::Arc;
use std::time::Duration;

use betwixt_core::wire::{Message as _, ToRelay, ToSite, WireError};
use bytes::Bytes;
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{FutureExt, SinkExt, StreamExt};
use tokio::sync::mpsc;
use tokio_tungstenite::tungstenite::{self, Message};

use super::Shared;
use crate::link::{Link, dial};
use crate::session::{Input, Outputs, Unnamed};

/// Frames that are taken at once, and go into one transaction.
const FRAMES_MAX: usize = 256;
/// How long the driver sleeps when the session has nothing to wait for.
const LONG: Duration = Duration::from_hours(1);

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

pub(super) async fn drive(shared: Arc<Shared>) {
    let mut link: Option<Open> = None;
    loop {
        let wake_at = {
            let whole = shared.lock();
            whole.session.wake_at().map(|at| Duration::from_millis(at.since(whole.now()).0))
        };
        let inputs = tokio::select! {
            () = shared.close.notified() => return,
            inputs = read(&mut link) => inputs,
            () = shared.wake.notified() => vec![Input::Edited],
            () = tokio::time::sleep(wake_at.unwrap_or(LONG)) => vec![Input::Tick],
        };
        let mut dials = work(&shared, inputs, &mut link);
        while dials {
            link = None;
            let address = shared.lock().opening.address.clone();
            let dialed = tokio::select! {
                () = shared.close.notified() => return,
                dialed = dial(&address) => dialed,
            };
            let input = match dialed {
                Ok(opened) => {
                    link = Some(Open::new(opened));
                    Input::Linked
                }
                Err(_no_link) => Input::Lost,
            };
            dials = work(&shared, vec![input], &mut link);
        }
    }
}

/// Goes through what happened, brings it to the disk, then sends. Says whether to dial.
fn work(shared: &Shared, inputs: Vec<Input>, link: &mut Option<Open>) -> bool {
    let mut dials = false;
    tokio::task::block_in_place(|| {
        let mut whole = shared.lock();
        let mut all = Outputs::default();
        for input in inputs {
            let out = whole.step(input);
            all.send.extend(out.send);
            all.ping |= out.ping;
            if out.hang_up {
                all.send.clear();
                all.hang_up = true;
            }
            all.dial |= out.dial;
            all.unnamed = out.unnamed.or(all.unnamed);
        }
        let durable = whole.commit();
        match all.unnamed {
            Some(Unnamed::Adopt(uid)) => whole.take_over(uid),
            Some(Unnamed::Gone) => whole.note_gone(),
            None => {}
        }
        whole.go_on_merging();
        if all.hang_up {
            *link = None;
        } else if !durable {
            // What is sent must be what a restart finds here. The rest of the talk goes on.
            let pushes = all.send.extract_if(.., |message| matches!(message, ToRelay::Push { .. }));
            whole.outbox.extend(pushes);
        }
        if let Some(open) = link {
            let ping = all.ping.then(|| Message::Ping(Bytes::new()));
            for message in all.send.iter().map(|message| Message::Binary(message.to_bytes().into())).chain(ping) {
                // A writer that has ended is noticed by the reader.
                let _ = open.outgoing.send(message);
            }
        }
        dials = all.dial;
        if whole.has_news() {
            drop(whole);
            shared.tell();
        }
    });
    dials
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

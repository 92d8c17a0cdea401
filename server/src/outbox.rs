//! What waits to be sent on a link, between the workers that put it there and the link that takes it.

pub mod queue;

use std::sync::{Mutex, MutexGuard, PoisonError};

use betwixt_core::hlc::Millis;
use betwixt_core::wire::{CloseReason, Message as _, ToSite};
use bytes::Bytes;
use tokio::sync::Notify;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;

pub use self::queue::{Closing, Feed, Queue, SessionId, Work};

/// Bytes of replies over which a link is not read from.
const REPLY_BYTES_MAX: usize = 256 * 1024;

/// The outbox of one link.
#[derive(Debug, Default)]
pub struct Outbox {
    queue: Mutex<Queue>,
    /// There may be work.
    ready: Notify,
    /// Replies went out.
    drained: Notify,
}

impl Outbox {
    /// Changes the queue, and wakes the link if there may be work.
    pub fn with<T>(&self, change: impl FnOnce(&mut Queue) -> T) -> T {
        let result = change(&mut self.lock());
        self.ready.notify_one();
        result
    }

    /// Looks at the queue without waking anybody.
    pub fn look<T>(&self, look: impl FnOnce(&Queue) -> T) -> T {
        look(&self.lock())
    }

    /// Queues an answer; it is never dropped.
    pub fn reply(&self, message: &ToSite) {
        let bytes = Bytes::from(message.to_bytes());
        self.with(|queue| queue.reply(bytes));
    }

    /// Queues a text frame, for a link that speaks JSON; it is never dropped.
    pub fn tell(&self, text: String) {
        self.with(|queue| queue.tell(text));
    }

    /// Says why the link is closed, and closes it once what is queued has gone out.
    pub fn close(&self, reason: CloseReason, retry_after: Millis) {
        let code = match reason {
            CloseReason::Shutdown => CloseCode::Restart,
            CloseReason::Storage => CloseCode::Again,
            CloseReason::Damaged => CloseCode::Error,
            _ => CloseCode::Policy,
        };
        let message = ToSite::Closing { reason, retry_after };
        self.with(|queue| queue.close(Closing { message: Some(Bytes::from(message.to_bytes())), code }));
    }

    /// Closes the link with a WebSocket code only.
    pub fn close_with(&self, code: CloseCode) {
        self.with(|queue| queue.close(Closing { message: None, code }));
    }

    /// The next work of the link; waits until there is some. Cancel safe: what is taken is returned at once.
    pub async fn work(&self) -> Work {
        loop {
            let work = self.lock().take();
            if let Some(work) = work {
                self.drained.notify_one();
                return work;
            }
            self.ready.notified().await;
        }
    }

    /// Waits while more replies are queued than a link that is being read from may have.
    pub async fn replies_fit(&self) {
        while self.look(|queue| queue.reply_bytes() > REPLY_BYTES_MAX) {
            self.drained.notified().await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

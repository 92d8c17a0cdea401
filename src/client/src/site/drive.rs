//! A site under its driver: what happens goes to the session, what that writes to the disk, and only then is sent.

use std::time::Duration;

use betwixt_core::wire::ToRelay;

use super::Shared;
use crate::Address;
use crate::drive::{Driven, Turn};
use crate::session::{Input, Unnamed};

impl Driven for Shared {
    fn address(&self) -> Address {
        self.lock().opening.address.clone()
    }

    fn pause(&self) -> Option<Duration> {
        let whole = self.lock();
        whole.session.wake_at().map(|at| Duration::from_millis(at.since(whole.now()).0))
    }

    fn work(&self, inputs: Vec<Input>) -> Turn {
        tokio::task::block_in_place(|| {
            let mut whole = self.lock();
            let (mut turn, mut unnamed) = (Turn::default(), None);
            for input in inputs {
                let mut out = whole.step(input);
                turn.add(&mut out);
                unnamed = out.unnamed.or(unnamed);
            }
            let durable = whole.commit();
            match unnamed {
                Some(Unnamed::Adopt(uid)) => whole.take_over(uid),
                Some(Unnamed::Gone) => whole.note_gone(),
                None => {}
            }
            whole.go_on_merging();
            if !turn.hang_up && !durable {
                // What is sent must be what a restart finds here. The rest of the talk goes on.
                let pushes = turn.send.extract_if(.., |message| matches!(message, ToRelay::Push { .. }));
                whole.outbox.extend(pushes);
            }
            if whole.has_news() {
                drop(whole);
                self.tell();
            }
            turn
        })
    }

    async fn closed(&self) {
        self.close.notified().await;
    }

    async fn woken(&self) {
        self.wake.notified().await;
    }

    async fn ready(&self) {}
}

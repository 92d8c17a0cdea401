//! The queue of one link: answers, and one stream for each list that it has open. Pure.
//!
//! ```text
//! Opening --start--> Feeding --go_live--> Live
//!                       ^                   |
//!                       +---- over budget --+
//! ```
//!
//! A live stream is handed durable entries as they come. One that cannot take them is not buffered for: what is queued is
//! thrown away, and the link reads the log from where it was, at its own speed, until it is at the end of it.
//! Whatever happens, each entry is sent once and in order.

use std::collections::VecDeque;
use std::sync::Arc;

use betwixt_core::id::ListUid;
use betwixt_core::limits::QUEUE_BYTES_MAX;
use betwixt_core::name::ListName;
use bytes::Bytes;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;

use crate::snapshot::Snapshot;

/// Bytes that the link takes at once, into one write.
const TAKE_BYTES_MAX: usize = 128 * 1024;

/// One opening of a list by a link; never used again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionId(pub u64);

/// What a session is fed before it is live.
#[derive(Debug, Clone)]
pub struct Feed {
    /// A snapshot, and how many of its messages have gone out.
    pub snapshot: Option<(Arc<Snapshot>, usize)>,
    /// The `Welcome`, which stands between snapshot and entries.
    pub welcome: Option<Bytes>,
    /// The last entry that has gone out, or that the snapshot has.
    pub after: u64,
    /// What comes when snapshot and `Welcome` are out.
    pub next: Next,
}

/// How a feed goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// Ask the worker whether the rest is in its memory.
    Ask,
    /// The worker was asked.
    Asked,
    /// Read the log.
    Read,
    /// The log is being read.
    Reading,
}

/// What a link has to do next.
#[derive(Debug)]
pub enum Work {
    /// Send these.
    Send(Vec<Bytes>),
    /// Send this text frame.
    Tell(String),
    /// Ask the list's worker to hand over the entries behind `after`.
    Ask {
        /// Which session.
        session: SessionId,
        /// Which list.
        name: ListName,
        /// The last entry that has gone out.
        after: u64,
    },
    /// Read the log of the list behind `after`.
    Read {
        /// Which session.
        session: SessionId,
        /// Which list.
        name: ListName,
        /// Its identity.
        uid: ListUid,
        /// The last entry that has gone out.
        after: u64,
    },
    /// Say why, and close.
    Close(Closing),
}

/// How a link ends.
#[derive(Debug, Clone)]
pub struct Closing {
    /// The last message.
    pub message: Option<Bytes>,
    /// The code of the WebSocket's own closing.
    pub code: CloseCode,
}

/// The queue of one link.
#[derive(Debug, Default)]
pub struct Queue {
    replies: VecDeque<Reply>,
    reply_bytes: usize,
    stream: VecDeque<Streamed>,
    stream_bytes: usize,
    sessions: Vec<Session>,
    closing: Option<Closing>,
    /// The closing was taken: nothing comes behind it.
    closed: bool,
    /// Feeds and streams take turns, so that a busy list does not starve another one's feed.
    fed_last: bool,
}

#[derive(Debug)]
enum Reply {
    Message(Bytes),
    /// What only a script is told: there is no message of the compact spelling for it.
    Text(String),
}

#[derive(Debug)]
struct Streamed {
    session: SessionId,
    /// The last entry in it, if there are entries in it.
    last: Option<u64>,
    bytes: Bytes,
}

#[derive(Debug)]
struct Session {
    id: SessionId,
    name: ListName,
    uid: Option<ListUid>,
    state: State,
}

#[derive(Debug)]
enum State {
    Opening,
    Feeding(Feed),
    Live { handed: u64 },
}

impl Queue {
    /// Queues an answer.
    pub fn reply(&mut self, bytes: Bytes) {
        self.reply_bytes += bytes.len();
        self.replies.push_back(Reply::Message(bytes));
    }

    /// Queues an answer that is a text frame.
    pub fn tell(&mut self, text: String) {
        self.reply_bytes += text.len();
        self.replies.push_back(Reply::Text(text));
    }

    /// Bytes of answers that wait.
    #[must_use]
    pub const fn reply_bytes(&self) -> usize {
        self.reply_bytes
    }

    /// Bytes of streams that wait.
    #[must_use]
    pub const fn stream_bytes(&self) -> usize {
        self.stream_bytes
    }

    /// Makes a session of a list; returns the link's earlier session of that list, which is no more.
    pub fn open(&mut self, id: SessionId, name: ListName) -> Option<SessionId> {
        let earlier = self.sessions.iter().find(|session| session.name == name).map(|session| session.id);
        if let Some(earlier) = earlier {
            self.end(earlier);
        }
        self.sessions.push(Session { id, name, uid: None, state: State::Opening });
        earlier
    }

    /// The lists that are open.
    pub fn sessions(&self) -> impl ExactSizeIterator<Item = (SessionId, &ListName)> {
        self.sessions.iter().map(|session| (session.id, &session.name))
    }

    /// Whether a session has not ended.
    #[must_use]
    pub fn has(&self, id: SessionId) -> bool {
        self.sessions.iter().any(|session| session.id == id)
    }

    /// The session of a list, by the identity that `Welcome` tells.
    #[must_use]
    pub fn session_of(&self, uid: ListUid) -> Option<(SessionId, ListName)> {
        let session = self.sessions.iter().find(|session| session.uid == Some(uid))?;
        Some((session.id, session.name.clone()))
    }

    /// Ends a session; what is queued for it is dropped.
    pub fn end(&mut self, id: SessionId) {
        self.sessions.retain(|session| session.id != id);
        self.stream.retain(|streamed| streamed.session != id);
        self.stream_bytes = self.stream.iter().map(|streamed| streamed.bytes.len()).sum();
    }

    /// Begins to feed a session that is opening.
    pub fn start(&mut self, id: SessionId, uid: ListUid, feed: Feed) {
        if let Some(session) = self.session(id)
            && matches!(session.state, State::Opening)
        {
            session.uid = Some(uid);
            session.state = State::Feeding(feed);
        }
    }

    /// Hands durable entries, of which the last is `last`, to a session if it is live.
    pub fn offer_entries(&mut self, id: SessionId, last: u64, bytes: &Bytes) {
        self.offer(id, Some(last), bytes);
    }

    /// Hands presence or figures to a session if it is live.
    pub fn offer_note(&mut self, id: SessionId, bytes: &Bytes) {
        self.offer(id, None, bytes);
    }

    /// Makes a session live that was fed up to `after`, with the messages of entries behind it, each with its last.
    ///
    /// `false`, and the log is to be read, if they would go over the budget.
    pub fn go_live(&mut self, id: SessionId, after: u64, messages: Vec<(u64, Bytes)>) -> bool {
        let bytes: usize = messages.iter().map(|(_, message)| message.len()).sum();
        let fits = self.stream_bytes + bytes <= QUEUE_BYTES_MAX;
        let Some(session) = self.session(id) else { return false };
        match &mut session.state {
            State::Feeding(feed) if feed.next == Next::Asked && feed.after == after => {
                if !fits {
                    feed.next = Next::Read;
                    return false;
                }
                session.state = State::Live { handed: after };
            }
            _ => return false,
        }
        for (last, bytes) in messages {
            self.push(id, Some(last), bytes);
        }
        true
    }

    /// Lets a session that has asked read the log.
    pub fn read_on(&mut self, id: SessionId) {
        self.feed_next(id, Next::Asked, Next::Read, None);
    }

    /// Takes down that the log was read and sent up to `last`; at its end the worker is asked again.
    pub fn fed(&mut self, id: SessionId, last: Option<u64>, at_end: bool) {
        let next = if at_end { Next::Ask } else { Next::Read };
        self.feed_next(id, Next::Reading, next, last);
    }

    /// Closes the link once what is queued has gone out; the first reason counts.
    pub fn close(&mut self, closing: Closing) {
        self.closing.get_or_insert(closing);
    }

    /// The next work, if there is any.
    pub fn take(&mut self) -> Option<Work> {
        if self.closed {
            return None;
        }
        if self.closing.is_none()
            && !self.fed_last
            && let Some(work) = self.take_feed()
        {
            self.fed_last = true;
            return Some(work);
        }
        self.fed_last = false;
        if let Some(Reply::Text(text)) = self.replies.pop_front_if(|reply| matches!(reply, Reply::Text(_))) {
            self.reply_bytes -= text.len();
            return Some(Work::Tell(text));
        }
        let messages = self.take_queued();
        if !messages.is_empty() {
            return Some(Work::Send(messages));
        }
        match self.closing.take() {
            Some(closing) => {
                self.closed = true;
                Some(Work::Close(closing))
            }
            None => self.take_feed(),
        }
    }

    fn take_queued(&mut self) -> Vec<Bytes> {
        let mut messages = Vec::new();
        let mut bytes = 0;
        while bytes < TAKE_BYTES_MAX
            && let Some(Reply::Message(reply)) = self.replies.pop_front_if(|reply| matches!(reply, Reply::Message(_)))
        {
            bytes += reply.len();
            self.reply_bytes -= reply.len();
            messages.push(reply);
        }
        while bytes < TAKE_BYTES_MAX
            && let Some(streamed) = self.stream.pop_front()
        {
            bytes += streamed.bytes.len();
            self.stream_bytes -= streamed.bytes.len();
            if let Some(last) = streamed.last
                && let Some(Session { state: State::Live { handed }, .. }) = self.session(streamed.session)
            {
                *handed = last;
            }
            messages.push(streamed.bytes);
        }
        messages
    }

    fn take_feed(&mut self) -> Option<Work> {
        let work = self.sessions.iter_mut().find_map(Session::take_feed)?;
        // The next time another session comes first.
        self.sessions.rotate_left(1);
        Some(work)
    }

    fn offer(&mut self, id: SessionId, last: Option<u64>, bytes: &Bytes) {
        let over = self.stream_bytes + bytes.len() > QUEUE_BYTES_MAX;
        match self.session(id) {
            Some(Session { state: State::Live { .. }, .. }) if over => self.overflow(),
            Some(Session { state: State::Live { .. }, .. }) => self.push(id, last, bytes.clone()),
            // What is durable is in the log, which a session that is not live is fed from.
            _ => {}
        }
    }

    fn push(&mut self, session: SessionId, last: Option<u64>, bytes: Bytes) {
        self.stream_bytes += bytes.len();
        self.stream.push_back(Streamed { session, last, bytes });
    }

    /// Throws the streams away; live sessions are fed from what was handed to the link last.
    fn overflow(&mut self) {
        self.stream.clear();
        self.stream.shrink_to_fit();
        self.stream_bytes = 0;
        for session in &mut self.sessions {
            if let State::Live { handed } = session.state {
                session.state = State::Feeding(Feed { snapshot: None, welcome: None, after: handed, next: Next::Ask });
            }
        }
    }

    fn feed_next(&mut self, id: SessionId, from: Next, to: Next, last: Option<u64>) {
        if let Some(Session { state: State::Feeding(feed), .. }) = self.session(id)
            && feed.next == from
        {
            feed.next = to;
            feed.after = last.unwrap_or(feed.after);
        }
    }

    fn session(&mut self, id: SessionId) -> Option<&mut Session> {
        self.sessions.iter_mut().find(|session| session.id == id)
    }
}

impl Session {
    fn take_feed(&mut self) -> Option<Work> {
        let Self { id, name, uid: Some(uid), state: State::Feeding(feed) } = self else { return None };
        if let Some((snapshot, sent)) = &mut feed.snapshot {
            let mut bytes = 0;
            let rest = snapshot.messages().iter().skip(*sent);
            let messages: Vec<Bytes> = rest
                .take_while(|message| {
                    let fits = bytes < TAKE_BYTES_MAX;
                    bytes += message.len();
                    fits
                })
                .cloned()
                .collect();
            *sent += messages.len();
            if *sent >= snapshot.messages().len() {
                feed.snapshot = None;
            }
            return Some(Work::Send(messages));
        }
        if let Some(welcome) = feed.welcome.take() {
            return Some(Work::Send(vec![welcome]));
        }
        match feed.next {
            Next::Ask => {
                feed.next = Next::Asked;
                Some(Work::Ask { session: *id, name: name.clone(), after: feed.after })
            }
            Next::Read => {
                feed.next = Next::Reading;
                Some(Work::Read { session: *id, name: name.clone(), uid: *uid, after: feed.after })
            }
            Next::Asked | Next::Reading => None,
        }
    }
}

#[cfg(test)]
mod tests;

//! A site in a few lines: it mints ops, speaks the wire, and keeps a replica of the log it is sent.

use std::path::Path;

use betwixt_core::hlc::{Hlc, Millis, Tick};
use betwixt_core::id::{ItemId, ListUid, OpId, SiteId, SiteSecret};
use betwixt_core::key::Key;
use betwixt_core::list::List;
use betwixt_core::log::Watermark;
use betwixt_core::op::body::Kinds;
use betwixt_core::op::{Add, Body, EpochId, Op, Put};
use betwixt_core::register::Register;
use betwixt_core::snapshot::Assembly;
use betwixt_core::wire::{CloseReason, Hello, Message as _, SUBPROTOCOL, ToRelay, ToSite, VERSION, Welcome};
use futures_util::{SinkExt as _, StreamExt as _};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpSocket, TcpStream, UnixStream};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::{Error, Message};

use crate::relay::{TestRelay, within};

/// Any socket.
pub(crate) trait Socket: AsyncRead + AsyncWrite + Unpin + Send {}
impl<S: AsyncRead + AsyncWrite + Unpin + Send> Socket for S {}

/// A WebSocket to a relay.
pub(crate) type Web = WebSocketStream<Box<dyn Socket>>;

/// Dials; `Err` is what the relay answered instead of an upgrade.
pub(crate) async fn upgrade(socket: impl Socket + 'static, headers: &[(&'static str, &str)]) -> Result<Web, Error> {
    let mut request = "ws://localhost/".into_client_request().unwrap();
    for (name, value) in headers {
        request.headers_mut().insert(*name, value.parse().unwrap());
    }
    let socket: Box<dyn Socket> = Box::new(socket);
    within("the upgrade", tokio_tungstenite::client_async(request, socket)).await.map(|(web, _)| web)
}

pub(crate) async fn dial(relay: &TestRelay) -> Web {
    let socket = TcpStream::connect(relay.address).await.unwrap();
    upgrade(socket, &[("sec-websocket-protocol", SUBPROTOCOL)]).await.unwrap()
}

/// A link whose receive buffer is small: its system does not read on for it.
pub(crate) async fn dial_narrow(relay: &TestRelay) -> Web {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(16 * 1024).unwrap();
    let socket = socket.connect(relay.address).await.unwrap();
    upgrade(socket, &[("sec-websocket-protocol", SUBPROTOCOL)]).await.unwrap()
}

pub(crate) async fn dial_local(socket: &Path) -> Web {
    let socket = UnixStream::connect(socket).await.unwrap();
    upgrade(socket, &[("sec-websocket-protocol", SUBPROTOCOL)]).await.unwrap()
}

/// What a relay said last, once it says nothing more.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum End {
    Closing(CloseReason),
    Code(u16),
    Dropped,
}

/// A site that has one list open, or had.
pub(crate) struct Site {
    pub(crate) web: Web,
    pub(crate) secret: SiteSecret,
    pub(crate) list: List,
    pub(crate) knows_list: bool,
    pub(crate) name: String,
    pub(crate) kinds: Kinds,
    pub(crate) pending: bool,
    /// The last op that was minted, and the one before it that was not refused.
    pub(crate) ctr: u64,
    pub(crate) prev: u64,
    pub(crate) wall: Millis,
    /// What was sent beside entries, in order.
    pub(crate) heard: Vec<ToSite>,
    /// Places in the log of all entries that were sent, in order.
    pub(crate) seqs: Vec<u64>,
}

impl Site {
    /// A site that knows nothing, with a link to the relay.
    pub(crate) async fn dial(relay: &TestRelay, number: u8) -> Self {
        Self::over(dial(relay).await, number)
    }

    pub(crate) fn over(web: Web, number: u8) -> Self {
        let list = List::new(ListUid::from_bytes([0; 16]));
        Self {
            web,
            secret: SiteSecret::from_bytes([number; 32]),
            list,
            knows_list: false,
            name: "inbox".to_owned(),
            kinds: Kinds::KNOWN,
            pending: false,
            ctr: 0,
            prev: 0,
            wall: betwixt_relay::clock::now(),
            heard: Vec::new(),
            seqs: Vec::new(),
        }
    }

    /// A site that has opened `inbox` and joined it.
    pub(crate) async fn join(relay: &TestRelay, number: u8) -> Self {
        let mut site = Self::dial(relay, number).await;
        site.open().await;
        let join = site.mint(Body::Join(betwixt_core::op::Join::default()));
        site.push(vec![join]).await;
        site.until_acked().await;
        site
    }

    pub(crate) fn id(&self) -> SiteId {
        self.secret.site()
    }

    pub(crate) fn hello(&self) -> ToRelay {
        ToRelay::Hello(Box::new(Hello {
            versions: vec![VERSION],
            kinds: self.kinds,
            secret: self.secret,
            name: self.name.parse().unwrap(),
            uid: self.knows_list.then(|| self.list.uid()),
            mark: if self.knows_list { self.list.mark() } else { Watermark::start(self.list.uid()) },
            pending: self.pending,
            person: format!("person {}", self.secret.site().as_bytes()[0]).into(),
        }))
    }

    /// Says hello and reads up to the `Welcome`.
    pub(crate) async fn open(&mut self) -> Welcome {
        self.say(&self.hello()).await;
        self.until_welcomed().await
    }

    pub(crate) async fn until_welcomed(&mut self) -> Welcome {
        loop {
            if let ToSite::Welcome(welcome) = self.hear().await {
                return *welcome;
            }
        }
    }

    pub(crate) async fn reopen(&mut self, relay: &TestRelay) -> Welcome {
        self.web = dial(relay).await;
        self.open().await
    }

    /// The site's next op.
    pub(crate) fn mint(&mut self, body: Body) -> Op {
        self.ctr += 1;
        self.wall = self.wall.plus(Millis(1));
        let hlc = Hlc { tick: Tick { wall: self.wall, counter: 0 }, site: self.id() };
        let id = OpId { site: self.id(), ctr: self.ctr };
        let op = Op::new(id, self.prev, EpochId::first(self.list.uid()), hlc, body);
        self.prev = self.ctr;
        op
    }

    pub(crate) fn mint_add(&mut self, item: u64, key: &Key, text: &str) -> Op {
        let registers = vec![Register::Text(text.into())];
        self.mint(Body::Add(Add { item: item_id(item), key: key.clone(), registers }))
    }

    pub(crate) fn mint_move(&mut self, item: u64, key: &str) -> Op {
        let key = Some(Key::parse(key).unwrap());
        self.mint(Body::Put(Put { item: item_id(item), key, registers: vec![] }))
    }

    pub(crate) async fn push(&mut self, ops: Vec<Op>) {
        let list = self.list.uid();
        self.say(&ToRelay::Push { list, ops }).await;
    }

    /// Asks for a list to be deleted, open here or not.
    pub(crate) async fn delete(&mut self, name: &str, uid: ListUid) {
        self.say(&ToRelay::DeleteList { name: name.parse().unwrap(), uid }).await;
    }

    /// Reads until the list is gone.
    pub(crate) async fn until_gone(&mut self, uid: ListUid) {
        self.until(|message| *message == ToSite::Gone { uid }).await;
    }

    pub(crate) async fn say(&mut self, message: &ToRelay) {
        self.send(Message::Binary(message.to_bytes().into())).await;
    }

    pub(crate) async fn send(&mut self, message: Message) {
        within("the relay reads", self.web.send(message)).await.unwrap();
    }

    /// The next message; entries and snapshots are applied, the rest is also kept in `heard`.
    pub(crate) async fn hear(&mut self) -> ToSite {
        let message = self.try_hear().await.unwrap_or_else(|end| panic!("the link is closed: {end:?}"));
        self.take(&message).await;
        message
    }

    async fn take(&mut self, message: &ToSite) {
        match message {
            ToSite::Entries { list, entries } => {
                assert_eq!(*list, self.list.uid());
                for entry in entries {
                    self.seqs.push(entry.seq);
                    self.list.apply(entry, self.kinds.and(betwixt_core::op::kind::PROBE)).unwrap();
                }
            }
            ToSite::SnapshotBegin(begin) => {
                let mut assembly = Assembly::new((**begin).clone());
                loop {
                    match self.try_hear().await.unwrap() {
                        ToSite::SnapshotPart { part, .. } => assembly.add(part).unwrap(),
                        ToSite::SnapshotEnd { .. } => break,
                        other => panic!("in a snapshot: {other:?}"),
                    }
                }
                self.list = assembly.finish().unwrap();
                self.knows_list = true;
                self.heard.push(message.clone());
            }
            ToSite::Welcome(welcome) => {
                if !self.knows_list {
                    self.list = List::new(welcome.uid);
                    self.knows_list = true;
                }
                assert_eq!(self.list.uid(), welcome.uid);
                self.heard.push(message.clone());
            }
            other => self.heard.push(other.clone()),
        }
    }

    pub(crate) async fn try_hear(&mut self) -> Result<ToSite, End> {
        loop {
            match within("the relay says something", self.web.next()).await {
                Some(Ok(Message::Binary(bytes))) => {
                    assert!(bytes.len() <= betwixt_core::limits::SENT_BYTES_MAX, "{} bytes", bytes.len());
                    return Ok(ToSite::from_bytes(&bytes).unwrap());
                }
                Some(Ok(Message::Close(frame))) => {
                    return Err(frame.map_or(End::Dropped, |frame| End::Code(frame.code.into())));
                }
                Some(Ok(_)) => {}
                Some(Err(_)) | None => return Err(End::Dropped),
            }
        }
    }

    /// Reads until the link ends; the reason that was told, else how it ended.
    pub(crate) async fn end(&mut self) -> End {
        loop {
            match self.try_hear().await {
                Ok(ToSite::Closing { reason, .. }) => return End::Closing(reason),
                Ok(_) => {}
                Err(end) => return end,
            }
        }
    }

    /// Reads until the replica has this many entries.
    pub(crate) async fn until_seq(&mut self, seq: u64) {
        while self.list.mark().seq < seq {
            self.hear().await;
        }
    }

    /// Reads until all that was minted is in the log.
    pub(crate) async fn until_acked(&mut self) {
        while self.list.site(self.id()).map_or(0, |site| site.ctr) < self.prev {
            self.hear().await;
        }
    }

    /// Reads until a message fits.
    pub(crate) async fn until(&mut self, mut fits: impl FnMut(&ToSite) -> bool) -> ToSite {
        loop {
            let message = self.hear().await;
            if fits(&message) {
                return message;
            }
        }
    }

    /// The texts of the live items, in order.
    pub(crate) fn texts(&self) -> Vec<&str> {
        self.list.live().map(|(_, item)| item.text()).collect()
    }
}

pub(crate) fn item_id(number: u64) -> ItemId {
    ItemId::from_bytes(number.to_be_bytes())
}

pub(crate) fn key(text: &str) -> Key {
    Key::parse(text).unwrap()
}

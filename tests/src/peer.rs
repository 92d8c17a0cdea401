//! A peer that speaks the wire by hand: what the product's own client would never say can be said too.

use std::collections::BTreeSet;
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use betwixt_core::edit::Spot;
use betwixt_core::hlc::{Hlc, Millis, Tick};
use betwixt_core::id::{ItemId, ListUid, OpId, SiteId, SiteSecret};
use betwixt_core::key::{Gap, Hint, SiteNumber, between};
use betwixt_core::list::List;
use betwixt_core::name::ListName;
use betwixt_core::op::body::Kinds;
use betwixt_core::op::{Add, Body, Join, Op};
use betwixt_core::register::Register;
use betwixt_core::wire::{Hello, Message as _, RefusedCode, SUBPROTOCOL, ToRelay, ToSite, VERSION, Welcome};
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::tungstenite::{Error, Message, WebSocket, client};

use crate::wait::LONG;

/// A link to a relay, and a replica of one list behind it.
#[derive(Debug)]
pub struct Peer {
    socket: WebSocket<Patient>,
    secret: SiteSecret,
    name: ListName,
    person: String,
    /// The list, as far as its entries were read.
    pub list: List,
    /// Counter of the last op that was minted.
    pub ctr: u64,
    /// What the relay said that was no entry, oldest first.
    pub said: Vec<ToSite>,
    /// The code with which the relay closed the link, once it has.
    pub closed: Option<u16>,
}

impl Peer {
    /// Links to a relay and opens a list as a new site.
    ///
    /// # Panics
    ///
    /// The relay does not welcome it.
    #[must_use]
    #[track_caller]
    pub fn join(address: &str, list: &str) -> Self {
        Self::join_as(address, list, "peer")
    }

    /// The same, as somebody of this name.
    ///
    /// # Panics
    ///
    /// The relay does not welcome it.
    #[must_use]
    #[track_caller]
    pub fn join_as(address: &str, list: &str, person: &str) -> Self {
        let mut peer = Self::link_as(address, list, person);
        peer.welcome();
        let join = peer.mint(Body::Join(Join { name: "peer".into() }));
        peer.push(vec![join]);
        peer.read_until("its join", |peer| peer.list.site(peer.site()).is_some());
        peer
    }

    /// Links to a relay and says hello; what it answers is still to be read.
    ///
    /// # Panics
    ///
    /// There is no relay.
    #[must_use]
    #[track_caller]
    pub fn link(address: &str, list: &str) -> Self {
        Self::link_as(address, list, "peer")
    }

    /// The same, as somebody of this name.
    ///
    /// # Panics
    ///
    /// There is no relay.
    #[must_use]
    #[track_caller]
    pub fn link_as(address: &str, list: &str, person: &str) -> Self {
        let socket = dial(address);
        let mut secret = [0; 32];
        getrandom::fill(&mut secret).expect("random bytes");
        let secret = SiteSecret::from_bytes(secret);
        let name = list.parse().expect("a list name");
        let list = List::new(ListUid::from_bytes([0; 16]));
        let person = person.to_owned();
        let mut peer = Self { socket, secret, name, person, list, ctr: 0, said: Vec::new(), closed: None };
        peer.hello(None);
        peer
    }

    /// Links again as the same site, and reads on from where it was.
    ///
    /// # Panics
    ///
    /// The relay does not welcome it.
    #[track_caller]
    pub fn link_again(&mut self, address: &str) {
        self.socket = dial(address);
        self.closed = None;
        self.said.clear();
        self.hello(Some(self.list.uid()));
        self.welcome();
    }

    fn hello(&mut self, uid: Option<ListUid>) {
        self.say(&ToRelay::Hello(Box::new(Hello {
            versions: vec![VERSION],
            kinds: Kinds::KNOWN,
            secret: self.secret,
            name: self.name.clone(),
            uid,
            mark: self.list.mark(),
            pending: true,
            person: self.person.as_str().into(),
        })));
    }

    /// Who it is.
    #[must_use]
    pub fn site(&self) -> SiteId {
        self.secret.site()
    }

    /// Reads up to the relay's welcome, and what the list had by then.
    ///
    /// # Panics
    ///
    /// It does not come.
    #[track_caller]
    pub fn welcome(&mut self) -> Welcome {
        self.read_until("a welcome", |peer| peer.welcomed().is_some());
        let welcome = self.welcomed().expect("it was just there");
        if self.list.uid() != welcome.uid {
            self.list = List::new(welcome.uid);
        }
        let head = welcome.head;
        self.read_until("the list as it was", |peer| peer.list.mark().seq >= head);
        welcome
    }

    fn welcomed(&self) -> Option<Welcome> {
        self.said.iter().find_map(|said| match said {
            ToSite::Welcome(welcome) => Some(welcome.as_ref().clone()),
            _ => None,
        })
    }

    /// Mints the next op.
    pub fn mint(&mut self, body: Body) -> Op {
        let prev = self.ctr;
        self.ctr += 1;
        self.mint_as(self.ctr, prev, body)
    }

    /// An op of this counter behind that one.
    #[must_use]
    pub fn mint_as(&self, ctr: u64, prev: u64, body: Body) -> Op {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        let tick = Tick::after(self.list.highest(), Millis(u64::try_from(now.as_millis()).unwrap_or_default()));
        let hlc = Hlc { tick, site: self.site() };
        Op::new(OpId { site: self.site(), ctr }, prev, self.list.epoch().id, hlc, body)
    }

    /// Pushes ops.
    ///
    /// # Panics
    ///
    /// The link is gone.
    pub fn push(&mut self, ops: Vec<Op>) {
        self.say(&ToRelay::Push { list: self.list.uid(), ops });
    }

    /// Pushes an op that comes next and that the relay must refuse; returns its code.
    ///
    /// # Panics
    ///
    /// The relay does not refuse it.
    #[track_caller]
    pub fn refused(&mut self, op: &Op) -> RefusedCode {
        let id = op.id();
        let code = |peer: &Self| {
            peer.said.iter().find_map(|said| match said {
                ToSite::Refused { op, code, .. } if *op == id => Some(*code),
                _ => None,
            })
        };
        self.push(vec![op.clone()]);
        self.read_until("a refusal", |peer| code(peer).is_some());
        code(self).expect("it was just there")
    }

    /// Adds an item at the end, and reads until it is in the log.
    ///
    /// # Panics
    ///
    /// The relay does not take it.
    #[track_caller]
    pub fn add(&mut self, text: &str) {
        let body = self.adding(text);
        let op = self.mint(body);
        let id = op.id();
        self.push(vec![op]);
        self.read_until("its item", |peer| peer.list.site(id.site).is_some_and(|site| site.ctr >= id.ctr));
    }

    /// What an op says that adds an item at the end.
    ///
    /// # Panics
    ///
    /// There is no room.
    #[must_use]
    pub fn adding(&self, text: &str) -> Body {
        let (low, high) = self.list.gap_at(Spot::Bottom, &BTreeSet::new()).expect("there is an end");
        let gap = Gap::new(low.as_ref(), high.as_ref()).expect("keys ascend");
        let number = SiteNumber(self.list.site(self.site()).map_or(0, |site| site.number));
        let key = between(gap, number, Hint::None, &mut |_| false).expect("there is room");
        let item = ItemId::from_bytes(getrandom::u64().expect("random bytes").to_be_bytes());
        Body::Add(Add { item, key, registers: vec![Register::Text(text.into())] })
    }

    /// Says something.
    ///
    /// # Panics
    ///
    /// The link is gone.
    pub fn say(&mut self, message: &ToRelay) {
        self.send(Message::Binary(message.to_bytes().into())).expect("the relay takes it");
    }

    /// Sends a frame, whatever it is.
    ///
    /// # Errors
    ///
    /// The link is gone.
    pub fn send(&mut self, frame: Message) -> Result<(), Box<Error>> {
        self.socket.send(frame).map_err(Box::new)
    }

    /// Reads what the relay says until `holds`.
    ///
    /// # Panics
    ///
    /// It does not in time, or the link ends before.
    #[track_caller]
    pub fn read_until(&mut self, what: &str, mut holds: impl FnMut(&Self) -> bool) {
        let deadline = Instant::now() + LONG;
        while !holds(self) {
            assert!(Instant::now() < deadline, "the relay did not say: {what}");
            let goes_on = self.read();
            assert!(goes_on, "the link ended before: {what}; code {:?}, {:?}", self.closed, self.said);
        }
    }

    /// Reads until the link ends.
    ///
    /// # Panics
    ///
    /// It does not in time.
    #[track_caller]
    pub fn read_to_end(&mut self) {
        let deadline = Instant::now() + LONG;
        while self.read() {
            assert!(Instant::now() < deadline, "the relay did not close the link");
        }
    }

    /// Reads what there is; false when the link has ended.
    fn read(&mut self) -> bool {
        match self.socket.read() {
            Ok(Message::Binary(bytes)) => {
                match ToSite::from_bytes(&bytes).expect("the relay speaks the wire") {
                    ToSite::Entries { entries, .. } => {
                        for entry in entries {
                            self.list
                                .apply(&entry, Kinds::KNOWN.and(betwixt_core::op::kind::PROBE))
                                .expect("the log continues");
                        }
                    }
                    ToSite::Welcome(welcome) => {
                        if self.list.uid() != welcome.uid {
                            self.list = List::new(welcome.uid);
                        }
                        self.said.push(ToSite::Welcome(welcome));
                    }
                    other => self.said.push(other),
                }
                true
            }
            Ok(Message::Close(frame)) => {
                self.closed = frame.map(|frame| frame.code.into());
                false
            }
            Ok(_) => true,
            Err(Error::Io(error)) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {
                true
            }
            Err(_) => false,
        }
    }

    /// The texts of the list, in order.
    #[must_use]
    pub fn texts(&self) -> Vec<String> {
        self.list.live().map(|(_, item)| item.text().to_owned()).collect()
    }
}

/// A socket with a time limit, on which a signal to this process is one more reason to try again: Linux does not go on by
/// itself with a read that has a limit.
#[derive(Debug)]
struct Patient(TcpStream);

impl Read for Patient {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer).map_err(|error| match error.kind() {
            io::ErrorKind::Interrupted => io::ErrorKind::WouldBlock.into(),
            _ => error,
        })
    }
}

impl Write for Patient {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.0.write(buffer)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

fn dial(address: &str) -> WebSocket<Patient> {
    let stream = TcpStream::connect(address).expect("a relay listens");
    stream.set_read_timeout(Some(Duration::from_millis(50))).expect("a socket has timeouts");
    let mut request = format!("ws://{address}/").into_client_request().expect("an address");
    request.headers_mut().insert("Sec-WebSocket-Protocol", HeaderValue::from_static(SUBPROTOCOL));
    let deadline = Instant::now() + LONG;
    let mut handshake = client(request, Patient(stream));
    loop {
        match handshake {
            Ok((socket, _)) => return socket,
            Err(tokio_tungstenite::tungstenite::HandshakeError::Interrupted(middle)) if Instant::now() < deadline => {
                handshake = middle.handshake();
            }
            Err(error) => panic!("no handshake: {error}"),
        }
    }
}

//! Bad input over the wire: refused with a code, and nobody else notices.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use betwixt_core::hlc::{Hlc, Millis, Tick};
use betwixt_core::id::{Hash, ItemId, OpId, SiteId};
use betwixt_core::op::{Body, Op, Put, kind};
use betwixt_core::register::Register;
use betwixt_core::wire::{Message as _, RefusedCode, ToRelay, ToSite};
use betwixt_tests::home::Home;
use betwixt_tests::peer::Peer;
use betwixt_tests::relay::Relay;
use betwixt_tests::terminal::Terminal;
use betwixt_tests::wait::LONG;
use tokio_tungstenite::tungstenite::Message;

use super::next_of;

/// A relay, a well-behaved screen on `work`, and a peer beside it that will not behave.
struct Beside {
    relay: Relay,
    home: Home,
    screen: Terminal,
    peer: Peer,
    edits: usize,
}

impl Beside {
    fn new() -> Self {
        let relay = Relay::default();
        let home = Home::at_relay(&relay.url());
        let mut screen = home.open(["work"]);
        // All rows in sight, however many edits there will be.
        screen.resize((80, 60));
        screen.wait_for("all sent");
        screen.wait_for("127.0.0.1");
        let peer = Peer::join(relay.address(), "work");
        Self { relay, home, screen, peer, edits: 0 }
    }

    /// The screen edits, the peer edits, each sees the other's, and the screen has never lost its link.
    #[track_caller]
    fn nobody_else_notices(&mut self) {
        self.edits += 1;
        let (mine, theirs) = (format!("mine {}.", self.edits), format!("theirs {}.", self.edits));
        let from = self.screen.bytes().len();
        self.screen.keys("o").keys(&mine).keys("\r\x1b");
        self.screen.wait_until(LONG, "its edit, sent", |seen| seen.contains(&mine) && seen.contains("all sent"));
        self.peer.add(&theirs);
        self.screen.wait_for(&theirs);
        self.peer.read_until("the screen's edit", |peer| peer.texts().contains(&mine));
        let since = String::from_utf8_lossy(&self.screen.bytes()[from..]).into_owned();
        assert!(!since.contains("offline") && !since.contains("refused"), "the screen noticed: {since:?}");
        assert_eq!(self.home.json(["status", "work"])["connected"], true);
    }
}

#[test]
fn a_frame_that_does_not_decode_is_said_to_be_unreadable() {
    let mut beside = Beside::new();
    let push = ToRelay::Push { list: beside.peer.list.uid(), ops: vec![] }.to_bytes();
    let garbled: [(&str, Message); 6] = [
        ("three bytes", Message::Binary(vec![1, 2, 3].into())),
        ("nothing", Message::Binary(Vec::new().into())),
        ("a message and a byte more", Message::Binary([&push[..], &[0]].concat().into())),
        ("half a message", Message::Binary(push[..push.len() / 2].to_vec().into())),
        ("a hello of noise", Message::Binary([&[0][..], &[0xff; 400]].concat().into())),
        ("text", Message::Text("{\"hello\":1}".into())),
    ];
    for (what, frame) in garbled {
        beside.peer.said.retain(|said| *said != ToSite::Unreadable);
        beside.peer.send(frame).expect("the link is there");
        beside.peer.read_until(what, |peer| peer.said.contains(&ToSite::Unreadable));
        beside.nobody_else_notices();
    }
}

#[test]
fn a_message_over_the_limit_closes_its_own_link_only() {
    let mut beside = Beside::new();
    // What was pushed before it on the link is taken all the same.
    let body = beside.peer.adding("right before");
    let op = beside.peer.mint(body);
    beside.peer.push(vec![op]);
    beside.peer.send(Message::Binary(vec![1; 256 * 1024 + 1].into())).expect("the link is there");
    beside.peer.read_to_end();
    assert_eq!(beside.peer.closed, Some(1009));
    beside.screen.wait_for("right before");
    beside.peer.link_again(beside.relay.address());
    beside.nobody_else_notices();
    assert_eq!(beside.peer.texts().iter().filter(|text| *text == "right before").count(), 1);
}

#[test]
fn an_op_that_may_not_be_is_refused_with_its_code_and_the_others_go_on() {
    type Make = fn(&Peer) -> Op;
    let cases: [(&str, RefusedCode, Make); 12] = [
        ("a key of symbols that are none", RefusedCode::BadKey, |peer| next_of(peer, raw_add(b"V\x01"))),
        ("a key that ends in the lowest symbol", RefusedCode::BadKey, |peer| next_of(peer, raw_add(b"V!"))),
        ("a key of no symbols", RefusedCode::BadKey, |peer| next_of(peer, raw_add(b""))),
        ("a key of 129 symbols", RefusedCode::BadKey, |peer| next_of(peer, raw_add(&[b'V'; 129]))),
        ("a foreign site", RefusedCode::ForeignSite, |peer| {
            let own = next_of(peer, peer.adding("x"));
            let id = OpId { site: SiteId::from_bytes([8; 16]), ctr: own.ctr };
            Op::new(id, own.prev, own.epoch, own.hlc, own.body)
        }),
        ("a text over 4 KiB", RefusedCode::TooLarge, |peer| next_of(peer, peer.adding(&"x".repeat(4_097)))),
        ("a clock an hour ahead", RefusedCode::Clock, |peer| {
            let own = next_of(peer, peer.adding("x"));
            let wall = own.hlc.tick.wall.plus(Millis(3_600_000));
            let hlc = Hlc { tick: Tick { wall, counter: 0 }, ..own.hlc };
            Op::new(own.id(), own.prev, own.epoch, hlc, own.body)
        }),
        ("a control character", RefusedCode::Control, |peer| next_of(peer, peer.adding("\x1b]0;pwned\x07"))),
        ("a forged hash", RefusedCode::Malformed, |peer| Op {
            hash: Hash::from_bytes([0; 32]),
            ..next_of(peer, peer.adding("x"))
        }),
        ("a body of noise", RefusedCode::Malformed, |peer| next_of(peer, Body::read(kind::ADD, &[0xff; 40]))),
        ("an unknown kind", RefusedCode::UnknownKind, |peer| next_of(peer, Body::Unread { kind: 250, bytes: vec![1] })),
        ("an item that is not there", RefusedCode::Gone, |peer| {
            let item = ItemId::from_bytes([9; 8]);
            next_of(peer, Body::Put(Put { item, key: None, registers: vec![Register::Done(true)] }))
        }),
    ];
    let mut beside = Beside::new();
    for (what, code, make) in cases {
        let op = make(&beside.peer);
        assert_eq!(beside.peer.refused(&op), code, "{what}");
        beside.nobody_else_notices();
    }
    // In the middle of a push: what is before it and behind it is taken.
    let bodies = [beside.peer.adding("ahead of it"), beside.peer.adding("behind it")];
    let [ahead, behind] = bodies.map(|body| beside.peer.mint(body));
    let bad = beside.peer.mint_as(behind.ctr + 1, ahead.ctr, raw_add(b"V!"));
    let behind = Op::new(OpId { ctr: bad.ctr + 1, ..bad.id() }, ahead.ctr, behind.epoch, behind.hlc, behind.body);
    beside.peer.ctr = behind.ctr;
    beside.peer.push(vec![ahead, bad, behind]);
    beside.screen.wait_for("ahead of it");
    beside.screen.wait_for("behind it");
    beside.nobody_else_notices();
}

/// An item at whatever stands in the place of its key.
fn raw_add(key: &[u8]) -> Body {
    let mut len = vec![u8::try_from(key.len() & 0x7f).expect("seven bits")];
    if key.len() > 0x7f {
        len = vec![len[0] | 0x80, u8::try_from(key.len() >> 7).expect("short")];
    }
    Body::read(kind::ADD, &[&[9; 8][..], &len, key, &[0]].concat())
}

#[test]
fn noise_on_the_port_is_nobody_elses_business() {
    let mut beside = Beside::new();
    let noises: [&[u8]; 4] = [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n\
          Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: betwixt.1\r\n\
          Origin: http://pwned.example\r\n\r\n",
        b"\xff\xff\xff\xff\r\n\r\n",
    ];
    for noise in noises {
        let mut socket = TcpStream::connect(beside.relay.address()).expect("a relay listens");
        socket.set_read_timeout(Some(LONG)).expect("a socket has timeouts");
        socket.write_all(noise).expect("it takes bytes");
        let mut answer = Vec::new();
        // A reset is as good an end as any other.
        let _ = socket.read_to_end(&mut answer);
        assert!(!answer.starts_with(b"HTTP/1.1 101"), "{}", String::from_utf8_lossy(&answer));
        beside.nobody_else_notices();
    }
}

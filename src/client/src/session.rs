//! A site's session with a relay, as a state machine without a socket or a clock.

mod patience;
mod push;
mod said;

use betwixt_core::hlc::Millis;
use betwixt_core::id::{ItemId, ListUid, SiteSecret};
use betwixt_core::name::ListName;
use betwixt_core::op::Op;
use betwixt_core::op::body::Kinds;
use betwixt_core::snapshot::Assembly;
use betwixt_core::wire::{Figures, Hello, Person, ToRelay, ToSite, VERSION};
use smol_str::SmolStr;

pub use self::patience::Patience;
use crate::replica::{Randomness, Replica, Write};

/// How far a site's session with the relay has come.
///
/// ```text
/// Waiting --time--> Dialing --linked--> Greeting --welcome--> CatchingUp --reached--> Live
///    ^                 |                   |  |                   |                    |
///    +----- lost, or out of time, or the log does not continue ---+--------------------+
///                                          +--> Ended: the user must decide, or nothing helps
/// ```
#[derive(Debug, Clone)]
pub enum State {
    /// No link; the driver dials again at this time.
    Waiting {
        /// When.
        retry_at: Millis,
    },
    /// The driver is dialing.
    Dialing,
    /// `Hello` is sent, `Welcome` has not come; parts of a snapshot may have.
    Greeting {
        /// When to give up.
        deadline: Millis,
        /// The snapshot that is coming in.
        snapshot: Option<Box<Assembly>>,
    },
    /// Reading what the relay had at `Welcome`, up to this place in the log.
    CatchingUp {
        /// Its head then.
        target: u64,
    },
    /// Everything the relay had at `Welcome` is applied here.
    Live,
    /// There will be no link until somebody decides.
    Ended(Ended),
}

/// Why there is no link, and none will be tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// The relay has another list of that name: the user chooses.
    OtherList(ListUid),
    /// The list was deleted.
    Gone,
    /// Relay and site have no version of the protocol in common.
    Version,
    /// The relay's store of this list is damaged.
    Damaged,
}

/// What happened.
#[derive(Debug)]
pub enum Input {
    /// Time passed.
    Tick,
    /// The link is there.
    Linked,
    /// The link, or the attempt at one, has failed.
    Lost,
    /// Something came over the link that is no message.
    Heard,
    /// The relay said something.
    Said(ToSite),
    /// There may be new pending ops.
    Edited,
}

/// What the driver must do: write, then the rest.
#[derive(Debug, Default)]
pub struct Outputs {
    /// First of all, to the disk.
    pub writes: Vec<Write>,
    /// Then to the relay, in order.
    pub send: Vec<ToRelay>,
    /// Ask the link whether the other side is there.
    pub ping: bool,
    /// Close the link.
    pub hang_up: bool,
    /// Dial.
    pub dial: bool,
    /// The name is not this list's on the relay.
    pub unnamed: Option<Unnamed>,
}

/// Why a name is not that of a site's list, on its relay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unnamed {
    /// It is another list's, and nothing was made here: become a replica of that list.
    Adopt(ListUid),
    /// The list was deleted: forget that it had this name.
    Gone,
}

/// What a session needs from outside for one step.
pub struct Outside<'a> {
    /// A clock that never jumps, for waiting.
    pub now: Millis,
    /// The wall clock, for stamps.
    pub wall: Millis,
    /// Random numbers.
    pub random: Randomness<'a>,
    /// Own sequenced ops, of this site and of those that it was before.
    pub journal: &'a mut dyn FnMut() -> Vec<Op>,
}

/// A site's session with a relay about one list.
#[derive(Debug, Clone)]
pub struct Session {
    state: State,
    name: ListName,
    person: SmolStr,
    kinds: Kinds,
    patience: Patience,
    /// Nothing is sent below this place in the log.
    need_seq: u64,
    /// The relay says that another speaks for this site: at `need_seq` it becomes a new one.
    collided: bool,
    /// Another link of this site has taken the place of ours. A slot has one process, so it is that of a clone: two such
    /// would go on taking each other's place.
    replaced: bool,
    /// Counter of the last op that was sent over this link.
    sent: u64,
    /// How many ops may be under way.
    window: usize,
    people: Vec<Person>,
    figures: Option<Figures>,
    here: (Option<ItemId>, bool),
    /// Each entry of the log is wanted, not only what came of them.
    wants_entries: bool,
}

impl Session {
    /// A session that dials at once.
    #[must_use]
    pub fn new(name: ListName, person: SmolStr, kinds: Kinds, patience: Patience) -> Self {
        Self {
            state: State::Waiting { retry_at: Millis(0) },
            name,
            person,
            kinds,
            patience,
            need_seq: 0,
            collided: false,
            replaced: false,
            sent: 0,
            window: push::UNDER_WAY_MAX,
            people: Vec::new(),
            figures: None,
            here: (None, false),
            wants_entries: false,
        }
    }

    /// From the next `Hello` on asks for each entry behind what was read, where the relay still has them, and not for a
    /// snapshot where that is shorter.
    pub fn want_entries(&mut self) {
        self.wants_entries = true;
    }

    /// How far it has come.
    #[must_use]
    pub const fn state(&self) -> &State {
        &self.state
    }

    /// Who is on the list, as the relay last said.
    #[must_use]
    pub fn people(&self) -> &[Person] {
        &self.people
    }

    /// The relay's figures of the list, as it last said.
    #[must_use]
    pub const fn figures(&self) -> Option<Figures> {
        self.figures
    }

    /// Whether the other side answers: a link that is silent for too long counts as none, though it may come back.
    #[must_use]
    pub fn is_heard(&self, now: Millis) -> bool {
        self.patience.is_heard(now)
    }

    /// What the list is called on this relay.
    #[must_use]
    pub const fn name(&self) -> &ListName {
        &self.name
    }

    /// Calls the list by another name on this relay, and opens it by that.
    pub fn rename(&mut self, name: ListName) {
        self.name = name;
        self.people.clear();
        self.figures = None;
        self.state = State::Waiting { retry_at: Millis(0) };
    }

    /// Leaves it to the person what becomes of this list, since the relay has that one under its name.
    pub fn leave_open(&mut self, other: ListUid) {
        self.state = State::Ended(Ended::OtherList(other));
    }

    /// Tells where the person is; returns what is to be sent now.
    pub fn here(&mut self, list: ListUid, at: Option<ItemId>, editing: bool) -> Option<ToRelay> {
        let news = self.here != (at, editing);
        self.here = (at, editing);
        (news && self.is_welcome()).then_some(ToRelay::Here { list, at, editing })
    }

    /// When the session wants its next [`Input::Tick`], if nothing else happens.
    #[must_use]
    pub fn wake_at(&self) -> Option<Millis> {
        match &self.state {
            State::Waiting { retry_at } => Some(*retry_at),
            State::Dialing | State::Ended(_) => None,
            State::Greeting { deadline, .. } => Some(*deadline),
            State::CatchingUp { .. } | State::Live => Some(self.patience.wake_at()),
        }
    }

    /// Goes one step.
    pub fn step(&mut self, replica: &mut Replica, input: Input, outside: &mut Outside<'_>) -> Outputs {
        let mut out = Outputs::default();
        if matches!(input, Input::Linked | Input::Heard | Input::Said(_)) {
            self.patience.heard(outside.now);
        }
        match (&self.state, input) {
            (State::Waiting { retry_at }, Input::Tick) if *retry_at <= outside.now => {
                self.state = State::Dialing;
                out.dial = true;
            }
            (State::Dialing, Input::Linked) => {
                let deadline = outside.now.plus(self.patience.greeting_max());
                self.state = State::Greeting { deadline, snapshot: None };
                out.send.push(ToRelay::Hello(Box::new(self.hello(replica))));
            }
            (State::Greeting { deadline, .. }, Input::Tick) if *deadline <= outside.now => self.lose(outside, &mut out),
            (State::CatchingUp { .. } | State::Live, Input::Tick) => {
                if self.patience.is_dead(outside.now) {
                    self.lose(outside, &mut out);
                } else {
                    out.ping = self.patience.asks(outside.now);
                }
            }
            // Without a link, what one that is gone has said or suffered is of no interest any more.
            (State::Ended(_) | State::Waiting { .. }, _)
            | (State::Dialing, Input::Said(_))
            | (_, Input::Tick | Input::Linked | Input::Heard | Input::Edited) => {}
            (_, Input::Lost) => self.lose(outside, &mut out),
            (_, Input::Said(message)) => self.said(replica, message, outside, &mut out),
        }
        self.go_on(replica, outside, &mut out);
        out
    }

    fn hello(&self, replica: &Replica) -> Hello {
        Hello {
            versions: vec![VERSION],
            kinds: self.kinds,
            secret: *replica.secret(),
            name: self.name.clone(),
            uid: Some(replica.confirmed().uid()),
            mark: replica.confirmed().mark(),
            pending: self.wants_entries || replica.pending().next().is_some(),
            person: self.person.clone(),
        }
    }

    /// What follows from how far the replica has come: the session is live, the site is renewed, pending ops go out.
    fn go_on(&mut self, replica: &mut Replica, outside: &mut Outside<'_>, out: &mut Outputs) {
        let seq = replica.confirmed().mark().seq;
        if matches!(self.state, State::CatchingUp { target } if target <= seq) {
            self.state = State::Live;
        }
        if !matches!(self.state, State::Live) || replica.stopped_before().is_some() {
            return;
        }
        if self.need_seq > seq {
            return;
        }
        if self.collided || replica.is_contradicted() {
            (self.collided, self.replaced) = (false, false);
            let secret = new_secret(outside.random);
            replica.renew(secret, &mut out.writes);
            self.end_link(Millis(0), outside, out);
            return;
        }
        self.push(replica, out);
    }

    fn is_welcome(&self) -> bool {
        matches!(self.state, State::CatchingUp { .. } | State::Live)
    }

    fn lose(&mut self, outside: &mut Outside<'_>, out: &mut Outputs) {
        let pause = self.patience.failed((outside.random)());
        self.end_link(pause, outside, out);
    }

    fn end_link(&mut self, pause: Millis, outside: &Outside<'_>, out: &mut Outputs) {
        out.hang_up = true;
        self.people.clear();
        self.figures = None;
        self.state = State::Waiting { retry_at: outside.now.plus(pause) };
    }
}

/// A secret of 32 random bytes.
pub fn new_secret(random: Randomness<'_>) -> SiteSecret {
    let mut bytes = [0; 32];
    for chunk in bytes.chunks_exact_mut(8) {
        chunk.copy_from_slice(&random().to_be_bytes());
    }
    SiteSecret::from_bytes(bytes)
}

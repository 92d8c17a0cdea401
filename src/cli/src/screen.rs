//! A list on the screen: the shell around the pure model. It decides nothing: it carries events in and effects out.

mod effects;
mod guard;
mod look;
mod signals;
mod tell;

use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

use betwixt_client::site::{Opening, os_random, rescue, wall_clock};
use betwixt_client::{Address, LinkStatus, Site};
use betwixt_core::hlc::Millis;
use betwixt_core::name::ListName;
use betwixt_tui::{Model, Msg, Preset, Setup, update, view};
use crossterm::event::{Event, EventStream};
use futures_util::StreamExt as _;
use tokio::sync::watch;

use self::guard::Guard;
use self::signals::{Signal, Signals};
use crate::args::Place;
use crate::config::{Config, Keys};
use crate::keeper::Keeper;
use crate::place::kinds;
use crate::report::Report;

/// Least time between two frames.
const FRAME: Duration = Duration::from_millis(10);
/// How often closed windows are looked for that left something unsent.
const RESCUE_EVERY: Duration = Duration::from_secs(10);
/// How long ending may wait for what is on its way.
const LAST_WORDS: Duration = Duration::from_millis(300);
/// How long the screen sleeps when nothing is to come.
const LONG: Duration = Duration::from_hours(24);

/// Opens a list on the screen, until the person leaves.
pub(crate) fn open(place: &Place, config: &Config, list: Option<&ListName>) -> Result<(), Report> {
    guard::check_terminal()?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let shown = runtime.block_on(show(place, config, list));
    // The thread that waits for the local relay's lock never ends by itself.
    runtime.shutdown_background();
    shown
}

async fn show(place: &Place, config: &Config, list: Option<&ListName>) -> Result<(), Report> {
    let folder = place.folder()?;
    let name = match list {
        Some(name) => name.clone(),
        None => folder.last_list()?.map_or_else(|| "inbox".parse(), Ok)?,
    };
    let opening =
        Opening { address: place.address(&folder)?, name, person: place.person()?.into(), kinds: kinds(), folder };
    let slot = Arc::new(opening.folder.lease(&mut os_random)?);
    let keeper = place.relay.is_none().then(|| Keeper::start(opening.folder.path().to_owned()));
    let site = Site::open(slot, opening.clone())?;
    opening.folder.set_last_list(&opening.name)?;
    let stranded = watch::Sender::new(0);
    let helper = tokio::spawn(rescue_all(opening.clone(), stranded.clone(), site.changes()));

    let mut screen = Screen {
        model: Model::new(setup(place, config, &opening)?),
        site,
        keeper,
        opening,
        stranded,
        told: tell::Told::default(),
        wake_at: None,
        running: true,
        dirty: true,
    };
    let shown = screen.run().await;

    helper.abort();
    let Screen { site, keeper, .. } = screen;
    let fault = keeper.as_ref().and_then(Keeper::fault);
    if site.status().link == LinkStatus::Live {
        site.wait_until(LAST_WORDS, |status| status.unsent == 0).await;
    }
    site.close().await;
    if let Some(keeper) = keeper {
        keeper.end().await;
    }
    // On the screen there was room for a few words of it.
    shown.and(fault.map_or(Ok(()), |fault| Err(Report::new(fault.line))))
}

fn setup(place: &Place, config: &Config, opening: &Opening) -> Result<Setup, Report> {
    let folder = opening.folder.path();
    Ok(Setup {
        list: opening.name.clone(),
        person: opening.person.to_string(),
        command: look::command(),
        socket: betwixt_relay::local::socket_path(folder)?.display().to_string(),
        data: folder.display().to_string(),
        relay: place.relay.as_ref().map(Address::record),
        theme: look::theme(config.theme),
        preset: match config.keys {
            Keys::Vim => Preset::Vim,
            Keys::Plain => Preset::Plain,
        },
    })
}

/// Sends what closed windows left unsent, at the start and every ten seconds, while this window has a link.
async fn rescue_all(opening: Opening, stranded: watch::Sender<usize>, mut changes: watch::Receiver<u64>) {
    loop {
        // A slot that cannot be opened is its own window's trouble; the next round tries again.
        let _ = rescue::rescue(&opening, |left| {
            stranded.send_replace(left);
        })
        .await;
        tokio::time::sleep(RESCUE_EVERY).await;
        if changes.changed().await.is_err() {
            return;
        }
    }
}

/// The next change, if there is anything to change.
async fn changed<T>(watched: Option<&mut watch::Receiver<T>>) -> Option<()> {
    watched?.changed().await.ok()
}

/// The next event if it is there already. Asks in this task's name: the stream keeps the first waker that it is given, and
/// one that wakes nobody would put the screen to sleep for good.
async fn waiting(events: &mut EventStream) -> Option<Option<std::io::Result<Event>>> {
    poll_fn(|cx| match events.poll_next_unpin(cx) {
        Poll::Ready(event) => Poll::Ready(Some(event)),
        Poll::Pending => Poll::Ready(None),
    })
    .await
}

/// The screen at work.
struct Screen {
    model: Model,
    site: Site,
    keeper: Option<Keeper>,
    opening: Opening,
    stranded: watch::Sender<usize>,
    told: tell::Told,
    wake_at: Option<Millis>,
    running: bool,
    dirty: bool,
}

/// What the loop woke up for.
enum Woke {
    Terminal(Option<std::io::Result<Event>>),
    Signal(Signal),
    Changed,
    Time,
    Frame,
}

impl Screen {
    async fn run(&mut self) -> Result<(), Report> {
        let mut guard = Guard::enter()?;
        let mut events = EventStream::new();
        let mut signals = Signals::listen()?;
        signals::end_without_terminal()?;
        let mut changes = self.site.changes();
        let mut stranded = self.stranded.subscribe();
        let mut faults = self.keeper.as_ref().map(Keeper::faults);
        let (cols, rows) = crossterm::terminal::size()?;
        self.feed(Msg::Resize { cols, rows }, &mut guard).await?;
        self.tell(&mut guard).await?;
        let mut drawn_at: Option<Instant> = None;
        while self.running {
            let frame_in = drawn_at.map_or(Duration::ZERO, |at| FRAME.saturating_sub(at.elapsed()));
            if self.dirty && frame_in.is_zero() {
                self.draw(&mut guard)?;
                drawn_at = Some(Instant::now());
                self.dirty = false;
            }
            let time = self.wake_at.map_or(LONG, |at| Duration::from_millis(at.since(wall_clock()).0));
            let woke = tokio::select! {
                // Once the terminal is gone the reader of keys may never return: whether it is, is asked first.
                biased;
                signal = signals.next() => Woke::Signal(signal),
                event = events.next() => Woke::Terminal(event),
                _ = changes.changed() => Woke::Changed,
                _ = stranded.changed() => Woke::Changed,
                Some(()) = changed(faults.as_mut()) => Woke::Changed,
                () = tokio::time::sleep(time) => Woke::Time,
                () = tokio::time::sleep(frame_in), if self.dirty => Woke::Frame,
            };
            match woke {
                Woke::Terminal(event) => {
                    let mut next = Some(event);
                    // All that waits is taken before the next frame.
                    while let Some(event) = next.take() {
                        let Some(event) = event.transpose()? else { return Ok(()) };
                        self.event(event, &mut guard).await?;
                        if self.running {
                            next = waiting(&mut events).await;
                        }
                    }
                }
                Woke::Signal(Signal::End) => return Ok(()),
                Woke::Signal(Signal::Suspend) => self.suspend(&mut guard).await?,
                Woke::Changed => self.tell(&mut guard).await?,
                Woke::Time => {
                    self.wake_at = None;
                    self.feed(Msg::Wake, &mut guard).await?;
                }
                Woke::Frame => {}
            }
        }
        Ok(())
    }

    fn draw(&mut self, guard: &mut Guard) -> Result<(), Report> {
        let Self { model, site, .. } = self;
        Ok(site.read(|list| guard.draw(|frame| view(model, list, frame)))?)
    }

    async fn event(&mut self, event: Event, guard: &mut Guard) -> Result<(), Report> {
        let msg = match event {
            Event::Key(key) => Msg::Key(key),
            Event::Paste(text) => Msg::Paste(text),
            Event::Resize(cols, rows) => Msg::Resize { cols, rows },
            Event::FocusGained | Event::FocusLost | Event::Mouse(_) => return Ok(()),
        };
        self.feed(msg, guard).await
    }

    /// Takes a message into the model, and carries out what follows from it.
    async fn feed(&mut self, msg: Msg, guard: &mut Guard) -> Result<(), Report> {
        let mut msgs = vec![msg];
        while let Some(msg) = msgs.pop() {
            self.dirty = true;
            let Self { model, site, .. } = self;
            let effects = site.read(|list| update(model, list, msg, wall_clock()));
            for effect in effects {
                msgs.extend(self.carry_out(effect, guard).await?);
            }
            msgs.reverse();
        }
        Ok(())
    }

    /// Tells the model what is new at the site.
    async fn tell(&mut self, guard: &mut Guard) -> Result<(), Report> {
        let stranded = *self.stranded.borrow();
        let fault = self.keeper.as_ref().and_then(Keeper::fault);
        for msg in self.told.news(&self.site, &self.opening, stranded, fault) {
            self.feed(msg, guard).await?;
        }
        Ok(())
    }

    /// Gives the terminal and the local relay back, stops, and takes the terminal again when it goes on.
    async fn suspend(&mut self, guard: &mut Guard) -> Result<(), Report> {
        guard.leave()?;
        if let Some(keeper) = &mut self.keeper {
            keeper.release().await;
        }
        signals::stop();
        guard.reenter()?;
        if let Some(keeper) = &mut self.keeper {
            keeper.resume();
        }
        let (cols, rows) = crossterm::terminal::size()?;
        let Self { model, site, .. } = self;
        site.read(|list| {
            update(model, list, Msg::Resumed, wall_clock());
            update(model, list, Msg::Resize { cols, rows }, wall_clock());
        });
        self.dirty = true;
        Ok(())
    }
}

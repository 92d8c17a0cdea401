//! A list on the screen: the shell around the pure model. It decides nothing: it carries events in and effects out.

mod effects;
mod guard;
mod lists;
mod look;
mod signals;
mod tell;

use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

use betwixt_client::site::{Opening, os_random, rescue, wall_clock};
use betwixt_client::{Address, LinkStatus, Site, Sites};
use betwixt_core::hlc::Millis;
use betwixt_core::name::ListName;
use betwixt_tui::{Effect, Model, Msg, Preset, Setup, update, view};
use crossterm::event::{Event, EventStream};
use futures_util::StreamExt as _;
use tokio::sync::{mpsc, watch};

use self::guard::Guard;
use self::signals::{Signal, Signals};
use crate::args::Place;
use crate::config::{Config, Keys};
use crate::keeper::Keeper;
use crate::place::kinds;
use crate::report::Report;

/// Least time between two frames.
const FRAME: Duration = Duration::from_millis(10);
/// How often it is looked for what other lists and closed windows left unsent.
const ERRANDS_EVERY: Duration = Duration::from_secs(10);
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
    let sites = Arc::new(Sites::new(slot, opening.clone()));
    let site = sites.show(&opening.name).await?;
    opening.folder.set_last_list(&opening.name)?;
    let (stranded, errands) = (watch::Sender::new(0), watch::Sender::new(0));
    let runner = run_errands(Arc::clone(&sites), opening.clone(), stranded.clone(), errands.subscribe());
    let runner = tokio::spawn(runner);
    let (answers, heard) = mpsc::unbounded_channel();

    let setup = setup(place, config, &opening)?;
    let mut screen = Screen {
        model: Model::new(setup.clone()),
        setup,
        given: list.cloned(),
        changes: site.changes(),
        sites,
        site,
        keeper,
        opening,
        stranded,
        errands,
        answers,
        heard,
        told: tell::Told::default(),
        wake_at: None,
        running: true,
        dirty: true,
    };
    let shown = screen.run().await;

    runner.abort();
    let Screen { sites, site, keeper, .. } = screen;
    let fault = keeper.as_ref().and_then(Keeper::fault);
    if site.status().link == LinkStatus::Live {
        site.wait_until(LAST_WORDS, |status| status.unsent == 0).await;
    }
    sites.close().await;
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

/// Sends what other lists of this window and closed windows have left unsent: at the start, and from time to time when
/// something has happened.
async fn run_errands(
    sites: Arc<Sites>,
    opening: Opening,
    stranded: watch::Sender<usize>,
    mut errands: watch::Receiver<u64>,
) {
    loop {
        sites.send_rest().await;
        // A slot that cannot be opened is its own window's trouble; the next round tries again.
        let _ = rescue::rescue(&opening, |left| {
            stranded.send_replace(left);
        })
        .await;
        tokio::time::sleep(ERRANDS_EVERY).await;
        if errands.changed().await.is_err() {
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
    setup: Setup,
    /// The list that the command line named.
    given: Option<ListName>,
    sites: Arc<Sites>,
    /// The list that is shown, and its changes.
    site: Arc<Site>,
    changes: watch::Receiver<u64>,
    keeper: Option<Keeper>,
    opening: Opening,
    stranded: watch::Sender<usize>,
    /// Counts up when there may be something for [`run_errands`].
    errands: watch::Sender<u64>,
    /// Where those who work for the model in the background put their answers.
    answers: mpsc::UnboundedSender<Msg>,
    heard: mpsc::UnboundedReceiver<Msg>,
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
    Heard(Msg),
    Time,
    Frame,
}

impl Screen {
    async fn run(&mut self) -> Result<(), Report> {
        let mut guard = Guard::enter()?;
        let mut events = EventStream::new();
        let mut signals = Signals::listen()?;
        signals::end_without_terminal()?;
        let mut stranded = self.stranded.subscribe();
        let mut faults = self.keeper.as_ref().map(Keeper::faults);
        let (cols, rows) = crossterm::terminal::size()?;
        self.feed(Msg::Resize { cols, rows }, &mut guard).await?;
        let known = lists::known(&self.opening)?;
        self.feed(known, &mut guard).await?;
        self.tell(&mut guard).await?;
        self.carry_transfers();
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
                _ = self.changes.changed() => Woke::Changed,
                Some(msg) = self.heard.recv() => Woke::Heard(msg),
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
                Woke::Heard(msg) => self.feed(msg, &mut guard).await?,
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
                let is_left = matches!(effect, Effect::Open(_));
                msgs.extend(self.carry_out(effect, guard).await?);
                if is_left {
                    // What else there was to do was about the list that is not shown any more.
                    break;
                }
            }
            msgs.reverse();
        }
        Ok(())
    }

    /// Tells the model what is new at the site.
    async fn tell(&mut self, guard: &mut Guard) -> Result<(), Report> {
        self.errands.send_modify(|errands| *errands += 1);
        for msg in self.news() {
            self.feed(msg, guard).await?;
        }
        Ok(())
    }

    /// What the model has not heard of the site.
    fn news(&mut self) -> Vec<Msg> {
        let stranded = *self.stranded.borrow();
        let fault = self.keeper.as_ref().and_then(Keeper::fault);
        self.told.news(&self.site, &self.opening, stranded, fault)
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

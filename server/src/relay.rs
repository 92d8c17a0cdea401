//! A running relay: its threads, its listeners, and its end.

mod threads;

use std::future::Future;
use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use betwixt_core::limits::GREETING_LINKS_MAX;
use tokio::net::{TcpListener, TcpStream, UnixListener, UnixStream};
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use self::threads::Threads;
use crate::engine::Engine;
use crate::figures::{Board, Open};
use crate::link::{self, Links, Origin, Phase};
use crate::notice::{Notice, Notices};
use crate::options::Options;
use crate::splits::{SplitTable, Splits};
use crate::worker::Shared;

/// How long links may take to be closed.
const CLOSE_MAX: Duration = Duration::from_millis(1_500);
/// The first pause after a connection could not be accepted; doubled up to [`ACCEPT_PAUSE_MAX`].
const ACCEPT_PAUSE_FIRST: Duration = Duration::from_millis(5);
/// See [`ACCEPT_PAUSE_FIRST`].
const ACCEPT_PAUSE_MAX: Duration = Duration::from_secs(1);

/// Where links come from.
#[derive(Debug)]
pub enum Listener {
    /// Any machine that can reach it.
    Tcp(TcpListener),
    /// This machine, and this user.
    Unix(UnixListener),
}

/// A relay before it runs.
#[derive(Debug)]
pub struct Relay {
    engine: Arc<dyn Engine>,
    options: Options,
    board: Board,
    notices: Notices,
    heard: Option<mpsc::Receiver<Notice>>,
}

/// Why a relay did not start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The operating system gives no thread.
    #[error("cannot start a thread of the relay")]
    Thread(#[source] io::Error),
}

impl Relay {
    /// A relay over these logs.
    #[must_use]
    pub fn new(engine: impl Engine, options: Options) -> Self {
        let (notices, heard) = Notices::channel();
        Self { engine: Arc::new(engine), options, board: Board::default(), notices, heard: Some(heard) }
    }

    /// The figures of the open lists, as they change.
    #[must_use]
    pub fn figures(&self) -> watch::Receiver<Open> {
        self.board.watch()
    }

    /// What the person who runs the relay has to know; `None` the second time.
    #[must_use]
    pub fn notices(&mut self) -> Option<mpsc::Receiver<Notice>> {
        self.heard.take()
    }

    /// Serves until `shutdown` is ready; then commits what was read, tells all links, and lets go of the store.
    ///
    /// Dropping the future drops the links without a word; what was acknowledged is durable all the same.
    ///
    /// # Errors
    ///
    /// It could not start. Faults of links, lists and storage do not end it.
    pub async fn run(self, listeners: Vec<Listener>, shutdown: impl Future<Output = ()>) -> Result<(), RunError> {
        let Self { engine, options, board, notices, heard: _heard } = self;
        let workers = options.workers.max(1);
        let runtime = Handle::current();
        let shared = Arc::new(Shared { engine: Arc::clone(&engine), options, board, notices, runtime });
        let threads = Threads::start(workers, &shared).map_err(RunError::Thread)?;
        let (phase, watched) = watch::channel(Phase::Serving);
        let links = Arc::new(Links {
            shared,
            splits: Splits::new(SplitTable::even(workers)),
            workers: threads.workers.clone(),
            sessions: AtomicU64::new(1),
            phase: watched,
        });
        let greeting = Arc::new(Semaphore::new(GREETING_LINKS_MAX));
        let mut accepting = JoinSet::new();
        for listener in listeners {
            accepting.spawn(accept(listener, Arc::clone(&links), Arc::clone(&greeting)));
        }
        drop(links);

        shutdown.await;
        let _ = phase.send(Phase::Draining);
        let mut open = Vec::new();
        while let Some(links) = accepting.join_next().await {
            open.extend(links.ok());
        }
        threads.drain().await;
        let _ = phase.send(Phase::Closing);
        let _ = timeout(CLOSE_MAX, async {
            for mut links in open {
                while links.join_next().await.is_some() {}
            }
        })
        .await;
        threads.join().await;
        // A disk that does not answer must not hold up the end for ever.
        let _ = timeout(CLOSE_MAX, tokio::task::spawn_blocking(move || engine.close())).await;
        Ok(())
    }
}

/// Accepts links until the relay drains; returns those that are open.
async fn accept(listener: Listener, links: Arc<Links>, greeting: Arc<Semaphore>) -> JoinSet<()> {
    let mut open = JoinSet::new();
    let mut phase = links.phase.clone();
    let mut pause = ACCEPT_PAUSE_FIRST;
    loop {
        let accepted = tokio::select! {
            biased;
            _ = phase.wait_for(|phase| *phase > Phase::Serving) => return open,
            Some(_) = open.join_next(), if !open.is_empty() => continue,
            accepted = accept_one(&listener, &greeting) => accepted,
        };
        match accepted {
            Ok((Socket::Tcp(socket), permit)) => {
                // Ops are small and wait for their acks; a socket that is gone already shows that when it is read.
                let _ = socket.set_nodelay(true);
                open.spawn(link::serve(socket, Origin::Remote, Arc::clone(&links), permit));
            }
            Ok((Socket::Unix(socket), permit)) => {
                open.spawn(link::serve(socket, Origin::Local, Arc::clone(&links), permit));
            }
            // Out of descriptors, mostly: others' links may end meanwhile.
            Err(_) => {
                sleep(pause).await;
                pause = (pause * 2).min(ACCEPT_PAUSE_MAX);
                continue;
            }
        }
        pause = ACCEPT_PAUSE_FIRST;
    }
}

enum Socket {
    Tcp(TcpStream),
    Unix(UnixStream),
}

/// Accepts one link. A permit first: those who never say hello cannot take more than so many sockets.
async fn accept_one(listener: &Listener, greeting: &Arc<Semaphore>) -> io::Result<(Socket, OwnedSemaphorePermit)> {
    let permit = Arc::clone(greeting).acquire_owned().await.expect("nobody closes this semaphore");
    let socket = match listener {
        Listener::Tcp(listener) => Socket::Tcp(listener.accept().await?.0),
        Listener::Unix(listener) => Socket::Unix(listener.accept().await?.0),
    };
    Ok((socket, permit))
}

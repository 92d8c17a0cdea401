//! `betwixt relay`: a relay for others, from its arguments to its live lines.

use std::future::Future;
use std::io::{self, Write};
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

use betwixt_core::causes::Causes;
use betwixt_core::op::body::Kinds;
use tokio::net::{TcpListener, lookup_host};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

use crate::figures::Open;
use crate::live;
use crate::local::{LocalRole, RoleError, ServeError, holder_pid};
use crate::options::Options;
use crate::relay::{Listener, RunError};

/// What `betwixt relay` is told.
#[derive(Debug, Clone, clap::Args)]
pub struct Arguments {
    /// Where to listen, as HOST:PORT; may be given several times.
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:7878")]
    pub listen: Vec<String>,
    /// Where lists are kept.
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Sets a limit, for instance `items=1000`; may be given several times.
    #[arg(long = "limit", value_name = "NAME=VALUE")]
    pub limits: Vec<String>,
    /// Threads that own lists; as many as there are cores unless given.
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub workers: Option<u16>,
    /// Serves other machines without encryption.
    #[arg(long)]
    pub insecure: bool,
}

/// Why a relay does not serve.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RelayError {
    /// An address means nothing here.
    #[error("cannot listen on {address}: it is no address of this machine")]
    Address {
        /// What was given.
        address: String,
        /// What the operating system said.
        #[source]
        source: Option<io::Error>,
    },
    /// An address that other machines reach.
    #[error(
        "{address} can be reached by other machines, and this relay does not encrypt: \
         add --insecure if the network is yours alone"
    )]
    Insecure {
        /// Which.
        address: SocketAddr,
    },
    /// Somebody else listens there.
    #[error("{address} is taken by another program: choose another one with --listen")]
    Taken {
        /// Where.
        address: SocketAddr,
    },
    /// It cannot be listened on.
    #[error("cannot listen on {address}")]
    Listen {
        /// Where.
        address: SocketAddr,
        /// What the operating system said.
        #[source]
        source: io::Error,
    },
    /// A limit is none.
    #[error(transparent)]
    Limit(#[from] crate::options::LimitError),
    /// The folder cannot be used.
    #[error(transparent)]
    Role(#[from] RoleError),
    /// Another process serves the folder.
    #[error(
        "the folder {} is served by another relay{}: end that one, or choose another folder with --data",
        data.display(), pid.map(|pid| format!(", process {pid}")).unwrap_or_default()
    )]
    Served {
        /// The folder.
        data: PathBuf,
        /// The other process, if it says which.
        pid: Option<u32>,
    },
    /// The store or the socket cannot be opened.
    #[error(transparent)]
    Serve(#[from] ServeError),
    /// It could not start.
    #[error(transparent)]
    Run(#[from] RunError),
    /// It would not hear when it is told to end.
    #[error("cannot listen for signals")]
    Signals(#[source] io::Error),
}

/// Serves a folder until `shutdown` is ready, and shows what goes on: lines on `out`, faults on `faults`.
///
/// # Errors
///
/// It cannot serve; each error is one line that says what to do.
pub async fn serve(
    arguments: Arguments,
    kinds: Kinds,
    data: PathBuf,
    shutdown: impl Future<Output = ()>,
    out: &mut (impl Write + io::IsTerminal),
    faults: &mut impl Write,
) -> Result<(), RelayError> {
    let mut options = Options { kinds, ..Options::default() };
    for limit in &arguments.limits {
        crate::options::set_limit(&mut options.limits, limit)?;
    }
    options.workers = arguments.workers.map_or(options.workers, usize::from);
    let (listeners, addresses) = listen(&arguments.listen, arguments.insecure).await?;
    let Some(role) = LocalRole::try_take(&data)? else {
        return Err(RelayError::Served { pid: holder_pid(&data), data });
    };
    let mut relay = role.open(options, listeners)?;
    for address in addresses {
        // A closed output must not end a relay.
        let _ = writeln!(out, "listening on ws://{address}");
    }
    let _ = writeln!(out, "listening on {}", relay.socket().display());
    let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    let mut screen = Screen::new(out.is_terminal() && !is_dumb);
    let (mut figures, mut notices) = (relay.figures(), relay.notices());
    screen.show(&mut figures, out);
    let running = relay.serve(shutdown);
    tokio::pin!(running);
    loop {
        tokio::select! {
            ended = &mut running => {
                screen.show(&mut figures, out);
                return Ok(ended?);
            }
            Ok(()) = figures.changed() => screen.show(&mut figures, out),
            Some(notice) = async { notices.as_mut()?.recv().await } => {
                let _ = writeln!(faults, "betwixt-relay: {}", Causes(&notice));
                screen.forget();
            }
        }
    }
}

/// Binds the addresses that were given.
async fn listen(given: &[String], insecure: bool) -> Result<(Vec<Listener>, Vec<SocketAddr>), RelayError> {
    let (mut listeners, mut addresses) = (Vec::new(), Vec::new());
    for text in given {
        let unknown = |source| RelayError::Address { address: text.clone(), source };
        let address = lookup_host(text).await.map_err(|source| unknown(Some(source)))?.next();
        let address = address.ok_or_else(|| unknown(None))?;
        if !insecure && !is_loopback(address.ip()) {
            return Err(RelayError::Insecure { address });
        }
        let listener = TcpListener::bind(address).await.map_err(|source| match source.kind() {
            io::ErrorKind::AddrInUse => RelayError::Taken { address },
            io::ErrorKind::AddrNotAvailable => unknown(Some(source)),
            _ => RelayError::Listen { address, source },
        })?;
        addresses.push(listener.local_addr().unwrap_or(address));
        listeners.push(Listener::Tcp(listener));
    }
    Ok((listeners, addresses))
}

fn is_loopback(address: IpAddr) -> bool {
    address.to_canonical().is_loopback()
}

/// The live lines: redrawn in place on a terminal, else written when they change.
struct Screen {
    redraws: bool,
    drawn: usize,
    shown: Open,
}

impl Screen {
    fn new(redraws: bool) -> Self {
        Self { redraws, drawn: 0, shown: Open::new() }
    }

    fn show(&mut self, figures: &mut watch::Receiver<Open>, out: &mut impl Write) {
        let open = figures.borrow_and_update().clone();
        let text = if self.redraws {
            let lines = live::lines(&open);
            let drawn = std::mem::replace(&mut self.drawn, lines.len());
            redrawn(drawn, &lines)
        } else {
            live::changes(&self.shown, &open).iter().flat_map(|line| [line, "\n"]).collect()
        };
        self.shown = open;
        let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    }

    /// Something else was written below the lines: they are drawn anew there.
    fn forget(&mut self) {
        self.drawn = 0;
    }
}

/// Lines in place of as many as were drawn: up to the first of them, everything below it away, and no line wrapped,
/// so that one line of text is one line of the screen.
fn redrawn(drawn: usize, lines: &[String]) -> String {
    let up = if drawn == 0 { String::new() } else { format!("\u{1b}[{drawn}F\u{1b}[J") };
    let lines: String = lines.iter().flat_map(|line| [line, "\n"]).collect();
    format!("{up}\u{1b}[?7l{lines}\u{1b}[?7h")
}

/// Ready when the person or the system wants the program to end: SIGINT, SIGTERM or SIGHUP. Needs a tokio runtime.
///
/// # Errors
///
/// The operating system does not tell of signals.
pub fn told_to_end() -> io::Result<impl Future<Output = ()>> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut hangup = signal(SignalKind::hangup())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            _ = hangup.recv() => {}
        }
    })
}

//! A relay in this process, and waiting with a deadline.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use betwixt_relay::figures::Open;
use betwixt_relay::{Listener, Options, Relay, Stored};
use betwixt_store::Store;
use tokio::net::{TcpListener, UnixListener};
use tokio::sync::{oneshot, watch};
use tokio::task::JoinHandle;

/// What any wait in these tests may take.
pub(crate) const DEADLINE: Duration = Duration::from_secs(20);

/// Waits for something that must come.
pub(crate) async fn within<T>(what: &str, wait: impl Future<Output = T>) -> T {
    tokio::time::timeout(DEADLINE, wait).await.unwrap_or_else(|_| panic!("in time: {what}"))
}

/// Waits until a condition holds.
pub(crate) async fn until(what: &str, mut holds: impl FnMut() -> bool) {
    within(what, async {
        while !holds() {
            tokio::task::yield_now().await;
        }
    })
    .await;
}

/// A running relay.
pub(crate) struct TestRelay {
    pub(crate) address: SocketAddr,
    pub(crate) figures: watch::Receiver<Open>,
    socket: PathBuf,
    _folder: tempfile::TempDir,
    shutdown: oneshot::Sender<()>,
    running: JoinHandle<()>,
}

impl TestRelay {
    pub(crate) async fn start(store: impl Store) -> Self {
        Self::start_with(store, Options::default()).await
    }

    pub(crate) async fn start_with(store: impl Store, options: Options) -> Self {
        let store: Arc<dyn Store> = Arc::new(store);
        let stored = Stored::open_with(move || Ok(Arc::clone(&store))).unwrap();
        Self::start_over(stored, options).await
    }

    pub(crate) async fn start_over(stored: Stored, options: Options) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("relay.sock");
        let tcp = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = tcp.local_addr().unwrap();
        let listeners = vec![Listener::Tcp(tcp), Listener::Unix(UnixListener::bind(&socket).unwrap())];
        let relay = Relay::new(stored, options);
        let figures = relay.figures();
        let (shutdown, told) = oneshot::channel::<()>();
        let running = tokio::spawn(async move {
            let told = async {
                let _ = told.await;
            };
            relay.run(listeners, told).await.unwrap();
        });
        Self { address, figures, socket, _folder: folder, shutdown, running }
    }

    pub(crate) fn socket(&self) -> &Path {
        &self.socket
    }

    /// Ends it in order.
    pub(crate) async fn stop(self) {
        let _ = self.shutdown.send(());
        within("the relay ends", self.running).await.unwrap();
    }

    /// Drops it as it is.
    pub(crate) async fn kill(self) {
        self.running.abort();
        let _ = within("the relay is gone", self.running).await;
    }
}

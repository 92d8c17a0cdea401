//! The byte pipe to a relay: WebSocket over TCP or over a folder's Unix socket.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use betwixt_core::limits::{QUEUE_BYTES_MAX, READ_BUFFER_BYTES};
use betwixt_core::wire::SUBPROTOCOL;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpStream, UnixStream};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{self};

use crate::Address;

/// Largest message that is taken from a relay.
const MESSAGE_BYTES_MAX: usize = 1024 * 1024;
/// How long a dial over a network may take; the local relay answers at once or is stopped.
const DIAL_MAX: Duration = Duration::from_secs(10);
const LOCAL_DIAL_MAX: Duration = Duration::from_secs(3);

/// A link to a relay.
pub type Link = WebSocketStream<Pipe>;

/// Why there is no link.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DialError {
    /// Nothing listens there.
    #[error("no relay at {address}")]
    Connect {
        /// Where.
        address: String,
        /// Why.
        source: io::Error,
    },
    /// Something listens there, and is no relay.
    #[error("what answers at {address} is no betwixt relay")]
    Handshake {
        /// Where.
        address: String,
        /// Why.
        source: Box<tungstenite::Error>,
    },
    /// Something listens there, and does not answer.
    #[error("the relay at {address} does not answer")]
    Silent {
        /// Where.
        address: String,
    },
}

/// Dials a relay.
///
/// # Errors
///
/// There is none, or it does not answer in time.
pub async fn dial(address: &Address) -> Result<Link, DialError> {
    let limit = if address.is_local() { LOCAL_DIAL_MAX } else { DIAL_MAX };
    match tokio::time::timeout(limit, connect(address)).await {
        Ok(link) => link,
        Err(_elapsed) => Err(DialError::Silent { address: address.to_string() }),
    }
}

async fn connect(address: &Address) -> Result<Link, DialError> {
    let failed = |source| DialError::Connect { address: address.to_string(), source };
    let (pipe, url) = match address {
        Address::Local(path) => {
            (Pipe::Unix(UnixStream::connect(path).await.map_err(failed)?), "ws://betwixt/".to_owned())
        }
        Address::Tcp { host, port } => {
            let stream = TcpStream::connect((host.trim_matches(['[', ']']), *port)).await.map_err(failed)?;
            stream.set_nodelay(true).map_err(failed)?;
            (Pipe::Tcp(stream), format!("ws://{host}:{port}/"))
        }
    };
    let handshake = |source| DialError::Handshake { address: address.to_string(), source: Box::new(source) };
    let mut request = url.into_client_request().map_err(handshake)?;
    request.headers_mut().insert("Sec-WebSocket-Protocol", HeaderValue::from_static(SUBPROTOCOL));
    let config = WebSocketConfig::default()
        .read_buffer_size(READ_BUFFER_BYTES)
        .max_write_buffer_size(QUEUE_BYTES_MAX)
        .write_buffer_size(READ_BUFFER_BYTES)
        .max_message_size(Some(MESSAGE_BYTES_MAX))
        .max_frame_size(Some(MESSAGE_BYTES_MAX));
    let (link, _response) =
        tokio_tungstenite::client_async_with_config(request, pipe, Some(config)).await.map_err(handshake)?;
    Ok(link)
}

/// A stream of either kind.
#[derive(Debug)]
pub enum Pipe {
    /// Over a network.
    Tcp(TcpStream),
    /// Within this machine.
    Unix(UnixStream),
}

impl AsyncRead for Pipe {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Tcp(stream) => Pin::new(stream).poll_read(cx, buf),
            Self::Unix(stream) => Pin::new(stream).poll_read(cx, buf),
        }
    }
}

impl AsyncWrite for Pipe {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Tcp(stream) => Pin::new(stream).poll_write(cx, bytes),
            Self::Unix(stream) => Pin::new(stream).poll_write(cx, bytes),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Tcp(stream) => Pin::new(stream).poll_flush(cx),
            Self::Unix(stream) => Pin::new(stream).poll_flush(cx),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Tcp(stream) => Pin::new(stream).poll_shutdown(cx),
            Self::Unix(stream) => Pin::new(stream).poll_shutdown(cx),
        }
    }
}

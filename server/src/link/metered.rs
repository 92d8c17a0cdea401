//! A socket that counts what was written to it: how a writer knows that a slow link still takes something.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Counts the bytes that a socket has taken.
#[derive(Debug)]
pub(super) struct Metered<S> {
    socket: S,
    written: Written,
}

/// The count, shared.
#[derive(Debug, Clone, Default)]
pub(super) struct Written(Arc<AtomicU64>);

impl Written {
    pub(super) fn bytes(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

impl<S> Metered<S> {
    pub(super) fn new(socket: S) -> (Self, Written) {
        let written = Written::default();
        (Self { socket, written: written.clone() }, written)
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Metered<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_read(cx, buf)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Metered<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let taken = Pin::new(&mut self.socket).poll_write(cx, buf);
        if let Poll::Ready(Ok(bytes)) = &taken {
            self.written.0.fetch_add(u64::try_from(*bytes).unwrap_or(u64::MAX), Ordering::Relaxed);
        }
        taken
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_shutdown(cx)
    }
}

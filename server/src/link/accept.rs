//! The WebSocket handshake.
//!
//! A browser page of anybody could reach a relay on this machine, and says so with `Origin`: refused. A site offers the
//! subprotocol `betwixt.1`, or `betwixt.1.json`; without one the relay does not guess which spelling is meant, and refuses
//! too.

use betwixt_core::limits::{Limits, QUEUE_BYTES_MAX, READ_BUFFER_BYTES};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Error;
use tokio_tungstenite::tungstenite::handshake::server::{ErrorResponse, Request, Response};
use tokio_tungstenite::tungstenite::http::header::{ORIGIN, SEC_WEBSOCKET_PROTOCOL};
use tokio_tungstenite::tungstenite::http::{HeaderValue, StatusCode};
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;

use super::spelling::Spelling;

/// Bytes that are collected before the socket is asked to take them; a flush comes after each batch anyway.
const WRITE_BUFFER_BYTES: usize = 16 * 1024;

/// Answers the upgrade request of a site; of the spellings that it offers, ours comes first.
///
/// # Errors
///
/// It is no upgrade, comes from a browser, offers no spelling that the relay knows, or the socket fails.
pub(super) async fn accept<S>(socket: S, limits: &Limits) -> Result<(WebSocketStream<S>, Spelling), Box<Error>>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let message_bytes = usize::try_from(limits.message_bytes).unwrap_or(usize::MAX);
    let config = WebSocketConfig::default()
        .read_buffer_size(READ_BUFFER_BYTES)
        .write_buffer_size(WRITE_BUFFER_BYTES)
        .max_write_buffer_size(QUEUE_BYTES_MAX)
        .max_message_size(Some(message_bytes))
        .max_frame_size(Some(message_bytes));
    let mut chosen = Spelling::Compact;
    #[expect(clippy::result_large_err, reason = "the type is the WebSocket library's")]
    let callback = |request: &Request, response| check(request, response, &mut chosen);
    let socket = tokio_tungstenite::accept_hdr_async_with_config(socket, callback, Some(config)).await;
    Ok((socket.map_err(Box::new)?, chosen))
}

#[expect(clippy::result_large_err, reason = "the type is the WebSocket library's")]
fn check(request: &Request, mut response: Response, chosen: &mut Spelling) -> Result<Response, ErrorResponse> {
    if request.headers().contains_key(ORIGIN) {
        return Err(refusal(StatusCode::FORBIDDEN, "a relay does not talk to browsers"));
    }
    let offers = request.headers().get_all(SEC_WEBSOCKET_PROTOCOL);
    let offers = || offers.iter().filter_map(|offer| offer.to_str().ok()).flat_map(|offer| offer.split(','));
    let offered = |spelling: &Spelling| offers().any(|offer| offer.trim() == spelling.subprotocol());
    let Some(spelling) = Spelling::ALL.into_iter().find(offered) else {
        let why = "this relay speaks the WebSocket subprotocols betwixt.1 and betwixt.1.json: offer one";
        return Err(refusal(StatusCode::BAD_REQUEST, why));
    };
    *chosen = spelling;
    response.headers_mut().insert(SEC_WEBSOCKET_PROTOCOL, HeaderValue::from_static(spelling.subprotocol()));
    Ok(response)
}

fn refusal(status: StatusCode, why: &str) -> ErrorResponse {
    let mut refusal = ErrorResponse::new(Some(why.to_owned()));
    *refusal.status_mut() = status;
    refusal
}

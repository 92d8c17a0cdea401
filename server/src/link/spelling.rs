//! How the messages of a link are spelled, which its subprotocol says.
//!
//! Messages are encoded once, in the compact spelling, and shared by all links; a link that speaks JSON spells them anew
//! for itself, so that it costs nobody else.

use betwixt_core::id::ListUid;
use betwixt_core::wire::json::{self, FromScript, Sketch, Unread};
use betwixt_core::wire::{self, Message as _, ToRelay, ToSite, WireError};
use bytes::Bytes;
use tokio_tungstenite::tungstenite::Message;

/// A spelling of the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spelling {
    /// `betwixt.1`: binary frames.
    Compact,
    /// `betwixt.1.json`: text frames.
    Json,
}

/// What came in a frame.
#[derive(Debug)]
pub(super) enum Came {
    Message(ToRelay),
    /// A push of a script.
    Sketches {
        list: ListUid,
        ops: Vec<Sketch>,
    },
    /// A message of a later version of the protocol: it may be said to any relay.
    Later,
}

impl Spelling {
    /// The spellings that a relay speaks, the preferred one first.
    pub(super) const ALL: [Self; 2] = [Self::Compact, Self::Json];

    /// The subprotocol that is this spelling.
    pub(super) const fn subprotocol(self) -> &'static str {
        match self {
            Self::Compact => wire::SUBPROTOCOL,
            Self::Json => json::SUBPROTOCOL,
        }
    }

    /// Reads a frame with data.
    pub(super) fn read(self, frame: &Message) -> Result<Came, Unread> {
        match (self, frame) {
            (Self::Compact, Message::Binary(bytes)) => match ToRelay::from_bytes(bytes) {
                Ok(message) => Ok(Came::Message(message)),
                Err(WireError::UnknownKind(_)) => Ok(Came::Later),
                Err(error) => Err(Unread::new(&error.to_string())),
            },
            (Self::Json, Message::Text(text)) => Ok(match json::read(text)? {
                FromScript::Push { list, ops } => Came::Sketches { list, ops },
                FromScript::Message(message) => Came::Message(message),
            }),
            (Self::Compact, _) => Err(Unread::new("a text frame on a link that speaks betwixt.1, in binary frames")),
            (Self::Json, _) => Err(Unread::new("a binary frame on a link that speaks betwixt.1.json, in text frames")),
        }
    }

    /// The frames of an encoded message; none if the bytes are no message.
    pub(super) fn frames(self, message: Bytes) -> Option<Vec<Message>> {
        match self {
            Self::Compact => Some(vec![Message::Binary(message)]),
            Self::Json => {
                let frames = json::write(&ToSite::from_bytes(&message).ok()?);
                Some(frames.into_iter().map(Message::from).collect())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_of_the_other_type_is_not_read() {
        let bytes = Message::Binary(ToRelay::Leave { list: ListUid::from_bytes([1; 16]) }.to_bytes().into());
        let text = Message::from(format!(r#"{{"leave":{{"list":"{}"}}}}"#, "01".repeat(16)));
        for (spelling, own, other) in [(Spelling::Compact, &bytes, &text), (Spelling::Json, &text, &bytes)] {
            assert!(matches!(spelling.read(own), Ok(Came::Message(ToRelay::Leave { .. }))));
            assert!(spelling.read(other).unwrap_err().to_string().contains(spelling.subprotocol()));
        }
    }

    #[test]
    fn only_the_compact_spelling_skips_what_it_does_not_know() {
        let bytes = Message::Binary(vec![ToRelay::KINDS].into());
        assert!(matches!(Spelling::Compact.read(&bytes), Ok(Came::Later)));
        let why = Spelling::Json.read(&Message::from("{\"later\":{}}")).unwrap_err().to_string();
        assert!(why.contains("`later`"), "{why}");
    }

    #[test]
    fn a_message_is_shared_as_it_is_or_spelled_anew() {
        let bytes = Bytes::from(ToSite::Stale { list: ListUid::from_bytes([1; 16]), need_seq: 7 }.to_bytes());
        assert_eq!(Spelling::Compact.frames(bytes.clone()), Some(vec![Message::Binary(bytes.clone())]));
        let text = format!(r#"{{"stale":{{"list":"{}","need_seq":7}}}}"#, "01".repeat(16));
        assert_eq!(Spelling::Json.frames(bytes), Some(vec![Message::from(text)]));
        assert_eq!(Spelling::Json.frames(Bytes::from_static(&[0xff])), None);
    }
}

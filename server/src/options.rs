//! What a relay is told at its start, and how limits are spelled.

use betwixt_core::limits::Limits;
use betwixt_core::op::body::Kinds;

use crate::engine::LogLimits;

/// Bytes of an incoming message that a relay may be set to, at most.
const MESSAGE_BYTES_MAX: u32 = 16 * 1024 * 1024;
/// Bytes that a text and a note may be set to, at most: an entry with both of them still fits a message that we send.
const TEXT_BYTES_MAX: u32 = 16 * 1024;
/// See [`TEXT_BYTES_MAX`].
const NOTE_BYTES_MAX: u32 = 32 * 1024;

/// How a relay runs.
#[derive(Debug, Clone)]
pub struct Options {
    /// What it takes; announced in `Welcome`.
    pub limits: Limits,
    /// The kinds of ops that it lets in.
    pub kinds: Kinds,
    /// Threads that own lists, at least one.
    pub workers: usize,
    /// What the log of a list may grow to.
    pub log: LogLimits,
}

impl Default for Options {
    fn default() -> Self {
        let workers = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Self { limits: Limits::DEFAULT, kinds: Kinds::KNOWN, workers, log: LogLimits::default() }
    }
}

/// Why a `NAME=VALUE` is no limit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LimitError {
    /// There is no equals sign.
    #[error("a limit is NAME=VALUE, not {text:?}")]
    Form {
        /// What was given.
        text: String,
    },
    /// No limit is called so.
    #[error("no limit is called {name:?}; there are {}", NAMES.join(", "))]
    Name {
        /// What was given.
        name: String,
    },
    /// It is no number, or out of the limit's range.
    #[error("{name} takes a number from {low} to {high}")]
    Value {
        /// Which limit.
        name: &'static str,
        /// The least value.
        low: u32,
        /// The greatest value.
        high: u32,
    },
}

/// The limits' names, as they are spelled on the command line.
const NAMES: [&str; 8] = [
    "message_bytes",
    "key_bytes",
    "text_bytes",
    "note_bytes",
    "items",
    "lists_per_link",
    "ops_per_second",
    "ops_burst",
];

/// Sets one limit from `NAME=VALUE`.
///
/// # Errors
///
/// No limit is called so, or the value is out of its range. Nothing has changed.
pub fn set_limit(limits: &mut Limits, text: &str) -> Result<(), LimitError> {
    let (name, value) = text.split_once('=').ok_or_else(|| LimitError::Form { text: text.to_owned() })?;
    let (name, slot, low, high) = match name.trim() {
        "message_bytes" => ("message_bytes", &mut limits.message_bytes, 64 * 1024, MESSAGE_BYTES_MAX),
        "key_bytes" => ("key_bytes", &mut limits.key_bytes, 16, 128),
        "text_bytes" => ("text_bytes", &mut limits.text_bytes, 16, TEXT_BYTES_MAX),
        "note_bytes" => ("note_bytes", &mut limits.note_bytes, 16, NOTE_BYTES_MAX),
        "items" => ("items", &mut limits.items, 1, 10_000_000),
        "lists_per_link" => ("lists_per_link", &mut limits.lists_per_link, 1, 1_000),
        "ops_per_second" => ("ops_per_second", &mut limits.ops_per_second, 0, u32::MAX),
        "ops_burst" => ("ops_burst", &mut limits.ops_burst, 1, u32::MAX),
        other => return Err(LimitError::Name { name: other.to_owned() }),
    };
    let value = value.trim().parse().ok().filter(|value| (low..=high).contains(value));
    *slot = value.ok_or(LimitError::Value { name, low, high })?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_limit_can_be_set_by_its_name() {
        let mut limits = Limits::DEFAULT;
        for name in NAMES {
            set_limit(&mut limits, &format!("{name}=100000"))
                .or_else(|_| set_limit(&mut limits, &format!("{name}=64")))
                .unwrap_or_else(|error| panic!("{name}: {error}"));
        }
        assert_eq!((limits.items, limits.key_bytes), (100_000, 64));
    }

    #[test]
    fn what_is_no_limit_is_named() {
        let mut limits = Limits::DEFAULT;
        assert!(matches!(set_limit(&mut limits, "items"), Err(LimitError::Form { .. })));
        assert!(matches!(set_limit(&mut limits, "speed=1"), Err(LimitError::Name { .. })));
        let error = set_limit(&mut limits, "key_bytes=129").unwrap_err();
        assert_eq!(error.to_string(), "key_bytes takes a number from 16 to 128");
        assert_eq!(limits, Limits::DEFAULT);
    }
}

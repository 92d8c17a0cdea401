//! The time, as the shells of this crate read it; nothing that decides reads it by itself.

use std::time::{SystemTime, UNIX_EPOCH};

use betwixt_core::hlc::Millis;

/// The machine's time of day.
#[must_use]
pub fn now() -> Millis {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Millis(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}

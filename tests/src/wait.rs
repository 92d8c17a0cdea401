//! Waiting for a condition.

use std::thread;
use std::time::{Duration, Instant};

/// How long anything may take that has no tighter limit of its own: generous, since it is only reached by a failure.
pub const LONG: Duration = Duration::from_secs(30);

/// Waits until `look` finds something.
///
/// # Panics
///
/// It has not after `limit`; `what` says what was waited for.
#[track_caller]
pub fn until<T>(limit: Duration, what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + limit;
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < deadline, "after {limit:?}: {what}");
        thread::sleep(Duration::from_millis(10));
    }
}

//! Waiting for many edits to go out.

use std::io::{self, IsTerminal as _, Write as _};
use std::time::{Duration, Instant};

use betwixt_client::Site;
use betwixt_client::replica::Kept;

use super::link::stuck;
use crate::report::Report;

/// How often progress is told.
const TOLD_EVERY: Duration = Duration::from_millis(100);

/// Edits that are on their way.
pub(super) struct Sending {
    /// How many items they are about.
    pub(super) total: usize,
    /// What lay in the drawer before.
    pub(super) kept: usize,
}

impl Sending {
    /// Waits for as long as they go out; says whether all are sent. `left` is the wait for the first of them, `wait` that
    /// for each further one.
    pub(super) async fn wait(&self, site: &Site, wait: Duration, left: Duration) -> Result<bool, Report> {
        let is_shown = io::stderr().is_terminal();
        let (mut unsent, mut until) = (site.status().unsent, Instant::now() + left);
        loop {
            let now = Instant::now();
            let pause = until.saturating_duration_since(now).min(TOLD_EVERY);
            let ended = |unsent, kept| unsent == 0 || kept > self.kept || stuck(site).is_some();
            site.wait_until(pause, |status| ended(status.unsent, status.kept)).await;
            let status = site.status();
            if ended(status.unsent, status.kept) || now >= until {
                break;
            }
            // The wait is for a relay that does not answer; one that takes its time with a long list does.
            if status.unsent < unsent {
                (unsent, until) = (status.unsent, Instant::now() + wait);
                if is_shown {
                    let sent = self.total.saturating_sub(unsent);
                    // Progress that cannot be told is no reason to stop.
                    let _ = write!(io::stderr(), "\r{sent} of {} sent\x1b[K", self.total);
                }
            }
        }
        if is_shown {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
        if let Some((_, Kept::Refused { code, .. })) = site.kept().last().filter(|_| site.kept().len() > self.kept) {
            return Err(Report::new(format!("the relay refused it: {code}")));
        }
        Ok(site.status().unsent == 0)
    }
}

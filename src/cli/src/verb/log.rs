//! `betwixt log`: who did what to a list, and when.

use std::collections::VecDeque;

use betwixt_client::reader::{From, News, Reader};

use super::reach::{self, where_is};
use super::told::Teller;
use super::watch::{ended, skipped};
use crate::args::{Log, Place};
use crate::print;
use crate::report::Report;

/// Prints the log of a list, the newest entry last.
pub(crate) fn run(place: &Place, log: &Log) -> Result<(), Report> {
    reach::run(place, async |reach| {
        let mut reader = Reader::start(reach.reading(&log.list).await?, From::Start);
        let teller = Teller::new(place.json);
        let mut lines = Lines::new(log.limit.map(usize::from));
        let done = loop {
            // The wait is for a relay that does not answer; one that takes its time with a long log does.
            match tokio::time::timeout(place.wait, reader.next()).await {
                Ok(Some(News::Told(account))) => {
                    if !lines.push(teller.tell(&account))? {
                        break Ok(());
                    }
                }
                Ok(Some(News::Skipped(state))) => {
                    if let Some(line) = skipped(&log.list, &state, &teller)
                        && !lines.push(line)?
                    {
                        break Ok(());
                    }
                }
                Ok(Some(News::Reached(_)) | None) => break lines.end(),
                Ok(Some(end)) => break lines.end().and(Err(ended(&log.list, &end))),
                Err(_elapsed) => {
                    let why = format!("offline, the relay at {} does not go on with the log", where_is(&reach.address));
                    break lines.end().and(Err(Report::new(why)));
                }
            }
        };
        reader.close().await;
        done
    })
}

/// Lines on their way to standard output: all of them as they come, or the last ones at the end.
struct Lines {
    out: print::Out,
    last: VecDeque<String>,
    limit: Option<usize>,
}

impl Lines {
    fn new(limit: Option<usize>) -> Self {
        Self { out: print::Out::new(), last: VecDeque::new(), limit }
    }

    /// Says whether anybody wants more.
    fn push(&mut self, line: String) -> Result<bool, Report> {
        let Some(limit) = self.limit else { return self.out.line(&line) };
        self.last.push_back(line);
        if self.last.len() > limit {
            self.last.pop_front();
        }
        Ok(true)
    }

    fn end(&mut self) -> Result<(), Report> {
        for line in self.last.drain(..) {
            if !self.out.line(&line)? {
                break;
            }
        }
        self.out.flush().map(|_wanted| ())
    }
}

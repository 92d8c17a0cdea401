//! `betwixt watch`: what is done to a list, as it happens.

mod ending;
mod writer;

use std::time::Duration;

use betwixt_client::LinkStatus;
use betwixt_client::reader::{From, News, Reader, State};
use betwixt_client::session::Ended;
use betwixt_core::name::ListName;
use serde_json::json;

use self::ending::{Ending, Endings};
use self::writer::Writer;
use super::link::no_link;
use super::reach::{self, Reach, where_is};
use super::told::Teller;
use crate::args::{Place, Watch};
use crate::print;
use crate::report::Report;

/// How long the last lines may take.
const LAST_LINES: Duration = Duration::from_secs(2);

/// Prints what is done to a list until it is told to end, or nobody reads it any more.
pub(crate) fn run(place: &Place, watch: &Watch) -> Result<(), Report> {
    reach::run(place, async |reach| {
        let mut endings = Endings::listen()?;
        let reading = tokio::select! {
            reading = reach.reading(&watch.list) => reading?,
            Ending::End = endings.next() => return Ok(()),
        };
        let mut reader = Reader::start(reading, From::Head);
        let mut writer = Writer::start();
        let done = follow(reach, &mut reader, &mut endings, &mut writer, &watch.list).await;
        reader.close().await;
        // Whoever does not take them in that time does not keep the program from ending.
        let _ = tokio::time::timeout(LAST_LINES, writer.end()).await;
        done
    })
}

async fn follow(
    reach: &mut Reach,
    reader: &mut Reader,
    endings: &mut Endings,
    writer: &mut Writer,
    list: &ListName,
) -> Result<(), Report> {
    let teller = Teller::new(reach.place.json);
    let mut told = Told { is_begun: false, is_away: false };
    loop {
        let step = tokio::select! {
            news = tokio::time::timeout(reach.place.wait, reader.next()) => news,
            ending = endings.next() => match ending {
                Ending::End => return Ok(()),
                Ending::Suspend => {
                    suspend(reach).await;
                    continue;
                }
            },
        };
        let line = match step {
            Ok(Some(News::Told(account))) => Some(teller.tell(&account)),
            Ok(Some(News::Skipped(state))) => skipped(list, &state, &teller),
            Ok(Some(News::Reached(state))) => told.reached(list, &state, &teller),
            Ok(Some(end)) => return Err(ended(list, &end)),
            Ok(None) => return Ok(()),
            Err(_elapsed) => {
                told.look(&reader.link(), &where_is(&reach.address));
                None
            }
        };
        let Some(line) = line else { continue };
        // A reader that takes nothing does not keep the program from being ended.
        let wanted = tokio::select! {
            wanted = writer.line(line) => wanted?,
            Ending::End = endings.next() => false,
        };
        if !wanted {
            return Ok(());
        }
    }
}

/// What is said of the link, beside what happens.
struct Told {
    /// The first line was written.
    is_begun: bool,
    /// It was said that there is no link.
    is_away: bool,
}

impl Told {
    fn reached(&mut self, list: &ListName, state: &State, teller: &Teller) -> Option<String> {
        let was_begun = std::mem::replace(&mut self.is_begun, true);
        if std::mem::take(&mut self.is_away) {
            print::note("the relay is there again");
        }
        if was_begun {
            return None;
        }
        if teller.is_json() {
            return Some(first_line(list, state));
        }
        print::note(&format!("{list} has {} items; what happens from here on:", state.items));
        None
    }

    fn look(&mut self, link: &LinkStatus, relay: &str) {
        if matches!(link, LinkStatus::Offline | LinkStatus::Silent) && !self.is_away {
            self.is_away = true;
            print::note(&format!("offline, no relay answers at {relay}; this goes on when one does"));
        }
    }
}

/// Gives the relay's role to another process while this one is stopped.
async fn suspend(reach: &mut Reach) {
    if let Some(keeper) = &mut reach.keeper {
        keeper.release().await;
    }
    ending::stop();
    if let Some(keeper) = &reach.keeper {
        keeper.resume();
    }
}

/// What is told where entries are missing: a list is told of as at the beginning.
pub(super) fn skipped(list: &ListName, state: &State, teller: &Teller) -> Option<String> {
    if teller.is_json() {
        return Some(first_line(list, state));
    }
    print::note(&format!(
        "the relay does not have what was done up to op {}; {list} had {} items then",
        state.seq, state.items
    ));
    None
}

fn first_line(list: &ListName, state: &State) -> String {
    print::json_line(&json!({ "list": list.as_str(), "seq": state.seq, "items": state.items }))
}

/// Why nothing follows.
pub(super) fn ended(list: &ListName, end: &News) -> Report {
    let link = match end {
        News::Ended(Ended::OtherList(_)) => {
            return Report::new(format!(
                "the list {list} was deleted on the relay, and there is another one of that name"
            ));
        }
        News::Ended(Ended::Gone) => LinkStatus::Gone,
        News::Ended(Ended::Damaged) => LinkStatus::Damaged,
        News::Ended(Ended::Version) => LinkStatus::Version,
        _ => LinkStatus::NeedsNewer,
    };
    Report::new(no_link(list, &link).unwrap_or_else(|| "this list needs a newer betwixt".to_owned()))
}

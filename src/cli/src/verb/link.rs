//! The link to the relay, in words: what keeps a verb from it, and what to do about that.

use betwixt_client::{LinkStatus, Site};
use betwixt_core::name::ListName;

use crate::args::Place;

/// Why there is no link and none will be tried, and what to do about it.
pub(super) fn stuck(site: &Site) -> Option<String> {
    no_link(&site.name(), &site.status().link)
}

/// Why there is no link to a list and none will be tried, and what to do about it.
pub(super) fn no_link(list: &ListName, link: &LinkStatus) -> Option<String> {
    match link {
        LinkStatus::OtherList(_) => Some(format!(
            "the relay has another list called {list}: open it with `betwixt {list}` to merge, rename or export yours"
        )),
        LinkStatus::Gone => Some(format!("the list {list} was deleted on the relay")),
        LinkStatus::Damaged => Some(format!(
            "the list {list} is damaged on the relay, which keeps it closed: whoever runs the relay can restore it"
        )),
        LinkStatus::Version => Some("the relay speaks no version of the protocol that this betwixt does".to_owned()),
        _ => None,
    }
}

/// Why the relay's list is not what is shown here, if it may not be.
pub(super) fn unlinked(site: &Site, place: &Place) -> Option<String> {
    let relay = place.relay.as_ref().map_or_else(|| "this folder".to_owned(), ToString::to_string);
    match site.status().link {
        LinkStatus::Live => None,
        LinkStatus::NeedsNewer => Some("this list needs a newer betwixt".to_owned()),
        LinkStatus::CatchingUp { missing } => Some(format!("still to be read from the relay: {missing} ops")),
        LinkStatus::Offline => Some(format!("offline, no relay answers at {relay}")),
        LinkStatus::Silent => Some(format!("offline, the relay at {relay} is silent")),
        _ => stuck(site),
    }
}

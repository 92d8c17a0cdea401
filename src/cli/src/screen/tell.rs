//! What is new at the site, in the model's words.

use betwixt_client::site::Opening;
use betwixt_client::{Address, LinkStatus, Site};
use betwixt_core::id::{ItemId, SiteId};
use betwixt_core::wire::Person;
use betwixt_tui::{Link, Msg, Refusal, Status};

use crate::keeper::Fault;
use crate::verb::tell_kept;

/// What the model was told last.
#[derive(Debug, Default)]
pub(super) struct Told {
    status: Option<Status>,
    people: Option<(Vec<Person>, SiteId)>,
    refused: Vec<Refusal>,
    moving: Vec<ItemId>,
    fault: Option<Fault>,
}

impl Told {
    /// What the model must hear. That the list may have changed is always part of it: the model looks for itself.
    pub(super) fn news(&mut self, site: &Site, opening: &Opening, stranded: usize, fault: Option<Fault>) -> Vec<Msg> {
        let mut msgs = vec![Msg::Changed];
        let status = status(site, opening, stranded, fault.as_ref());
        if self.fault != fault {
            msgs.extend(fault.as_ref().map(|fault| Msg::Notice(fault.line.clone())));
            self.fault = fault;
        }
        if self.status.as_ref() != Some(&status) {
            self.status = Some(status.clone());
            msgs.push(Msg::Status(status));
        }
        let moving: Vec<ItemId> = site.transfers().into_iter().flat_map(|(_, transfer)| transfer.items).collect();
        if self.moving != moving {
            self.moving.clone_from(&moving);
            msgs.push(Msg::Moving(moving));
        }
        let people = site.people();
        if self.people.as_ref() != Some(&people) {
            self.people = Some(people.clone());
            msgs.push(Msg::People(people.0, people.1));
        }
        let refused: Vec<Refusal> = site
            .kept()
            .iter()
            .map(|(number, kept)| {
                let (what, code) = tell_kept(kept);
                Refusal { number: *number, what, code }
            })
            .collect();
        if self.refused != refused {
            self.refused.clone_from(&refused);
            msgs.push(Msg::Refused(refused));
        }
        msgs
    }
}

fn status(site: &Site, opening: &Opening, stranded: usize, fault: Option<&Fault>) -> Status {
    let status = site.status();
    let link = match status.link {
        LinkStatus::Live if opening.address.is_local() => Link::LocalRelay,
        LinkStatus::Live => Link::Host(opening.address.to_string()),
        LinkStatus::CatchingUp { missing } => Link::CatchingUp { missing },
        LinkStatus::NeedsNewer => Link::NeedsNewer,
        LinkStatus::OtherList(_) => Link::OtherList,
        LinkStatus::Gone => Link::Gone,
        LinkStatus::Damaged => Link::Damaged,
        LinkStatus::Version => Link::Offline { why: Some("the relay speaks another protocol".to_owned()) },
        LinkStatus::Offline | LinkStatus::Silent if status.disk_fault => {
            Link::Offline { why: Some("this machine's disk takes nothing".to_owned()) }
        }
        LinkStatus::Silent => Link::Offline { why: Some(silent(opening)) },
        LinkStatus::Offline => {
            Link::Offline { why: fault.map(|fault| fault.words.to_owned()).or_else(|| waiting(opening)) }
        }
    };
    let moving = site.transfers().iter().map(|(_, transfer)| transfer.items.len()).sum();
    Status { link, unsent: status.unsent, refused: status.kept, stranded, moving, figures: status.figures }
}

/// The local relay's holder, by its pid: it may be stopped.
fn silent(opening: &Opening) -> String {
    match betwixt_relay::local::holder_pid(opening.folder.path()) {
        Some(pid) if opening.address.is_local() => format!("pid {pid} is silent"),
        _ => "the relay is silent".to_owned(),
    }
}

/// Why there is no link to a local relay that somebody else has; a moment between two holders is nothing to speak of.
fn waiting(opening: &Opening) -> Option<String> {
    match &opening.address {
        Address::Local(_) => {
            let pid = betwixt_relay::local::holder_pid(opening.folder.path())?;
            (pid != std::process::id()).then(|| format!("pid {pid} is silent"))
        }
        Address::Tcp { .. } => None,
    }
}

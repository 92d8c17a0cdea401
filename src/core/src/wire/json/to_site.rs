//! Writing what a relay says, in frames that each are a whole message.

use core::mem;
use std::borrow::Cow;

use serde::Serialize;
use smol_str::SmolStr;

use super::spelled::{ShownEntry, ShownItem, ShownSite, Stamp};
use crate::hlc::{Millis, Tick};
use crate::id::{Hash, ListUid, OpId};
use crate::limits::{Limits, SENT_BYTES_MAX};
use crate::list::Epoch;
use crate::name::ListName;
use crate::snapshot::{Begin, Part};
use crate::wire::{CloseReason, Figures, RefusedCode, ToSite, Welcome};

/// Messages that are not spelled as the types of the compact spelling are.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Frame<'a> {
    Welcome(WelcomeFields<'a>),
    SnapshotBegin(BeginFields<'a>),
    Refused { list: ListUid, op: OpId, code: RefusedCode, why: Cow<'a, str> },
    Skipped { list: ListUid, ctr: u64, last: u64, why: &'a str },
    Figures(FiguresFields<'a>),
    Unreadable { why: &'a str },
    Closing { reason: CloseReason, why: String, retry_after: Millis },
}

#[derive(Serialize)]
struct WelcomeFields<'a> {
    version: u16,
    name: &'a ListName,
    uid: ListUid,
    head: u64,
    limits: &'a Limits,
    clock: Millis,
    last: Option<LastFields>,
}

#[derive(Serialize)]
struct LastFields {
    ctr: u64,
    hash: Hash,
}

#[derive(Serialize)]
struct BeginFields<'a> {
    list: ListUid,
    seq: u64,
    chain: Hash,
    epoch: Epoch,
    title: Option<&'a SmolStr>,
    #[serde(skip_serializing_if = "Option::is_none")]
    title_hlc: Option<Stamp>,
    highest: Tick,
    items: u32,
    sites: u32,
    state_hash: Hash,
}

#[derive(Serialize)]
struct FiguresFields<'a> {
    list: ListUid,
    #[serde(flatten)]
    figures: &'a Figures,
}

/// The frames of a message: one, or more where it does not fit one.
///
/// Each has at most [`SENT_BYTES_MAX`] bytes, or one entry, item or site where that is larger. Of people and
/// lists, as many as one frame holds.
#[must_use]
pub fn write(message: &ToSite) -> Vec<String> {
    let frame = match message {
        ToSite::Entries { list, entries } => {
            return split("entries", *list, "entries", entries.iter().map(|entry| spell(&ShownEntry(entry))));
        }
        ToSite::SnapshotPart { list, part: Part::Sites(sites) } => {
            let sites = sites.iter().map(|(id, site)| spell(&ShownSite::new(*id, site)));
            return split("snapshot_part", *list, "sites", sites);
        }
        ToSite::SnapshotPart { list, part: Part::Items(items) } => {
            // The relay packed them: none is malformed.
            let items = items.unpack().map_while(Result::ok).map(|(id, item)| spell(&ShownItem(id, &item)));
            return split("snapshot_part", *list, "items", items);
        }
        ToSite::People { list, people } => {
            let mut frames = split("people", *list, "people", people.iter().map(spell));
            frames.truncate(1);
            return frames;
        }
        ToSite::Lists { asked, lists, more } => {
            let head = format!("{{\"lists\":{{\"asked\":{},\"lists\":[", spell(asked));
            let last_tail = format!("],\"more\":{more}}}}}");
            let mut frames = frames(&head, lists.iter().map(spell), "],\"more\":true}}", &last_tail);
            // The site asks for the rest, as where the relay has found more than it sends at once.
            frames.truncate(1);
            return frames;
        }
        ToSite::Welcome(welcome) => Frame::Welcome(welcome_fields(welcome)),
        ToSite::SnapshotBegin(begin) => Frame::SnapshotBegin(begin_fields(begin)),
        ToSite::Refused { list, op, code } => Frame::Refused { list: *list, op: *op, code: *code, why: why(*code) },
        ToSite::Figures { list, figures } => Frame::Figures(FiguresFields { list: *list, figures }),
        ToSite::Unreadable => Frame::Unreadable { why: "a message that did not decode" },
        ToSite::Closing { reason, retry_after } => {
            Frame::Closing { reason: *reason, why: reason.to_string(), retry_after: *retry_after }
        }
        ToSite::OtherList { .. }
        | ToSite::Gone { .. }
        | ToSite::SnapshotEnd { .. }
        | ToSite::Stale { .. }
        | ToSite::Collision { .. }
        | ToSite::Wait { .. } => return vec![spell(message)],
    };
    vec![spell(&frame)]
}

/// The frame that says why one could not be read.
#[must_use]
pub fn unreadable(why: &str) -> String {
    spell(&Frame::Unreadable { why })
}

/// The frame that says why nothing was done with an op that is not refused: the site's last one in the log is `known`.
#[must_use]
pub fn skipped(list: ListUid, op: OpId, known: u64, skipped: Skipped) -> String {
    spell(&Frame::Skipped { list, ctr: op.ctr, last: known, why: skipped.why() })
}

/// Why nothing is done with an op that is not refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Skipped {
    /// It was said before.
    Repeat,
    /// The op that it names as the one before it is not the last one in the log.
    Unconnected,
}

impl Skipped {
    const fn why(self) -> &'static str {
        match self {
            Self::Repeat => "an op of this site with that `ctr`, or a later one, is in the log already",
            Self::Unconnected => "its `prev` is not the `ctr` of this site's last op in the log",
        }
    }
}

/// Why an op is refused, in the words of this spelling.
fn why(code: RefusedCode) -> Cow<'static, str> {
    match code {
        RefusedCode::NotJoined => "the site has not joined: its first op on a list is a `join` with `ctr` 1".into(),
        RefusedCode::Gone => "an item that it names is not in the list".into(),
        RefusedCode::TooLarge => "a text is over its limit, or there is no room for a key there".into(),
        RefusedCode::Malformed => "its `hash`, its `prev` or a value is not what it can be".into(),
        other => other.to_string().into(),
    }
}

fn welcome_fields(welcome: &Welcome) -> WelcomeFields<'_> {
    let Welcome { version, name, uid, head, limits, clock, last } = welcome;
    let last = last.map(|(ctr, hash)| LastFields { ctr, hash });
    WelcomeFields { version: *version, name, uid: *uid, head: *head, limits, clock: *clock, last }
}

fn begin_fields(begin: &Begin) -> BeginFields<'_> {
    let Begin { header, items, sites, state_hash } = begin;
    let title = header.title.as_ref();
    BeginFields {
        list: header.uid,
        seq: header.mark.seq,
        chain: header.mark.chain,
        epoch: header.epoch,
        title: title.map(|title| &title.text),
        title_hlc: title.map(|title| title.hlc.into()),
        highest: header.highest,
        items: *items,
        sites: *sites,
        state_hash: *state_hash,
    }
}

/// A message of a list with elements.
fn split(name: &str, list: ListUid, elements_name: &str, elements: impl Iterator<Item = String>) -> Vec<String> {
    let head = format!("{{\"{name}\":{{\"list\":\"{list}\",\"{elements_name}\":[");
    frames(&head, elements, "]}}", "]}}")
}

/// Elements between `head` and a tail, in as few frames as hold them in their order.
fn frames(head: &str, elements: impl Iterator<Item = String>, tail: &str, last_tail: &str) -> Vec<String> {
    let tail_bytes = tail.len().max(last_tail.len());
    let mut frames = Vec::new();
    let mut frame = head.to_owned();
    for element in elements {
        if frame.len() > head.len() {
            if frame.len() + 1 + element.len() + tail_bytes > SENT_BYTES_MAX {
                frame.push_str(tail);
                frames.push(mem::replace(&mut frame, head.to_owned()));
            } else {
                frame.push(',');
            }
        }
        frame.push_str(&element);
    }
    frame.push_str(last_tail);
    frames.push(frame);
    frames
}

fn spell<T: Serialize>(value: &T) -> String {
    serde_json::to_string(value).expect("our own types have a JSON spelling")
}

//! The directory of lists: the runs of all buckets, merged in the order of names.
//!
//! Inside a bucket keys are in the order of names, since no name has a byte 00. A step in a run is one seek, behind all
//! that the list before it has: its log is not read.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use betwixt_core::limits::SENT_BYTES_MAX;
use betwixt_core::name::ListName;
use betwixt_core::wire::{Listed, Listing};
use betwixt_store::{KeyRange, Store, StoreError};

use super::keys::{Keys, Place, name_in};
use super::{Meta, Page};

/// Lists in one part of the directory, at most.
pub const LISTED_MAX: u16 = 200;
/// Bytes of a list on the wire beside its name and its title: its uid and two lengths.
const LISTED_BYTES: usize = 16 + 8;
/// Bytes of an answer beside its lists and what was asked.
const ANSWER_BYTES: usize = 128;

/// One bucket's lists behind a place.
struct Run {
    bucket: u8,
    /// What of the run has not been looked at.
    rest: KeyRange,
}

impl Run {
    /// The next list of the run whose record decodes.
    fn next(&mut self, store: &dyn Store) -> Result<Option<Listed>, StoreError> {
        while let Some((key, value)) = store.pairs(self.rest.clone(), 1)?.pop() {
            // Nobody but this program writes here; what is no list's key ends the run.
            let Some(name) = name_in(&key) else { return Ok(None) };
            let keys = Keys::of(self.bucket, &name);
            let Some(behind) = keys.all().end else { return Ok(None) };
            self.rest.start = behind;
            if keys.place(&key) == Some(Place::Meta)
                && let Ok(Meta { uid, title, .. }) = postcard::from_bytes(&value)
            {
                return Ok(Some(Listed { name, uid, title }));
            }
        }
        Ok(None)
    }
}

/// A list, and the run that it came from; in the order of names.
struct Head(ListName, usize, Listed);

impl PartialEq for Head {
    fn eq(&self, other: &Self) -> bool {
        (&self.0, self.1) == (&other.0, other.1)
    }
}

impl Eq for Head {}

impl PartialOrd for Head {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Head {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (&self.0, self.1).cmp(&(&other.0, other.1))
    }
}

/// The lists that are asked for, up to the limits of one message.
pub(super) fn lists(store: &dyn Store, buckets: u8, asked: &Listing) -> Result<Page, StoreError> {
    let mut page = Page { lists: Vec::new(), more: false };
    // What no name can begin with would lead out of the place where names are, into what a list has.
    if !asked.prefix.chars().all(ListName::may_hold) {
        return Ok(page);
    }
    let mut runs: Vec<Run> = (0..buckets).map(|bucket| Run { bucket, rest: asked_in(bucket, asked) }).collect();
    let mut heads = BinaryHeap::new();
    for (number, run) in runs.iter_mut().enumerate() {
        heads.extend(run.next(store)?.map(|listed| Reverse(Head(listed.name.clone(), number, listed))));
    }
    let limit = usize::from(asked.limit.min(LISTED_MAX));
    let mut bytes = ANSWER_BYTES + asked.prefix.len();
    while let Some(Reverse(Head(_, number, listed))) = heads.pop() {
        bytes += LISTED_BYTES + listed.name.as_str().len() + listed.title.len();
        if page.lists.len() >= limit || bytes > SENT_BYTES_MAX {
            page.more = true;
            break;
        }
        page.lists.push(listed);
        if let Some(run) = runs.get_mut(number) {
            heads.extend(run.next(store)?.map(|listed| Reverse(Head(listed.name.clone(), number, listed))));
        }
    }
    Ok(page)
}

/// The keys of the lists of a bucket that are asked for.
fn asked_in(bucket: u8, asked: &Listing) -> KeyRange {
    let mut range = KeyRange::prefix(&[&[bucket], asked.prefix.as_bytes()].concat());
    if let Some(after) = &asked.after
        && let Some(behind) = Keys::of(bucket, after).all().end
    {
        range.start = range.start.max(behind);
    }
    range
}

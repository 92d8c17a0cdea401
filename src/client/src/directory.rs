//! What lists a relay has, asked over a link of its own, on which no list is open.

use std::time::Duration;

use betwixt_core::id::ListUid;
use betwixt_core::name::{ListName, ListNameError};
use betwixt_core::wire::{CloseReason, Listed, Listing, Message as _, ToRelay, ToSite, WireError};
use futures_util::{SinkExt as _, StreamExt as _};
use tokio_tungstenite::tungstenite::{self, Message};

use crate::Address;
use crate::link::{DialError, Link, dial};

/// How long an answer may take, from the last byte of the question on.
const ANSWER_MAX: Duration = Duration::from_secs(10);
/// The folder's own relay answers at once, or is stopped.
const LOCAL_ANSWER_MAX: Duration = Duration::from_secs(3);
/// Lists that are asked for at a time.
const PAGE: u16 = 1_000;
/// Lists that are taken of one relay.
const LISTS_MAX: usize = 1_000_000;

/// A run of a relay's lists, in the order of their names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The lists.
    pub lists: Vec<Listed>,
    /// Whether there are more behind the last of them.
    pub more: bool,
}

/// What became of a list that was to be deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deleted {
    /// It is gone, also if somebody else had deleted it before.
    Gone,
    /// Another list has that name; nothing was deleted.
    OtherList(ListUid),
}

/// Why a relay's directory does not answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DirectoryError {
    /// There is no link.
    #[error(transparent)]
    Dial(#[from] DialError),
    /// The link broke.
    #[error("the link to {address} broke")]
    Lost {
        /// Where.
        address: String,
        /// Why, where it says so.
        source: Option<Box<tungstenite::Error>>,
    },
    /// The relay closes the link.
    #[error("{address} closed the link")]
    Closed {
        /// Where.
        address: String,
        /// Why.
        source: CloseReason,
    },
    /// It does not answer in time.
    #[error("{address} does not answer")]
    Silent {
        /// Where.
        address: String,
    },
    /// It does not know the question.
    #[error("{address} needs a newer betwixt to answer")]
    Unread {
        /// Where.
        address: String,
    },
    /// What it says makes no sense.
    #[error("what {address} says of its lists makes no sense")]
    Nonsense {
        /// Where.
        address: String,
    },
}

impl DirectoryError {
    /// Whether a relay is there that will not answer, however often it is asked.
    #[must_use]
    pub const fn is_final(&self) -> bool {
        matches!(self, Self::Unread { .. } | Self::Nonsense { .. } | Self::Dial(DialError::Handshake { .. }))
    }
}

/// Asks a relay for lists.
///
/// # Errors
///
/// It does not answer, or not as asked.
pub async fn page(address: &Address, listing: Listing) -> Result<Page, DirectoryError> {
    if !may_begin_a_name(&listing.prefix) {
        return Ok(Page { lists: Vec::new(), more: false });
    }
    let after = listing.after.clone();
    let page = ask(address, &ToRelay::Lists(listing.clone()), |said| match said {
        ToSite::Lists { asked, lists, more } if asked == listing => Some(Page { lists, more }),
        _ => None,
    })
    .await?;
    let names = after.iter().chain(page.lists.iter().map(|listed| &listed.name));
    let begins = page.lists.iter().all(|listed| listed.name.as_str().starts_with(listing.prefix.as_str()));
    if !names.is_sorted_by(|one, next| one < next) || !begins || (page.more && page.lists.is_empty()) {
        return Err(DirectoryError::Nonsense { address: address.to_string() });
    }
    Ok(page)
}

/// Asks a relay for all lists whose names begin with `prefix`, page by page.
///
/// # Errors
///
/// It does not answer, or not as asked, or has more than a million.
pub async fn all(address: &Address, prefix: &str) -> Result<Vec<Listed>, DirectoryError> {
    let mut lists: Vec<Listed> = Vec::new();
    loop {
        let after = lists.last().map(|listed| listed.name.clone());
        let Page { lists: next, more } = page(address, Listing { prefix: prefix.into(), after, limit: PAGE }).await?;
        lists.extend(next);
        if !more {
            return Ok(lists);
        }
        if lists.len() > LISTS_MAX {
            return Err(DirectoryError::Nonsense { address: address.to_string() });
        }
    }
}

/// Asks a relay for the list of this name.
///
/// # Errors
///
/// It does not answer, or not as asked.
pub async fn find(address: &Address, name: &ListName) -> Result<Option<Listed>, DirectoryError> {
    // Of all names that begin with it, it comes first.
    let listing = Listing { prefix: name.as_str().into(), after: None, limit: 1 };
    Ok(page(address, listing).await?.lists.into_iter().find(|listed| listed.name == *name))
}

/// Deletes a list, for everybody.
///
/// # Errors
///
/// The relay does not answer: it may have deleted the list all the same. A second try tells.
pub async fn delete(address: &Address, name: &ListName, uid: ListUid) -> Result<Deleted, DirectoryError> {
    let message = ToRelay::DeleteList { name: name.clone(), uid };
    ask(address, &message, |said| match said {
        ToSite::Gone { uid: gone } if gone == uid => Some(Deleted::Gone),
        ToSite::OtherList { name: taken, uid: other } if taken == *name => Some(Deleted::OtherList(other)),
        _ => None,
    })
    .await
}

/// Whether there can be names that begin like this. A relay need not answer where there cannot.
fn may_begin_a_name(prefix: &str) -> bool {
    prefix.is_empty() || matches!(prefix.parse::<ListName>(), Ok(_) | Err(ListNameError::Dots))
}

/// Says something to a relay, and hears it out until it says what `answer` takes for the answer.
async fn ask<R>(
    address: &Address,
    message: &ToRelay,
    answer: impl FnMut(ToSite) -> Option<R>,
) -> Result<R, DirectoryError> {
    let mut link = dial(address).await?;
    let limit = if address.is_local() { LOCAL_ANSWER_MAX } else { ANSWER_MAX };
    let asked = async {
        let lost = |source| DirectoryError::Lost { address: address.to_string(), source: Some(Box::new(source)) };
        link.send(Message::Binary(message.to_bytes().into())).await.map_err(lost)?;
        let answer = hear(address, &mut link, answer).await?;
        // The answer is there; whether the relay hears the goodbye changes nothing.
        let _ = link.close(None).await;
        Ok(answer)
    };
    match tokio::time::timeout(limit, asked).await {
        Ok(answer) => answer,
        Err(_elapsed) => Err(DirectoryError::Silent { address: address.to_string() }),
    }
}

/// What is not the answer is passed over; pings are answered by the link as it is read.
async fn hear<R>(
    address: &Address,
    link: &mut Link,
    mut answer: impl FnMut(ToSite) -> Option<R>,
) -> Result<R, DirectoryError> {
    let address = || address.to_string();
    loop {
        let bytes = match link.next().await {
            Some(Ok(Message::Binary(bytes))) => bytes,
            Some(Ok(Message::Close(_))) | None => {
                return Err(DirectoryError::Lost { address: address(), source: None });
            }
            Some(Ok(_)) => continue,
            Some(Err(error)) => {
                return Err(DirectoryError::Lost { address: address(), source: Some(Box::new(error)) });
            }
        };
        match ToSite::from_bytes(&bytes) {
            Ok(ToSite::Closing { reason, .. }) => {
                return Err(DirectoryError::Closed { address: address(), source: reason });
            }
            Ok(ToSite::Unreadable) => return Err(DirectoryError::Unread { address: address() }),
            Ok(said) => {
                if let Some(answer) = answer(said) {
                    return Ok(answer);
                }
            }
            Err(WireError::UnknownKind(_)) => {}
            Err(_malformed) => return Err(DirectoryError::Nonsense { address: address() }),
        }
    }
}

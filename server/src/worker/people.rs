//! Who is on a list, as the relay tells it.

use betwixt_core::id::ListUid;
use betwixt_core::limits::{NAME_BYTES_MAX, SENT_BYTES_MAX};
use betwixt_core::wire::{Message as _, Person, ToSite};
use bytes::Bytes;
use smol_str::SmolStr;

/// Bytes of a person beside the name, at most.
const PERSON_BYTES: usize = 48;

/// A person's name as it is passed on: bounded, and without control characters.
pub(super) fn name_of(person: &str) -> SmolStr {
    let end = person.floor_char_boundary(NAME_BYTES_MAX);
    person
        .chars()
        .scan(0, |bytes, c| {
            *bytes += c.len_utf8();
            (*bytes <= end).then_some(if c.is_control() { '?' } else { c })
        })
        .collect()
}

/// The digest of a list's people; of a crowd, as many as one message holds.
pub(super) fn message_of(list: ListUid, people: impl Iterator<Item = Person>) -> Bytes {
    let mut bytes = 0;
    let people = people.take_while(|person| {
        bytes += person.name.len() + PERSON_BYTES;
        bytes <= SENT_BYTES_MAX
    });
    Bytes::from(ToSite::People { list, people: people.collect() }.to_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use betwixt_core::id::SiteId;

    #[test]
    fn a_name_is_bounded_and_has_no_controls() {
        assert_eq!(name_of("ana"), "ana");
        assert_eq!(name_of("a\u{1b}[2Jn\na"), "a?[2Jn?a");
        let long = name_of(&"ü".repeat(400));
        assert_eq!(long.len(), NAME_BYTES_MAX);
        let odd = name_of(&format!("x{}", "ü".repeat(400)));
        assert_eq!(odd.len(), NAME_BYTES_MAX - 1);
    }

    #[test]
    fn a_crowd_fits_one_message() {
        let person =
            Person { site: SiteId::from_bytes([1; 16]), name: "n".repeat(512).into(), at: None, editing: false };
        let message = message_of(ListUid::from_bytes([2; 16]), std::iter::repeat_n(person, 4_000));
        assert!(message.len() <= SENT_BYTES_MAX);
        let Ok(ToSite::People { people, .. }) = ToSite::from_bytes(&message) else { panic!("it is a digest") };
        assert!(people.len() > 100);
    }
}

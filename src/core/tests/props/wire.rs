//! What is sent is read as it was meant; what was never sent is refused without a panic.

use betwixt_core::log::{Entry, EntryError};
use betwixt_core::op::Op;
use betwixt_core::op::check::{OpFault, check};
use betwixt_core::wire::{Message, ToRelay, ToSite, WireError, entries_message};
use proptest::collection::vec;
use proptest::prelude::*;
use serde::de::value::Error;
use serde::de::{Deserializer, Error as _, Visitor};
use serde::forward_to_deserialize_any;

use crate::any::{UID, any_entry, any_mutation, any_op, any_to_relay, any_to_site, mutate};
use crate::config;

/// Reads bytes as anything that comes from a peer; what is read must have a spelling that reads the same.
fn read_as_all(bytes: &[u8]) {
    if let Ok(message) = ToRelay::from_bytes(bytes) {
        assert_eq!(ToRelay::from_bytes(&message.to_bytes()), Ok(message));
    }
    if let Ok(message) = ToSite::from_bytes(bytes) {
        assert_eq!(ToSite::from_bytes(&message.to_bytes()), Ok(message));
    }
    if let Ok(entry) = Entry::from_bytes(bytes) {
        let _ = check(&entry.op, &betwixt_core::limits::Limits::DEFAULT);
        assert_eq!(Entry::from_bytes(&entry.to_bytes()), Ok(entry));
    }
}

#[track_caller]
fn check_back<M: Message + PartialEq + core::fmt::Debug>(message: &M) {
    let mut bytes = message.to_bytes();
    assert!(bytes[0] < M::KINDS);
    assert_eq!(M::from_bytes(&bytes).as_ref(), Ok(message));
    bytes.push(0);
    assert_eq!(M::from_bytes(&bytes), Err(WireError::Longer));
    for cut in [0, 1, bytes.len() / 2, bytes.len() - 2] {
        if cut < bytes.len() - 1 {
            assert!(matches!(M::from_bytes(&bytes[..cut]), Err(WireError::Malformed(_))));
        }
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_message_of_a_site_reads_back(message in any_to_relay()) {
        check_back(&message);
    }

    #[test]
    fn a_message_of_a_relay_reads_back(message in any_to_site()) {
        check_back(&message);
    }

    #[test]
    fn an_entry_reads_back(entry in any_entry()) {
        let mut bytes = entry.to_bytes();
        prop_assert_eq!(Entry::from_bytes(&bytes), Ok(entry.clone()));
        bytes.push(0);
        prop_assert_eq!(Entry::from_bytes(&bytes), Err(EntryError::Longer));
    }

    #[test]
    fn entries_are_sent_as_they_are_stored(entries in vec(any_entry(), 0..150)) {
        let stored: Vec<Vec<u8>> = entries.iter().map(Entry::to_bytes).collect();
        let sent = entries_message(UID, stored.iter().map(Vec::as_slice));
        prop_assert_eq!(sent, ToSite::Entries { list: UID, entries }.to_bytes());
    }

    #[test]
    fn any_bytes_are_read_or_refused(kind in 0..ToSite::KINDS, mut bytes in vec(any::<u8>(), 0..600)) {
        read_as_all(&bytes);
        bytes.insert(0, kind);
        read_as_all(&bytes);
    }

    #[test]
    fn changed_messages_are_read_or_refused(
        to_relay in any_to_relay(),
        to_site in any_to_site(),
        entry in any_entry(),
        mutations in vec(any_mutation(), 1..5),
    ) {
        for mut bytes in [to_relay.to_bytes(), to_site.to_bytes(), entry.to_bytes()] {
            for mutation in &mutations {
                mutate(&mut bytes, mutation);
                read_as_all(&bytes);
            }
        }
    }

    #[test]
    fn an_op_is_known_by_its_hash_whatever_its_key_epoch_and_prev(op in any_op(), other in any_op()) {
        let mut placed = op.clone();
        placed.epoch = other.epoch;
        placed.prev = other.prev;
        placed.body.set_key(crate::any::key_of(vec![3, 4, 5]));
        prop_assert_eq!(placed.content_hash(), op.hash);
        let strangers = [
            Op { ctr: op.ctr ^ 1, ..op.clone() },
            Op { site: other.site, ..op.clone() },
            Op { hlc: other.hlc, ..op.clone() },
        ];
        for stranger in strangers {
            prop_assert_ne!(stranger.content_hash(), op.hash);
            let found = check(&stranger, &betwixt_core::limits::Limits::DEFAULT);
            prop_assert!(matches!(found, Err(OpFault::Hash | OpFault::Body(_))));
        }
    }

    #[test]
    fn a_message_of_an_unknown_kind_is_told_from_a_malformed_one(bytes in vec(any::<u8>(), 0..20)) {
        for kind in ToRelay::KINDS..=255 {
            let message = [&[kind], &bytes[..]].concat();
            prop_assert_eq!(ToRelay::from_bytes(&message), Err(WireError::UnknownKind(kind)));
            if kind >= ToSite::KINDS {
                prop_assert_eq!(ToSite::from_bytes(&message), Err(WireError::UnknownKind(kind)));
            }
        }
    }
}

/// Is told, as a decoder is, which variants an enum has.
struct Variants(usize);

impl<'de> Deserializer<'de> for &mut Variants {
    type Error = Error;

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Error> {
        self.0 = variants.len();
        Err(Error::custom("counted"))
    }

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        Err(Error::custom("no enum"))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

#[track_caller]
fn check_kinds<M: Message>() {
    let mut variants = Variants(0);
    assert!(M::deserialize(&mut variants).is_err());
    assert_eq!(usize::from(M::KINDS), variants.0);
}

#[test]
fn every_kind_of_message_is_counted() {
    check_kinds::<ToRelay>();
    check_kinds::<ToSite>();
}

//! The key space of a relay's store.
//!
//! | key | value |
//! |---|---|
//! | `<bucket> <name> 00 01` | the list's [`Meta`](super::Meta), in `postcard` |
//! | `<bucket> <name> 00 02 <seq> <part>` | part 0: the `Begin` of the snapshot at `seq`; from 1: its parts |
//! | `<bucket> <name> 00 03 <seq>` | the entry, as it is sent |
//! | `fe <uid>` | a list of this identity was deleted: its name and when, in `postcard` |
//! | `ff buckets` | how many buckets there are, one byte |
//!
//! `bucket` is one byte below `fe`, `seq` eight bytes and `part` four, big-endian. No name has a byte 00, so that no
//! list's keys lie inside another's: loading a list is one scan, deleting it is one range. A snapshot counts once its
//! part 0 is there, which is written last.

use betwixt_core::id::ListUid;
use betwixt_core::name::ListName;
use betwixt_store::KeyRange;

/// Where the number of buckets is.
pub(super) const BUCKETS_KEY: &[u8] = b"\xffbuckets";

/// In front of the identities of deleted lists.
pub(super) const DELETED: u8 = 0xfe;

const META: u8 = 1;
const SNAPSHOT: u8 = 2;
const LOG: u8 = 3;

/// Where it stands that a list was deleted.
pub(super) fn deleted(uid: ListUid) -> Vec<u8> {
    [&[DELETED], &uid.as_bytes()[..]].concat()
}

/// The name of the list that a key is of; `None` for a key of no list.
pub(super) fn name_in(key: &[u8]) -> Option<ListName> {
    let (_bucket, rest) = key.split_first()?;
    let name = rest.split(|byte| *byte == 0).next()?;
    // Without a byte 00 behind it, it is no list's key.
    (name.len() < rest.len()).then_some(())?;
    std::str::from_utf8(name).ok()?.parse().ok()
}

/// The keys of one list.
#[derive(Debug, Clone)]
pub(super) struct Keys {
    /// `<bucket> <name> 00`
    prefix: Vec<u8>,
}

/// What a key of a list is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Meta,
    Part { seq: u64, part: u32 },
    Entry { seq: u64 },
}

impl Keys {
    pub(super) fn of(bucket: u8, name: &ListName) -> Self {
        let mut prefix = vec![bucket];
        prefix.extend_from_slice(name.as_str().as_bytes());
        prefix.push(0);
        Self { prefix }
    }

    pub(super) fn meta(&self) -> Vec<u8> {
        self.key(META, &[])
    }

    pub(super) fn part(&self, seq: u64, part: u32) -> Vec<u8> {
        self.key(SNAPSHOT, &[&seq.to_be_bytes()[..], &part.to_be_bytes()].concat())
    }

    pub(super) fn entry(&self, seq: u64) -> Vec<u8> {
        self.key(LOG, &seq.to_be_bytes())
    }

    /// All of the list.
    pub(super) fn all(&self) -> KeyRange {
        KeyRange::prefix(&self.prefix)
    }

    /// The list's identity and its snapshots.
    pub(super) fn before_log(&self) -> KeyRange {
        KeyRange::from_to(self.prefix.clone(), self.key(LOG, &[]))
    }

    /// The entries behind `after`.
    pub(super) fn log_behind(&self, after: u64) -> KeyRange {
        KeyRange::from_to(self.entry(after.saturating_add(1)), self.key(LOG + 1, &[]))
    }

    /// The parts of snapshots at entries below `seq`.
    pub(super) fn snapshots_below(&self, seq: u64) -> KeyRange {
        KeyRange::from_to(self.key(SNAPSHOT, &[]), self.part(seq, 0))
    }

    /// Which entry a key is of; `None` for any other.
    pub(super) fn seq_of(&self, key: &[u8]) -> Option<u64> {
        match self.place(key) {
            Some(Place::Entry { seq }) => Some(seq),
            _ => None,
        }
    }

    /// The whole log up to and with an entry.
    pub(super) fn log_upto(&self, last: u64) -> KeyRange {
        KeyRange::from_to(self.key(LOG, &[]), self.entry(last.saturating_add(1)))
    }

    /// What a key of this list is of; `None` for any other.
    pub(super) fn place(&self, key: &[u8]) -> Option<Place> {
        match key.strip_prefix(&*self.prefix)?.split_first()? {
            (&META, []) => Some(Place::Meta),
            (&SNAPSHOT, rest) => {
                let (seq, part) = rest.split_first_chunk::<8>()?;
                Some(Place::Part { seq: u64::from_be_bytes(*seq), part: u32::from_be_bytes(part.try_into().ok()?) })
            }
            (&LOG, rest) => Some(Place::Entry { seq: u64::from_be_bytes(rest.try_into().ok()?) }),
            _ => None,
        }
    }

    fn key(&self, kind: u8, rest: &[u8]) -> Vec<u8> {
        [&*self.prefix, &[kind], rest].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_read_back_and_lie_in_their_list_alone() {
        let keys = Keys::of(3, &"ab".parse().unwrap());
        let other = Keys::of(3, &"abc".parse().unwrap());
        let all = [
            (keys.meta(), Place::Meta),
            (keys.part(1 << 40, 7), Place::Part { seq: 1 << 40, part: 7 }),
            (keys.entry(9), Place::Entry { seq: 9 }),
        ];
        for (key, place) in all {
            assert_eq!((keys.place(&key), other.place(&key)), (Some(place), None));
        }
        assert!(keys.before_log().contains(&keys.part(u64::MAX, u32::MAX)));
        assert!(!keys.before_log().contains(&keys.entry(0)));
        assert!(keys.log_behind(9).contains(&keys.entry(10)) && !keys.log_behind(9).contains(&keys.entry(9)));
        assert!(
            keys.snapshots_below(9).contains(&keys.part(8, 5)) && !keys.snapshots_below(9).contains(&keys.part(9, 0))
        );
    }
}

//! Names that machines give: lists, sites, items, ops and hashes, as fixed-size bytes.
//!
//! | type | bytes | from | spelled |
//! |---|---|---|---|
//! | [`ListUid`] | 16 | the operating system's randomness, when the list is made | 32 hex digits |
//! | [`SiteSecret`] | 32 | the operating system's randomness, when the site is made; never shown | (not) |
//! | [`SiteId`] | 16 | the first 16 bytes of SHA-256 of the site's secret | 32 hex digits |
//! | [`Hash`] | 32 | SHA-256 | 64 hex digits |
//! | [`ItemId`] | 8 | the operating system's randomness, for each item | 13 base-32 digits |

use core::fmt;
use core::str::FromStr;

use serde::de::{Error as _, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest, Sha256};

/// Why a spelled id could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IdError {
    /// It does not have the number of digits that this kind of id has.
    #[error("an id of this kind has {expected} digits")]
    Length {
        /// How many digits it should have.
        expected: usize,
    },
    /// It has a character that is no digit.
    #[error("an id has only digits and lower-case letters")]
    Digit,
}

/// Implements a fixed-size byte id that is spelled in hex: bytes on the wire, text in JSON. The words name it in a fault.
macro_rules! hex_id {
    ($(#[$doc:meta])* $name:ident, $bytes:literal, $words:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name([u8; $bytes]);

        impl $name {
            /// An id of these bytes.
            #[must_use]
            pub const fn from_bytes(bytes: [u8; $bytes]) -> Self {
                Self(bytes)
            }

            /// The bytes of this id.
            #[must_use]
            pub const fn as_bytes(&self) -> &[u8; $bytes] {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
            }
        }

        impl FromStr for $name {
            type Err = IdError;

            fn from_str(text: &str) -> Result<Self, IdError> {
                let digits = text.as_bytes();
                if digits.len() != $bytes * 2 {
                    return Err(IdError::Length { expected: $bytes * 2 });
                }
                let mut bytes = [0; $bytes];
                for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
                    for digit in pair {
                        *byte = *byte << 4 | hex_digit(*digit).ok_or(IdError::Digit)?;
                    }
                }
                Ok(Self(bytes))
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serialize_id(self, &self.0, serializer)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserialize_id(deserializer, $words, Self)
            }
        }
    };
}

hex_id!(
    /// Which list this is, whatever it is called and wherever it is kept.
    ListUid,
    16,
    "the uid of a list"
);
hex_id!(
    /// What proves that a link speaks for a site. It leaves this machine only inside `Hello`.
    SiteSecret,
    32,
    "the secret of a site"
);
hex_id!(
    /// One replica with its own identity; one person may have several.
    SiteId,
    16,
    "a site"
);
hex_id!(
    /// A SHA-256 hash: of an op, of a list's state, or the chain over a log.
    Hash,
    32,
    "a hash"
);

impl SiteSecret {
    /// The site that this secret speaks for.
    #[must_use]
    pub fn site(&self) -> SiteId {
        let digest: [u8; 32] = Sha256::digest(self.0).into();
        let mut id = [0; 16];
        id.copy_from_slice(&digest[..16]);
        SiteId(id)
    }
}

impl Hash {
    /// The SHA-256 of these parts, one after the other.
    #[must_use]
    pub fn of(parts: &[&[u8]]) -> Self {
        let mut sha = Sha256::new();
        for part in parts {
            sha.update(part);
        }
        Self(sha.finalize().into())
    }
}

impl fmt::Debug for SiteSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SiteSecret(..)")
    }
}

/// Implements `Debug` as the first eight digits: enough to tell ids apart in a failed test.
macro_rules! short_debug {
    ($($name:ident),*) => {$(
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(concat!(stringify!($name), "("))?;
                self.to_string().chars().take(8).try_for_each(|digit| write!(f, "{digit}"))?;
                f.write_str(")")
            }
        }
    )*};
}
short_debug!(ListUid, SiteId, Hash, ItemId);

/// Which item this is: 64 random bits, spelled in 13 digits of Crockford's base 32.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ItemId([u8; 8]);

const ITEM_DIGITS: usize = 13;
const BASE32: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

impl ItemId {
    /// An id of these bytes.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 8]) -> Self {
        Self(bytes)
    }

    /// The bytes of this id.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 8] {
        &self.0
    }
}

impl fmt::Display for ItemId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = u64::from_be_bytes(self.0);
        // 13 digits hold 65 bits: the first digit is only 0 to f, so that equal ids have one spelling.
        let digits: String = (0..ITEM_DIGITS)
            .rev()
            .map(|place| char::from(BASE32[usize::try_from(number >> (5 * place) & 31).unwrap_or_default()]))
            .collect();
        f.pad(&digits)
    }
}

impl FromStr for ItemId {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, IdError> {
        if text.len() != ITEM_DIGITS {
            return Err(IdError::Length { expected: ITEM_DIGITS });
        }
        let mut number: u64 = 0;
        for byte in text.bytes() {
            let digit = BASE32.iter().position(|known| *known == byte).ok_or(IdError::Digit)?;
            number = number.checked_mul(32).ok_or(IdError::Digit)? | digit as u64;
        }
        Ok(Self(number.to_be_bytes()))
    }
}

impl Serialize for ItemId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize_id(self, &self.0, serializer)
    }
}

impl<'de> Deserialize<'de> for ItemId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserialize_id(deserializer, "an item", Self)
    }
}

/// Which op this is: the site that made it and the site's counter, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct OpId {
    /// The site that made the op.
    pub site: SiteId,
    /// The how-manieth op of the site it is, from 1.
    pub ctr: u64,
}

fn hex_digit(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}

fn serialize_id<S: Serializer, const N: usize>(
    id: &impl fmt::Display,
    bytes: &[u8; N],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    use serde::ser::SerializeTuple;
    if serializer.is_human_readable() {
        return serializer.collect_str(id);
    }
    let mut tuple = serializer.serialize_tuple(N)?;
    for byte in bytes {
        tuple.serialize_element(byte)?;
    }
    tuple.end()
}

fn deserialize_id<'de, D, T, const N: usize>(
    deserializer: D,
    words: &str,
    make: fn([u8; N]) -> T,
) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: FromStr<Err = IdError>,
{
    struct Bytes<const N: usize>;
    impl<'de, const N: usize> Visitor<'de> for Bytes<N> {
        type Value = [u8; N];

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "{N} bytes")
        }

        fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut seq: A) -> Result<[u8; N], A::Error> {
            let mut bytes = [0; N];
            for (at, byte) in bytes.iter_mut().enumerate() {
                *byte = seq.next_element()?.ok_or_else(|| A::Error::invalid_length(at, &self))?;
            }
            Ok(bytes)
        }
    }
    if deserializer.is_human_readable() {
        let text: std::borrow::Cow<'de, str> = Deserialize::deserialize(deserializer)?;
        // A secret that was mistyped must not be shown either.
        return text.parse().map_err(|error| D::Error::custom(format_args!("read {words}: {error}")));
    }
    deserializer.deserialize_tuple(N, Bytes).map(make)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_id_reads_back_from_its_spelling() {
        for number in [0, 1, 31, 32, u64::MAX, 0x0123_4567_89ab_cdef] {
            let id = ItemId::from_bytes(u64::to_be_bytes(number));
            assert_eq!(id.to_string().parse(), Ok(id));
        }
        assert_eq!("zzzzzzzzzzzzz".parse::<ItemId>(), Err(IdError::Digit), "65 bits are one too many");
        assert_eq!("0".parse::<ItemId>(), Err(IdError::Length { expected: 13 }));
    }

    #[test]
    fn a_hex_id_reads_back_from_its_spelling_and_nothing_else_does() {
        let uid = ListUid::from_bytes(core::array::from_fn(|at| u8::try_from(at * 17).unwrap()));
        assert_eq!(uid.to_string().parse(), Ok(uid));
        assert_eq!("00".parse::<ListUid>(), Err(IdError::Length { expected: 32 }));
        assert_eq!("G".repeat(32).parse::<ListUid>(), Err(IdError::Digit));
    }

    #[test]
    fn a_secret_is_not_shown() {
        assert_eq!(format!("{:?}", SiteSecret::from_bytes([7; 32])), "SiteSecret(..)");
    }
}

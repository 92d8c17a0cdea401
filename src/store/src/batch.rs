//! A batch: what one commit writes.

use crate::KeyRange;

/// Writes that a store carries out together, in the order in which they were added.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Batch {
    writes: Vec<Write>,
    bytes: usize,
}

/// One write of a batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Write {
    /// The key has this value from now on.
    Put {
        /// The key; any bytes, also none.
        key: Vec<u8>,
        /// The value; any bytes, also none.
        value: Vec<u8>,
    },
    /// The key has no value from now on; harmless if it had none.
    Delete {
        /// The key.
        key: Vec<u8>,
    },
    /// No key of the range has a value from now on. Costs time for each key that had one.
    DeleteRange {
        /// The keys.
        range: KeyRange,
    },
}

impl Batch {
    /// Adds a put.
    pub fn put(&mut self, key: impl Into<Vec<u8>>, value: impl Into<Vec<u8>>) -> &mut Self {
        self.push(Write::Put { key: key.into(), value: value.into() })
    }

    /// Adds the deletion of one key.
    pub fn delete(&mut self, key: impl Into<Vec<u8>>) -> &mut Self {
        self.push(Write::Delete { key: key.into() })
    }

    /// Adds the deletion of the keys with `start <= key < end`.
    pub fn delete_range(&mut self, start: impl Into<Vec<u8>>, end: impl Into<Vec<u8>>) -> &mut Self {
        self.delete_all(KeyRange::from_to(start, end))
    }

    /// Adds the deletion of the keys of the range, which may be open at its end.
    pub fn delete_all(&mut self, range: KeyRange) -> &mut Self {
        self.push(Write::DeleteRange { range })
    }

    /// Adds the writes of another batch, behind those that are here.
    pub fn append(&mut self, other: Self) -> &mut Self {
        self.bytes += other.bytes;
        self.writes.extend(other.writes);
        self
    }

    /// Returns the writes, in order.
    #[must_use]
    pub fn writes(&self) -> &[Write] {
        &self.writes
    }

    /// Returns the number of writes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.writes.len()
    }

    /// Returns whether there is nothing to write.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.writes.is_empty()
    }

    /// Returns the bytes of all keys, bounds and values together.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    fn push(&mut self, write: Write) -> &mut Self {
        self.bytes += write.bytes();
        self.writes.push(write);
        self
    }
}

impl Write {
    fn bytes(&self) -> usize {
        match self {
            Self::Put { key, value } => key.len() + value.len(),
            Self::Delete { key } => key.len(),
            Self::DeleteRange { range } => range.start.len() + range.end.as_ref().map_or(0, Vec::len),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_keeps_the_order_and_counts_its_bytes() {
        let mut batch = Batch::default();
        assert!(batch.is_empty());
        batch.put("key", "value").delete("key").delete_range("a", "bc").delete_all(KeyRange::all());
        let mut joined = Batch::default();
        joined.put("first", "");
        joined.append(batch);
        assert_eq!((joined.len(), joined.bytes()), (5, 5 + 8 + 3 + 3));
        assert!(matches!(
            joined.writes(),
            [Write::Put { .. }, Write::Put { .. }, Write::Delete { .. }, Write::DeleteRange { .. }, _]
        ));
    }
}

//! Registers: what an item carries beside its place. Each is written whole, and the greater stamp wins.

use serde::{Deserialize, Deserializer, Serialize};
use smol_str::SmolStr;

use crate::bounded;
use crate::limits::TAGS_MAX;

/// A day of the proleptic Gregorian calendar, as people write it: `2026-11-30`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Date {
    year: u16,
    month: u8,
    day: u8,
}

impl Date {
    /// This day, if the calendar has it; years 1 to 9999.
    #[must_use]
    pub fn new(year: u16, month: u8, day: u8) -> Option<Self> {
        let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
        let days = match month {
            2 if leap => 29,
            2 => 28,
            4 | 6 | 9 | 11 => 30,
            1..=12 => 31,
            _ => return None,
        };
        ((1..=9999).contains(&year) && (1..=days).contains(&day)).then_some(Self { year, month, day })
    }

    /// Reads `YYYY-MM-DD`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('-');
        let mut part = |digits: usize| {
            let part = parts.next()?;
            (part.len() == digits && part.bytes().all(|b| b.is_ascii_digit())).then_some(part)
        };
        let (year, month, day) = (part(4)?, part(2)?, part(2)?);
        let date = Self::new(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?);
        parts.next().is_none().then_some(date).flatten()
    }

    /// Whether the calendar has this day; a decoded one may be made up.
    #[must_use]
    pub fn is_valid(self) -> bool {
        Self::new(self.year, self.month, self.day).is_some()
    }
}

impl core::fmt::Display for Date {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

/// Which register. The order is that of the wire and of an item's registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Field {
    /// One line of text.
    Text,
    /// More text, with line feeds.
    Note,
    /// Whether it is done.
    Done,
    /// The day it is due.
    Due,
    /// 1 (highest) to 9.
    Priority,
    /// Who does it.
    Assignee,
    /// Words to find it by.
    Tags,
    /// Level in the outline, from 0.
    Depth,
    /// Whether it is in the trash. Deleting is a write like any other.
    Deleted,
}

/// A register with its value.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Register {
    /// See [`Field::Text`].
    Text(SmolStr),
    /// See [`Field::Note`].
    Note(SmolStr),
    /// See [`Field::Done`].
    Done(bool),
    /// See [`Field::Due`].
    Due(Option<Date>),
    /// See [`Field::Priority`].
    Priority(Option<u8>),
    /// See [`Field::Assignee`]; empty is nobody.
    Assignee(SmolStr),
    /// See [`Field::Tags`]; none is empty.
    Tags(#[serde(deserialize_with = "tags")] Vec<SmolStr>),
    /// See [`Field::Depth`].
    Depth(u8),
    /// See [`Field::Deleted`].
    Deleted(bool),
}

impl Register {
    /// Which register this is.
    #[must_use]
    pub const fn field(&self) -> Field {
        match self {
            Self::Text(_) => Field::Text,
            Self::Note(_) => Field::Note,
            Self::Done(_) => Field::Done,
            Self::Due(_) => Field::Due,
            Self::Priority(_) => Field::Priority,
            Self::Assignee(_) => Field::Assignee,
            Self::Tags(_) => Field::Tags,
            Self::Depth(_) => Field::Depth,
            Self::Deleted(_) => Field::Deleted,
        }
    }

    /// What this register holds before anybody has written it.
    #[must_use]
    pub const fn unwritten(field: Field) -> Self {
        match field {
            Field::Text => Self::Text(SmolStr::new_static("")),
            Field::Note => Self::Note(SmolStr::new_static("")),
            Field::Done => Self::Done(false),
            Field::Due => Self::Due(None),
            Field::Priority => Self::Priority(None),
            Field::Assignee => Self::Assignee(SmolStr::new_static("")),
            Field::Tags => Self::Tags(Vec::new()),
            Field::Depth => Self::Depth(0),
            Field::Deleted => Self::Deleted(false),
        }
    }
}

/// As many tags as an item may have, none of them empty.
fn tags<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<SmolStr>, D::Error> {
    bounded::list_where::<D, SmolStr, TAGS_MAX>(deserializer, |_, tag| !tag.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_days_of_the_calendar_are_dates() {
        for good in ["2026-11-30", "2024-02-29", "0001-01-01", "9999-12-31"] {
            assert_eq!(Date::parse(good).map(|date| date.to_string()).as_deref(), Some(good));
        }
        for bad in ["2026-02-29", "1900-02-29", "2026-13-01", "2026-1-1", "2026-11-30x", "", "0000-01-01", "+026-01-01"]
        {
            assert_eq!(Date::parse(bad), None, "{bad}");
        }
    }
}

//! Moments, as people and as programs write them.

use betwixt_core::hlc::Millis;
use jiff::Timestamp;
use jiff::tz::TimeZone;

/// A moment in this machine's time zone: `2026-11-30 22:16:04`. One that no calendar has is a dash.
pub(crate) fn local(at: Millis, zone: &TimeZone) -> String {
    moment(at).map_or_else(|| "-".to_owned(), |at| zone.to_datetime(at).strftime("%F %T").to_string())
}

/// A moment as RFC 3339 has it, in UTC: `2026-11-30T22:16:04.120Z`; `None` for one that no calendar has.
pub(crate) fn utc(at: Millis) -> Option<String> {
    moment(at).map(|at| format!("{at:.3}"))
}

/// The stamp of a peer may be any number.
fn moment(at: Millis) -> Option<Timestamp> {
    i64::try_from(at.0).ok().and_then(|at| Timestamp::from_millisecond(at).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_told_in_the_zone_of_the_reader_and_in_utc_to_programs() {
        let at = Millis(1_796_076_964_120);
        assert_eq!(utc(at).as_deref(), Some("2026-11-30T22:16:04.120Z"));
        assert_eq!(utc(Millis(1_796_076_964_000)).as_deref(), Some("2026-11-30T22:16:04.000Z"));
        let zone = TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").expect("a zone");
        assert_eq!(local(at, &zone), "2026-11-30 23:16:04");
        assert_eq!(local(at, &TimeZone::UTC), "2026-11-30 22:16:04");
    }

    #[test]
    fn a_moment_that_no_calendar_has_is_no_panic() {
        for at in [u64::MAX, u64::MAX / 2, 400_000_000_000_000] {
            assert_eq!((local(Millis(at), &TimeZone::UTC).as_str(), utc(Millis(at))), ("-", None), "{at}");
        }
    }
}

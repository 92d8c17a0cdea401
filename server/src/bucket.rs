//! Which of eight runs of the key space a list lies in.
//!
//! Names such as `standup-2026-11-30` arrive in order and would all land at one end of the key space; the bucket in
//! front of them spreads them. It is what a SQL engine computes as `MOD(ABS(FARM_FINGERPRINT(name)), 8)`, so that what
//! was exported can be joined with what is counted elsewhere.

use betwixt_core::name::ListName;

/// Buckets of a store that is made by this program.
pub const BUCKETS: u8 = 8;

/// The bucket of a list, below `buckets`.
#[must_use]
pub fn bucket_of(name: &ListName, buckets: u8) -> u8 {
    // `unsigned_abs`, since the least signed number has no absolute value of its own kind.
    let fingerprint = fingerprint(name.as_str()).unsigned_abs();
    u8::try_from(fingerprint % u64::from(buckets.max(1))).unwrap_or_default()
}

/// `FARM_FINGERPRINT` of a text: the 64-bit fingerprint, read as a signed number.
fn fingerprint(text: &str) -> i64 {
    farmhash::fingerprint64(text.as_bytes()).cast_signed()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of a SQL engine's documentation of `FARM_FINGERPRINT`.
    #[test]
    fn fingerprints_are_those_of_the_sql_function() {
        assert_eq!(fingerprint("1footrue"), -1_541_654_101_129_638_711);
        assert_eq!(fingerprint("2applefalse"), 2_794_438_866_806_483_259);
        assert_eq!(fingerprint("3true"), -4_880_158_226_897_771_312);
    }

    #[test]
    fn names_in_order_spread_over_all_buckets() {
        let mut counts = [0_usize; BUCKETS as usize];
        for day in 0..800 {
            let name: ListName = format!("standup-{day:04}").parse().unwrap();
            counts[usize::from(bucket_of(&name, BUCKETS))] += 1;
        }
        assert!(counts.iter().all(|count| (60..=140).contains(count)), "{counts:?}");
    }

    #[test]
    fn a_name_of_any_length_has_a_bucket() {
        for len in 1..=64 {
            let name: ListName = "x".repeat(len).parse().unwrap();
            assert!(bucket_of(&name, BUCKETS) < BUCKETS);
        }
    }
}

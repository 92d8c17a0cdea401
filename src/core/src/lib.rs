//! What a Betwixt list is. Everything here is pure.

pub mod key;
pub mod safe_text;

//! What the tests of the whole product stand on: real binaries, homes of their own, terminals that can be read.
//!
//! Tests wait for conditions with a deadline, never for a time; they use loopback alone, and end what they started.

pub mod escapes;
pub mod home;
pub mod peer;
pub mod program;
pub mod relay;
pub mod running;
pub mod terminal;
pub mod wait;

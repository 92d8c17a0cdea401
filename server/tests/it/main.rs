//! The relay from outside: real sockets, real threads, stores that fail.

#![expect(clippy::unwrap_used, reason = "a test ends where it fails; clippy allows that in `#[test]` functions only")]

mod binary;
mod deletion;
mod directory;
mod engine;
mod hostile;
mod json;
mod links;
mod migration;
mod relay;
mod site;
mod slow;
mod snapshots;
mod storage;
mod stores;
mod trim;
mod two;

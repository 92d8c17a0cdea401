//! What a Betwixt list is: keys, ops, the list that ops make, the bytes on the wire, text that is safe to show.
//!
//! Everything here is pure. Time, randomness and bytes come in as arguments; nothing touches a socket, a disk, a
//! clock or a terminal. The relay, the client and the tests run these same lines.
//!
//! Read in this order: [`key`], [`op`], [`list`], [`wire`].

mod bounded;
pub mod causes;
pub mod edit;
pub mod formats;
pub mod growth;
pub mod hlc;
pub mod id;
pub mod item;
pub mod key;
pub mod limits;
pub mod list;
pub mod log;
pub mod name;
pub mod op;
pub mod order;
pub mod rebalance;
pub mod register;
pub mod safe_text;
pub mod snapshot;
pub mod wire;

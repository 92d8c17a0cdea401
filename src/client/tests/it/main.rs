//! The client crate from outside: replica and session against a relay in memory, the store, the data folder.

mod copies;
mod directory;
mod folder;
mod random;
mod relay;
mod replica;
mod session;
mod store;
mod undo;
mod world;

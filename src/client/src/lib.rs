//! A site of Betwixt: its durable replica of a list, its session with a relay, its work offline.
//!
//! [`Replica`] and [`Session`] are pure: they take time and randomness as arguments and return what is to be written
//! and sent. [`Site`] puts them together with a disk and a link, and decides nothing.

pub mod account;
pub mod address;
pub mod directory;
mod drive;
pub mod folder;
pub mod link;
pub mod reader;
pub mod replica;
pub mod session;
pub mod site;
pub mod sites;
pub mod status;
pub mod store;
pub mod transfer;

pub use self::address::Address;
pub use self::folder::Folder;
pub use self::reader::Reader;
pub use self::replica::Replica;
pub use self::session::Session;
pub use self::site::Site;
pub use self::sites::Sites;
pub use self::status::{LinkStatus, Status};

//! The relay of Betwixt: it orders the ops of lists, stores them durably and passes them on.
//!
//! ```text
//! link (a task per socket)  --Push-->  worker (a thread, owns the lists of its split)  --Append-->  committer
//!      ^                                 |      ^                                                  (one fsync a batch)
//!      +-- outbox <-- encoded entries ---+      +--------------- Committed -----------------------------+
//! ```
//!
//! A [`room`] decides, and is pure; a worker owns rooms, and is their one writer; nothing that is not durable is
//! ever sent. A link that cannot keep up is fed from the log at its own speed.

pub mod bucket;
pub mod clock;
pub mod committer;
pub mod engine;
pub mod figures;
pub mod link;
pub mod live;
pub mod local;
pub mod notice;
pub mod options;
pub mod outbox;
pub mod relay;
pub mod room;
pub mod serve;
pub mod snapshot;
pub mod splits;
pub mod worker;

pub use engine::Stored;
pub use local::LocalRole;
pub use notice::Notice;
pub use options::Options;
pub use relay::{Listener, Relay};

//! The spelling `betwixt.1.json`: text frames, so that a script in any language can join a list.
//!
//! A frame is one JSON object with one key, the name of the message. Ids, keys and hashes are texts as everywhere
//! ([`id`](crate::id)), days are `"2026-11-30"`, times are milliseconds since 1970. What a script says may not have a
//! field that is not named here: it is answered with `unreadable` and the reason, and is not done at all. No field may
//! be `null` but where that is said.
//!
//! | to the relay | fields | may be left out |
//! |---|---|---|
//! | `hello` | `secret`, `name`, `person` | `versions` (`[1]`), `uid`, `seq` with `chain` (read from the start), `pending` (false), `kinds` (numbers, all that are documented here) |
//! | `push` | `list`, `ops` | |
//! | `here` | `list` | `at` (or null: nowhere), `editing` (false) |
//! | `leave` | `list` | |
//! | `lists` | | `prefix` (all), `after` (from the first), `limit` (as many as fit) |
//! | `delete_list` | `name`, `uid` | |
//!
//! | op | is | filled in by the relay where it is left out |
//! |---|---|---|
//! | `ctr` | the how-manieth op of the site; 1 is its `join`, and the next are above the last | never: one that was sent before is known by it |
//! | `prev` | `ctr` of the site's last op in the log | as it is |
//! | `epoch` | the generation of the list's keys; needed with a `key` | the list's |
//! | `hlc` | `wall`, `counter` (0), `site` (the session's) | its clock, or the list's highest stamp and one step |
//! | `site`, `hash` | as in [`op`](crate::op); wrong ones are refused | the session's; the one it has |
//! | `join` | `name` (empty) | |
//! | `add` | `item`, a place, registers | |
//! | `put` | `item`, a place or registers or both | |
//! | `list` | `title` | |
//!
//! An op has one of the last four. A place is one of `after` (an item, or null: the top), `before` (an item, or null: the
//! bottom) and `key`. Of a deleted item the place is still known. Registers are `text`, `note`, `done`, `due` (or null),
//! `priority` (1 to 9, or null), `assignee`, `tags`, `depth` and `deleted`; what is left out is not written.
//!
//! | to the site | fields |
//! |---|---|
//! | `welcome` | `version`, `name`, `uid`, `head`, `limits`, `clock`, `last`: null, or `ctr` and `hash` of the site's last op in the log |
//! | `other_list`, `gone` | `name`, `uid`; `uid` |
//! | `snapshot_begin` | `list`, `seq`, `chain`, `epoch` (`id`, `number`), `title` (or null), `title_hlc`, `highest`, `items`, `sites`, `state_hash` |
//! | `snapshot_part` | `list`, and `items` or `sites` (`site`, `name`, `number`, `ctr`, `hash`) |
//! | `snapshot_end` | `list` |
//! | `entries` | `list`, `entries`: `seq`, `chain`, `state_hash` (if there is one), `op`: all that an op may have, and a `key` for its place |
//! | `refused` | `list`, `op` (`site`, `ctr`), `code`, `why` |
//! | `stale`, `collision` | `list`, `need_seq` |
//! | `skipped` | `list`, `ctr`, `last`, `why`: nothing was done, since the site's last op in the log is `last` |
//! | `wait` | `retry_after` |
//! | `people` | `list`, `people`: `site`, `name`, `at`, `editing` |
//! | `figures` | `list`, `links`, `items`, `ops`, `longest`, `mean_hundredths`, `epoch` |
//! | `unreadable` | `why` |
//! | `closing` | `reason`, `why`, `retry_after` |
//! | `lists` | `asked`, `lists` (`name`, `uid`, `title`), `more` |
//!
//! An item of a snapshot has the fields of an `add`, and who placed it: `hlc` and `op`. A register with another stamp than
//! the place has it in `hlcs`, by its name. An op of a kind that the relay carries without reading it has `unread`: its
//! `kind`, and its `bytes` in hex.
//!
//! What does not fit a frame comes in several: entries and parts go on in the next frame of their name. `lists` has as
//! many as fit one; where there are `more`, ask again with the last of them as `after`.
//!
//! Test vectors: `assets/wire/betwixt.1.json.txt`.

mod fields;
mod sketch;
mod spelled;
mod to_relay;
mod to_site;

pub use self::sketch::{At, Given, Said, Sketch};
pub use self::to_relay::{FromScript, Unread, read};
pub use self::to_site::{Skipped, skipped, unreadable, write};

/// The WebSocket subprotocol of this spelling.
pub const SUBPROTOCOL: &str = "betwixt.1.json";

//! The terminal screen of a list: what it knows, what a key does to it, and how it looks.
//!
//! Everything here is pure: no socket, no disk, no clock, no terminal. A shell turns what happens into [`Msg`], calls
//! [`update`], carries out each [`Effect`] in order, and draws with [`view`]:
//!
//! ```text
//! terminal, client, timer --Msg--> update --Effect--> shell --> client, terminal, timer
//!                                     |
//!                                   Model --view--> frame
//! ```
//!
//! The list itself is not in the model: it is the client's, and comes along with every call. The model holds item ids,
//! never row numbers, so that what others do cannot move the row under a person's hand.
//!
//! A key and a frame cost the same in a list of 100,000 items as in one of 100: nothing here walks the list.

mod directory;
mod editor;
mod keymap;
mod layout;
mod model;
mod msg;
mod overlay;
mod paste;
mod people;
mod switcher;
mod text_line;
mod theme;
mod toast;
mod update;
mod view;
mod words;

pub use keymap::{Keymap, KeymapFault, Preset};
pub use model::{Model, Setup};
pub use msg::{Choice, Effect, Link, Msg, Refusal, Status};
pub use theme::{PEOPLE, Theme};
pub use update::update;
pub use view::view;

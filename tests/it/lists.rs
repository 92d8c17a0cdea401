//! Verbs about lists as a whole: what they are called.

mod title;

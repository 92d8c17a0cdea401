//! The product as a whole, by its real binaries.

#![expect(clippy::print_stdout, reason = "a test says what it skips, and the seed that replays it")]

mod bad_input;
mod crash;
mod entries;
mod files;
mod gauge;
mod json_client;
mod keys;
mod kinds;
mod lists;
mod people;
mod refused;
mod sim;
mod switching;
mod tidy;
mod transfer;
mod two_terminals;
mod upgrade;

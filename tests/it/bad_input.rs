//! Bad input of every kind: what comes over the wire, what lies on the disk, what stands on the command line.
//!
//! | case | what is expected | test |
//! |---|---|---|
//! | a frame that does not decode, a text frame | `Unreadable`; the link goes on | `wire::a_frame_that_does_not_decode_is_said_to_be_unreadable` |
//! | a message over the limit | the link is closed with 1009; the site links again and goes on | `wire::a_message_over_the_limit_closes_its_own_link_only` |
//! | an op with a bad key, of a foreign site, with a text over 4 KiB, a clock an hour ahead, a control character, a forged hash, an unknown kind, an item that is not there | refused with its code; the link's other ops go on | `wire::an_op_that_may_not_be_is_refused_with_its_code_and_the_others_go_on` |
//! | noise instead of a handshake | the link is closed; others do not notice | `wire::noise_on_the_port_is_nobody_elses_business` |
//! | a damaged record in a relay's store | that list is named and closed, the others work; nothing is changed | `store::a_damaged_record_closes_its_list_and_no_other` |
//! | a damaged, cut, empty, foreign or newer store | not opened, not changed by a byte, the way back is named | `store::a_damaged_store_is_not_opened_and_not_changed` |
//! | the same under a screen | edits are kept, the way back is named at the end | `store::the_screen_names_the_way_back_from_a_damaged_store` |
//! | a damaged record of this folder's lists, a damaged identity | the file and the way back are named | `store::a_damaged_small_file_of_the_folder_is_named` |
//! | a data folder that cannot be one | one line that names it and what to do | `command::a_data_folder_that_cannot_be_written_is_named` |
//! | `--listen` on a taken port, at no address, for others without `--insecure` | one line that says what to do | `command::a_relay_that_cannot_listen_says_why` |
//! | a folder that another relay serves | one line with its process | `command::a_folder_that_is_served_already_is_named_with_its_process` |
//! | a relay that is not there, or is none | edits are kept; each verb and the screen say so | `command::a_relay_that_is_not_there_is_named` |
//! | a list name with `../` and other wrong words | one line, exit code 2, no file is made | `command::a_list_name_that_leads_out_is_refused_in_one_line` |
//! | `NO_COLOR`, a dumb terminal, no terminal | no colour; verbs work, the screen says what it needs | `terminal::without_colour_or_a_terminal_it_stays_sensible` |
//! | a terminal that is closed under the screen | the program ends | `terminal::a_terminal_that_goes_away_ends_the_program` |
//! | text of others that attacks a terminal, as items, names, refused edits, arguments | it never drives the terminal | `hostile::hostile_items_do_not_drive_the_terminal`, `hostile::hostile_names_do_not_drive_the_terminal`, `hostile::hostile_refused_edits_do_not_drive_the_terminal`, `hostile::hostile_arguments_do_not_drive_the_terminal`, `lists::log::hostile_names_and_texts_do_not_drive_the_terminal_of_who_reads_the_log` |

mod command;
mod hostile;
mod store;
mod terminal;
mod wire;

use std::path::Path;
use std::process::{Command, Output, Stdio};

use betwixt_core::op::{Body, Op};
use betwixt_tests::escapes::is_plain;
use betwixt_tests::peer::Peer;
use betwixt_tests::program;

/// The op that comes next, as far as its counter goes.
fn next_of(peer: &Peer, body: Body) -> Op {
    peer.mint_as(peer.ctr + 1, peer.ctr, body)
}

/// Runs `betwixt-relay`, which must fail with one line.
#[track_caller]
fn relay_error(data: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new(program::path("betwixt-relay"));
    command.arg("--data").arg(data).args(["--listen", "127.0.0.1:0"]).args(arguments);
    one_line(&command.stdin(Stdio::null()).output().expect("it starts"), 1)
}

/// The one line of a program that must have failed with this code.
#[track_caller]
fn one_line(output: &Output, code: i32) -> String {
    let said = String::from_utf8(output.stderr.clone()).expect("errors are UTF-8");
    assert_eq!(output.status.code(), Some(code), "{}: {said}", output.status);
    assert!(said.starts_with("error: ") && said.trim_end().lines().count() == 1, "not one line: {said:?}");
    assert!(is_plain(&output.stderr), "{said:?}");
    said.trim_end().to_owned()
}

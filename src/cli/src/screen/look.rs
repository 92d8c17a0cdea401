//! How the screen looks on this terminal, and how this program was started.

use std::time::Duration;

use betwixt_core::name::ListName;
use betwixt_core::safe_text::SafeText;
use betwixt_tui::Theme;
use terminal_colorsaurus::{QueryOptions, ThemeMode, theme_mode};

use crate::config::Theme as Wanted;

/// How long the terminal may take to say whether it is light or dark: it answers at once or never.
const ASK_MAX: Duration = Duration::from_millis(40);

/// The colours for this terminal: none where none are wanted.
pub(super) fn theme(wanted: Wanted) -> Theme {
    if std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty()) {
        return Theme::mono();
    }
    match wanted {
        Wanted::Mono => return Theme::mono(),
        Wanted::Light => return Theme::light(),
        Wanted::Dark => return Theme::dark(),
        Wanted::Auto => {}
    }
    let mut options = QueryOptions::default();
    options.timeout = ASK_MAX;
    match theme_mode(options) {
        Ok(ThemeMode::Light) => Theme::light(),
        Ok(ThemeMode::Dark) | Err(_) => Theme::dark(),
    }
}

/// The command that started this program, to be typed again. Under `cargo run` that is what people typed.
pub(super) fn command() -> String {
    spelled(std::env::args().collect())
}

/// The command that would start this program with another list than `given`, the one that it was started with.
pub(super) fn command_for(list: &ListName, given: Option<&ListName>) -> String {
    let mut arguments: Vec<String> = std::env::args().collect();
    let place = given.and_then(|given| arguments.iter().skip(1).rposition(|argument| argument == given.as_str()));
    match place.and_then(|place| arguments.get_mut(place + 1)) {
        Some(argument) => list.as_str().clone_into(argument),
        None => arguments.push(list.to_string()),
    }
    spelled(arguments)
}

fn spelled(arguments: Vec<String>) -> String {
    let mut arguments = arguments.into_iter();
    let program = arguments.next().unwrap_or_else(|| "betwixt".to_owned());
    let rest: Vec<String> = arguments.map(|argument| quoted(&argument)).collect();
    let program = match (std::env::var_os("CARGO"), program.contains("/release/")) {
        (Some(_), release) if program.contains("target/") => {
            let flag = if release { " --release" } else { "" };
            let dashes = if rest.is_empty() { "" } else { " --" };
            format!("cargo run{flag}{dashes}")
        }
        _ => quoted(&program),
    };
    let command = std::iter::once(program).chain(rest).collect::<Vec<_>>().join(" ");
    SafeText::line(&command).as_str().to_owned()
}

fn quoted(argument: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@,+".contains(c);
    if !argument.is_empty() && argument.chars().all(plain) {
        return argument.to_owned();
    }
    format!("'{}'", argument.replace('\'', r"'\''"))
}

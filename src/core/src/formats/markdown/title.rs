//! The heading that is a list's title.

/// What guards the text beside it.
const GUARD: &str = "{}";
const BLANK: [char; 2] = [' ', '\t'];

/// The title of a file, and the number of its line.
pub(super) fn read(file: &str) -> Option<(usize, &str)> {
    let mut lines = (1..).zip(file.split('\n'));
    let (number, line) = lines.find(|(_, line)| !line.trim().is_empty())?;
    let heading = line.strip_prefix("# ")?.trim_start_matches(BLANK);
    let title = match heading.trim_end_matches(BLANK).strip_suffix(GUARD) {
        // What is guarded is what was written, but for the space before the guard.
        Some(title) if title.is_empty() || title.ends_with(' ') => title.strip_suffix(' ').unwrap_or(title),
        _ => unclosed(heading.trim_end_matches(BLANK)),
    };
    let title = title.strip_prefix(GUARD).and_then(|title| title.strip_prefix(' ')).unwrap_or(title);
    (!title.trim().is_empty()).then_some((number, title))
}

/// A heading without the `#`s that may close it.
fn unclosed(heading: &str) -> &str {
    let open = heading.trim_end_matches('#');
    if open.is_empty() || open.ends_with(BLANK) { open.trim_end_matches(BLANK) } else { heading }
}

/// The heading for [`read`] to read again.
pub(super) fn write(title: &str) -> String {
    let lead = if title.starts_with(BLANK) || title.starts_with("{} ") { "{} " } else { "" };
    let guard = if title.ends_with(BLANK) || title.ends_with('#') || title.ends_with(GUARD) { " {}" } else { "" };
    format!("# {lead}{title}{guard}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_heading_of_the_first_level_before_all_else_is_the_title() {
        for (file, title) in [
            ("# Work\n\n- [ ] a\n", Some((1, "Work"))),
            ("\n \n# Work of *ana*\n", Some((3, "Work of *ana*"))),
            ("#   Work  ##  \n", Some((1, "Work"))),
            ("# C#\n", Some((1, "C#"))),
            ("# Work {#tag}\n", Some((1, "Work {#tag}"))),
            ("## Work\n", None),
            ("#Work\n", None),
            ("#\n", None),
            ("# \n", None),
            ("# ##\n", None),
            ("prose\n# Work\n", None),
            ("- [ ] # Work\n", None),
            ("", None),
        ] {
            assert_eq!(read(file), title, "{file:?}");
        }
    }

    #[test]
    fn every_title_is_read_as_it_was_written() {
        for title in [
            "Work",
            "#",
            "a #",
            "a ##",
            "##",
            "{}",
            "a {}",
            "{} a",
            "{} {}",
            "a{}",
            " a",
            "a\t",
            "  {} # ",
            "C#",
            "{}a",
            "- [ ] a",
            "a\u{2028}",
            "\u{3000}a",
        ] {
            assert_eq!(read(&write(title)), Some((1, title)), "{title:?}: {:?}", write(title));
        }
    }
}

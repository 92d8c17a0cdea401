//! Items out of pasted lines.

use betwixt_core::limits::DEPTH_MAX;
use betwixt_core::register::Register;
use betwixt_core::safe_text::{Kind, visible_controls};

/// Cells of a TAB where indentation is compared.
const TAB_CELLS: usize = 4;

/// Whether a paste is of more than one line.
pub(crate) fn is_many_lines(pasted: &str) -> bool {
    pasted.trim().contains(['\n', '\r'])
}

/// The items that pasted lines make: one for each line that is not blank, its bullet taken away.
///
/// A line that is further in than one before it is a level below that; the outermost ones are at `depth`. `- [x]` is
/// done.
pub(crate) fn items(pasted: &str, depth: u8) -> Vec<Vec<Register>> {
    let mut outer: Vec<usize> = Vec::new();
    let mut items = Vec::new();
    for line in pasted.split(['\n', '\r']) {
        let (text, is_done) = strip_bullet(line.trim());
        if text.is_empty() {
            continue;
        }
        let indent = indent(line);
        while outer.last().is_some_and(|one| *one >= indent) {
            outer.pop();
        }
        let below = u8::try_from(outer.len()).unwrap_or(DEPTH_MAX);
        outer.push(indent);
        items.push(registers(text, depth.saturating_add(below), is_done));
    }
    items
}

/// What a new item carries.
pub(crate) fn registers(text: &str, depth: u8, is_done: bool) -> Vec<Register> {
    let (text, _) = visible_controls(text, Kind::Line);
    let mut registers = vec![Register::Text(text.as_ref().into())];
    if is_done {
        registers.push(Register::Done(true));
    }
    if depth > 0 {
        registers.push(Register::Depth(depth.min(DEPTH_MAX)));
    }
    registers
}

fn indent(line: &str) -> usize {
    let blank = line.chars().take_while(|c| c.is_whitespace());
    blank.fold(0, |cells, c| if c == '\t' { cells / TAB_CELLS * TAB_CELLS + TAB_CELLS } else { cells + 1 })
}

/// Takes a Markdown bullet and box away; says whether the box was ticked.
fn strip_bullet(line: &str) -> (&str, bool) {
    let bare =
        ["- ", "* ", "+ ", "• "].iter().find_map(|bullet| line.strip_prefix(bullet)).unwrap_or(line).trim_start();
    let ticked = ["[x]", "[X]"].iter().find_map(|mark| bare.strip_prefix(mark));
    let boxed = ticked.or_else(|| bare.strip_prefix("[ ]")).filter(|rest| rest.is_empty() || rest.starts_with(' '));
    match boxed {
        Some(rest) => (rest.trim(), ticked.is_some()),
        None if matches!(bare, "-" | "*" | "+" | "•") => ("", false),
        None => (bare.trim(), false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pasted: &str, expected: &[(&str, u8, bool)]) {
        let expected: Vec<_> =
            expected.iter().map(|(text, depth, is_done)| registers(text, *depth, *is_done)).collect();
        assert_eq!(items(pasted, 0), expected);
    }

    #[test]
    fn bullets_go_and_boxes_count() {
        check(
            "- [ ] milk\r\n* bread\r- [x] eggs\n\n+ [X] tea\n- \n[ ]",
            &[("milk", 0, false), ("bread", 0, false), ("eggs", 0, true), ("tea", 0, true)],
        );
        check(
            "-milk\n[link](x)\n2. Liga\n*bold* word",
            &[("-milk", 0, false), ("[link](x)", 0, false), ("2. Liga", 0, false), ("*bold* word", 0, false)],
        );
    }

    #[test]
    fn leading_blanks_are_levels() {
        check(
            "- a\n    - b\n\t\t- c\n  - d\n- e",
            &[("a", 0, false), ("b", 1, false), ("c", 2, false), ("d", 1, false), ("e", 0, false)],
        );
        check("    a\n    b", &[("a", 0, false), ("b", 0, false)]);
    }

    #[test]
    fn levels_stop_at_the_deepest() {
        let steps: Vec<String> = (0..20).map(|step| " ".repeat(step) + "x").collect();
        assert_eq!(items(&steps.join("\n"), 0)[19], registers("x", DEPTH_MAX, false));
    }

    #[test]
    fn control_characters_become_visible() {
        check("a\x1b[2J\nb", &[("a␛[2J", 0, false), ("b", 0, false)]);
    }
}

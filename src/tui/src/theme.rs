//! Colours by what they mean. The shell picks a theme; nothing else names a colour.

use ratatui::style::{Color, Modifier, Style};

/// How many people can be told apart by colour.
pub const PEOPLE: usize = 8;

/// How each kind of thing looks. Nothing is told by colour alone: each of these comes with a word, a sign or a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Theme {
    /// The text of an item.
    pub text: Style,
    /// What stands back: the name under a title, units, separators.
    pub dim: Style,
    /// The title of the list, headings.
    pub title: Style,
    /// Horizontal lines.
    pub rule: Style,
    /// The sign of the selected row.
    pub marker: Style,
    /// Laid over the selected row.
    pub selected: Style,
    /// The box of an open item.
    pub open_box: Style,
    /// The box of a done item.
    pub done_box: Style,
    /// The text of a done item.
    pub done: Style,
    /// What is being typed.
    pub editor: Style,
    /// What stands in an editor before anything is typed.
    pub placeholder: Style,
    /// Tags and assignee.
    pub meta: Style,
    /// A due date.
    pub due: Style,
    /// A priority.
    pub priority: Style,
    /// People, each their own.
    pub people: [Style; PEOPLE],
    /// This terminal's own person.
    pub me: Style,
    /// All is well: the gauge of short keys, a live link.
    pub good: Style,
    /// Long keys, catching up, unsent.
    pub amber: Style,
    /// Very long keys, refused edits, a list that needs somebody.
    pub red: Style,
    /// A key that can be pressed.
    pub key: Style,
    /// What a key does.
    pub hint: Style,
    /// What was done.
    pub toast: Style,
    /// What was not done.
    pub warning: Style,
}

impl Theme {
    /// For a terminal with a dark background.
    #[must_use]
    pub fn dark() -> Self {
        Self::of(&Palette {
            dim: 244,
            rule: 239,
            accent: 80,
            selected: 236,
            done: 241,
            meta: 109,
            good: 108,
            amber: 179,
            red: 210,
            people: [117, 150, 222, 211, 147, 180, 116, 216],
        })
    }

    /// For a terminal with a light background.
    #[must_use]
    pub fn light() -> Self {
        Self::of(&Palette {
            dim: 241,
            rule: 250,
            accent: 24,
            selected: 254,
            done: 245,
            meta: 24,
            good: 22,
            amber: 94,
            red: 124,
            people: [25, 28, 130, 125, 55, 94, 30, 160],
        })
    }

    /// Without any colour.
    #[must_use]
    pub fn mono() -> Self {
        let plain = Style::new();
        let bold = plain.add_modifier(Modifier::BOLD);
        let faint = plain.add_modifier(Modifier::DIM);
        Self {
            text: plain,
            dim: plain,
            title: bold,
            rule: faint,
            marker: bold,
            selected: bold,
            open_box: plain,
            done_box: plain,
            done: faint.add_modifier(Modifier::CROSSED_OUT),
            editor: plain.add_modifier(Modifier::UNDERLINED),
            placeholder: faint,
            meta: plain,
            due: plain,
            priority: plain,
            people: [plain; PEOPLE],
            me: bold,
            good: plain,
            amber: bold,
            red: bold.add_modifier(Modifier::REVERSED),
            key: bold,
            hint: plain,
            toast: plain,
            warning: bold,
        }
    }

    fn of(palette: &Palette) -> Self {
        let plain = Style::new();
        let of = |index: u8| plain.fg(Color::Indexed(index));
        let bold = Modifier::BOLD;
        Self {
            text: plain,
            dim: of(palette.dim),
            title: plain.add_modifier(bold),
            rule: of(palette.rule),
            marker: of(palette.accent).add_modifier(bold),
            selected: plain.bg(Color::Indexed(palette.selected)),
            open_box: of(palette.dim),
            done_box: of(palette.good),
            done: of(palette.done).add_modifier(Modifier::CROSSED_OUT),
            editor: plain,
            placeholder: of(palette.dim),
            meta: of(palette.meta),
            due: of(palette.amber),
            priority: of(palette.red),
            people: palette.people.map(of),
            me: plain.add_modifier(bold),
            good: of(palette.good),
            amber: of(palette.amber).add_modifier(bold),
            red: of(palette.red).add_modifier(bold),
            key: of(palette.accent).add_modifier(bold),
            hint: of(palette.dim),
            toast: plain,
            warning: of(palette.amber).add_modifier(bold),
        }
    }
}

/// Colours of the 256 that terminals agree on. The text itself keeps the terminal's own colour.
struct Palette {
    dim: u8,
    rule: u8,
    accent: u8,
    selected: u8,
    done: u8,
    meta: u8,
    good: u8,
    amber: u8,
    red: u8,
    people: [u8; PEOPLE],
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mono_theme_names_no_colour() {
        assert!(!format!("{:?}", Theme::mono()).contains("Indexed"));
        assert!(format!("{:?}", Theme::dark()).contains("Indexed"), "this test looks in the right place");
    }
}

//! One line of text with a caret, by graphemes; no control character ever gets in.

use betwixt_core::limits::Limits;
use betwixt_core::safe_text::{Kind, SafeText, visible_controls};
use tui_input::{Input, InputRequest};

use crate::keymap::Action;

/// Most bytes of the line: what an item's text may have.
const BYTES_MAX: usize = Limits::DEFAULT.text_bytes as usize;

/// One line of text with a caret.
#[derive(Debug, Clone, Default)]
pub(crate) struct TextLine {
    input: Input,
}

/// What came of writing into a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Written {
    /// It is in.
    In,
    /// It is in, with control characters made visible.
    Shown,
    /// It is not in: the line would have this many bytes.
    TooLong(usize),
}

impl TextLine {
    /// A line with this text, the caret behind it.
    pub(crate) fn new(text: &str) -> Self {
        let (text, _) = visible_controls(text, Kind::Line);
        Self { input: Input::new(text.into_owned()) }
    }

    /// The text as it stands.
    pub(crate) fn text(&self) -> &str {
        self.input.value()
    }

    /// The text before and behind the caret.
    pub(crate) fn parts(&self) -> (&str, &str) {
        let text = self.input.value();
        let at = text.char_indices().nth(self.input.cursor()).map_or(text.len(), |(at, _)| at);
        text.split_at(at)
    }

    /// Cells before the caret, as the line is drawn.
    pub(crate) fn caret_cells(&self) -> usize {
        SafeText::line(self.parts().0).width()
    }

    /// Writes at the caret. What makes the line too long is not written at all.
    pub(crate) fn write(&mut self, text: &str) -> Written {
        let (text, is_shown) = visible_controls(text, Kind::Line);
        let bytes = self.text().len() + text.len();
        if bytes > BYTES_MAX {
            return Written::TooLong(bytes);
        }
        let (before, behind) = self.parts();
        let caret = self.input.cursor() + text.chars().count();
        self.input = Input::new(format!("{before}{text}{behind}")).with_cursor(caret);
        if is_shown { Written::Shown } else { Written::In }
    }

    /// Moves the caret or erases; says whether the action is one of those.
    pub(crate) fn act(&mut self, action: Action) -> bool {
        let request = match action {
            Action::CaretLeft => InputRequest::GoToPrevChar,
            Action::CaretRight => InputRequest::GoToNextChar,
            Action::CaretWordLeft => InputRequest::GoToPrevWord,
            Action::CaretWordRight => InputRequest::GoToNextWord,
            Action::CaretHome => InputRequest::GoToStart,
            Action::CaretEnd => InputRequest::GoToEnd,
            Action::EraseLeft => InputRequest::DeletePrevChar,
            Action::EraseRight => InputRequest::DeleteNextChar,
            Action::EraseWordLeft => InputRequest::DeletePrevWord,
            Action::EraseToStart => InputRequest::DeleteFromStart,
            Action::EraseToEnd => InputRequest::DeleteTillEnd,
            Action::PutBackErased => InputRequest::Yank,
            _ => return false,
        };
        let before = self.input.clone();
        self.input.handle(request);
        if self.text().len() > BYTES_MAX {
            self.input = before;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_caret_goes_by_graphemes_and_is_shown_by_cells() {
        let mut line = TextLine::new("写👩‍🔬e\u{301}x");
        assert_eq!(line.caret_cells(), 2 + 2 + 1 + 1);
        line.act(Action::CaretLeft);
        line.act(Action::CaretLeft);
        assert_eq!(line.caret_cells(), 4);
        line.act(Action::EraseLeft);
        assert_eq!((line.text(), line.caret_cells()), ("写e\u{301}x", 2));
    }

    #[test]
    fn a_control_character_becomes_its_picture() {
        let mut line = TextLine::default();
        assert_eq!(line.write("a\x1b[2Jb"), Written::Shown);
        assert_eq!(line.text(), "a␛[2Jb");
        assert_eq!(line.write("c"), Written::In);
    }

    #[test]
    fn what_would_be_too_long_is_not_cut() {
        let mut line = TextLine::new("milk");
        assert_eq!(line.write(&"x".repeat(BYTES_MAX)), Written::TooLong(BYTES_MAX + 4));
        assert_eq!(line.text(), "milk");
    }

    #[test]
    fn what_was_erased_can_be_put_back() {
        let mut line = TextLine::new("buy milk");
        line.act(Action::EraseWordLeft);
        assert_eq!(line.text(), "buy ");
        line.act(Action::PutBackErased);
        assert_eq!(line.text(), "buy milk");
    }
}

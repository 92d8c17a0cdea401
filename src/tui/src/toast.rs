//! One line that is shown for a while.

use betwixt_core::hlc::Millis;
use betwixt_core::safe_text::SafeText;

/// How long a toast stays.
const SHOWN: Millis = Millis(6_000);

/// One line that is shown for a while, in place of the hints.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Toast {
    pub text: SafeText,
    pub tone: Tone,
    pub until: Millis,
}

/// How much a line asks for attention.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tone {
    /// Says what was done.
    Calm,
    /// Says what was not done, or what somebody should know.
    Warning,
}

impl Toast {
    pub(crate) fn calm(text: &str, now: Millis) -> Self {
        Self { text: SafeText::line(text), tone: Tone::Calm, until: now.plus(SHOWN) }
    }

    pub(crate) fn warning(text: &str, now: Millis) -> Self {
        Self { text: SafeText::line(text), tone: Tone::Warning, until: now.plus(SHOWN) }
    }
}

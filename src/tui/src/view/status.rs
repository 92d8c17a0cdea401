//! How the link and the unsent edits stand, in words.

use betwixt_core::safe_text::SafeText;
use ratatui::style::Style;

use super::Pieces;
use crate::keymap::{Action, Context};
use crate::model::Model;
use crate::msg::Link;
use crate::theme::Theme;
use crate::words::thousands;

/// Cells of a host's name, and of why there is no link.
const WHY_CELLS_MAX: usize = 32;

/// The status in at most so many cells; the link's state is never left out, only cut.
pub(super) fn words(model: &Model, cells_max: usize) -> Pieces {
    let theme = &model.setup.theme;
    let status = &model.status;
    let (link, style) = link(theme, &status.link);
    let key = model.keymap.key_of(Context::List, Action::Attention).unwrap_or_default();
    let link = if matches!(status.link, Link::OtherList | Link::Gone) { format!("{link} ({key})") } else { link };
    let unsent = match status.unsent {
        0 => Pieces::of("all sent", theme.dim),
        unsent => Pieces::of(format!("{} unsent", thousands(unsent)), theme.amber),
    };
    let mut more = vec![unsent];
    if status.refused > 0 {
        more.push(Pieces::of(format!("{} refused ({key})", thousands(status.refused)), theme.red));
    }
    if status.stranded > 0 {
        let words = format!("{} of closed windows on the way", thousands(status.stranded));
        more.push(Pieces::of(words, theme.amber));
    }
    if status.moving > 0 {
        more.push(Pieces::of(format!("{} moving", thousands(status.moving)), theme.amber));
    }
    if let Link::Offline { why: Some(why) } = &status.link {
        more.push(Pieces::of(SafeText::line(why).truncate(WHY_CELLS_MAX).as_str(), theme.dim));
    }
    let mut shown = Pieces::of(link, style);
    for one in more {
        let with = shown.clone().join(" · ", theme.dim, one);
        if with.width() > cells_max {
            break;
        }
        shown = with;
    }
    shown
}

fn link(theme: &Theme, link: &Link) -> (String, Style) {
    match link {
        Link::LocalRelay => ("local relay".to_owned(), theme.good),
        Link::Host(host) => (SafeText::line(host).truncate(WHY_CELLS_MAX).to_string(), theme.good),
        Link::CatchingUp { missing } => {
            (format!("catching up {}", thousands(usize::try_from(*missing).unwrap_or(usize::MAX))), theme.amber)
        }
        Link::Offline { .. } => ("offline".to_owned(), theme.amber),
        Link::NeedsNewer => ("needs a newer betwixt".to_owned(), theme.red),
        Link::OtherList => ("another list has this name".to_owned(), theme.red),
        Link::Gone => ("deleted".to_owned(), theme.red),
        Link::Damaged => ("damaged on the relay".to_owned(), theme.red),
    }
}

//! How long the list's keys are, always in sight.

use betwixt_core::limits::{KEY_RED_BYTES, KEY_SOFT_BYTES};
use betwixt_core::list::{Lengths, List};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::{Pieces, inset, status};
use crate::layout::Regions;
use crate::model::Model;
use crate::theme::Theme;
use crate::words::thousands;

const BARS: [&str; 8] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];
/// Bars of the sparkline at most; more lengths share bars.
const BARS_MAX: usize = 12;
/// Cells between gauge and status.
const APART: usize = 3;

/// Draws the gauge, and the status beside it or below it.
pub(super) fn draw(model: &Model, list: &List, regions: &Regions, buffer: &mut Buffer) {
    let theme = &model.setup.theme;
    let area = inset(regions.gauge);
    let forms = gauge(theme, list);
    let [.., short, tiny] = &forms;
    let fitting = |cells_max: usize| forms.iter().find(|form| form.width() <= cells_max).unwrap_or(tiny);
    let width = usize::from(area.width);
    let Some(line) = regions.status else {
        // The status first, beside a short gauge; then as much of the gauge as is left room for.
        let status = status::words(model, width.saturating_sub(short.width() + APART));
        let x = fitting(width.saturating_sub(status.width() + APART)).draw_in(buffer, area);
        let x = x.saturating_add(1);
        status.draw_right(buffer, Rect { x, width: area.right().saturating_sub(x), ..area });
        return;
    };
    fitting(width).draw_in(buffer, area);
    let line = inset(line);
    status::words(model, usize::from(line.width)).draw_in(buffer, line);
}

/// The gauge in words, and the same in fewer and fewer.
fn gauge(theme: &Theme, list: &List) -> [Pieces; 4] {
    let lengths = list.lengths();
    let epoch = thousands(usize::try_from(list.epoch().number).unwrap_or(usize::MAX));
    let longest = lengths.longest();
    if longest == 0 {
        let long = Pieces::of(format!("keys none yet · epoch {epoch}"), theme.dim);
        let short = Pieces::of(format!("keys 0 · e{epoch}"), theme.dim);
        return [long.clone(), long, short.clone(), short];
    }
    let (style, word, sign) = level(theme, longest);
    let mean = lengths.mean_hundredths();
    let mean = format!("{}.{}", mean / 100, mean % 100 / 10);
    let bars = sparkline(lengths);
    let whole = |head: &str| {
        Pieces::of(head, theme.dim)
            .and(format!("{longest}{word}"), style)
            .and(format!(" · mean {mean} · "), theme.dim)
            .and(&bars, style)
            .and(format!(" · epoch {epoch}"), theme.dim)
    };
    let short = Pieces::of("keys ", theme.dim)
        .and(format!("{longest}{sign}"), style)
        .and(format!(" · {mean} · "), theme.dim)
        .and(&bars, style)
        .and(format!(" · e{epoch}"), theme.dim);
    let tiny = Pieces::of("keys ", theme.dim)
        .and(format!("{longest}{sign}"), style)
        .and(format!(" {mean} e{epoch}"), theme.dim);
    [whole("keys longest "), whole("keys "), short, tiny]
}

/// How bad a longest key of so many bytes is: in colour, in a word, in a sign.
fn level(theme: &Theme, longest: usize) -> (Style, &'static str, &'static str) {
    if longest >= KEY_RED_BYTES {
        (theme.red, " very long", "!!")
    } else if longest >= KEY_SOFT_BYTES {
        (theme.amber, " long", "!")
    } else {
        (theme.good, "", "")
    }
}

/// One bar for each length from the shortest key to the longest, as high as keys have that length.
fn sparkline(lengths: &Lengths) -> String {
    let longest = lengths.longest();
    let shortest = (1..=longest).find(|bytes| lengths.count(*bytes) > 0).unwrap_or(longest);
    let step = (longest - shortest + 1).div_ceil(BARS_MAX);
    let counts: Vec<usize> = (shortest..=longest)
        .step_by(step.max(1))
        .map(|from| (from..from + step).map(|bytes| lengths.count(bytes)).sum())
        .collect();
    let most = counts.iter().copied().max().unwrap_or_default().max(1);
    counts
        .into_iter()
        .map(|count| match count {
            0 => " ",
            count => BARS[((count * BARS.len()).div_ceil(most) - 1).min(BARS.len() - 1)],
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use betwixt_core::key::Key;

    use super::*;

    #[track_caller]
    fn check(counts: &[(usize, usize)], bars: &str) {
        let keys: Vec<Key> = counts
            .iter()
            .flat_map(|(bytes, count)| {
                let key = Key::parse(&"a".repeat(*bytes)).expect("a key");
                std::iter::repeat_n(key, *count)
            })
            .collect();
        let lengths: Lengths = keys.iter().collect();
        assert_eq!(sparkline(&lengths), bars);
    }

    #[test]
    fn bars_are_as_high_as_keys_are_many() {
        check(&[(3, 1)], "█");
        check(&[(2, 7), (3, 1), (5, 14)], "▄▁ █");
        check(&[(1, 1), (128, 1_000)], "▁          █");
    }

    #[test]
    fn long_keys_are_told_by_a_word_and_a_sign() {
        let theme = Theme::mono();
        for (longest, word, sign) in [(31, "", ""), (32, " long", "!"), (63, " long", "!"), (64, " very long", "!!")] {
            let (_, found, short) = level(&theme, longest);
            assert_eq!((found, short), (word, sign), "{longest}");
        }
    }
}

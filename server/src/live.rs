//! The live line of each open list: name, links, items, op/s, longest and mean key, epoch.
//!
//! Names of lists are plain ASCII by construction, so that nothing of others reaches the terminal unseen.

use betwixt_core::name::ListName;
use betwixt_core::wire::Figures;

use crate::figures::Open;

/// Columns of the longest name that has its column to itself.
const NAME_COLUMNS: usize = 16;

/// The line of one list.
#[must_use]
pub fn line(name: &ListName, figures: &Figures) -> String {
    let Figures { links, items, ops, longest, mean_hundredths, epoch } = figures;
    let (whole, hundredths) = (mean_hundredths / 100, mean_hundredths % 100);
    format!(
        "{name:NAME_COLUMNS$} {links:>4} links {items:>6} items {ops:>5} op/s \
         keys to {longest:>3} B, mean {whole:>3}.{hundredths:02}, epoch {epoch}"
    )
}

/// The lines of all open lists, in the order of their names; one that says so if there is none.
#[must_use]
pub fn lines(open: &Open) -> Vec<String> {
    if open.is_empty() {
        return vec!["no list is open".to_owned()];
    }
    open.iter().map(|(name, figures)| line(name, figures)).collect()
}

/// What has changed between two looks: the lines of lists that are new or other, and of those that were closed.
#[must_use]
pub fn changes(before: &Open, now: &Open) -> Vec<String> {
    let changed = now.iter().filter(|(name, figures)| before.get(*name) != Some(figures));
    let closed = before.keys().filter(|name| !now.contains_key(*name));
    changed
        .map(|(name, figures)| line(name, figures))
        .chain(closed.map(|name| format!("{name:NAME_COLUMNS$}  closed")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIGURES: Figures = Figures { links: 3, items: 1_000, ops: 12, longest: 9, mean_hundredths: 712, epoch: 2 };

    fn open(lists: &[(&str, Figures)]) -> Open {
        lists.iter().map(|(name, figures)| (name.parse().unwrap(), *figures)).collect()
    }

    #[test]
    fn a_line_has_all_figures_of_a_list() {
        let expected = "inbox               3 links   1000 items    12 op/s \
                        keys to   9 B, mean   7.12, epoch 2";
        assert_eq!(lines(&open(&[("inbox", FIGURES)])), [expected]);
        assert_eq!(lines(&Open::new()), ["no list is open"]);
    }

    #[test]
    fn only_what_changed_is_logged() {
        let before = open(&[("a", FIGURES), ("b", FIGURES), ("c", FIGURES)]);
        let now = open(&[("a", FIGURES), ("b", Figures { items: 7, ..FIGURES }), ("d", FIGURES)]);
        let changes = changes(&before, &now);
        let names: Vec<&str> = changes.iter().filter_map(|line| line.split(' ').next()).collect();
        assert_eq!(names, ["b", "d", "c"]);
        assert!(changes[2].ends_with("closed"));
    }
}

//! The list switcher: which lists it shows, and which of them is picked.

use betwixt_core::id::{ItemId, ListUid};
use betwixt_core::list::List;
use betwixt_core::name::{ListName, ListNameError};

use crate::model::Model;
use crate::msg::Link;
use crate::overlay::Overlay;
use crate::text_line::TextLine;

/// Lines of the overlay from which there is a blank one above the lists.
const ROOMY_LINES: usize = 6;
/// Lines of the overlay from which there is room to say how the relay stands.
const NOTE_LINES: usize = 4;

/// The list switcher.
///
/// What is picked is held by name, and stands on `line` of the lists, wherever answers push it.
#[derive(Debug)]
pub(crate) struct Switcher {
    pub purpose: Purpose,
    pub search: TextLine,
    pub mode: Mode,
    /// None where there is nothing to pick.
    pub picked: Option<Picked>,
    /// Whether a key picked it; else it is what fits best what was typed.
    is_by_hand: bool,
    /// Its row when it was last seen.
    last_row: usize,
    line: usize,
}

/// What a list is picked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// To be opened.
    Open,
    /// To take these items.
    Move(Vec<ItemId>),
}

/// What is being done in the switcher.
#[derive(Debug)]
pub(crate) enum Mode {
    /// Picking a list.
    Choosing,
    /// Writing its title.
    Title { list: ListName, line: TextLine },
    /// Typing its name, so that it is deleted; whether another name was entered.
    Delete { list: ListName, uid: ListUid, typed: TextLine, is_wrong: bool },
}

/// What is picked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Picked {
    /// A list that there is.
    List(ListName),
    /// The new one, of the name that is typed.
    New,
}

/// What the switcher shows, in order.
#[derive(Debug)]
pub(crate) struct Rows {
    pub lists: Vec<Row>,
    pub last: Option<Last>,
}

/// A list, as the switcher shows it.
#[derive(Debug)]
pub(crate) struct Row {
    pub name: ListName,
    /// Raw: it may be anything.
    pub title: String,
    pub place: Place,
    /// Its number among the lists of this machine, from 1.
    pub number: Option<usize>,
}

/// Where a list is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// On the screen.
    Open,
    /// On this machine; the relay has not heard of it.
    OnlyHere,
    /// On the relay, or nobody has said yet.
    Elsewhere,
}

/// The line below the lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Last {
    /// A list can be made that is called so.
    New(ListName),
    /// Why none can; it cannot be picked.
    Fault(&'static str),
}

impl Switcher {
    /// A switcher with nothing typed and nothing picked.
    pub(crate) fn new(purpose: Purpose) -> Self {
        let (search, mode) = (TextLine::default(), Mode::Choosing);
        Self { purpose, search, mode, picked: None, is_by_hand: false, last_row: 0, line: 0 }
    }

    /// What is looked for.
    pub(crate) fn wanted(&self) -> &str {
        self.search.text().trim()
    }

    /// What names begin with that are asked of the relay; none where no name can begin so.
    pub(crate) fn prefix(&self) -> Option<&str> {
        let wanted = self.wanted();
        let is_name =
            wanted.is_empty() || !matches!(wanted.parse::<ListName>(), Err(why) if why != ListNameError::Dots);
        is_name.then_some(wanted)
    }

    /// Fits what is picked to the rows as they are now.
    pub(crate) fn settle(&mut self, rows: &Rows, shown: usize) {
        let place = self.picked.as_ref().and_then(|picked| rows.position(picked));
        let is_stopgap = !self.is_by_hand && self.picked == Some(Picked::New) && !rows.lists.is_empty();
        let place = match place {
            Some(place) if !is_stopgap => Some(place),
            None if self.is_by_hand => rows.len().checked_sub(1).map(|lowest| self.last_row.min(lowest)),
            _ => rows.best(self.wanted()),
        };
        self.picked = place.and_then(|place| rows.pick(place));
        let row = place.unwrap_or_default();
        self.last_row = row;
        self.line = row - self.top_of(row, rows.len(), shown);
    }

    /// What was typed has changed: what fits best is picked, with the first row in sight if it can be.
    pub(crate) fn search_again(&mut self, rows: &Rows, shown: usize) {
        self.is_by_hand = false;
        self.picked = None;
        self.line = usize::MAX;
        self.settle(rows, shown);
    }

    /// Picks the row so far below the picked one, as far as there are rows; scrolls as little as brings it into sight.
    pub(crate) fn go(&mut self, rows: &Rows, shown: usize, by: isize) {
        let Some(lowest) = rows.len().checked_sub(1) else { return };
        let row = self.row(rows);
        let top = self.top_of(row, rows.len(), shown);
        let row = row.saturating_add_signed(by).min(lowest);
        self.picked = rows.pick(row);
        self.is_by_hand = true;
        self.last_row = row;
        self.line = row - top.min(row).max((row + 1).saturating_sub(shown));
    }

    /// The row that is picked.
    pub(crate) fn row(&self, rows: &Rows) -> usize {
        self.picked.as_ref().and_then(|picked| rows.position(picked)).unwrap_or_default()
    }

    /// The first row in sight.
    pub(crate) fn top(&self, rows: &Rows, shown: usize) -> usize {
        self.top_of(self.row(rows), rows.len(), shown)
    }

    fn top_of(&self, row: usize, rows: usize, shown: usize) -> usize {
        row.saturating_sub(self.line.min(shown.saturating_sub(1))).min(rows.saturating_sub(shown))
    }
}

impl Rows {
    /// The rows for what is typed, out of all lists that were heard of.
    pub(crate) fn of(model: &Model, list: &List, switcher: &Switcher) -> Self {
        let open = &model.setup.list;
        let is_offline = matches!(model.status.link, Link::Offline { .. });
        let known = model.directory.known(open);
        // Offline, opening a list that this machine has no copy of would make another one of that name.
        let listed = model.directory.all_listed().filter(|_| !is_offline).map(|one| &one.name);
        let mut names: Vec<&ListName> = known.iter().chain(listed).collect();
        names.sort_unstable();
        names.dedup();
        let wanted = switcher.wanted().to_lowercase();
        let is_move = matches!(switcher.purpose, Purpose::Move(_));
        let mut lists = Vec::new();
        for name in names {
            let is_open = name == open;
            if is_open && (is_move || model.is_gone()) {
                continue;
            }
            let told = model.directory.listed(name).map_or("", |one| one.title.as_str());
            let title = if is_open { list.title().unwrap_or_default() } else { told };
            if name.as_str().to_lowercase().contains(&wanted) || title.to_lowercase().contains(&wanted) {
                let place = match is_open {
                    true => Place::Open,
                    false if !is_offline && model.directory.is_only_here(name) => Place::OnlyHere,
                    false => Place::Elsewhere,
                };
                let number = known.binary_search(name).ok().map(|at| at + 1);
                lists.push(Row { name: name.clone(), title: title.to_owned(), place, number });
            }
        }
        let barred = (is_move && !model.is_gone()).then_some(open);
        Self { last: Last::of(switcher.wanted(), &lists, barred), lists }
    }

    /// How many can be picked.
    pub(crate) fn len(&self) -> usize {
        self.lists.len() + usize::from(matches!(self.last, Some(Last::New(_))))
    }

    fn pick(&self, row: usize) -> Option<Picked> {
        match (self.lists.get(row), &self.last) {
            (Some(row), _) => Some(Picked::List(row.name.clone())),
            (None, Some(Last::New(_))) => Some(Picked::New),
            _ => None,
        }
    }

    fn position(&self, picked: &Picked) -> Option<usize> {
        match picked {
            Picked::List(name) => self.lists.iter().position(|row| row.name == *name),
            Picked::New => matches!(self.last, Some(Last::New(_))).then_some(self.lists.len()),
        }
    }

    /// What fits best: the open list if nothing is typed; else the list of that name, one whose name begins so, any.
    fn best(&self, wanted: &str) -> Option<usize> {
        let begins = |row: &Row| {
            let head = row.name.as_str().get(..wanted.len());
            head.is_some_and(|head| head.eq_ignore_ascii_case(wanted))
        };
        let first = |fits: &dyn Fn(&Row) -> bool| self.lists.iter().position(fits);
        let best = if wanted.is_empty() {
            first(&|row| row.place == Place::Open)
        } else {
            first(&|row| row.name.as_str() == wanted).or_else(|| first(&begins))
        };
        best.or_else(|| (self.len() > 0).then_some(0))
    }
}

impl Last {
    /// For what is typed; `barred` is a list that there is and that cannot be picked.
    fn of(wanted: &str, lists: &[Row], barred: Option<&ListName>) -> Option<Self> {
        if wanted.is_empty() {
            return None;
        }
        match wanted.parse::<ListName>() {
            Ok(name) if barred == Some(&name) => Some(Self::Fault("that is the list that they are in")),
            Ok(name) if lists.iter().any(|row| row.name == name) => None,
            Ok(name) => Some(Self::New(name)),
            Err(ListNameError::Character { .. }) => Some(Self::Fault("a name has letters, digits, - _ .")),
            Err(ListNameError::Length { .. }) => Some(Self::Fault("a name has at most 64 characters")),
            Err(_) => Some(Self::Fault("no list can be called so")),
        }
    }
}

/// Where the lists stand in an overlay of so many lines, and how many of them; there may be a line for a note.
pub(crate) fn list_lines(height: usize, has_note: bool) -> (usize, usize) {
    let first = match height {
        0 | 1 => 0,
        _ if height >= ROOMY_LINES || (has_note && height >= NOTE_LINES) => 2,
        _ => 1,
    };
    (first, height.saturating_sub(first).max(1))
}

impl Model {
    /// The switcher, if it is there.
    pub(crate) fn switcher(&self) -> Option<&Switcher> {
        match &self.overlay {
            Some(Overlay::Switcher(switcher)) => Some(switcher),
            _ => None,
        }
    }

    /// How many lists the switcher shows at once.
    pub(crate) fn lists_shown(&self, rows: &Rows) -> usize {
        let (_, lines) = list_lines(self.height(), self.lists_note(rows).is_some());
        // What cannot be picked stands below what can, and stays in sight.
        lines.saturating_sub(usize::from(matches!(rows.last, Some(Last::Fault(_))))).max(1)
    }

    /// What is to be said about where the lists come from.
    pub(crate) fn lists_note(&self, rows: &Rows) -> Option<String> {
        match (&self.status.link, self.directory.fault()) {
            (Link::Offline { .. }, _) => Some("offline: the lists of this machine".to_owned()),
            (_, Some(why)) => Some(format!("the relay tells no lists: {why}")),
            _ if rows.lists.is_empty() && self.directory.is_waiting() => Some("asking the relay".to_owned()),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(count: usize, last: Option<Last>) -> Rows {
        let row = |number: usize| Row {
            name: format!("l{number:02}").parse().expect("a list name"),
            title: String::new(),
            place: Place::Elsewhere,
            number: None,
        };
        Rows { lists: (0..count).map(row).collect(), last }
    }

    #[test]
    fn what_is_picked_is_in_sight_wherever_it_goes_and_whatever_comes() {
        let new = || Some(Last::New("x".parse().expect("a list name")));
        for (count, shown, last) in
            (0..10).flat_map(|count| (1..5).flat_map(move |shown| [(count, shown, None), (count, shown, new())]))
        {
            let rows = rows(count, last);
            let mut switcher = Switcher::new(Purpose::Open);
            switcher.search_again(&rows, shown);
            for by in [1, 1, 3, -2, 100, -1, -1, -4, 2, -100, 7] {
                switcher.go(&rows, shown, by);
                switcher.settle(&rows, shown);
                let (row, top) = (switcher.row(&rows), switcher.top(&rows, shown));
                assert!(top <= row && row < top + shown, "{count} rows, {shown} shown: {row} from {top}");
                assert_eq!(switcher.picked.is_some(), rows.len() > 0);
                assert!(top + shown <= rows.len().max(shown), "no blank line while rows are out of sight");
            }
        }
    }

    #[test]
    fn what_is_gone_leaves_the_hand_where_it_was() {
        let mut switcher = Switcher::new(Purpose::Open);
        let before = rows(5, None);
        switcher.search_again(&before, 3);
        switcher.go(&before, 3, 2);
        let mut after = rows(5, None);
        after.lists.remove(2);
        switcher.settle(&after, 3);
        assert_eq!(switcher.picked, after.pick(2));
        switcher.settle(&rows(1, None), 3);
        assert_eq!(switcher.row(&rows(1, None)), 0);
        switcher.settle(&rows(0, None), 3);
        assert_eq!(switcher.picked, None);
    }

    #[test]
    fn only_what_a_name_can_begin_with_is_asked_for() {
        for (typed, prefix) in
            [("", Some("")), ("a.b", Some("a.b")), (" a ", Some("a")), (".", Some(".")), ("a b", None), ("é", None)]
        {
            let mut switcher = Switcher::new(Purpose::Open);
            switcher.search.write(typed);
            assert_eq!(switcher.prefix(), prefix, "{typed:?}");
        }
    }
}

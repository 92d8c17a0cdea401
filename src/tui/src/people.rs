//! Who is here: names that can be told apart, colours that stay, and where everybody is.

use std::collections::BTreeMap;

use betwixt_core::id::{ItemId, SiteId};
use betwixt_core::limits::NAME_GRAPHEMES_MAX;
use betwixt_core::safe_text::SafeText;
use betwixt_core::wire::Person;

use crate::theme::PEOPLE;

/// Everybody who is on the list.
#[derive(Debug, Default)]
pub(crate) struct People {
    /// This terminal first, then by name.
    here: Vec<Somebody>,
    /// Others, by the item that they are at.
    at: BTreeMap<ItemId, Vec<usize>>,
}

/// Somebody on the list, as shown.
#[derive(Debug, Clone)]
pub(crate) struct Somebody {
    pub site: SiteId,
    /// The name; with a number if others are called the same.
    pub label: SafeText,
    /// Which of the theme's people.
    pub colour: usize,
    pub is_editing: bool,
    pub is_me: bool,
}

impl People {
    /// Takes in who is here now; whoever was here before keeps their colour.
    pub(crate) fn update(&mut self, mut people: Vec<Person>, me: SiteId) {
        // By site, so that every terminal gives the same number to the same link.
        people.sort_by_key(|person| person.site);
        let colours: BTreeMap<SiteId, usize> = self.here.iter().map(|one| (one.site, one.colour)).collect();
        let mut uses = [0_usize; PEOPLE];
        for colour in people.iter().filter_map(|person| colours.get(&person.site)) {
            uses[*colour] += 1;
        }
        let mut named: BTreeMap<String, usize> = BTreeMap::new();
        let mut here: Vec<(Somebody, Option<ItemId>)> = Vec::with_capacity(people.len());
        for person in people {
            let colour = colours.get(&person.site).copied().unwrap_or_else(|| {
                let colour = free_colour(person.site, &uses);
                uses[colour] += 1;
                colour
            });
            let name = shown_name(&person.name);
            let number = named.entry(name.as_str().to_owned()).or_default();
            *number += 1;
            let label = if *number == 1 { name } else { SafeText::line(&format!("{name} ({number})")) };
            let is_me = person.site == me;
            let somebody = Somebody { site: person.site, label, colour, is_editing: person.editing, is_me };
            here.push((somebody, person.at));
        }
        here.sort_by(|(a, _), (b, _)| (!a.is_me, a.label.as_str()).cmp(&(!b.is_me, b.label.as_str())));
        self.at.clear();
        for (index, (somebody, at)) in here.iter().enumerate() {
            if let Some(item) = at.filter(|_| !somebody.is_me) {
                self.at.entry(item).or_default().push(index);
            }
        }
        self.here = here.into_iter().map(|(somebody, _)| somebody).collect();
    }

    /// Everybody, this terminal first.
    pub(crate) fn here(&self) -> &[Somebody] {
        &self.here
    }

    /// The others who are at an item.
    pub(crate) fn at(&self, item: ItemId) -> impl Iterator<Item = &Somebody> {
        self.at.get(&item).into_iter().flatten().filter_map(|index| self.here.get(*index))
    }

    /// What a site is called; `somebody` if it is not here.
    pub(crate) fn name_of(&self, site: Option<SiteId>) -> &str {
        let known = self.here.iter().find(|one| Some(one.site) == site);
        known.map_or("somebody", |one| one.label.as_str())
    }
}

/// A name made safe, and no longer than names may be.
pub(crate) fn shown_name(raw: &str) -> SafeText {
    let safe = SafeText::line(raw.trim());
    let cut: String = safe.graphemes().take(NAME_GRAPHEMES_MAX).map(|(grapheme, _)| grapheme).collect();
    let cut = SafeText::line(&cut);
    if cut.as_str().is_empty() { SafeText::line("nameless") } else { cut }
}

/// The colour that the site's id names, or the next one that fewest people have.
fn free_colour(site: SiteId, uses: &[usize; PEOPLE]) -> usize {
    let wished = usize::from(site.as_bytes()[0]) % PEOPLE;
    let ring = (0..PEOPLE).map(|step| (wished + step) % PEOPLE);
    ring.min_by_key(|colour| uses[*colour]).unwrap_or(wished)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn person(site: u8, name: &str) -> Person {
        Person { site: SiteId::from_bytes([site; 16]), name: name.into(), at: None, editing: false }
    }

    fn labels(people: &People) -> Vec<&str> {
        people.here().iter().map(|one| one.label.as_str()).collect()
    }

    #[test]
    fn links_of_one_name_are_numbered_and_i_come_first() {
        let mut people = People::default();
        people.update(vec![person(3, "bob"), person(2, "ana"), person(1, "ana")], SiteId::from_bytes([2; 16]));
        assert_eq!(labels(&people), ["ana (2)", "ana", "bob"]);
    }

    #[test]
    fn whoever_stays_keeps_their_colour_and_nobody_shares_one_without_need() {
        let mut people = People::default();
        let me = SiteId::from_bytes([9; 16]);
        people.update(vec![person(8, "ana"), person(16, "bob")], me);
        let before: Vec<usize> = people.here().iter().map(|one| one.colour).collect();
        assert_ne!(before[0], before[1]);
        people.update(vec![person(0, "abe"), person(8, "ana"), person(16, "bob")], me);
        let after: Vec<usize> = people.here().iter().map(|one| one.colour).collect();
        assert_eq!(after[1..], before[..]);
        assert!(!before.contains(&after[0]));
    }
}

//! The lists that there are, as far as they were heard of: from this machine, and from the relay page by page.

use std::collections::{BTreeMap, BTreeSet};

use betwixt_core::name::ListName;
use betwixt_core::wire::{Listed, Listing};

/// Lists that are asked for at a time.
const PAGE: u16 = 100;

/// The lists that there are, as far as they were heard of.
///
/// The relay is asked by prefix, page by page. An answer counts only while its question is open, so that a late one
/// cannot bring back what was deleted meanwhile.
#[derive(Debug, Default)]
pub(crate) struct Directory {
    /// Lists that this machine has a copy of.
    known: BTreeSet<ListName>,
    /// What the relay has, as far as it was told.
    listed: BTreeMap<ListName, Listed>,
    /// How far the answers for each prefix go.
    pages: BTreeMap<String, Page>,
    /// Questions without an answer.
    open: Vec<Listing>,
    /// Why the last question had no answer.
    fault: Option<String>,
}

/// How far the answers for a prefix go.
#[derive(Debug)]
struct Page {
    last: Option<ListName>,
    more: bool,
}

impl Directory {
    /// Takes in which lists this machine has a copy of.
    pub(crate) fn know(&mut self, names: Vec<ListName>) {
        self.known = names.into_iter().collect();
    }

    /// The lists of this machine, in the order of their names, the open one among them.
    pub(crate) fn known(&self, open: &ListName) -> Vec<ListName> {
        let mut known = self.known.clone();
        known.insert(open.clone());
        known.into_iter().collect()
    }

    /// What the relay told of a list.
    pub(crate) fn listed(&self, name: &ListName) -> Option<&Listed> {
        self.listed.get(name)
    }

    /// All that the relay told of.
    pub(crate) fn all_listed(&self) -> impl Iterator<Item = &Listed> {
        self.listed.values()
    }

    /// Forgets how far answers went: all will be asked again. What was told stays in sight until then.
    pub(crate) fn restart(&mut self) {
        self.pages.clear();
        self.open.clear();
        self.fault = None;
    }

    /// The question for the first lists that begin with `prefix`; none if it was asked already.
    pub(crate) fn ask(&mut self, prefix: &str) -> Option<Listing> {
        if self.pages.contains_key(prefix) {
            return None;
        }
        self.question(prefix, None)
    }

    /// The question for the lists behind those that were told for `prefix`; then for those behind all that were told.
    pub(crate) fn ask_more(&mut self, prefix: &str) -> Option<Listing> {
        for prefix in [prefix, ""] {
            if let Some(Page { last, more: true }) = self.pages.get(prefix) {
                let last = last.clone();
                return self.question(prefix, last);
            }
        }
        None
    }

    fn question(&mut self, prefix: &str, after: Option<ListName>) -> Option<Listing> {
        let asked = Listing { prefix: prefix.into(), after, limit: PAGE };
        if self.open.contains(&asked) {
            return None;
        }
        self.open.push(asked.clone());
        Some(asked)
    }

    /// Whether the relay has lists that it has not told of, under this prefix or any.
    pub(crate) fn has_more(&self, prefix: &str) -> bool {
        [prefix, ""].into_iter().any(|prefix| self.pages.get(prefix).is_some_and(|page| page.more))
    }

    /// Whether an answer is awaited.
    pub(crate) fn is_waiting(&self) -> bool {
        !self.open.is_empty()
    }

    /// Why the last question had no answer.
    pub(crate) fn fault(&self) -> Option<&str> {
        self.fault.as_deref()
    }

    /// Takes in an answer; says whether anybody waited for it.
    pub(crate) fn take_in(&mut self, asked: &Listing, lists: Vec<Listed>, more: bool) -> bool {
        let Some(at) = self.open.iter().position(|one| one == asked) else { return false };
        self.open.remove(at);
        self.fault = None;
        // An answer that does not get anywhere would be asked for ever.
        let last = lists.iter().map(|one| &one.name).max().filter(|last| Some(*last) > asked.after.as_ref()).cloned();
        let page = Page { more: more && last.is_some(), last: last.or_else(|| asked.after.clone()) };
        let told: BTreeSet<&ListName> = lists.iter().map(|one| &one.name).collect();
        self.listed.retain(|name, _| {
            let is_before = asked.after.as_ref().is_some_and(|after| name <= after);
            is_before || !page.covers(&asked.prefix, name) || told.contains(name)
        });
        self.listed.extend(lists.into_iter().map(|one| (one.name.clone(), one)));
        self.pages.insert(asked.prefix.to_string(), page);
        true
    }

    /// Takes in that a question has no answer.
    pub(crate) fn fail(&mut self, asked: &Listing, why: String) {
        if let Some(at) = self.open.iter().position(|one| one == asked) {
            self.open.remove(at);
            self.fault = Some(why);
        }
    }

    /// A list was deleted. Answers on their way may still have it, so none of them counts.
    pub(crate) fn forget(&mut self, name: &ListName) {
        self.known.remove(name);
        self.listed.remove(name);
        self.restart();
    }

    /// A list has another title.
    pub(crate) fn retitle(&mut self, name: &ListName, title: &str) {
        if let Some(listed) = self.listed.get_mut(name) {
            listed.title = title.into();
        }
    }

    /// Whether the relay told of all lists around this one and not of it.
    pub(crate) fn is_only_here(&self, name: &ListName) -> bool {
        let is_covered = |(prefix, page): (&String, &Page)| page.covers(prefix, name);
        self.known.contains(name) && !self.listed.contains_key(name) && self.pages.iter().any(is_covered)
    }
}

impl Page {
    fn covers(&self, prefix: &str, name: &ListName) -> bool {
        name.as_str().starts_with(prefix) && (!self.more || self.last.as_ref().is_some_and(|last| name <= last))
    }
}

#[cfg(test)]
mod tests {
    use betwixt_core::id::ListUid;

    use super::*;

    fn name(name: &str) -> ListName {
        name.parse().expect("a list name")
    }

    fn listed(names: &[&str]) -> Vec<Listed> {
        let one = |text: &&str| Listed { name: name(text), uid: ListUid::from_bytes([1; 16]), title: "".into() };
        names.iter().map(one).collect()
    }

    fn names(directory: &Directory) -> Vec<&str> {
        directory.all_listed().map(|one| one.name.as_str()).collect()
    }

    #[test]
    fn pages_follow_each_other_to_the_end() {
        let mut directory = Directory::default();
        let first = directory.ask("").expect("a question");
        assert_eq!(directory.ask(""), None, "it is asked once");
        assert!(directory.take_in(&first, listed(&["a", "b"]), true));
        assert!(directory.has_more("") && directory.has_more("x"));
        let second = directory.ask_more("").expect("a question");
        assert_eq!(second.after, Some(name("b")));
        assert_eq!(directory.ask_more(""), None, "its answer is awaited");
        assert!(directory.take_in(&second, listed(&["c"]), false));
        assert_eq!(directory.ask_more(""), None, "there is no more");
        assert_eq!(names(&directory), ["a", "b", "c"]);
    }

    #[test]
    fn a_prefix_has_its_own_pages_and_then_the_rest() {
        let mut directory = Directory::default();
        let all = directory.ask("").expect("a question");
        directory.take_in(&all, listed(&["a"]), true);
        let some = directory.ask("s").expect("a question");
        directory.take_in(&some, listed(&["s1"]), true);
        assert_eq!(directory.ask_more("s").map(|asked| asked.prefix.to_string()), Some("s".to_owned()));
        let rest = directory.ask_more("x").expect("a question");
        assert_eq!((rest.prefix.as_str(), rest.after), ("", Some(name("a"))));
    }

    #[test]
    fn an_answer_that_nobody_waits_for_changes_nothing() {
        let mut directory = Directory::default();
        let asked = directory.ask("").expect("a question");
        directory.take_in(&asked, listed(&["a", "b"]), false);
        assert!(!directory.take_in(&asked, listed(&["z"]), false));
        directory.restart();
        let late = directory.ask("").expect("a question");
        directory.forget(&name("a"));
        assert!(!directory.take_in(&late, listed(&["a", "b"]), false));
        assert_eq!(names(&directory), ["b"]);
    }

    #[test]
    fn what_an_answer_leaves_out_is_not_there_any_more() {
        let mut directory = Directory::default();
        let asked = directory.ask("").expect("a question");
        directory.take_in(&asked, listed(&["a", "b", "sa", "sb"]), false);
        directory.restart();
        let asked = directory.ask("s").expect("a question");
        directory.take_in(&asked, listed(&["sb"]), false);
        assert_eq!(names(&directory), ["a", "b", "sb"]);
        directory.restart();
        let asked = directory.ask("").expect("a question");
        directory.take_in(&asked, listed(&["b"]), true);
        assert_eq!(names(&directory), ["b", "sb"], "behind the last one nothing is said");
    }

    #[test]
    fn a_relay_that_promises_more_and_sends_nothing_is_not_asked_for_ever() {
        let mut directory = Directory::default();
        let asked = directory.ask("").expect("a question");
        directory.take_in(&asked, listed(&["a"]), true);
        let asked = directory.ask_more("").expect("a question");
        directory.take_in(&asked, listed(&["a"]), true);
        assert_eq!(directory.ask_more(""), None);
    }

    #[test]
    fn a_list_that_the_relay_leaves_out_is_only_here() {
        let mut directory = Directory::default();
        directory.know(vec![name("b"), name("z")]);
        assert!(!directory.is_only_here(&name("b")), "nothing is asked yet");
        let asked = directory.ask("").expect("a question");
        directory.take_in(&asked, listed(&["a", "c"]), true);
        assert!(directory.is_only_here(&name("b")));
        assert!(!directory.is_only_here(&name("z")), "the relay has not said yet");
    }
}

//! What a running relay shows of its open lists.

use std::collections::BTreeMap;
use std::sync::Arc;

use betwixt_core::list::List;
use betwixt_core::name::ListName;
use betwixt_core::wire::Figures;
use tokio::sync::watch;

/// The figures of all open lists, by name.
pub type Open = BTreeMap<ListName, Figures>;

/// Where workers put the figures of their lists.
#[derive(Debug, Clone)]
pub struct Board {
    open: Arc<watch::Sender<Open>>,
}

impl Default for Board {
    fn default() -> Self {
        Self { open: Arc::new(watch::Sender::new(Open::new())) }
    }
}

impl Board {
    /// Follows the figures; dropped receivers cost nothing.
    #[must_use]
    pub fn watch(&self) -> watch::Receiver<Open> {
        self.open.subscribe()
    }

    /// Puts up the figures of a list.
    pub fn put(&self, name: &ListName, figures: Figures) {
        self.open.send_modify(|open| {
            open.insert(name.clone(), figures);
        });
    }

    /// Takes down the figures of a list that is no longer open.
    pub fn remove(&self, name: &ListName) {
        self.open.send_if_modified(|open| open.remove(name).is_some());
    }
}

/// The figures of a list.
#[must_use]
pub fn figures_of(list: &List, links: usize, ops: u32) -> Figures {
    let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    Figures {
        links: number(links),
        items: number(list.lengths().keys()),
        ops,
        longest: number(list.lengths().longest()),
        mean_hundredths: number(list.lengths().mean_hundredths()),
        epoch: list.epoch().number,
    }
}

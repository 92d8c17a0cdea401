//! What people were told is kept, and by whose disk: none of it may vanish (I3).

use std::collections::{BTreeMap, BTreeSet, HashMap};

use betwixt_client::replica::{Kept, Write};
use betwixt_core::hlc::Hlc;
use betwixt_core::id::ListUid;
use betwixt_core::list::List;
use betwixt_core::log::Entry;
use betwixt_core::op::{Body, Op};

use super::fault::Faults;

/// Edits by their stamp, which only a wrong clock changes: not a new site, key or counter.
#[derive(Debug, Default)]
pub(super) struct Owed {
    debts: BTreeMap<Hlc, Debt>,
}

#[derive(Debug)]
struct Debt {
    op: Op,
    /// In which list.
    list: ListUid,
    /// The machines whose disk has it.
    holders: BTreeSet<usize>,
    /// It was said to be refused.
    refused: bool,
    /// The list was deleted.
    excused: bool,
}

impl Owed {
    /// A disk takes these writes; `before` are the edits that were pending there. Says what vanishes with them.
    pub(super) fn note(
        &mut self,
        (at, list): (usize, ListUid),
        before: &[(u64, Hlc)],
        writes: &[Write],
    ) -> Option<Hlc> {
        let mut settled: BTreeSet<u64> = BTreeSet::new();
        let mut kept: BTreeSet<Hlc> = BTreeSet::new();
        let mut renewed = false;
        let old: HashMap<u64, Hlc> = before.iter().copied().collect();
        for write in writes {
            match write {
                Write::Settled(ctr) => {
                    settled.insert(*ctr);
                }
                Write::Site(_) => renewed = true,
                Write::Journal(op) => {
                    kept.insert(op.hlc);
                }
                Write::Keep(_, Kept::Refused { op, .. }) => {
                    kept.insert(op.hlc);
                    if let Some(debt) = self.debts.get_mut(&op.hlc) {
                        debt.refused = true;
                    }
                }
                Write::Pending(pending) if !matches!(pending.op.body, Body::Join(_)) => {
                    let op = &pending.op;
                    kept.insert(op.hlc);
                    if let Some(stamp) = old.get(&op.ctr).filter(|stamp| **stamp != op.hlc && !renewed)
                        && let Some(debt) = self.debts.get_mut(stamp)
                    {
                        debt.holders.remove(&at);
                    }
                    let new =
                        || Debt { op: op.clone(), list, holders: BTreeSet::new(), refused: false, excused: false };
                    let debt = self.debts.entry(op.hlc).or_insert_with(new);
                    // The stamp of a refused op is free again. The same edit, said by another copy, stays one that was told.
                    let is_other = debt.list != list || debt.op.body.keyless_bytes() != op.body.keyless_bytes();
                    if (debt.refused || debt.excused) && is_other {
                        *debt = new();
                    }
                    debt.holders.insert(at);
                }
                _ => {}
            }
        }
        before.iter().find(|(ctr, hlc)| settled.contains(ctr) && !kept.contains(hlc)).map(|(_, hlc)| *hlc)
    }

    /// What a disk holds, for a copy of it.
    pub(super) fn held_by(&self, at: usize) -> BTreeSet<Hlc> {
        self.debts.iter().filter(|(_, debt)| debt.holders.contains(&at)).map(|(hlc, _)| *hlc).collect()
    }

    /// A disk holds what the copy that was put there held.
    pub(super) fn restore(&mut self, at: usize, held: &BTreeSet<Hlc>) {
        for (hlc, debt) in &mut self.debts {
            if held.contains(hlc) {
                debt.holders.insert(at)
            } else {
                debt.holders.remove(&at)
            };
        }
    }

    /// A list was deleted: what was said in it is owed to nobody.
    pub(super) fn excuse_list(&mut self, list: ListUid) {
        self.debts.values_mut().filter(|debt| debt.list == list).for_each(|debt| debt.excused = true);
    }

    /// The person has let go of a machine's replica of a list.
    pub(super) fn excuse(&mut self, at: usize, list: ListUid) {
        for debt in self.debts.values_mut().filter(|debt| debt.list == list) {
            debt.holders.remove(&at);
        }
    }

    /// Whether entries of this list are what was said in it, not in one of the same name.
    pub(super) fn check_list(&self, entries: &[Entry], list: ListUid) -> Result<(), String> {
        let strange = entries.iter().map(|entry| &entry.op).find(|op| {
            let debt = self.debts.get(&op.hlc).filter(|debt| debt.list != list);
            debt.is_some_and(|debt| debt.op.body.keyless_bytes() == op.body.keyless_bytes())
        });
        strange.map_or(Ok(()), |op| Err(format!("I3: {op:?} was said in another list of the name")))
    }

    /// With all queues empty: what is neither in the log, nor refused, nor lost with the last disk that had it.
    pub(super) fn missing(&self, log: &[Entry], list: &List, faults: Faults) -> Option<String> {
        let mut times: HashMap<Hlc, usize> = HashMap::new();
        for entry in log.iter().filter(|entry| !matches!(entry.op.body, Body::Join(_))) {
            *times.entry(entry.op.hlc).or_default() += 1;
        }
        self.debts.values().find_map(|debt| {
            let times = times.get(&debt.op.hlc).copied().unwrap_or_default();
            let wrong = match times {
                0 if debt.refused || debt.excused || debt.holders.is_empty() => None,
                // Under another name a site says again only what still has an effect.
                0 if !faults.are_plain() && !has_effect(&debt.op, list) => None,
                0 => Some("was dropped"),
                _ if debt.refused && faults.are_plain() => Some("was said to be refused, and is in the log"),
                1 => None,
                _ if faults.copies => None,
                _ => Some("is in the log more than once"),
            };
            wrong.map(|wrong| format!("{:?} {wrong}; held by {:?}", debt.op, debt.holders))
        })
    }
}

fn has_effect(op: &Op, list: &List) -> bool {
    let Some(id) = op.body.item() else {
        return list.header().title.is_none_or(|title| title.hlc < op.hlc);
    };
    let Some(item) = list.item(id) else { return true };
    let mut registers = op.body.registers().iter();
    op.key().is_some() && item.position.hlc < op.hlc
        || registers.any(|register| item.written(register.field()).is_none_or(|written| written.hlc < op.hlc))
}

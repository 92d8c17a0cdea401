//! The store on disk, from outside: files, damage, crashes.

#![expect(clippy::unwrap_used, reason = "a test ends where it fails; clippy allows that in `#[test]` functions only")]

mod crash;
mod damage;
mod files;
mod flaky;
mod migration;

use betwixt_store::{Batch, Format, KeyRange, Pair, Store};

const FORMAT: Format = Format { name: b"betwixt-test", number: 1, migrations: &[] };

/// What the n-th of some commits does: a few puts, now and then a deletion, a long value, a range.
fn script(n: u32) -> Batch {
    let mut batch = Batch::default();
    for part in 0..3 + n % 4 {
        batch.put(format!("list/{:02}/{part}", n % 7), format!("value {n} {part}").repeat(1 + n as usize % 9));
    }
    match n % 5 {
        1 => batch.delete(format!("list/{:02}/1", (n + 3) % 7)),
        2 => batch.put(format!("long/{n}"), vec![b'x'; 9_000]),
        3 => batch.delete_all(KeyRange::prefix(format!("list/{:02}/", (n + 2) % 7).as_bytes())),
        _ => batch.put("last", n.to_be_bytes()),
    };
    batch
}

fn contents(store: &impl Store) -> Vec<Pair> {
    store.pairs(KeyRange::all(), usize::MAX).expect("the store can be read")
}

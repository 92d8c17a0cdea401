//! Stores of earlier formats.

use betwixt_core::hlc::Millis;
use betwixt_core::id::ListUid;
use betwixt_core::op::body::Kinds;
use betwixt_store::{Batch, KeyRange, Store, StoreError};
use smol_str::SmolStr;

use super::Meta;
use super::keys::{DELETED, Keys, name_in};
use super::load::{Fault, decode, load_with};

/// From format 1 to 2: a list's record says its title too, which is found by loading the list.
///
/// A list that is damaged has none until somebody repairs it and writes one; it does not hold up the others.
pub(super) fn add_titles(store: &dyn Store) -> Result<Batch, StoreError> {
    let mut batch = Batch::default();
    let mut rest = KeyRange::from_to([], [DELETED]);
    while let Some((key, _)) = store.pairs(rest.clone(), 1)?.pop() {
        let keys = key.first().zip(name_in(&key)).map(|(bucket, name)| Keys::of(*bucket, &name));
        let Some((keys, behind)) = keys.and_then(|keys| keys.all().end.map(|end| (keys, end))) else { break };
        rest.start = behind;
        if let Some(record) = store.get(&keys.meta())?
            && let Ok(meta) = untitled(&record)
        {
            let title = match load_with(store, &keys, Kinds::KNOWN, untitled) {
                Ok(loaded) => loaded.and_then(|loaded| loaded.list.title().map(SmolStr::new)).unwrap_or_default(),
                Err(Fault::Store(source)) => return Err(source),
                Err(Fault::Damaged(..)) => SmolStr::default(),
            };
            let meta = Meta { title, ..meta };
            batch.put(keys.meta(), postcard::to_stdvec(&meta).expect("a few fields encode into a growing buffer"));
        }
    }
    Ok(batch)
}

/// A list's record in format 1.
fn untitled(record: &[u8]) -> Result<Meta, Fault> {
    let (uid, made): (ListUid, Millis) = decode(0, record)?;
    Ok(Meta { uid, made, title: SmolStr::default() })
}

//! Files that something else has damaged: a typed error or the right values, never a panic, never a changed file.

use std::fs;
use std::path::{Path, PathBuf};

use betwixt_store::{Damage, OpenError, Pair, RedbStore, Store};

use crate::flaky::Disk;
use crate::{FORMAT, contents, script};

const COMMITS: u32 = 24;

struct Example {
    _folder: tempfile::TempDir,
    path: PathBuf,
    /// The file as it is after closing in order.
    closed: Vec<u8>,
    /// The file as a killed process leaves it.
    killed: Vec<u8>,
    /// What it holds, and what it held one commit earlier.
    last: Vec<Pair>,
    before_last: Vec<Pair>,
}

fn example() -> Example {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let store = RedbStore::open(&path, &FORMAT).unwrap();
    for n in 0..COMMITS {
        store.commit(&script(n)).unwrap();
    }
    let before_last = contents(&store);
    store.commit(&script(COMMITS)).unwrap();
    let last = contents(&store);
    let killed = fs::read(&path).unwrap();
    drop(store);
    let closed = fs::read(&path).unwrap();
    Example { _folder: folder, path, closed, killed, last, before_last }
}

/// Opens a file with these bytes; on an error checks that they are still there.
#[track_caller]
fn open_file(path: &Path, bytes: &[u8]) -> Result<Vec<Pair>, OpenError> {
    fs::write(path, bytes).unwrap();
    match RedbStore::open(path, &FORMAT) {
        Ok(store) => Ok(contents(&store)),
        Err(error) => {
            assert!(fs::read(path).unwrap() == bytes, "a refused file has changed");
            Err(error)
        }
    }
}

/// The same on a disk in memory, where thousands of openings take no time.
#[track_caller]
fn open(bytes: &[u8]) -> Result<Vec<Pair>, OpenError> {
    let disk = Disk::new(bytes.to_vec(), u64::MAX);
    match RedbStore::with_backend(disk.clone(), &FORMAT) {
        Ok(store) => Ok(contents(&store)),
        Err(error) => {
            assert_eq!(disk.events(), 0, "a refused file was written to");
            Err(error)
        }
    }
}

#[track_caller]
fn check_damaged(path: &Path, bytes: &[u8]) {
    let error = open_file(path, bytes).expect_err("a damaged file opened");
    assert!(matches!(error, OpenError::Damaged { .. }), "{error:?}");
}

/// Byte offsets that cover the header bit by bit and the pages at every 61st byte, with the bit to flip.
fn flips(len: usize) -> impl Iterator<Item = (usize, u8)> {
    let header = (0..320).flat_map(|offset| (0..8).map(move |bit| (offset, 1 << bit)));
    header.chain((320..len).step_by(61).map(|offset| (offset, 1 << (offset % 8))))
}

#[test]
fn a_file_of_length_0_is_damaged_and_stays_so() {
    let example = example();
    let error = open_file(&example.path, b"").unwrap_err();
    assert!(matches!(error, OpenError::Damaged { source: Damage::Empty, .. }), "{error:?}");
}

#[test]
fn a_file_of_something_else_is_damaged() {
    let example = example();
    let noise: Vec<u8> = (0_u32..200_000).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    for len in [1, 9, 64, 511, 4_096, 4_097, 73_728, 200_000] {
        check_damaged(&example.path, &noise[..len]);
        check_damaged(&example.path, &vec![0; len]);
        let mut mixed = example.closed[..len.min(64)].to_vec();
        mixed.extend_from_slice(&noise[mixed.len()..len]);
        check_damaged(&example.path, &mixed);
    }
}

#[test]
fn a_file_that_was_cut_off_is_damaged_or_whole() {
    let example = example();
    for image in [&example.closed, &example.killed] {
        for len in (1..image.len()).step_by(4_099).chain((4_096..image.len()).step_by(8_192)) {
            match open_file(&example.path, &image[..len]) {
                Ok(found) => assert!(found == example.last, "cut to {len}: other contents"),
                Err(error) => assert!(matches!(error, OpenError::Damaged { .. }), "cut to {len}: {error:?}"),
            }
        }
    }
}

#[test]
fn a_flipped_bit_in_a_closed_store_is_harmless_or_found() {
    let example = example();
    let mut found_out = 0;
    for (offset, bit) in flips(example.closed.len()) {
        let mut image = example.closed.clone();
        image[offset] ^= bit;
        match open(&image) {
            Ok(found) => assert!(found == example.last, "bit {bit:#04x} at {offset}: other contents"),
            Err(OpenError::Damaged { .. }) => found_out += 1,
            Err(error) => panic!("bit {bit:#04x} at {offset}: {error:?}"),
        }
    }
    assert!(found_out > 100, "{found_out} flips were found out");
}

#[test]
fn a_flipped_bit_after_a_kill_costs_at_most_the_last_commit() {
    let example = example();
    for (offset, bit) in flips(example.killed.len()) {
        let mut image = example.killed.clone();
        image[offset] ^= bit;
        match open(&image) {
            Ok(found) => {
                assert!(
                    found == example.last || found == example.before_last,
                    "bit {bit:#04x} at {offset}: other contents"
                );
            }
            Err(error) => assert!(matches!(error, OpenError::Damaged { .. }), "bit {bit:#04x} at {offset}: {error:?}"),
        }
    }
}

//! The rules of the tree that no compiler holds: what each file opens with, which crate leans on which, what core must not
//! touch.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use cargo_metadata::{DependencyKind, MetadataCommand};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn rust_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of the tree").flatten() {
        let path = entry.path();
        let name = entry.file_name();
        if path.is_dir() && name != "target" && name != ".git" {
            rust_files(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

#[test]
fn every_file_says_first_what_it_is_for() {
    let mut files = Vec::new();
    rust_files(&root(), &mut files);
    assert!(files.len() > 50, "the tree was not found");
    let silent: Vec<_> =
        files.iter().filter(|file| !fs::read_to_string(file).expect("a source file").starts_with("//! ")).collect();
    assert!(silent.is_empty(), "no //! sentence at the top of {silent:?}");
}

#[test]
fn crates_lean_one_way() {
    let allowed: BTreeMap<&str, &[&str]> = BTreeMap::from([
        ("betwixt-core", &[][..]),
        ("betwixt-store", &[][..]),
        ("betwixt-client", &["betwixt-core", "betwixt-store"][..]),
        ("betwixt-relay", &["betwixt-core", "betwixt-store"][..]),
        ("betwixt-tui", &["betwixt-core"][..]),
        ("betwixt", &["betwixt-client", "betwixt-core", "betwixt-relay", "betwixt-store", "betwixt-tui"][..]),
    ]);
    let metadata = MetadataCommand::new().manifest_path(root().join("Cargo.toml")).no_deps().exec().expect("metadata");
    for package in &metadata.packages {
        let Some(allowed) = allowed.get(package.name.as_str()) else {
            assert_eq!(package.name.as_str(), "betwixt-tests", "a crate that the tree does not know");
            continue;
        };
        for dependency in package.dependencies.iter().filter(|dependency| dependency.kind == DependencyKind::Normal) {
            let ours = dependency.name.starts_with("betwixt");
            assert!(
                !ours || allowed.contains(&dependency.name.as_str()),
                "{} leans on {}",
                package.name,
                dependency.name
            );
        }
    }
}

#[test]
fn core_is_pure() {
    let forbidden = [
        "std::fs",
        "std::net",
        "std::env",
        "std::process",
        "std::thread",
        "SystemTime",
        "Instant",
        "tokio",
        "getrandom",
    ];
    let mut files = Vec::new();
    rust_files(&root().join("src/core/src"), &mut files);
    for file in files.into_iter().filter(|file| !file.ends_with("tests.rs")) {
        let text = fs::read_to_string(&file).expect("a source file");
        for word in forbidden {
            assert!(!text.contains(word), "{} names {word}", file.display());
        }
    }
}

#[test]
fn the_screen_touches_neither_disk_nor_socket_nor_clock() {
    let forbidden = ["std::fs", "std::net", "std::env", "std::process", "SystemTime::", "Instant::", "tokio"];
    let mut files = Vec::new();
    rust_files(&root().join("src/tui/src"), &mut files);
    for file in files {
        let text = fs::read_to_string(&file).expect("a source file");
        for word in forbidden {
            assert!(!text.contains(word), "{} names {word}", file.display());
        }
    }
}

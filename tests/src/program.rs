//! The real binaries.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::SystemTime;

/// The path of one of the product's binaries: `betwixt` or `betwixt-relay`.
///
/// `cargo test --workspace` builds them before any test runs. Where this package is tested alone they may be missing or
/// old, and are built here.
///
/// # Panics
///
/// They do not build.
#[must_use]
pub fn path(name: &str) -> PathBuf {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| {
        // A test binary is target/PROFILE/deps/it-HASH.
        let test = std::env::current_exe().expect("a running program has a path");
        let folder = test.ancestors().nth(2).expect("tests run from target/PROFILE/deps").to_owned();
        let oldest = ["betwixt", "betwixt-relay"].iter().map(|name| changed(&folder.join(name))).min().flatten();
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let newest = ["src", "server"].iter().filter_map(|part| newest_source(&root.join(part))).max();
        if oldest < newest {
            build(&root, &folder);
        }
        folder
    });
    folder.join(name)
}

fn build(root: &Path, folder: &Path) {
    let mut build = Command::new(env!("CARGO"));
    build.args(["build", "--quiet", "-p", "betwixt", "-p", "betwixt-relay", "--bins"]);
    build.arg("--manifest-path").arg(root.join("Cargo.toml"));
    build.arg("--target-dir").arg(folder.parent().expect("target"));
    if folder.ends_with("release") {
        build.arg("--release");
    }
    let status = build.status().expect("cargo runs");
    assert!(status.success(), "the binaries do not build");
}

fn changed(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).and_then(|metadata| metadata.modified()).ok()
}

/// When a source of the product was changed last; its tests are none.
fn newest_source(folder: &Path) -> Option<SystemTime> {
    let entries = fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    let times = entries.filter_map(|path| {
        if path.is_dir() {
            return if path.ends_with("tests") { None } else { newest_source(&path) };
        }
        path.extension().is_some_and(|extension| extension == "rs").then(|| changed(&path)).flatten()
    });
    times.max()
}

//! Where the socket of a data folder is.

use std::ffi::OsString;
use std::fs::{DirBuilder, Permissions};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use betwixt_core::id::Hash;
use tokio::net::UnixListener;

/// Bytes of a socket's path: systems take 104 to 108.
const PATH_BYTES_MAX: usize = 100;

/// Why there is no socket.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SocketError {
    /// The folder's own path is not known.
    #[error("cannot find the folder {}", path.display())]
    Folder {
        /// Which one.
        path: PathBuf,
        /// What the operating system said.
        #[source]
        source: io::Error,
    },
    /// The folder for sockets belongs to somebody else, or is open to others.
    #[error("{} is not a folder of this user alone", path.display())]
    Shared {
        /// Which one.
        path: PathBuf,
    },
    /// It cannot be listened on.
    #[error("cannot listen on {}", path.display())]
    Listen {
        /// Where.
        path: PathBuf,
        /// What the operating system said.
        #[source]
        source: io::Error,
    },
}

/// Where the local relay of a data folder listens: in the folder, or, where that path is too long for a socket, in the
/// runtime folder of the user. The same for all who name the folder, however they spell it.
///
/// # Errors
///
/// The folder is not there, or the folder for sockets is not safe.
pub fn socket_path(data_dir: &Path) -> Result<PathBuf, SocketError> {
    let data_dir =
        data_dir.canonicalize().map_err(|source| SocketError::Folder { path: data_dir.to_owned(), source })?;
    let inside = data_dir.join("relay.sock");
    if inside.as_os_str().len() <= PATH_BYTES_MAX {
        return Ok(inside);
    }
    let runtime = std::env::var_os("XDG_RUNTIME_DIR").filter(|runtime| !runtime.is_empty());
    outside(&data_dir, runtime, rustix::process::geteuid().as_raw())
}

/// The socket outside a data folder: named by a hash of the folder's path.
fn outside(data_dir: &Path, runtime: Option<OsString>, user: u32) -> Result<PathBuf, SocketError> {
    let hash = Hash::of(&[b"betwixt socket", data_dir.as_os_str().as_bytes()]).to_string();
    let name = format!("betwixt-{}.sock", hash.get(..16).unwrap_or_default());
    if let Some(runtime) = runtime {
        let path = PathBuf::from(runtime).join(&name);
        if path.is_absolute() && path.as_os_str().len() <= PATH_BYTES_MAX {
            return Ok(path);
        }
    }
    let folder = PathBuf::from(format!("/tmp/betwixt-{user}"));
    make_private(&folder, user)?;
    Ok(folder.join(name))
}

/// Makes a folder for this user alone. Anybody may make folders in `/tmp`, also under this name.
fn make_private(folder: &Path, user: u32) -> Result<(), SocketError> {
    let made = DirBuilder::new().mode(0o700).create(folder);
    // Nothing for the group or others: the six lowest bits.
    let is_private = std::fs::symlink_metadata(folder)
        .is_ok_and(|found| found.is_dir() && found.uid() == user && found.mode().trailing_zeros() >= 6);
    match made {
        _ if is_private => Ok(()),
        Err(source) if source.kind() != io::ErrorKind::AlreadyExists => {
            Err(SocketError::Folder { path: folder.to_owned(), source })
        }
        _ => Err(SocketError::Shared { path: folder.to_owned() }),
    }
}

/// Listens on a socket, in place of one that an earlier holder of the lock left behind.
pub(super) fn listen(path: &Path) -> Result<UnixListener, SocketError> {
    let fault = |source| SocketError::Listen { path: path.to_owned(), source };
    match std::fs::remove_file(path) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => return Err(fault(source)),
        _ => {}
    }
    let listener = UnixListener::bind(path).map_err(fault)?;
    // The folder keeps others out; this also does where a system does not look at the folder's rights.
    std::fs::set_permissions(path, Permissions::from_mode(0o600)).map_err(fault)?;
    Ok(listener)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_socket_is_in_the_folder_where_its_path_is_short_enough() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        assert!(matches!(socket_path(&data), Err(SocketError::Folder { .. })));
        std::fs::create_dir(&data).unwrap();
        let expected = data.canonicalize().unwrap().join("relay.sock");
        assert_eq!(socket_path(&data).unwrap(), expected);
        assert_eq!(socket_path(&folder.path().join("data/../data")).unwrap(), expected);
    }

    #[test]
    fn a_long_path_has_its_socket_in_the_runtime_folder() {
        let one = outside(Path::new("/a/long/one"), Some("/run/user/7".into()), 7).unwrap();
        let other = outside(Path::new("/a/long/other"), Some("/run/user/7".into()), 7).unwrap();
        assert!(one.starts_with("/run/user/7") && one != other && one.as_os_str().len() <= PATH_BYTES_MAX);
    }

    #[test]
    fn a_folder_that_others_can_enter_is_not_used() {
        let folder = tempfile::tempdir().unwrap();
        let sockets = folder.path().join("betwixt-0");
        let user = rustix::process::geteuid().as_raw();
        make_private(&sockets, user).unwrap();
        make_private(&sockets, user).unwrap();
        assert!(matches!(make_private(&sockets, user + 1), Err(SocketError::Shared { .. })));
        std::fs::set_permissions(&sockets, Permissions::from_mode(0o755)).unwrap();
        assert!(matches!(make_private(&sockets, user), Err(SocketError::Shared { .. })));
    }
}

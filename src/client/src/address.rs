//! Where a relay is: in this data folder, or at a `ws://` address.

use core::fmt;
use core::str::FromStr;
use std::path::PathBuf;

/// Where a relay is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    /// The local relay of a data folder: the path of its socket.
    Local(PathBuf),
    /// A relay that listens on TCP.
    Tcp {
        /// Host name or address.
        host: String,
        /// Port.
        port: u16,
    },
}

/// Why a text is no relay's address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AddressError {
    /// Not a `ws://` address.
    #[error("a relay's address is ws://HOST:PORT, not {found:?}")]
    Scheme {
        /// What was given.
        found: String,
    },
    /// No port, or none that there is.
    #[error("no port in {found:?}: a relay's address is ws://HOST:PORT")]
    Port {
        /// What was given.
        found: String,
    },
}

impl Address {
    /// What tells this relay from others in the data folder's records.
    #[must_use]
    pub fn record(&self) -> String {
        match self {
            Self::Local(_) => "local".to_owned(),
            Self::Tcp { host, port } => format!("ws://{host}:{port}"),
        }
    }

    /// Whether it is the local relay of the folder.
    #[must_use]
    pub const fn is_local(&self) -> bool {
        matches!(self, Self::Local(_))
    }
}

impl FromStr for Address {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        let found = || text.to_owned();
        let rest = text.strip_prefix("ws://").ok_or_else(|| AddressError::Scheme { found: found() })?;
        let (host, port) =
            rest.trim_end_matches('/').rsplit_once(':').ok_or_else(|| AddressError::Port { found: found() })?;
        let port = port.parse().ok().filter(|port| *port != 0).ok_or_else(|| AddressError::Port { found: found() })?;
        let name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | ':' | '[' | ']');
        if host.is_empty() || !host.chars().all(name) {
            return Err(AddressError::Scheme { found: found() });
        }
        Ok(Self::Tcp { host: host.to_owned(), port })
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Local(_) => f.write_str("local relay"),
            Self::Tcp { host, port } => write!(f, "{host}:{port}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_ws_with_a_host_and_a_port_is_an_address() {
        let address: Address = "ws://127.0.0.1:7878/".parse().expect("an address");
        assert_eq!(address, Address::Tcp { host: "127.0.0.1".into(), port: 7878 });
        assert!("ws://[::1]:7878".parse::<Address>().is_ok());
        for bad in ["http://x:1", "ws://x", "ws://:1", "ws://x:0", "ws://x:70000", "ws://a b:1", "x:1", ""] {
            assert!(bad.parse::<Address>().is_err(), "{bad}");
        }
    }
}

//! The nodes that the application names, and what all nodes share.

use redis::{Client, ConnectionAddr, ConnectionInfo, IntoConnectionInfo, RedisResult};

use super::slots::NodeAddress;
use crate::redis::client::url_error;

/// The addresses by which a cluster is found, and the credentials of its nodes.
#[derive(Clone)]
pub(super) struct Seeds {
    first: ConnectionInfo,
    addresses: Vec<NodeAddress>,
}

impl Seeds {
    /// Reads the URLs.
    ///
    /// # Errors
    /// There is none, or one is not that of a node of this cluster.
    pub(super) fn new<U: AsRef<str>>(urls: impl IntoIterator<Item = U>) -> Result<Self, String> {
        let mut seeds: Option<Self> = None;
        for url in urls {
            let url = url.as_ref();
            // Opened too, since it needs TLS perhaps.
            let info = url.into_connection_info();
            let info = info
                .and_then(|info| Client::open(info.clone()).map(|_| info))
                .map_err(|error| url_error(url, &error))?;
            let address = match info.addr() {
                ConnectionAddr::Tcp(host, port) | ConnectionAddr::TcpTls { host, port, .. } => {
                    NodeAddress { host: host.clone(), port: *port }
                }
                _ => return Err("a cluster is not reached over a Unix socket; write `redis://host:6379`".to_owned()),
            };
            if info.redis_settings().db() != 0 {
                return Err("a cluster has database 0 alone; leave the path out of the URL".to_owned());
            }
            let seeds = seeds.get_or_insert_with(|| Self { first: info.clone(), addresses: Vec::new() });
            if shared(&seeds.first) != shared(&info) {
                return Err("the URLs of a cluster differ in user, password or TLS; write one for all nodes".to_owned());
            }
            seeds.addresses.push(address);
        }
        seeds.ok_or_else(|| "a cluster needs the URL of a node, or better of several".to_owned())
    }

    pub(super) fn addresses(&self) -> &[NodeAddress] {
        &self.addresses
    }

    /// Returns a client of a node.
    pub(super) fn client(&self, NodeAddress { host, port }: &NodeAddress) -> RedisResult<Client> {
        let address = match self.first.addr().clone() {
            ConnectionAddr::TcpTls { insecure, tls_params, .. } => {
                ConnectionAddr::TcpTls { host: host.clone(), port: *port, insecure, tls_params }
            }
            _ => ConnectionAddr::Tcp(host.clone(), *port),
        };
        Client::open(self.first.clone().set_addr(address))
    }
}

/// Returns what the nodes of a cluster share.
fn shared(info: &ConnectionInfo) -> (Option<&str>, Option<&str>, bool) {
    let settings = info.redis_settings();
    (settings.username(), settings.password(), matches!(info.addr(), ConnectionAddr::TcpTls { .. }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_that_are_not_those_of_one_cluster_are_errors() {
        for (urls, expected) in [
            (&["redis://a:1", "redis://b:2"][..], ""),
            (&["redis://user:secret@a:1", "redis://user:secret@b:2"], ""),
            (&[], "a cluster needs the URL of a node, or better of several"),
            (&["redis://a:1", "http://secret@b"], "; write it as `redis://user:password@host:6379/0`"),
            (&["redis://a:1/2"], "a cluster has database 0 alone; leave the path out of the URL"),
            (&["redis+unix:///tmp/a"], "a cluster is not reached over a Unix socket; write `redis://host:6379`"),
            (
                &["redis://:secret@a:1", "redis://:other@b:1"],
                "the URLs of a cluster differ in user, password or TLS; write one for all nodes",
            ),
        ] {
            let found = Seeds::new(urls).err().unwrap_or_default();
            assert!(found.ends_with(expected) && found.is_empty() == expected.is_empty(), "{urls:?}: {found}");
            assert!(!found.contains("secret"), "{found}");
        }
    }
}

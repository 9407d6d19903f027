//! Creates the client of a Redis Cluster.

use redis::cluster::{ClusterClient, ClusterClientBuilder};
use redis::{Client, ConnectionAddr, ConnectionInfo, IntoConnectionInfo};

use crate::redis::client::url_error;

/// The maximum number of times that a command is retried. Each redirection and each closed connection counts as a
/// retry.
const RETRIES: u32 = 3;

/// The minimum and maximum wait before a retry, in milliseconds. Redirections are retried without a wait.
const RETRY_WAIT: (u64, u64) = (5, 20);

/// Creates a client from the URLs of some nodes. Returns the client and the address of the first node.
///
/// # Errors
/// Fails if there is no URL, or if the URLs cannot belong to one cluster.
pub(super) fn cluster_client<U: AsRef<str>>(
    urls: impl IntoIterator<Item = U>,
) -> Result<(ClusterClient, ConnectionAddr), String> {
    let nodes: Vec<_> = urls.into_iter().map(|url| node(url.as_ref())).collect::<Result<_, _>>()?;
    let Some(first) = nodes.first() else {
        return Err("a cluster requires the URL of at least one node; several are better".to_owned());
    };
    if nodes.iter().any(|node| shared(node) != shared(first)) {
        return Err("the URLs of a cluster must have the same user, password and TLS setting".to_owned());
    }
    let address = first.addr().clone();
    let (shortest, longest) = RETRY_WAIT;
    let client = ClusterClientBuilder::new(nodes).retries(RETRIES).min_retry_wait(shortest).max_retry_wait(longest);
    Ok((client.build().map_err(|error| error.to_string())?, address))
}

/// Parses the URL of a cluster node.
fn node(url: &str) -> Result<ConnectionInfo, String> {
    // Opens a client to check the URL, because it may require TLS.
    let info = url.into_connection_info().and_then(|info| Client::open(info.clone()).map(|_| info));
    let info = info.map_err(|error| url_error(url, &error))?;
    if let ConnectionAddr::Unix(_) = info.addr() {
        return Err("a cluster does not support Unix sockets; write `redis://host:6379`".to_owned());
    }
    if info.redis_settings().db() != 0 {
        return Err("a cluster has only database 0; remove the path from the URL".to_owned());
    }
    Ok(info)
}

/// Returns the user, the password and the TLS setting, which must be equal for all nodes of a cluster.
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
            (&[], "a cluster requires the URL of at least one node; several are better"),
            (&["redis://a:1", "http://secret@b"], "; write it as `redis://user:password@host:6379/0`"),
            (&["redis://a:1/2"], "a cluster has only database 0; remove the path from the URL"),
            (&["redis+unix:///tmp/a"], "a cluster does not support Unix sockets; write `redis://host:6379`"),
            (
                &["redis://:secret@a:1", "redis://:other@b:1"],
                "the URLs of a cluster must have the same user, password and TLS setting",
            ),
        ] {
            let found = cluster_client(urls).err().unwrap_or_default();
            assert!(found.ends_with(expected) && found.is_empty() == expected.is_empty(), "{urls:?}: {found}");
            assert!(!found.contains("secret"), "{found}");
        }
    }
}

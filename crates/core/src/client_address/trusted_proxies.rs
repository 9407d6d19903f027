//! Defines the proxies that may report the client's address.

use std::net::IpAddr;
use std::sync::Arc;

use super::forwarded::{forwarded, x_forwarded_for};
use super::network::Network;
use crate::build_errors::BuildErrors;
use crate::http::{HeaderName, HttpRequest, header};

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// The proxies that may report the client's address. Set them with
/// [`Configuration::trusted_proxies`](crate::Configuration::trusted_proxies).
///
/// Without them, the client's address is the address of the socket, and headers are ignored. With them, the header of a
/// request from a trusted proxy is read from right to left. The first hop that is not a trusted proxy is the client. If
/// a hop is hidden or not an address, the client is the proxy that wrote it.
///
/// Only one header is read. Proxies pass on headers that they do not write, so an attacker could set the other header.
///
/// ```
/// use restwright_core::client_address::TrustedProxies;
///
/// let proxies = TrustedProxies::new(["10.0.0.0/8", "fd00::/8"]);
/// ```
#[derive(Debug, Clone)]
pub struct TrustedProxies(Arc<ProxyRules>);

#[derive(Debug, Default, Clone)]
struct ProxyRules {
    networks: Vec<Network>,
    errors: Vec<String>,
    unix_socket: bool,
    forwarded: bool,
    prefix: bool,
}

impl TrustedProxies {
    /// Trusts the proxies with these addresses or ranges, and reads `X-Forwarded-For`. Building the Api fails if a
    /// string is neither an address nor a range.
    #[must_use]
    pub fn new<N: AsRef<str>>(networks: impl IntoIterator<Item = N>) -> Self {
        let mut rules = ProxyRules::default();
        for text in networks {
            match text.as_ref().parse() {
                Ok(network) => rules.networks.push(network),
                Err(error) => rules.errors.push(format!("a trusted proxy: {error}")),
            }
        }
        Self(Arc::new(rules))
    }

    /// Reads `Forwarded` (RFC 7239) instead of `X-Forwarded-For`.
    #[must_use]
    pub fn forwarded(mut self) -> Self {
        Arc::make_mut(&mut self.0).forwarded = true;
        self
    }

    /// Reads `X-Forwarded-Prefix`, the prefix that the proxy removed from the path of the request. It is put in front of
    /// `Location` and `Content-Location` if they start with `/`, in place of a path that
    /// [`Configuration::server`](crate::Configuration::server) declares.
    ///
    /// The proxy must set or remove the header in each request. A value that is not a path is ignored. It may contain
    /// up to 256 bytes, and several values form one path.
    #[must_use]
    pub fn forwarded_prefix(mut self) -> Self {
        Arc::make_mut(&mut self.0).prefix = true;
        self
    }

    pub(crate) fn reads_prefix(&self) -> bool {
        self.0.prefix
    }

    /// Trusts every peer that connects through a Unix socket.
    #[must_use]
    pub fn unix_socket(mut self) -> Self {
        Arc::make_mut(&mut self.0).unix_socket = true;
        self
    }

    /// Returns an error for each string that is neither an address nor a range.
    pub(super) fn check(&self) -> Result<(), BuildErrors> {
        let mut errors = BuildErrors::new();
        self.0.errors.iter().for_each(|error| errors.push(error));
        errors.finish(Some(()))
    }

    /// Returns `true` if the socket address of a request belongs to a trusted proxy.
    #[must_use]
    pub fn trusts_peer(&self, request: &HttpRequest) -> bool {
        let socket = request.peer().map(|peer| peer.ip().to_canonical());
        socket.map_or(self.0.unix_socket, |address| self.trusts(address))
    }

    /// Returns the address of the client. If the peer is a trusted proxy, reads the address from the header that
    /// proxies set. Otherwise returns the socket address.
    pub(super) fn client(&self, request: &HttpRequest) -> Option<IpAddr> {
        let socket = request.peer().map(|peer| peer.ip().to_canonical());
        if !self.trusts_peer(request) {
            return socket;
        }
        let name = if self.0.forwarded { header::FORWARDED } else { X_FORWARDED_FOR };
        let mut chain = HopChain::default();
        // A header that occurs several times is one list (RFC 9110, section 5.3).
        request.each_header(&mut |candidate, value| {
            if candidate == name.as_str() {
                let line =
                    if self.0.forwarded { self.follow(forwarded(value)) } else { self.follow(x_forwarded_for(value)) };
                chain = line.extended_by(chain);
            }
        });
        chain.furthest.or(socket)
    }

    /// Reads the hops of one header line from right to left, and stops at the first hop that is not a trusted proxy.
    fn follow(&self, hops: impl Iterator<Item = Option<IpAddr>>) -> HopChain {
        let mut chain = HopChain::default();
        for hop in hops {
            chain.furthest = hop.or(chain.furthest);
            if !hop.is_some_and(|address| self.trusts(address)) {
                chain.ends = true;
                break;
            }
        }
        chain
    }

    /// Returns `true` if an address belongs to a trusted proxy.
    #[must_use]
    pub fn trusts(&self, address: IpAddr) -> bool {
        self.0.networks.iter().any(|network| network.contains(address))
    }
}

/// The result of following the proxy hops of a request from the service back to the client.
#[derive(Clone, Copy, Default)]
struct HopChain {
    /// The address that was read last. It is the farthest address from the service.
    furthest: Option<IpAddr>,
    /// `true` if the hop that was read last is not a trusted proxy. Further hops are then ignored.
    ends: bool,
}

impl HopChain {
    /// Appends the hops of the preceding header line, unless this chain already ends at an untrusted hop.
    fn extended_by(self, preceding: Self) -> Self {
        if self.ends { self } else { Self { furthest: preceding.furthest.or(self.furthest), ends: preceding.ends } }
    }
}

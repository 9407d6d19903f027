//! The proxies whose word is taken for the client's address.

use std::net::IpAddr;
use std::sync::Arc;

use restwright_core::http::{HeaderName, HttpRequest, header};
use restwright_core::{BuildErrors, Configuration};

use super::forwarded::{forwarded, x_forwarded_for};
use super::network::Network;

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// The proxies in front of the service, a setting of the [`Configuration`].
///
/// Without it the client's address is that of the socket, and whatever a client writes into headers counts for nothing. With
/// it, a request from one of these proxies is read from the right: the first hop that is no such proxy is the client. A hop that
/// is hidden or no address ends the reading at the proxy that wrote it down.
///
/// One header is read, since proxies pass on those that they do not write: an attacker would fill in the other.
/// ```
/// use restwright_core::Configuration;
/// use restwright_list::address::TrustedProxies;
///
/// let configuration = Configuration::new("shop", "1.0.0").with(TrustedProxies::new(["10.0.0.0/8", "fd00::/8"]));
/// ```
#[derive(Debug, Clone)]
pub struct TrustedProxies(Arc<Inner>);

#[derive(Debug, Clone)]
struct Inner {
    networks: Vec<Network>,
    mistakes: Vec<String>,
    unix_socket: bool,
    forwarded: bool,
}

impl TrustedProxies {
    /// Proxies that write `X-Forwarded-For`, by their addresses or ranges of addresses. Text that is neither is an error when
    /// the Api is built.
    #[must_use]
    pub fn new<N: AsRef<str>>(networks: impl IntoIterator<Item = N>) -> Self {
        let mut inner = Inner { networks: Vec::new(), mistakes: Vec::new(), unix_socket: false, forwarded: false };
        for text in networks {
            match text.as_ref().parse() {
                Ok(network) => inner.networks.push(network),
                Err(error) => inner.mistakes.push(format!("a trusted proxy: {error}")),
            }
        }
        Self(Arc::new(inner))
    }

    /// Says that the proxies write `Forwarded` (RFC 7239), and that `X-Forwarded-For` is not read.
    #[must_use]
    pub fn forwarded(mut self) -> Self {
        Arc::make_mut(&mut self.0).forwarded = true;
        self
    }

    /// Trusts whoever calls through a Unix socket.
    #[must_use]
    pub fn unix_socket(mut self) -> Self {
        Arc::make_mut(&mut self.0).unix_socket = true;
        self
    }

    /// The setting, with its mistakes told.
    pub(crate) fn of(configuration: &Configuration) -> Result<Option<Self>, BuildErrors> {
        let Some(proxies) = configuration.get::<Self>() else { return Ok(None) };
        let mut errors = BuildErrors::new();
        proxies.0.mistakes.iter().for_each(|mistake| errors.push(mistake));
        errors.finish(Some(Some(proxies.clone())))
    }

    /// The client behind the proxies; the socket's address when that is no trusted proxy's.
    pub(crate) fn client(&self, request: &HttpRequest) -> Option<IpAddr> {
        let socket = request.peer().map(|peer| peer.ip().to_canonical());
        if !socket.map_or(self.0.unix_socket, |address| self.trusts(address)) {
            return socket;
        }
        let name = if self.0.forwarded { header::FORWARDED } else { X_FORWARDED_FOR };
        let mut way = Way::default();
        // A header that is given several times is one list (RFC 9110, section 5.3).
        request.each_header(&mut |candidate, value| {
            if candidate == name.as_str() {
                way = if self.0.forwarded { self.way(forwarded(value)) } else { self.way(x_forwarded_for(value)) }
                    .after(way);
            }
        });
        way.furthest.or(socket)
    }

    /// Follows the hops of one line, the last first.
    fn way(&self, hops: impl Iterator<Item = Option<IpAddr>>) -> Way {
        let mut way = Way::default();
        for hop in hops {
            way.furthest = hop.or(way.furthest);
            if !hop.is_some_and(|address| self.trusts(address)) {
                way.ends = true;
                break;
            }
        }
        way
    }

    fn trusts(&self, address: IpAddr) -> bool {
        self.0.networks.iter().any(|network| network.contains(address))
    }
}

/// How far hops lead from the service towards the client.
#[derive(Clone, Copy, Default)]
struct Way {
    /// The last address on it.
    furthest: Option<IpAddr>,
    /// Whether nothing beyond is believed.
    ends: bool,
}

impl Way {
    /// This way, and beyond it that of the line before.
    fn after(self, before: Self) -> Self {
        if self.ends { self } else { Self { furthest: before.furthest.or(self.furthest), ends: before.ends } }
    }
}

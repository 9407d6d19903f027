//! Defines [`ClientAddress`], the IP address of the client, as reported by the socket or by trusted proxies.

mod forwarded;
mod network;
mod trusted_proxies;

use std::net::IpAddr;

use crate::build_context::BuildContext;
use crate::build_errors::BuildErrors;
use crate::configuration::Configuration;
use crate::http::HttpRequest;
use crate::operation::Operation;
use crate::part::{Part, RequestHead};
use crate::problem::RequestViolations;

pub use network::{Network, NetworkParseError};
pub use trusted_proxies::TrustedProxies;

pub(crate) use network::network_of;

/// The IP address of the client, as reported by the socket or by [trusted proxies](TrustedProxies).
///
/// It is `None` on a Unix socket without trusted proxies. An IPv4-mapped IPv6 address is converted to IPv4. A field of
/// this type in a request adds nothing to the OpenAPI document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClientAddress(pub Option<IpAddr>);

impl ClientAddress {
    /// Returns the address of the client that sent the request.
    #[must_use]
    pub fn from_request(request: &HttpRequest, proxies: Option<&TrustedProxies>) -> Self {
        match proxies {
            Some(proxies) => Self(proxies.client(request)),
            None => Self(request.peer().map(|peer| peer.ip().to_canonical())),
        }
    }
}

impl Part for ClientAddress {
    type Plan = Option<TrustedProxies>;

    fn plan(context: &mut BuildContext<'_>) -> Result<Self::Plan, BuildErrors> {
        Ok(context.configuration().get::<TrustedProxies>().cloned())
    }

    fn describe(_: &Self::Plan, _: &mut Operation) {}

    fn read(plan: &Self::Plan, head: &RequestHead<'_>, _: &mut RequestViolations) -> Option<Self> {
        Some(Self::from_request(head.request(), plan.as_ref()))
    }
}

impl Configuration {
    /// Sets the proxies that may report the client's address. By default, no proxy is trusted.
    ///
    /// ```
    /// use restwright_core::Configuration;
    /// use restwright_core::client_address::TrustedProxies;
    ///
    /// let proxies = TrustedProxies::new(["10.0.0.0/8", "fd00::/8"]);
    /// let configuration = Configuration::new("shop", "1.0.0").trusted_proxies(proxies);
    /// ```
    #[must_use]
    pub fn trusted_proxies(self, proxies: TrustedProxies) -> Self {
        self.with(proxies)
    }
}

/// Returns an error for each trusted proxy that is not a valid address.
pub fn check(configuration: &Configuration) -> Result<(), BuildErrors> {
    configuration.get::<TrustedProxies>().map_or(Ok(()), TrustedProxies::check)
}

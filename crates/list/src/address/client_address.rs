//! The client's address as a part of a request.

use std::net::IpAddr;

use restwright_core::http::HttpRequest;
use restwright_core::operation::Operation;
use restwright_core::problem::RequestViolations;
use restwright_core::{BuildContext, BuildErrors, Part, RequestHead};

use super::TrustedProxies;

/// Where a request comes from: the address of the socket, or what [`TrustedProxies`] say.
///
/// As a part of a request it is read for the controller; nothing about it stands in the document. It is `None` on a Unix
/// socket whose peer says nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClientAddress(pub Option<IpAddr>);

impl ClientAddress {
    /// The address from which a request comes. An IPv4 address that is mapped into IPv6 is the IPv4 address.
    #[must_use]
    pub fn of(request: &HttpRequest, proxies: Option<&TrustedProxies>) -> Self {
        match proxies {
            Some(proxies) => Self(proxies.client(request)),
            None => Self(request.peer().map(|peer| peer.ip().to_canonical())),
        }
    }
}

impl Part for ClientAddress {
    type Plan = Option<TrustedProxies>;

    fn plan(planner: &mut BuildContext<'_>) -> Result<Self::Plan, BuildErrors> {
        TrustedProxies::of(planner.configuration())
    }

    fn describe(_: &Self::Plan, _: &mut Operation) {}

    fn read(plan: &Self::Plan, head: &RequestHead<'_>, _: &mut RequestViolations) -> Option<Self> {
        Some(Self::of(head.request(), plan.as_ref()))
    }
}

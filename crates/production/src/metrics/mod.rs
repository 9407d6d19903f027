//! Metrics in the formats of OpenMetrics and Prometheus.

mod connection;
mod counting;
mod endpoint;
mod exposition;
mod histogram;
mod listener;
mod recorder;
mod series;

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

use restwright_runtime::core::Route;
use restwright_runtime::core::auth::Access;
use restwright_runtime::{ApiBuilder, Module};

use crate::unwatched::Unwatched;
use endpoint::{Endpoint, Scrape};
use listener::Listener;
use recorder::Recorder;

pub(crate) use counting::Counting;

/// The module of the metrics: it counts requests, and serves the counts with those of the components at `/metrics`, in OpenMetrics 1.0 for
/// clients that accept it and in Prometheus' text format 0.0.4 for others.
///
/// Say where they are read: at an address of their own with [`listener`](Self::listener) or [`listener_at`](Self::listener_at), or by a route
/// of the Api with [`public`](Self::public), [`authorize`](Self::authorize) or [`access`](Self::access). The last call holds. Building the
/// Api fails without one.
///
/// | metric | type | labels |
/// |---|---|---|
/// | `http_server_request_duration_seconds` | histogram, whose `_count` is the number of requests | method, route, status |
/// | `http_server_request_body_size_bytes`, `http_server_response_body_size_bytes` | histograms | method, route |
/// | `http_server_active_requests` | gauge | method |
/// | `component_ready` | gauge, 1 or 0, of each component and of `server` | component |
/// | `server_connections`, `server_connections_max`, `server_workers` | gauges | component |
/// | `server_refused_requests_total` | counter, of requests that found their worker [full](restwright_runtime::core::Configuration::max_concurrent) | component |
/// | what components [report](restwright_runtime::core::Component::report) | gauges and counters | component, and one of their own |
///
/// The names are those of OpenTelemetry's semantic conventions where it has one; the labels of a request are `http_request_method`, `http_route`
/// and `http_response_status_code`. Nothing that a client chooses is a label: a route is its template and is absent where none serves the request,
/// and a method that is not of RFC 9110 or RFC 5789 is `_OTHER`. A request that is given up before its response has no status. A
/// streamed response counts when it ends. Health checks and the metrics themselves are not counted, and neither are heads that are no HTTP.
///
/// Register it first, so that it counts what the client sees.
///
/// ```
/// use restwright_production::Metrics;
/// use restwright_runtime::Api;
/// use restwright_runtime::core::Configuration;
///
/// let api = Api::builder(Configuration::new("shop", "1.0.0")).module(&Metrics::new().listener()).build()?;
/// # Ok::<(), restwright_runtime::core::BuildErrors>(())
/// ```
#[derive(Debug, Clone, Default)]
#[must_use = "it does nothing until it is registered with `.module(..)`"]
pub struct Metrics {
    place: Option<Place>,
}

/// A place where the metrics are read.
#[derive(Debug, Clone)]
enum Place {
    Listener(SocketAddr),
    /// This text is no address.
    NoAddress(String),
    Route(Access),
}

/// The port that OpenTelemetry names for metrics in Prometheus' format.
const PORT: u16 = 9464;

impl Metrics {
    /// Creates the module, which is nowhere to be read yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Serves the metrics at `127.0.0.1:9464`, to whoever can connect there: processes of the same machine.
    pub fn listener(self) -> Self {
        self.place(Place::Listener(SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), PORT)))
    }

    /// Serves the metrics at an IP address with a port, such as `0.0.0.0:9464`, to whoever can connect there.
    ///
    /// The host binds it when it starts, and fails to start if it cannot. A connection has one request; there are 32 at a time, of which a new one
    /// takes the place of the oldest. A head may have 8 KiB and take 5 seconds, and reading the response 10 seconds.
    pub fn listener_at(self, address: impl Into<String>) -> Self {
        let address = address.into();
        self.place(address.parse().map_or_else(|_| Place::NoAddress(address), Place::Listener))
    }

    /// Serves the metrics at `/metrics` of the Api to anybody.
    pub fn public(self) -> Self {
        self.access(Access::public())
    }

    /// Serves the metrics at `/metrics` of the Api to callers who authenticate by `scheme` and hold each of `scopes`.
    pub fn authorize<S: Into<String>>(self, scheme: impl Into<String>, scopes: impl IntoIterator<Item = S>) -> Self {
        self.access(Access::authenticated(scheme).all_scopes(scopes))
    }

    /// Serves the metrics at `/metrics` of the Api to callers that `access` admits.
    pub fn access(self, access: impl Into<Access>) -> Self {
        self.place(Place::Route(access.into()))
    }

    fn place(mut self, place: Place) -> Self {
        self.place = Some(place);
        self
    }

    /// Returns what is wrong with the declaration.
    fn mistake(&self) -> Option<String> {
        match &self.place {
            None => Some(
                "`Metrics` does not say where they are read; add `.listener()` for an address of their own on this machine, `.listener_at(\"..\")` for \
                 another one, or for a route `.authorize(\"scheme\", [\"scope\"])` or `.public()`"
                    .to_owned(),
            ),
            Some(Place::NoAddress(address)) => Some(format!(
                "{address:?} is no address for the metrics; give `Metrics::listener_at` an IP address with a port, such as `127.0.0.1:{PORT}`"
            )),
            Some(Place::Listener(_) | Place::Route(_)) => None,
        }
    }
}

impl Module for Metrics {
    fn register(&self, api: ApiBuilder) -> ApiBuilder {
        let (api, counting) = self.register_place(api);
        api.middleware(counting)
    }
}

impl Metrics {
    /// Registers where the metrics are read, and returns the middleware that counts.
    pub(crate) fn register_place(&self, api: ApiBuilder) -> (ApiBuilder, Counting) {
        let recorder = Arc::new(Recorder::new());
        let scrape = Scrape::new(recorder.clone());
        let built = scrape.clone();
        let api = match &self.place {
            Some(Place::Listener(address)) => api.component(Listener::new(*address, scrape)),
            Some(Place::Route(access)) => {
                let route = Route::get("/metrics").id("metrics").summary("Metrics").tag("Metrics").with(Unwatched);
                api.controller(Endpoint { route: route.access(access.clone()), scrape })
            }
            None | Some(Place::NoAddress(_)) => api,
        };
        let api = api.when_built(move |api| built.begin(api.readiness()));
        (api, Counting { recorder, mistake: self.mistake() })
    }
}

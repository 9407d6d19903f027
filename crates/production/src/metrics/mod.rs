//! Serves metrics in the OpenMetrics and Prometheus formats.

mod connection;
mod counting;
mod endpoint;
mod exposition;
mod histogram;
mod listener;
mod problems;
#[cfg(target_os = "linux")]
mod process;
mod recorder;
mod series;

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

use restwright_runtime::core::auth::Access;
use restwright_runtime::core::operation::TagObject;
use restwright_runtime::core::runtime::Unwatched;
use restwright_runtime::core::{Route, Settings, SetupError};
use restwright_runtime::{ApiBuilder, Module};

use crate::registered_late::warn_if_late;

use endpoint::{MetricsEndpoint, Scrape};
use listener::MetricsListener;
use recorder::Recorder;

pub(crate) use counting::Counting;

/// A module that serves metrics of requests and components at `/metrics`. The format is OpenMetrics 1.0 for clients
/// that accept it, and the Prometheus text format 0.0.4 for all others.
///
/// Choose where to serve the metrics, or building the Api fails. [`listener`](Self::listener) and
/// [`listener_at`](Self::listener_at) open a separate address. [`public`](Self::public), [`authorize`](Self::authorize)
/// and [`access`](Self::access) add a route to the Api. The last call wins.
///
/// Register it before the middlewares of the Api, apart from `Tracing` and `RequestLog`. Otherwise building the Api logs a
/// warning, because the responses of earlier middlewares are not counted.
///
/// | metric | type | labels |
/// |---|---|---|
/// | `http_server_request_duration_seconds` | histogram, whose `_count` is the number of requests | method, route, status |
/// | `http_server_request_body_size_bytes`, `http_server_response_body_size_bytes` | histograms | method, route |
/// | `http_server_active_requests` | gauge | method |
/// | `problems_total` | counter of problem responses | code, reason |
/// | `target_info`, `build_info` | 1 | name, version and instance of the service; version and framework version |
/// | `process_*` | values of the process on Linux, by the names of Prometheus clients | |
/// | `component_ready` | gauge, 1 or 0, of each component and of `server` | component |
/// | `server_connections`, `server_connections_max`, `server_workers` | gauges | component |
/// | `server_refused_requests_total` | counter of requests that found their worker [full](restwright_runtime::core::Configuration::max_concurrent) | component |
/// | the values that components [report](restwright_runtime::core::Component::report) | gauges and counters | component, and one further label |
///
/// The names follow OpenTelemetry's semantic conventions. The labels of a request are `http_request_method`,
/// `http_route` and `http_response_status_code`. Clients cannot create labels. A route is its path template, and is
/// absent if no route serves the request. A method outside RFC 9110 and RFC 5789 is `_OTHER`.
///
/// A request that is cancelled before its response has no status. A streamed response counts when it ends. Health
/// checks, the metrics themselves and invalid HTTP requests are not counted.
///
/// Register the module first, so it counts what clients see.
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
#[must_use = "it has no effect until it is registered with `.module(..)`"]
pub struct Metrics {
    place: Option<MetricsPlace>,
}

/// The listener or route that serves the metrics.
#[derive(Debug, Clone)]
enum MetricsPlace {
    Listener(SocketAddr),
    /// A listener address that is not a valid IP address and port.
    NoAddress(String),
    Route(Access),
}

/// The port that OpenTelemetry specifies for Prometheus metrics.
const PORT: u16 = 9464;

impl Metrics {
    /// Creates the module, which does not serve the metrics yet. Call another method to choose where to serve them.
    pub fn new() -> Self {
        Self::default()
    }

    /// Serves the metrics at the address in `METRICS_LISTEN`, such as `0.0.0.0:9464`. The name has the prefix of the
    /// settings. The default is `127.0.0.1:9464`.
    ///
    /// # Errors
    /// Fails if the value is not an IP address with a port.
    pub fn from_settings(settings: &Settings) -> Result<Self, SetupError> {
        let address = settings.optional::<String>("METRICS_LISTEN")?;
        let Some(address) = address else { return Ok(Self::new().listener()) };
        match address.parse() {
            Ok(address) => Ok(Self::new().place(MetricsPlace::Listener(address))),
            Err(_) => {
                Err(settings.invalid("METRICS_LISTEN", "must be an IP address with a port, such as `0.0.0.0:9464`"))
            }
        }
    }

    /// Serves the metrics at `http://127.0.0.1:9464/metrics`. Every process on this machine can read them.
    pub fn listener(self) -> Self {
        self.place(MetricsPlace::Listener(SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), PORT)))
    }

    /// Serves the metrics at `/metrics` on an IP address and port such as `0.0.0.0:9464`. Everyone who can connect can
    /// read them.
    ///
    /// The host binds the address on start, and fails to start if it cannot. A connection serves one request. There are
    /// at most 32 connections; a new one replaces the oldest. A request head may have 8 KiB. The client must send it
    /// within 5 seconds, and read the response within 10 seconds.
    pub fn listener_at(self, address: impl Into<String>) -> Self {
        let address = address.into();
        self.place(address.parse().map_or_else(|_| MetricsPlace::NoAddress(address), MetricsPlace::Listener))
    }

    /// Serves the metrics at `/metrics` of the Api, without authentication.
    pub fn public(self) -> Self {
        self.access(Access::public())
    }

    /// Serves the metrics at `/metrics` of the Api, to callers who authenticate with `scheme` and have all `scopes`.
    pub fn authorize<S: Into<String>>(self, scheme: impl Into<String>, scopes: impl IntoIterator<Item = S>) -> Self {
        self.access(Access::authenticated(scheme).all_scopes(scopes))
    }

    /// Serves the metrics at `/metrics` of the Api, to callers that `access` allows.
    pub fn access(self, access: impl Into<Access>) -> Self {
        self.place(MetricsPlace::Route(access.into()))
    }

    fn place(mut self, place: MetricsPlace) -> Self {
        self.place = Some(place);
        self
    }

    /// Returns the error message for invalid settings, or `None` if the settings are valid.
    fn mistake(&self) -> Option<String> {
        match &self.place {
            None => Some(
                "`Metrics` has neither a listener nor a route; add `.listener()` for a separate port on this machine, `.listener_at(\"..\")` for another address, or, for a route, `.authorize(\"scheme\", [\"scope\"])` or `.public()`"
                    .to_owned(),
            ),
            Some(MetricsPlace::NoAddress(address)) => Some(format!(
                "{address:?} is not an address for the metrics; pass `Metrics::listener_at` an IP address with a port, such as `127.0.0.1:{PORT}`"
            )),
            Some(MetricsPlace::Listener(_) | MetricsPlace::Route(_)) => None,
        }
    }
}

impl Module for Metrics {
    fn register(&self, api: ApiBuilder) -> ApiBuilder {
        let api = warn_if_late(api, "Metrics", &["Tracing", "RequestLog"]);
        let (api, counting) = self.register_place(api);
        api.middleware(counting)
    }
}

impl Metrics {
    /// Registers the listener or route that serves the metrics, and returns the middleware that counts requests.
    pub(crate) fn register_place(&self, api: ApiBuilder) -> (ApiBuilder, Counting) {
        let recorder = Arc::new(Recorder::new());
        let scrape = Scrape::new(recorder.clone());
        let built = scrape.clone();
        let api = match &self.place {
            Some(MetricsPlace::Listener(address)) => api.component(MetricsListener::new(*address, scrape)),
            Some(MetricsPlace::Route(access)) => {
                let route = Route::get("/metrics")
                    .id("metrics")
                    .summary("Metrics")
                    .description("Returns the metrics of the service in the format of Prometheus.")
                    .tag(TagObject::new("Metrics").description("Metrics for Prometheus."))
                    .with(Unwatched);
                api.controller(MetricsEndpoint { route: route.access(access.clone()), scrape })
            }
            None | Some(MetricsPlace::NoAddress(_)) => api,
        };
        let api = api.when_built(move |api| built.begin(api));
        (api, Counting { recorder, mistake: self.mistake() })
    }
}

//! Defines the request metrics of one route and method.

use std::sync::{Arc, OnceLock};

use http::{Method, StatusCode};
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;

use super::histogram::{durations, sizes};

/// The values of the metric label for the HTTP method (RFC 9110, section 9.3, RFC 5789 and RFC 10008). Clients can invent other
/// methods, so all others are `_OTHER`.
pub(super) const METHODS: [&str; 11] =
    ["GET", "POST", "PUT", "PATCH", "DELETE", "QUERY", "HEAD", "OPTIONS", "TRACE", "CONNECT", "_OTHER"];

/// Returns the index of a method in [`METHODS`].
pub(super) fn method_label(method: &Method) -> usize {
    METHODS.iter().position(|known| method.as_str() == *known).unwrap_or(METHODS.len() - 1)
}

/// The number of requests in progress per method.
pub(super) type Active = [Gauge; METHODS.len()];

/// The request metrics of one route and method. Without a route, they count the requests that no route serves.
#[derive(Debug)]
pub(super) struct Series {
    /// The path template of the route, or `None` for requests that no route serves.
    pub(super) route: Option<Arc<str>>,
    method: usize,
    active: Arc<Active>,
    /// The histograms of body sizes. They are created by the first request, because metrics without requests are not
    /// written.
    sizes: OnceLock<Sizes>,
    statuses: Statuses,
}

/// The histograms of request and response body sizes.
#[derive(Debug)]
pub(super) struct Sizes {
    pub(super) requests: Histogram,
    pub(super) responses: Histogram,
}

/// A linked list of response statuses, each with a histogram of durations.
///
/// A status is added when it first occurs, so later requests find its histogram without a lock. At most 900 statuses
/// exist.
#[derive(Debug, Default)]
struct Statuses(OnceLock<Box<StatusSeries>>);

#[derive(Debug)]
struct StatusSeries {
    /// The response status, or `None` for requests that were cancelled before their response.
    status: Option<StatusCode>,
    durations: Histogram,
    others: Statuses,
}

impl Series {
    pub(super) fn new(route: Option<Arc<str>>, method: usize, active: Arc<Active>) -> Self {
        Self { route, method, active, sizes: OnceLock::new(), statuses: Statuses::default() }
    }

    pub(super) fn method(&self) -> &'static str {
        METHODS.get(self.method).copied().unwrap_or_default()
    }

    /// Returns the gauge that counts the requests in progress with this method.
    pub(super) fn active(&self) -> Option<&Gauge> {
        self.active.get(self.method)
    }

    /// Returns the histograms of body sizes. Creates them at the first request.
    pub(super) fn sizes(&self) -> &Sizes {
        self.sizes.get_or_init(|| Sizes { requests: sizes(), responses: sizes() })
    }

    /// Returns the histograms of body sizes, or `None` before the first request.
    pub(super) fn known_sizes(&self) -> Option<&Sizes> {
        self.sizes.get()
    }

    /// Returns the histogram of durations for a response status. Creates it if the status is new.
    pub(super) fn durations(&self, status: Option<StatusCode>) -> &Histogram {
        let mut statuses = &self.statuses;
        loop {
            let series = statuses
                .0
                .get_or_init(|| Box::new(StatusSeries { status, durations: durations(), others: Statuses::default() }));
            if series.status == status {
                return &series.durations;
            }
            statuses = &series.others;
        }
    }

    /// Returns the histogram of durations for each status that has occurred.
    pub(super) fn statuses(&self) -> impl Iterator<Item = (Option<StatusCode>, &Histogram)> {
        let mut statuses = &self.statuses;
        std::iter::from_fn(move || {
            let series = statuses.0.get()?;
            statuses = &series.others;
            Some((series.status, &series.durations))
        })
    }
}

#[cfg(test)]
mod tests {
    use prometheus_client::registry::Registry;

    use super::*;

    #[test]
    fn each_status_is_counted_by_itself() {
        let series = Series::new(None, 0, Arc::default());
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for number in 0..9_000_u16 {
                        series.durations(StatusCode::from_u16(100 + number % 900).ok()).observe(1.0);
                    }
                });
            }
        });
        let statuses: Vec<_> = series.statuses().collect();
        assert_eq!(statuses.len(), 900);
        for (status, durations) in statuses {
            assert!(status.is_some());
            let (mut registry, mut text) = (Registry::default(), String::new());
            registry.register("durations", "Durations.", durations.clone());
            prometheus_client::encoding::text::encode(&mut text, &registry).unwrap();
            assert!(text.contains("\ndurations_count 40\n"), "{text}");
        }
    }

    #[test]
    fn a_method_that_a_client_makes_up_has_no_label() {
        for (method, expected) in
            [("GET", "GET"), ("CONNECT", "CONNECT"), ("QUERY", "QUERY"), ("get", "_OTHER"), ("BREW", "_OTHER")]
        {
            let label = method_label(&Method::from_bytes(method.as_bytes()).unwrap());
            assert_eq!(Series::new(None, label, Arc::default()).method(), expected);
        }
    }
}

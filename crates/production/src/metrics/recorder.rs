//! Records the requests of an Api for the metrics.

use std::array;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use http::Method;

use super::problems::Problems;
use super::series::{Active, METHODS, Series, method_label};

/// The request metrics of an Api, for each route and for requests that no route serves.
#[derive(Debug)]
pub(super) struct Recorder {
    /// The request metrics by path template and method.
    routes: Mutex<SeriesByRoute>,
    unmatched: [Arc<Series>; METHODS.len()],
    active: Arc<Active>,
    pub(super) problems: Problems,
}

type SeriesByRoute = BTreeMap<(Arc<str>, usize), Arc<Series>>;

/// The request metrics of one route, for its own method and for `HEAD`. `None` if the route is not counted.
#[derive(Debug, Default)]
pub(super) struct RouteSeries(Option<(Arc<Series>, Arc<Series>)>);

impl Recorder {
    pub(super) fn new() -> Self {
        let active = Arc::<Active>::default();
        let unmatched = array::from_fn(|method| Arc::new(Series::new(None, method, active.clone())));
        Self { routes: Mutex::default(), unmatched, active, problems: Problems::default() }
    }

    /// Returns the request metrics of one route, for its own method and for `HEAD`. A `GET` route also serves `HEAD`.
    pub(super) fn route_series(&self, template: &str, method: &Method) -> RouteSeries {
        RouteSeries(Some((self.series(template, method), self.series(template, &Method::HEAD))))
    }

    /// Returns the request metrics of a path template and method.
    pub(super) fn series(&self, template: &str, method: &Method) -> Arc<Series> {
        let (template, method) = (Arc::<str>::from(template), method_label(method));
        let mut routes = self.routes.lock().unwrap_or_else(PoisonError::into_inner);
        let known = routes.entry((template.clone(), method));
        known.or_insert_with(|| Arc::new(Series::new(Some(template), method, self.active.clone()))).clone()
    }

    /// Returns the metrics of unrouted requests with this method.
    pub(super) fn unmatched(&self, method: &Method) -> &Arc<Series> {
        let [.., other] = &self.unmatched;
        self.unmatched.get(method_label(method)).unwrap_or(other)
    }

    /// Returns all request metrics, sorted by path template.
    pub(super) fn all(&self) -> Vec<Arc<Series>> {
        let routes = self.routes.lock().unwrap_or_else(PoisonError::into_inner);
        routes.values().chain(&self.unmatched).cloned().collect()
    }

    pub(super) fn active(&self) -> &Active {
        &self.active
    }
}

impl RouteSeries {
    /// Returns the request metrics for this method, or `None` if the route is not counted.
    pub(super) fn of_method(&self, method: &Method) -> Option<&Arc<Series>> {
        let (own, head) = self.0.as_ref()?;
        Some(if *method == Method::HEAD { head } else { own })
    }
}

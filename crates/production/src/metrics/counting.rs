//! Defines the middleware that counts requests for the metrics.

use std::sync::Arc;
use std::time::Instant;

use http::StatusCode;
use restwright_runtime::core::http::{HttpRequest, HttpResponse, ReceivedBytes};
use restwright_runtime::core::runtime::Unwatched;
use restwright_runtime::core::{BuildContext, BuildError, BuildErrorKind, BuildErrors, Middleware, Next, Result};

use super::recorder::{Recorder, RouteSeries};
use super::series::Series;
use crate::measured::{Measure, measure};

/// A middleware that counts the requests of all routes, except routes with the setting `Unwatched`.
pub(crate) struct Counting {
    pub(super) recorder: Arc<Recorder>,
    /// The error message for invalid settings of `Metrics`.
    pub(super) mistake: Option<String>,
}

/// `true` if a metrics middleware counts the requests of the operation.
#[derive(Default)]
struct IsCounted(bool);

impl Middleware for Counting {
    fn name(&self) -> String {
        "Metrics".to_owned()
    }

    fn plan(&self, context: &mut BuildContext<'_>) -> Result<(), BuildErrors> {
        let again = std::mem::replace(&mut context.operation_state::<IsCounted>().0, true).then(|| {
            "`Metrics` is registered twice, so it would count each request twice; register it once".to_owned()
        });
        for mistake in self.mistake.iter().chain(&again) {
            context.api_errors().push(BuildError::new(BuildErrorKind::Configuration, mistake));
        }
        if context.route().setting::<Unwatched>().is_none() {
            let (template, method) = (context.template().as_str(), context.operation().method.clone());
            *context.kept() = self.recorder.route_series(template, &method);
        } else {
            // Marks the route as planned.
            context.kept::<RouteSeries>();
        }
        Ok(())
    }

    async fn handle(&self, request: &mut HttpRequest, next: Next<'_>) -> Result<HttpResponse> {
        let counted = self.begin(request);
        let mut response = next.run(request).await;
        self.end(counted, request, &mut response);
        Ok(response)
    }
}

impl Counting {
    /// Starts to count a request, unless the route is excluded from the metrics.
    pub(crate) fn begin(&self, request: &mut HttpRequest) -> Option<CountedRequest> {
        let method = request.method();
        let series = match request.route().map(|route| (route, route.kept::<RouteSeries>())) {
            None => self.recorder.unmatched(method).clone(),
            Some((_, Some(series))) => match series.of_method(method) {
                Some(series) => series.clone(),
                None => return None,
            },
            // An outer middleware did not forward `plan`.
            Some((route, None)) => self.recorder.series(route.template().as_str(), method),
        };
        Some(CountedRequest::begin(series, request.body_mut().received()))
    }

    /// Counts the request when its response ends.
    pub(crate) fn end(&self, counted: Option<CountedRequest>, request: &HttpRequest, response: &mut HttpResponse) {
        let Some(mut counted) = counted else { return };
        self.recorder.problems.count(response);
        counted.status = Some(response.status());
        measure(request, response, counted);
    }
}

/// A request that is counted on drop, when the response ends or when the request is cancelled.
pub(crate) struct CountedRequest {
    series: Arc<Series>,
    start: Instant,
    status: Option<StatusCode>,
    received: ReceivedBytes,
    sent: u64,
}

impl CountedRequest {
    fn begin(series: Arc<Series>, received: ReceivedBytes) -> Self {
        if let Some(active) = series.active() {
            active.inc();
        }
        Self { series, start: Instant::now(), status: None, received, sent: 0 }
    }
}

impl Measure for CountedRequest {
    fn add_bytes(&mut self, bytes: usize) {
        self.sent += bytes as u64;
    }
}

impl Drop for CountedRequest {
    #[expect(clippy::cast_precision_loss, reason = "the format has doubles")]
    fn drop(&mut self) {
        if let Some(active) = self.series.active() {
            active.dec();
        }
        self.series.durations(self.status).observe(self.start.elapsed().as_secs_f64());
        let sizes = self.series.sizes();
        sizes.requests.observe(self.received.get() as f64);
        sizes.responses.observe(self.sent as f64);
    }
}

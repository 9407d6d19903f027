//! Logs one line per request.

mod line;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use http::StatusCode;
use restwright_runtime::core::client_address::{ClientAddress, TrustedProxies};
use restwright_runtime::core::http::{HttpRequest, HttpResponse};
use restwright_runtime::core::runtime::Unwatched;
use restwright_runtime::core::{
    BuildContext, BuildError, BuildErrorKind, BuildErrors, Middleware, Next, Result, StopSignal,
};
use tracing::Level;

use crate::measured::measure;
use crate::trace_context::TraceContext;
use line::{Line, Traces};

/// A middleware that logs one line per request through `tracing`, with the target `restwright::request`.
///
/// | field | value |
/// |---|---|
/// | `method` | the method |
/// | `route` | the path template of the route, such as `/pets/{id}`; absent without a route |
/// | `path` | the path of a 404 without a route, at most 256 bytes |
/// | `status` | the status; absent if the connection closed before the end of the response |
/// | `code` | the code of a problem, such as `not_found`; `client_closed` or `server_stopped` if the connection closed before the end of the response, and `response_failed` if the stream of the body failed |
/// | `reason` | the reason of a 401 or 403, at most 256 bytes, such as `The credentials lack these scopes: pets:read.` |
/// | `duration_ms` | the time until the response ends, in milliseconds; a stream ends with its last piece |
/// | `bytes` | the size of the response body |
/// | `client` | the address of the client, through [trusted proxies](TrustedProxies) |
/// | `subject` | the subject of the caller, even if the response is a 403; only with [`subject`](Self::subject) |
/// | `credential_id` | the [identifier of the credentials](restwright_runtime::core::auth::Identity::credential_id), such as the id of an API key |
/// | `request_id` | the identifier of the request |
/// | `trace_id`, `linked_trace_id` | with [`Tracing`](crate::Tracing): the trace of the request, and the trace of an untrusted caller |
///
/// Queries, headers, bodies and the paths of routes are not logged, because they may contain secrets. The level is `WARN` for
/// statuses from 500, whose causes are logged separately, and `INFO` for all others. Requests for
/// [health checks](crate::Health) are not logged. Register it first, so it logs what clients see.
///
/// ```
/// use restwright_production::RequestLog;
/// use restwright_runtime::Api;
/// use restwright_runtime::core::Configuration;
///
/// let log = RequestLog::new().subject().one_in(10);
/// let api = Api::builder(Configuration::new("shop", "1.0.0")).middleware(log).build()?;
/// # Ok::<(), restwright_runtime::core::BuildErrors>(())
/// ```
#[derive(Debug)]
#[must_use = "it has no effect until it is registered with `.middleware(..)`"]
pub struct RequestLog {
    writes_subject: bool,
    one_in: u64,
    level: fn(StatusCode) -> Level,
    without: Vec<String>,
    successes: AtomicU64,
    proxies: OnceLock<Option<TrustedProxies>>,
    stop: OnceLock<StopSignal>,
}

/// The path template of a route for the log. `None` if the route is not logged.
#[derive(Debug, Default)]
struct RouteLabel(Option<Arc<str>>);

/// `true` if a request log already logs the operation.
#[derive(Default)]
struct IsLogged(bool);

impl RequestLog {
    /// Creates the middleware with default settings.
    pub fn new() -> Self {
        Self {
            writes_subject: false,
            one_in: 1,
            level: |status| if status.is_server_error() { Level::WARN } else { Level::INFO },
            without: Vec::new(),
            successes: AtomicU64::new(0),
            proxies: OnceLock::new(),
            stop: OnceLock::new(),
        }
    }

    /// Logs the subject of every caller with valid credentials. The subject may be personal data.
    pub fn subject(mut self) -> Self {
        self.writes_subject = true;
        self
    }

    /// Logs only a sample of the requests with a status below 400, which is one in `requests` requests. 0 means 1.
    ///
    /// Requests with another status are always logged.
    pub fn one_in(mut self, requests: u64) -> Self {
        self.one_in = requests.max(1);
        self
    }

    /// Sets the function that returns the log level for a response status. The default is `WARN` for 5xx and `INFO` for
    /// every other status.
    pub fn level(mut self, level: fn(StatusCode) -> Level) -> Self {
        self.level = level;
        self
    }

    /// Excludes the routes with the given path template, such as `/health`, from the log.
    pub fn without(mut self, template: impl Into<String>) -> Self {
        self.without.push(template.into());
        self
    }

    /// Starts the log line of a request. Returns `None` if the route is not logged.
    pub(crate) fn begin(&self, request: &HttpRequest) -> Option<Line> {
        let route = match request.route().map(|route| (route, route.kept::<RouteLabel>())) {
            Some((_, Some(RouteLabel(None)))) => return None,
            Some((_, Some(RouteLabel(template)))) => template.clone(),
            // An outer middleware did not forward `plan`.
            Some((route, None)) => Some(route.template().as_str().into()),
            None => None,
        };
        let proxies = self.proxies.get().and_then(Option::as_ref);
        let ClientAddress(client) = ClientAddress::from_request(request, proxies);
        let mut line =
            Line::new(request.method().clone(), route, client, request.id().clone(), self.stop.get().cloned());
        line.set_traces(|| traces(request));
        Some(line)
    }

    /// Completes the log line of a request with the values of its response.
    pub(crate) fn end(&self, line: Option<Line>, request: &HttpRequest, response: &mut HttpResponse) {
        let Some(mut line) = line else { return };
        let status = response.status();
        if !self.is_written(Some(status)) {
            line.forget();
            return;
        }
        line.set_traces(|| traces(request));
        line.set_outcome(response, (self.level)(status));
        if status == StatusCode::NOT_FOUND && request.route().is_none() {
            line.set_path(request.path());
        }
        line.set_credential_id(request.identity().credential_id());
        if self.writes_subject {
            line.set_subject(request.identity().subject());
        }
        measure(request, response, line);
    }

    /// Returns `true` if a response with this status must be logged. Counts successful responses for
    /// [`one_in`](Self::one_in).
    fn is_written(&self, status: Option<StatusCode>) -> bool {
        let succeeded = status.is_some_and(|status| status < StatusCode::BAD_REQUEST);
        self.one_in == 1 || !succeeded || self.successes.fetch_add(1, Ordering::Relaxed).is_multiple_of(self.one_in)
    }
}

impl Default for RequestLog {
    fn default() -> Self {
        Self::new()
    }
}

impl Middleware for RequestLog {
    fn plan(&self, context: &mut BuildContext<'_>) -> Result<(), BuildErrors> {
        self.proxies.get_or_init(|| context.configuration().get().cloned());
        self.stop.get_or_init(|| context.stop_signal());
        if std::mem::replace(&mut context.operation_state::<IsLogged>().0, true) {
            let mistake = "`RequestLog` is registered twice, so it would write two lines for each request; register it once. `Preset` already includes a request log; change it with `Preset::request_log`";
            context.api_errors().push(BuildError::new(BuildErrorKind::Configuration, mistake));
        }
        let template = context.template().as_str();
        let left_out = self.without.iter().any(|without| without == template);
        let is_watched = !left_out && context.route().setting::<Unwatched>().is_none();
        *context.kept() = RouteLabel(is_watched.then(|| template.into()));
        Ok(())
    }

    async fn handle(&self, request: &mut HttpRequest, next: Next<'_>) -> Result<HttpResponse> {
        let line = self.begin(request);
        let mut response = next.run(request).await;
        self.end(line, request, &mut response);
        Ok(response)
    }
}

/// Returns the trace identifiers that [`Tracing`](crate::Tracing) has set. It may be an outer or an inner middleware.
fn traces(request: &HttpRequest) -> Traces {
    let Some(context) = request.extensions().get::<TraceContext>() else { return Traces::default() };
    Traces { own: Some(context.trace_id().into()), linked: context.link().map(|link| link.trace_id().into()) }
}

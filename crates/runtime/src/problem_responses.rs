//! Creates problem responses, and logs the causes of 5xx responses.

use std::borrow::Cow;
use std::error::Error;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use http::header::{ACCEPT_LANGUAGE, CONTENT_LANGUAGE, CONTENT_TYPE};
use http::{HeaderValue, StatusCode};
use restwright_core::http::{HttpRequest, HttpResponse, RequestId};
use restwright_core::problem::catalogue;
use restwright_core::runtime::{FormedProblem, ProblemParts, SharedErrorForm, Unwatched, log, problem_json};
use restwright_core::{Clock, Configuration, OutageLog, OutageSummary, Problem};

use crate::language::{ENGLISH, Language, Languages, languages};

/// Creates the problem responses of an Api, and logs the causes of 5xx responses.
///
/// A 500 is an error in the code, and each 500 is logged with its cause. Any other 5xx means that a dependency is down
/// or the load is too high. Clients can cause many of these, so they are counted as outages by code, route and the
/// beginning of the cause. The log contains the first failure of an outage, the number of further failures once a
/// minute, and a line after a minute without failures. At level `debug`, each failure is logged. A health check that
/// fails is logged at `debug` only, because each component that fails logs why.
#[derive(Debug)]
pub(crate) struct ProblemResponses {
    type_base: Option<String>,
    form: Option<SharedErrorForm>,
    exposes_internal_errors: bool,
    languages: Option<Languages>,
    clock: Clock,
    outages: Mutex<Vec<(Failing, OutageLog)>>,
    /// `true` if an outage may be in progress.
    has_outage: AtomicBool,
}

/// The properties by which failures are grouped into one outage.
#[derive(Debug, PartialEq, Eq)]
struct Failing {
    code: Cow<'static, str>,
    /// The path template of the route, or `None` without a route.
    route: Option<String>,
    /// The beginning of the direct cause of the failures, such as `scheme jwt` or `the database is locked`.
    cause: Option<String>,
}

/// The maximum number of outages that are counted separately for the log. Further outages are counted together with the
/// last outage.
const MOST_OUTAGES: usize = 128;
/// The number of leading characters that are used to compare the causes of failures. Failures whose causes start with
/// the same characters count as one outage.
const CAUSE_LENGTH: usize = 80;

impl ProblemResponses {
    /// Creates the problem responses with the settings of a configuration.
    pub(crate) fn new(configuration: &Configuration) -> Self {
        Self {
            type_base: configuration.values().problem_base.clone(),
            form: configuration.configured_error_form().cloned(),
            exposes_internal_errors: configuration.values().expose_internal_errors,
            languages: languages(configuration).and_then(Result::ok),
            clock: configuration.configured_clock().clone(),
            outages: Mutex::default(),
            has_outage: AtomicBool::new(false),
        }
    }

    /// Returns the languages of the Api, or `None` if English is the only language.
    pub(crate) fn languages(&self) -> Option<&Languages> {
        self.languages.as_ref()
    }

    /// Converts a problem to a response in the language of the request, and logs the cause of a 5xx response.
    pub(crate) fn respond(&self, mut problem: Problem, request: &HttpRequest) -> HttpResponse {
        let request_id = request.id();
        let (code, reason_key) = (problem.parts().kind.code.clone(), problem.parts().detail_key);
        let cause = match problem.status() {
            status if status.is_server_error() => {
                let cause = Chain(&problem).to_string();
                self.log(&problem, &cause, request);
                Some(cause)
            }
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
                let source = Error::source(&problem).map(|source| Chain(source).to_string());
                let reason = source.or_else(|| problem.parts().detail.clone());
                log(|| tracing::debug!(request_id = request_id.as_str(), code = &*code, reason, "request rejected"));
                reason
            }
            _ => None,
        };
        let language =
            self.languages.as_ref().map(|languages| languages.choose(&request.header_values(&ACCEPT_LANGUAGE)));
        if let Some(language) = language {
            language.translate(problem.parts_mut());
        }
        if self.exposes_internal_errors {
            expose_cause(&mut problem);
        }
        let mut response =
            self.formed(&mut problem, request_id, language).unwrap_or_else(|| self.standard(&problem, request_id));
        let mut headers = problem.take_headers();
        if problem.code() == catalogue::UNSUPPORTED_MEDIA_TYPE.code
            && let Some((name, media_types)) = request.route().and_then(|route| route.operation().accepted_bodies())
        {
            headers.entry(name).or_insert(media_types);
        }
        if !headers.is_empty() {
            let content_type = response.headers().get(CONTENT_TYPE).cloned();
            *response.headers_mut() = headers;
            response.headers_mut().extend(content_type.map(|value| (CONTENT_TYPE, value)));
        }
        if let Some(language) = language {
            response.headers_mut().entry(CONTENT_LANGUAGE).or_insert_with(|| language.header_value());
        }
        response.set_logged(code, reason_key, cause);
        response
    }

    fn standard(&self, problem: &Problem, request_id: &RequestId) -> HttpResponse {
        let body = problem_json(problem.parts(), request_id, self.type_base.as_deref());
        HttpResponse::with_bytes(problem.status(), HeaderValue::from_static(Problem::MEDIA_TYPE), body)
    }

    /// Formats a problem in the custom error format of the application. Returns `None` if the application has no custom
    /// format, or if the format fails.
    fn formed(
        &self,
        problem: &mut Problem,
        request_id: &RequestId,
        language: Option<&Language>,
    ) -> Option<HttpResponse> {
        let form = self.form.as_ref()?;
        let language = language.map_or(ENGLISH, Language::tag);
        match form.render(problem.parts(), request_id.as_str(), self.type_base.as_deref(), language) {
            Ok((status, body)) => {
                let media_type = HeaderValue::from_static(form.media_type());
                let mut response = HttpResponse::with_bytes(status, media_type, body);
                let ProblemParts { kind, violations, .. } = problem.parts_mut();
                let violations = std::mem::take(violations);
                response.set_problem(FormedProblem { kind: kind.clone(), violations });
                Some(response)
            }
            Err(failure) => {
                let (request_id, code) = (request_id.as_str(), problem.code());
                log(|| {
                    tracing::error!(request_id, code, failure, "the error form failed, so the standard problem is sent")
                });
                None
            }
        }
    }

    fn log(&self, problem: &Problem, cause: &str, request: &HttpRequest) {
        let (request_id, code) = (request.id().as_str(), problem.code());
        if problem.status() == StatusCode::INTERNAL_SERVER_ERROR {
            return log(|| tracing::error!(request_id, code, cause, "request failed"));
        }
        log(|| tracing::debug!(request_id, code, cause, "request failed"));
        if request.route().is_some_and(|route| route.kept::<Unwatched>().is_some()) {
            return;
        }
        let failing = Failing {
            code: problem.parts().kind.code.clone(),
            route: request.route().map(|route| route.template().as_str().to_owned()),
            cause: problem.source().map(|source| component_of(&source.to_string())),
        };
        let line = {
            let mut outages = self.outages.lock().unwrap_or_else(PoisonError::into_inner);
            let known = outages.iter().position(|(known, _)| *known == failing);
            let route = failing.route.clone();
            if known.is_none() && outages.len() < MOST_OUTAGES {
                outages.push((failing, OutageLog::default()));
            }
            let outage = match known {
                Some(position) => outages.get_mut(position),
                None => outages.last_mut(),
            };
            outage.and_then(|(_, outage)| outage.failed(self.clock.elapsed())).map(|summary| (route, summary))
        };
        self.has_outage.store(true, Ordering::Relaxed);
        if let Some((route, OutageSummary { failures, seconds })) = line {
            log(|| {
                tracing::error!(request_id, code, route = route.as_deref(), cause, failures, seconds, "requests fail")
            });
        }
    }

    /// Logs the outages that have ended. Does nothing if no outage occurred.
    #[inline]
    pub(crate) fn log_ended(&self) {
        if self.has_outage.load(Ordering::Relaxed) {
            self.log_outages_ended();
        }
    }

    #[cold]
    fn log_outages_ended(&self) {
        let now = self.clock.elapsed();
        let mut outages = self.outages.lock().unwrap_or_else(PoisonError::into_inner);
        outages.retain_mut(|(Failing { code, route, .. }, outage)| {
            let ended = outage.ended_by_itself(now);
            if let Some(OutageSummary { failures, seconds }) = ended {
                log(|| {
                    tracing::info!(
                        code = &**code,
                        route = route.as_deref(),
                        failures,
                        seconds,
                        "requests have stopped failing"
                    )
                });
            }
            ended.is_none()
        });
        let has_outage = !outages.is_empty();
        self.has_outage.store(has_outage, Ordering::Relaxed);
    }
}

/// Returns the beginning of a cause up to the first colon, without digits. Failures of the same component then count as
/// one outage.
fn component_of(cause: &str) -> String {
    let beginning = cause.split(": ").next().unwrap_or_default();
    beginning.chars().filter(|character| !character.is_ascii_digit()).take(CAUSE_LENGTH).collect()
}

/// Adds the causes of a 500 to the detail of the problem. It is called if `expose_internal_errors` is set.
fn expose_cause(problem: &mut Problem) {
    if problem.status() != StatusCode::INTERNAL_SERVER_ERROR {
        return;
    }
    if let Some(cause) = Error::source(problem).map(|source| Chain(source).to_string()) {
        let detail = &mut problem.parts_mut().detail;
        *detail = Some(detail.take().map_or_else(|| cause.clone(), |detail| format!("{detail} {cause}")));
    }
}

/// Formats an error and its causes on one line.
struct Chain<'a>(&'a dyn Error);

impl fmt::Display for Chain<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.0)?;
        let mut cause = self.0.source();
        while let Some(error) = cause {
            write!(formatter, ": {error}")?;
            cause = error.source();
        }
        Ok(())
    }
}

//! Marks routes as deprecated.

use http::HeaderValue;
use http::header::{HeaderName, LINK};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::fmt::rfc2822::DateTimePrinter;
use jiff::tz::TimeZone;
use restwright_runtime::core::http::{HttpRequest, HttpResponse};
use restwright_runtime::core::operation::{HeaderObject, Operation, SchemaUse};
use restwright_runtime::core::schema::SchemaObject;
use restwright_runtime::core::{BuildContext, BuildErrors, Middleware, Next, Result};

const DEPRECATION: HeaderName = HeaderName::from_static("deprecation");
const SUNSET: HeaderName = HeaderName::from_static("sunset");

/// A middleware that marks a route or group as deprecated, in response headers and in the OpenAPI document.
///
/// It adds `Deprecation` (RFC 9745) and, if set, `Sunset` (RFC 8594) to every response. The OpenAPI document lists the
/// operations as `deprecated`.
///
/// A time is a date such as `2026-11-01`, which means midnight UTC, or a date-time such as `2026-11-01T12:00:00Z`.
/// Building the Api fails if a time has another form, or if the sunset is before the deprecation. The routes continue
/// to work after both times.
///
/// ```
/// use restwright_production::Deprecated;
/// use restwright_runtime::core::{Data, Route};
///
/// let deprecated =
///     Deprecated::since("2026-11-01").sunset("2027-05-01").link("https://docs.example.com/v2");
/// let old = Route::get("/v1/rates").id("rates").public().middleware(deprecated).handler(async |()| Ok(Data(1.0)));
/// ```
#[derive(Debug, Clone)]
#[must_use = "it has no effect until it is registered with `.middleware(..)`"]
pub struct Deprecated {
    since: String,
    sunset: Option<String>,
    link: Option<String>,
}

/// The values of the response headers, created when the Api is built.
#[derive(Debug, Default)]
struct Headers(Vec<(HeaderName, HeaderValue)>);

impl Deprecated {
    /// Creates the middleware with the time of the deprecation. `time` may be in the future.
    pub fn since(time: impl Into<String>) -> Self {
        Self { since: time.into(), sunset: None, link: None }
    }

    /// Sets the time when the routes are expected to be removed.
    pub fn sunset(mut self, time: impl Into<String>) -> Self {
        self.sunset = Some(time.into());
        self
    }

    /// Sets the URL of a page that explains what to use instead. Responses contain the URL in a `Link` header with
    /// `rel="deprecation"`.
    pub fn link(mut self, url: impl Into<String>) -> Self {
        self.link = Some(url.into());
        self
    }

    fn headers(&self) -> Result<Vec<(HeaderName, HeaderValue)>, String> {
        let since = instant(&self.since)?;
        let mut headers = vec![(DEPRECATION, format!("@{}", since.as_second()))];
        if let Some(sunset) = &self.sunset {
            let end = instant(sunset)?;
            if end < since {
                let since = &self.since;
                return Err(format!("the sunset {sunset} is before the deprecation {since}; it must be later"));
            }
            let date = DateTimePrinter::new().timestamp_to_rfc9110_string(&end);
            headers.push((SUNSET, date.map_err(|error| format!("{sunset:?} cannot be written: {error}"))?));
        }
        if let Some(link) = &self.link {
            if link.contains(['<', '>', ' ', '"']) || !link.contains("://") {
                return Err(format!("the link {link:?} of a deprecation is not a URL; write an absolute URL"));
            }
            headers.push((LINK, format!("<{link}>; rel=\"deprecation\"; type=\"text/html\"")));
        }
        let value = |(name, text): (HeaderName, String)| {
            let value = HeaderValue::try_from(&text);
            value
                .map(|value| (name, value))
                .map_err(|_invalid| format!("{text:?} is not a valid header value; write visible ASCII characters"))
        };
        headers.into_iter().map(value).collect()
    }
}

impl Middleware for Deprecated {
    fn plan(&self, context: &mut BuildContext<'_>) -> Result<(), BuildErrors> {
        *context.kept() = Headers(self.headers().map_err(BuildErrors::one)?);
        Ok(())
    }

    fn describe(&self, operation: &mut Operation) {
        operation.deprecated = true;
        let header = |name: &str, text: &str| {
            HeaderObject::new(name, SchemaUse::output(SchemaObject::string())).description(text)
        };
        operation
            .add_common_header(header("Deprecation", "The time since which the operation is deprecated (RFC 9745)."));
        if self.sunset.is_some() {
            operation.add_common_header(header("Sunset", "The time when the operation will be removed (RFC 8594)."));
        }
        if self.link.is_some() {
            let link = header("Link", "A page about the replacement, with `rel=\"deprecation\"`, and other links.");
            operation.add_common_header(link);
        }
    }

    async fn handle(&self, request: &mut HttpRequest, next: Next<'_>) -> Result<HttpResponse> {
        let mut response = next.run(request).await;
        // If a group and a route in it are both deprecated, the route takes precedence.
        let known =
            request.route().and_then(|route| route.kept()).filter(|_| !response.headers().contains_key(DEPRECATION));
        if let Some(Headers(headers)) = known {
            for (name, value) in headers {
                response.headers_mut().append(name, value.clone());
            }
        }
        Ok(response)
    }
}

/// Parses a time, which is a date such as `2026-11-01`, or a date-time such as `2026-11-01T12:00:00Z`.
fn instant(text: &str) -> Result<Timestamp, String> {
    let day = || text.parse::<Date>().ok()?.to_zoned_datetime(TimeZone::UTC).ok();
    let instant = text.parse::<Timestamp>().ok().or_else(|| Some(day()?.timestamp()));
    instant.ok_or_else(|| {
        format!(
            "{text:?} is not a time; write a date, such as `2026-11-01`, or a date-time, such as `2026-11-01T12:00:00Z`"
        )
    })
}

//! Implements cross-origin resource sharing (CORS) as specified in the Fetch Standard
//! (<https://fetch.spec.whatwg.org/#http-cors-protocol>).

mod names;
mod origin;
mod preflight;

use std::sync::OnceLock;
use std::time::Duration;

use http::HeaderValue;
use http::header::{
    ACCESS_CONTROL_ALLOW_CREDENTIALS, ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_EXPOSE_HEADERS, ORIGIN, UPGRADE,
};
use restwright_runtime::core::http::{HttpRequest, HttpResponse, OriginAllowed};
use restwright_runtime::core::operation::{HeaderObject, Operation, SchemaUse};
use restwright_runtime::core::schema::SchemaObject;
use restwright_runtime::core::{BuildContext, BuildErrors, Middleware, Next, Result, Settings, SetupError};

use crate::vary::vary;
use names::HeaderNames;
use origin::AllowedOrigin;

/// A middleware for cross-origin resource sharing (CORS), as specified in the Fetch Standard. It lets pages of other
/// origins read the responses of an Api.
///
/// Browsers send a preflight before a request that an HTML form could not send. This middleware responds with 204,
/// before authentication and without calling inner middlewares. The path may be public, protected, or a 404.
/// `Access-Control-Allow-Methods` lists the methods of the routes at the path. `Access-Control-Allow-Headers` lists the
/// headers that their operations declare: parameters, `Content-Type` for a body, and the credentials. For a path
/// without a route, both repeat what the preflight requests, so the page can read the 404. If an operation declares
/// `OPTIONS` at the path, a preflight does not call it.
///
/// A response to an allowed origin exposes the headers that the operation describes in its responses, with any status.
/// Other origins receive the same response without CORS headers: CORS restricts pages in browsers, and does not protect
/// the server. Responses have `Vary: Origin` unless any origin is allowed.
///
/// Browsers send no preflight for a WebSocket. Its handshake gets a 403 unless the page has the origin of the Api, or an
/// origin that is allowed here.
///
/// Register it as the first middleware of the Api, so it also covers 401, 404, 405, 429 and panics. An error of an
/// outer middleware has no CORS headers, so the page sees a network error. The same applies to a 503 because too many
/// requests are in progress. A middleware that creates no errors, such as a request log, may be outside. It then also
/// sees preflights. Building the Api fails for `Cors` on a group, on a route or after authentication, because
/// preflights do not arrive there.
///
/// ```
/// use std::time::Duration;
///
/// use restwright_production::Cors;
/// use restwright_runtime::Api;
/// use restwright_runtime::core::Configuration;
///
/// let cors = Cors::new()
///     .allow_origin("https://shop.example.com")
///     .allow_subdomains("https://example.com")
///     .allow_credentials()
///     .max_age(Duration::from_secs(600));
/// let api = Api::builder(Configuration::new("shop", "1.0.0")).middleware(cors).build()?;
/// # Ok::<(), restwright_runtime::core::BuildErrors>(())
/// ```
#[derive(Debug, Clone, Default)]
#[must_use = "it has no effect until it is registered with `.middleware(..)`"]
pub struct Cors {
    origins: Vec<AllowedOrigin>,
    allows_any: bool,
    allows_credentials: bool,
    max_age: Option<Duration>,
    headers: Option<HeaderNames>,
    exposed: Option<HeaderNames>,
    mistakes: Vec<String>,
}

/// The header names that CORS responses list for one operation.
#[derive(Debug, Default)]
struct OperationHeaders {
    credentials: HeaderNames,
    /// The value of `Access-Control-Expose-Headers`. It is computed at the first request, because all parts have then
    /// described their headers.
    exposed: OnceLock<Option<HeaderValue>>,
}

const ANY: HeaderValue = HeaderValue::from_static("*");
const TRUE: HeaderValue = HeaderValue::from_static("true");
/// The longest `Access-Control-Max-Age` that any browser respects.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

impl Cors {
    /// Creates a middleware that allows no origin.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a middleware that allows the origins in the list `ALLOWED_ORIGINS`. The name has the prefix of the settings.
    ///
    /// # Errors
    /// Fails if a file with the list cannot be read. Building the Api fails if an origin is invalid.
    pub fn from_settings(settings: &Settings) -> Result<Self, SetupError> {
        Ok(Self::new().allow_origins(settings.list("ALLOWED_ORIGINS")?))
    }

    /// Allows an origin, such as `https://shop.example.com` or `http://localhost:3000`.
    ///
    /// The origin is compared byte by byte, so write it as browsers send it: lower case, ASCII, without a path and
    /// without the default port of the scheme. Building the Api fails for any other form.
    pub fn allow_origin(self, origin: impl AsRef<str>) -> Self {
        self.allow_origins([origin])
    }

    /// Allows several [origins](Self::allow_origin), for example from a configuration value.
    pub fn allow_origins<S: AsRef<str>>(mut self, origins: impl IntoIterator<Item = S>) -> Self {
        for origin in origins {
            self.allow(AllowedOrigin::exact(origin.as_ref()));
        }
        self
    }

    /// Allows all subdomains of an origin's host, with the same scheme and port. `https://example.com` allows
    /// `https://shop.example.com` and `https://a.b.example.com`, but not `https://example.com` itself.
    ///
    /// Anyone who controls a subdomain can read responses, with credentials if they are allowed. Building the Api fails
    /// as for [`allow_origin`](Self::allow_origin), and if the host is an IP address.
    pub fn allow_subdomains(mut self, origin: impl AsRef<str>) -> Self {
        self.allow(AllowedOrigin::subdomains(origin.as_ref()));
        self
    }

    /// Allows any origin, for an Api that every web page may use.
    ///
    /// Building the Api fails if [`allow_credentials`](Self::allow_credentials) is set too. Any page could then act as
    /// the user who visits it.
    pub fn allow_any_origin(mut self) -> Self {
        self.allows_any = true;
        self
    }

    /// Allows the origin `null`, which local files and sandboxed frames send. Any page can create such a frame, so this
    /// allows as much as [`allow_any_origin`](Self::allow_any_origin). Building the Api fails if credentials are
    /// allowed too.
    pub fn allow_null_origin(mut self) -> Self {
        self.origins.push(AllowedOrigin::NULL);
        self
    }

    /// Sets `Access-Control-Allow-Credentials`, so pages can send cookies and client certificates. Scripts can set
    /// `Authorization` without this setting.
    pub fn allow_credentials(mut self) -> Self {
        self.allows_credentials = true;
        self
    }

    /// Sets `Access-Control-Max-Age`, the time for which browsers cache preflights. The default of browsers is 5
    /// seconds. The value is rounded down to whole seconds.
    ///
    /// Building the Api fails above one day, because no browser caches preflights for longer.
    pub fn max_age(mut self, max_age: Duration) -> Self {
        self.max_age = Some(max_age);
        self
    }

    /// Allows these request headers instead of the headers that the operations declare. `*` allows any header except
    /// `Authorization`.
    ///
    /// Building the Api fails if a name is not a header name. It also fails for `*` if credentials are allowed.
    pub fn allow_headers<S: AsRef<str>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.headers = self.read(names);
        self
    }

    /// Exposes these response headers to scripts, instead of the headers that the operations describe. `*` exposes all
    /// headers.
    ///
    /// Building the Api fails as for [`allow_headers`](Self::allow_headers).
    pub fn expose_headers<S: AsRef<str>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.exposed = self.read(names);
        self
    }

    fn allow(&mut self, origin: Result<AllowedOrigin, String>) {
        match origin {
            Ok(origin) => self.origins.push(origin),
            Err(mistake) => self.mistakes.push(mistake),
        }
    }

    fn read<S: AsRef<str>>(&mut self, names: impl IntoIterator<Item = S>) -> Option<HeaderNames> {
        HeaderNames::parse(names).map_err(|mistake| self.mistakes.push(mistake)).ok()
    }

    fn mistakes(&self) -> Vec<String> {
        let mut mistakes = self.mistakes.clone();
        let mut reject = |is_set: bool, message: &str| {
            if is_set {
                mistakes.push(message.to_owned());
            }
        };
        if self.allows_credentials {
            reject(
                self.allows_any,
                "any origin is allowed with credentials, so any page could act as its visitor; list the origins, or remove `.allow_credentials()`",
            );
            reject(
                self.origins.contains(&AllowedOrigin::NULL),
                "the origin `null` is allowed with credentials, but any page can use it; remove `.allow_null_origin()` or `.allow_credentials()`",
            );
            let names = [&self.headers, &self.exposed].into_iter().flatten();
            reject(
                names.into_iter().any(HeaderNames::has_wildcard),
                "with credentials, the header `*` is not a wildcard; list the headers, or remove `.allow_credentials()`",
            );
        }
        reject(
            self.max_age.is_some_and(|max_age| max_age > LONGEST),
            "the maximum age of a preflight must be at most one day; write `.max_age(Duration::from_secs(86_400))` at most",
        );
        mistakes
    }

    /// Returns the value of `Access-Control-Allow-Origin`, or `None` if the request's origin is not allowed.
    fn allowed(&self, request: &HttpRequest) -> Option<HeaderValue> {
        if self.allows_any {
            return Some(ANY);
        }
        // `Origin` may occur only once, so a request with two matches no origin.
        let origin = request.only_header(&ORIGIN).ok()??;
        self.origins.iter().find_map(|allowed| allowed.allowed(origin))
    }

    /// Adds `Access-Control-Allow-Origin`, and `Access-Control-Allow-Credentials` if credentials are allowed.
    fn permit(&self, response: &mut HttpResponse, origin: HeaderValue) {
        response.insert_header(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        if self.allows_credentials {
            response.insert_header(ACCESS_CONTROL_ALLOW_CREDENTIALS, TRUE);
        }
    }

    /// Returns the value of `Access-Control-Expose-Headers`. The value may omit the
    /// [safelisted](https://fetch.spec.whatwg.org/#cors-safelisted-response-header-name) headers, which scripts can
    /// always read.
    fn exposed(&self, request: &HttpRequest) -> Option<HeaderValue> {
        if let Some(exposed) = &self.exposed {
            return exposed.to_value();
        }
        let Some(route) = request.route() else { return Some(HeaderNames::UNROUTED) };
        let kept = route.kept::<OperationHeaders>()?;
        kept.exposed.get_or_init(|| HeaderNames::exposed(route.operation()).to_value()).clone()
    }
}

impl Middleware for Cors {
    fn plan(&self, context: &mut BuildContext<'_>) -> Result<(), BuildErrors> {
        self.mistakes().into_iter().for_each(|mistake| context.api_errors().push(mistake));
        if !context.sees_unrouted() {
            let mistake = "`Cors` receives no preflights on a group, on a route or after authentication; register it on the Api, with `Api::builder(..).middleware(cors)`";
            context.api_errors().push(mistake);
        }
        let configuration = context.configuration();
        let credentials = HeaderNames::of_credentials(context.operation(), configuration);
        context.kept::<OperationHeaders>().credentials = credentials;
        Ok(())
    }

    fn describe(&self, operation: &mut Operation) {
        let mut header = |name: &str, is_optional: bool, description: &str| {
            let header = HeaderObject::new(name, SchemaUse::output(SchemaObject::string())).description(description);
            operation.add_common_header(if is_optional { header.optional() } else { header });
        };
        let some = !self.allows_any;
        header("Access-Control-Allow-Origin", some, "The origin that may read the response, or `*` for any origin.");
        if self.allows_credentials {
            header("Access-Control-Allow-Credentials", true, "`true` if the request may include credentials.");
        }
        header("Access-Control-Expose-Headers", true, "The response headers that scripts of other origins may read.");
        if some {
            header("Vary", false, "The request headers that the response depends on.");
        }
    }

    async fn handle(&self, request: &mut HttpRequest, next: Next<'_>) -> Result<HttpResponse> {
        if let Some(response) = self.preflight(request) {
            return Ok(response);
        }
        let mut response = next.run(request).await;
        self.end(request, &mut response);
        Ok(response)
    }
}

impl Cors {
    /// Responds to a preflight. Returns `None` for any other request. Marks a handshake of another protocol as allowed
    /// if its origin is allowed.
    pub(crate) fn preflight(&self, request: &mut HttpRequest) -> Option<HttpResponse> {
        if request.header_bytes(&UPGRADE).is_some() && self.allowed(request).is_some() {
            request.extensions_mut().insert(OriginAllowed);
        }
        preflight::is_preflight(request).then(|| preflight::respond(self, request))
    }

    /// Adds the CORS headers to a response if the request's origin is allowed.
    pub(crate) fn end(&self, request: &mut HttpRequest, response: &mut HttpResponse) {
        if let Some(origin) = self.allowed(request) {
            self.permit(response, origin);
            if let Some(names) = self.exposed(request) {
                response.insert_header(ACCESS_CONTROL_EXPOSE_HEADERS, names);
            }
        }
        if !self.allows_any {
            vary(request, response, "Origin");
        }
    }
}

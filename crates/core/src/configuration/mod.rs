//! Defines [`Configuration`], the settings of an application.

mod values;

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use restwright_schema::Format;

use crate::build_errors::BuildErrors;
use crate::clock::Clock;
use crate::identity::Identity;
use crate::information::{ContactObject, ExternalDocumentationObject, LicenseObject, ServerObject};
use crate::type_map::TypeMap;

use values::ConfigurationValues;

/// The settings of an application, such as its name, version, limits and authenticators.
///
/// ```
/// use std::time::Duration;
///
/// use restwright_core::Configuration;
///
/// let configuration = Configuration::new("animals", "1.4.0")
///     .description("Pets and shelters.")
///     .body_limit(64 * 1024)
///     .deadline(Duration::from_secs(5));
/// assert_eq!(configuration.name(), "animals");
/// ```
#[derive(Clone)]
pub struct Configuration {
    values: ConfigurationValues,
    clock: Clock,
    settings: TypeMap,
}

impl Configuration {
    /// Creates a configuration with default settings.
    #[must_use]
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        let values = ConfigurationValues {
            name: name.into(),
            version: version.into(),
            description: None,
            contact: None,
            license: None,
            terms_of_service: None,
            external_documentation: None,
            servers: Vec::new(),
            body_limit: 1024 * 1024,
            deadline: Duration::from_secs(30),
            max_concurrent: 1024,
            body_memory: 64 * 1024 * 1024,
            max_stream_age: None,
            max_violations: 100,
            strict: false,
            lenient_query: false,
            plain_parameters: false,
            weak_tags: false,
            problem_base: None,
            expose_internal_errors: false,
            guest_scopes: Vec::new(),
        };
        Self { values, clock: Clock::system(), settings: TypeMap::default() }
    }

    /// Sets the description of the service, in CommonMark.
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.values.description = Some(description.into());
        self
    }

    /// Sets the contact for questions about the service.
    #[must_use]
    pub fn contact(mut self, contact: ContactObject) -> Self {
        self.values.contact = Some(contact);
        self
    }

    /// Sets the licence under which clients may use the service.
    #[must_use]
    pub fn license(mut self, license: LicenseObject) -> Self {
        self.values.license = Some(license);
        self
    }

    /// Sets the URL of the terms of service.
    #[must_use]
    pub fn terms_of_service(mut self, url: impl Into<String>) -> Self {
        self.values.terms_of_service = Some(url.into());
        self
    }

    /// Sets a link to external documentation.
    #[must_use]
    pub fn external_documentation(mut self, documentation: ExternalDocumentationObject) -> Self {
        self.values.external_documentation = Some(documentation);
        self
    }

    /// Adds a URL of the service. It is an absolute URL, or a path on the server that serves the document. Pass a
    /// [`ServerObject`] to add a description.
    ///
    /// A path such as `/shop` declares a proxy that removes this prefix from requests. The first declared path is put in
    /// front of `Location` and `Content-Location` if they start with `/`. The proxy must then not rewrite these headers.
    #[must_use]
    pub fn server(mut self, server: impl Into<ServerObject>) -> Self {
        self.values.servers.push(server.into());
        self
    }

    /// Sets the maximum size of a request body in bytes. Routes can override it. The default is 1 MiB.
    #[must_use]
    pub fn body_limit(mut self, bytes: usize) -> Self {
        self.values.body_limit = bytes;
        self
    }

    /// Sets the time limit of controllers. A request that exceeds it gets a 503. Routes can override the limit. The
    /// default is 30 seconds.
    ///
    /// A second limit of the same length applies to authentication and authorisation, which run before the controller.
    #[must_use]
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.values.deadline = deadline;
        self
    }

    /// Sets the maximum number of requests that a worker handles at the same time. Further requests get a 503. The
    /// default is 1,024. Health checks and metrics have no limit.
    ///
    /// A request does not count while the worker waits for its body. When the body has arrived and the maximum is
    /// reached, the request waits up to one second.
    #[must_use]
    pub fn max_concurrent(mut self, requests: usize) -> Self {
        self.values.max_concurrent = requests;
        self
    }

    /// Sets the maximum memory of a worker, in bytes, for unfinished requests and unsent responses. The default is 64
    /// MiB.
    ///
    /// The limit includes unfinished heads and bodies, their decoders, unsent responses, and their encoders. Beyond the
    /// limit, the worker abandons the slowest clients first. An incomplete request gets a 408. For an unsent response,
    /// the connection is closed. A single body is bounded only by the limit of its route.
    #[must_use]
    pub fn body_memory(mut self, bytes: usize) -> Self {
        self.values.body_memory = bytes;
        self
    }

    /// Sets the maximum time that an event stream, a WebSocket or a stream with
    /// [`until_stop`](crate::body::StreamingBody::until_stop) may be open. The default is unlimited. Regardless of this
    /// setting, it ends when the [credentials of its caller](crate::auth::Identity::expires_at) expire.
    #[must_use]
    pub fn max_stream_age(mut self, age: Duration) -> Self {
        self.values.max_stream_age = Some(age);
        self
    }

    /// Sets the maximum number of violations that a response reports. The default is 100.
    #[must_use]
    pub fn max_violations(mut self, violations: usize) -> Self {
        self.values.max_violations = violations.max(1);
        self
    }

    /// Rejects undeclared query parameters with 422 on every operation. By default, only list operations reject them.
    #[must_use]
    pub fn strict(mut self) -> Self {
        self.values.strict = true;
        self
    }

    /// Ignores undeclared query parameters on list operations, for example tracking parameters in links.
    ///
    /// By default these operations reject them with 422, because a misspelt filter would return everything. Filters,
    /// sorting, pagination, the parameters of the request and the query parameter of an API key are declared. A
    /// middleware can [claim](crate::http::HttpRequest::claim_query) further parameters.
    #[must_use]
    pub fn lenient_query(mut self) -> Self {
        self.values.lenient_query = true;
        self
    }

    /// Names the parameters of filters without brackets: `age__gte` instead of `filter[age][gte]`.
    ///
    /// The document contains only these names, for programs that accept only letters, digits, `_`, `.` and `-` in
    /// the name of a parameter, such as interfaces of language models. Requests may contain both forms. A request that
    /// contains one condition in both forms is rejected with 422 `duplicate_condition`. Building the Api fails if two
    /// parameters of an operation have the same name, for example the filter `age__gte` and the operator `gte` of the filter `age`.
    ///
    /// ```
    /// use restwright_core::Configuration;
    ///
    /// let configuration = Configuration::new("animals", "1.4.0").plain_parameters();
    /// assert!(configuration.values().plain_parameters);
    /// ```
    #[must_use]
    pub fn plain_parameters(mut self) -> Self {
        self.values.plain_parameters = true;
        self
    }

    /// Makes every entity tag weak: `ETag: W/"5"` instead of `"5"`.
    ///
    /// Use it if a proxy removes strong tags or makes them weak, for example because it compresses responses. `If-Match`
    /// then compares weak tags like strong tags, and a change still requires the current version. RFC 9110, section 13.1.1,
    /// requires a strong comparison. `If-Range` never matches a weak tag, so a client that continues a download receives the whole file.
    ///
    /// ```
    /// use restwright_core::Configuration;
    ///
    /// let configuration = Configuration::new("animals", "1.4.0").weak_tags();
    /// assert!(configuration.values().weak_tags);
    /// ```
    #[must_use]
    pub fn weak_tags(mut self) -> Self {
        self.values.weak_tags = true;
        self
    }

    /// Sets the URL prefix of the member `type` in problems, such as `https://example.com/problems/`. The code of the
    /// problem follows the prefix. By default, the `type` is `about:blank`.
    #[must_use]
    pub fn problem_base(mut self, base: impl Into<String>) -> Self {
        self.values.problem_base = Some(base.into());
        self
    }

    /// Sets whether the `detail` of a 500 response contains the causes of the error. The default is `false`.
    ///
    /// Causes may contain addresses, statements and secrets, so use it only in development. A warning is logged each
    /// time the Api starts. Requests cannot enable it.
    #[must_use]
    pub fn expose_internal_errors(mut self, expose: bool) -> Self {
        self.values.expose_internal_errors = expose;
        self
    }

    /// Sets the scopes of unauthenticated callers. By default, they have no scopes.
    #[must_use]
    pub fn guest_scopes<S: Into<String>>(mut self, scopes: impl IntoIterator<Item = S>) -> Self {
        self.values.guest_scopes = scopes.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the clock of the whole Api instead of the system clock. A test can then move the time. Authenticators,
    /// fetched keys, limits in memory and cursors use this clock.
    ///
    /// Components with a custom clock keep their clock. Deadlines and timeouts always use real time.
    #[must_use]
    pub fn clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }

    /// Adds a setting of any type. It replaces a previous setting of the same type. Request parts and middlewares can
    /// read it when the Api is built.
    ///
    /// ```
    /// use restwright_core::Configuration;
    ///
    /// struct Currency(&'static str);
    ///
    /// let configuration = Configuration::new("shop", "1.0.0").with(Currency("EUR"));
    /// assert_eq!(configuration.get::<Currency>().map(|currency| currency.0), Some("EUR"));
    /// ```
    #[must_use]
    pub fn with<T: Send + Sync + 'static>(mut self, setting: T) -> Self {
        self.settings.insert(setting);
        self
    }

    /// Returns the setting of type `T` that was added with [`with`](Self::with).
    #[must_use]
    pub fn get<T: Send + Sync + 'static>(&self) -> Option<&T> {
        self.settings.get()
    }

    /// Returns the name of the service.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.values.name
    }

    /// Returns the version of the service.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.values.version
    }

    /// Returns the current values of the settings.
    #[must_use]
    pub fn values(&self) -> &ConfigurationValues {
        &self.values
    }
}

/// Contains methods that only the runtime calls.
#[doc(hidden)]
impl Configuration {
    /// Checks all settings, except the settings that other crates added.
    pub fn check(&self) -> Result<(), BuildErrors> {
        let values = &self.values;
        let mut errors = BuildErrors::new();
        if values.name.trim().is_empty() {
            errors.push(
                "the configuration has an empty name; set the name of the service, as in `Configuration::new(\"animals\", ..)`",
            );
        }
        if values.max_concurrent == 0 {
            errors.push("`.max_concurrent(0)` of the configuration rejects every request; allow at least 1");
        }
        if values.body_memory == 0 {
            errors.push(
                "`.body_memory(0)` of the configuration rejects every body that does not arrive with its head; allow some MiB",
            );
        }
        errors.take(
            check_limits(Some(values.body_limit), Some(values.deadline)).map_err(|errors| errors.at("configuration")),
        );
        for server in values.servers.iter().map(|server| &server.url).filter(|url| !is_server(url)) {
            errors.push(format!(
                "the server {server:?} of the configuration is not a URL; write an absolute URL, such as `https://api.example.com/v1`, or a path that starts with `/`, without query and fragment"
            ));
        }
        errors.finish(Some(()))
    }

    #[must_use]
    pub fn guest(&self) -> Identity {
        let guest = Identity::guest();
        let scopes = &self.values.guest_scopes;
        if scopes.is_empty() { guest } else { guest.with_scopes(scopes) }
    }

    #[must_use]
    pub fn configured_clock(&self) -> &Clock {
        &self.clock
    }
}

/// Checks that the body limit and the deadline are not zero.
pub(crate) fn check_limits(body_limit: Option<usize>, deadline: Option<Duration>) -> Result<(), BuildErrors> {
    let mut errors = BuildErrors::new();
    if body_limit == Some(0) {
        errors.push("`.body_limit(0)` rejects every body; allow at least 1 byte, or remove it");
    }
    if deadline == Some(Duration::ZERO) {
        errors.push("a deadline of zero has always passed; set a longer one with `.deadline(..)`, or remove it");
    }
    errors.finish(Some(()))
}

/// Returns `true` if a string is an absolute URL, or a path on the server that serves the document.
fn is_server(text: &str) -> bool {
    let absolute = if text.starts_with('/') && !text.starts_with("//") {
        Cow::Owned(format!("http://localhost{text}"))
    } else {
        Cow::Borrowed(text)
    };
    Format::uri(&["http", "https", "ws", "wss"]).holds(&absolute) && !text.contains(['?', '#'])
}

impl fmt::Debug for Configuration {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Configuration").field("values", &self.values).finish_non_exhaustive()
    }
}

impl Configuration {
    pub(crate) fn settings_mut(&mut self) -> &mut TypeMap {
        &mut self.settings
    }
}

//! The settings of an application that hold for all its endpoints.

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use restwright_schema::Format;

use crate::build_errors::BuildErrors;
use crate::clock::Clock;
use crate::identity::Identity;
use crate::type_map::TypeMap;

/// The bootstrap of an application: its name, version, limits and authenticators.
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

/// The values of a [`Configuration`], each named for the method that sets it.
///
/// ```
/// use restwright_core::Configuration;
///
/// let configuration = Configuration::new("animals", "1.4.0").body_limit(64 * 1024);
/// assert_eq!(configuration.values().body_limit, 64 * 1024);
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ConfigurationValues {
    /// The name of the service.
    pub name: String,
    /// The version of the service.
    pub version: String,
    /// The description of the service, in CommonMark.
    pub description: Option<String>,
    /// The URLs of the servers.
    pub servers: Vec<String>,
    /// The largest body in bytes.
    pub body_limit: usize,
    /// The longest time that a controller takes.
    pub deadline: Duration,
    /// The number of requests that a worker handles at once.
    pub max_concurrent: usize,
    /// The number of bytes that a worker keeps for clients that it waits for.
    pub body_memory: usize,
    /// The number of violations after which reporting stops.
    pub max_violations: usize,
    /// Every operation rejects undeclared query parameters.
    pub strict: bool,
    /// Operations with a list ignore undeclared query parameters.
    pub lenient_query: bool,
    /// Each type has one schema for requests and responses where it can.
    pub one_schema_per_type: bool,
    /// The prefix of the code in a problem's `type`.
    pub problem_base: Option<String>,
    /// A 500 shows its causes to the client.
    pub expose_internal_errors: bool,
    /// The scopes of callers without credentials.
    pub guest_scopes: Vec<String>,
}

impl ConfigurationValues {
    /// Returns `true` if an operation rejects undeclared query parameters.
    #[must_use]
    pub fn rejects_undeclared_query(&self, is_list: bool) -> bool {
        self.strict || is_list && !self.lenient_query
    }
}

impl Configuration {
    /// Creates a configuration with the defaults that each setting names.
    #[must_use]
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        let values = ConfigurationValues {
            name: name.into(),
            version: version.into(),
            description: None,
            servers: Vec::new(),
            body_limit: 1024 * 1024,
            deadline: Duration::from_secs(30),
            max_concurrent: 1024,
            body_memory: 64 * 1024 * 1024,
            max_violations: 100,
            strict: false,
            lenient_query: false,
            one_schema_per_type: false,
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

    /// Adds an address at which clients find the service: an absolute URL, or a path on the server that serves the document.
    #[must_use]
    pub fn server(mut self, url: impl Into<String>) -> Self {
        self.values.servers.push(url.into());
        self
    }

    /// Sets the largest body in bytes, unless a route says otherwise; 1 MiB by default.
    #[must_use]
    pub fn body_limit(mut self, bytes: usize) -> Self {
        self.values.body_limit = bytes;
        self
    }

    /// Sets how long a controller may take, and before it authenticators and policies together, unless a route says
    /// otherwise; 30 seconds by default. Then the response is 503.
    #[must_use]
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.values.deadline = deadline;
        self
    }

    /// Sets how many requests a worker handles at once before it responds with 503; 1,024 by default.
    ///
    /// A request does not count while its client is awaited to send the body. When the body has come, it waits for a second at most
    /// until fewer are handled.
    #[must_use]
    pub fn max_concurrent(mut self, requests: usize) -> Self {
        self.values.max_concurrent = requests;
        self
    }

    /// Sets how many bytes a worker keeps in memory for clients that it waits for, 64 MiB by default: unfinished heads and bodies, their
    /// decoders, and responses that are not sent, with their encoders. Beyond it, the client that is slowest is given up, and so on: a request
    /// that has not come gets a 408, and the connection of a response closes. A body that is alone is bounded by the limit of its route.
    #[must_use]
    pub fn body_memory(mut self, bytes: usize) -> Self {
        self.values.body_memory = bytes;
        self
    }

    /// Sets after how many violations reporting stops; 100 by default.
    #[must_use]
    pub fn max_violations(mut self, violations: usize) -> Self {
        self.values.max_violations = violations.max(1);
        self
    }

    /// Rejects undeclared query parameters on every operation with 422. Without it, only operations with a list do.
    #[must_use]
    pub fn strict(mut self) -> Self {
        self.values.strict = true;
        self
    }

    /// Ignores undeclared query parameters on operations with a list, such as tracking parameters of links.
    ///
    /// By default such an operation rejects them with 422: a misspelt filter would return everything. Declared are the filters, the order and
    /// the pagination, the parameters of the request, the query parameter of an API key, and what a middleware
    /// [claims](crate::http::HttpRequest::claim_query).
    #[must_use]
    pub fn lenient_query(mut self) -> Self {
        self.values.lenient_query = true;
        self
    }

    /// Gives each type one schema for requests and responses where it can.
    ///
    /// Without this, a property that may be absent in a request and that every response has, such as an `Option` or one with a default, is
    /// required in responses: the type has two schemas in the documents, `Pet` and `PetInput`. With it, the property is optional in both, and
    /// there are two schemas only where names or the existence of properties differ.
    #[must_use]
    pub fn one_schema_per_type(mut self) -> Self {
        self.values.one_schema_per_type = true;
        self
    }

    /// Sets what stands before the code in a problem's `type`, such as `https://example.com/problems/`; without it the
    /// type is `about:blank`.
    #[must_use]
    pub fn problem_base(mut self, base: impl Into<String>) -> Self {
        self.values.problem_base = Some(base.into());
        self
    }

    /// Shows the causes of each 500 in its `detail`, to every client; `false` by default.
    ///
    /// Causes may hold addresses, statements and secrets, so that this is for development alone. It is logged as a warning whenever the Api
    /// starts. No request can ask for it.
    #[must_use]
    pub fn expose_internal_errors(mut self, expose: bool) -> Self {
        self.values.expose_internal_errors = expose;
        self
    }

    /// Sets the scopes of callers who proved nothing; none by default.
    #[must_use]
    pub fn guest_scopes<S: Into<String>>(mut self, scopes: impl IntoIterator<Item = S>) -> Self {
        self.values.guest_scopes = scopes.into_iter().map(Into::into).collect();
        self
    }

    /// Uses this clock instead of the system clock: for authenticators, fetched keys, limits in memory and cursors, so that a test moves the
    /// time of the whole Api. A component with a clock of its own keeps that. Deadlines and timeouts always take real time.
    #[must_use]
    pub fn clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }

    /// Adds a setting of another crate or of the application, one per type; parts find it while they are planned.
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

    /// Returns a setting that was added.
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

    /// Returns the values that the methods of this type set.
    #[must_use]
    pub fn values(&self) -> &ConfigurationValues {
        &self.values
    }
}

/// For the runtime.
#[doc(hidden)]
impl Configuration {
    /// Checks the settings, apart from those that other crates added.
    pub fn check(&self) -> Result<(), BuildErrors> {
        let values = &self.values;
        let mut errors = BuildErrors::new();
        if values.name.trim().is_empty() {
            errors.push(
                "the configuration has an empty name; name the service, as in `Configuration::new(\"animals\", ..)`",
            );
        }
        if values.max_concurrent == 0 {
            errors.push("`.max_concurrent(0)` of the configuration rejects every request; allow at least 1");
        }
        if values.body_memory == 0 {
            errors.push(
                "`.body_memory(0)` of the configuration gives up every body that does not come at once; allow some MiB",
            );
        }
        errors.take(
            check_limits(Some(values.body_limit), Some(values.deadline)).map_err(|errors| errors.at("configuration")),
        );
        for server in values.servers.iter().filter(|server| !is_server(server)) {
            errors.push(format!(
                "the server {server:?} of the configuration is no URL; write an absolute one, such as `https://api.example.com/v1`, or a path that begins with `/`, without a query and a fragment"
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
}

/// Checks limits of the configuration or of a route.
pub(crate) fn check_limits(body_limit: Option<usize>, deadline: Option<Duration>) -> Result<(), BuildErrors> {
    let mut errors = BuildErrors::new();
    if body_limit == Some(0) {
        errors.push("`.body_limit(0)` rejects every body; allow at least 1 byte, or leave it out");
    }
    if deadline == Some(Duration::ZERO) {
        errors.push("a deadline of zero has always passed; set a longer one with `.deadline(..)`, or leave it out");
    }
    errors.finish(Some(()))
}

/// Returns whether a text is the URL of a server: absolute, or a path on the server that serves the document.
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
    #[doc(hidden)]
    #[must_use]
    pub fn configured_clock(&self) -> &Clock {
        &self.clock
    }

    pub(crate) fn settings_mut(&mut self) -> &mut TypeMap {
        &mut self.settings
    }
}

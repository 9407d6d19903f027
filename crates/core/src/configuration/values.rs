//! Defines [`ConfigurationValues`], the values of the settings.

use std::time::Duration;

use crate::information::{ContactObject, ExternalDocumentationObject, LicenseObject, ServerObject};

/// The current values of the settings in a [`Configuration`]. Each field has the name of the method that sets it.
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
    /// The contact for questions about the service.
    pub contact: Option<ContactObject>,
    /// The licence under which clients may use the service.
    pub license: Option<LicenseObject>,
    /// The URL of the terms of service.
    pub terms_of_service: Option<String>,
    /// A link to external documentation.
    pub external_documentation: Option<ExternalDocumentationObject>,
    /// The URLs of the service.
    pub servers: Vec<ServerObject>,
    /// The maximum size of a request body in bytes.
    pub body_limit: usize,
    /// The maximum time that a controller may run.
    pub deadline: Duration,
    /// The maximum number of requests that a worker handles at the same time.
    pub max_concurrent: usize,
    /// The maximum memory of a worker for unfinished requests and unsent responses, in bytes.
    pub body_memory: usize,
    /// The maximum time that an event stream or a WebSocket may be open.
    pub max_stream_age: Option<Duration>,
    /// The maximum number of violations that a response reports.
    pub max_violations: usize,
    /// `true` if every operation rejects undeclared query parameters.
    pub strict: bool,
    /// `true` if list operations ignore undeclared query parameters.
    pub lenient_query: bool,
    /// `true` if the document names filters without brackets, such as `age__gte`.
    pub plain_parameters: bool,
    /// `true` if every entity tag is weak.
    pub weak_tags: bool,
    /// The URL prefix of the member `type` in problems. The code of the problem follows the prefix.
    pub problem_base: Option<String>,
    /// `true` if a 500 response contains the causes of the error.
    pub expose_internal_errors: bool,
    /// The scopes of callers without credentials.
    pub guest_scopes: Vec<String>,
}

impl ConfigurationValues {
    /// Returns `true` if an operation rejects undeclared query parameters. `is_list` is true if the operation filters,
    /// sorts or paginates a list.
    #[must_use]
    pub fn rejects_undeclared_query(&self, is_list: bool) -> bool {
        self.strict || is_list && !self.lenient_query
    }
}

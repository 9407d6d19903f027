//! Defines custom formats for error responses.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use http::StatusCode;
use restwright_schema::{Registry, Schema, SchemaType};
use serde::Serialize;
use serde_json::{Map, Value};

use super::{ProblemKind, ProblemParts, RequestViolation};
use crate::configuration::Configuration;

/// A custom format for all error responses. It replaces `application/problem+json`.
///
/// Register it with [`Configuration::error_form`]. It renders the problems of the framework, the router, the
/// middlewares and the application. The OpenAPI document contains its media type, the schema of its body and its
/// statuses.
///
/// The headers of a problem, such as `WWW-Authenticate` and `Retry-After`, are sent in any format.
///
/// ```
/// use std::collections::BTreeMap;
///
/// use restwright_core::Configuration;
/// use restwright_core::http::StatusCode;
/// use restwright_core::problem::{ErrorForm, ProblemKind, ProblemView};
///
/// struct ShopErrors;
///
/// impl ErrorForm for ShopErrors {
///     // In an application, this is a struct that derives `Serialize` and `Schema`.
///     type Body = BTreeMap<String, String>;
///
///     fn status(&self, kind: &ProblemKind) -> StatusCode {
///         if kind.status == 422 { StatusCode::BAD_REQUEST } else { kind.status }
///     }
///
///     fn render(&self, problem: &ProblemView<'_>) -> BTreeMap<String, String> {
///         let message = problem.detail().unwrap_or(problem.title());
///         BTreeMap::from([("error".to_owned(), problem.code().to_owned()), ("message".to_owned(), message.to_owned())])
///     }
/// }
///
/// let configuration = Configuration::new("shop", "1.0.0").error_form(ShopErrors);
/// ```
pub trait ErrorForm: Send + Sync + 'static {
    /// The type of the response body, which is serialized as JSON.
    type Body: Serialize + Schema;

    /// The media type of the body, which is `application/json` or a type that ends in `+json`.
    const MEDIA_TYPE: &'static str = "application/json";

    /// Returns the response status for a kind of problem. The default is `kind.status`.
    ///
    /// A status must keep its class: 4xx stays 4xx, and 5xx stays 5xx. Otherwise building the Api fails. The result
    /// must be the same each time, because the OpenAPI document contains the statuses.
    fn status(&self, kind: &ProblemKind) -> StatusCode {
        kind.status
    }

    /// Creates the response body for a problem.
    ///
    /// If this method panics, or if the body cannot be serialized, the standard problem is sent and an `ERROR` is logged.
    fn render(&self, problem: &ProblemView<'_>) -> Self::Body;
}

/// The public data of a problem, which may be sent to the client. It does not include the cause.
pub struct ProblemView<'a> {
    pub(crate) problem: &'a ProblemParts,
    pub(crate) status: StatusCode,
    pub(crate) request_id: &'a str,
    pub(crate) type_base: Option<&'a str>,
    pub(crate) language: &'a str,
}

impl ProblemView<'_> {
    /// Returns the status of the response.
    #[must_use]
    pub fn status(&self) -> StatusCode {
        self.status
    }

    /// Returns the stable code of the kind of problem, such as `not_found`.
    #[must_use]
    pub fn code(&self) -> &str {
        &self.problem.kind.code
    }

    /// Returns the title of the problem type (RFC 9457, section 3.1.3).
    #[must_use]
    pub fn title(&self) -> &str {
        &self.problem.kind.title
    }

    /// Returns the detail, which explains this occurrence of the problem.
    #[must_use]
    pub fn detail(&self) -> Option<&str> {
        self.problem.detail.as_deref()
    }

    /// Returns the id of the request, which is the value of the header `X-Request-Id`.
    #[must_use]
    pub fn request_id(&self) -> &str {
        self.request_id
    }

    /// Returns the `type` of the problem, which is a URI that identifies its kind (RFC 9457, section 3.1.1).
    ///
    /// The URI is the [base](Configuration::problem_base) followed by the code, or `about:blank` if no base is set.
    #[must_use]
    pub fn type_uri(&self) -> String {
        self.type_base.map_or_else(|| "about:blank".to_owned(), |base| format!("{base}{}", self.code()))
    }

    /// Returns the tag of the negotiated language, or `en` if the Api declares no languages.
    ///
    /// The title, the detail and the messages of violations are in this language if a translation exists.
    #[must_use]
    pub fn language(&self) -> &str {
        self.language
    }

    /// Returns the extension members.
    #[must_use]
    pub fn members(&self) -> &Map<String, Value> {
        &self.problem.members
    }

    /// Returns the violations of the request, each with its location.
    #[must_use]
    pub fn violations(&self) -> &[RequestViolation] {
        &self.problem.violations
    }
}

impl fmt::Debug for ProblemView<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("ProblemView")
            .field("status", &self.status)
            .field("code", &self.code())
            .field("detail", &self.detail())
            .field("violations", &self.violations())
            .finish_non_exhaustive()
    }
}

impl Configuration {
    /// Sends every problem in a custom [format](ErrorForm) instead of `application/problem+json`.
    #[must_use]
    pub fn error_form(mut self, form: impl ErrorForm) -> Self {
        self.settings_mut().insert(SharedErrorForm(Arc::new(form)));
        self
    }

    #[doc(hidden)]
    #[must_use]
    pub fn configured_error_form(&self) -> Option<&SharedErrorForm> {
        self.get()
    }
}

/// A shared, type-erased [`ErrorForm`].
#[derive(Clone)]
pub struct SharedErrorForm(Arc<dyn ErasedErrorForm>);

trait ErasedErrorForm: Send + Sync {
    fn media_type(&self) -> &'static str;

    fn schema_type(&self, registry: &mut Registry) -> SchemaType;

    fn status(&self, kind: &ProblemKind) -> StatusCode;

    fn render(&self, problem: &ProblemView<'_>) -> serde_json::Result<Vec<u8>>;
}

impl<F: ErrorForm> ErasedErrorForm for F {
    fn media_type(&self) -> &'static str {
        F::MEDIA_TYPE
    }

    fn schema_type(&self, registry: &mut Registry) -> SchemaType {
        F::Body::schema_type(registry)
    }

    fn status(&self, kind: &ProblemKind) -> StatusCode {
        ErrorForm::status(self, kind)
    }

    fn render(&self, problem: &ProblemView<'_>) -> serde_json::Result<Vec<u8>> {
        serde_json::to_vec(&ErrorForm::render(self, problem))
    }
}

impl SharedErrorForm {
    /// Returns the media type of the response bodies.
    #[must_use]
    pub fn media_type(&self) -> &'static str {
        self.0.media_type()
    }

    /// Adds the schema of the response body to a registry and returns the schema type.
    pub fn define(&self, registry: &mut Registry) -> SchemaType {
        self.0.schema_type(registry)
    }

    /// Returns the response status for a kind of problem. If the status of the form is invalid, returns `kind.status`.
    #[must_use]
    pub fn status(&self, kind: &ProblemKind) -> StatusCode {
        self.checked_status(kind).unwrap_or(kind.status)
    }

    /// Returns the status that the custom format sets for a kind of problem, or an error message if the status is
    /// invalid.
    fn checked_status(&self, kind: &ProblemKind) -> Result<StatusCode, String> {
        let ProblemKind { status: own, code, .. } = kind;
        let found = catch_unwind(AssertUnwindSafe(|| self.0.status(kind))).map_err(|_payload| {
            format!("`ErrorForm::status` panics for the problem `{code}`; return a status for every problem")
        })?;
        let of_class = |status: &StatusCode| status.as_u16() / 100 == own.as_u16() / 100;
        Some(found).filter(of_class).ok_or_else(|| {
            let class = own.as_u16() / 100;
            format!(
                "`ErrorForm::status` returns {1} for the problem `{code}` ({0}); return a status from {class}00 to {class}99",
                own.as_u16(),
                found.as_u16()
            )
        })
    }

    /// Checks the media type of the custom format, and the status that the format sets for each kind of problem.
    /// Returns the error messages.
    pub fn mistakes<'k>(&self, kinds: impl IntoIterator<Item = &'k ProblemKind>) -> Vec<String> {
        let mut mistakes = Vec::new();
        let media_type = self.media_type();
        if !is_json(media_type) {
            mistakes.push(format!(
                "the error form has the media type {media_type:?}; it sends JSON, so write `application/json` or a type that ends in `+json`, without parameters"
            ));
        }
        for kind in kinds {
            if let Err(mistake) = self.checked_status(kind)
                && !mistakes.contains(&mistake)
            {
                mistakes.push(mistake);
            }
        }
        mistakes
    }

    /// Renders a problem in the custom format. Returns the status and the body of the response.
    ///
    /// # Errors
    /// The form panics, its body cannot be serialized, or its status has another class.
    pub fn render(
        &self,
        problem: &ProblemParts,
        request_id: &str,
        type_base: Option<&str>,
        language: &str,
    ) -> Result<(StatusCode, Vec<u8>), String> {
        let status = self.checked_status(&problem.kind)?;
        let view = ProblemView { problem, status, request_id, type_base, language };
        // The messages of the panic and of serde are not logged, because they may contain rendered data.
        let rendered = catch_unwind(AssertUnwindSafe(|| self.0.render(&view)))
            .map_err(|_payload| "`ErrorForm::render` panicked".to_owned())?;
        Ok((status, rendered.map_err(|_error| "the body of `ErrorForm::render` cannot be written as JSON".to_owned())?))
    }
}

impl fmt::Debug for SharedErrorForm {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("SharedErrorForm").field(&self.media_type()).finish()
    }
}

/// Returns `true` if a media type is JSON and has no parameters.
fn is_json(media_type: &str) -> bool {
    let token = |text: &str| {
        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$&-^_.+".contains(&byte))
    };
    match media_type.split_once('/') {
        Some((kind, name)) => {
            token(kind) && token(name) && (media_type == "application/json" || name.ends_with("+json"))
        }
        None => false,
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn json_media_types() {
        for (media_type, expected) in [
            ("application/json", true),
            ("application/vnd.api+json", true),
            ("application/json; charset=utf-8", false),
            ("text/json", false),
            ("json", false),
            ("application/a b+json", false),
            ("application/x\r\n+json", false),
            ("/+json", false),
        ] {
            assert_eq!(super::is_json(media_type), expected, "{media_type}");
        }
    }
}

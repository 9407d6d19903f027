//! Parses the bearer token in the `Authorization` header of a request (RFC 6750, section 2.1).

use std::error::Error;
use std::fmt;

use super::Rejection;
use crate::http::{HttpRequest, SingleValueError, header};

/// Returns the bearer token from the `Authorization` header. Returns `None` if the header is missing or uses another
/// scheme.
///
/// The scheme is compared case-insensitively. A token has at most `max_size` bytes. Its content is not checked.
///
/// ```
/// use restwright_core::auth::{Authentication, Authenticator, Identity, Rejection, bearer_token};
/// use restwright_core::http::HttpRequest;
/// use restwright_core::operation::SecurityScheme;
///
/// struct OneToken(&'static str);
///
/// impl Authenticator for OneToken {
///     fn describe(&self) -> SecurityScheme {
///         SecurityScheme::http("bearer")
///     }
///
///     async fn authenticate(&self, request: &mut HttpRequest) -> Authentication {
///         match bearer_token(request, 256) {
///             Ok(Some(token)) if token == self.0 => Authentication::Identity(Identity::builder("robot").build()),
///             Ok(Some(_)) => Authentication::Rejected(Rejection::invalid_token("the token is unknown")),
///             Ok(None) => Authentication::NoCredentials,
///             Err(error) => Authentication::Rejected(error.into()),
///         }
///     }
/// }
/// ```
///
/// # Errors
/// The request has several `Authorization` headers. The header is empty, not UTF-8, `Bearer` without a token, or a JSON
/// Web Token without `Bearer`. The token is too long. Authenticators reject these callers instead of treating them as
/// guests.
pub fn bearer_token(request: &HttpRequest, max_size: usize) -> Result<Option<&str>, BearerTokenError> {
    let value = request.only_header(&header::AUTHORIZATION).map_err(|error| match error {
        SingleValueError::Repeated => BearerTokenError::RepeatedHeader,
        SingleValueError::NotText => BearerTokenError::NotText,
    })?;
    let Some(value) = value.map(str::trim_ascii) else { return Ok(None) };
    if value.is_empty() {
        return Err(BearerTokenError::EmptyHeader);
    }
    let Some((_, rest)) = value.split_at_checked(6).filter(|(scheme, _)| scheme.eq_ignore_ascii_case("Bearer")) else {
        return if is_json_web_token(value) { Err(BearerTokenError::MissingScheme) } else { Ok(None) };
    };
    if rest.is_empty() {
        return Err(BearerTokenError::MissingToken);
    }
    let token = rest.strip_prefix(' ').map(str::trim_ascii_start).ok_or(BearerTokenError::MissingSpace)?;
    if token.len() > max_size {
        return Err(BearerTokenError::TooLong);
    }
    Ok(Some(token))
}

/// Returns `true` if the value looks like a JSON Web Token. It must have three parts, and the first part must begin
/// like a JSON object in base64url. No scheme name looks like this.
fn is_json_web_token(value: &str) -> bool {
    value.starts_with("eyJ") && value.matches('.').count() == 2 && !value.contains(' ')
}

/// The reason why the bearer token of a request cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum BearerTokenError {
    /// The request has several `Authorization` headers.
    RepeatedHeader,
    /// The `Authorization` header is not UTF-8.
    NotText,
    /// The `Authorization` header is empty.
    EmptyHeader,
    /// The `Authorization` header contains a JSON Web Token without the scheme `Bearer`.
    MissingScheme,
    /// The `Authorization` header contains `Bearer` without a token.
    MissingToken,
    /// `Bearer` is not followed by a space.
    MissingSpace,
    /// The bearer token is longer than the limit.
    TooLong,
}

impl fmt::Display for BearerTokenError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::RepeatedHeader => "several `Authorization` headers",
            Self::NotText => "`Authorization` is not UTF-8",
            Self::EmptyHeader => "`Authorization` is empty",
            Self::MissingScheme => "a token without `Bearer` before it",
            Self::MissingToken => "`Bearer` without a token",
            Self::MissingSpace => "no space follows `Bearer`",
            Self::TooLong => "the token is too long",
        })
    }
}

impl Error for BearerTokenError {}

impl From<BearerTokenError> for Rejection {
    fn from(error: BearerTokenError) -> Self {
        Self::invalid_token(error.to_string())
    }
}

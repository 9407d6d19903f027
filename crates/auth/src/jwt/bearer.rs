//! The token in `Authorization` (RFC 6750, section 2.1).

use restwright_core::http::{HttpRequest, header};

/// The token of a request; `None` when it has credentials of another scheme, or none.
///
/// # Errors
/// Several `Authorization` headers, or one that is no `Bearer <token>`.
pub(super) fn token(request: &HttpRequest) -> Result<Option<&str>, &'static str> {
    let value = request.only_header(&header::AUTHORIZATION).map_err(|_repeated| "several `Authorization` headers")?;
    let Some(value) = value else { return Ok(None) };
    let Ok(value) = std::str::from_utf8(value) else { return Err("`Authorization` is not ASCII") };
    let (scheme, token) = value.split_once(' ').unwrap_or((value, ""));
    if !scheme.eq_ignore_ascii_case("bearer") {
        return Ok(None);
    }
    let token = token.trim_matches(' ');
    if token.is_empty() { Err("`Bearer` without a token") } else { Ok(Some(token)) }
}

//! The token in `Authorization` (RFC 6750, section 2.1).

use restwright_core::http::{HttpRequest, SingleValueError, header};

/// The token of a request; `None` when it has credentials of another scheme, or none.
///
/// # Errors
/// Several `Authorization` headers, an empty one, one that is not UTF-8, one that begins with `Bearer` and goes on otherwise than
/// `Bearer <token>`, and a token alone. Whoever sends these means to be known, and is not taken for a guest.
pub(super) fn token(request: &HttpRequest) -> Result<Option<&str>, &'static str> {
    let value = request.only_header(&header::AUTHORIZATION).map_err(|error| match error {
        SingleValueError::Repeated => "several `Authorization` headers",
        _ => "`Authorization` is not UTF-8",
    })?;
    let Some(value) = value.map(str::trim_ascii) else { return Ok(None) };
    if value.is_empty() {
        return Err("`Authorization` is empty");
    }
    let Some((_, rest)) = value.split_at_checked(6).filter(|(scheme, _)| scheme.eq_ignore_ascii_case("Bearer")) else {
        return if is_token(value) { Err("a token without `Bearer` before it") } else { Ok(None) };
    };
    if rest.is_empty() {
        return Err("`Bearer` without a token");
    }
    rest.strip_prefix(' ').map(|token| Some(token.trim_ascii_start())).ok_or("no space follows `Bearer`")
}

/// Whether this is a token by its looks: three parts, and the first is the beginning of a JSON object in base64url. No scheme
/// has such a name.
fn is_token(value: &str) -> bool {
    value.starts_with("eyJ") && value.matches('.').count() == 2 && !value.contains(' ')
}

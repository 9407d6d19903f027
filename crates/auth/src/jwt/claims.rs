//! Checks the claims `exp`, `nbf`, `iat` and `aud`, and required claims.

use std::time::Duration;

use serde_json::{Map, Value};

/// Checks `exp`, which is required, and `nbf` and `iat` if present (RFC 7519, section 4.1). Returns `exp`.
pub(super) fn check_times(claims: &Map<String, Value>, now: i64, leeway: Duration) -> Result<i64, &'static str> {
    let leeway = i64::try_from(leeway.as_secs()).unwrap_or(i64::MAX);
    let expires = time(claims, "exp")?.ok_or("`exp` is missing")?;
    if now >= expires.saturating_add(leeway) {
        return Err("the token is expired");
    }
    if time(claims, "nbf")?.is_some_and(|begins| now.saturating_add(leeway) < begins) {
        return Err("the token is not valid yet");
    }
    if time(claims, "iat")?.is_some_and(|issued| now.saturating_add(leeway) < issued) {
        return Err("the token was issued in the future");
    }
    Ok(expires)
}

/// Checks that the claims with these names are present and not null.
pub(super) fn check_required(claims: &Map<String, Value>, names: &[String]) -> Result<(), String> {
    let missing = names.iter().find(|name| claims.get(*name).is_none_or(Value::is_null));
    missing.map_or(Ok(()), |name| Err(format!("the claim `{name}` is missing")))
}

/// Returns `true` if `aud` contains one of the audiences. If `optional`, also returns `true` for a token without `aud`.
pub(super) fn has_audience(claims: &Map<String, Value>, audiences: &[String], optional: bool) -> bool {
    let is_ours = |audience: &Value| audience.as_str().is_some_and(|name| audiences.iter().any(|ours| ours == name));
    match claims.get("aud") {
        Some(Value::Array(several)) => several.iter().all(Value::is_string) && several.iter().any(is_ours),
        Some(one) => is_ours(one),
        None => optional,
    }
}

/// Returns the strings that a claim contains, such as the scopes in `scope`. The claim is a space-separated string or a
/// list of strings.
pub(super) fn words(claim: Option<&Value>) -> Vec<String> {
    match claim {
        Some(Value::String(text)) => text.split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect(),
        Some(Value::Array(list)) => list.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        _ => Vec::new(),
    }
}

fn time(claims: &Map<String, Value>, name: &str) -> Result<Option<i64>, &'static str> {
    match claims.get(name) {
        None => Ok(None),
        Some(value) => numeric_date(value).map(Some).ok_or("a time is not a number of seconds"),
    }
}

/// Parses a `NumericDate` (RFC 7519, section 2) and rounds it down to whole seconds.
#[expect(clippy::cast_possible_truncation, reason = "the range is checked")]
fn numeric_date(value: &Value) -> Option<i64> {
    // Beyond this value, doubles skip whole seconds.
    const FARTHEST: f64 = 9_007_199_254_740_992.0;
    let seconds = value.as_f64().filter(|seconds| seconds.is_finite())?;
    (seconds.abs() <= FARTHEST).then(|| seconds.floor() as i64)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn times_are_numbers_of_any_form() {
        for (value, expected) in [
            (json!(10), Some(10)),
            (json!(10.9), Some(10)),
            (json!(-1.5), Some(-2)),
            (json!(1e3), Some(1000)),
            (json!(1e300), None),
            (json!(u64::MAX), None),
            (json!("10"), None),
            (json!(null), None),
            (json!(true), None),
        ] {
            assert_eq!(numeric_date(&value), expected, "{value}");
        }
    }
}

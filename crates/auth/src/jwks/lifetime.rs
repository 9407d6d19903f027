//! Computes the lifetime of fetched keys from `Cache-Control` and `Age` (RFC 9111).

use std::time::Duration;

/// The lifetime of a response without `Cache-Control`.
const DEFAULT: Duration = Duration::from_secs(10 * 60);

/// Returns the remaining lifetime of a response (RFC 9111, sections 4.2 and 5.2.2), limited to the range from
/// `shortest` to `longest`.
pub(super) fn lifetime(
    cache_control: Option<&str>,
    age: Option<&str>,
    shortest: Duration,
    longest: Duration,
) -> Duration {
    let directives = || {
        cache_control.unwrap_or_default().split(',').map(|directive| {
            let (name, value) = directive.split_once('=').unwrap_or((directive, ""));
            (name.trim(), value.trim().trim_matches('"'))
        })
    };
    let is = |name: &str, expected: &str| name.eq_ignore_ascii_case(expected);
    let stated = if directives().any(|(name, _)| is(name, "no-store") || is(name, "no-cache")) {
        Some(Duration::ZERO)
    } else {
        directives()
            .filter(|(name, _)| is(name, "max-age"))
            .find_map(|(_, value)| value.parse().ok())
            .map(Duration::from_secs)
    };
    let age = age.and_then(|age| age.trim().parse().ok()).map_or(Duration::ZERO, Duration::from_secs);
    stated.unwrap_or(DEFAULT).saturating_sub(age).clamp(shortest, longest.max(shortest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn freshness_is_read_and_bounded() {
        for (cache_control, age, expected) in [
            (None, None, 600),
            (Some("max-age=900"), None, 900),
            (Some("public, Max-Age = \"900\" , must-revalidate"), None, 900),
            (Some("max-age=900"), Some("300"), 600),
            (Some("max-age=900"), Some("1000"), 60),
            (Some("max-age=900"), Some("soon"), 900),
            (Some("max-age=0"), None, 60),
            (Some("max-age=99999999999999999999"), None, 600),
            (Some("max-age=31536000"), None, 3600),
            (Some("no-store, max-age=900"), None, 60),
            (Some("max-age=900, no-store"), None, 60),
            (Some("no-cache"), None, 60),
            (Some("s-maxage=5"), None, 600),
            (Some(""), None, 600),
        ] {
            let found = lifetime(cache_control, age, Duration::from_secs(60), Duration::from_secs(3600));
            assert_eq!(found.as_secs(), expected, "{cache_control:?} {age:?}");
        }
    }
}

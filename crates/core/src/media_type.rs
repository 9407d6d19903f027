//! Compares media types (RFC 9110, sections 8.3.1 and 12.5.1).

use crate::weight::weight;

/// Returns `true` if a `Content-Type` value is a JSON media type. The media type must be `application/json` or end in
/// `+json`. If the parameter `charset` exists, it must be `utf-8`.
pub(crate) fn is_json(content_type: &str) -> bool {
    if content_type == "application/json" {
        return true;
    }
    let (essence, parameters) = split(content_type);
    let json = essence.eq_ignore_ascii_case("application/json")
        || (essence.contains('/') && essence.len() > 5 && ends_with_ignoring_case(essence, "+json"));
    json && are_utf8(parameters)
}

/// Returns `true` if a `Content-Type` value has no parameter `charset`, or if the parameter is `utf-8`.
#[must_use]
pub fn has_utf8_charset(content_type: &str) -> bool {
    are_utf8(split(content_type).1)
}

fn are_utf8(parameters: &str) -> bool {
    parameters.split(';').all(|parameter| match parameter.split_once('=') {
        Some((name, value)) if name.trim().eq_ignore_ascii_case("charset") => {
            value.trim().trim_matches('"').eq_ignore_ascii_case("utf-8")
        }
        _ => true,
    })
}

/// Returns `true` if a `Content-Type` value has this media type, with any parameters.
#[must_use]
pub fn is_of(content_type: &str, media_type: &str) -> bool {
    split(content_type).0.eq_ignore_ascii_case(media_type)
}

/// Returns `true` if an `Accept` header accepts a media type. The most specific range applies. `q=0` excludes the media
/// type. `*/*` is the media type of a response whose type is not known yet, so every header accepts it.
#[must_use]
pub fn accepts(accept: &str, media_type: &str) -> bool {
    // Most clients send one of these values.
    if accept == "*/*" || accept == media_type || media_type == "*/*" || accept.trim().is_empty() {
        return true;
    }
    preference(accept, media_type).is_some_and(|preference| preference.weight > 0)
}

/// Returns the media type that an `Accept` header prefers (RFC 9110, section 12.5.1), or `None` if it accepts none of them.
///
/// The media type with the greatest weight is preferred. Among equal weights, a media type that the header names has precedence over a
/// media type that only a range such as `*/*` contains. Otherwise the first media type has precedence.
///
/// ```
/// use restwright_core::http::preferred_media_type;
///
/// let offered = ["application/json", "text/csv"];
/// for (accept, expected) in [
///     ("*/*", Some("application/json")),
///     ("text/csv, */*", Some("text/csv")),
///     ("text/csv;q=0.5, application/json", Some("application/json")),
///     ("text/html", None),
/// ] {
///     assert_eq!(preferred_media_type(accept, &offered), expected);
/// }
/// ```
#[must_use]
pub fn preferred_media_type<'m>(accept: &str, media_types: &[&'m str]) -> Option<&'m str> {
    if accept.trim().is_empty() {
        return media_types.first().copied();
    }
    let mut best: Option<(Preference, &str)> = None;
    for media_type in media_types {
        if let Some(found) = preference(accept, media_type).filter(|found| found.weight > 0)
            && best.is_none_or(|(known, _)| found > known)
        {
            best = Some((found, media_type));
        }
    }
    best.map(|(_, media_type)| media_type)
}

/// The weight of a media type, and how specific the range is that contains it.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
struct Preference {
    weight: u16,
    specificity: u8,
}

/// Returns the preference of the most specific range that contains a media type.
fn preference(accept: &str, media_type: &str) -> Option<Preference> {
    let (media_type, _) = split(media_type);
    let kind = media_type.split('/').next().unwrap_or_default();
    let mut best: Option<Preference> = None;
    for range in accept.split(',') {
        let (range, parameters) = split(range);
        let specificity = if range.eq_ignore_ascii_case(media_type) {
            2
        } else if range.strip_suffix("/*").is_some_and(|prefix| prefix.eq_ignore_ascii_case(kind)) {
            1
        } else if range == "*/*" {
            0
        } else {
            continue;
        };
        if best.is_none_or(|known| specificity > known.specificity) {
            best = Some(Preference { weight: weight_of(parameters), specificity });
        }
    }
    best
}

fn weight_of(parameters: &str) -> u16 {
    parameters.split(';').find_map(|parameter| weight(parameter.trim())).unwrap_or(1_000)
}

fn split(value: &str) -> (&str, &str) {
    let (essence, parameters) = value.split_once(';').unwrap_or((value, ""));
    (essence.trim(), parameters)
}

fn ends_with_ignoring_case(text: &str, suffix: &str) -> bool {
    text.len()
        .checked_sub(suffix.len())
        .and_then(|start| text.get(start..))
        .is_some_and(|end| end.eq_ignore_ascii_case(suffix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_media_types() {
        for (content_type, expected) in [
            ("application/json", true),
            ("Application/JSON; charset=UTF-8", true),
            ("application/json;charset=\"utf-8\"", true),
            ("application/merge-patch+json", true),
            ("application/json; charset=latin1", false),
            ("application/jsonx", false),
            ("text/plain", false),
            ("+json", false),
            ("", false),
        ] {
            assert_eq!(is_json(content_type), expected, "{content_type}");
            if content_type.contains("charset") {
                assert_eq!(has_utf8_charset(content_type), expected, "{content_type}");
            }
        }
    }

    #[test]
    fn accept_headers() {
        for (accept, expected) in [
            ("*/*", true),
            ("application/json", true),
            ("text/html, application/*;q=0.5", true),
            ("text/html", false),
            ("application/json;q=0, */*", false),
            ("*/*;q=0", false),
            ("", true),
            (" ", true),
        ] {
            assert_eq!(accepts(accept, "application/json"), expected, "{accept}");
            assert!(accepts(accept, "*/*"), "{accept}");
        }
    }
}

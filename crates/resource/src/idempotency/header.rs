//! Reads and describes the request header `Idempotency-Key`.

use std::time::Duration;

use restwright_core::http::{HeaderName, HttpRequest, SingleValueError};
use restwright_core::operation::{ParameterLocation, ParameterObject, SchemaUse};
use restwright_core::problem::{ProblemKind, RequestViolations, ViolationLocation, catalogue};
use restwright_core::schema::{Code, SchemaObject, Violation, pointer_to};
use restwright_core::{Problem, Result};

const HEADER: HeaderName = HeaderName::from_static("idempotency-key");
const SHOWN: &str = "Idempotency-Key";

/// The maximum number of characters of an idempotency key, without quotes and escapes.
const LONGEST: usize = 255;

/// The maximum number of characters of the header value. The longest header is a quoted key in which every character is escaped.
const LONGEST_HEADER: usize = 2 * LONGEST + 2;

/// The regular expression for the header value. It matches a quoted string (RFC 9651, section 3.3.3) or a token (RFC 9110, section 5.6.2).
const PATTERN: &str = r##"^("([ !#-\[\]-~]|\\["\\]){1,255}"|[!#$%&'*+.^_`|~0-9A-Za-z-]{1,255})$"##;

const MALFORMED: &str = "must be 1 to 255 ASCII characters: a string in double quotes, with a backslash before each quote and \
     backslash in it, or a token without quotes, such as a UUID";

/// Returns the idempotency key of a request without quotes and escapes, or `None` if the request has no key.
pub(super) fn read(request: &HttpRequest) -> Result<Option<String>> {
    let invalid = |key, code, message: &str| problem(catalogue::INVALID_IDEMPOTENCY_KEY, key, code, message);
    let malformed = || invalid("invalid_idempotency_key.malformed", Code::FORMAT, MALFORMED);
    let header = request.only_header(&HEADER).map_err(|error| match error {
        SingleValueError::Repeated => {
            invalid("invalid_idempotency_key.repeated", Code::TOO_MANY_VALUES, "must not be repeated")
        }
        _ => malformed(),
    })?;
    let Some(header) = header else { return Ok(None) };
    parse(header).map(Some).ok_or_else(malformed)
}

/// Returns the problem for a request without an idempotency key, on a route that requires keys.
pub(super) fn missing() -> Problem {
    problem(
        catalogue::INVALID_IDEMPOTENCY_KEY,
        "invalid_idempotency_key.missing",
        Code::REQUIRED,
        "is required: a new value, such as a UUID, for each new request",
    )
}

/// Returns the problem for an idempotency key that was already used for another request.
pub(super) fn reused() -> Problem {
    problem(
        catalogue::IDEMPOTENCY_KEY_REUSED,
        "idempotency_key_reused.other_request",
        Code::INVALID,
        "was used for a request with another body or query; send a new request with a new key",
    )
}

/// Returns the problem for a repeated request if the caller's rights have changed since the first request.
pub(super) fn rights_changed() -> Problem {
    Problem::new(catalogue::IDEMPOTENCY_RIGHTS_CHANGED)
        .detail("This request was carried out when you had other permissions; read what it created or changed, or send a new request with a new key.")
        .detail_key("idempotency_rights_changed.replay")
}

/// Returns the OpenAPI parameter of the header `Idempotency-Key`.
pub(super) fn parameter(is_required: bool, kept_for: Duration) -> ParameterObject {
    let schema = SchemaObject::string().pattern(PATTERN).min_length(1).max_length(LONGEST_HEADER);
    let mut parameter = ParameterObject::new(ParameterLocation::Header, SHOWN, SchemaUse::input(schema));
    parameter.required = is_required;
    parameter.description = Some(format!(
        "A value that the client chooses for each new request, such as a UUID: a string in double quotes, or a token. A request that is \
         sent again with the same value has the response to the first and is not carried out again, for {}.",
        words(kept_for)
    ));
    parameter
}

fn problem(kind: ProblemKind, key: &'static str, code: Code, message: &str) -> Problem {
    let mut violations = RequestViolations::new(1);
    violations.push(
        ViolationLocation::Header,
        Violation::new(pointer_to(SHOWN), code, message.to_owned()).param("header", SHOWN),
    );
    Problem::new(kind)
        .detail(format!("The header `{SHOWN}` {message}."))
        .detail_key(key)
        .detail_param("header", SHOWN)
        .violations(violations.iter().cloned())
}

/// Parses the value of the header. The quoted string `"a"` and the token `a` are the same key.
fn parse(header: &str) -> Option<String> {
    let header = header.trim_matches([' ', '\t']);
    if header.len() > LONGEST_HEADER {
        return None;
    }
    let key = match header.strip_prefix('"') {
        Some(rest) => unquote(rest.strip_suffix('"')?)?,
        None => header.chars().all(is_token_character).then(|| header.to_owned())?,
    };
    (1..=LONGEST).contains(&key.len()).then_some(key)
}

/// Returns the content of a quoted string without escapes. Returns `None` if a quote is not escaped or an escape is invalid.
fn unquote(quoted: &str) -> Option<String> {
    let mut characters = quoted.chars();
    let mut key = String::with_capacity(quoted.len());
    while let Some(character) = characters.next() {
        key.push(match character {
            '\\' => characters.next().filter(|escaped| matches!(escaped, '"' | '\\'))?,
            '"' => return None,
            ' '..='~' => character,
            _ => return None,
        });
    }
    Some(key)
}

fn is_token_character(character: char) -> bool {
    character.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(character)
}

/// Formats a duration as a whole number of hours, minutes or seconds, such as `24 hours`.
fn words(duration: Duration) -> String {
    let seconds = duration.as_secs();
    let (count, unit) = match seconds {
        _ if seconds.is_multiple_of(3600) => (seconds / 3600, "hour"),
        _ if seconds.is_multiple_of(60) => (seconds / 60, "minute"),
        _ => (seconds, "second"),
    };
    format!("{count} {unit}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use restwright_core::schema::{Registry, SchemaSide};

    use super::*;

    #[test]
    fn parses_quoted_strings_and_tokens() {
        let (longest, escapes) = ("k".repeat(255), "\\\"".repeat(255));
        let (quoted, escaped) = (format!("\"{longest}\""), format!("\"{escapes}\""));
        let pattern =
            Registry::new().compile(SchemaObject::string().pattern(PATTERN).schema_type(), SchemaSide::Input, None);
        for (header, expected) in [
            ("8e03978e-40d5-43e8-bc93-6894a57f9324", Some("8e03978e-40d5-43e8-bc93-6894a57f9324")),
            ("\"8e03978e\"", Some("8e03978e")),
            ("\"a b, c;d=1\"", Some("a b, c;d=1")),
            (r#""a\"b\\c""#, Some(r#"a"b\c"#)),
            ("!#$%&'*+-.^_`|~", Some("!#$%&'*+-.^_`|~")),
            (&longest, Some(&*longest)),
            (&quoted, Some(&*longest)),
            (&escaped, Some(&*"\"".repeat(255))),
            ("", None),
            ("\"\"", None),
            ("\"", None),
            ("\"a", None),
            ("a\"", None),
            ("\"a\" ; b", None),
            ("\"a\";b=1", None),
            ("\"a\"b\"", None),
            (r#""a\b""#, None),
            (r#""a\""#, None),
            ("a b", None),
            ("a,b", None),
            ("a;b", None),
            ("ä", None),
            ("\"ä\"", None),
            ("\"a\tb\"", None),
            ("a\u{7f}", None),
            (&"k".repeat(256), None),
            (&format!("\"{}\"", "k".repeat(256)), None),
            (&format!("\"{}\"", "\\\"".repeat(256)), None),
        ] {
            assert_eq!(parse(header).as_deref(), expected, "{header}");
            assert_eq!(
                pattern.read_text_value(&[header.into()], 1).is_ok(),
                expected.is_some(),
                "as published: {header}"
            );
        }
        assert_eq!(parse(" a\t").as_deref(), Some("a"));
    }

    #[test]
    fn formats_durations_in_the_largest_exact_unit() {
        for (seconds, text) in [(86_400, "24 hours"), (3600, "1 hour"), (5400, "90 minutes"), (61, "61 seconds")] {
            assert_eq!(words(Duration::from_secs(seconds)), text);
        }
    }
}

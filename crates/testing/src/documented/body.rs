//! Checks the body of a successful response.

use restwright_runtime::core::http::Method;
use restwright_runtime::core::http::header::CONTENT_TYPE;
use restwright_runtime::core::operation::MediaTypeObject;
use restwright_runtime::core::schema::{CompiledSchema, ReadError};

use super::compile;
use crate::response::TestResponse;

pub(super) fn check(response: &TestResponse, content: &[MediaTypeObject], found: &mut Vec<String>) {
    if content.is_empty() {
        if !response.body.is_empty() {
            found.push("the response has a body, but the document describes none".to_owned());
        }
        return;
    }
    let content_type = response.header(CONTENT_TYPE.as_str()).unwrap_or_default();
    let Some(media_type) = content.iter().find(|media_type| covers(&media_type.name, content_type)) else {
        let names: Vec<_> = content.iter().map(|media_type| media_type.name.as_str()).collect();
        found.push(format!("the media type `{content_type}` is not documented (documented: {})", names.join(", ")));
        return;
    };
    if response.method == Method::HEAD {
        return;
    }
    match (&media_type.schema, &media_type.item_schema) {
        (Some(used), _) if media_type.name.ends_with("json") => {
            check_json(&compile(response, used), &response.body, "the body", found);
        }
        (_, Some(used)) if JSON_LINES.contains(&media_type.name.as_str()) => {
            let shape = compile(response, used);
            for (index, line) in response.body.split_inclusive(|byte| *byte == b'\n').enumerate() {
                check_json(&shape, line, &format!("line {}", index + 1), found);
            }
        }
        _ => {}
    }
}

/// The media types whose lines are JSON.
const JSON_LINES: [&str; 2] = ["application/jsonl", "application/x-ndjson"];

fn check_json(shape: &CompiledSchema, json: &[u8], part: &str, found: &mut Vec<String>) {
    match shape.read_value(json, 100) {
        Ok(_) => {}
        Err(ReadError::Violations(violations)) => {
            found.extend(violations.iter().map(|one| format!("{part} at `{}`: {}", one.pointer, one.message)));
        }
        Err(error) => found.push(format!("{part} is not JSON at {error}")),
    }
}

/// Returns `true` if a documented media type or media range matches the media type of a response.
fn covers(range: &str, content_type: &str) -> bool {
    let essence = |value: &str| value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let (range, found) = (essence(range), essence(content_type));
    match range.strip_suffix('*') {
        Some("*/") => true,
        Some(kind) => found.starts_with(kind),
        None => range == found,
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn media_types_are_covered() {
        for (range, content_type, expected) in [
            ("application/json", "Application/JSON; charset=utf-8", true),
            ("text/*", "text/csv", true),
            ("*/*", "", true),
            ("text/*", "application/json", false),
            ("application/json", "application/json-seq", false),
        ] {
            assert_eq!(super::covers(range, content_type), expected, "{range} {content_type}");
        }
    }
}

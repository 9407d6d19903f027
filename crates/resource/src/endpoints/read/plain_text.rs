//! Defines [`PlainText`], a request body whose strings contain no NUL character.

use restwright_core::body::{JsonPlan, ReadBody};
use restwright_core::http::IncomingBody;
use restwright_core::operation::{MediaTypeObject, Operation};
use restwright_core::problem::RequestViolations;
use restwright_core::schema::{Code, CompiledSchema, ReadError, Violation, Violations, pointer_to};
use restwright_core::{BuildContext, BuildErrors, RequestHead, Result};
use serde_json::Value;

use super::body_guards::BodyGuards;
use crate::endpoints::declare::settings::resource_of;
use crate::endpoints::erased::any_entity::AnyBody;
use crate::endpoints::erased::kind::{ReadJson, Shape};

/// The body of a create request whose strings contain no NUL character. [`check_texts`] has checked the strings.
pub(in crate::endpoints) struct PlainText(pub(in crate::endpoints) Box<dyn AnyBody>);

pub(in crate::endpoints) struct PlainTextPlan {
    json: JsonPlan,
    read: ReadJson,
    guards: Option<BodyGuards>,
}

impl ReadBody for PlainText {
    type Plan = PlainTextPlan;

    fn plan(context: &mut BuildContext<'_>) -> Result<PlainTextPlan, BuildErrors> {
        let info = resource_of(context)?;
        let json = info.kind.plan_body(Shape::New, context);
        let guards = BodyGuards::new(info, Shape::New, None, &json, context)?;
        Ok(PlainTextPlan { json, read: info.kind.read_new(), guards })
    }

    fn describe(plan: &PlainTextPlan, operation: &mut Operation) {
        describe(&plan.json, operation);
    }

    async fn read(
        plan: &PlainTextPlan,
        head: &RequestHead<'_>,
        body: &mut IncomingBody,
        violations: &mut RequestViolations,
    ) -> Result<Option<Self>> {
        let shape = BodyGuards::of_new(plan.guards.as_ref(), head, &plan.json)?;
        let read = |_: &CompiledSchema, json: &[u8], limit: usize| {
            let (value, _) = (plan.read)(&shape, json, limit)?;
            check_texts(json, limit).map(|()| Self(value))
        };
        plan.json.read(head, body, violations, read).await
    }
}

/// Adds a request body to the OpenAPI operation. [`check_texts`] checks the strings of this body.
pub(super) fn describe(plan: &JsonPlan, operation: &mut Operation) {
    plan.describe(operation);
    let content = operation.request_body.iter_mut().flat_map(|body| &mut body.content);
    mark_stored(content);
}

/// Marks the schemas of request bodies as schemas of stored values. The OpenAPI document then excludes NUL from their strings.
pub(in crate::endpoints) fn mark_stored<'a>(content: impl IntoIterator<Item = &'a mut MediaTypeObject>) {
    content.into_iter().filter_map(|content| content.schema.as_mut()).for_each(|schema| schema.is_stored = true);
}

/// Rejects a body if one of its strings contains the character NUL, which PostgreSQL cannot store. This includes strings in lists and
/// nested objects, which stores do not check.
pub(super) fn check_texts(json: &[u8], limit: usize) -> Result<(), ReadError> {
    // JSON can contain NUL only as an escape.
    if !json.contains(&b'\\') || !json.windows(ESCAPE.len()).any(|part| part == ESCAPE) {
        return Ok(());
    }
    let mut found = Violations::with_limit(limit);
    let mut refuse = |pointer: &str| {
        found.push(
            Violation::new(pointer, Code::INVALID, "must not contain the character NUL").param("character", "NUL"),
        );
    };
    match serde_json::from_slice(json) {
        Ok(value) => report(&value, "", &mut refuse),
        // Bodies that cannot be parsed are rejected as a whole.
        Err(_) => refuse(""),
    }
    found.into_result().map_err(ReadError::Violations)
}

const ESCAPE: &[u8] = br"\u0000";

/// Reports the JSON Pointers of strings and member names that contain NUL. The recursion is bounded, because the parser limits the nesting
/// of JSON.
fn report(value: &Value, pointer: &str, refuse: &mut impl FnMut(&str)) {
    match value {
        Value::String(text) if text.contains('\0') => refuse(pointer),
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                report(item, &format!("{pointer}/{index}"), refuse);
            }
        }
        Value::Object(members) => {
            for (name, member) in members {
                let pointer = format!("{pointer}{}", pointer_to(name));
                if name.contains('\0') { refuse(&pointer) } else { report(member, &pointer, refuse) }
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_nul_at_every_place() {
        let deep = |depth: usize| format!("{}\"\\u0000\"{}", "[".repeat(depth), "]".repeat(depth));
        for (json, expected) in [
            (r#"{"a": "\\u0000", "b": "\n"}"#.to_owned(), vec![]),
            (r#""\u0000""#.to_owned(), vec![String::new()]),
            (
                r#"{"a": [1, "x\u0000"], "b/c": {"\u0000": 1}}"#.to_owned(),
                vec!["/a/1".to_owned(), "/b~1c/\0".to_owned()],
            ),
            (deep(100), vec!["/0".repeat(100)]),
            // The nesting is deeper than the parser accepts.
            (deep(200), vec![String::new()]),
        ] {
            let found = match check_texts(json.as_bytes(), 10) {
                Err(ReadError::Violations(found)) => found.into_iter().map(|one| one.pointer).collect(),
                _ => Vec::new(),
            };
            assert_eq!(found, expected, "{json}");
        }
    }
}

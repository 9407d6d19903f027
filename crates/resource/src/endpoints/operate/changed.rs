//! Checks an entity after a client has changed it. Invalid values and changed read-only values are violations.

use restwright_core::Problem;
use restwright_core::schema::{Violation, Violations, pointer_to};
use serde_json::Value;

use crate::codes;
use crate::endpoints::caller::field_rights::FieldRights;
use crate::endpoints::erased::any_entity::{AnyEntity, parsed};
use crate::endpoints::read::body::Sent;

/// Checks an entity after a change by a client. The custom checks of the entity must pass. Violations that existed before the change are
/// ignored in values that the client did not send. Read-only members must equal the entity as clients receive it (`shown`).
///
/// A violation of a value that the client did not send moves to the nearest value that the client sent. The parameter `property` contains the
/// original JSON Pointer.
pub(super) fn check_changed(
    before: &dyn AnyEntity,
    shown: Option<Box<dyn AnyEntity>>,
    after: &dyn AnyEntity,
    sent: &Sent,
    of_changes: Violations,
    rights: &FieldRights,
) -> Result<(), Problem> {
    let mut found = if of_changes.is_empty() { after.own_violations() } else { of_changes };
    if !found.is_empty() {
        let json = serde_json::from_slice(&sent.json).unwrap_or_default();
        let had = before.own_violations();
        let is_old = |one: &Violation| had.iter().any(|had| had == one) && !is_sent(&json, &one.pointer);
        let mut kept = Violations::with_limit(found.limit());
        found.into_iter().filter(|one| !is_old(one)).for_each(|one| kept.push(one));
        found = kept.map(|one| moved(rights.concealed(one, Some(&json)), &json));
    }
    check_unchanged(shown, sent, &mut found);
    Ok(found.into_result()?)
}

/// Checks that the read-only members of a create body equal the values of the created entity.
pub(super) fn check_created(shown: Option<Box<dyn AnyEntity>>, sent: &Sent) -> Result<(), Problem> {
    let mut found = Violations::default();
    check_unchanged(shown, sent, &mut found);
    Ok(found.into_result()?)
}

/// Sets the JSON Pointer of a violation to the nearest value that the client sent. The parameter `property` contains the original JSON
/// Pointer.
fn moved(mut violation: Violation, json: &Value) -> Violation {
    let sent = nearest(json, &violation.pointer).to_owned();
    if sent == violation.pointer {
        return violation;
    }
    let own = std::mem::replace(&mut violation.pointer, sent);
    violation.param("property", own)
}

/// Compares the read-only members of the body with the entity's view, and adds a violation for each difference.
fn check_unchanged(shown: Option<Box<dyn AnyEntity>>, sent: &Sent, found: &mut Violations) {
    let Some(shown) = shown else { return };
    let view = parsed(shown.into_view(false).ok().as_ref());
    for (name, value) in &sent.unchanged {
        // The view may omit members that are null.
        if view.get(name).unwrap_or(&Value::Null) != value {
            let message = "cannot be changed; leave it out, or send its current value";
            found.push(Violation::new(pointer_to(name), codes::READ_ONLY, message));
        }
    }
}

/// Returns `true` if the client sent the value at a JSON Pointer. A value inside a sent array or a sent null also counts as sent.
fn is_sent(json: &Value, pointer: &str) -> bool {
    let nearest = nearest(json, pointer);
    nearest == pointer || json.pointer(nearest).is_some_and(|value| !value.is_object())
}

/// Returns the longest prefix of a JSON Pointer that refers to a value in the sent JSON.
fn nearest<'p>(json: &Value, pointer: &'p str) -> &'p str {
    let mut ends = pointer.rmatch_indices('/').map(|(end, _)| end);
    let mut candidate = Some(pointer);
    while let Some(sent) = candidate {
        if json.pointer(sent).is_some() {
            return sent;
        }
        candidate = ends.next().and_then(|end| pointer.get(..end));
    }
    ""
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn violations_point_to_values_that_were_sent() {
        let json = json!({"name": "Ada", "address": {"city": "Oslo"}, "tags": ["a"], "owner": null});
        for (pointer, expected, is_touched) in [
            ("/name", "/name", true),
            ("/weight", "", false),
            ("/address/zip", "/address", false),
            ("/address/city", "/address/city", true),
            ("/tags/0", "/tags/0", true),
            ("/tags/1", "/tags", true),
            ("/owner/name", "/owner", true),
            ("/weight/unit", "", false),
            ("", "", true),
        ] {
            assert_eq!((nearest(&json, pointer), is_sent(&json, pointer)), (expected, is_touched), "{pointer}");
        }
    }
}

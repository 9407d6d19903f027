//! Converts the string values of parameters to JSON values and Rust values.

use std::borrow::Cow;

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::code::Code;
use crate::json::Json;
use crate::path::Path;
use crate::pending_violation::{PendingViolation, ValiditySink};
use crate::shape::node::{CompiledNodes, Node, NodeForm};
use crate::shape::schema_type::Scalar;
use crate::violation::Violations;

/// Deserializes a scalar parameter from a single string. Returns `None` if this fast path does not apply, or if the
/// string is invalid.
pub(super) fn read<T: DeserializeOwned>(compiled: &CompiledNodes, texts: &[Cow<'_, str>]) -> Option<T> {
    T::deserialize(scalar(compiled, texts)?).ok()
}

/// Converts the single string of a parameter to a normalised scalar. Returns `None` if this fast path does not apply,
/// or if the string is invalid.
pub(super) fn scalar<'t>(compiled: &CompiledNodes, texts: &'t [Cow<'_, str>]) -> Option<Scalar<'t>> {
    let node = compiled.resolve(&compiled.root);
    let (NodeForm::Scalar(kind), [text], None, None) = (&node.form, texts, &node.constant, &compiled.root.constant)
    else {
        return None;
    };
    if node.completed(text).is_some() {
        return None;
    }
    let scalar = kind.read_text(text)?;
    let mut verdict = ValiditySink::default();
    kind.check(scalar, &mut verdict);
    (!verdict.refused && !verdict.deferred).then(|| kind.normal(scalar))
}

/// Converts the strings of a parameter to a JSON value, which the complete walk then checks.
///
/// A string that does not match the type remains a string, so the walk reports the expected type.
pub(super) fn parse<'t>(compiled: &CompiledNodes, texts: &'t [Cow<'_, str>]) -> Result<Json<'t>, Violations> {
    match (&compiled.resolve(&compiled.root).form, texts) {
        (NodeForm::Array(array), texts) => {
            Ok(Json::Array(texts.iter().map(|text| one(compiled, &array.items, text)).collect()))
        }
        (_, [text]) => Ok(one(compiled, &compiled.root, text)),
        (_, []) => Err(Violations::one(PendingViolation::new(Code::REQUIRED, "is required").at(&Path::Root))),
        (_, texts) => {
            let violation = PendingViolation::new(
                Code::TOO_MANY_VALUES,
                format!("must occur only once, but occurs {} times", texts.len()),
            );
            Err(Violations::one(violation.at(&Path::Root)))
        }
    }
}

/// Changes the messages of type errors for parameters, because clients send every parameter as a string.
pub(super) fn reword(violations: Violations) -> Violations {
    violations.map(|mut violation| {
        let expected = violation.params.get("expected").and_then(Value::as_str);
        violation.message = match expected.filter(|_| violation.code == Code::TYPE) {
            Some("boolean") => "must be `true` or `false`".to_owned(),
            Some("integer") => "must be an integer, such as 42".to_owned(),
            Some("number") => "must be a number in JSON notation, such as 4.2".to_owned(),
            _ => violation.message,
        };
        violation
    })
}

fn one<'t>(compiled: &CompiledNodes, node: &Node, text: &'t str) -> Json<'t> {
    let scalar = match &compiled.resolve(node).form {
        NodeForm::Scalar(kind) => kind.read_text(text),
        _ => None,
    };
    match scalar {
        Some(Scalar::Boolean(value)) => Json::Boolean(value),
        Some(Scalar::Number(number)) => Json::Number(number.into()),
        Some(Scalar::Text(_)) | None => Json::Text(Cow::Borrowed(text)),
    }
}

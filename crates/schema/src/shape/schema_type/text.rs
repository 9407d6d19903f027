//! Checks strings with a fixed format, such as dates, date-times and UUIDs, and creates their JSON Schema.

use serde_json::{Map, Value};

use super::Scalar;
use super::string::bad_format;
use crate::pending_violation::{PendingViolation, ViolationSink};

#[inline]
pub(in crate::shape) fn check_form<S: ViolationSink>(
    value: Scalar<'_>,
    format: &'static str,
    holds: impl FnOnce(&str) -> bool,
    sink: &mut S,
) {
    match value {
        Scalar::Text(text) if holds(text) => {}
        Scalar::Text(_) => sink.report(|| bad_format(format)),
        other => sink.report(|| PendingViolation::wrong_type("string", other.type_name())),
    }
}

pub(in crate::shape) fn form_schema(format: &str) -> Map<String, Value> {
    Map::from_iter([("type".to_owned(), "string".into()), ("format".to_owned(), format.into())])
}

//! Defines the boolean type.

use serde_json::{Map, Value};

use super::{Scalar, ScalarRules};
use crate::pending_violation::{PendingViolation, ViolationSink};

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BooleanType;

impl ScalarRules for BooleanType {
    fn name(&self) -> &'static str {
        "boolean"
    }

    fn type_name(&self) -> &'static str {
        "boolean"
    }

    #[inline]
    fn check<S: ViolationSink>(&self, value: Scalar<'_>, sink: &mut S) {
        if !matches!(value, Scalar::Boolean(_)) {
            sink.report(|| PendingViolation::wrong_type("boolean", value.type_name()));
        }
    }

    fn read_text<'t>(&self, text: &'t str) -> Option<Scalar<'t>> {
        match text {
            "true" => Some(Scalar::Boolean(true)),
            "false" => Some(Scalar::Boolean(false)),
            _ => None,
        }
    }

    fn schema(&self) -> Map<String, Value> {
        Map::from_iter([("type".to_owned(), "boolean".into())])
    }
}

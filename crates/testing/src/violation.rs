//! Defines [`TestViolation`], a violation in a problem response.

use restwright_runtime::core::problem::RequestViolation;
use serde::Deserialize;
use serde_json::{Map, Value};

/// A violation in the `errors` array of a problem.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct TestViolation {
    /// The part of the request that contains the violation. It is `body`, `path`, `query`, `header` or `cookie`.
    #[serde(rename = "in")]
    pub location: String,
    /// The JSON Pointer to the invalid value within this part of the request.
    pub pointer: String,
    /// The code of the violated rule.
    pub code: String,
    /// The human-readable message.
    pub message: String,
    /// The parameters of the rule.
    #[serde(default)]
    pub params: Map<String, Value>,
}

impl From<&RequestViolation> for TestViolation {
    fn from(found: &RequestViolation) -> Self {
        Self {
            location: found.location.as_str().to_owned(),
            pointer: found.violation.pointer.clone(),
            code: found.violation.code.as_str().to_owned(),
            message: found.violation.message.clone(),
            params: found.violation.params.clone(),
        }
    }
}

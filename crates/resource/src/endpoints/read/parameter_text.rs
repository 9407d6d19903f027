//! Defines [`parameter_text`], which formats JSON as the value of a parameter.

use serde_json::{Number, Value as Json};

/// Formats a scalar as the value of a parameter.
pub(in crate::endpoints) fn parameter_text(value: &Json) -> String {
    match value {
        Json::String(text) => text.clone(),
        // An integer in JSON may have a fraction of zero.
        Json::Number(number) => whole(number).unwrap_or_else(|| number.to_string()),
        other => other.to_string(),
    }
}

fn whole(number: &Number) -> Option<String> {
    let float = number.as_f64().filter(|_| number.is_f64())?;
    (float.fract() == 0.0).then(|| format!("{float:.0}"))
}

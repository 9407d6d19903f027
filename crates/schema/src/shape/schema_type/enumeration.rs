//! Defines enumerations of strings or integers.

use serde_json::{Map, Value};

use super::integer::IntegerType;
use super::{Scalar, ScalarRules};
use crate::code::Code;
use crate::number::Number;
use crate::pending_violation::{PendingViolation, ViolationSink};

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct EnumerationType {
    /// The values in the order of their declaration, for the OpenAPI document.
    values: Vec<Value>,
    /// The sorted values of an enumeration of strings. Empty for an enumeration of integers.
    texts: Vec<String>,
    numbers: Vec<Number>,
}

impl EnumerationType {
    pub(in crate::shape) fn new(values: Vec<Value>) -> Self {
        let mut texts: Vec<_> = values.iter().filter_map(Value::as_str).map(str::to_owned).collect();
        let mut numbers: Vec<_> = values.iter().filter_map(Value::as_number).filter_map(Number::of).collect();
        texts.sort_unstable();
        numbers.sort_unstable();
        Self { values, texts, numbers }
    }

    fn is_of_texts(&self) -> bool {
        self.numbers.is_empty()
    }

    pub(in crate::shape) fn has_only_texts(&self) -> bool {
        self.texts.len() == self.values.len()
    }

    fn contains(&self, value: Scalar<'_>) -> bool {
        match value {
            Scalar::Text(text) => self.texts.binary_search_by(|known| known.as_str().cmp(text)).is_ok(),
            Scalar::Number(number) => self.numbers.binary_search(&number).is_ok(),
            Scalar::Boolean(_) => false,
        }
    }
}

impl ScalarRules for EnumerationType {
    fn name(&self) -> &'static str {
        "enumeration"
    }

    fn type_name(&self) -> &'static str {
        if self.is_of_texts() { "string" } else { "integer" }
    }

    fn conflicts(&self) -> Vec<String> {
        let mut conflicts = Vec::new();
        let uniform = self.values.len() == self.texts.len()
            || (self.values.len() == self.numbers.len() && self.numbers.iter().all(|number| number.is_integer()));
        if self.values.is_empty() {
            conflicts.push("an enumeration without values allows nothing; add at least one value".to_owned());
        } else if !uniform {
            conflicts
                .push("an enumeration must have either strings or integers; write all values as one type".to_owned());
        }
        let repeated = self.texts.windows(2).any(|pair| matches!(pair, [left, right] if left == right))
            || self.numbers.windows(2).any(|pair| matches!(pair, [left, right] if left == right));
        if repeated {
            conflicts.push("an enumeration contains a value twice; remove one".to_owned());
        }
        conflicts
    }

    #[inline]
    fn normal<'v>(&self, value: Scalar<'v>) -> Scalar<'v> {
        match value {
            Scalar::Number(number) => Scalar::Number(number.normal()),
            other => other,
        }
    }

    #[inline]
    fn check<S: ViolationSink>(&self, value: Scalar<'_>, sink: &mut S) {
        if self.contains(value) {
            return;
        }
        sink.report(|| match (value, self.is_of_texts()) {
            (Scalar::Text(_), true) | (Scalar::Number(_), false) => {
                let allowed = self.values.iter().map(plain).collect::<Vec<_>>().join(", ");
                PendingViolation::new(Code::ENUM, format!("must be one of: {allowed}"))
                    .param("allowed", self.values.clone())
            }
            _ => PendingViolation::wrong_type(self.type_name(), value.type_name()),
        });
    }

    fn read_text<'t>(&self, text: &'t str) -> Option<Scalar<'t>> {
        if self.is_of_texts() { Some(Scalar::Text(text)) } else { IntegerType::plain().read_text(text) }
    }

    fn schema(&self) -> Map<String, Value> {
        Map::from_iter([
            ("type".to_owned(), self.type_name().into()),
            ("enum".to_owned(), Value::Array(self.values.clone())),
        ])
    }
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

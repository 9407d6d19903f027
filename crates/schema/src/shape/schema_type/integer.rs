//! Defines the integer types of every width. They are published with their bounds, and with the format `int32` or
//! `int64`.

use serde_json::{Map, Value};

use super::number::NumberRange;
use super::{Scalar, ScalarRules};
use crate::code::Code;
use crate::constraint::{Constraint, ConstraintError};
use crate::decimal::Decimal;
use crate::number::Number;
use crate::pending_violation::{PendingViolation, ViolationSink};

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct IntegerType {
    /// The name of the type in error messages.
    name: &'static str,
    range: NumberRange,
    /// `true` if 0 is not allowed.
    without_zero: bool,
}

impl IntegerType {
    /// Creates a signed 64-bit integer type.
    pub(in crate::shape) fn plain() -> Self {
        Self::new("integer", i64::MIN, i64::MAX)
    }

    pub(crate) fn new(name: &'static str, lowest: impl Into<Number>, highest: impl Into<Number>) -> Self {
        Self { name, range: NumberRange::between(lowest.into(), highest.into()), without_zero: false }
    }

    /// Returns the published format, which is `int32` for types that fit in 32 signed bits, and otherwise `int64`.
    /// Client generators treat other formats as 32 bits.
    fn format(&self) -> &'static str {
        match self.name {
            "int8" | "int16" | "int32" | "uint8" | "uint16" => "int32",
            _ => "int64",
        }
    }

    /// Returns `true` if the type has no negative values.
    pub(in crate::shape) fn is_unsigned(&self) -> bool {
        self.name.starts_with('u')
    }

    /// Returns a copy of the integer type that rejects 0.
    pub(crate) fn without_zero(mut self) -> Self {
        self.without_zero = true;
        self
    }
}

impl ScalarRules for IntegerType {
    const TAKES: &'static [&'static str] = NumberRange::TAKES;

    fn name(&self) -> &'static str {
        self.name
    }

    fn type_name(&self) -> &'static str {
        "integer"
    }

    fn constrain(&mut self, constraint: &Constraint) -> Result<(), ConstraintError> {
        if let Constraint::Minimum(bound)
        | Constraint::Maximum(bound)
        | Constraint::ExclusiveMinimum(bound)
        | Constraint::ExclusiveMaximum(bound)
        | Constraint::MultipleOf(bound) = constraint
            && !bound.is_integer()
        {
            let name = constraint.name();
            return Err(ConstraintError::Invalid(format!("`{name}` of an integer is {bound}; write a whole number")));
        }
        self.range.constrain(constraint)
    }

    fn conflicts(&self) -> Vec<String> {
        self.range.conflicts()
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
        match value {
            Scalar::Number(number) if number.is_integer() => {
                self.range.check_integer(number, sink);
                if self.without_zero && number == Number::from(0) {
                    sink.report(|| PendingViolation::new(Code::NON_ZERO, "must not be 0"));
                }
            }
            other => sink.report(|| PendingViolation::wrong_type("integer", other.type_name())),
        }
    }

    fn read_text<'t>(&self, text: &'t str) -> Option<Scalar<'t>> {
        let decimal = Decimal::parse(text)?;
        decimal.plain_integer().or_else(|| decimal.to_integer()).map(Scalar::Number)
    }

    fn schema(&self) -> Map<String, Value> {
        let mut schema = Map::from_iter([("type".to_owned(), "integer".into())]);
        schema.insert("format".to_owned(), self.format().into());
        self.range.publish(&mut schema);
        if self.without_zero {
            schema.insert("not".to_owned(), serde_json::json!({ "const": 0 }));
        }
        schema
    }
}

//! Defines the number types `double` and `float`, and [`NumberRange`] for the bounds of numbers and integers.

use serde_json::{Map, Value};

use super::{Scalar, ScalarRules};
use crate::code::Code;
use crate::constraint::{Constraint, ConstraintError, conflict};
use crate::decimal::Decimal;
use crate::multiple::is_multiple_of;
use crate::number::Number;
use crate::pending_violation::{PendingViolation, ViolationSink};

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NumberType {
    single_precision: bool,
    range: NumberRange,
}

impl NumberType {
    pub(crate) fn double() -> Self {
        Self { single_precision: false, range: NumberRange::default() }
    }

    pub(crate) fn float() -> Self {
        // `f32::MAX` as JSON writers write it. It is slightly above `f32::MAX` and is read as `f32::MAX`.
        let largest = 3.402_823_5e38;
        Self { single_precision: true, range: NumberRange::between((-largest).into(), largest.into()) }
    }
}

impl ScalarRules for NumberType {
    const TAKES: &'static [&'static str] = NumberRange::TAKES;

    fn name(&self) -> &'static str {
        if self.single_precision { "float" } else { "number" }
    }

    fn type_name(&self) -> &'static str {
        "number"
    }

    fn constrain(&mut self, constraint: &Constraint) -> Result<(), ConstraintError> {
        self.range.constrain(constraint)
    }

    fn conflicts(&self) -> Vec<String> {
        self.range.conflicts()
    }

    #[inline]
    fn check<S: ViolationSink>(&self, value: Scalar<'_>, sink: &mut S) {
        match value {
            Scalar::Number(number) => self.range.check(number, sink),
            other => sink.report(|| PendingViolation::wrong_type("number", other.type_name())),
        }
    }

    fn read_text<'t>(&self, text: &'t str) -> Option<Scalar<'t>> {
        number_from_text(text)
    }

    fn schema(&self) -> Map<String, Value> {
        let format = if self.single_precision { "float" } else { "double" };
        let mut schema = Map::from_iter([("type".to_owned(), "number".into()), ("format".to_owned(), format.into())]);
        self.range.publish(&mut schema);
        schema
    }
}

/// Parses a JSON number (RFC 8259, section 6) from the string of a parameter.
fn number_from_text<'t>(text: &str) -> Option<Scalar<'t>> {
    Decimal::parse(text)?;
    serde_json::from_str::<serde_json::Number>(text).ok().and_then(|number| Number::of(&number)).map(Scalar::Number)
}

/// The bounds and the step (`multiple_of`) of a number.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::shape) struct NumberRange {
    minimum: Option<Number>,
    maximum: Option<Number>,
    exclusive_minimum: Option<Number>,
    exclusive_maximum: Option<Number>,
    multiple_of: Option<Number>,
}

impl NumberRange {
    pub(in crate::shape) const TAKES: &'static [&'static str] =
        &["minimum", "maximum", "exclusive_minimum", "exclusive_maximum", "multiple_of"];

    pub(in crate::shape) fn between(minimum: Number, maximum: Number) -> Self {
        Self { minimum: Some(minimum), maximum: Some(maximum), ..Self::default() }
    }

    /// Adds a constraint on numbers. A bound outside of the bounds of the type has no effect.
    pub(in crate::shape) fn constrain(&mut self, constraint: &Constraint) -> Result<(), ConstraintError> {
        match constraint {
            Constraint::Minimum(bound) => self.minimum = self.minimum.max(Some(*bound)),
            Constraint::Maximum(bound) => {
                self.maximum = Some(self.maximum.map_or(*bound, |maximum| maximum.min(*bound)));
            }
            Constraint::ExclusiveMinimum(bound) => self.exclusive_minimum = Some(*bound),
            Constraint::ExclusiveMaximum(bound) => self.exclusive_maximum = Some(*bound),
            Constraint::MultipleOf(step) if *step > Number::from(0) => self.multiple_of = Some(*step),
            Constraint::MultipleOf(step) => {
                return Err(ConstraintError::Invalid(format!("`multiple_of` is {step}; write a step greater than 0")));
            }
            _ => return Err(ConstraintError::Misfit),
        }
        Ok(())
    }

    pub(in crate::shape) fn conflicts(&self) -> Vec<String> {
        let lower = [("minimum", self.minimum), ("exclusive_minimum", self.exclusive_minimum)];
        let upper = [("maximum", self.maximum), ("exclusive_maximum", self.exclusive_maximum)];
        lower.iter().flat_map(|lower| upper.iter().filter_map(|upper| conflict(*lower, *upper))).collect()
    }

    #[inline]
    pub(in crate::shape) fn check<S: ViolationSink>(&self, value: Number, sink: &mut S) {
        self.check_bounds(value, sink);
        self.check_step(value, sink);
    }

    /// Checks an integer against the bounds and the step. The step of an integer beyond 64 bits is not checked, because
    /// its exact digits are unknown. The bounds already reject such an integer.
    #[inline]
    pub(in crate::shape) fn check_integer<S: ViolationSink>(&self, value: Number, sink: &mut S) {
        self.check_bounds(value, sink);
        if !value.normal().is_float() {
            self.check_step(value, sink);
        }
    }

    #[inline]
    fn check_bounds<S: ViolationSink>(&self, value: Number, sink: &mut S) {
        if let Some(bound) = self.minimum
            && value < bound
        {
            sink.report(|| beyond(Code::MINIMUM, "minimum", "must be at least", bound));
        }
        if let Some(bound) = self.maximum
            && value > bound
        {
            sink.report(|| beyond(Code::MAXIMUM, "maximum", "must be at most", bound));
        }
        if let Some(bound) = self.exclusive_minimum
            && value <= bound
        {
            sink.report(|| beyond(Code::EXCLUSIVE_MINIMUM, "exclusive_minimum", "must be above", bound));
        }
        if let Some(bound) = self.exclusive_maximum
            && value >= bound
        {
            sink.report(|| beyond(Code::EXCLUSIVE_MAXIMUM, "exclusive_maximum", "must be below", bound));
        }
    }

    #[inline]
    fn check_step<S: ViolationSink>(&self, value: Number, sink: &mut S) {
        if let Some(step) = self.multiple_of
            && !is_multiple_of(value, step)
        {
            sink.report(|| beyond(Code::MULTIPLE_OF, "multiple_of", "must be a multiple of", step));
        }
    }

    pub(in crate::shape) fn publish(&self, schema: &mut Map<String, Value>) {
        // The format `int64` implies its bounds. Clients that read doubles would round the upper bound to 2^63.
        let bounds = [
            ("minimum", self.minimum.filter(|bound| *bound != Number::from(i64::MIN))),
            ("maximum", self.maximum.filter(|bound| *bound != Number::from(i64::MAX))),
            ("exclusiveMinimum", self.exclusive_minimum),
            ("exclusiveMaximum", self.exclusive_maximum),
            ("multipleOf", self.multiple_of),
        ];
        for (name, bound) in bounds {
            if let Some(bound) = bound {
                schema.insert(name.to_owned(), bound.normal().to_value());
            }
        }
    }
}

pub(in crate::shape) fn beyond(code: Code, name: &str, phrase: &str, bound: Number) -> PendingViolation {
    let bound = bound.normal();
    PendingViolation::new(code, format!("{phrase} {bound}")).param(name, bound.to_value())
}

//! Exact decimal numbers, written as strings: `"12.50"`. The scale is the maximum number of digits after the point.

use rust_decimal::Decimal;
use serde_json::{Map, Value};

use super::{Scalar, ScalarRules};
use crate::code::Code;
use crate::constraint::{Constraint, ConstraintError, conflict};
use crate::number::Number;
use crate::pending_violation::{PendingViolation, ViolationSink, counted};

/// The maximum number of digits of a value. `Decimal` stores every number of 28 digits.
const MOST_DIGITS: usize = 28;

/// The maximum number of significant digits that a 64-bit float preserves.
const EXACT_DIGITS: usize = 15;

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct DecimalType {
    minimum: Option<Decimal>,
    maximum: Option<Decimal>,
    exclusive_minimum: Option<Decimal>,
    exclusive_maximum: Option<Decimal>,
    scale: Option<u32>,
}

impl DecimalType {
    pub(in crate::shape) fn scale(&self) -> Option<u32> {
        self.scale
    }

    /// Returns the value of a string. Fails if the string is not a decimal, or has too many digits.
    fn read(&self, text: &str) -> Result<Decimal, PendingViolation> {
        let (integer, fraction) = digits(text).ok_or_else(|| {
            PendingViolation::new(Code::FORMAT, "must be a decimal number, such as 12.50").param("format", "decimal")
        })?;
        let scale = self.scale.map_or(MOST_DIGITS, |scale| scale.try_into().unwrap_or(MOST_DIGITS));
        if self.scale.is_some() && fraction > scale {
            let message = format!("must have at most {} after the point", counted(scale, "digit", "digits"));
            let step = Decimal::new(1, self.scale.unwrap_or_default()).to_string();
            return Err(PendingViolation::new(Code::MULTIPLE_OF, message).param("multiple_of", step));
        }
        // Leaves space for the digits that a response adds.
        let reserved = self.scale.map_or(fraction, |_| scale);
        let read = if integer + reserved > MOST_DIGITS { None } else { Decimal::from_str_exact(text).ok() };
        read.ok_or_else(|| {
            let most = self.scale.map_or(MOST_DIGITS, |_| MOST_DIGITS - scale);
            let place = if self.scale.is_some() { " before the point" } else { "" };
            let message = format!("must have at most {}{place}", counted(most, "digit", "digits"));
            PendingViolation::new(Code::FORMAT, message).param("format", "decimal")
        })
    }

    fn bounds(&self) -> [(&'static str, Option<Decimal>); 4] {
        [
            ("minimum", self.minimum),
            ("maximum", self.maximum),
            ("exclusive_minimum", self.exclusive_minimum),
            ("exclusive_maximum", self.exclusive_maximum),
        ]
    }
}

impl ScalarRules for DecimalType {
    const TAKES: &'static [&'static str] = &["minimum", "maximum", "exclusive_minimum", "exclusive_maximum", "scale"];

    fn name(&self) -> &'static str {
        "decimal"
    }

    fn constrain(&mut self, constraint: &Constraint) -> Result<(), ConstraintError> {
        let name = constraint.name();
        match constraint {
            Constraint::Minimum(bound) => self.minimum = Some(exact(name, *bound)?),
            Constraint::Maximum(bound) => self.maximum = Some(exact(name, *bound)?),
            Constraint::ExclusiveMinimum(bound) => self.exclusive_minimum = Some(exact(name, *bound)?),
            Constraint::ExclusiveMaximum(bound) => self.exclusive_maximum = Some(exact(name, *bound)?),
            Constraint::Scale(digits) if usize::try_from(*digits).is_ok_and(|digits| digits <= MOST_DIGITS) => {
                self.scale = Some(*digits);
            }
            Constraint::Scale(digits) => {
                let message = format!("`scale` is {digits}; write a number from 0 to {MOST_DIGITS}");
                return Err(ConstraintError::Invalid(message));
            }
            _ => return Err(ConstraintError::Misfit),
        }
        Ok(())
    }

    fn conflicts(&self) -> Vec<String> {
        let [minimum, maximum, exclusive_minimum, exclusive_maximum] = self.bounds();
        let lower = [minimum, exclusive_minimum];
        let upper = [maximum, exclusive_maximum];
        lower.iter().flat_map(|lower| upper.iter().filter_map(|upper| conflict(*lower, *upper))).collect()
    }

    fn check<S: ViolationSink>(&self, value: Scalar<'_>, sink: &mut S) {
        let Scalar::Text(text) = value else {
            return sink.report(|| PendingViolation::wrong_type("string", value.type_name()));
        };
        let value = match self.read(text) {
            Ok(value) => value,
            Err(violation) => return sink.report(|| violation),
        };
        let [minimum, maximum, exclusive_minimum, exclusive_maximum] = self.bounds().map(|(_, bound)| bound);
        let mut check = |broken: Option<Decimal>, code: Code, name: &str, phrase: &str| {
            if let Some(bound) = broken {
                sink.report(|| PendingViolation::new(code, format!("{phrase} {bound}")).param(name, bound.to_string()));
            }
        };
        check(minimum.filter(|bound| value < *bound), Code::MINIMUM, "minimum", "must be at least");
        check(maximum.filter(|bound| value > *bound), Code::MAXIMUM, "maximum", "must be at most");
        let is_not_above = exclusive_minimum.filter(|bound| value <= *bound);
        check(is_not_above, Code::EXCLUSIVE_MINIMUM, "exclusive_minimum", "must be above");
        let is_not_below = exclusive_maximum.filter(|bound| value >= *bound);
        check(is_not_below, Code::EXCLUSIVE_MAXIMUM, "exclusive_maximum", "must be below");
    }

    /// Returns the published schema. JSON Schema has no bounds for strings, so they are extensions.
    fn schema(&self) -> Map<String, Value> {
        let pattern = match self.scale {
            None => format!(r"^-?(0|[1-9][0-9]{{0,{}}})(\.[0-9]{{1,{MOST_DIGITS}}})?$", MOST_DIGITS - 1),
            Some(scale) => {
                let scale = usize::try_from(scale).unwrap_or_default();
                let integer = match MOST_DIGITS.saturating_sub(scale) {
                    0 => "0".to_owned(),
                    1 => "[0-9]".to_owned(),
                    digits => format!("(0|[1-9][0-9]{{0,{}}})", digits - 1),
                };
                let fraction = if scale == 0 { String::new() } else { format!(r"(\.[0-9]{{1,{scale}}})?") };
                format!("^-?{integer}{fraction}$")
            }
        };
        let mut schema = Map::new();
        schema.insert("type".to_owned(), "string".into());
        schema.insert("pattern".to_owned(), pattern.into());
        schema.insert("format".to_owned(), "decimal".into());
        let names = ["x-minimum", "x-maximum", "x-exclusiveMinimum", "x-exclusiveMaximum"];
        for (name, (_, bound)) in names.into_iter().zip(self.bounds()) {
            schema.extend(bound.map(|bound| (name.to_owned(), bound.to_string().into())));
        }
        schema
    }
}

/// Returns the number of digits before and after the point. A single 0 before the point does not count. Returns `None` if the
/// string is not a decimal.
fn digits(text: &str) -> Option<(usize, usize)> {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let (integer, fraction) = match unsigned.split_once('.') {
        Some((_, "")) => return None,
        Some(parts) => parts,
        None => (unsigned, ""),
    };
    let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let is_number = !integer.is_empty() && are_digits(integer) && are_digits(fraction);
    match integer {
        _ if !is_number => None,
        "0" => Some((0, fraction.len())),
        _ if integer.starts_with('0') => None,
        _ => Some((integer.len(), fraction.len())),
    }
}

/// Converts a bound. Fails if the digits of a float were already rounded, because bounds are compared exactly.
fn exact(name: &str, bound: Number) -> Result<Decimal, ConstraintError> {
    let text = match (bound.as_i64(), bound.as_u64()) {
        (Some(integer), _) => integer.to_string(),
        (None, Some(integer)) => integer.to_string(),
        (None, None) => bound.as_f64().to_string(),
    };
    let significant = text.trim_start_matches(['-', '0', '.']).bytes().filter(u8::is_ascii_digit).count();
    let is_exact = bound.is_integer() || significant <= EXACT_DIGITS;
    Decimal::from_str_exact(&text).ok().filter(|_| is_exact).map(|bound| bound.normalize()).ok_or_else(|| {
        let message = format!("`{name}` of a decimal is {bound}; write a number of at most {EXACT_DIGITS} digits");
        ConstraintError::Invalid(message)
    })
}

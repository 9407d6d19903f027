//! Defines [`Number`], a JSON number with exact comparison.

use std::cmp::Ordering;
use std::fmt;

use serde::de::{Error, Visitor};
use serde_json::Value;

/// A finite JSON number, such as the `minimum` of a property. Comparisons are exact.
///
/// Integers are stored with 64 bits. Integers and floats are compared by value, without rounding: `1` equals `1.0`, and
/// `9007199254740993` is above `9007199254740992.0`. NaN and infinities are not representable.
#[derive(Clone, Copy)]
pub struct Number(NumberRepr);

#[derive(Clone, Copy)]
enum NumberRepr {
    Signed(i64),
    /// An integer above `i64::MAX`.
    Unsigned(u64),
    Float(f64),
}

impl Number {
    /// Creates a number from a float. Returns `None` for NaN and infinities.
    #[must_use]
    pub fn finite(value: f64) -> Option<Self> {
        value.is_finite().then_some(Self(NumberRepr::Float(value)))
    }

    /// Returns the number as a 64-bit float. An integer beyond 2^53 is rounded.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "rounding is what is asked for")]
    pub fn as_f64(self) -> f64 {
        match self.0 {
            NumberRepr::Signed(value) => value as f64,
            NumberRepr::Unsigned(value) => value as f64,
            NumberRepr::Float(value) => value,
        }
    }

    /// Returns the number as a signed 64-bit integer. `1.0` becomes `1`. Returns `None` if the number has a fraction or
    /// is out of range.
    #[must_use]
    pub fn as_i64(self) -> Option<i64> {
        self.integral().and_then(|value| i64::try_from(value).ok())
    }

    /// Returns the number as an unsigned 64-bit integer. Returns `None` if the number has a fraction or is out of
    /// range.
    #[must_use]
    pub fn as_u64(self) -> Option<u64> {
        self.integral().and_then(|value| u64::try_from(value).ok())
    }

    /// Returns `true` if the number has no fractional part.
    #[must_use]
    pub fn is_integer(self) -> bool {
        match self.0 {
            NumberRepr::Signed(_) | NumberRepr::Unsigned(_) => true,
            NumberRepr::Float(value) => value.fract() == 0.0,
        }
    }

    /// Returns the number as a JSON value.
    #[must_use]
    pub fn to_value(self) -> Value {
        match self.0 {
            NumberRepr::Signed(value) => value.into(),
            NumberRepr::Unsigned(value) => value.into(),
            NumberRepr::Float(value) => value.into(),
        }
    }

    /// Converts a number from serde_json. Returns `None` if it exceeds the range of doubles.
    pub(crate) fn of(number: &serde_json::Number) -> Option<Self> {
        number
            .as_i64()
            .map(Self::from)
            .or_else(|| number.as_u64().map(Self::from))
            .or_else(|| number.as_f64().and_then(Self::finite))
    }

    /// Returns the number as an integer, if it is integral and below 2^127.
    pub(crate) fn integral(self) -> Option<i128> {
        match self.0 {
            NumberRepr::Signed(value) => Some(value.into()),
            NumberRepr::Unsigned(value) => Some(value.into()),
            NumberRepr::Float(value) if value.fract() == 0.0 && value.abs() < EXACT_LIMIT => Some(truncated(value)),
            NumberRepr::Float(_) => None,
        }
    }

    /// Converts an integral float such as `1.0` to an integer. Returns other numbers unchanged.
    pub(crate) fn normal(self) -> Self {
        if let NumberRepr::Float(_) = self.0 {
            if let Some(value) = self.as_i64() {
                return value.into();
            }
            if let Some(value) = self.as_u64() {
                return value.into();
            }
        }
        self
    }

    fn compare_mixed(&self, other: &Self) -> Ordering {
        match (self.0, other.0) {
            (NumberRepr::Float(left), NumberRepr::Signed(right)) if right.unsigned_abs() <= EXACT_FLOAT => {
                order(left, other.as_f64())
            }
            (NumberRepr::Signed(left), NumberRepr::Float(right)) if left.unsigned_abs() <= EXACT_FLOAT => {
                order(self.as_f64(), right)
            }
            (NumberRepr::Float(left), right) => compare_integer_with_float(right.integer(), left).reverse(),
            (left, NumberRepr::Float(right)) => compare_integer_with_float(left.integer(), right),
            (left, right) => left.integer().cmp(&right.integer()),
        }
    }

    pub(crate) fn is_float(self) -> bool {
        matches!(self.0, NumberRepr::Float(_))
    }

    /// Passes the number to the same visitor method that serde_json would call.
    #[inline]
    pub(crate) fn visit<'de, V: Visitor<'de>, E: Error>(self, visitor: V) -> Result<V::Value, E> {
        match self.0 {
            NumberRepr::Signed(value) => match u64::try_from(value) {
                Ok(value) => visitor.visit_u64(value),
                Err(_) => visitor.visit_i64(value),
            },
            NumberRepr::Unsigned(value) => visitor.visit_u64(value),
            NumberRepr::Float(value) => visitor.visit_f64(value),
        }
    }
}

/// The number 2^53, up to which a float can represent every integer.
const EXACT_FLOAT: u64 = 1 << 53;

/// Compares two finite floats.
#[inline]
fn order(left: f64, right: f64) -> Ordering {
    left.partial_cmp(&right).unwrap_or(Ordering::Equal)
}

/// The number 2^127, below which every integral float converts to an exact `i128`.
const EXACT_LIMIT: f64 = 170_141_183_460_469_231_731_687_303_715_884_105_728.0;

#[expect(clippy::cast_possible_truncation, reason = "callers hold the value below 2^127, and -2^127 is exact")]
fn truncated(value: f64) -> i128 {
    value as i128
}

impl Ord for Number {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.0, other.0) {
            (NumberRepr::Signed(left), NumberRepr::Signed(right)) => left.cmp(&right),
            (NumberRepr::Float(left), NumberRepr::Float(right)) => order(left, right),
            _ => self.compare_mixed(other),
        }
    }
}

/// Compares an integer with a float by value, without rounding the integer. NaN is above every integer.
///
/// ```
/// use std::cmp::Ordering;
/// use restwright_schema::compare_integer_with_float;
///
/// assert_eq!(compare_integer_with_float(9_007_199_254_740_993, 9_007_199_254_740_992.0), Ordering::Greater);
/// assert_eq!(compare_integer_with_float(1, 1.5), Ordering::Less);
/// ```
#[must_use]
pub fn compare_integer_with_float(integer: i128, float: f64) -> Ordering {
    if float >= EXACT_LIMIT || float.is_nan() {
        return Ordering::Less;
    }
    if float < -EXACT_LIMIT {
        return Ordering::Greater;
    }
    let fraction = if float.fract() == 0.0 { Ordering::Equal } else { Ordering::Less };
    integer.cmp(&truncated(float.floor())).then(fraction)
}

impl NumberRepr {
    /// Returns the number as an integer. Returns 0 for a float, which callers must handle first.
    fn integer(self) -> i128 {
        match self {
            Self::Signed(value) => value.into(),
            Self::Unsigned(value) => value.into(),
            Self::Float(_) => 0,
        }
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Number {}

impl fmt::Display for Number {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.to_value(), formatter)
    }
}

impl fmt::Debug for Number {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

macro_rules! from_small {
    ($($integer:ty),*) => {$(
        impl From<$integer> for Number {
            fn from(value: $integer) -> Self {
                Self(NumberRepr::Signed(value.into()))
            }
        }
    )*};
}

from_small!(i8, i16, i32, i64, u8, u16, u32);

impl From<u64> for Number {
    fn from(value: u64) -> Self {
        Self(i64::try_from(value).map_or(NumberRepr::Unsigned(value), NumberRepr::Signed))
    }
}

impl From<usize> for Number {
    fn from(value: usize) -> Self {
        u64::try_from(value).unwrap_or(u64::MAX).into()
    }
}

impl From<isize> for Number {
    fn from(value: isize) -> Self {
        i64::try_from(value).unwrap_or(i64::MAX).into()
    }
}

/// Converts a float, such as a `minimum`, to a finite number. Infinities become the nearest finite number, and NaN
/// becomes the largest.
impl From<f64> for Number {
    fn from(value: f64) -> Self {
        let value = if value.is_nan() { f64::MAX } else { value.clamp(f64::MIN, f64::MAX) };
        Self(NumberRepr::Float(value))
    }
}

impl From<f32> for Number {
    fn from(value: f32) -> Self {
        f64::from(value).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_compare_by_value_and_exactly() {
        let ascending = [
            Number::from(f64::MIN),
            i64::MIN.into(),
            (-1.5).into(),
            (-1).into(),
            0.into(),
            0.5.into(),
            1.into(),
            9_007_199_254_740_992.0.into(),
            9_007_199_254_740_993_i64.into(),
            i64::MAX.into(),
            9_223_372_036_854_775_808.0.into(),
            u64::MAX.into(),
            18_446_744_073_709_551_616.0.into(),
            f64::MAX.into(),
        ];
        for (i, left) in ascending.iter().enumerate() {
            for (j, right) in ascending.iter().enumerate() {
                assert_eq!(left.cmp(right), i.cmp(&j), "{left} and {right}");
            }
        }
        assert_eq!(Number::from(1), Number::from(1.0));
        assert_eq!(Number::from(0), Number::from(-0.0));
    }

    #[test]
    fn rejects_numbers_that_are_not_finite() {
        assert!(Number::finite(f64::NAN).is_none());
        assert!(Number::finite(f64::INFINITY).is_none());
        assert_eq!(Number::from(f64::INFINITY), Number::from(f64::MAX));
    }

    #[test]
    fn integral_floats_are_integers() {
        assert_eq!(Number::from(3.0).as_i64(), Some(3));
        assert_eq!(Number::from(3.5).as_i64(), None);
        assert_eq!(Number::from(1e300).as_i64(), None);
        assert_eq!(Number::from(18_446_744_073_709_549_568.0).normal().as_u64(), Some(18_446_744_073_709_549_568));
    }
}

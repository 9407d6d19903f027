//! Exact decimal numbers as values.

use rust_decimal::Decimal;

use super::{FieldValue, Value, ValueType};

impl FieldValue for Decimal {
    const VALUE_TYPE: ValueType = ValueType::Decimal;

    fn to_value(&self) -> Value<'_> {
        Value::Decimal(*self)
    }

    fn from_value(value: Value<'_>) -> Option<Self> {
        match value {
            Value::Decimal(value) => Some(value),
            Value::Text(text) => Self::from_str_exact(&text).ok(),
            _ => None,
        }
    }
}

impl From<Decimal> for Value<'_> {
    fn from(value: Decimal) -> Self {
        Self::Decimal(value)
    }
}

/// Returns the same number with exactly `scale` digits after the point. Without a scale, returns the shortest form.
///
/// Returns `None` if the number has more digits after the point, or if the result has more digits than a `Decimal`. It is never
/// rounded.
///
/// ```
/// use restwright_list::with_scale;
/// use rust_decimal::Decimal;
///
/// let text = |value: i64, digits, scale| with_scale(Decimal::new(value, digits), scale).map(|value| value.to_string());
/// assert_eq!(text(15, 1, Some(2)).as_deref(), Some("1.50"));
/// assert_eq!(text(1500, 3, None).as_deref(), Some("1.5"));
/// assert_eq!(text(1505, 3, Some(2)), None);
/// ```
#[must_use]
pub fn with_scale(value: Decimal, scale: Option<u32>) -> Option<Decimal> {
    // Also removes the sign of `-0`.
    let mut value = value.normalize();
    if let Some(scale) = scale {
        if value.scale() > scale {
            return None;
        }
        value.rescale(scale);
    }
    scale.is_none_or(|scale| value.scale() == scale).then_some(value)
}

//! `gt`, `gte`, `lt`, `lte` and `between`. Null is neither above nor below: it is sorted first, and no value that was asked for.

use crate::value::Value;

pub(crate) fn is_above(value: &Value<'_>, given: &Value<'_>) -> bool {
    !value.is_null() && value > given
}

pub(crate) fn is_from(value: &Value<'_>, given: &Value<'_>) -> bool {
    !value.is_null() && value >= given
}

pub(crate) fn is_below(value: &Value<'_>, given: &Value<'_>) -> bool {
    !value.is_null() && value < given
}

pub(crate) fn is_up_to(value: &Value<'_>, given: &Value<'_>) -> bool {
    !value.is_null() && value <= given
}

/// Both ends belong to it; when they are the wrong way round, nothing lies between them.
pub(crate) fn is_between(value: &Value<'_>, low: &Value<'_>, high: &Value<'_>) -> bool {
    is_from(value, low) && is_up_to(value, high)
}

//! `eq`, `ne` and `in`.

use crate::value::Value;

/// Null equals nothing that a client can give.
pub(crate) fn equals(value: &Value<'_>, given: &Value<'_>) -> bool {
    !value.is_null() && value == given
}

/// Everything that does not equal, so that `eq` and `ne` together hold for all.
pub(crate) fn differs(value: &Value<'_>, given: &Value<'_>) -> bool {
    !equals(value, given)
}

pub(crate) fn is_among(value: &Value<'_>, given: &[Value<'_>]) -> bool {
    given.iter().any(|given| equals(value, given))
}

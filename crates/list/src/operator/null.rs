//! `is_null`.

use crate::value::Value;

pub(crate) fn is_null(value: &Value<'_>, wanted: bool) -> bool {
    value.is_null() == wanted
}

//! `contains`, `starts_with` and `ends_with`: plain text, ignoring case.

use crate::expression::SearchText;
use crate::fold::fold;
use crate::value::Value;

pub(crate) fn contains(value: &Value<'_>, search: &SearchText) -> bool {
    holds(value, |text| text.contains(search.folded()))
}

pub(crate) fn starts_with(value: &Value<'_>, search: &SearchText) -> bool {
    holds(value, |text| text.starts_with(search.folded()))
}

pub(crate) fn ends_with(value: &Value<'_>, search: &SearchText) -> bool {
    holds(value, |text| text.ends_with(search.folded()))
}

/// Only a text holds a text.
fn holds(value: &Value<'_>, holds: impl FnOnce(&str) -> bool) -> bool {
    value.as_text().is_some_and(|text| holds(&fold(text)))
}

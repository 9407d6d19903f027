//! Reads the structure of a filter from its JSON text. Values keep their text, because a number of [`serde_json::Value`] may
//! lose digits.

use std::borrow::Cow;

use restwright_core::runtime::RawMembers;
use serde_json::value::RawValue;

/// Returns the members of an object, or `None` for another type.
pub(super) fn members(json: &RawValue) -> Option<Vec<(Cow<'_, str>, &RawValue)>> {
    serde_json::from_str(json.get()).ok().map(|RawMembers(members)| members)
}

/// Returns the items of an array, or `None` for another type.
pub(super) fn items(json: &RawValue) -> Option<Vec<&RawValue>> {
    serde_json::from_str(json.get()).ok()
}

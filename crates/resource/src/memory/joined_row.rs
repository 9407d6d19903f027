//! Defines [`JoinedRow`], an entity with values of its related entities.

use std::borrow::Cow;
use std::collections::BTreeMap;

use restwright_list::{Exists, Record, Value};

use super::tables::Row;

/// An entity with the values of related entities that a filter or an order names. The type of the entity is erased.
pub(super) struct JoinedRow<'v> {
    pub(super) row: Row,
    values: Vec<(&'v str, Value<'v>)>,
}

/// The values of one field in the related entities, by the values of their linked fields.
pub(super) struct ValuesOfRelated {
    name: String,
    /// The linked fields of the entity that refers to the related entities.
    links: Vec<String>,
    values: BTreeMap<Vec<Value<'static>>, Value<'static>>,
}

impl ValuesOfRelated {
    /// Collects the values of a field from the related entities that match `exists`. Without a field, each value is `true`.
    pub(super) fn new(name: String, exists: &Exists, field: Option<&str>, related: Vec<Row>) -> Self {
        let matching = related.into_iter().filter(|row| !row.is_deleted && exists.condition().holds(&*row.entity));
        let values = matching.filter_map(|row| {
            let key: Vec<_> = exists.links().map(|(theirs, _)| row.entity.value(theirs).into_owned()).collect();
            // Null does not equal null.
            let is_linked = !key.iter().any(Value::is_null);
            is_linked.then(|| (key, field.map_or(Value::Boolean(true), |field| row.entity.value(field).into_owned())))
        });
        let links = exists.links().map(|(_, own)| own.to_owned()).collect();
        Self { name, links, values: values.collect() }
    }

    /// Returns the value of the entity to which a row refers, or null if there is none.
    fn of(&self, row: &Row) -> Value<'_> {
        let key: Vec<_> = self.links.iter().map(|own| row.entity.value(own).into_owned()).collect();
        self.values.get(&key).map_or(Value::Null, borrowed)
    }
}

impl<'v> JoinedRow<'v> {
    pub(super) fn new(row: Row, related: &'v [ValuesOfRelated]) -> Self {
        let values = related.iter().map(|related| (related.name.as_str(), related.of(&row))).collect();
        Self { row, values }
    }
}

impl Record for JoinedRow<'_> {
    /// Returns `true`, because the store has checked the fields with the definition.
    fn has_field(_: &str) -> bool {
        true
    }

    fn value(&self, field: &str) -> Value<'_> {
        match self.values.iter().find(|(name, _)| *name == field) {
            Some((_, value)) => borrowed(value),
            None => self.row.entity.value(field),
        }
    }
}

/// Returns a value without a copy of its string.
fn borrowed<'v>(value: &'v Value<'_>) -> Value<'v> {
    match value {
        Value::Text(text) => Value::Text(Cow::Borrowed(text)),
        other => other.clone(),
    }
}

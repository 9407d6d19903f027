//! Defines [`JoinedRow`], an entity with values of its related entities.

use std::collections::BTreeMap;

use restwright_list::{Exists, Record, Value};

use super::tables::StoredRow;

/// An entity with the values of related entities that a filter or an order names.
pub(super) struct JoinedRow<'v> {
    pub(super) row: StoredRow,
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
    pub(super) fn new(name: String, exists: &Exists, field: Option<&str>, related: Vec<StoredRow>) -> Self {
        let matching = related.into_iter().filter(|row| !row.is_deleted && exists.condition().holds(&*row.row));
        let values = matching.filter_map(|row| {
            let key: Vec<_> = exists.links().map(|(theirs, _)| row.row.value(theirs).into_owned()).collect();
            // Null does not equal null.
            let is_linked = !key.iter().any(Value::is_null);
            is_linked.then(|| (key, field.map_or(Value::Boolean(true), |field| row.row.value(field).into_owned())))
        });
        let links = exists.links().map(|(_, own)| own.to_owned()).collect();
        Self { name, links, values: values.collect() }
    }

    /// Returns the value of the entity to which a row refers, or null if there is none.
    fn of(&self, row: &StoredRow) -> Value<'_> {
        let key: Vec<_> = self.links.iter().map(|own| row.row.value(own).into_owned()).collect();
        self.values.get(&key).map_or(Value::Null, Value::borrowed)
    }
}

impl<'v> JoinedRow<'v> {
    pub(super) fn new(row: StoredRow, related: &'v [ValuesOfRelated]) -> Self {
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
            Some((_, value)) => value.borrowed(),
            None => self.row.row.value(field),
        }
    }
}

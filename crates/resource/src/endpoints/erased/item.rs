//! Defines [`Item`], an entity in the response to a list, as its caller sees it.

use restwright_core::Result;
use restwright_core::runtime::Members;
use restwright_core::schema::{Registry, Schema, SchemaType};
use restwright_list::{ListSlice, Record, Uncounted, Value};
use serde::{Serialize, Serializer};

use super::any_entity::AnyEntity;
use super::member_changes::MemberChanges;

/// A part of a list, with entities of any resource.
pub(in crate::endpoints) type ListedEntities = ListSlice<Box<dyn AnyEntity>, Uncounted>;

/// An entity in the response to a list, as JSON. Its schema is the run-time schema of this type.
pub(in crate::endpoints) struct Item {
    json: Members,
    /// The values of the fields that a cursor contains. Only the first and the last entity of a response have them.
    values: Vec<(String, Value<'static>)>,
}

/// Converts the entities of a response to JSON. `fields` are the fields that a cursor contains.
pub(in crate::endpoints) fn items(
    entities: ListedEntities,
    fields: &[&str],
    changes: Option<&MemberChanges>,
) -> Result<ListSlice<Item, Uncounted>> {
    let last = entities.items.len().saturating_sub(1);
    let mut indexes = 0..;
    entities.try_map(|entity| {
        let index = indexes.next().unwrap_or_default();
        let fields = if index == 0 || index == last { fields } else { &[] };
        let value = |field: &&str| ((*field).to_owned(), entity.value(field).into_owned());
        let values = fields.iter().map(value).collect();
        let json = entity.into_item(changes.is_some_and(MemberChanges::removes_members));
        let json = match changes {
            None => json?,
            Some(changes) => changes.apply(index, json)?,
        };
        Ok(Item { json, values })
    })
}

/// Cursors contain values of entities. The names of their fields were checked when the Api was built.
impl Record for Item {
    fn has_field(_: &str) -> bool {
        true
    }

    fn value(&self, field: &str) -> Value<'_> {
        let found = self.values.iter().find(|(name, _)| name == field);
        found.map_or(Value::Null, |(_, value)| value.borrowed())
    }
}

impl Serialize for Item {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.json.serialize(serializer)
    }
}

impl Schema for Item {
    type Changes = Self;

    fn schema_type(registry: &mut Registry) -> SchemaType {
        registry.run_time_schema::<Self>()
    }
}

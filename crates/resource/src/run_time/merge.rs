//! Applies a JSON merge patch (RFC 7396) to an entity.

use restwright_core::schema::{PropertyCollection, SchemaSide};
use serde_json::{Map, Value};

/// Merges changes into the members of a JSON object (RFC 7396). Null removes an optional property, or sets it to its default.
pub(super) fn merge(target: &mut Map<String, Value>, changes: Map<String, Value>, shape: Option<&PropertyCollection>) {
    for (name, change) in changes {
        let property = shape.and_then(|shape| shape.properties().iter().find(|property| property.name() == name));
        match (change, target.get_mut(&name)) {
            (Value::Null, _) => {
                let default = property.and_then(|property| property.default());
                let is_kept = property.is_some_and(|property| property.is_required_in(SchemaSide::Output));
                match (default, is_kept) {
                    (Some(default), _) => drop(target.insert(name, default.clone())),
                    (None, true) => drop(target.insert(name, Value::Null)),
                    (None, false) => drop(target.shift_remove(&name)),
                }
            }
            (Value::Object(changes), Some(Value::Object(members))) => {
                merge(members, changes, property.and_then(|property| property.schema_type().as_collection()));
            }
            (Value::Object(changes), _) => {
                let mut members = Map::new();
                merge(&mut members, changes, property.and_then(|property| property.schema_type().as_collection()));
                target.insert(name, Value::Object(members));
            }
            (value, _) => drop(target.insert(name, value)),
        }
    }
}

#[cfg(test)]
mod tests {
    use restwright_core::schema::{int64, object, string};
    use serde_json::json;

    use super::*;

    #[test]
    fn merges_changes_into_objects() {
        let address = PropertyCollection::new("Address").property(string("city")).property(string("zip").optional());
        let shape = PropertyCollection::new("Pet")
            .property(string("name"))
            .property(string("note").optional())
            .property(int64("visits").default_value(1))
            .property(object("address", address).optional());
        let stored = json!({"name": "Rex", "note": "calm", "visits": 7, "address": {"city": "Oslo", "zip": "1"}});
        for (changes, expected) in [
            (json!({}), stored.clone()),
            (
                json!({"name": "Ada"}),
                json!({"name": "Ada", "note": "calm", "visits": 7, "address": {"city": "Oslo", "zip": "1"}}),
            ),
            (
                json!({"note": null, "visits": null, "address": {"zip": null}}),
                json!({"name": "Rex", "visits": 1, "address": {"city": "Oslo"}}),
            ),
            (json!({"address": null}), json!({"name": "Rex", "note": "calm", "visits": 7})),
        ] {
            let mut merged = stored.as_object().unwrap().clone();
            merge(&mut merged, changes.as_object().unwrap().clone(), Some(&shape));
            assert_eq!(Value::Object(merged), expected, "{changes}");
        }
        let mut bare = Map::new();
        merge(&mut bare, json!({"address": {"city": "Rome", "zip": null}}).as_object().unwrap().clone(), Some(&shape));
        assert_eq!(Value::Object(bare), json!({"address": {"city": "Rome"}}));
    }
}

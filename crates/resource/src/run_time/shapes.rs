//! Defines [`RunTimeShapes`], the schemas of a resource that is declared at run time.

use std::fmt;
use std::sync::{Arc, OnceLock};

use restwright_core::schema::{
    CompiledSchema, Property, PropertyCollection, Registry, SchemaObject, SchemaSide, pointer_to,
};
use restwright_list::ValueType;
use serde_json::{Map, Value as Json};

use super::bag::{self, ChangesBag, EntityBag, IdentifierBag, ItemBag, NewBag, ViewBag};
use crate::definition::{EntityDefinition, FieldDefinition};

/// The schemas of the request bodies, the view and the list items of a resource. They validate, change and project the values of bags.
pub(crate) struct RunTimeShapes {
    pub(super) entity: EntityDefinition,
    pub(super) whole: PropertyCollection,
    pub(super) new: PropertyCollection,
    pub(super) changes: PropertyCollection,
    pub(super) view: PropertyCollection,
    pub(super) item: PropertyCollection,
    pub(super) identifier: SchemaObject,
    /// The JSON Pointers of properties that are set only after an entity is created.
    pub(super) set_later: Vec<String>,
    pub(super) compiled: OnceLock<CompiledShapes>,
}

/// The compiled schemas, which check values and write responses.
pub(super) struct CompiledShapes {
    pub(super) whole: CompiledSchema,
    pub(super) new: CompiledSchema,
    pub(super) changes: CompiledSchema,
    pub(super) view: CompiledSchema,
    pub(super) item: CompiledSchema,
}

impl fmt::Debug for RunTimeShapes {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("RunTimeShapes").field("whole", &self.whole).finish_non_exhaustive()
    }
}

impl RunTimeShapes {
    /// Returns the description of the entity, or an empty string.
    pub(crate) fn description(&self) -> &str {
        self.whole.description_text().unwrap_or_default()
    }

    /// Returns the properties of the stored entity. Properties that a new entity does not contain yet are optional.
    pub(crate) fn stored(&self) -> PropertyCollection {
        let stored = self.whole.stored();
        let is_set_later = |property: &Property| self.set_later.contains(&pointer_to(property.name()));
        let properties = stored.properties().iter().cloned();
        let properties =
            properties.map(|property| if is_set_later(&property) { property.optional() } else { property });
        let name = format!("{}Entity", self.whole.name());
        properties.fold(PropertyCollection::new(name), PropertyCollection::property)
    }

    /// Registers the schemas of [`NewBag`] and the other bags in the registry, for the operation that is currently being prepared.
    pub(crate) fn set_in(&self, registry: &mut Registry) {
        registry.set_run_time_schema::<EntityBag>(self.whole.clone());
        registry.set_run_time_schema::<NewBag>(self.new.clone());
        registry.set_run_time_schema::<ChangesBag>(self.changes.clone());
        registry.set_run_time_schema::<ViewBag>(self.view.clone());
        registry.set_run_time_schema::<ItemBag>(self.item.clone());
        registry.set_run_time_schema::<IdentifierBag>(self.identifier.schema_type().clone());
        self.compiled.get_or_init(|| self.compile(registry));
    }

    pub(crate) fn create(self: &Arc<Self>, new: NewBag) -> EntityBag {
        let values = bag::members(self.compiled().new.project_value(&new.into_value()));
        EntityBag::new(Some(Arc::clone(self)), values)
    }

    /// Returns the compiled schemas. Compiles the schemas if the entities are used without endpoints.
    pub(super) fn compiled(&self) -> &CompiledShapes {
        self.compiled.get_or_init(|| self.compile(&mut Registry::new()))
    }

    fn compile(&self, registry: &mut Registry) -> CompiledShapes {
        let mut output = |shape: &PropertyCollection| registry.compile(shape, SchemaSide::Output, None);
        let (whole, view, item) = (output(&self.whole), output(&self.view), output(&self.item));
        let mut input = |shape: &PropertyCollection| registry.compile(shape, SchemaSide::Input, None);
        CompiledShapes { whole, new: input(&self.new), changes: input(&self.changes), view, item }
    }

    /// Restores values that the column types of a database have changed. Removes null for an absent value, and restores numbers in single
    /// precision.
    pub(super) fn restore(&self, values: &mut Map<String, Json>) {
        for property in self.whole.properties() {
            let Some(value) = values.get_mut(property.name()) else { continue };
            match (&*value, self.entity.get(property.name()).map(FieldDefinition::value_type)) {
                (Json::Null, _) if !property.is_required_in(SchemaSide::Output) => {
                    values.shift_remove(property.name());
                }
                (Json::Number(number), Some(ValueType::Float)) => {
                    if let Some(shortest) = number.as_f64().and_then(shortest_float) {
                        *value = shortest;
                    }
                }
                _ => {}
            }
        }
    }
}

/// Converts a single-precision number to JSON in its shortest form.
#[expect(clippy::cast_possible_truncation, reason = "the field is in single precision")]
fn shortest_float(number: f64) -> Option<Json> {
    (number as f32).to_string().parse::<f64>().ok().map(Json::from)
}

#[cfg(test)]
mod tests {
    use restwright_core::schema::{Checks, Schema, Violations, array, enumeration, float32, int64, string};
    use serde_json::json;

    use super::*;
    use crate::definition::IdentifierKind;
    use crate::run_time::ResourceDefinition;

    #[test]
    fn a_bag_read_from_a_row_equals_the_created_bag() {
        let shape = PropertyCollection::new("Pet")
            .property(int64("id").read_only())
            .property(string("name").max_length(5))
            .property(enumeration("legs", [2, 4]))
            .property(enumeration("size", ["1", "2"]))
            .property(float32("weight").optional())
            .property(string("note").optional())
            .property(string("chip").nullable())
            .property(array("tags", SchemaObject::string()).optional());
        let pets: ResourceDefinition = ResourceDefinition::new("/pets", "pets", shape, "id", IdentifierKind::Integer);
        let given = json!({"id": 1, "name": "Rex", "legs": 4, "size": "2", "weight": 0.1, "chip": null});
        let created: EntityBag = pets.entity(&given).unwrap();
        let row = json!({
            "id": 1, "name": "Rex", "legs": 4, "size": "2", "weight": 0.100_000_001_490_116_12, "note": null, "chip": null, "tags": null,
        });
        let mut read: EntityBag = serde_json::from_value(row).unwrap();
        read.attach(&pets.shapes());
        assert_eq!(read, created);
        // Merging and checking use the schemas of the bag.
        let violations = |bag: &EntityBag| {
            let mut violations = Violations::default();
            bag.run_checks(&mut Checks::new(&mut violations));
            violations.iter().count()
        };
        assert_eq!(violations(&read), 0);
        read.set("name", "Lassie");
        assert_eq!(violations(&read), 1);
        assert_eq!(
            serde_json::to_value(ViewBag::from(read.clone())).unwrap(),
            json!({
                "id": 1, "name": "Lassie", "legs": 4, "size": "2", "weight": 0.1, "chip": null,
            })
        );
    }
}

//! Generates Rust types for the entities of resources.

use restwright_runtime::core::operation::Operation;
use restwright_runtime::core::schema::{PropertyCollection, Registry, SchemaSide};
use serde_json::Value;

use super::UsedSchema;
use super::docs::comment;
use super::item::{ItemKind, RustItem, StructOf};
use super::operation::{described, object};
use super::types::{RustTypes, SchemaPlace};

/// An entity that a resource declares at run time.
#[derive(Debug)]
pub(super) struct DeclaredEntity {
    name: String,
    /// An object schema with the properties of the entity.
    schema: Value,
}

impl DeclaredEntity {
    /// Returns the entities of the resources that the operations belong to, without duplicates.
    pub(super) fn of_operations<'o>(
        operations: impl Iterator<Item = &'o Operation>,
        registry: &mut Registry,
    ) -> Vec<Self> {
        let mut shapes: Vec<&PropertyCollection> = Vec::new();
        for shape in operations.filter_map(|operation| operation.run_time.entity.as_ref()) {
            if !shapes.contains(&shape) {
                shapes.push(shape);
            }
        }
        shapes.into_iter().map(|shape| Self::new(shape, registry)).collect()
    }

    fn new(shape: &PropertyCollection, registry: &mut Registry) -> Self {
        let properties = shape.properties().iter().map(|property| {
            let schema = registry.json_schema(property.schema(), SchemaSide::Output, None);
            let schema = described(&schema, property.description_text());
            (property.name().to_owned(), schema, property.is_required_in(SchemaSide::Output))
        });
        Self { name: shape.name().to_owned(), schema: object(properties) }
    }

    /// Returns the schema of the entity, marked as the schema of a response.
    pub(super) fn schema(&self) -> UsedSchema<'_> {
        (&self.schema, SchemaSide::Output)
    }

    /// Generates the Rust type of the entity.
    pub(super) fn item(&self, types: &mut RustTypes) -> RustItem {
        let name = types.take_name(&self.name);
        // Nested types have the same names as in responses, because most of them are equal.
        let place = self.name.strip_suffix("Entity").unwrap_or(&self.name);
        let fields = types.fields(&self.schema, None, &SchemaPlace::new(place, SchemaSide::Output));
        let docs = comment(
            None,
            &["An entity in its store. A field that is set during a create is `None` before.".to_owned()],
        );
        RustItem { name, docs, kind: ItemKind::Struct { fields, of: StructOf::Entity } }
    }
}

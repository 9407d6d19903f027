//! Extends the schemas of responses with a property for each relation.

use std::sync::Arc;

use restwright_core::schema::{Property, PropertyCollection, Registry, SchemaObject, SchemaType, array, boolean};

use super::resolved::Resolved;
use crate::endpoints::declare::info::ResourceInfo;
use crate::endpoints::erased::kind::Shape;

/// The properties that were added to schemas, one for each relation. Each entry contains the label of the schema and the name of the
/// property.
#[derive(Default)]
pub(super) struct Added(Vec<(String, String)>);

impl Added {
    pub(super) fn contains(&self, schema: &SchemaType, name: &str) -> bool {
        self.0.iter().any(|(label, added)| *label == schema.label() && added == name)
    }

    /// Extends the schemas of views and list items with an optional property for each relation. Nested relations are added to the views of
    /// the related entities.
    pub(super) fn add(&mut self, owner: &ResourceInfo, relations: &[Arc<Resolved>], registry: &mut Registry) {
        self.add_to(owner, owner, &[Shape::View, Shape::Item], relations, registry);
        for relation in relations {
            self.add_to(&relation.source.info, owner, &[Shape::View], &relation.nested, registry);
        }
    }

    /// Extends the given schemas of a resource with a property for each relation. `planned` is the resource whose operation is being
    /// planned.
    fn add_to(
        &mut self,
        of: &ResourceInfo,
        planned: &ResourceInfo,
        shapes: &[Shape],
        relations: &[Arc<Resolved>],
        registry: &mut Registry,
    ) {
        for relation in relations {
            let target = &relation.source.info;
            let view = schema_type(target, Shape::View, planned, registry);
            for shape in shapes {
                let schema = schema_type(of, *shape, planned, registry);
                if !self.contains(&schema, &relation.name) {
                    registry.add_property(&schema, property(relation, &schema, &view));
                    self.0.push((schema.label(), relation.name.clone()));
                }
            }
        }
    }
}

/// Returns the type of one schema of a resource, such as the view schema. The schemas of a resource that is declared at run time are
/// registered for one operation.
fn schema_type(of: &ResourceInfo, shape: Shape, planned: &ResourceInfo, registry: &mut Registry) -> SchemaType {
    of.set_shapes(registry);
    let schema = of.kind.schema_type(shape, registry);
    planned.set_shapes(registry);
    schema
}

fn property(relation: &Resolved, owner: &SchemaType, view: &SchemaType) -> Property {
    let name = relation.name.clone();
    let names = &relation.source.info.names;
    let Some(max) = relation.max else {
        let description = format!(
            "The {}, if the request includes it. Null if there is none, or if you may not see it.",
            names.singular
        );
        return Property::new(name, SchemaObject::new(view.clone()).nullable().description(description)).optional();
    };
    let mut capitals = name.split('_').map(crate::endpoints::declare::names::capitalised);
    let label = format!("{}{}", owner.label(), capitals.by_ref().collect::<String>());
    let description =
        format!("The first {} that you may see, at most {max}, if the request includes them.", names.plural);
    let items = array("data", SchemaObject::new(view.clone()));
    let has_more = boolean("has_more").description("`true` if there are more than these.");
    let many = PropertyCollection::new(label).property(items).property(has_more);
    Property::new(name, SchemaObject::from(many).description(description)).optional()
}

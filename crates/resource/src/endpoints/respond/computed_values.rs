//! Computes the computed fields of entities, and describes them.

use restwright_core::schema::{Property, PropertyCollection, Registry, SchemaSide};
use restwright_core::{BuildErrors, Problem, Result};

use crate::definition::FieldAccess;
use crate::endpoints::caller::call::Call;
use crate::endpoints::declare::computed::Computed;
use crate::endpoints::declare::info::ResourceInfo;
use crate::endpoints::erased::any_entity::AnyEntity;
use crate::endpoints::erased::kind::Shape;
use crate::endpoints::erased::member_changes::AddedMember;

/// Returns the members that the computed fields of a resource add to each entity.
pub(in crate::endpoints) async fn members(
    info: &ResourceInfo,
    call: &Call,
    entities: &[&dyn AnyEntity],
) -> Result<Vec<AddedMember>> {
    let mut members = Vec::new();
    let is_readable = |field: &&Computed| field.is_readable(&call.identity);
    for field in info.computed.iter().filter(is_readable).filter(|_| !entities.is_empty()) {
        let values = field.computes.values(entities, &call.identity).await?;
        if values.len() != entities.len() {
            return Err(Problem::internal(format!(
                "the computed field `{}` of `{}` returned {} values for {} entities; it must return one for each, in the same order",
                field.name,
                info.definition.name(),
                values.len(),
                entities.len()
            )));
        }
        members.push(AddedMember { name: field.name.clone(), values });
    }
    Ok(members)
}

/// Formats the computed fields that a caller may not read as a string. Returns `None` if every caller may read all computed fields.
#[cfg(feature = "idempotency")]
pub(in crate::endpoints) fn rights_text(
    info: &ResourceInfo,
    caller: &restwright_core::auth::Identity,
) -> Option<String> {
    let is_hidden = |field: &&Computed| !field.is_readable(caller);
    let hidden: Vec<_> = info.computed.iter().filter(is_hidden).map(|field| field.name.as_str()).collect();
    are_guarded(info).then(|| format!("computed {hidden:?}"))
}

/// Returns `true` if callers see different computed fields.
pub(in crate::endpoints) fn are_guarded(info: &ResourceInfo) -> bool {
    info.computed.iter().any(|field| field.access.is_some())
}

/// Adds the computed fields to the schemas of views and list items.
pub(super) fn describe(info: &ResourceInfo, registry: &mut Registry) {
    for field in &info.computed {
        for shape in [Shape::View, Shape::Item] {
            let schema = info.kind.schema_type(shape, registry);
            let property = (field.property)(registry, &field.name);
            let access = field.access.as_ref();
            let access = access.map(|access| format!("Only callers with {access} may read this property."));
            let words =
                [Some(field.description.clone()), access].into_iter().flatten().filter(|words| !words.is_empty());
            let words = words.collect::<Vec<_>>().join(" ");
            let property = if words.is_empty() { property } else { property.description(words) };
            registry.add_property(&schema, property);
        }
    }
}

/// Checks that no property and no relation has the name of a computed field.
pub(in crate::endpoints) fn check(info: &ResourceInfo) -> Result<(), BuildErrors> {
    let mut errors = BuildErrors::new();
    let mut registry = Registry::new();
    info.set_shapes(&mut registry);
    let schemas = [Shape::Whole, Shape::View, Shape::Item].map(|shape| info.kind.schema_type(shape, &mut registry));
    for (index, field) in info.computed.iter().enumerate() {
        let (name, entity) = (&field.name, info.definition.name());
        let has_name = |property: &Property| property.name() == name || property.name_in(SchemaSide::Output) == name;
        let is_property = schemas
            .iter()
            .filter_map(|schema| registry.collection(schema))
            .flat_map(PropertyCollection::properties)
            .any(has_name);
        let is_repeated = info.computed.iter().take(index).any(|before| before.name == *name)
            || info.relations.iter().any(|relation| relation.name == *name);
        if is_property || is_repeated || info.definition.get(name).is_some() {
            errors.push(format!(
                "the computed field `{name}` of `{entity}` has the name of another property; rename one of them"
            ));
        }
        if name.is_empty() {
            errors.push(format!("a computed field of `{entity}` has an empty name; write the name of its property"));
        }
        if let Some(mistake) = field.access.as_ref().and_then(FieldAccess::mistake) {
            errors.push(format!("the computed field `{name}` of `{entity}` {mistake}"));
        }
    }
    errors.finish(Some(()))
}

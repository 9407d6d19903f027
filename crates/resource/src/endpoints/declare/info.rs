//! Defines [`ResourceInfo`], the description of a resource.

use std::sync::Arc;

use restwright_core::Result;
use restwright_core::schema::Registry;
use restwright_list::{Value, ValueType};

use super::any_shapes::AnyShapes;
use super::computed::Computed;
use super::export_settings::Export;
use super::names::Names;
use super::relation::Relation;
use crate::definition::{EntityDefinition, FieldDefinition};
use crate::endpoints::erased::any_entity::{AnyBody, AnyEntity};
use crate::endpoints::erased::kind::{Batch, Kind, Types};
use crate::endpoints::{Resource, ResourcePagination};
use crate::store::Scope;

/// Describes a resource for code that is not generic over the resource's type.
#[derive(Clone)]
pub(crate) struct ResourceInfo {
    pub(in crate::endpoints) kind: &'static dyn Kind,
    pub(in crate::endpoints) path: String,
    pub(in crate::endpoints) pagination: ResourcePagination,
    pub(in crate::endpoints) definition: EntityDefinition,
    pub(in crate::endpoints) names: Names,
    /// The schemas of the resource, if the resource is declared at run time.
    pub(in crate::endpoints) shapes: Option<Arc<dyn AnyShapes>>,
    /// The description of one entity for the OpenAPI document.
    pub(in crate::endpoints) description: String,
    /// The relations that views and lists can embed.
    pub(in crate::endpoints) relations: Vec<Relation>,
    /// The properties of responses that are computed.
    pub(in crate::endpoints) computed: Vec<Computed>,
    /// Reads batch requests, if the resource has operations on several entities.
    pub(in crate::endpoints) batch: Option<&'static dyn Batch>,
    /// `true` if the resource has the operation `POST ../query`.
    pub(in crate::endpoints) has_query_path: bool,
    /// The settings of exports, if clients can export the list.
    pub(in crate::endpoints) export: Option<Export>,
    /// `true` if updates accept a JSON Patch (RFC 6902).
    pub(in crate::endpoints) accepts_json_patch: bool,
}

impl ResourceInfo {
    pub(in crate::endpoints) fn new<R: Resource>() -> Self {
        let info = Self::declared::<R>(R::PATH.to_owned(), R::NAME, R::definition(), R::PAGINATION);
        Self { description: R::DESCRIPTION.to_owned(), ..info }
    }

    /// Creates the description of a resource that is declared at run time.
    pub(crate) fn run_time<R: Resource>(
        path: String,
        name: &str,
        definition: EntityDefinition,
        pagination: ResourcePagination,
        shapes: Arc<dyn AnyShapes>,
    ) -> Self {
        let info = Self::declared::<R>(path, name, definition, pagination);
        Self { description: shapes.description().to_owned(), shapes: Some(shapes), ..info }
    }

    fn declared<R: Resource>(
        path: String,
        name: &str,
        definition: EntityDefinition,
        pagination: ResourcePagination,
    ) -> Self {
        Self {
            kind: Types::<R>::KIND,
            path,
            pagination,
            names: Names::new(name, &definition),
            definition,
            shapes: None,
            description: String::new(),
            relations: Vec::new(),
            computed: Vec::new(),
            batch: None,
            has_query_path: false,
            export: None,
            accepts_json_patch: false,
        }
    }

    /// Returns the prefix of the schemas of a `QUERY`. Two lists of one resource can have different limits, so a list with another name than its
    /// table has separate schemas.
    pub(in crate::endpoints) fn query_name(&self) -> String {
        let usual = Names::new(&self.names.id, &self.definition);
        if usual.plural_id == self.names.plural_id { self.names.id.clone() } else { self.names.plural_id.clone() }
    }

    /// Creates an entity from a request body.
    pub(in crate::endpoints) fn create(&self, new: Box<dyn AnyBody>) -> Result<Box<dyn AnyEntity>> {
        match &self.shapes {
            Some(shapes) => Arc::clone(shapes).create(new),
            None => self.kind.create(new),
        }
    }

    /// Attaches the schemas to an entity that the store returned, if the resource is declared at run time.
    pub(in crate::endpoints) fn attach(&self, entity: &mut dyn AnyEntity) -> Result<()> {
        self.shapes.iter().try_for_each(|shapes| Arc::clone(shapes).attach(entity))
    }

    /// Registers the schemas of the resource for one operation, if the resource is declared at run time.
    pub(in crate::endpoints) fn set_shapes(&self, registry: &mut Registry) {
        self.shapes.iter().for_each(|shapes| shapes.set_in(registry));
    }

    /// Converts an identifier to the type that the store uses.
    pub(in crate::endpoints) fn identifier<'v>(&self, value: Value<'v>) -> Value<'v> {
        stored_identifier(&self.definition, value)
    }
}

/// Converts an identifier to the type that the store uses. The identifier may be a string if the resource is declared at run time.
pub(in crate::endpoints) fn stored_identifier<'v>(definition: &EntityDefinition, value: Value<'v>) -> Value<'v> {
    match definition.fields().next() {
        Some(field) => stored_value(field, value),
        None => value,
    }
}

/// Converts a value to the type that the store uses for the field. The value may be a string if the resource is declared at run time.
pub(in crate::endpoints) fn stored_value<'v>(field: &FieldDefinition, value: Value<'v>) -> Value<'v> {
    match (&value, field.value_type()) {
        (Value::Text(text), ValueType::Uuid | ValueType::Date | ValueType::DateTime | ValueType::Decimal) => {
            field.value_type().read(&serde_json::Value::from(text.as_ref())).unwrap_or(value)
        }
        _ => value,
    }
}

/// Returns a copy of the scope that contains only the fields of the given definition.
pub(in crate::endpoints) fn narrowed(scope: &Scope, definition: &EntityDefinition) -> Scope {
    let fields = definition.scope_fields().filter_map(|field| Some((field, scope.get(field.name())?.clone())));
    fields.fold(Scope::new(), |narrowed, (field, value)| narrowed.with(field.owned_name(), value))
}

//! Defines [`ResourceDefinition`], a resource that is declared at run time.

mod bag;
mod endpoints;
mod merge;
mod shapes;

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use restwright_core::schema::{
    BagError, Mode, Property, PropertyCollection, Registry, SchemaObject, SchemaSide, pointer_to,
};
use restwright_list::{Direction, FilterFields, Operator, SortFields, ValueType};
use serde::Serialize;
use serde_json::Map;

pub use bag::EntityBag;

use self::shapes::RunTimeShapes;
use crate::definition::{EntityDefinition, FieldDefinition, IdentifierKind, UniqueConstraint};
use crate::endpoints::ResourcePagination;
use crate::policy::RowPolicy;

/// A resource that is declared at run time from a collection of properties. For a resource that is a Rust type, implement
/// [`Resource`](crate::Resource).
///
/// The collection is the shape of the whole entity. The service sets read-only properties. Modes restrict a property to some shapes. The body of a
/// create is `NewPet`. The body of an update is `PetChanges`, a merge patch (RFC 7396). An unknown property in either is a violation, also in
/// a nested object. If views or
/// lists lack a property, they have separate shapes, `PetView` and `PetItem`.
///
/// All properties are fields of the store, which stores them in an [`EntityBag`]. Lists can filter and sort by properties with single values.
///
#[cfg_attr(not(doctest), doc = include_str!("../doc_examples/resource_definition.md"))]
#[derive(Clone, Debug)]
#[must_use = "a definition does nothing until endpoints are created from it"]
pub struct ResourceDefinition {
    path: String,
    shape: PropertyCollection,
    entity: EntityDefinition,
    filters: FilterFields,
    sort: SortFields,
    ignores_unknown: bool,
    pagination: ResourcePagination,
    /// The schemas of the resource, which are created on first use.
    shapes: OnceLock<Arc<RunTimeShapes>>,
}

impl ResourceDefinition {
    /// Creates a resource from its path, name and properties. `path` is its URL path. `name` is the name of its entities and of their
    /// table. `identifier` is the property that contains the identifier.
    ///
    /// The name of the shape is the name of one entity, such as `ShelterAnimal`. Lists are paginated by page number.
    pub fn new(
        path: impl Into<String>,
        name: impl Into<String>,
        shape: PropertyCollection,
        identifier: &str,
        kind: IdentifierKind,
    ) -> Self {
        let mut registry = Registry::new();
        let mut entity = EntityDefinition::new(name.into(), identifier.to_owned(), kind);
        for property in shape.properties().iter().filter(|property| property.name() != identifier) {
            let value_type = match ValueType::of(property.schema_type(), &mut registry) {
                // Integers sort as numbers, not as strings.
                Some(ValueType::Enumeration) if is_of_integers(property, &mut registry) => ValueType::Integer,
                other => other.unwrap_or(ValueType::Json),
            };
            let field = FieldDefinition::new(property.name().to_owned(), value_type);
            let is_nullable = !property.is_required_in(SchemaSide::Output) || property.schema().is_nullable();
            let field = if is_nullable { field.nullable() } else { field };
            entity = entity.field(match property.schema_type().scale() {
                Some(digits) => field.scale(digits),
                None => field,
            });
        }
        let sort = SortFields::by_identifier(identifier.to_owned());
        Self {
            path: path.into(),
            shape,
            entity,
            filters: FilterFields::new(),
            sort,
            ignores_unknown: false,
            pagination: ResourcePagination::default(),
            shapes: OnceLock::new(),
        }
    }

    /// Sets the pagination of lists. The default is [`ResourcePagination::Page`].
    pub fn pagination(mut self, pagination: ResourcePagination) -> Self {
        self.pagination = pagination;
        self
    }

    /// Changes the definition of the field that stores a property, for example `.field("email", FieldDefinition::unique)`.
    ///
    /// Unknown properties are ignored.
    pub fn field(self, property: &str, change: impl FnOnce(FieldDefinition) -> FieldDefinition) -> Self {
        self.with_entity(|entity| entity.change_field(property, change))
    }

    /// Lets clients filter lists by a property, with the given operators.
    pub fn filter(mut self, property: &str, operators: impl IntoIterator<Item = Operator>) -> Self {
        let found = self.shape.properties().iter().find(|known| known.name() == property).cloned();
        let declared = found.unwrap_or_else(|| Property::new(property.to_owned(), SchemaObject::string()));
        let operators: Vec<Operator> = operators.into_iter().collect();
        if operators.iter().any(|operator| operator.is_search()) {
            self = self.field(property, FieldDefinition::searchable);
        }
        let items = declared.schema_type().items().filter(|_| operators.contains(&Operator::Has)).cloned();
        let declared = match items {
            None => declared,
            Some(items) => {
                let item = Property::new(property.to_owned(), items);
                if let Some(value_type) = ValueType::of(item.schema_type(), &mut Registry::new()) {
                    self = self.field(property, |field| field.items(value_type));
                }
                match declared.description_text() {
                    Some(description) => item.description(description),
                    None => item,
                }
            }
        };
        self.filters = self.filters.field(declared, operators);
        if self.is_left_out(property) {
            self.filters = self.filters.computed(property);
        }
        self
    }

    /// Lets clients sort lists by a property.
    pub fn sort(mut self, property: impl Into<String>) -> Self {
        let property = property.into();
        if self.is_left_out(&property) {
            self.sort = self.sort.computed(property.clone());
        }
        self = self.field(&property, FieldDefinition::sortable);
        self.sort = self.sort.field(property);
        self
    }

    /// Declares an index for lists that filter by the leading properties and sort by the last property. See [`EntityDefinition::index`].
    pub fn index(self, properties: impl IntoIterator<Item = impl Into<Cow<'static, str>>>) -> Self {
        self.with_entity(|entity| entity.index(properties))
    }

    /// Lets clients search the given properties with the query parameter `q`. See [`EntityDefinition::search`].
    pub fn search(self, properties: impl IntoIterator<Item = impl Into<Cow<'static, str>>>) -> Self {
        self.with_entity(|entity| entity.search(properties))
    }

    /// Adds a unique constraint. No two entities may have the same values in all of these properties. See [`EntityDefinition::unique`].
    pub fn unique(self, constraint: impl Into<UniqueConstraint>) -> Self {
        self.with_entity(|entity| entity.unique(constraint))
    }

    /// Sets the [`RowPolicy`], which decides which entities each caller can see and change.
    pub fn policy(self, policy: impl RowPolicy<EntityBag>) -> Self {
        self.with_entity(|entity| entity.policy::<EntityBag>(policy))
    }

    /// Allows responses to reveal that hidden entities exist. See [`EntityDefinition::reveals`].
    pub fn reveals(self, names: impl IntoIterator<Item = impl Into<Cow<'static, str>>>) -> Self {
        self.with_entity(|entity| entity.reveals(names))
    }

    /// Allows a delete to cascade to entities that a policy hides from the caller. See [`EntityDefinition::cascades`].
    pub fn cascades(self, properties: impl IntoIterator<Item = impl Into<Cow<'static, str>>>) -> Self {
        self.with_entity(|entity| entity.cascades(properties))
    }

    fn with_entity(mut self, change: impl FnOnce(EntityDefinition) -> EntityDefinition) -> Self {
        self.entity = change(self.entity);
        self.shapes = OnceLock::new();
        self
    }

    /// Adds a property to the default order of lists. Requests without `order_by` use this order.
    pub fn default_sort(mut self, property: impl Into<String>, direction: Direction) -> Self {
        self.sort = self.sort.default(property.into(), direction);
        self
    }

    /// Ignores unknown properties in request bodies, also in nested objects. By default, unknown properties are violations.
    pub fn ignore_unknown_properties(mut self) -> Self {
        self.ignores_unknown = true;
        self.shapes = OnceLock::new();
        self
    }

    /// Creates an entity from a serializable value, to pass it to [`EntityStore::insert`](crate::EntityStore::insert). The subcommand
    /// `shapes` generates matching types.
    ///
    /// ```
    /// use restwright_core::schema::{PropertyCollection, int64, string};
    /// use restwright_resource::{IdentifierKind, ResourceDefinition};
    ///
    /// let shape = PropertyCollection::new("Pet").property(int64("id").read_only()).property(string("name"));
    /// let pets = ResourceDefinition::new("/pets", "pets", shape, "id", IdentifierKind::Integer);
    /// let pet = pets.entity(&serde_json::json!({"name": "Rex"})).unwrap();
    /// assert_eq!(pet.get("name").unwrap(), "Rex");
    /// ```
    ///
    /// # Errors
    /// [`BagError`] if the type does not serialize to an object. The values are checked when the entity is stored.
    pub fn entity<T: Serialize + ?Sized>(&self, values: &T) -> Result<EntityBag, BagError> {
        let mut entity = EntityBag::new(Some(self.shapes()), Map::new());
        entity.write(values)?;
        Ok(entity)
    }

    /// Returns the entity definition, which stores use to create tables.
    pub fn definition(&self) -> &EntityDefinition {
        &self.entity
    }

    /// Returns `true` if the schema of list items omits a property that the view schema contains. Lists may filter and sort by this
    /// property. They never filter or sort by a property that no response contains.
    fn is_left_out(&self, property: &str) -> bool {
        let found = self.shape.properties().iter().find(|known| known.name() == property);
        let exists_in = |mode| found.is_some_and(|found| found.exists_in(SchemaSide::Output, mode));
        exists_in(None) && !exists_in(Some(Mode::List))
    }

    /// Returns the properties that clients can see. The time of the deletion is left out, because it is null in every entity that a client
    /// sees.
    fn shown(&self) -> PropertyCollection {
        let deletion = self.entity.deletion_field().map(|field| field.name());
        match deletion {
            None => self.shape.clone(),
            Some(deletion) => {
                let kept = self.shape.properties().iter().filter(|property| property.name() != deletion).cloned();
                kept.fold(PropertyCollection::new(self.shape.name().to_owned()), PropertyCollection::property)
            }
        }
    }

    fn shapes(&self) -> Arc<RunTimeShapes> {
        Arc::clone(self.shapes.get_or_init(|| Arc::new(self.make_shapes())))
    }

    fn make_shapes(&self) -> RunTimeShapes {
        let Self { shape, entity, ignores_unknown, .. } = self;
        let closed = |body: PropertyCollection| if *ignores_unknown { body } else { body.closed_recursively() };
        // Bodies do not contain values that the service sets.
        let is_given = matches!(entity.identifier_kind(), IdentifierKind::Given(_));
        let is_set = |property: &Property, is_new: bool| {
            let is_identifier = property.name() == entity.identifier() && !(is_given && is_new);
            let field = entity.get(property.name());
            is_identifier || field.is_some_and(|field| field.is_scope() || field.managed().is_some())
        };
        // A create cannot contain these properties.
        let is_sent = |property: &Property| property.exists_in(SchemaSide::Input, Some(Mode::Create));
        let set_later = shape.properties().iter().filter(|property| is_set(property, true) || !is_sent(property));
        let set_later = set_later.map(|property| pointer_to(property.name())).collect();
        let name = shape.name().to_owned();
        let without = |is_new: bool| {
            let kept = shape.properties().iter().filter(|property| !is_set(property, is_new)).cloned();
            kept.fold(PropertyCollection::new(name.clone()), PropertyCollection::property)
        };
        let named = |projected: PropertyCollection, suffix: &str| match projected == *shape {
            true => projected,
            false => projected.renamed(format!("{name}{suffix}")),
        };
        let new = closed(without(true).project(Mode::Create).renamed(format!("New{name}")));
        let changes = closed(without(false).project(Mode::Update).renamed(name.clone()).changes());
        let view = named(self.shown().project(Mode::View), "View");
        let item = named(self.shown().project(Mode::List), "Item");
        let identifier = shape.properties().iter().find(|property| property.name() == entity.identifier());
        let identifier = identifier.map_or_else(SchemaObject::string, |property| property.schema().clone());
        RunTimeShapes {
            entity: entity.clone(),
            whole: shape.clone(),
            new,
            changes,
            view,
            item,
            identifier,
            set_later,
            compiled: OnceLock::new(),
        }
    }
}

/// Returns `true` if the values of an enumeration are integers.
fn is_of_integers(property: &Property, registry: &mut Registry) -> bool {
    let schema = registry.json_schema(property.schema_type(), SchemaSide::Output, None);
    schema.get("type").is_some_and(|name| name == "integer")
}

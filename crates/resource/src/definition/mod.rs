//! [`EntityDefinition`]: the description of entities that stores go by.

mod bounds;
mod field;

use std::borrow::Cow;
use std::iter;
use std::sync::Arc;

use restwright_core::{BuildError, BuildErrorKind, BuildErrors};
use restwright_list::{Record, Value, ValueType};

pub use bounds::ValueBounds;
pub use field::{FieldDefinition, Managed, OnDelete};

/// The description of the entities of one kind: their name, their identifier and their fields.
///
/// It is a value, so that entities can be described at run time. Every [`Statement`](crate::Statement) carries the definition of the
/// entities that it is about.
///
/// ```
/// use restwright_list::ValueType;
/// use restwright_resource::{EntityDefinition, FieldDefinition, IdentifierKind, OnDelete};
///
/// let pets = EntityDefinition::new("pets", "id", IdentifierKind::Uuid)
///     .field(FieldDefinition::new("shelter", ValueType::Text).scope())
///     .field(FieldDefinition::new("name", ValueType::Text).searchable().sortable())
///     .field(FieldDefinition::new("chip", ValueType::Text).nullable().unique())
///     .field(FieldDefinition::new("owner_id", ValueType::Uuid).nullable().references("owners", OnDelete::Restrict))
///     .field(FieldDefinition::new("tags", ValueType::Json));
/// assert_eq!(pets.check(), Ok(()));
/// ```
// Shared by clones, which are then equal without a look at the fields: stores compare the definition of every statement.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "a definition does nothing until statements carry it"]
pub struct EntityDefinition(Arc<Described>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Described {
    name: Cow<'static, str>,
    kind: IdentifierKind,
    identifier: FieldDefinition,
    fields: Vec<FieldDefinition>,
    /// The fields of each declared index.
    indexes: Vec<Vec<Cow<'static, str>>>,
}

/// The origin of the identifiers of entities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum IdentifierKind {
    /// A UUID of version 7 (RFC 9562), made when an entity is inserted.
    Uuid,
    /// An integer, made by the store when an entity is inserted.
    Integer,
    /// A value that the entity has before it is inserted, unique within its scope.
    Given(ValueType),
}

impl EntityDefinition {
    /// Creates the definition of entities of this name, such as that of their table, with an identifier in the field of the second
    /// name.
    pub fn new(
        name: impl Into<Cow<'static, str>>,
        identifier: impl Into<Cow<'static, str>>,
        kind: IdentifierKind,
    ) -> Self {
        let value_type = match kind {
            IdentifierKind::Uuid => ValueType::Uuid,
            IdentifierKind::Integer => ValueType::Integer,
            IdentifierKind::Given(value_type) => value_type,
        };
        let identifier = FieldDefinition::new(identifier, value_type);
        let (fields, indexes) = (Vec::new(), Vec::new());
        Self(Arc::new(Described { name: name.into(), kind, identifier, fields, indexes }))
    }

    /// Adds a field.
    pub fn field(mut self, field: FieldDefinition) -> Self {
        self.described_mut().fields.push(field);
        self
    }

    /// Declares an index for lists that are filtered by the first of these fields and sorted by the last one, in a store that has indexes.
    ///
    /// The scope fields come before them, and the identifier after them. Each sortable field has such an index already.
    ///
    /// ```
    /// use restwright_list::ValueType;
    /// use restwright_resource::{EntityDefinition, FieldDefinition, IdentifierKind};
    ///
    /// // Serves `?status=open&order_by=-created_at`.
    /// let orders = EntityDefinition::new("orders", "id", IdentifierKind::Uuid)
    ///     .field(FieldDefinition::new("status", ValueType::Enumeration))
    ///     .field(FieldDefinition::new("created_at", ValueType::DateTime).created_at().sortable())
    ///     .index(["status", "created_at"]);
    /// assert_eq!(orders.check(), Ok(()));
    /// ```
    pub fn index<F: Into<Cow<'static, str>>>(mut self, fields: impl IntoIterator<Item = F>) -> Self {
        self.described_mut().indexes.push(fields.into_iter().map(Into::into).collect());
        self
    }

    /// Changes the field of a name, if there is one.
    pub(crate) fn change_field(mut self, name: &str, change: impl FnOnce(FieldDefinition) -> FieldDefinition) -> Self {
        if let Some(field) = self.described_mut().fields.iter_mut().find(|field| field.name() == name) {
            *field = change(field.clone());
        }
        self
    }

    /// Sets the bounds of a field, the identifier included.
    pub(crate) fn bounded(mut self, name: &str, bounds: ValueBounds) -> Self {
        if self.identifier() == name {
            let identifier = &mut self.described_mut().identifier;
            *identifier = identifier.clone().bounded(bounds);
            return self;
        }
        self.change_field(name, |field| field.bounded(bounds))
    }

    fn described_mut(&mut self) -> &mut Described {
        Arc::make_mut(&mut self.0)
    }

    /// Returns the name of the entities.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Returns the name of the field with the identifier.
    #[must_use]
    pub fn identifier(&self) -> &str {
        self.0.identifier.name()
    }

    /// Returns the origin of the identifiers.
    #[must_use]
    pub fn identifier_kind(&self) -> IdentifierKind {
        self.0.kind
    }

    /// Returns all fields, the identifier first.
    pub fn fields(&self) -> impl Iterator<Item = &FieldDefinition> {
        iter::once(&self.0.identifier).chain(&self.0.fields)
    }

    /// Returns the fields whose values are the scope of an entity.
    pub fn scope_fields(&self) -> impl Iterator<Item = &FieldDefinition> {
        self.0.fields.iter().filter(|field| field.is_scope())
    }

    /// Returns the fields of each declared index, without the scope before them and the identifier after them.
    pub fn indexes(&self) -> impl Iterator<Item = &[Cow<'static, str>]> {
        self.0.indexes.iter().map(Vec::as_slice)
    }

    /// Returns the field with a value that the service sets itself.
    #[must_use]
    pub fn managed(&self, managed: Managed) -> Option<&FieldDefinition> {
        self.0.fields.iter().find(|field| field.managed() == Some(managed))
    }

    /// Returns the field of a name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&FieldDefinition> {
        self.fields().find(|field| field.name() == name)
    }

    /// Returns the values by which an entity is the only one of its kind: its identifier, behind its scope if identifiers are
    /// [given](IdentifierKind::Given).
    #[must_use]
    pub fn key(&self, entity: &(impl Record + ?Sized)) -> Vec<Value<'static>> {
        let is_given = matches!(self.0.kind, IdentifierKind::Given(_));
        let mut key = if is_given { self.scope_values(entity) } else { Vec::new() };
        key.push(entity.value(self.identifier()).into_owned());
        key
    }

    /// Returns each unique field whose value is not null, with the values that no other entity has together: the scope and the value.
    pub fn unique_keys(&self, entity: &impl Record) -> impl Iterator<Item = (&str, Vec<Value<'static>>)> {
        let unique = self.0.fields.iter().filter(|field| field.is_unique()).map(FieldDefinition::name);
        let keys = unique.map(|field| (field, entity.value(field).into_owned())).filter(|(_, value)| !value.is_null());
        keys.map(|(field, value)| {
            let mut key = self.scope_values(entity);
            key.push(value);
            (field, key)
        })
    }

    /// Returns the values of the scope fields, in their order: the scope of an entity, which never changes.
    #[must_use]
    pub fn scope_values(&self, entity: &(impl Record + ?Sized)) -> Vec<Value<'static>> {
        self.scope_fields().map(|field| entity.value(field.name()).into_owned()).collect()
    }

    /// Checks that the declaration makes sense.
    ///
    /// # Errors
    /// Every mistake: an empty name, a field that stands twice, a scope field that is nullable or unique alone, an identifier,
    /// a unique value, a scope or a reference that is JSON, a parent whose identifier is of another
    /// type, a time or a version that stands twice or is of another type, a former name that two fields have, an
    /// index without fields or on a field that is unknown, a scope, JSON or named twice.
    pub fn check(&self) -> Result<(), BuildErrors> {
        let mut errors = BuildErrors::new();
        if self.name().is_empty() {
            errors.push(
                "a definition of entities has no name; give it one, and declare the endpoints of an `EntityBag` with \
                 `Endpoints::from_definition`",
            );
        }
        let mut push = |field: &FieldDefinition, mistake: &str| {
            let message = format!("the field `{}` of `{}` {mistake}", field.name(), self.name());
            errors.push(BuildError::new(BuildErrorKind::Other, message));
        };
        for (index, field) in self.fields().enumerate() {
            if self.fields().take(index).any(|before| before.name() == field.name()) {
                push(field, "is declared twice; remove one, and do not declare the identifier as a field");
            }
            let is_compared = index == 0 || field.is_unique() || field.is_scope() || field.reference().is_some();
            if is_compared && !field.is_single() {
                push(
                    field,
                    "holds JSON of any kind, which stores do not compare; make an identifier, a unique value, a scope and a reference a text, \
                     a number or another single value",
                );
            }
            if field.is_scope() && field.is_nullable() {
                push(field, "is a scope and nullable; every entity is in a scope, so remove `nullable`");
            }
            if field.parent_definition().is_some_and(|parent| parent.0.identifier.value_type() != field.value_type()) {
                push(
                    field,
                    "is of another type than the identifier of its parent, so that none is found; give both one type",
                );
            }
            if field.is_scope() && field.is_unique() {
                push(field, "is a scope and unique, so that a scope would hold one entity; remove `unique` or `scope`");
            }
            let Some(former) = field.former_name() else { continue };
            if former == field.name() {
                push(field, "is renamed from its own name; remove `renamed_from`, or write the former name");
            }
            if self.fields().take(index).any(|before| before.former_name() == Some(former)) {
                push(
                    field,
                    "is renamed from the same name as another field; one column becomes one column, so remove one `renamed_from`",
                );
            }
        }
        for (index, field) in self.fields().enumerate() {
            let Some(managed) = field.managed() else { continue };
            let expected = match managed {
                Managed::CreatedAt | Managed::UpdatedAt => ValueType::DateTime,
                Managed::Version => ValueType::Integer,
            };
            if field.value_type() != expected {
                push(
                    field,
                    "is set by the service to a value of another type; make times date-times and the version an integer",
                );
            }
            if field.is_scope() || field.is_unique() || field.reference().is_some() {
                push(
                    field,
                    "is set by the service, and is no scope, unique value or reference; make these fields of their own",
                );
            }
            if self.fields().take(index).any(|before| before.managed() == Some(managed)) {
                push(field, "has the same value as another field, set by the service; keep one of them");
            }
        }
        self.check_indexes(&mut errors);
        errors.finish(Some(()))
    }

    fn check_indexes(&self, errors: &mut BuildErrors) {
        for fields in self.indexes() {
            let shown = fields.join(", ");
            let mut push = |mistake: &str| errors.push(format!("the index ({shown}) of `{}` {mistake}", self.name()));
            if fields.is_empty() {
                push("has no fields; name the fields that lists are filtered and sorted by");
            }
            for (place, name) in fields.iter().enumerate() {
                match self.get(name) {
                    None => push(&format!("names `{name}`, which is not a field")),
                    Some(field) if !field.is_single() => {
                        push(&format!("names `{name}`, which holds JSON; stores do not compare it"))
                    }
                    Some(field) if field.is_scope() => {
                        push(&format!("names the scope field `{name}`, with which every index begins; remove it"));
                    }
                    Some(_) if fields.iter().take(place).any(|before| before == name) => {
                        push(&format!("names `{name}` twice; remove one"));
                    }
                    Some(_) => {}
                }
            }
        }
    }
}

//! Defines [`EntityDefinition`], which describes the entities of one kind to a store.

mod bounds;
mod deletion;
mod field;
mod field_access;
mod indexes;
mod search;
mod unique;

use std::borrow::Cow;
use std::iter;
use std::sync::Arc;

use restwright_core::{BuildError, BuildErrorKind, BuildErrors};
use restwright_list::{Record, Value, ValueType};

use crate::policy::{DeclaredPolicy, RowPolicy};

pub use bounds::ValueBounds;
pub use field::{FieldDefinition, Managed, OnDelete};
pub use field_access::FieldAccess;
pub use unique::UniqueConstraint;

/// Describes the entities of one kind to a store. The description contains the name, the identifier and the fields.
///
/// A definition is a value, so an application can create it at run time. Every [`Statement`](crate::Statement) carries the definition of its
/// entities.
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
// Clones share one allocation, so comparing them is cheap. Stores compare the definition of every statement.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "a definition does nothing until a statement carries it"]
pub struct EntityDefinition(Arc<Described>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Described {
    name: Cow<'static, str>,
    kind: IdentifierKind,
    identifier: FieldDefinition,
    fields: Vec<FieldDefinition>,
    /// The fields of each index that was declared with `index`.
    indexes: Vec<Vec<Cow<'static, str>>>,
    /// The unique constraints that were declared with `unique`.
    unique: Vec<UniqueConstraint>,
    /// The fields that the query parameter `q` searches.
    search: Vec<Cow<'static, str>>,
    policy: Option<DeclaredPolicy>,
    reveals: Vec<Cow<'static, str>>,
    cascades: Vec<Cow<'static, str>>,
}

/// Defines the type of the identifiers, and whether the store or the client sets them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum IdentifierKind {
    /// A UUID of version 7 (RFC 9562). The store generates the identifier for each insert.
    Uuid,
    /// An integer. The store generates the identifier for each insert.
    Integer,
    /// A value that is set before the insert, usually by the client. It is unique within the scope of the entity.
    Given(ValueType),
}

impl EntityDefinition {
    /// Creates an entity definition with a name and an identifier. `name` is the name of the entities and of their table. `identifier` is
    /// the field that contains the identifier.
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
        Self(Arc::new(Described {
            name: name.into(),
            kind,
            identifier,
            fields: Vec::new(),
            indexes: Vec::new(),
            unique: Vec::new(),
            search: Vec::new(),
            policy: None,
            reveals: Vec::new(),
            cascades: Vec::new(),
        }))
    }

    /// Adds a field to the definition.
    pub fn field(mut self, field: FieldDefinition) -> Self {
        self.described_mut().fields.push(field);
        self
    }

    /// Sets the [`RowPolicy`], which decides which entities each caller can see and change. `R` is the type of the entities.
    pub fn policy<R: 'static>(mut self, policy: impl RowPolicy<R>) -> Self {
        self.described_mut().policy = Some(DeclaredPolicy::new::<R>(policy));
        self
    }

    /// Allows responses to reveal the existence of hidden entities through the given fields or definitions.
    ///
    /// Building the Api fails if one of these names is missing:
    /// - a unique field, each field of a [unique constraint](Self::unique), or an identifier that clients choose: a conflict reveals that a hidden
    ///   entity has the value
    /// - a unique field that only some callers may [read](FieldDefinition::read): a conflict reveals the value
    /// - an integer identifier that the store generates: gaps reveal how many hidden entities were created
    /// - a field that refers to entities with a policy: its value is the identifier of a hidden entity
    /// - the fields of a unique index that only the database has, also without a policy if the index lacks the scope, or the name of the index if not all of its columns are fields: the start of an
    ///   SQL store fails
    /// - another definition with a policy that refers to this definition with [`OnDelete::Restrict`]: a rejected delete reveals a hidden entity
    pub fn reveals<N: Into<Cow<'static, str>>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.described_mut().reveals.extend(names.into_iter().map(Into::into));
        self
    }

    /// Allows a delete to cascade to entities that a policy hides from the caller. `fields` are the fields that refer to the deleted
    /// entity.
    ///
    /// Building the Api fails if the definition has a policy, and a field with [`OnDelete::Cascade`] is missing here.
    pub fn cascades<N: Into<Cow<'static, str>>>(mut self, fields: impl IntoIterator<Item = N>) -> Self {
        self.described_mut().cascades.extend(fields.into_iter().map(Into::into));
        self
    }

    /// Returns `true` if the definition has a [policy](Self::policy).
    #[must_use]
    pub fn has_policy(&self) -> bool {
        self.0.policy.is_some()
    }

    pub(crate) fn row_policy(&self) -> Option<&DeclaredPolicy> {
        self.0.policy.as_ref()
    }

    /// Returns `true` if responses may reveal the existence of hidden entities through this field or definition, because
    /// [`reveals`](Self::reveals) contains its name.
    #[must_use]
    pub fn does_reveal(&self, name: &str) -> bool {
        self.0.reveals.iter().any(|revealed| revealed == name)
    }

    pub(crate) fn revealed(&self) -> &[Cow<'static, str>] {
        &self.0.reveals
    }

    pub(crate) fn does_cascade(&self, field: &str) -> bool {
        self.0.cascades.iter().any(|cascading| cascading == field)
    }

    /// Replaces the field `name` with the result of `change`, if the field exists.
    pub(crate) fn change_field(mut self, name: &str, change: impl FnOnce(FieldDefinition) -> FieldDefinition) -> Self {
        if let Some(field) = self.described_mut().fields.iter_mut().find(|field| field.name() == name) {
            *field = change(field.clone());
        }
        self
    }

    /// Sets the value bounds of a field or of the identifier.
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

    /// Returns the name of the definition, which is the name of its entities.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Returns the name of the field that contains the identifier.
    #[must_use]
    pub fn identifier(&self) -> &str {
        self.0.identifier.name()
    }

    /// Returns the kind of the identifiers.
    #[must_use]
    pub fn identifier_kind(&self) -> IdentifierKind {
        self.0.kind
    }

    /// Returns all fields. The identifier is the first field.
    pub fn fields(&self) -> impl Iterator<Item = &FieldDefinition> {
        iter::once(&self.0.identifier).chain(&self.0.fields)
    }

    /// Returns the scope fields.
    pub fn scope_fields(&self) -> impl Iterator<Item = &FieldDefinition> {
        self.0.fields.iter().filter(|field| field.is_scope())
    }

    /// Returns the field in which the service stores the given kind of value, such as the creation time.
    #[must_use]
    pub fn managed(&self, managed: Managed) -> Option<&FieldDefinition> {
        self.0.fields.iter().find(|field| field.managed() == Some(managed))
    }

    /// Returns the field with this name, or `None` if it does not exist.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&FieldDefinition> {
        self.fields().find(|field| field.name() == name)
    }

    /// Returns the field with this index in [`fields`](Self::fields).
    pub(crate) fn field_at(&self, index: usize) -> Option<&FieldDefinition> {
        match index.checked_sub(1) {
            None => Some(&self.0.identifier),
            Some(index) => self.0.fields.get(index),
        }
    }

    /// Returns the index of a field in [`fields`](Self::fields).
    pub(crate) fn position(&self, name: &str) -> Option<usize> {
        self.fields().position(|field| field.name() == name)
    }

    /// Returns the values that identify an entity in its store. The last value is the identifier. If identifiers are [given](IdentifierKind::Given),
    /// the scope values come before it.
    #[must_use]
    pub fn key(&self, entity: &(impl Record + ?Sized)) -> Vec<Value<'static>> {
        let is_given = matches!(self.0.kind, IdentifierKind::Given(_));
        let mut key = if is_given { self.scope_values(entity) } else { Vec::new() };
        key.push(entity.value(self.identifier()).into_owned());
        key
    }

    /// Returns the values of the scope fields, in the order of the fields. The scope of an entity never changes.
    #[must_use]
    pub fn scope_values(&self, entity: &(impl Record + ?Sized)) -> Vec<Value<'static>> {
        self.scope_fields().map(|field| entity.value(field.name()).into_owned()).collect()
    }

    /// Checks that the declarations of the definition are valid.
    ///
    /// # Errors
    /// Returns all errors of these kinds:
    /// - The name is empty.
    /// - A field is declared twice.
    /// - A scope field is nullable or unique.
    /// - An identifier, a unique value, a scope or a reference holds JSON.
    /// - The identifier of the parent has another type, or a deleted parent is [kept](OnDelete::Keep).
    /// - A field with a [read](FieldDefinition::read) or [write](FieldDefinition::write) access is a scope or the version, or requires an empty
    ///   name. A field that the service sets has a write access.
    /// - A managed value is declared twice, has the wrong type, or is a scope, a unique value or a reference.
    /// - A former name equals the current name, or two fields have the same one.
    /// - An index has no fields, or names a field that is unknown, a scope, JSON or repeated.
    /// - A unique constraint has fewer than two fields, or names a field that is unknown, a scope, JSON, repeated, managed or already unique.
    ///   With [`UniqueConstraint::nulls_equal`] or [`UniqueConstraint::ignore_case`], one field is enough. The first needs a nullable field, the
    ///   second a string.
    /// - The time of the deletion is not nullable, or the identifiers are given.
    /// - A search names a field that is unknown, no string, repeated, the identifier or declared after the search.
    pub fn check(&self) -> Result<(), BuildErrors> {
        let mut errors = BuildErrors::new();
        if self.name().is_empty() {
            errors.push(
                "the name of a definition must not be empty; set it, or declare the endpoints of an `EntityBag` with `Endpoints::from_definition`",
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
                    "holds JSON, which stores cannot compare; identifiers, unique values, scopes and references must be strings, numbers or other single values",
                );
            }
            if field.is_scope() && field.is_nullable() {
                push(field, "is a scope field and must not be nullable; remove `nullable`");
            }
            if field.parent_definition().is_some_and(|parent| parent.0.identifier.value_type() != field.value_type()) {
                push(field, "must have the same type as the identifier of its parent; change the type of one of them");
            }
            if field.parent_definition().is_some() && field.keeps_reference() {
                push(
                    field,
                    "refers to the parent with `OnDelete::Keep`, but no request finds an entity without its parent; write `OnDelete::Restrict` or \
                     `OnDelete::Cascade`",
                );
            }
            if field.is_scope() && field.is_unique() {
                push(
                    field,
                    "is a scope field and must not be unique, because a scope could then contain only one entity; remove `unique` or `scope`",
                );
            }
            let Some(former) = field.former_name() else { continue };
            if former == field.name() {
                push(
                    field,
                    "must differ from the name in `renamed_from`; write the former name, or remove `renamed_from`",
                );
            }
            if self.fields().take(index).any(|before| before.former_name() == Some(former)) {
                push(
                    field,
                    "has the same `renamed_from` as another field, but a column can become only one column; remove one `renamed_from`",
                );
            }
        }
        for (index, field) in self.fields().enumerate() {
            let Some(managed) = field.managed() else { continue };
            let expected = match managed {
                Managed::CreatedAt | Managed::UpdatedAt | Managed::DeletedAt => ValueType::DateTime,
                Managed::Version => ValueType::Integer,
            };
            if field.value_type() != expected {
                push(
                    field,
                    "has the wrong type for a value that the service sets; a time must be a date-time, and the version an integer",
                );
            }
            if field.is_scope() || field.is_unique() || field.reference().is_some() {
                push(
                    field,
                    "is set by the service and must not be a scope, a unique value or a reference; use a separate field",
                );
            }
            if self.fields().take(index).any(|before| before.managed() == Some(managed)) {
                push(field, "has the same managed value as another field; remove one of them");
            }
        }
        for field in self.fields() {
            for access in [field.read_access(), field.own_write_access()].into_iter().flatten() {
                if let Some(mistake) = access.mistake() {
                    push(field, &mistake);
                }
                if field.is_scope() || field.managed() == Some(Managed::Version) {
                    push(
                        field,
                        "is a scope field or the version, which every caller needs, and must not have `read` or `write`; remove them",
                    );
                }
            }
            if field.own_write_access().is_some() && field.managed().is_some() {
                push(field, "is set by the service and must not have `write`; remove it");
            }
        }
        self.check_indexes(&mut errors);
        self.check_unique(&mut errors);
        self.check_search(&mut errors);
        self.check_deletion(&mut errors);
        errors.finish(Some(()))
    }
}

//! Defines [`FieldDefinition`], the description of one field of an entity.

use std::borrow::Cow;
use std::sync::Arc;

use restwright_list::ValueType;

use super::bounds::{DeclaredBounds, ValueBounds};
use super::{EntityDefinition, FieldAccess, UniqueConstraint};

/// Describes one field of an entity. The description contains the name, the type of the values, and the rules that a store enforces.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "a field does nothing until a definition contains it"]
pub struct FieldDefinition {
    name: Cow<'static, str>,
    value_type: ValueType,
    nullable: bool,
    unique: Option<UniqueConstraint>,
    searchable: bool,
    sortable: bool,
    scope: bool,
    reference: Option<(Cow<'static, str>, OnDelete)>,
    parent: Option<Arc<EntityDefinition>>,
    managed: Option<Managed>,
    renamed_from: Option<Cow<'static, str>>,
    read: Option<FieldAccess>,
    write: Option<FieldAccess>,
    scale: Option<u32>,
    items: Option<ValueType>,
    bounds: DeclaredBounds,
}

/// A kind of value that the service sets automatically when an entity is inserted, updated or deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Managed {
    /// The time at which the entity was created.
    CreatedAt,
    /// The time of the last update. Before the first update, this is the time of the creation.
    UpdatedAt,
    /// The number of the entity's current [`Version`](crate::Version).
    Version,
    /// The time at which the entity was deleted, or null if the entity is not deleted.
    DeletedAt,
}

/// Defines how deleting an entity affects the entities that refer to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OnDelete {
    /// Rejects the delete if other entities refer to the entity.
    Restrict,
    /// Also deletes the entities that refer to the deleted entity. Their [`Hooks`](crate::Hooks) do not run.
    Cascade,
    /// Deletes only the entity. The entities that refer to it keep the identifier in the field.
    ///
    /// A deleted entity counts as missing for a new reference. A reference stays valid as long as an update does not change it. Databases get
    /// no foreign key.
    Keep,
}

impl FieldDefinition {
    /// Creates a field for values of a type. Null is not allowed.
    pub fn new(name: impl Into<Cow<'static, str>>, value_type: ValueType) -> Self {
        Self {
            name: name.into(),
            value_type,
            nullable: false,
            unique: None,
            searchable: false,
            sortable: false,
            scope: false,
            reference: None,
            parent: None,
            managed: None,
            renamed_from: None,
            read: None,
            write: None,
            scale: None,
            items: None,
            bounds: DeclaredBounds::default(),
        }
    }

    /// Allows the field to be null.
    pub fn nullable(mut self) -> Self {
        self.nullable = true;
        self
    }

    /// Requires that each value of the field is unique within the scope. Several entities may have null. [`EntityDefinition::unique`]
    /// requires unique values of several fields together. It can also ignore case and treat null as equal to null.
    pub fn unique(mut self) -> Self {
        self.unique = Some(UniqueConstraint::new([self.name.clone()]));
        self
    }

    /// Lets lists filter the field with `contains`, `starts_with` or `ends_with`. A store with indexes creates an index for these filters.
    pub fn searchable(mut self) -> Self {
        self.searchable = true;
        self
    }

    /// Lets lists sort by the field. A store with indexes creates an index for this order.
    pub fn sortable(mut self) -> Self {
        self.sortable = true;
        self
    }

    /// Declares that a [JSON](ValueType::Json) field is a list of single values of this type. Lists can then filter it with
    /// [`Has`](restwright_list::Operator::Has), and an index on only this field serves this filter.
    pub fn items(mut self, value_type: ValueType) -> Self {
        self.items = Some(value_type);
        self
    }

    /// Sets the number of digits after the point of a [decimal](ValueType::Decimal). Stores return values with exactly this number
    /// of digits, and reject values with more. Without a scale, stores remove zeros at the end.
    pub fn scale(mut self, digits: u32) -> Self {
        self.scale = Some(digits);
        self
    }

    /// Makes the field a part of the entity's [`Scope`](crate::Scope). Typical scope fields are a tenant, an owner or a parent.
    pub fn scope(mut self) -> Self {
        self.scope = true;
        self
    }

    /// Makes the field a reference to an entity of the definition `target`. The value must be null or the identifier of such an entity in
    /// the same scope. With [`OnDelete::Keep`], it can also be the identifier of an entity that was deleted later.
    ///
    /// If both definitions have a scope field of the same name, both entities must have the same value in that field.
    pub fn references(mut self, target: impl Into<Cow<'static, str>>, on_delete: OnDelete) -> Self {
        self.reference = Some((target.into(), on_delete));
        self
    }

    /// Declares that the field contains the identifier of a parent entity. The field becomes a [reference](Self::references), and each
    /// operation is restricted to the entities of one parent.
    ///
    /// [`Endpoints`](crate::Endpoints) read the value of the field from the path parameter of the same name.
    pub fn parent(mut self, parent: EntityDefinition, on_delete: OnDelete) -> Self {
        self.reference = Some((parent.name().to_owned().into(), on_delete));
        self.parent = Some(Arc::new(parent));
        self.scope()
    }

    /// Sets the former name of a renamed field. A migration then renames the old column, unless the new column already exists.
    pub fn renamed_from(mut self, former: impl Into<Cow<'static, str>>) -> Self {
        self.renamed_from = Some(former.into());
        self
    }

    /// Requires a permission, a scope or a role to read the field.
    ///
    /// For other callers of [`Endpoints`](crate::Endpoints), the field does not exist: not in responses, bodies, filters, orders and errors.
    /// Without [`write`](Self::write), these callers cannot write the field either.
    ///
    /// ```
    /// use restwright_list::ValueType;
    /// use restwright_resource::{FieldAccess, FieldDefinition};
    ///
    /// let salary = FieldDefinition::new("salary", ValueType::Integer).nullable().read("hr").write(FieldAccess::scope("staff:write"));
    /// assert_eq!(salary.read_access(), Some(&FieldAccess::permission("hr")));
    /// ```
    pub fn read(mut self, access: impl Into<FieldAccess>) -> Self {
        self.read = Some(access.into());
        self
    }

    /// Requires a permission, a scope or a role to write the field.
    ///
    /// If another caller sends the field, the response is a 422: `read_only` if the caller may read the field, otherwise `unknown_property`. In a
    /// create by another caller, the field has its default. In a replacement, it keeps its value.
    pub fn write(mut self, access: impl Into<FieldAccess>) -> Self {
        self.write = Some(access.into());
        self
    }

    /// Declares that the field contains the time at which the entity was created. [`Endpoints`](crate::Endpoints) set the value.
    pub fn created_at(self) -> Self {
        self.set_managed(Managed::CreatedAt)
    }

    /// Declares that the field contains the time at which the entity was last updated. [`Endpoints`](crate::Endpoints) set the value.
    pub fn updated_at(self) -> Self {
        self.set_managed(Managed::UpdatedAt)
    }

    /// Declares that the field contains the number of the entity's [`Version`](crate::Version). The store changes the number with each
    /// write. A larger number does not mean a later write.
    pub fn version(self) -> Self {
        self.set_managed(Managed::Version)
    }

    /// Declares that the field contains the time at which the entity was deleted. The value is null before the deletion. The field must be
    /// [nullable](Self::nullable).
    ///
    /// A delete then sets the field, and the entity stays in the store. Every statement treats the entity as missing, unless the statement
    /// includes [deleted entities](crate::Statement::with_deleted). Other entities may then use its unique values. Entities that refer to
    /// it with [`OnDelete::Cascade`] are deleted too.
    pub fn deleted_at(self) -> Self {
        self.set_managed(Managed::DeletedAt)
    }

    fn set_managed(mut self, managed: Managed) -> Self {
        self.managed = Some(managed);
        self
    }

    /// Returns the name of the field.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the type of the field's values.
    #[must_use]
    pub fn value_type(&self) -> ValueType {
        self.value_type
    }

    /// Returns `true` if the field may be null.
    #[must_use]
    pub fn is_nullable(&self) -> bool {
        self.nullable
    }

    /// Returns `true` if each value of the field is unique within the scope.
    #[must_use]
    pub fn is_unique(&self) -> bool {
        self.unique.is_some()
    }

    /// Returns the constraint of a [unique](Self::unique) field.
    pub(super) fn unique_constraint(&self) -> Option<&UniqueConstraint> {
        self.unique.as_ref()
    }

    /// Returns `true` if lists can filter the field with `contains`, `starts_with` or `ends_with`.
    #[must_use]
    pub fn is_searchable(&self) -> bool {
        self.searchable
    }

    /// Returns `true` if lists can sort by the field.
    #[must_use]
    pub fn is_sortable(&self) -> bool {
        self.sortable
    }

    /// Returns the type of the items, if the field is a list that can be filtered.
    #[must_use]
    pub fn item_type(&self) -> Option<ValueType> {
        self.items.filter(|_| self.value_type == ValueType::Json)
    }

    /// Returns the number of digits after the point of a decimal.
    #[must_use]
    pub fn decimal_scale(&self) -> Option<u32> {
        self.scale
    }

    /// Returns `true` if the field is a part of the entity's scope.
    #[must_use]
    pub fn is_scope(&self) -> bool {
        self.scope
    }

    /// Returns the name of the definition that the field refers to, and the effect of deleting a referenced entity. Returns `None` if the
    /// field is not a reference.
    #[must_use]
    pub fn reference(&self) -> Option<(&str, OnDelete)> {
        self.reference.as_ref().map(|(target, on_delete)| (target.as_ref(), *on_delete))
    }

    /// Returns `true` if the field keeps the identifier of a deleted entity.
    pub(crate) fn keeps_reference(&self) -> bool {
        matches!(self.reference, Some((_, OnDelete::Keep)))
    }

    /// Returns the definition of the parent. Returns `None` if the field does not contain the identifier of a parent.
    #[must_use]
    pub fn parent_definition(&self) -> Option<&EntityDefinition> {
        self.parent.as_deref()
    }

    /// Returns the kind of value that the service sets in the field. Returns `None` if the service does not set the field.
    #[must_use]
    pub fn managed(&self) -> Option<Managed> {
        self.managed
    }

    /// Returns the former name of the field. Returns `None` if the field was not renamed.
    #[must_use]
    pub fn former_name(&self) -> Option<&str> {
        self.renamed_from.as_deref()
    }

    /// Returns the permission, scope or role that is required to read the field, or `None` if every caller may read it.
    #[must_use]
    pub fn read_access(&self) -> Option<&FieldAccess> {
        self.read.as_ref()
    }

    /// Returns the permission, scope or role that is required to write the field. The default is the [read access](Self::read_access).
    #[must_use]
    pub fn write_access(&self) -> Option<&FieldAccess> {
        self.write.as_ref().or(self.read.as_ref())
    }

    /// Returns the permission, scope or role that [`write`](Self::write) has set, or `None` if the default applies.
    pub(crate) fn own_write_access(&self) -> Option<&FieldAccess> {
        self.write.as_ref()
    }

    /// Returns `true` if lists can filter and sort by the field. Lists cannot filter or sort by JSON fields.
    pub(crate) fn is_single(&self) -> bool {
        self.value_type != ValueType::Json
    }

    /// Returns the limits that request schemas declare for the values of the field. Returns `None` if clients cannot send the field, or if
    /// no resource uses the definition.
    #[must_use]
    pub fn bounds(&self) -> Option<ValueBounds> {
        self.bounds.0
    }

    /// Sets the limits that request schemas declare for the values of the field.
    pub(crate) fn bounded(mut self, bounds: ValueBounds) -> Self {
        self.bounds = DeclaredBounds(Some(bounds));
        self
    }

    /// Returns a copy of the field name that does not borrow from the field.
    pub(crate) fn owned_name(&self) -> Cow<'static, str> {
        self.name.clone()
    }
}

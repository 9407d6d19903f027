//! [`FieldDefinition`]: one field of an entity.

use std::borrow::Cow;

use restwright_list::ValueType;

/// The description of one field: its name, the type of its values, and the rules that a store enforces.
#[derive(Clone, Debug, PartialEq)]
#[must_use = "a field does nothing until a definition has it"]
pub struct FieldDefinition {
    name: Cow<'static, str>,
    value_type: ValueType,
    nullable: bool,
    unique: bool,
    scope: bool,
    reference: Option<(Cow<'static, str>, OnDelete)>,
}

/// The consequence of deleting an entity for those that refer to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnDelete {
    /// The entity is not deleted while others refer to it.
    Restrict,
    /// The entities that refer to it are deleted together with it.
    Cascade,
}

impl FieldDefinition {
    /// Creates a field whose values are of this type, and never null.
    pub fn new(name: impl Into<Cow<'static, str>>, value_type: ValueType) -> Self {
        Self { name: name.into(), value_type, nullable: false, unique: false, scope: false, reference: None }
    }

    /// Admits null.
    pub fn nullable(mut self) -> Self {
        self.nullable = true;
        self
    }

    /// Demands that no two entities of one scope have the same value; null is not equal to null.
    pub fn unique(mut self) -> Self {
        self.unique = true;
        self
    }

    /// Makes the field a part of the entity's scope, such as its tenant, its owner or its parent.
    pub fn scope(mut self) -> Self {
        self.scope = true;
        self
    }

    /// Demands that the value is the identifier of an entity of this name in the same scope, or null.
    ///
    /// Where both kinds of entities have a scope field of one name, its value is the same for both.
    pub fn references(mut self, target: impl Into<Cow<'static, str>>, on_delete: OnDelete) -> Self {
        self.reference = Some((target.into(), on_delete));
        self
    }

    /// Returns the name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the type of the values.
    #[must_use]
    pub fn value_type(&self) -> ValueType {
        self.value_type
    }

    /// Returns `true` if values may be null.
    #[must_use]
    pub fn is_nullable(&self) -> bool {
        self.nullable
    }

    /// Returns `true` if no two entities of one scope have the same value.
    #[must_use]
    pub fn is_unique(&self) -> bool {
        self.unique
    }

    /// Returns `true` if the field is a part of the entity's scope.
    #[must_use]
    pub fn is_scope(&self) -> bool {
        self.scope
    }

    /// Returns the name of the entities that the field refers to, with the consequence of deleting one.
    #[must_use]
    pub fn reference(&self) -> Option<(&str, OnDelete)> {
        self.reference.as_ref().map(|(target, on_delete)| (target.as_ref(), *on_delete))
    }

    /// Returns the name without a borrow.
    pub(crate) fn owned_name(&self) -> Cow<'static, str> {
        self.name.clone()
    }
}

//! Defines [`Scope`], which restricts a statement to entities with given values, such as a tenant.

use std::borrow::Cow;

use restwright_list::{Comparison, Expression, Record, Value};

/// The values of scope fields, such as a tenant, an owner or a parent. A statement is restricted to entities with these values.
///
/// A statement neither reads nor changes entities of another scope, and inserts entities into its own scope. Uniqueness, references and given
/// identifiers are separate for each scope. An empty scope restricts nothing.
///
/// ```
/// use restwright_resource::Scope;
///
/// let scope = Scope::new().with("tenant", "north").with("owner_id", 7);
/// assert_eq!(scope.get("owner_id"), Some(&7.into()));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[must_use = "a scope restricts nothing until a statement contains it"]
pub struct Scope {
    fields: Vec<(Cow<'static, str>, Value<'static>)>,
}

/// An empty scope, for statements that are not restricted to a scope.
pub(super) static EVERYTHING: Scope = Scope { fields: Vec::new() };

impl Scope {
    /// Creates an empty scope, which restricts nothing.
    pub const fn new() -> Self {
        Self { fields: Vec::new() }
    }

    /// Restricts a scope field to one value. The definition must declare the field as a scope.
    pub fn with(mut self, field: impl Into<Cow<'static, str>>, value: impl Into<Value<'static>>) -> Self {
        let field = field.into();
        self.fields.retain(|(name, _)| *name != field);
        self.fields.push((field, value.into()));
        self
    }

    /// Returns the value of a scope field, or `None` if the scope does not restrict the field.
    #[must_use]
    pub fn get(&self, field: &str) -> Option<&Value<'static>> {
        self.iter().find(|(name, _)| *name == field).map(|(_, value)| value)
    }

    /// Returns the scope fields with their values.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value<'static>)> {
        self.fields.iter().map(|(field, value)| (field.as_ref(), value))
    }

    /// Returns `true` if the scope values of an entity match the scope.
    #[must_use]
    pub fn admits(&self, entity: &(impl Record + ?Sized)) -> bool {
        self.iter().all(|(field, value)| entity.value(field) == *value)
    }

    /// Returns a filter that matches the entities in the scope.
    #[must_use]
    pub fn expression(&self) -> Expression {
        let conditions = self.fields.iter().cloned();
        Expression::All(conditions.map(|(field, value)| Expression::condition(field, Comparison::Eq(value))).collect())
    }
}

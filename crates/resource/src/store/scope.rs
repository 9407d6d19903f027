//! [`Scope`]: the part of the entities that a statement is about.

use std::borrow::Cow;

use restwright_list::{Comparison, Expression, Record, Value};

/// Values of the scope fields, to which a statement is restricted: a tenant, an owner, a parent.
///
/// A statement neither sees nor changes entities of another scope, and what it inserts is in its own. Uniqueness, identifiers that
/// clients give and references are kept for each scope apart. An empty scope restricts nothing.
///
/// ```
/// use restwright_resource::Scope;
///
/// let scope = Scope::new().with("tenant", "north").with("owner_id", 7);
/// assert_eq!(scope.get("owner_id"), Some(&7.into()));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[must_use = "a scope restricts nothing until a statement has it"]
pub struct Scope {
    fields: Vec<(Cow<'static, str>, Value<'static>)>,
}

/// The scope of a statement that names none.
pub(super) static EVERYTHING: Scope = Scope { fields: Vec::new() };

impl Scope {
    /// Creates a scope that restricts nothing.
    pub const fn new() -> Self {
        Self { fields: Vec::new() }
    }

    /// Restricts it to one value of a field, which the definition declares as a scope.
    pub fn with(mut self, field: impl Into<Cow<'static, str>>, value: impl Into<Value<'static>>) -> Self {
        let field = field.into();
        self.fields.retain(|(name, _)| *name != field);
        self.fields.push((field, value.into()));
        self
    }

    /// Returns the value of a field.
    #[must_use]
    pub fn get(&self, field: &str) -> Option<&Value<'static>> {
        self.iter().find(|(name, _)| *name == field).map(|(_, value)| value)
    }

    /// Returns the fields with their values.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value<'static>)> {
        self.fields.iter().map(|(field, value)| (field.as_ref(), value))
    }

    /// Returns `true` if an entity is in the scope.
    #[must_use]
    pub fn admits(&self, entity: &(impl Record + ?Sized)) -> bool {
        self.iter().all(|(field, value)| entity.value(field) == *value)
    }

    /// Returns the condition that an entity is in the scope.
    #[must_use]
    pub fn expression(&self) -> Expression {
        let conditions = self.fields.iter().cloned();
        Expression::All(conditions.map(|(field, value)| Expression::condition(field, Comparison::Eq(value))).collect())
    }
}

//! Defines [`UniqueConstraint`], and the methods of [`EntityDefinition`] for unique constraints over one or several fields.

use std::borrow::Cow;

use restwright_core::BuildErrors;
use restwright_list::{Record, Value, ValueType, fold};

use super::{EntityDefinition, FieldDefinition};

/// The fields whose values are unique together, and how the constraint compares these values.
///
/// An array of field names converts to a constraint. By default, null is not equal to null.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "a constraint does nothing until a definition contains it"]
pub struct UniqueConstraint {
    fields: Vec<Cow<'static, str>>,
    nulls_equal: bool,
    ignores_case: bool,
}

impl UniqueConstraint {
    /// Creates a constraint over the given fields.
    pub fn new<F: Into<Cow<'static, str>>>(fields: impl IntoIterator<Item = F>) -> Self {
        Self { fields: fields.into_iter().map(Into::into).collect(), nulls_equal: false, ignores_case: false }
    }

    /// Treats null as equal to null (`NULLS NOT DISTINCT` in SQL). Two entities with null in the same field then conflict if their other
    /// values are equal. One of the fields must be nullable.
    ///
    /// PostgreSQL supports this from version 15 on.
    pub fn nulls_equal(mut self) -> Self {
        self.nulls_equal = true;
        self
    }

    /// Ignores the case of strings, as the filter operator `contains` does. `Ada` and `ADA` then conflict. One of the fields must be a string.
    ///
    /// Filters with `eq` still compare exactly.
    pub fn ignore_case(mut self) -> Self {
        self.ignores_case = true;
        self
    }

    /// Returns the fields, without the scope fields.
    #[must_use]
    pub fn fields(&self) -> &[Cow<'static, str>] {
        &self.fields
    }

    /// Returns `true` if null is equal to null.
    #[must_use]
    pub fn are_nulls_equal(&self) -> bool {
        self.nulls_equal
    }

    /// Returns `true` if the constraint ignores the case of strings.
    #[must_use]
    pub fn ignores_case(&self) -> bool {
        self.ignores_case
    }

    /// Returns `true` if the constraint differs from a [unique field](FieldDefinition::unique), also if it has only one field.
    fn has_settings(&self) -> bool {
        self.nulls_equal || self.ignores_case
    }

    /// Returns `true` if entities that satisfy this constraint always satisfy the other constraint.
    fn implies(&self, other: &Self) -> bool {
        self.fields.iter().all(|field| other.fields.contains(field))
            && (self.nulls_equal || !other.nulls_equal)
            && (self.ignores_case || !other.ignores_case)
    }
}

impl<F: Into<Cow<'static, str>>, const COUNT: usize> From<[F; COUNT]> for UniqueConstraint {
    fn from(fields: [F; COUNT]) -> Self {
        Self::new(fields)
    }
}

impl<F: Into<Cow<'static, str>>> From<Vec<F>> for UniqueConstraint {
    fn from(fields: Vec<F>) -> Self {
        Self::new(fields)
    }
}

impl EntityDefinition {
    /// Adds a unique constraint over several fields. No two entities may have the same values in all of these fields. Null is not equal to
    /// any value, so an entity with null in one of the fields never conflicts. [`UniqueConstraint::nulls_equal`] changes this.
    ///
    /// Like a [unique field](FieldDefinition::unique), the constraint applies within the scope.
    ///
    /// ```
    /// use restwright_list::ValueType;
    /// use restwright_resource::{EntityDefinition, FieldDefinition, IdentifierKind, UniqueConstraint};
    ///
    /// // Each project has its own ticket 1.
    /// let tickets = EntityDefinition::new("tickets", "id", IdentifierKind::Uuid)
    ///     .field(FieldDefinition::new("project", ValueType::Text))
    ///     .field(FieldDefinition::new("number", ValueType::Integer))
    ///     .unique(["project", "number"]);
    /// assert_eq!(tickets.check(), Ok(()));
    ///
    /// // A folder without a parent is a root. Two roots have different names, too.
    /// let folders = EntityDefinition::new("folders", "id", IdentifierKind::Uuid)
    ///     .field(FieldDefinition::new("parent_id", ValueType::Uuid).nullable())
    ///     .field(FieldDefinition::new("name", ValueType::Text))
    ///     .unique(UniqueConstraint::new(["parent_id", "name"]).nulls_equal());
    /// assert_eq!(folders.check(), Ok(()));
    /// ```
    pub fn unique(mut self, constraint: impl Into<UniqueConstraint>) -> Self {
        self.described_mut().unique.push(constraint.into());
        self
    }

    /// Returns the unique constraints. The unique fields come first, then the constraints that [`unique`](Self::unique) added.
    pub fn unique_constraints(&self) -> impl Iterator<Item = &UniqueConstraint> {
        self.0.fields.iter().filter_map(FieldDefinition::unique_constraint).chain(&self.0.unique)
    }

    /// Returns the fields of each unique constraint, with the entity's key for the constraint. A key consists of the scope values and the
    /// unique values. No two entities have the same key. A constraint in which a value is null has no key, unless it treats
    /// [null as equal to null](UniqueConstraint::nulls_equal). If a constraint [ignores case](UniqueConstraint::ignore_case), its key contains
    /// the [folded](restwright_list::fold) strings. A deleted entity has no keys.
    pub fn unique_keys(
        &self,
        entity: &impl Record,
    ) -> impl Iterator<Item = (&[Cow<'static, str>], Vec<Value<'static>>)> {
        // A deleted entity releases its values.
        let is_deleted = self.is_deleted(entity);
        self.unique_constraints().filter(move |_| !is_deleted).filter_map(|constraint| {
            let fields = constraint.fields();
            let values: Vec<_> = fields.iter().map(|field| self.unique_value(constraint, field, entity)).collect();
            if !constraint.are_nulls_equal() && values.iter().any(Value::is_null) {
                return None;
            }
            let mut key = self.scope_values(entity);
            key.extend(values);
            Some((fields, key))
        })
    }

    /// Returns the value of a field as the constraint compares it.
    fn unique_value(&self, constraint: &UniqueConstraint, field: &str, entity: &impl Record) -> Value<'static> {
        let value = entity.value(field).into_owned();
        match value.as_text().filter(|_| constraint.ignores_case() && self.get(field).is_some_and(is_string)) {
            Some(text) => fold(text).into(),
            None => value,
        }
    }

    pub(super) fn check_unique(&self, errors: &mut BuildErrors) {
        for constraint in &self.0.unique {
            let fields = constraint.fields();
            let shown = fields.join(", ");
            let mut push = |mistake: &str| {
                errors.push(format!("the unique constraint ({shown}) of `{}` {mistake}", self.name()));
            };
            if fields.is_empty() || (fields.len() == 1 && !constraint.has_settings()) {
                push("must have at least two fields; for one field use `FieldDefinition::unique`");
            }
            let mut known = fields.iter().filter_map(|name| self.get(name)).peekable();
            if constraint.are_nulls_equal() && known.peek().is_some() && !known.any(FieldDefinition::is_nullable) {
                push("treats null as equal to null, but none of its fields is nullable; remove `nulls_equal`");
            }
            let mut known = fields.iter().filter_map(|name| self.get(name)).peekable();
            if constraint.ignores_case() && known.peek().is_some() && !known.any(is_string) {
                push("ignores case, but none of its fields is a string; remove `ignore_case`");
            }
            if self.unique_constraints().filter(|other| is_same(other.fields(), fields)).count() > 1 {
                push("is declared twice; remove one");
            }
            for (place, name) in fields.iter().enumerate() {
                match self.get(name) {
                    None => push(&format!("names `{name}`, which is not a field")),
                    Some(field) if !field.is_single() => {
                        push(&format!("names `{name}`, which holds JSON, and stores cannot compare it"));
                    }
                    Some(field) if field.is_scope() => push(&format!(
                        "names the scope field `{name}`, but every unique constraint applies within the scope; remove it"
                    )),
                    Some(field) if is_unique_alone(self, field, constraint) => {
                        push(&format!(
                            "names `{name}`, which is already unique without other fields; remove the constraint"
                        ));
                    }
                    Some(field) if field.managed().is_some() => {
                        push(&format!("names `{name}`, which the service sets; use a separate field"));
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

/// Returns `true` if the field is unique without the other fields of the constraint.
fn is_unique_alone(definition: &EntityDefinition, field: &FieldDefinition, constraint: &UniqueConstraint) -> bool {
    let mut others = definition.unique_constraints().filter(|other| *other != constraint);
    field.name() == definition.identifier()
        || others.any(|other| matches!(other.fields(), [one] if one == field.name()) && other.implies(constraint))
}

fn is_string(field: &FieldDefinition) -> bool {
    field.value_type() == ValueType::Text
}

/// Returns `true` if two lists contain the same fields in any order.
fn is_same(one: &[Cow<'static, str>], other: &[Cow<'static, str>]) -> bool {
    one.len() == other.len() && one.iter().all(|field| other.contains(field))
}

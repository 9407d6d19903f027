//! Methods of [`EntityDefinition`] for unique constraints over one or several fields.

use std::borrow::Cow;
use std::slice;

use restwright_core::BuildErrors;
use restwright_list::{Record, Value};

use super::{EntityDefinition, FieldDefinition};

impl EntityDefinition {
    /// Adds a unique constraint over several fields. No two entities may have the same values in all of these fields. Null is not equal to
    /// any value, so an entity with null in one of the fields never conflicts.
    ///
    /// Like a [unique field](FieldDefinition::unique), the constraint applies within the scope.
    ///
    /// ```
    /// use restwright_list::ValueType;
    /// use restwright_resource::{EntityDefinition, FieldDefinition, IdentifierKind};
    ///
    /// // Each project has its own ticket 1.
    /// let tickets = EntityDefinition::new("tickets", "id", IdentifierKind::Uuid)
    ///     .field(FieldDefinition::new("project", ValueType::Text))
    ///     .field(FieldDefinition::new("number", ValueType::Integer))
    ///     .unique(["project", "number"]);
    /// assert_eq!(tickets.check(), Ok(()));
    /// ```
    pub fn unique<F: Into<Cow<'static, str>>>(mut self, fields: impl IntoIterator<Item = F>) -> Self {
        self.described_mut().unique.push(fields.into_iter().map(Into::into).collect());
        self
    }

    /// Returns the fields of each unique constraint, without the scope fields. The unique fields come first, then the constraints over several
    /// fields.
    pub fn unique_constraints(&self) -> impl Iterator<Item = &[Cow<'static, str>]> {
        let single = self.0.fields.iter().filter(|field| field.is_unique());
        single.map(|field| slice::from_ref(field.cow_name())).chain(self.0.unique.iter().map(Vec::as_slice))
    }

    /// Returns the fields of each unique constraint, with the entity's key for the constraint. A key consists of the scope values and the
    /// unique values. No two entities have the same key. Constraints in which a value is null have no key. A deleted entity has no keys.
    pub fn unique_keys(
        &self,
        entity: &impl Record,
    ) -> impl Iterator<Item = (&[Cow<'static, str>], Vec<Value<'static>>)> {
        // A deleted entity releases its values.
        let is_deleted = self.is_deleted(entity);
        self.unique_constraints().filter(move |_| !is_deleted).filter_map(|fields| {
            let values: Vec<_> = fields.iter().map(|field| entity.value(field).into_owned()).collect();
            if values.iter().any(Value::is_null) {
                return None;
            }
            let mut key = self.scope_values(entity);
            key.extend(values);
            Some((fields, key))
        })
    }

    pub(super) fn check_unique(&self, errors: &mut BuildErrors) {
        for fields in &self.0.unique {
            let shown = fields.join(", ");
            let mut push = |mistake: &str| {
                errors.push(format!("the unique constraint ({shown}) of `{}` {mistake}", self.name()));
            };
            if fields.len() < 2 {
                push("must have at least two fields; for one field use `FieldDefinition::unique`");
            }
            if self.0.unique.iter().filter(|other| is_same(other, fields)).count() > 1 {
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
                    Some(field) if is_unique_alone(self, field) => {
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

fn is_unique_alone(definition: &EntityDefinition, field: &FieldDefinition) -> bool {
    field.is_unique() || field.name() == definition.identifier()
}

/// Returns `true` if two lists contain the same fields in any order.
fn is_same(one: &[Cow<'static, str>], other: &[Cow<'static, str>]) -> bool {
    one.len() == other.len() && one.iter().all(|field| other.contains(field))
}

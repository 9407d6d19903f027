//! [`Specimen`]: the entity of the suite.

use jiff::Timestamp;
use jiff::civil::Date;
use restwright_list::{Record, Value, ValueType};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::definition::{EntityDefinition, FieldDefinition, IdentifierKind, OnDelete};
use crate::entity::Entity;

/// The entity of the suite, with a field of each type. A definition uses some of its fields; serde reads the others as their defaults.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Specimen {
    /// The identifier of the kind `Uuid`.
    pub uuid_id: Uuid,
    /// The identifier of the kind `Integer`, or an integer that is given.
    pub id: i64,
    /// The identifier that is a given text.
    pub code: String,
    /// A scope.
    pub tenant: i64,
    /// Another scope.
    pub project: String,
    /// A unique text.
    pub email: Option<String>,
    /// A unique integer.
    pub serial: Option<i64>,
    /// A reference.
    pub owner: Option<i64>,
    /// Another reference.
    pub parent: Option<i64>,
    /// A reference to a given text.
    pub category: Option<String>,
    /// A text that is never null.
    pub label: String,
    /// A text.
    pub text: Option<String>,
    /// An integer.
    pub integer: Option<i64>,
    /// An integer without a sign.
    pub natural: Option<u64>,
    /// A number.
    pub number: Option<f64>,
    /// True or false.
    pub flag: Option<bool>,
    /// A date.
    pub date: Option<Date>,
    /// A date-time.
    pub moment: Option<Timestamp>,
    /// A UUID.
    pub uuid: Option<Uuid>,
}

macro_rules! record {
    ($($field:ident),*) => {
        impl Record for Specimen {
            fn has_field(field: &str) -> bool {
                [$(stringify!($field)),*].contains(&field)
            }

            fn value(&self, field: &str) -> Value<'_> {
                match field {
                    $(stringify!($field) => Value::from(&self.$field),)*
                    _ => Value::Null,
                }
            }
        }
    };
}

record!(
    uuid_id, id, code, tenant, project, email, serial, owner, parent, category, label, text, integer, natural, number,
    flag, date, moment, uuid
);

impl Entity for Specimen {
    fn set_value(&mut self, field: &str, value: Value<'static>) -> bool {
        match (field, value) {
            ("uuid_id", Value::Uuid(id)) => self.uuid_id = id,
            ("id", Value::Integer(id)) => return i64::try_from(id).map(|id| self.id = id).is_ok(),
            ("tenant", Value::Integer(id)) => return i64::try_from(id).map(|id| self.tenant = id).is_ok(),
            ("code", Value::Text(code)) => self.code = code.into_owned(),
            ("project", Value::Text(project)) => self.project = project.into_owned(),
            ("natural", Value::Integer(natural)) => self.natural = u64::try_from(natural).ok(),
            ("number", Value::Number(number)) => self.number = Some(number),
            ("moment", Value::DateTime(moment)) => self.moment = Some(moment),
            _ => return false,
        }
        true
    }
}

/// The definitions of the suite, for a store that makes tables: all entities are [`Specimen`]s, and each table has these fields.
#[must_use]
pub fn definitions() -> Vec<EntityDefinition> {
    vec![
        values(),
        uuids(),
        integers(),
        texts(),
        members(),
        documents(),
        owners(),
        pets(),
        visits(),
        categories(),
        nodes(),
        shown_versions(),
    ]
}

/// Given integers, and a nullable field of each type.
pub(super) fn values() -> EntityDefinition {
    EntityDefinition::new("suite_values", "id", IdentifierKind::Given(ValueType::Integer))
        .field(FieldDefinition::new("label", ValueType::Text))
        .field(FieldDefinition::new("text", ValueType::Text).nullable().searchable())
        .field(FieldDefinition::new("integer", ValueType::Integer).nullable())
        .field(FieldDefinition::new("natural", ValueType::Integer).nullable())
        .field(FieldDefinition::new("number", ValueType::Number).nullable())
        .field(FieldDefinition::new("flag", ValueType::Boolean).nullable())
        .field(FieldDefinition::new("date", ValueType::Date).nullable())
        .field(FieldDefinition::new("moment", ValueType::DateTime).nullable())
        .field(FieldDefinition::new("uuid", ValueType::Uuid).nullable())
}

/// Identifiers that are UUIDs.
pub(super) fn uuids() -> EntityDefinition {
    EntityDefinition::new("suite_uuids", "uuid_id", IdentifierKind::Uuid).field(label())
}

/// Identifiers that the store makes, and unique fields.
pub(super) fn integers() -> EntityDefinition {
    let definition = EntityDefinition::new("suite_integers", "id", IdentifierKind::Integer).field(label());
    unique(definition)
}

/// Identifiers that are texts.
pub(super) fn texts() -> EntityDefinition {
    EntityDefinition::new("suite_texts", "code", IdentifierKind::Given(ValueType::Text)).field(label())
}

/// Identifiers that the store makes, in a scope.
pub(super) fn members() -> EntityDefinition {
    let tenant = FieldDefinition::new("tenant", ValueType::Integer).scope();
    unique(EntityDefinition::new("suite_members", "id", IdentifierKind::Integer).field(tenant).field(label()))
}

/// Given identifiers, in two scopes.
pub(super) fn documents() -> EntityDefinition {
    EntityDefinition::new("suite_documents", "code", IdentifierKind::Given(ValueType::Text))
        .field(FieldDefinition::new("tenant", ValueType::Integer).scope())
        .field(FieldDefinition::new("project", ValueType::Text).scope())
        .field(label())
}

/// Entities that others refer to, in a scope.
pub(super) fn owners() -> EntityDefinition {
    EntityDefinition::new("suite_owners", "id", IdentifierKind::Integer)
        .field(FieldDefinition::new("tenant", ValueType::Integer).scope())
        .field(label())
}

/// Entities that refer to owners, and are not deleted with them, and to categories.
pub(super) fn pets() -> EntityDefinition {
    EntityDefinition::new("suite_pets", "id", IdentifierKind::Integer)
        .field(FieldDefinition::new("tenant", ValueType::Integer).scope())
        .field(
            FieldDefinition::new("owner", ValueType::Integer).nullable().references("suite_owners", OnDelete::Restrict),
        )
        .field(
            FieldDefinition::new("category", ValueType::Text)
                .nullable()
                .references("suite_categories", OnDelete::Restrict),
        )
        .field(label())
}

/// Entities that are deleted with their pet.
pub(super) fn visits() -> EntityDefinition {
    EntityDefinition::new("suite_visits", "id", IdentifierKind::Integer)
        .field(FieldDefinition::new("tenant", ValueType::Integer).scope())
        .field(
            FieldDefinition::new("parent", ValueType::Integer).nullable().references("suite_pets", OnDelete::Cascade),
        )
        .field(
            FieldDefinition::new("owner", ValueType::Integer).nullable().references("suite_owners", OnDelete::Cascade),
        )
        .field(label())
}

/// Given identifiers that others refer to, in a scope.
pub(super) fn categories() -> EntityDefinition {
    EntityDefinition::new("suite_categories", "code", IdentifierKind::Given(ValueType::Text))
        .field(FieldDefinition::new("tenant", ValueType::Integer).scope())
        .field(label())
}

/// Entities that refer to their own kind.
pub(super) fn nodes() -> EntityDefinition {
    EntityDefinition::new("suite_nodes", "id", IdentifierKind::Given(ValueType::Integer))
        .field(
            FieldDefinition::new("parent", ValueType::Integer).nullable().references("suite_nodes", OnDelete::Cascade),
        )
        .field(
            FieldDefinition::new("owner", ValueType::Integer).nullable().references("suite_nodes", OnDelete::Restrict),
        )
        .field(label())
}

/// Entities that show their version.
pub(super) fn shown_versions() -> EntityDefinition {
    EntityDefinition::new("suite_shown_versions", "id", IdentifierKind::Integer)
        .field(FieldDefinition::new("natural", ValueType::Integer).version())
        .field(label())
}

fn unique(definition: EntityDefinition) -> EntityDefinition {
    definition
        .field(FieldDefinition::new("email", ValueType::Text).nullable().unique())
        .field(FieldDefinition::new("serial", ValueType::Integer).nullable().unique())
}

fn label() -> FieldDefinition {
    FieldDefinition::new("label", ValueType::Text)
}

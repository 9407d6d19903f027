//! Defines [`Specimen`], the entity type of the conformance suite, and its entity definitions.

use jiff::Timestamp;
use jiff::civil::Date;
use restwright_list::{MaybeValue, Record, Value, ValueType};
use restwright_resource::{
    Entity, EntityDefinition, FieldDefinition, IdentifierKind, OnDelete, Row, RowError, UniqueConstraint, assign,
};
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use uuid::Uuid;

/// Declares the struct [`Specimen`] and the methods that read and set its fields by name.
macro_rules! specimen {
    ($(#[$about:meta] $field:ident: $type:ty,)*) => {
        /// The entity type of the conformance suite, which contains fields of every type. Each [definition](definitions) uses some of the
        /// fields. The other fields keep their defaults.
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
        #[serde(default)]
        #[non_exhaustive]
        pub struct Specimen {
            $(#[$about] pub $field: $type,)*
            /// Any JSON value.
            pub json: Option<Json>,
            /// A list of strings that is stored as JSON.
            pub tags: Vec<String>,
        }

        // Tests of an application build this type, and messages to the application do not list it.
        #[diagnostic::do_not_recommend]
        impl Record for Specimen {
            fn has_field(field: &str) -> bool {
                ["tags", $(stringify!($field)),*].contains(&field)
            }

            fn value(&self, field: &str) -> Value<'_> {
                match field {
                    $(stringify!($field) => Value::from(&self.$field),)*
                    "tags" => <MaybeValue<Vec<String>>>::value(&self.tags),
                    _ => Value::Null,
                }
            }
        }

        #[diagnostic::do_not_recommend]
        impl Entity for Specimen {
            fn from_row(row: &mut Row) -> Result<Self, RowError> {
                let has = |row: &Row, field: &str| row.definition().get(field).is_some();
                let mut specimen = Self::default();
                $(if has(row, stringify!($field)) {
                    specimen.$field = row.take(stringify!($field))?;
                })*
                if has(row, "json") {
                    specimen.json = row.take_json("json")?;
                }
                if has(row, "tags") {
                    specimen.tags = row.take_json("tags")?;
                }
                Ok(specimen)
            }

            fn to_row(&self, definition: &EntityDefinition) -> Result<Row, RowError> {
                let row = Row::new(definition) $(.with(stringify!($field), &self.$field))*;
                row.with_json("json", &self.json)?.with_json("tags", &self.tags)
            }

            fn set_value(&mut self, field: &str, value: Value<'static>) -> bool {
                match field {
                    $(stringify!($field) => assign(&mut self.$field, value),)*
                    _ => false,
                }
            }
        }
    };
}

specimen! {
    /// A UUID identifier, which the store generates or the test sets.
    uuid_id: Uuid,
    /// An integer identifier, which the store generates or the test sets.
    id: i64,
    /// A string identifier, which the test sets.
    code: String,
    /// A scope field that contains an integer.
    tenant: i64,
    /// A scope field that contains a string.
    project: String,
    /// A string that must be unique.
    email: Option<String>,
    /// An integer that must be unique.
    serial: Option<i64>,
    /// A number that must be unique.
    ratio: Option<f64>,
    /// A date-time that must be unique.
    seen: Option<Timestamp>,
    /// A reference to an entity with an integer identifier.
    owner: Option<i64>,
    /// A second reference to an entity with an integer identifier.
    parent: Option<i64>,
    /// A reference to an entity with a string identifier.
    category: Option<String>,
    /// A reference to an entity with a UUID identifier.
    member: Option<Uuid>,
    /// A string that is never null.
    label: String,
    /// A string or null.
    text: Option<String>,
    /// A string or null. Lists can sort by the field, but cannot search in it.
    plain: Option<String>,
    /// An enumeration of strings, or null.
    color: Option<String>,
    /// An enumeration of integers, or null.
    level: Option<i64>,
    /// An integer or null.
    integer: Option<i64>,
    /// An unsigned integer or null.
    natural: Option<u64>,
    /// A number or null.
    number: Option<f64>,
    /// A number in single precision, or null.
    float: Option<f32>,
    /// A Boolean or null.
    flag: Option<bool>,
    /// A date or null.
    date: Option<Date>,
    /// A date-time or null.
    moment: Option<Timestamp>,
    /// A UUID or null.
    uuid: Option<Uuid>,
    /// A decimal.
    amount: Option<Decimal>,
    /// An integer that is never null.
    count: i64,
    /// A number that is never null.
    width: f64,
    /// A date that is never null.
    since: Date,
    /// A date-time that is never null.
    at: Timestamp,
    /// A Boolean that is never null.
    is_new: bool,
    /// A decimal with two digits after the point that is never null.
    price: Decimal,
}

/// Returns the entity definitions of the conformance suite. All definitions describe [`Specimen`]. A store with tables must create a table
/// for each definition.
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
        items(),
        parts(),
        nodes(),
        shown_versions(),
        tickets(),
        comments(),
        folders(),
        orders(),
    ]
}

/// Defines entities with a field of every type. The test sets their integer identifiers.
pub(super) fn values() -> EntityDefinition {
    let definition = EntityDefinition::new("suite_values", "id", IdentifierKind::Given(ValueType::Integer))
        .field(label().searchable().sortable())
        .field(optional("text", ValueType::Text).searchable())
        .field(optional("plain", ValueType::Text).sortable())
        .field(optional("color", ValueType::Enumeration).sortable())
        .field(optional("level", ValueType::Enumeration))
        .field(optional("integer", ValueType::Integer).sortable())
        .field(optional("natural", ValueType::Integer))
        .field(optional("number", ValueType::Number).sortable())
        .field(optional("float", ValueType::Float))
        .field(optional("flag", ValueType::Boolean))
        .field(optional("date", ValueType::Date).sortable())
        .field(optional("moment", ValueType::DateTime).sortable())
        .field(optional("uuid", ValueType::Uuid))
        .field(optional("amount", ValueType::Decimal).sortable());
    definition
        .field(new("count", ValueType::Integer).sortable())
        .field(new("width", ValueType::Number))
        .field(new("since", ValueType::Date))
        .field(new("at", ValueType::DateTime).sortable())
        .field(new("is_new", ValueType::Boolean))
        .field(new("price", ValueType::Decimal).scale(2).sortable())
        .field(optional("json", ValueType::Json))
        .field(new("tags", ValueType::Json).items(ValueType::Text))
        .index(["tags"])
}

/// Defines entities with generated UUIDs as identifiers. They refer to each other.
pub(super) fn uuids() -> EntityDefinition {
    EntityDefinition::new("suite_uuids", "uuid_id", IdentifierKind::Uuid)
        .field(label().sortable())
        .field(optional("member", ValueType::Uuid).references("suite_uuids", OnDelete::Restrict))
}

/// Defines entities with generated integers as identifiers, and with unique fields.
pub(super) fn integers() -> EntityDefinition {
    unique(EntityDefinition::new("suite_integers", "id", IdentifierKind::Integer).field(label()))
        .field(optional("ratio", ValueType::Number).unique().sortable())
        .field(optional("seen", ValueType::DateTime).unique())
}

/// Defines entities with strings as identifiers.
pub(super) fn texts() -> EntityDefinition {
    EntityDefinition::new("suite_texts", "code", IdentifierKind::Given(ValueType::Text)).field(label())
}

/// Defines entities in a scope, with generated integers as identifiers. A unique constraint contains two fields.
pub(super) fn members() -> EntityDefinition {
    unique(EntityDefinition::new("suite_members", "id", IdentifierKind::Integer).field(tenant()).field(label()))
        .field(optional("text", ValueType::Text))
        .field(optional("flag", ValueType::Boolean))
        .unique(["text", "flag"])
}

/// Defines entities with two scope fields, and with identifiers that clients choose. The entities refer to each other.
pub(super) fn documents() -> EntityDefinition {
    EntityDefinition::new("suite_documents", "code", IdentifierKind::Given(ValueType::Text))
        .field(tenant())
        .field(new("project", ValueType::Text).scope())
        .field(optional("category", ValueType::Text).references("suite_documents", OnDelete::Restrict))
        .field(optional("text", ValueType::Text).unique())
        .field(label().sortable())
}

/// Defines owners, which are entities in a scope. Pets and visits refer to them.
pub(super) fn owners() -> EntityDefinition {
    EntityDefinition::new("suite_owners", "id", IdentifierKind::Integer).field(tenant()).field(label())
}

/// Defines pets, which refer to owners and categories. An owner with pets cannot be deleted.
pub(super) fn pets() -> EntityDefinition {
    EntityDefinition::new("suite_pets", "id", IdentifierKind::Integer)
        .field(tenant())
        .field(optional("owner", ValueType::Integer).references("suite_owners", OnDelete::Restrict))
        .field(optional("category", ValueType::Text).references("suite_categories", OnDelete::Restrict))
        .field(label())
}

/// Defines visits, which refer to a pet. Deleting the pet also deletes its visits.
pub(super) fn visits() -> EntityDefinition {
    EntityDefinition::new("suite_visits", "uuid_id", IdentifierKind::Uuid)
        .field(tenant())
        .field(optional("parent", ValueType::Integer).references("suite_pets", OnDelete::Cascade))
        .field(optional("owner", ValueType::Integer).references("suite_owners", OnDelete::Cascade))
        .field(label())
}

/// Defines categories in a scope, with identifiers that clients choose. Categories refer to each other, and other entities refer to them.
pub(super) fn categories() -> EntityDefinition {
    EntityDefinition::new("suite_categories", "code", IdentifierKind::Given(ValueType::Text))
        .field(tenant())
        .field(optional("category", ValueType::Text).references("suite_categories", OnDelete::Cascade))
        .field(label())
}

/// Defines items, which refer to a category and to another item. Deleting the category also deletes its items.
pub(super) fn items() -> EntityDefinition {
    EntityDefinition::new("suite_items", "id", IdentifierKind::Given(ValueType::Integer))
        .field(tenant())
        .field(optional("category", ValueType::Text).references("suite_categories", OnDelete::Cascade))
        .field(optional("parent", ValueType::Integer).references("suite_items", OnDelete::Restrict))
        .field(label())
}

/// Defines the test entity `part`, which references an item and a category. Deleting the item also deletes its parts.
pub(super) fn parts() -> EntityDefinition {
    EntityDefinition::new("suite_parts", "uuid_id", IdentifierKind::Given(ValueType::Uuid))
        .field(tenant())
        .field(optional("parent", ValueType::Integer).references("suite_items", OnDelete::Cascade))
        .field(optional("category", ValueType::Text).references("suite_categories", OnDelete::Restrict))
        .field(optional("text", ValueType::Text).searchable().unique())
        .field(new("count", ValueType::Integer).sortable())
        .field(label())
}

/// Defines nodes, which refer to other nodes.
pub(super) fn nodes() -> EntityDefinition {
    EntityDefinition::new("suite_nodes", "id", IdentifierKind::Given(ValueType::Integer))
        .field(optional("parent", ValueType::Integer).references("suite_nodes", OnDelete::Cascade))
        .field(optional("owner", ValueType::Integer).references("suite_nodes", OnDelete::Restrict))
        .field(label())
}

/// Defines entities with a version field.
pub(super) fn shown_versions() -> EntityDefinition {
    EntityDefinition::new("suite_shown_versions", "id", IdentifierKind::Integer)
        .field(new("natural", ValueType::Integer).version())
        .field(label())
}

/// Defines tickets, which stay in the store after a delete. Tickets refer to other tickets.
pub(super) fn tickets() -> EntityDefinition {
    unique(EntityDefinition::new("suite_tickets", "id", IdentifierKind::Integer).field(tenant()).field(label()))
        .field(optional("text", ValueType::Text).searchable())
        .field(optional("flag", ValueType::Boolean))
        .field(optional("parent", ValueType::Integer).references("suite_tickets", OnDelete::Cascade))
        .field(optional("owner", ValueType::Integer).references("suite_tickets", OnDelete::Restrict))
        .field(optional("moment", ValueType::DateTime).deleted_at())
        .unique(["text", "flag"])
}

/// Defines comments, which do not stay in the store after a delete. Comments refer to tickets, which stay in the store after a delete.
pub(super) fn comments() -> EntityDefinition {
    EntityDefinition::new("suite_comments", "uuid_id", IdentifierKind::Uuid)
        .field(tenant())
        .field(optional("parent", ValueType::Integer).references("suite_tickets", OnDelete::Cascade))
        .field(optional("owner", ValueType::Integer).references("suite_tickets", OnDelete::Restrict))
        .field(label())
}

/// Defines folders, whose unique constraints treat null as equal to null or ignore case.
pub(super) fn folders() -> EntityDefinition {
    EntityDefinition::new("suite_folders", "id", IdentifierKind::Integer)
        .field(tenant())
        .field(label())
        .field(optional("text", ValueType::Text))
        .field(optional("flag", ValueType::Boolean))
        .field(optional("date", ValueType::Date).sortable())
        .field(optional("uuid", ValueType::Uuid))
        .unique(UniqueConstraint::new(["text", "flag"]).nulls_equal())
        .field(optional("plain", ValueType::Text).sortable())
        .field(optional("email", ValueType::Text).searchable())
        .field(optional("integer", ValueType::Integer))
        .unique(UniqueConstraint::new(["date", "uuid", "label"]).nulls_equal())
        .unique(UniqueConstraint::new(["plain"]).ignore_case())
        .unique(UniqueConstraint::new(["integer", "email"]).ignore_case().nulls_equal())
}

/// Defines orders, which keep references to deleted pets, categories, tickets and orders.
pub(super) fn orders() -> EntityDefinition {
    EntityDefinition::new("suite_orders", "id", IdentifierKind::Integer)
        .field(tenant())
        .field(optional("owner", ValueType::Integer).references("suite_pets", OnDelete::Keep))
        .field(optional("category", ValueType::Text).references("suite_categories", OnDelete::Keep))
        .field(optional("parent", ValueType::Integer).references("suite_orders", OnDelete::Keep))
        .field(optional("serial", ValueType::Integer).references("suite_tickets", OnDelete::Keep))
        .field(optional("integer", ValueType::Integer).references("suite_owners", OnDelete::Restrict))
        .field(label())
}

fn unique(definition: EntityDefinition) -> EntityDefinition {
    definition.field(optional("email", ValueType::Text).unique()).field(optional("serial", ValueType::Integer).unique())
}

fn tenant() -> FieldDefinition {
    new("tenant", ValueType::Integer).scope()
}

fn label() -> FieldDefinition {
    new("label", ValueType::Text)
}

fn optional(name: &'static str, value_type: ValueType) -> FieldDefinition {
    new(name, value_type).nullable()
}

fn new(name: &'static str, value_type: ValueType) -> FieldDefinition {
    FieldDefinition::new(name, value_type)
}

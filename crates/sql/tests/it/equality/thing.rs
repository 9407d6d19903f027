//! [`Thing`]: an entity with a field of every type, and the definitions of three kinds of them.

use jiff::Timestamp;
use jiff::civil::Date;
use restwright_list::{Record, Value, ValueType};
use restwright_resource::{Entity, EntityDefinition, FieldDefinition, IdentifierKind, OnDelete, assign};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use uuid::Uuid;

/// Declares the struct with its values.
macro_rules! thing {
    (values { $($(#[$about:meta])* $name:ident: $type:ty,)* } json { $($json:ident: $json_type:ty,)* }) => {
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
        #[serde(default)]
        pub(crate) struct Thing {
            $($(#[$about])* pub $name: $type,)*
            $(pub $json: $json_type,)*
        }

        impl Record for Thing {
            fn has_field(field: &str) -> bool {
                [$(stringify!($name)),*].contains(&field)
            }

            fn value(&self, field: &str) -> Value<'_> {
                match field {
                    $(stringify!($name) => Value::from(&self.$name),)*
                    _ => Value::Null,
                }
            }
        }

        impl Entity for Thing {
            fn set_value(&mut self, field: &str, value: Value<'static>) -> bool {
                match field {
                    $(stringify!($name) => assign(&mut self.$name, value),)*
                    _ => false,
                }
            }
        }
    };
}

thing! {
    values {
        tenant: i64,
        code: String,
        number: i64,
        uuid: Uuid,
        family: Option<String>,
        next: Option<i64>,
        owner: Option<i64>,
        origin: Option<String>,
        email: Option<String>,
        serial: Option<i64>,
        seen: Option<Timestamp>,
        ratio: Option<f64>,
        label: String,
        text: Option<String>,
        plain: Option<String>,
        color: Option<String>,
        level: Option<i64>,
        integer: Option<i64>,
        natural: Option<u64>,
        weight: Option<f64>,
        float: Option<f32>,
        flag: Option<bool>,
        day: Option<Date>,
        moment: Option<Timestamp>,
        other: Option<Uuid>,
        count: i64,
        width: f64,
        since: Date,
        at: Timestamp,
        is_new: bool,
    }
    json { json: Option<Json>, tags: Vec<String>, }
}

/// The kinds: families, things, which belong to families, and parts of things.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Family,
    Thing,
    Part,
}

pub(crate) const KINDS: [Kind; 3] = [Kind::Family, Kind::Thing, Kind::Part];

impl Kind {
    pub(crate) fn definition(self) -> EntityDefinition {
        match self {
            Self::Family => families(),
            Self::Thing => things(),
            Self::Part => parts(),
        }
    }

    pub(crate) fn identifier(self) -> &'static str {
        match self {
            Self::Family => "code",
            Self::Thing => "number",
            Self::Part => "uuid",
        }
    }
}

fn new(name: &'static str, value_type: ValueType) -> FieldDefinition {
    FieldDefinition::new(name, value_type)
}

fn optional(name: &'static str, value_type: ValueType) -> FieldDefinition {
    new(name, value_type).nullable()
}

fn tenant() -> FieldDefinition {
    new("tenant", ValueType::Integer).scope()
}

/// Named by texts that are given.
fn families() -> EntityDefinition {
    EntityDefinition::new("families", "code", IdentifierKind::Given(ValueType::Text))
        .field(tenant())
        .field(new("label", ValueType::Text).searchable().sortable())
        .field(optional("email", ValueType::Text).unique())
        .field(optional("origin", ValueType::Text).references("families", OnDelete::Cascade))
}

/// With a field of every type.
fn things() -> EntityDefinition {
    EntityDefinition::new("things", "number", IdentifierKind::Given(ValueType::Integer))
        .field(tenant())
        .field(optional("family", ValueType::Text).references("families", OnDelete::Cascade))
        .field(optional("next", ValueType::Integer).references("things", OnDelete::Restrict))
        .field(optional("serial", ValueType::Integer).unique())
        .field(optional("seen", ValueType::DateTime).unique())
        .field(optional("ratio", ValueType::Number).unique().sortable())
        .field(new("label", ValueType::Text).searchable().sortable())
        .field(optional("text", ValueType::Text).searchable().sortable())
        .field(optional("plain", ValueType::Text).sortable())
        .field(optional("color", ValueType::Enumeration).sortable())
        .field(optional("level", ValueType::Enumeration))
        .field(optional("integer", ValueType::Integer).sortable())
        .field(optional("natural", ValueType::Integer))
        .field(optional("weight", ValueType::Number).sortable())
        .field(optional("float", ValueType::Float))
        .field(optional("flag", ValueType::Boolean))
        .field(optional("day", ValueType::Date).sortable())
        .field(optional("moment", ValueType::DateTime).sortable())
        .field(optional("other", ValueType::Uuid))
        .field(new("count", ValueType::Integer).sortable())
        .field(new("width", ValueType::Number))
        .field(new("since", ValueType::Date))
        .field(new("at", ValueType::DateTime).sortable())
        .field(new("is_new", ValueType::Boolean))
        .field(optional("json", ValueType::Json))
        .field(new("tags", ValueType::Json))
}

/// Held by things and by families.
fn parts() -> EntityDefinition {
    EntityDefinition::new("parts", "uuid", IdentifierKind::Given(ValueType::Uuid))
        .field(tenant())
        .field(optional("owner", ValueType::Integer).references("things", OnDelete::Cascade))
        .field(optional("family", ValueType::Text).references("families", OnDelete::Restrict))
        .field(optional("text", ValueType::Text).searchable().unique())
        .field(new("count", ValueType::Integer).sortable())
}

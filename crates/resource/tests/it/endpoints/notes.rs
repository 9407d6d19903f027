//! Resources with an integer identifier and a list by cursor or by offset.

use restwright::ApiBuilder;
use restwright::auth::Access;
use restwright::list::{CursorKey, Filter, Value, ValueType};
use restwright::prelude::*;
use restwright::schema::Checks;
use restwright::testing::TestClient;
use restwright_resource::{
    Endpoints, Entity, EntityDefinition, FieldDefinition, IdentifierKind, MemoryStore, Resource, Row, RowError,
};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// The content of a note.
#[derive(Clone, Deserialize, Schema)]
struct Text {
    text: String,
}

#[derive(Filters)]
struct TextFilters {
    #[filter(eq)]
    text: Filter<String>,
}

#[derive(Clone, Copy, Sort)]
enum ById {
    #[sort(id)]
    Id,
}

/// A resource with this name, pagination and definition.
macro_rules! notes {
    ($name:ident, $path:literal, $pagination:ident, $definition:expr) => {
        #[derive(Clone, Serialize, Schema, Record)]
        struct $name {
            id: i64,
            text: String,
        }

        impl Entity for $name {
            fn from_row(row: &mut Row) -> std::result::Result<Self, RowError> {
                Ok(Self { id: row.take("id")?, text: row.take("text")? })
            }

            fn to_row(&self, definition: &EntityDefinition) -> std::result::Result<Row, RowError> {
                Ok(Row::new(definition).with("id", &self.id).with("text", &self.text))
            }

            fn set_value(&mut self, field: &str, value: Value<'static>) -> bool {
                match (field, value) {
                    ("id", Value::Integer(id)) => i64::try_from(id).map(|id| self.id = id).is_ok(),
                    _ => false,
                }
            }
        }

        impl Resource for $name {
            const NAME: &'static str = stringify!($name);
            const PATH: &'static str = $path;

            const PAGINATION: restwright_resource::ResourcePagination =
                restwright_resource::ResourcePagination::$pagination;
            type Id = i64;
            type New = Text;
            type Update = Text;
            type View = Self;
            type Item = Self;
            type Filters = TextFilters;
            type Sort = ById;

            fn definition() -> EntityDefinition {
                $definition
            }

            fn create(new: Text) -> Self {
                Self { id: 0, text: new.text }
            }

            fn change(&mut self, changes: Text, _: &mut Checks<'_>) {
                self.text = changes.text;
            }
        }
    };
}

fn notes(name: &'static str) -> EntityDefinition {
    EntityDefinition::new(name, "id", IdentifierKind::Integer)
}

fn text() -> FieldDefinition {
    FieldDefinition::new("text", ValueType::Text)
}

notes!(ShelterNote, "/notes", Cursor, notes("shelter_notes").field(text()));
notes!(OffsetNote, "/offset", Offset, notes("offset_notes").field(text()));
notes!(TwiceNote, "/twice", Page, notes("twice").field(text()).field(text()));
notes!(BareNote, "/bare", Page, notes("bare"));
notes!(JsonNote, "/json", Page, notes("json").field(FieldDefinition::new("text", ValueType::Json)));

fn builder() -> ApiBuilder {
    Api::builder(Configuration::new("notes", "1.0.0").with(CursorKey::new([7; 32])))
}

fn endpoints<R: Resource>() -> Endpoints<R> {
    Endpoints::new(MemoryStore::new(), Access::public())
}

#[test]
fn each_pagination_visits_all_items() {
    let api = builder().module(&endpoints::<ShelterNote>()).module(&endpoints::<OffsetNote>());
    let client = TestClient::new(api.build().unwrap());
    for path in ["/notes", "/offset"] {
        for number in 1..=3 {
            let created = client.post(path).json(&json!({"text": number.to_string()})).send();
            created.assert_status(201).assert_header("location", &format!("{path}/{number}")).assert_documented();
        }
        let (mut found, mut target) = (Vec::new(), Some(format!("{path}?limit=2")));
        while let Some(next) = target {
            let response = client.get(next).send();
            let body: serde_json::Value = response.assert_status(200).assert_documented().json();
            found.push(body["data"].as_array().unwrap().iter().map(|item| item["id"].clone()).collect::<Vec<_>>());
            let links = response.header("link").unwrap_or_default();
            let next = links.split(", ").find_map(|link| link.strip_suffix(">; rel=\"next\""));
            target = next.map(|next| format!("{path}{}", next.trim_start_matches('<')));
        }
        assert_eq!(json!(found), json!([[1, 2], [3]]), "{path}");
    }
    let names = |id: &str| {
        let operation = client.api().operations().find(|operation| operation.id == id).unwrap();
        (
            operation.summary.clone().unwrap(),
            operation.tags.iter().map(|tag| tag.name.as_str()).collect::<Vec<_>>().join(","),
        )
    };
    let tag = || "Shelter notes".to_owned();
    assert_eq!(names("viewShelterNote"), ("Show one shelter note".to_owned(), tag()));
    assert_eq!(names("listShelterNotes"), ("List shelter notes".to_owned(), tag()));
}

#[test]
fn rejects_invalid_declarations() {
    let errors = builder().module(&endpoints::<TwiceNote>()).build().unwrap_err().to_string();
    assert_eq!(errors.matches("the field `text` of `twice` is declared twice").count(), 1, "{errors}");
    let errors = builder().module(&endpoints::<BareNote>()).build().unwrap_err().to_string();
    let expected = "a filter or the order names the field `text`, which is not a stored field of `bare`";
    assert_eq!(errors.matches(expected).count(), 1, "{errors}");
    let errors = builder().module(&endpoints::<JsonNote>()).build().unwrap_err().to_string();
    let expected = "a filter or the order names the field `text` of `json`, which holds JSON";
    assert_eq!(errors.matches(expected).count(), 1, "{errors}");
}

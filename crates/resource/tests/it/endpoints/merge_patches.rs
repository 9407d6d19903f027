//! Merge patches (RFC 7396) of nested values.

use restwright::auth::Access;
use restwright::list::{Value as Field, ValueType};
use restwright::prelude::*;
use restwright::schema::{Changes, Checks, Invalid};
use restwright::testing::TestClient;
use restwright_resource::{
    Endpoints, Entity, EntityDefinition, FieldDefinition, IdentifierKind, MemoryStore, Repository, Resource, Row,
    RowError, Statement,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::declare::TitleFilters;
use super::tenants::outcome;

/// The body of a profile.
#[derive(Clone, Deserialize, Schema)]
#[serde(deny_unknown_fields)]
#[schema(changes(derive(Clone)))]
pub(super) struct Draft {
    #[property(min_length = 2)]
    title: String,
    address: Address,
    second: Option<Address>,
    #[serde(default)]
    #[property(max_items = 3)]
    tags: Vec<String>,
    #[serde(default = "ten")]
    limit: i64,
    note: Option<String>,
}

#[derive(Clone, Debug, Deserialize, Serialize, Schema)]
#[serde(deny_unknown_fields)]
#[schema(changes(derive(Clone)))]
pub(super) struct Address {
    #[property(validate = not_shouted)]
    city: String,
    pub(super) zip: Option<String>,
}

fn ten() -> i64 {
    10
}

fn not_shouted(text: &str) -> Result<(), &'static str> {
    if text.chars().any(char::is_lowercase) { Ok(()) } else { Err("must not be shouted") }
}

fn limit_is_enough(profile: &Profile) -> Result<(), Invalid> {
    if i64::try_from(profile.tags.len()).unwrap() > profile.limit {
        return Err(Invalid::new("too_many", "has more tags than the limit").at("/limit"));
    }
    Ok(())
}

/// A profile in the store.
#[derive(Clone, Debug, Serialize, Schema, Record)]
#[schema(validate = limit_is_enough)]
pub(super) struct Profile {
    id: i64,
    #[property(min_length = 2, validate = not_shouted)]
    title: String,
    #[record(skip)]
    pub(super) address: Address,
    #[record(skip)]
    second: Option<Address>,
    #[property(max_items = 3)]
    #[record(skip)]
    tags: Vec<String>,
    limit: i64,
    note: Option<String>,
}

impl Entity for Profile {
    fn from_row(row: &mut Row) -> Result<Self, RowError> {
        Ok(Self {
            id: row.take("id")?,
            title: row.take("title")?,
            address: row.take_json("address")?,
            second: row.take_json("second")?,
            tags: row.take_json("tags")?,
            limit: row.take("limit")?,
            note: row.take("note")?,
        })
    }

    fn to_row(&self, definition: &EntityDefinition) -> Result<Row, RowError> {
        let row = Row::new(definition).with("id", self.id).with("title", &self.title).with("limit", self.limit);
        let row = row.with("note", &self.note).with_json("address", &self.address)?;
        row.with_json("second", &self.second)?.with_json("tags", &self.tags)
    }

    fn set_value(&mut self, field: &str, value: Field<'static>) -> bool {
        field == "id" && restwright_resource::assign(&mut self.id, value)
    }
}

#[derive(Clone, Copy, Sort)]
pub(super) enum ById {
    #[sort(id)]
    Id,
}

impl Resource for Profile {
    const NAME: &'static str = "Profile";
    const PATH: &'static str = "/profiles";

    type Id = i64;
    type New = Draft;
    type Update = DraftChanges;
    type View = Self;
    type Item = Self;
    type Filters = TitleFilters;
    type Sort = ById;

    fn definition() -> EntityDefinition {
        EntityDefinition::new("profiles", "id", IdentifierKind::Integer)
            .field(FieldDefinition::new("title", ValueType::Text))
            .field(FieldDefinition::new("limit", ValueType::Integer))
            .field(FieldDefinition::new("note", ValueType::Text).nullable())
            .field(FieldDefinition::new("address", ValueType::Json))
            .field(FieldDefinition::new("second", ValueType::Json).nullable())
            .field(FieldDefinition::new("tags", ValueType::Json))
    }

    fn create(new: Draft) -> Self {
        let Draft { title, address, second, tags, limit, note } = new;
        Self { id: 0, title, address, second, tags, limit, note }
    }

    fn change(&mut self, changes: DraftChanges, checks: &mut Checks<'_>) {
        let Self { id, title, address, second, tags, limit, note } = self.clone();
        let mut draft = Draft { title, address, second, tags, limit, note };
        changes.apply_to(&mut draft, checks);
        *self = Self { id, ..Resource::create(draft) };
    }
}

pub(super) struct Profiles {
    pub(super) client: TestClient,
    pub(super) store: MemoryStore,
}

impl Profiles {
    fn new() -> Self {
        Self::with(Endpoints::put)
    }

    pub(super) fn with(set: impl FnOnce(Endpoints<Profile>) -> Endpoints<Profile>) -> Self {
        let store = MemoryStore::new();
        let profiles = set(Endpoints::new(store.clone(), Access::public()));
        let api = Api::builder(Configuration::new("profiles", "1.0.0")).module(&profiles).build().unwrap();
        Self { client: TestClient::new(api), store }
    }

    /// Stores a profile, which may be invalid.
    pub(super) fn insert(&self, profile: Profile) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(self.store.insert(Statement::new(&Profile::definition()), profile)).unwrap();
    }

    #[track_caller]
    fn patch(&self, body: &Value) -> (u16, Value) {
        let request = self.client.patch("/profiles/1");
        let response = request.body("application/merge-patch+json", body.to_string()).send();
        response.assert_documented();
        outcome(&response)
    }
}

pub(super) fn profile() -> Profile {
    let address = |city: &str| Address { city: city.to_owned(), zip: Some("0150".to_owned()) };
    Profile {
        id: 0,
        title: "Ada".to_owned(),
        address: address("Oslo"),
        second: None,
        tags: vec!["one".to_owned(), "two".to_owned()],
        limit: 5,
        note: Some("x".to_owned()),
    }
}

/// Returns the JSON of the profile in a response.
pub(super) fn whole() -> Value {
    serde_json::to_value(Profile { id: 1, ..profile() }).unwrap()
}

/// A patch of the profile, and the changed members or the violations.
#[test]
fn a_patch_is_merged() {
    for (patch, expected) in [
        (json!({}), json!({})),
        (json!({"title": "Eve"}), json!({"title": "Eve"})),
        (json!({"note": null}), json!({"note": null})),
        (json!({"address": {"city": "Bergen"}}), json!({"address": {"city": "Bergen", "zip": "0150"}})),
        (json!({"address": {"zip": null}}), json!({"address": {"city": "Oslo", "zip": null}})),
        (json!({"address": {}}), json!({})),
        (json!({"second": {"city": "Bergen"}}), json!({"second": {"city": "Bergen", "zip": null}})),
        (json!({"tags": ["three"]}), json!({"tags": ["three"]})),
        (json!({"tags": []}), json!({"tags": []})),
        (json!({"tags": null}), json!({"tags": []})),
        (json!({"limit": null}), json!({"limit": 10})),
        (json!({"id": 1, "title": "Eve"}), json!({"title": "Eve"})),
    ] {
        let profiles = Profiles::new();
        profiles.insert(profile());
        let mut whole = whole();
        whole.as_object_mut().unwrap().extend(expected.as_object().unwrap().clone());
        assert_eq!(profiles.patch(&patch), (200, whole), "{patch}");
    }
}

#[test]
fn violations_point_to_values_that_were_sent() {
    for (patch, expected) in [
        (json!([]), " type"),
        (json!(7), " type"),
        (json!("text"), " type"),
        (json!(null), " null"),
        (json!({"title": null, "address": null}), "/title null, /address null"),
        (json!({"title": "E", "colour": 1}), "/title min_length, /colour unknown_property"),
        (json!({"address": {"city": null, "street": 1}}), "/address/city null, /address/street unknown_property"),
        (json!({"second": {"zip": "1"}}), "/second required"),
        (json!({"tags": ["a", 7]}), "/tags/1 type"),
        (json!({"tags": {"0": "a"}}), "/tags type"),
        (json!({"tags": ["a", "b", "c", "d"]}), "/tags max_items"),
        // Violations of the whole entity are at their own place if it was sent, or at the nearest place that was.
        (json!({"limit": 1}), "/limit too_many"),
        (json!({"limit": 2, "tags": ["a", "b", "c"]}), "/limit too_many"),
        (json!({"title": "EVE"}), "/title invalid"),
        (json!({"address": {"city": "OSLO"}}), "/address/city invalid"),
        (json!({"id": 2}), "/id read_only"),
        (json!({"id": "1"}), "/id read_only"),
        (json!({"id": null, "title": "EVE"}), "/title invalid, /id read_only"),
    ] {
        let profiles = Profiles::new();
        profiles.insert(profile());
        assert_eq!(profiles.patch(&patch), (422, json!(["invalid_request", expected])), "{patch}");
    }
    let profiles = Profiles::new();
    profiles.insert(Profile { limit: 2, ..profile() });
    let expected = (422, json!(["invalid_request", " too_many"]));
    assert_eq!(profiles.patch(&json!({"tags": ["a", "b", "c"]})), expected);
    let request = profiles.client.patch("/profiles/1").json(&json!({"tags": ["a", "b", "c"]}));
    assert_eq!(request.send().violations()[0].params["property"], "/limit");
}

#[test]
fn ignores_earlier_violations_in_values_that_were_not_sent() {
    let wrong = || Profile { limit: 0, address: Address { city: "OSLO".to_owned(), zip: None }, ..profile() };
    for (patch, expected) in [
        (json!({"title": "Eve"}), None),
        (json!({"address": {"zip": "1"}}), None),
        (json!({"address": {"city": "OSLO"}}), Some("/address/city invalid")),
        (json!({"limit": 0}), Some("/limit too_many")),
        (json!({"limit": 1}), Some("/limit too_many")),
        (json!({"title": "EVE"}), Some("/title invalid")),
    ] {
        let profiles = Profiles::new();
        profiles.insert(wrong());
        let expected = expected.map(|errors| json!(["invalid_request", errors]));
        let (status, found) = profiles.patch(&patch);
        assert_eq!(
            (status, (status == 422).then_some(found)),
            (if expected.is_some() { 422 } else { 200 }, expected),
            "{patch}"
        );
    }
}

/// The response to an unsupported media type names the media types of patches (RFC 5789, section 2.2).
#[test]
fn an_unsupported_media_type_returns_accept_patch() {
    let profiles = Profiles::new();
    profiles.insert(profile());
    for (media_type, coding) in [
        ("", None),
        ("text/plain", None),
        ("application/json-patch+json", None),
        ("application/problem+json", None),
        ("application/json; charset=latin1", None),
        ("application/merge-patch+json", Some("gzip")),
    ] {
        let mut request = profiles.client.patch("/profiles/1").body(media_type, "{}");
        if let Some(coding) = coding {
            request = request.header("Content-Encoding", coding);
        }
        let response = request.send();
        response.assert_status(415).assert_documented();
        response.assert_header("accept-patch", "application/merge-patch+json, application/json");
    }
    let options = profiles.client.request("OPTIONS".parse().unwrap(), "/profiles/1").send();
    options.assert_status(204).assert_header("accept-patch", "application/merge-patch+json, application/json");
    let put = profiles.client.put("/profiles/1").body("text/plain", "{}").send();
    assert_eq!(put.assert_status(415).assert_documented().header("accept"), Some("application/json"));
}

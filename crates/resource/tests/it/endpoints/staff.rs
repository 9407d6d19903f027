//! The staff of a company, with fields that only some callers may read or write.

use restwright::auth::Access;
use restwright::list::CursorKey;
use restwright::prelude::*;
use restwright::schema::Invalid;
use restwright::testing::{TestClient, TestResponse};
use restwright_resource::idempotency::{Idempotency, MemoryIdempotencyStore};
use restwright_resource::{Endpoints, HookContext, NoBody};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use super::callers::Callers;
use super::counting_store::CountingStore;

/// A member of the staff.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[schema(validate = chiefs_earn_enough)]
#[resource(path = "/staff", pagination = cursor, batch, put, json_patch, reveals(badge), search(name, badge))]
pub(super) struct Member {
    #[property(id)]
    pub(super) id: Uuid,
    #[property(filter(eq), sort, max_length = 5)]
    pub(super) name: String,
    #[property(read = "read", write = "write", filter(eq, gt), sort(default = desc), minimum = 1)]
    #[serde(alias = "pay")]
    pub(super) salary: Option<i64>,
    #[property(read = "read", write = "write", unique)]
    pub(super) badge: Option<String>,
    #[property(read = "read", write = "write")]
    #[serde(default)]
    pub(super) notes: Vec<String>,
    #[property(read = "read", created_at)]
    pub(super) created_at: jiff::Timestamp,
}

fn chiefs_earn_enough(member: &Member) -> Result<(), Invalid> {
    if member.name == "Chief" && member.salary.unwrap_or_default() < 50 {
        return Err(Invalid::new("underpaid", "must be at least 50 for a chief").at("/salary"));
    }
    Ok(())
}

/// An Api with the staff.
pub(super) struct World(pub(super) TestClient);

pub(super) fn world() -> World {
    let access = || Access::authenticated("caller");
    let keys = Idempotency::new(MemoryIdempotencyStore::new());
    let raise = async |member: &mut Member, _: NoBody, _: &mut HookContext<'_>| {
        member.salary = Some(100);
        Ok(())
    };
    let staff = Endpoints::<Member>::new(CountingStore::default(), access())
        .idempotency(keys)
        .delete_returns_entity()
        .action("raise", access(), raise);
    let configuration =
        Configuration::new("staff", "1.0.0").with(CursorKey::new([7; 32])).authenticator("caller", Callers);
    World(TestClient::new(Api::builder(configuration).module(&staff).build().unwrap()))
}

impl World {
    pub(super) fn send(&self, caller: &str, method: &str, path: &str, body: Option<&Value>) -> TestResponse {
        let request = match method {
            "GET" => self.0.get(path),
            "POST" => self.0.post(path),
            "PATCH" => self.0.patch(path),
            "PUT" => self.0.put(path),
            _ => self.0.delete(path),
        };
        let request = request.header("X-Caller", caller);
        let response = body.iter().fold(request, |request, body| request.json(body)).send();
        response.assert_documented();
        response
    }

    pub(super) fn create(&self, body: &Value) -> String {
        let created = self.send("root read write", "POST", "/staff", Some(body));
        created.assert_status(201);
        created.json::<Value>()["data"]["id"].as_str().unwrap().to_owned()
    }
}

/// Returns the status, and the members of each entity or the code and place of each violation.
pub(super) fn shown(response: &TestResponse) -> String {
    let body: Value = serde_json::from_str(response.text()).unwrap_or_default();
    let entity = |entity: &Value| {
        let members = entity.as_object().unwrap().iter();
        let members = members.filter(|(name, _)| *name != "id").map(|(name, value)| match name.as_str() {
            "created_at" => "created".to_owned(),
            "name" => value.as_str().unwrap().to_owned(),
            _ => value.to_string(),
        });
        members.collect::<Vec<_>>().join(" ")
    };
    let parts: Vec<_> = match (&body["data"], &body["errors"]) {
        (Value::Array(entities), _) => entities.iter().map(entity).collect(),
        (one @ Value::Object(_), _) => vec![entity(one)],
        (_, Value::Array(errors)) => {
            let text = |error: &Value, member: &str| error[member].as_str().unwrap().to_owned();
            errors.iter().map(|error| format!("{} {}", text(error, "code"), text(error, "pointer"))).collect()
        }
        _ => vec![body["code"].as_str().unwrap_or_default().to_owned()],
    };
    format!("{} {}", response.status().as_u16(), parts.join(", "))
}

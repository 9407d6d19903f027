//! Creates by callers who may not write a field with a default.

use restwright::auth::Access;
use restwright::prelude::*;
use restwright::testing::TestClient;
use restwright_resource::{Endpoints, MemoryStore};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::callers::Callers;

/// A person of the staff.
#[derive(Clone, Serialize, Deserialize, Resource)]
#[resource(path = "/people", batch, put)]
struct Person {
    #[property(id)]
    id: i64,
    name: String,
    #[property(default = 1, write = "write")]
    level: i64,
    #[property(default = 5, write = "write")]
    days: Option<i64>,
}

#[test]
fn a_caller_who_may_not_write_a_field_gets_its_default() {
    let access = || Access::authenticated("caller");
    let people = Endpoints::<Person>::new(MemoryStore::new(), access());
    let configuration = Configuration::new("people", "1.0.0").authenticator("caller", Callers);
    let client = TestClient::new(Api::builder(configuration).module(&people).build().unwrap());
    let send = |method: &str, path: &str, caller: &str, body: &Value| {
        let request = if method == "PUT" { client.put(path) } else { client.post(path) };
        let response = request.header("X-Caller", caller).json(body).send();
        response.assert_documented();
        let body: Value = response.json();
        let shown = if body["data"].is_null() { &body["errors"] } else { &body["data"] };
        format!("{} {shown}", response.status().as_u16())
    };
    let ann = json!({"name": "Ann"});
    let wanted = |id: u8| json!({"id": id, "name": "Ann", "level": 1, "days": 5});
    assert_eq!(send("POST", "/people", "ann", &ann), format!("201 {}", wanted(1)));
    assert_eq!(send("POST", "/people/batch", "ann", &json!({"data": [ann]})), format!("201 {}", json!([wanted(2)])));
    // A replacement keeps what its caller may not write.
    let chief = json!({"name": "Ann", "level": 7, "days": 8});
    assert!(send("PUT", "/people/1", "ann write", &chief).starts_with("200 "));
    let kept = json!({"id": 1, "name": "Bob", "level": 7, "days": 8});
    assert_eq!(send("PUT", "/people/1", "ann", &json!({"name": "Bob"})), format!("200 {kept}"));
    assert!(send("POST", "/people", "ann", &chief).contains("read_only"));
}

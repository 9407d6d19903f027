//! The example contracts: two tenants with resources and custom endpoints on one store.

use restwright::auth::{ApiKey, NewApiKey};
use restwright::testing::{TestClient, TestResponse};
use serde_json::{Value, json};

/// Clients of two tenants of one application.
struct Tenants {
    /// The client that starts and stops the components.
    started: TestClient,
    keys: [NewApiKey; 2],
}

impl Tenants {
    fn new() -> Self {
        let keys = ["north", "south"].map(|tenant| ApiKey::generate(tenant).unwrap());
        let stored = keys.iter().map(|key| contracts::key_of(key.key().clone(), key.key().id()));
        let api = contracts::api(stored, "sqlite::memory:").unwrap();
        let started = TestClient::new(api);
        started.start().unwrap();
        Self { started, keys }
    }

    fn clients(&self) -> [TestClient; 2] {
        self.keys.each_ref().map(|key| TestClient::new(self.started.api().clone()).with_header("X-Api-Key", key.text()))
    }
}

/// Creates an entity and returns its path and its identifier.
#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "a literal reads better than a reference to one")]
fn create(client: &TestClient, path: &str, body: Value) -> (String, Value) {
    let response = client.post(path).json(&body).send();
    response.assert_status(201).assert_documented();
    (response.header("location").unwrap().to_owned(), data(&response)["id"].clone())
}

fn data(response: &TestResponse) -> Value {
    response.json::<Value>()["data"].clone()
}

fn customer(email: &str) -> Value {
    json!({"name": "Ada", "email": email})
}

fn invoice(number: &str) -> Value {
    json!({"number": number, "due_on": "2026-12-31", "lines": [{"text": "Rent", "quantity": 1, "cents": 90_000}]})
}

#[test]
fn the_parts_work_together() {
    let [north, _] = Tenants::new().clients();
    let (customer_path, customer_id) = create(&north, "/customers", customer("ada@example.com"));
    create(
        &north,
        &format!("{customer_path}/addresses"),
        json!({"usage": "visits", "street": "1 A St", "city": "Oslo"}),
    );
    let contract = json!({"customer_id": customer_id, "title": "Flat 7"});
    let (contract_path, _) = create(&north, "/contracts", contract);
    north.patch(&*contract_path).json(&json!({"title": "Flat 8"})).send().assert_status(200).assert_documented();

    // A customer with contracts cannot be deleted.
    north.delete(&*customer_path).send().assert_status(409).assert_problem("conflict").assert_documented();
    north
        .get("/report")
        .send()
        .assert_json(&json!({"data": {"customers": 1, "contracts": {"active": 1, "cancelled": 0}}}));

    // A custom operation replaces the delete.
    let cancelled = north.delete(&*contract_path).send();
    assert_eq!(data(cancelled.assert_status(200).assert_documented())["state"], "cancelled");
    north.patch(&*contract_path).json(&json!({"title": "Flat 9"})).send().assert_status(409).assert_documented();
    north
        .get("/report")
        .send()
        .assert_json(&json!({"data": {"customers": 1, "contracts": {"active": 0, "cancelled": 1}}}));

    // Each change has created an event, and the rejected one has not.
    let events = north.get("/events").send();
    let texts: Vec<_> = data(events.assert_status(200).assert_documented()).as_array().unwrap().clone();
    let mut texts: Vec<_> = texts.iter().map(|event| event["text"].as_str().unwrap().to_owned()).collect();
    texts.sort_unstable();
    assert_eq!(texts, ["`Flat 7` was made", "`Flat 8` was cancelled", "`Flat 8` was changed"]);
}

#[test]
fn invoices_are_created_in_batches_and_once() {
    let [north, _] = Tenants::new().clients();
    let (_, customer_id) = create(&north, "/customers", customer("ada@example.com"));
    let (contract, _) = create(&north, "/contracts", json!({"customer_id": customer_id, "title": "Flat 7"}));
    let invoices = format!("{contract}/invoices");
    let batch = json!({"data": [invoice("A-1"), invoice("A-2")]});
    let send = |body: &Value| {
        let request = north.post(format!("{invoices}/batch")).header("Idempotency-Key", "first");
        let response = request.json(body).send();
        response.assert_documented();
        response
    };
    assert_eq!(send(&batch).assert_status(201).header("idempotency-replayed"), None);
    assert_eq!(send(&batch).assert_status(201).header("idempotency-replayed"), Some("true"));
    send(&json!({"data": [invoice("A-3")]})).assert_status(422).assert_problem("idempotency_key_reused");

    let taken = north.post(format!("{invoices}/batch")).json(&json!({"data": [invoice("A-4"), invoice("A-2")]})).send();
    taken.assert_status(409).assert_documented();
    assert_eq!(taken.violations()[0].pointer, "/data/1/number");
    let listed = north.get(format!("{invoices}?order_by=number&limit=5")).send();
    let numbers: Vec<_> =
        data(listed.assert_documented()).as_array().unwrap().iter().map(|one| one["number"].clone()).collect();
    assert_eq!(numbers, ["A-1", "A-2"]);

    let (path, _) = create(&north, &invoices, invoice("A-5"));
    let tag = north.get(&*path).send().header("etag").unwrap().to_owned();
    north.patch(&*path).json(&json!({"paid": true})).send().assert_status(428).assert_documented();
    let paid = north.patch(&*path).header("If-Match", &tag).json(&json!({"paid": true})).send();
    assert_eq!(data(paid.assert_status(200).assert_documented())["paid"], true);
    north.patch(&*path).header("If-Match", &tag).json(&json!({"paid": false})).send().assert_status(412);
}

#[test]
fn tenants_do_not_see_each_other() {
    let [north, south] = Tenants::new().clients();
    let (customer_path, customer_id) = create(&north, "/customers", customer("ada@example.com"));
    let (contract_path, _) = create(&north, "/contracts", json!({"customer_id": customer_id, "title": "Flat 7"}));
    let (invoice_path, _) = create(&north, &format!("{contract_path}/invoices"), invoice("A-1"));
    // Values are unique only within a tenant.
    create(&south, "/customers", customer("ada@example.com"));
    for path in [&customer_path, &contract_path, &invoice_path] {
        south.get(&**path).send().assert_status(404).assert_documented();
        south.delete(&**path).header("If-Match", "*").send().assert_status(404).assert_documented();
    }
    south.get(format!("{contract_path}/invoices")).send().assert_status(404).assert_documented();
    south.post(format!("{contract_path}/invoices")).json(&invoice("A-2")).send().assert_status(404).assert_documented();
    let foreign = south.post("/contracts").json(&json!({"customer_id": customer_id, "title": "Flat 7"})).send();
    foreign.assert_status(422).assert_documented();
    assert_eq!(foreign.violations()[0].pointer, "/customer_id");
    south
        .get("/report")
        .send()
        .assert_json(&json!({"data": {"customers": 1, "contracts": {"active": 0, "cancelled": 0}}}));
    assert_eq!(data(&south.get("/events").send()), json!([]));
}

#[test]
fn the_example_stays_short() {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/contracts/src");
    let files = std::fs::read_dir(source).unwrap().map(|entry| entry.unwrap().path());
    let lines: usize = files.map(|file| std::fs::read_to_string(file).unwrap().lines().count()).sum();
    // Each operation, parameter and property has a description.
    assert!(lines <= 420, "{lines} lines");
}

//! Export and import a resource with a property of each type, for data tools.
//!
//! `cargo run -p restwright-examples --example every_type`, then
//! `curl -s -H 'Accept: text/csv' http://127.0.0.1:8080/samples -o samples.csv` and
//! `curl -s -H 'Content-Type: text/csv' --data-binary @samples.csv http://127.0.0.1:8080/samples/import`.
//!
//! `ADDRESS` replaces the address of the server, and `DATABASE_URL` the file. The guide "Data tools" reads and writes these files.

use std::collections::BTreeMap;
use std::net::IpAddr;

use jiff::civil::{Date, DateTime, Time};
use jiff::{SignedDuration, Timestamp};
use restwright::auth::Access;
use restwright::files::{Base64, ItemStream};
use restwright::prelude::*;
use restwright::resource::{Endpoints, EntityStore, Scope};
use restwright::sql::SqlStore;
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// An entity with a property of each type.
#[derive(Clone, Serialize, Deserialize, Resource)]
#[resource(path = "/samples", export)]
struct Sample {
    #[property(id)]
    id: i64,
    code: String,
    letter: char,
    color: Color,
    active: bool,
    count: i32,
    large: i64,
    unsigned: u64,
    single: f32,
    ratio: f64,
    #[property(scale = 2)]
    price: Decimal,
    weight: Decimal,
    key: Uuid,
    taken_at: Timestamp,
    day: Date,
    local: DateTime,
    clock: Time,
    length: SignedDuration,
    address: IpAddr,
    data: Base64,
    tags: Vec<String>,
    place: Place,
    scores: BTreeMap<String, i64>,
    maybe_code: Option<String>,
    maybe_letter: Option<char>,
    maybe_color: Option<Color>,
    maybe_active: Option<bool>,
    maybe_count: Option<i32>,
    maybe_large: Option<i64>,
    maybe_unsigned: Option<u64>,
    maybe_single: Option<f32>,
    maybe_ratio: Option<f64>,
    #[property(scale = 2)]
    maybe_price: Option<Decimal>,
    maybe_weight: Option<Decimal>,
    maybe_key: Option<Uuid>,
    maybe_taken_at: Option<Timestamp>,
    maybe_day: Option<Date>,
    maybe_local: Option<DateTime>,
    maybe_clock: Option<Time>,
    maybe_length: Option<SignedDuration>,
    maybe_address: Option<IpAddr>,
    maybe_data: Option<Base64>,
    maybe_tags: Option<Vec<String>>,
    maybe_place: Option<Place>,
    maybe_scores: Option<BTreeMap<String, i64>>,
}

#[derive(Clone, Serialize, Deserialize, Schema)]
#[serde(rename_all = "lowercase")]
enum Color {
    Red,
    Green,
}

#[derive(Clone, Serialize, Deserialize, Schema)]
struct Place {
    city: String,
    floor: Option<i64>,
}

#[derive(Request)]
struct ImportSamples {
    #[body]
    rows: ItemStream<NewSample>,
}

/// Stores all rows and returns their number, or stores nothing.
async fn import(store: &SqlStore, mut rows: ItemStream<NewSample>) -> Result<Data<usize>> {
    let mut all = Vec::new();
    while let Some(row) = rows.next().await? {
        all.push(row);
    }
    let stored = store.transaction(async |transaction| {
        let mut samples = EntityStore::<Sample>::new(store, &Scope::new()).within(transaction);
        for (position, row) in all.iter().cloned().enumerate() {
            let inserted = samples.insert(Sample::create(row)).await;
            inserted.map_err(|problem| problem.below(&format!("/{position}")))?;
        }
        Ok(all.len())
    });
    Ok(Data(stored.await?))
}

fn api(store: SqlStore) -> Result<Api, BuildErrors> {
    let samples = Endpoints::<Sample>::new(store.clone(), Access::public());
    let route = Route::post("/samples/import").id("importSamples").public().body_limit(100_000_000);
    let route = route.handler(async move |request: ImportSamples| import(&store, request.rows).await);
    Api::builder(Configuration::new("samples", "1.0.0")).module(&samples).controller(route).build()
}

fn main() -> Result<(), restwright::ServeError> {
    let setting = |name: &str, default: &str| std::env::var(name).unwrap_or_else(|_| default.to_owned());
    let store = SqlStore::new(setting("DATABASE_URL", "sqlite://samples.db")).migrate();
    restwright::run(restwright::serve(api(store)?, &*setting("ADDRESS", "127.0.0.1:8080")))
}

#[cfg(test)]
mod tests {
    use restwright::testing::TestClient;
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn an_import_of_an_export_stores_the_same_values() {
        let client = TestClient::new(api(SqlStore::new("sqlite::memory:").migrate()).unwrap());
        client.start().unwrap();
        let sample = json!({
            "code": "007", "letter": "ä", "color": "green", "active": true, "count": -1, "large": i64::MIN, "unsigned": i64::MAX,
            "single": 0.1, "ratio": 1e300, "price": "-0.10", "weight": "0.0000001", "key": Uuid::max(), "taken_at": "2026-01-31T10:00:00.5Z",
            "day": "2024-02-29", "local": "2026-01-31T10:00:00", "clock": "23:59:59", "length": "-PT1H", "address": "::1", "data": "AP8=",
            "tags": ["a,b", ""], "place": {"city": "Bern"}, "scores": {"a b": 1}, "maybe_code": "", "maybe_tags": [],
        });
        client.post("/samples").json(&sample).send().assert_status(201).assert_documented();
        for media_type in ["text/csv", "application/jsonl"] {
            let export = client.get("/samples").header("Accept", media_type).send().text().to_owned();
            client.post("/samples/import").body(media_type, export).send().assert_status(200).assert_documented();
        }
        let listed: Value = client.get("/samples").send().assert_documented().json();
        let rows = listed["data"].as_array().unwrap();
        assert_eq!((rows.len(), &rows[0]["price"], &rows[0]["maybe_code"]), (4, &json!("-0.10"), &json!("")));
        for row in &rows[1..] {
            let mut expected = rows[0].clone();
            expected["id"] = row["id"].clone();
            assert_eq!(*row, expected);
        }
    }
}

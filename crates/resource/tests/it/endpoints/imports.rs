//! Imports of files that data tools and exports write.

use jiff::Timestamp;
use proptest::prelude::*;
use restwright::auth::Access;
use restwright::files::ItemStream;
use restwright::prelude::*;
use restwright::testing::TestClient;
use restwright_resource::Endpoints;
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::counting_store::CountingStore;

/// A row with a value of each kind that data tools write.
#[derive(Debug, Serialize, Deserialize, Schema)]
#[serde(deny_unknown_fields)]
struct Row {
    #[serde(skip_deserializing)]
    id: i64,
    code: String,
    price: Decimal,
    at: Timestamp,
    is_new: bool,
    note: Option<String>,
    #[serde(default)]
    tags: Vec<String>,
}

#[derive(Request)]
struct Import {
    #[body]
    rows: ItemStream<Row>,
}

/// A product, whose export contains properties that clients cannot set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Resource)]
#[resource(path = "/products", export(escape_formulas), computed(label: String))]
#[serde(rename_all = "camelCase")]
struct Product {
    #[property(id)]
    id: i64,
    #[property(created_at)]
    created_at: Timestamp,
    #[property(read_only)]
    #[serde(default)]
    view_count: i64,
    name: String,
    note: Option<String>,
    price: Decimal,
    old_price: Option<Decimal>,
    is_new: Option<bool>,
    weight: f64,
    sold_at: Option<Timestamp>,
    tags: Vec<String>,
    owner: Option<Owner>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Schema)]
struct Owner {
    name: String,
    rate: Option<Decimal>,
}

impl Product {
    fn label(&self, _: &Identity) -> String {
        format!("={}", self.name)
    }
}

#[derive(Request)]
struct ImportProducts {
    #[body]
    products: ItemStream<NewProduct>,
}

/// Strings with characters that are special in CSV, spreadsheets or JSON.
fn texts() -> impl Strategy<Value = String> {
    "(|[-=+@'\t\r]|''=|[a,\"\n\r' é]{0,4}|[-=+@'\"][a1,\n]{0,2}|null|1\\.10)"
}

fn decimals() -> impl Strategy<Value = Decimal> {
    (-100_000_i64..100_000, 0_u32..4).prop_map(|(digits, scale)| Decimal::new(digits, scale).normalize())
}

fn products() -> impl Strategy<Value = Vec<Value>> {
    let text = || prop::option::of(texts());
    let owner = (texts(), prop::option::of(decimals()));
    let owner = prop::option::of(owner.prop_map(|(name, rate)| json!({"name": name, "rate": rate})));
    let sold_at = prop::option::of((0_i64..4_000_000_000).prop_map(|second| Timestamp::from_second(second).unwrap()));
    let rest = (prop::option::of(any::<bool>()), -1e3_f64..1e3, sold_at, prop::collection::vec(texts(), 0..3), owner);
    let product = (texts(), text(), decimals(), prop::option::of(decimals()), rest).prop_map(
        |(name, note, price, old_price, (is_new, weight, sold_at, tags, owner))| {
            json!({
                "name": name, "note": note, "price": price, "oldPrice": old_price, "isNew": is_new, "weight": weight,
                "soldAt": sold_at, "tags": tags, "owner": owner,
            })
        },
    );
    prop::collection::vec(product, 1..4)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_import_of_an_export_has_the_same_values(sent in products()) {
        let products = Endpoints::<Product>::new(CountingStore::default(), Access::public());
        let import = Route::post("/import").id("import").public().handler(async |mut request: ImportProducts| {
            let mut found = Vec::new();
            while let Some(new) = request.products.next().await? {
                let NewProduct { name, note, price, old_price, is_new, weight, sold_at, tags, owner } = new;
                found.push(json!({
                    "name": name, "note": note, "price": price, "oldPrice": old_price, "isNew": is_new, "weight": weight,
                    "soldAt": sold_at, "tags": tags, "owner": owner,
                }));
            }
            Ok(Data(found))
        });
        let api = Api::builder(Configuration::new("products", "1.0.0")).module(&products).controller(import).build();
        let client = TestClient::new(api.unwrap());
        for product in &sent {
            client.post("/products").json(product).send().assert_status(201);
        }
        for media_type in ["text/csv", "application/jsonl", "application/x-ndjson"] {
            let export = client.get("/products?order_by=id").header("Accept", media_type).send();
            let import = client.post("/import").body(media_type, export.assert_status(200).text().to_owned()).send();
            let found: Value = import.assert_status(200).assert_documented().json();
            prop_assert_eq!(&found["data"], &json!(sent), "{} {}", media_type, export.text());
        }
    }
}

#[derive(Request)]
struct ImportOwners {
    #[body]
    owners: ItemStream<Owner>,
}

#[test]
fn only_an_import_of_a_resource_rejects_unknown_nested_properties() {
    let products = Route::post("/products").id("products").public().handler(async |mut request: ImportProducts| {
        let first = request.products.next().await?;
        Ok(Data(first.map(|product| product.name)))
    });
    let owners = Route::post("/owners").id("owners").public().handler(async |mut request: ImportOwners| {
        let first = request.owners.next().await?;
        Ok(Data(first.map(|owner| owner.name)))
    });
    let api = Api::builder(Configuration::new("products", "1.0.0")).controller(products).controller(owners).build();
    let client = TestClient::new(api.unwrap());
    let product =
        json!({"name": "a", "price": "1", "weight": 1, "tags": [], "owner": {"name": "b", "x": 1}}).to_string();
    for (path, media_type, body, pointer) in [
        ("/products", "application/jsonl", product.clone(), Some("/0/owner/x")),
        ("/products", "application/jsonl", product.replace(",\"x\":1", ""), None),
        (
            "/products",
            "text/csv",
            "name,price,weight,tags,owner[name],owner[x]\na,1,1,[],b,1\n".to_owned(),
            Some("/0/owner[x]"),
        ),
        ("/owners", "application/jsonl", r#"{"name": "b", "x": 1}"#.to_owned(), None),
    ] {
        let response = client.post(path).body(media_type, body.clone()).send();
        let pointers: Vec<_> = response.violations().into_iter().map(|one| one.pointer).collect();
        let expected: Vec<_> = pointer.into_iter().map(str::to_owned).collect();
        assert_eq!(
            (response.status().as_u16(), pointers),
            (if pointer.is_some() { 422 } else { 200 }, expected),
            "{body}"
        );
    }
}

fn imported(media_type: &str, body: &str) -> (u16, Value) {
    let import = Route::post("/import").id("import").public().handler(async |mut request: Import| {
        let mut rows = Vec::new();
        while let Some(row) = request.rows.next().await? {
            rows.push(row);
        }
        Ok(Data(rows))
    });
    let api = Api::builder(Configuration::new("rows", "1.0.0")).controller(import).build().unwrap();
    let response = TestClient::new(api).post("/import").body(media_type, body.to_owned()).send();
    response.assert_documented();
    let json: Value = response.json();
    (response.status().as_u16(), json.get("data").unwrap_or(&json["errors"]).clone())
}

/// The same row, as each tool writes it without further settings.
#[test]
fn files_of_data_tools_are_read() {
    let csv = "text/csv";
    let lines = "application/x-ndjson";
    for (tool, media_type, body) in [
        ("PostgreSQL", csv, "id,code,price,at,is_new,note\n1,007,1.10,2026-01-31 10:00:00.123456+00,t,\n"),
        ("DuckDB", csv, "id,code,price,at,is_new,note\n1,007,1.10,2026-01-31 10:00:00.123456+00,true,\n"),
        ("pandas", csv, "id,code,price,at,is_new,note\n1,007,1.10,2026-01-31 10:00:00.123456+00:00,True,\n"),
        ("polars", csv, "id,code,price,at,is_new,note\n1,007,1.10,2026-01-31T10:00:00.123456+0000,true,\n"),
        (
            "pyarrow",
            csv,
            "\"id\",\"code\",\"price\",\"at\",\"is_new\",\"note\"\n1,\"007\",1.10,2026-01-31 10:00:00.123456Z,true,\n",
        ),
        ("Python", csv, "id,code,price,at,is_new,note\r\n1,007,1.10,2026-01-31 10:00:00.123456+00:00,True,\r\n"),
        ("readr", csv, "id,code,price,at,is_new,note\n1,007,1.10,2026-01-31T10:00:00.123456Z,TRUE,\n"),
        (
            "a spreadsheet",
            csv,
            "\u{feff}id,code,price,at,is_new,note\r\n1,007,1.10,2026-01-31 10:00:00.123456Z,TRUE,\r\n",
        ),
        (
            "DuckDB",
            lines,
            "{\"id\":1,\"code\":\"007\",\"price\":1.10,\"at\":\"2026-01-31 10:00:00.123456+00\",\"is_new\":true,\"note\":null}\n",
        ),
        (
            "PostgreSQL",
            lines,
            "{\"id\":1,\"code\":\"007\",\"price\":1.10,\"at\":\"2026-01-31T10:00:00.123456+00:00\",\"is_new\":true,\"note\":null}\n",
        ),
        (
            "polars",
            lines,
            "{\"id\":1,\"code\":\"007\",\"price\":\"1.10\",\"at\":\"2026-01-31T10:00:00.123456Z\",\"is_new\":true,\"note\":null}\n",
        ),
    ] {
        // The second row is read like the first.
        let line = body.lines().last().unwrap();
        let row = json!({
            "id": 0, "code": "007", "price": "1.10", "at": "2026-01-31T10:00:00.123456Z", "is_new": true, "note": null, "tags": [],
        });
        let expected = (200, json!([row, row]));
        assert_eq!(imported(media_type, &format!("{body}{line}\n")), expected, "{tool} {media_type}");
    }
}

#[test]
fn a_number_of_json_lines_is_a_decimal_with_its_digits() {
    let line =
        |price: &str| format!("{{\"code\":\"a\",\"price\":{price},\"at\":\"2026-01-31T10:00:00Z\",\"is_new\":true}}\n");
    for (price, expected) in [
        ("12345678901234567890.12345678", "12345678901234567890.12345678"),
        ("\"1.10\"", "1.10"),
        ("-0.10", "-0.10"),
        ("1e3", "1000"),
    ] {
        let (status, rows) = imported("application/jsonl", &format!("{}{}", line("1.5"), line(price)));
        assert_eq!((status, &rows[1]["price"]), (200, &json!(expected)), "{price}");
    }
    for (price, expected) in
        [("1e40", "format"), ("123456789012345678901234567890", "format"), ("true", "type"), ("null", "null")]
    {
        let (status, violations) = imported("application/jsonl", &format!("{}{}", line("1.5"), line(price)));
        let found = [&violations[0]["pointer"], &violations[0]["code"]].map(|value| value.as_str().unwrap());
        assert_eq!((status, found), (422, ["/1/price", expected]), "{price}");
        assert_eq!(violations[0]["params"]["line"], 2, "{price}");
    }
}

//! Lists as JSON lines and as CSV.

use std::sync::atomic::{AtomicUsize, Ordering};

use jiff::SignedDuration;
use restwright::auth::Access;
use restwright::prelude::*;
use restwright::schema::Mode;
use restwright::testing::{TestClient, TestResponse};
use restwright_resource::{Endpoints, HookContext, Hooks, ListQuery, MemoryStore, Presenter};
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::callers::Callers;
use super::counting_store::CountingStore;

const LINES: &str = "application/jsonl";
const CSV: &str = "text/csv";

/// A book.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/books", batch, export(escape_formulas), computed(upper: String, #[property(read = "read")] cost: Option<f64>))]
struct Book {
    #[property(id)]
    id: i64,
    #[property(filter(eq, contains), sort)]
    title: String,
    #[property(filter(gt), sort)]
    pages: Option<i64>,
    #[serde(default)]
    tags: Vec<String>,
    #[property(read = "read", write = "write")]
    price: Option<f64>,
}

impl Book {
    fn upper(&self, _: &Identity) -> String {
        self.title.to_uppercase()
    }

    fn cost(&self, _: &Identity) -> Option<f64> {
        self.price
    }
}

struct Books {
    client: TestClient,
    store: CountingStore,
}

impl Books {
    fn new(books: &[Value]) -> Self {
        Self::with(books, |endpoints| endpoints)
    }

    fn with(books: &[Value], set: impl FnOnce(Endpoints<Book>) -> Endpoints<Book>) -> Self {
        let store = CountingStore::default();
        let endpoints = set(Endpoints::new(store.clone(), Access::authenticated("caller")));
        let configuration = Configuration::new("books", "1.0.0").authenticator("caller", Callers);
        let client = TestClient::new(Api::builder(configuration).module(&endpoints).build().unwrap());
        for data in books.chunks(100) {
            let request = client.post("/books/batch").header("X-Caller", "ann read write");
            request.json(&json!({"data": data})).send().assert_status(201);
        }
        Self { client, store }
    }

    fn get(&self, caller: &str, path: &str, accept: &str) -> TestResponse {
        let response = self.client.get(path).header("X-Caller", caller).header("Accept", accept).send();
        response.assert_documented();
        response
    }
}

fn two() -> Books {
    Books::new(&[
        json!({"title": "=1+1", "pages": -7, "tags": ["a", "b"], "price": 1.5}),
        json!({"title": "A \"b\", c\nd", "pages": null, "price": null}),
    ])
}

#[test]
fn an_export_has_the_fields_that_the_caller_may_read() {
    for (caller, accept, expected) in [
        (
            "ann",
            CSV,
            "id,title,pages,tags,upper\r\n1,'=1+1,-7,\"[\"\"a\"\",\"\"b\"\"]\",'=1+1\r\n2,\"A \"\"b\"\", c\nd\",,[],\"A \"\"B\"\", C\nD\"\r\n",
        ),
        (
            "ann read",
            CSV,
            "id,title,pages,tags,price,upper,cost\r\n1,'=1+1,-7,\"[\"\"a\"\",\"\"b\"\"]\",1.5,'=1+1,1.5\r\n2,\"A \"\"b\"\", c\nd\",,[],,\"A \"\"B\"\", C\nD\",\r\n",
        ),
        (
            "ann",
            LINES,
            "{\"id\":1,\"title\":\"=1+1\",\"pages\":-7,\"tags\":[\"a\",\"b\"],\"upper\":\"=1+1\"}\n{\"id\":2,\"title\":\"A \\\"b\\\", c\\nd\",\"pages\":null,\"tags\":[],\"upper\":\"A \\\"B\\\", C\\nD\"}\n",
        ),
    ] {
        let response = two().get(caller, "/books", accept);
        assert_eq!(response.assert_status(200).text(), expected, "{caller} {accept}");
        response.assert_header("cache-control", "private, no-cache").assert_header("vary", "Accept, X-Caller");
    }
    let csv = two().get("ann", "/books", CSV);
    csv.assert_header("content-type", "text/csv; charset=utf-8; header=present");
    csv.assert_header("content-disposition", "attachment; filename=\"books.csv\"");
    assert_eq!(two().get("ann", "/books?title=none", CSV).text(), "id,title,pages,tags,upper\r\n");
    assert_eq!(two().get("ann", "/books?title=none", LINES).text(), "");
}

#[test]
fn an_export_distinguishes_null_from_an_empty_text() {
    let books = Books::new(&[json!({"title": "", "pages": null}), json!({"title": "a", "pages": 1})]);
    let csv = books.get("ann", "/books", CSV);
    assert_eq!(csv.text(), "id,title,pages,tags,upper\r\n1,\"\",,[],\"\"\r\n2,a,1,[],A\r\n");
}

/// A track.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/tracks", batch, export(row_count))]
struct Track {
    #[property(id)]
    id: i64,
    #[property(sort)]
    title: String,
}

#[test]
fn an_export_ends_with_the_number_of_its_rows() {
    let endpoints = Endpoints::<Track>::new(MemoryStore::new(), Access::public());
    let client =
        TestClient::new(Api::builder(Configuration::new("tracks", "1.0.0")).module(&endpoints).build().unwrap());
    let get = |path: &str, accept: &str| {
        let response = client.get(path).header("Accept", accept).send();
        response.assert_documented();
        response.text().to_owned()
    };
    assert_eq!(get("/tracks", LINES), "{\"$rows\":0}\n");
    for _ in 0..3 {
        let data = vec![json!({"title": "a"}); 100];
        client.post("/tracks/batch").json(&json!({"data": data})).send().assert_status(201);
    }
    let lines = get("/tracks", LINES);
    assert_eq!(lines.lines().count(), 301);
    assert!(lines.ends_with("{\"id\":300,\"title\":\"a\"}\n{\"$rows\":300}\n"), "{lines}");
    assert_eq!(get("/tracks", "application/x-ndjson"), lines);
    assert_eq!(get("/tracks", CSV).lines().count(), 301);
}

/// A resource whose property has the name of the last line.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/sheets", export(row_count))]
struct Sheet {
    #[property(id)]
    id: i64,
    #[serde(rename = "$rows")]
    rows: i64,
}

#[test]
fn a_property_with_the_name_of_the_last_line_does_not_build() {
    let endpoints = Endpoints::<Sheet>::new(MemoryStore::new(), Access::public());
    let errors =
        Api::builder(Configuration::new("sheets", "1.0.0")).module(&endpoints).build().map(|_| ()).unwrap_err();
    let expected =
        "the property `$rows` has the name of the last line of an export with `row_count`; rename the property";
    assert!(errors.to_string().contains(expected), "{errors}");
}

/// An invoice.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/invoices", export(escape_formulas), computed(doubled: Decimal))]
struct Invoice {
    #[property(id)]
    id: i64,
    #[property(scale = 2)]
    amount: Decimal,
    rebate: Option<Decimal>,
    change: f64,
    delay: SignedDuration,
    phone: String,
    note: Option<String>,
}

impl Invoice {
    fn doubled(&self, _: &Identity) -> Decimal {
        self.amount + self.amount
    }
}

#[test]
fn only_texts_are_escaped_as_formulas() {
    let invoices = Endpoints::<Invoice>::new(CountingStore::default(), Access::public());
    let client = TestClient::new(Api::builder(Configuration::new("shop", "1.0.0")).module(&invoices).build().unwrap());
    for body in [
        json!({"amount": "-3.50", "rebate": "-0.1", "change": -1.5, "delay": "-PT1H", "phone": "+4917", "note": "-3.50"}),
        json!({"amount": "1.10", "change": 2, "delay": "PT1S", "phone": "'=1", "note": "'a"}),
    ] {
        client.post("/invoices").json(&body).send().assert_status(201);
    }
    let csv = client.get("/invoices").header("Accept", CSV).send();
    let expected = [
        "id,amount,rebate,change,delay,phone,note,doubled",
        "1,-3.50,-0.1,-1.5,-PT1H,'+4917,'-3.50,-7.00",
        "2,1.10,,2.0,PT1S,''=1,'a,2.20",
    ];
    assert_eq!(csv.assert_status(200).text().lines().collect::<Vec<_>>(), expected);
}

#[test]
fn accept_selects_the_format() {
    let books = two();
    for (accept, expected) in [
        ("application/json", "application/json"),
        ("*/*", "application/json"),
        ("", "application/json"),
        ("text/html, */*;q=0.8", "application/json"),
        ("application/jsonl, application/json", "application/json"),
        ("application/jsonl, application/json;q=0.9", LINES),
        ("application/x-ndjson", "application/x-ndjson"),
        ("application/x-ndjson, application/jsonl;q=0.9", "application/x-ndjson"),
        ("application/x-ndjson;q=0.5, application/*;q=0.1", "application/x-ndjson"),
        ("text/csv, */*", "text/csv; charset=utf-8; header=present"),
        ("text/*", "text/csv; charset=utf-8; header=present"),
        ("text/csv;q=0, */*", "application/json"),
    ] {
        books.get("ann", "/books", accept).assert_status(200).assert_header("content-type", expected);
    }
    assert_eq!(books.get("ann", "/books", "application/x-ndjson").text(), books.get("ann", "/books", LINES).text());
    books.get("ann", "/books", "text/html").assert_status(406);
    let head = books.client.request("HEAD".parse().unwrap(), "/books").header("X-Caller", "ann").header("Accept", CSV);
    head.send().assert_status(200).assert_header("content-type", "text/csv; charset=utf-8; header=present");
}

#[test]
fn an_export_rejects_parameters_of_pages() {
    let books = two();
    for (query, expected) in [
        ("limit=1", "/limit invalid"),
        ("page=1&limit=7", "/limit invalid, /page invalid"),
        ("offset=1", "/offset unknown_property"),
        ("title[contains]=b&order_by=-title", ""),
    ] {
        let response = books.get("ann", &format!("/books?{query}"), CSV);
        let found: Vec<_> = match response.status().as_u16() {
            422 => response.violations().iter().map(|one| format!("{} {}", one.pointer, one.code)).collect(),
            _ => Vec::new(),
        };
        assert_eq!(found.join(", "), expected, "{query}");
    }
    let query =
        books.client.request("QUERY".parse().unwrap(), "/books").header("X-Caller", "ann").header("Accept", CSV);
    let response = query.json(&json!({"filter": {"not": {"pages": {"gt": -8}}}})).send();
    response.assert_status(200).assert_documented();
    assert_eq!(response.text().matches("\r\n").count(), 2);
    let query =
        books.client.request("QUERY".parse().unwrap(), "/books").header("X-Caller", "ann").header("Accept", CSV);
    let response = query.json(&json!({"limit": 1})).send();
    assert_eq!(response.assert_status(422).assert_documented().violations()[0].pointer, "/limit");
}

/// 450 books with equal values and nulls in each order: every book occurs once, in the order of the pages of JSON.
#[test]
fn an_export_contains_every_entity_once() {
    let data: Vec<_> = (0..450)
        .map(|number| json!({"title": format!("t{}", number % 7), "pages": (number % 5 > 0).then_some(number % 3)}))
        .collect();
    let books = Books::new(&data);
    for order in ["id", "-id", "title", "-title,pages", "pages", "-pages", "-pages,-title"] {
        let mut expected = Vec::new();
        for page in 1..=5 {
            let page: Value = books.get("ann", &format!("/books?limit=100&page={page}&order_by={order}"), "").json();
            expected.extend(page["data"].as_array().unwrap().iter().map(Value::to_string));
        }
        books.store.take_calls();
        let export = books.get("ann", &format!("/books?order_by={order}"), LINES);
        assert_eq!(export.text().lines().map(str::to_owned).collect::<Vec<_>>(), expected, "{order}");
        let reads = books.store.take_calls().iter().filter(|call| call.starts_with("list")).count();
        // 25, 50, 100, 200 and 75 books.
        assert_eq!(reads, 5, "{order}");
    }
    let found = books.get("ann", "/books?title=t1&pages[gt]=0", CSV);
    let expected = (0..450).filter(|number| number % 7 == 1 && number % 5 > 0 && number % 3 > 0).count();
    assert_eq!(found.text().lines().count(), expected + 1);
}

/// 26 short books, and then long ones, of which a page contains only some.
#[test]
fn a_page_of_long_entities_is_read_again_with_fewer() {
    let length = |number: usize| if number < 26 { 1 } else { 20_000 };
    let titles: Vec<_> = (0..60).map(|number| format!("{number}{}", "x".repeat(length(number)))).collect();
    let data: Vec<_> = titles.iter().map(|title| json!({"title": title, "pages": null})).collect();
    let books = Books::new(&data);
    books.store.take_calls();
    let export = books.get("ann", "/books", LINES);
    let found: Vec<_> = export.text().lines().map(|line| serde_json::from_str::<Value>(line).unwrap()).collect();
    assert_eq!(found.iter().map(|book| book["title"].as_str().unwrap()).collect::<Vec<_>>(), titles);
    let reads = books.store.take_calls().iter().filter(|call| call.starts_with("list")).count();
    // 25 books; 50 that are too long, and 14; 14 that are too long, and 13; and 8.
    assert_eq!(reads, 6);
}

/// Rejects the second page of each export.
#[derive(Default)]
struct FailsLater(AtomicUsize);

impl Hooks<Book> for FailsLater {
    const MODES: &'static [Mode] = &[Mode::List];

    async fn before_list(&self, _: &mut HookContext<'_>, _: &mut ListQuery<'_>) -> Result<()> {
        match self.0.fetch_add(1, Ordering::Relaxed) {
            0 => Ok(()),
            _ => Err(Problem::internal("the second page")),
        }
    }
}

#[test]
fn an_export_that_fails_later_ends_early() {
    let data: Vec<_> = (0..26).map(|_| json!({"title": "a", "pages": null})).collect();
    let books = Books::with(&data, |endpoints| endpoints.hooks(FailsLater::default()));
    let export = books.get("ann", "/books", LINES);
    assert!(export.cut_off().is_some_and(|error| error.contains("internal_error")), "{:?}", export.cut_off());
    assert_eq!(export.text().lines().count(), 25);
    // The error of the first page is a response.
    books.get("ann", "/books", LINES).assert_status(500);
}

/// Changes the title by which the list is sorted.
struct Anonymous;

impl Presenter<Book> for Anonymous {
    async fn present(&self, _: &mut HookContext<'_>, entities: &mut [Book]) -> Result<()> {
        entities.iter_mut().for_each(|book| book.title = "0".to_owned());
        Ok(())
    }
}

#[test]
fn a_presenter_does_not_change_the_position_of_the_next_page() {
    let data: Vec<_> = (0..450).map(|number| json!({"title": format!("{number:03}"), "pages": null})).collect();
    let books = Books::with(&data, |endpoints| endpoints.presenter(Anonymous));
    let export = books.get("ann", "/books?order_by=-title", LINES);
    let identifiers = export.text().lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["id"].clone());
    assert_eq!(identifiers.collect::<Vec<_>>(), (1..=450).rev().map(Value::from).collect::<Vec<_>>());
}

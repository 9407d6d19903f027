//! Lists that leave out unreadable rows.

use restwright::auth::Access;
use restwright::prelude::*;
use restwright::report::SampleValue;
use restwright::testing::TestClient;
use restwright_list::{Direction, Expression, Position, SortBag, SortFields, Value, Window};
use restwright_resource::{Endpoints, EntityStore, ListQuery, Repository, Scope, Statement};
use restwright_sql::SqlStore;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::outbox::on_postgres;
use super::wrong_values::run;
use crate::databases::SqliteFile;
use crate::log::Log;

/// An owner of dogs.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/owners", include(dogs(max = 2)))]
struct Owner {
    #[property(id)]
    id: i64,
    name: String,
}

/// A dog of an owner.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/dogs", pagination = page, export, batch)]
struct Dog {
    #[property(id)]
    id: i64,
    #[property(references(Owner, on_delete = cascade))]
    owner_id: i64,
    weight: f64,
}

fn client(store: &SqlStore) -> TestClient {
    let owners = Endpoints::<Owner>::new(store.clone(), Access::public());
    let dogs = Endpoints::<Dog>::new(store.clone(), Access::public());
    let api = Api::builder(Configuration::new("shelter", "1.0.0")).module(&owners).module(&dogs);
    TestClient::new(api.build().unwrap())
}

/// Returns the identifiers of a page, and whether there are items before and after it.
async fn page(store: &SqlStore, window: Window<'_>, is_counted: bool) -> (Vec<i64>, bool, bool) {
    let order = SortBag::among(&SortFields::by_identifier("id"), []).unwrap();
    let mut query = ListQuery::new(Expression::TRUE, &order, &window);
    query.may_skip_unreadable = true;
    let definition = Dog::definition();
    let statement = Statement::new(&definition);
    let ids = |items: Vec<restwright_resource::Versioned<Dog>>| items.iter().map(|item| item.entity.id).collect();
    if is_counted {
        let listed = store.list_counted(statement, &query).await.unwrap();
        assert_eq!(listed.totals.0, 10);
        let (previous, next) = (listed.has_previous(), listed.has_next());
        return (ids(listed.items), previous, next);
    }
    let listed = store.list(statement, &query).await.unwrap();
    let (previous, next) = (listed.has_previous(), listed.has_next());
    (ids(listed.items), previous, next)
}

async fn check_windows(store: &SqlStore) {
    let after = |id: i64| Position::after([("id".into(), Direction::Ascending, Value::from(id))]);
    let (four, nine, before) = (after(4), after(9), after(8).backward());
    for (window, expected) in [
        // A page by number has a fixed place, so it is shorter.
        (Window::skip(0, 3), (vec![1, 3], false, true)),
        (Window::skip(3, 3), (vec![4], true, true)),
        (Window::skip(4, 3), (vec![], true, true)),
        (Window::skip(6, 3), (vec![8, 9], true, true)),
        (Window::skip(9, 3), (vec![10], true, false)),
        (Window::skip(0, 10), (vec![1, 3, 4, 8, 9, 10], false, false)),
        // A page with a cursor contains the rows after them.
        (Window::seek(None, 1), (vec![1], false, true)),
        (Window::seek(None, 3), (vec![1, 3, 4], false, true)),
        (Window::seek(None, 6), (vec![1, 3, 4, 8, 9, 10], false, false)),
        (Window::seek(Some(&four), 1), (vec![8], true, true)),
        (Window::seek(Some(&four), 3), (vec![8, 9, 10], true, false)),
        (Window::seek(Some(&nine), 3), (vec![10], true, false)),
        (Window::seek(Some(&before), 2), (vec![3, 4], true, true)),
        (Window::seek(Some(&before), 3), (vec![1, 3, 4], false, true)),
    ] {
        assert_eq!(page(store, window, false).await, expected, "{window:?}");
        assert_eq!(page(store, window, true).await, expected, "{window:?}");
    }
}

/// Makes the dogs 2, 5, 6 and 7 of ten dogs unreadable.
fn check(store: SqlStore, run: impl Fn(&str)) {
    let strict = store.clone().migrate();
    let client = self::client(&strict);
    client.start().unwrap();
    for name in ["Ada", "Bob"] {
        client.post("/owners").json(&json!({ "name": name })).send().assert_status(201);
    }
    let dogs: Vec<_> = (1..=10).map(|id| json!({"owner_id": if id < 8 { 1 } else { 2 }, "weight": id})).collect();
    client.post("/dogs/batch").json(&json!({ "data": dogs })).send().assert_status(201);
    run("infinite");
    client.get("/dogs").send().assert_status(500);
    client.get("/owners?include=dogs").send().assert_status(500);
    client.stop();

    let store = store.skip_unreadable_rows();
    let client = self::client(&store);
    client.start().unwrap();
    let (response, lines) = Log::of(|| client.get("/dogs").send());
    let body = response.assert_status(200).json::<serde_json::Value>();
    let ids: Vec<_> = body["data"].as_array().unwrap().iter().map(|dog| dog["id"].as_i64().unwrap()).collect();
    assert_eq!((ids, &body["pagination"]["total"]), (vec![1, 3, 4, 8, 9, 10], &json!(10)));
    let [line] = lines.as_slice() else { panic!("{lines:?}") };
    let place = "the row `2` of `dogs` has an invalid value in the column `weight`";
    assert!(line.starts_with("lists leave out unreadable rows") && line.contains(place), "{line}");
    let counted = client.api().report().samples().iter().find_map(|sample| match sample.value() {
        SampleValue::Counter(count) if sample.name() == "store_unreadable_rows" => Some(count),
        _ => None,
    });
    assert_eq!(counted, Some(4));

    let export = client.get("/dogs").header("Accept", "application/jsonl").send();
    assert_eq!(export.assert_status(200).text().lines().count(), 6);
    let owners = client.get("/owners?include=dogs").send().assert_status(200).json::<serde_json::Value>();
    let embedded = |index: usize| {
        let dogs = &owners["data"][index]["dogs"];
        let ids = dogs["data"].as_array().unwrap().iter().map(|dog| dog["id"].as_i64().unwrap());
        (ids.collect::<Vec<_>>(), dogs["has_more"].as_bool().unwrap())
    };
    assert_eq!((embedded(0), embedded(1)), ((vec![1, 3], true), (vec![8, 9], true)));
    // Statements that change or rely on the row still fail.
    client.get("/dogs/2").send().assert_status(500);
    client.patch("/dogs/2").json(&json!({"owner_id": 1})).send().assert_status(500);
    client.block_on(async {
        check_windows(&store).await;
        assert!(EntityStore::<Dog>::new(&store, &Scope::new()).first(&(), 100).await.is_err());
    });
    // All rows of a page are unreadable.
    run("all infinite");
    client.block_on(async {
        assert_eq!(page(&store, Window::seek(None, 2), false).await, (vec![], false, false));
        assert_eq!(page(&store, Window::skip(0, 2), false).await, (vec![], false, true));
    });
    client.stop();
}

/// Returns the SQL that makes some or all dogs unreadable.
fn sql(which: &str, infinite: &str) -> String {
    let ids = if which == "all infinite" { "id > 0" } else { "id IN (2, 5, 6, 7)" };
    format!("UPDATE dogs SET weight = {infinite} WHERE {ids}")
}

#[test]
fn lists_of_sqlite_leave_out_unreadable_rows() {
    let file = SqliteFile::new();
    check(SqlStore::new(file.url()), |which| run(&file, &sql(which, "9e999")));
}

#[test]
fn lists_of_postgresql_leave_out_unreadable_rows() {
    on_postgres(|schema| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        check(SqlStore::new(schema.url()), |which| runtime.block_on(schema.run(&sql(which, "'infinity'"))));
    });
}

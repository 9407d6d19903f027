//! Rows of other programs with values that do not have the types of their columns.

use restwright::auth::Access;
use restwright::prelude::*;
use restwright::testing::TestClient;
use restwright_resource::{Endpoints, HookContext, Hooks, Store};
use restwright_sql::{SqlStore, TableMapping};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sqlx::AssertSqlSafe;

use super::outbox::on_postgres;
use crate::databases::SqliteFile;
use crate::log::Log;

/// A dog of the shelter.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/dogs")]
struct Dog {
    #[property(id)]
    id: i64,
    #[property(version)]
    version: i64,
    name: String,
    #[serde(default)]
    legs: i64,
    #[serde(default)]
    weight: f64,
    grip: Option<f32>,
    #[serde(default)]
    vaccinated: bool,
    born: Option<jiff::civil::Date>,
    seen: Option<jiff::Timestamp>,
    chip: Option<uuid::Uuid>,
    price: Option<rust_decimal::Decimal>,
    #[serde(default)]
    tags: Vec<String>,
}

fn client<S: Store + Clone>(store: &S) -> TestClient {
    let dogs = Endpoints::<Dog>::new(store.clone(), Access::public());
    TestClient::new(Api::builder(Configuration::new("shelter", "1.0.0")).module(&dogs).build().unwrap())
}

/// Checks that every operation that reads the row returns a 500 without details, and that the log names the row and the column.
#[track_caller]
fn check(client: &TestClient, id: i64, column: &str) {
    let path = format!("/dogs/{id}");
    let other = if column == "name" { json!({"legs": 4}) } else { json!({"name": "Rex"}) };
    for request in [client.get(path.as_str()), client.get("/dogs"), client.patch(path.as_str()).json(&other)] {
        let (response, lines) = Log::of(|| request.send());
        response.assert_status(500).assert_documented();
        let body = response.json::<Value>().to_string();
        assert!(!["dogs", column, "wrong"].iter().any(|internal| body.contains(internal)), "{column}: {body}");
        assert_eq!(lines.len(), 1, "{column}: {lines:?}");
        let place = format!("the row `{id}` of `dogs` has an invalid value in the column `{column}`: ");
        assert!(lines[0].contains(&place), "{column}: {lines:?}");
    }
}

/// Checks that an update that replaces the value does not read it.
#[track_caller]
fn repair(client: &TestClient, id: i64, column: &str) {
    let right = json!({
        "name": "Rex", "legs": 4, "weight": 7.5, "grip": 0.5, "vaccinated": true, "born": "2024-02-29", "seen": "2024-02-29T12:00:00Z",
        "chip": null, "price": "12.5",
    });
    let path = format!("/dogs/{id}");
    let repaired = client.patch(path.as_str()).json(&json!({column: right[column]})).send();
    repaired.assert_status(200).assert_documented();
    let stored = client.get(path.as_str()).send();
    assert_eq!(stored.assert_status(200).json::<Value>()["data"][column], right[column], "{column}");
}

pub(super) fn run(file: &SqliteFile, sql: &str) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        use sqlx::Connection;
        let mut connection = sqlx::SqliteConnection::connect(&file.url()).await.unwrap();
        sqlx::raw_sql(AssertSqlSafe(sql.to_owned())).execute(&mut connection).await.unwrap();
        connection.close().await.unwrap();
    });
}

#[test]
fn invalid_values_of_sqlite_are_logged_with_their_place() {
    let file = SqliteFile::new();
    let client = client(&file.store().migrate());
    client.start().unwrap();
    let dog =
        json!({"name": "Rex", "legs": 4, "weight": 7, "vaccinated": true, "born": "2024-02-29", "tags": ["loud"]});
    let created = client.post("/dogs").json(&dog).send();
    created.assert_status(201);
    client.get("/dogs/1").send().assert_json(&created.json::<Value>());
    for (column, value, right) in [
        ("legs", "'four'", "4"),
        ("legs", "1.5", "4"),
        ("weight", "'heavy'", "7.0"),
        ("weight", "9e999", "7.0"),
        ("weight", "-9e999", "7.0"),
        ("grip", "1e39", "NULL"),
        ("vaccinated", "'yes'", "TRUE"),
        ("vaccinated", "5", "TRUE"),
        ("name", "x'414243'", "'Rex'"),
        ("born", "'20240229'", "NULL"),
        ("born", "'in spring'", "NULL"),
        ("born", "'-000044-03-15'", "NULL"),
        ("seen", "'2024-02-29 12:00:00'", "NULL"),
        ("seen", "-62167219200000001", "NULL"),
        ("seen", "253402300800000000", "NULL"),
        ("chip", "'not a uuid'", "NULL"),
        ("chip", "x'0102'", "NULL"),
        ("price", "'12.50'", "NULL"),
        ("price", "12.5", "NULL"),
        ("tags", "x'5B5D'", "'[]'"),
    ] {
        run(&file, &format!("UPDATE dogs SET {column} = {value}"));
        check(&client, 1, column);
        if column != "tags" {
            repair(&client, 1, column);
        }
        run(&file, &format!("UPDATE dogs SET {column} = {right}"));
        client.get("/dogs/1").send().assert_status(200);
    }
    run(&file, "UPDATE dogs SET version = 'later'");
    let (response, lines) = Log::of(|| client.get("/dogs/1").send());
    response.assert_status(500);
    assert!(lines[0].contains("the row `1` of `dogs` has an invalid value in the column `version`"), "{lines:?}");
    client.stop();
}

/// Reads the dog before an update.
struct Reads;

impl Hooks<Dog> for Reads {
    async fn before_update(&self, _: &mut HookContext<'_>, _: &Dog, _: &mut Dog) -> Result<()> {
        Ok(())
    }
}

/// A cat, in a table without a version.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/cats")]
struct Cat {
    #[property(id)]
    id: i64,
    weight: f64,
    until: jiff::Timestamp,
}

#[test]
fn an_update_that_compares_the_old_value_does_not_replace_it() {
    let cats = |store: SqlStore| Endpoints::<Cat>::new(store, Access::public()).json_patch();
    for (mapping, is_repaired) in
        [(TableMapping::new("cats"), true), (TableMapping::new("cats").without_version(), false)]
    {
        let file = SqliteFile::new();
        let store = file.store().table(mapping).migrate();
        let dogs = Endpoints::<Dog>::new(store.clone(), Access::public()).hooks(Reads);
        let api = Api::builder(Configuration::new("shelter", "1.0.0")).module(&dogs).module(&cats(store));
        let client = TestClient::new(api.build().unwrap());
        client.start().unwrap();
        client.post("/dogs").json(&json!({"name": "Rex"})).send().assert_status(201);
        client.post("/cats").json(&json!({"weight": 3, "until": "2027-01-01T00:00:00Z"})).send().assert_status(201);
        let tag = client.get("/cats/1").send().header("etag").unwrap().to_owned();
        // 9999-12-31T23:59:59Z, which another program writes for "no end".
        run(&file, "UPDATE dogs SET weight = 9e999; UPDATE cats SET until = 253402300799000000");
        let weight = json!({"weight": 7});
        client.patch("/dogs/1").json(&weight).send().assert_status(500);
        client.patch("/cats/1").json(&weight).send().assert_status(500);
        let until = json!([{"op": "replace", "path": "/until", "value": "2028-01-01T00:00:00Z"}]);
        let patch = client.patch("/cats/1").body("application/json-patch+json", until.to_string());
        patch.send().assert_status(500);
        let patch = client.patch("/cats/1").header("If-Match", &tag).json(&json!({"until": "2028-01-01T00:00:00Z"}));
        patch.send().assert_status(if is_repaired { 200 } else { 500 });
        client.get("/cats/1").send().assert_status(if is_repaired { 200 } else { 500 });
        client.stop();
    }
}

#[test]
fn a_null_in_a_nullable_column_of_required_json_is_an_error() {
    let file = SqliteFile::new();
    let store = file.store().migrate();
    let client = client(&store);
    client.start().unwrap();
    client.post("/dogs").json(&json!({"name": "Rex"})).send().assert_status(201);
    client.get("/dogs/1").send().assert_status(200);
    let table = store.ddl().replace("\"tags\" TEXT NOT NULL", "\"tags\" TEXT");
    run(
        &file,
        &format!("DROP TABLE dogs; {table}; INSERT INTO dogs (name, legs, weight, vaccinated) VALUES ('Rex', 4, 7, 1)"),
    );
    client.stop();
    client.start().unwrap();
    check(&client, 1, "tags");
    client.stop();
}

#[test]
fn invalid_values_of_postgresql_are_logged_with_their_place() {
    on_postgres(|schema| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let client = client(&schema.store().migrate());
        client.start().unwrap();
        let insert = "INSERT INTO dogs (id, name, legs, weight, vaccinated, tags) VALUES (3, 'Rex', 4, 7, TRUE, NULL)";
        runtime.block_on(schema.run(&format!("ALTER TABLE dogs ALTER tags DROP NOT NULL; {insert}")));
        client.start().unwrap();
        check(&client, 3, "tags");
        client.stop();
        runtime.block_on(schema.run("UPDATE dogs SET tags = '[]'"));
        for (column, value, right) in [
            ("price", "'NaN'", "NULL"),
            ("price", "1e29", "NULL"),
            ("price", "0.00000000000000000000000000001", "NULL"),
            ("price", "-123456789012345.123456789012345", "NULL"),
            ("weight", "'NaN'", "7"),
            ("weight", "'Infinity'", "7"),
            ("weight", "'-Infinity'", "7"),
            ("grip", "'NaN'", "NULL"),
            ("grip", "1e39", "NULL"),
            ("born", "'infinity'", "NULL"),
            ("born", "'-infinity'", "NULL"),
            ("born", "'0044-03-15 BC'", "NULL"),
            ("born", "'10000-01-01'", "NULL"),
            ("seen", "'infinity'", "NULL"),
            ("seen", "'-infinity'", "NULL"),
            ("seen", "'0044-03-15 12:00:00+00 BC'", "NULL"),
            ("seen", "'10000-01-01 00:00:00+00'", "NULL"),
        ] {
            runtime.block_on(schema.run(&format!("UPDATE dogs SET {column} = {value}")));
            check(&client, 3, column);
            repair(&client, 3, column);
            runtime.block_on(schema.run(&format!("UPDATE dogs SET {column} = {right}")));
            client.get("/dogs/3").send().assert_status(200);
        }
        // Zeros after the last digit are not part of the value.
        runtime.block_on(schema.run("UPDATE dogs SET price = 1.5000000000000000000000000000000000"));
        assert_eq!(client.get("/dogs/3").send().json::<Value>()["data"]["price"], "1.5");
        // The type of a column has changed since the start.
        runtime.block_on(schema.run("UPDATE dogs SET tags = '[]'; ALTER TABLE dogs ALTER legs TYPE text"));
        let other = self::client(&schema.store());
        check(&other, 3, "legs");
        other.stop();
    });
}

#[test]
fn a_numeric_column_with_more_digits_than_a_decimal_is_a_warning() {
    on_postgres(|schema| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let client = client(&schema.store().migrate());
        client.start().unwrap();
        client.stop();
        for (type_name, is_wide) in [
            ("numeric", false),
            ("numeric(28,10)", false),
            ("numeric(28,28)", false),
            ("numeric(29,0)", true),
            ("numeric(30,10)", true),
            ("numeric(27,-2)", true),
        ] {
            runtime.block_on(schema.run(&format!("ALTER TABLE dogs ALTER price TYPE {type_name}")));
            let (started, lines) = Log::of(|| client.start());
            started.unwrap();
            client.stop();
            let warning = format!("the column `price` of the table `dogs` is `{type_name}`, but the field `price` has");
            assert_eq!(lines.iter().any(|line| line.starts_with(&warning)), is_wide, "{lines:?}");
            assert_eq!(lines.len(), usize::from(is_wide), "{lines:?}");
        }
    });
}

#[test]
fn a_deleted_file_of_sqlite_is_not_created_again() {
    let file = SqliteFile::new();
    let path = file.url().replace("sqlite://", "");
    let client = client(&file.store().migrate());
    client.start().unwrap();
    client.post("/dogs").json(&json!({"name": "Rex"})).send().assert_status(201);
    for suffix in ["", "-wal", "-shm"] {
        let _ = std::fs::remove_file(format!("{path}{suffix}"));
    }
    for _ in 0..2 {
        client.get("/dogs").send().assert_status(503);
        client.post("/dogs").json(&json!({"name": "Max"})).send().assert_status(503);
    }
    assert!(!std::path::Path::new(&path).exists());
    client.stop();
    client.start().unwrap();
    client.post("/dogs").json(&json!({"name": "Max"})).send().assert_status(201);
    client.stop();
}

#[tokio::test]
async fn a_pool_creates_a_file_only_before_the_start() {
    use restwright_core::Component;

    let file = SqliteFile::new();
    let path = file.url().replace("sqlite://", "");
    let store = file.store();
    let create = "CREATE TABLE outbox (id INTEGER)";
    store.with_sqlite(|connection| connection.execute_batch(create)).await.unwrap();
    store.start().await.unwrap();
    store.with_sqlite(|connection| connection.execute_batch("SELECT id FROM outbox")).await.unwrap();
    store.stop().await;
    for suffix in ["", "-wal", "-shm"] {
        let _ = std::fs::remove_file(format!("{path}{suffix}"));
    }
    assert!(store.with_sqlite(|_connection| Ok(())).await.is_err());
    assert!(!std::path::Path::new(&path).exists());
}

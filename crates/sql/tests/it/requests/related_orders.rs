//! Orders by fields of related entities, with the plans of their statements.

use std::time::{Duration, Instant};

use jiff::Timestamp;
use restwright::auth::Access;
use restwright::prelude::*;
use restwright::testing::TestClient;
use restwright_sql::SqlStore;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sqlx::{AssertSqlSafe, Connection};

use super::outbox::on_postgres;
use crate::databases::SqliteFile;
use crate::log::Log;

/// A project.
#[derive(Clone, Serialize, Deserialize, Resource)]
#[resource(path = "/projects")]
struct Project {
    #[property(id)]
    id: i64,
    name: Option<String>,
    #[property(deleted_at)]
    deleted_at: Option<Timestamp>,
}

/// A ticket. Its table has the name of a joined column, and a field has the name of another one.
#[derive(Clone, Serialize, Deserialize, Resource)]
#[resource(path = "/tickets", table = "sorted_0", include(project(sort(name)), next(sort(title))))]
struct Ticket {
    #[property(id)]
    id: i64,
    #[property(references(Project))]
    project_id: Option<i64>,
    #[property(references(Ticket))]
    next_id: Option<i64>,
    #[property(sort)]
    title: String,
    #[property(filter(is_null))]
    sorted_1_value: Option<i64>,
}

/// Six tickets of four projects: the second has no name, and the fourth is deleted. The other tickets refer to nothing.
const ROWS: &str = "
    INSERT INTO projects (name, deleted_at) VALUES ('b', NULL), (NULL, NULL), ('a', NULL), ('0', '2026-01-01T00:00:00Z');
    INSERT INTO sorted_0 (title, project_id) VALUES ('A', 1), ('B', 2), ('C', 3), ('D', 4), ('E', NULL), ('F', 1);
    UPDATE sorted_0 SET next_id = 7 - id;
    INSERT INTO sorted_0 (title, sorted_1_value) WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 20000) SELECT 'Z' || n, n FROM n;
    ANALYZE projects;
    ANALYZE sorted_0";

fn check(store: SqlStore, fill: impl FnOnce(), has_good_plan: impl Fn(&str) -> bool) {
    let store = store.migrate().slow_statements(Duration::ZERO);
    let api = Api::builder(Configuration::new("tickets", "1.0.0"))
        .resource::<Project>(store.clone(), Access::public())
        .resource::<Ticket>(store, Access::public())
        .build();
    let client = TestClient::new(api.unwrap());
    client.start().unwrap();
    fill();
    let list = |query: &str| {
        let list = client.get(format!("/tickets?{query}")).send();
        let list: Value = list.assert_status(200).assert_documented().json();
        let titles: Vec<_> =
            list["data"].as_array().unwrap().iter().map(|one| one["title"].as_str().unwrap()).collect();
        format!("{} of {}", titles.join(" "), list["pagination"]["total"])
    };
    let (first, lines) = Log::of(|| list("order_by=-project.name,-next.title&limit=4"));
    assert_eq!(first, "A F C B of 20006");
    let plan = lines.iter().find(|line| line.contains("operation=\"list\"")).unwrap();
    assert!(has_good_plan(plan), "{plan}");
    for (query, expected) in [
        ("order_by=-project.name,title&limit=3&page=2", "B D E of 20006"),
        ("sorted_1_value[is_null]=true&order_by=project.name,title", "B D E C A F of 6"),
        ("sorted_1_value[is_null]=true&order_by=-next.title", "A B C D E F of 6"),
        ("sorted_1_value[is_null]=true&order_by=title,project.name&limit=2&page=3", "E F of 6"),
    ] {
        assert_eq!(list(query), expected, "{query}");
    }
    client.stop();
}

async fn run_on_sqlite(file: &SqliteFile, sql: &'static str) {
    let mut connection = sqlx::SqliteConnection::connect(&file.url()).await.unwrap();
    sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut connection).await.unwrap();
    connection.close().await.unwrap();
}

#[test]
fn an_order_by_a_related_field_joins_its_table_on_sqlite() {
    let file = SqliteFile::new();
    let fill = || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(run_on_sqlite(&file, ROWS));
    };
    check(SqlStore::new(file.url()), fill, |plan| {
        plan.matches("SEARCH related USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN").count() == 2
            && !plan.contains("CORRELATED")
    });
}

#[test]
fn an_order_by_a_related_field_joins_its_table_on_postgresql() {
    on_postgres(|schema| {
        let fill = || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(schema.run(ROWS));
        };
        check(SqlStore::new(schema.url()), fill, |plan| {
            plan.matches(" Left Join").count() == 2 && !plan.contains("SubPlan")
        });
    });
}

/// A place.
#[derive(Clone, Serialize, Deserialize, Resource)]
#[resource(path = "/places")]
struct Place {
    #[property(id)]
    id: i64,
    #[property(filter(eq, index))]
    name: String,
}

/// A visit of a place.
#[derive(Clone, Serialize, Deserialize, Resource)]
#[resource(
    path = "/visits",
    pagination = page(total = false),
    include(place(filter(name(eq, contains)), sort(name)))
)]
struct Visit {
    #[property(id)]
    id: i64,
    #[property(references(Place))]
    place_id: i64,
    #[property(sort)]
    title: String,
}

/// A million visits of 10,000 places.
const MANY_ROWS: &str = "
    INSERT INTO places (name) WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 10000) SELECT 'Place ' || n * 7919 % 10000 FROM n;
    INSERT INTO visits (place_id, title) WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 1000000) SELECT n % 10000 + 1, 'Visit ' || n FROM n;
    ANALYZE places;
    ANALYZE visits";

/// Prints the median time of each list.
fn measure(store: &SqlStore, fill: impl FnOnce()) {
    let store = store.clone().migrate().statement_timeout(Duration::from_mins(1));
    let api = Api::builder(Configuration::new("visits", "1.0.0"))
        .resource::<Place>(store.clone(), Access::public())
        .resource::<Visit>(store, Access::public())
        .build();
    let client = TestClient::new(api.unwrap());
    client.start().unwrap();
    fill();
    for query in [
        "order_by=title",
        "order_by=place.name",
        "place.name=Place%207&order_by=title",
        "filter[place.name][contains]=none&order_by=title",
    ] {
        let mut times = [Duration::ZERO; 5];
        for time in &mut times {
            let began = Instant::now();
            client.get(format!("/visits?limit=20&{query}")).send().assert_status(200);
            *time = began.elapsed();
        }
        times.sort();
        println!("{query}: {:?}", times[2]);
    }
    client.stop();
}

#[test]
#[ignore = "takes a minute"]
fn costs_of_related_fields() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let file = SqliteFile::new();
    measure(&SqlStore::new(file.url()), || runtime.block_on(run_on_sqlite(&file, MANY_ROWS)));
    on_postgres(|schema| measure(&SqlStore::new(schema.url()), || runtime.block_on(schema.run(MANY_ROWS))));
}

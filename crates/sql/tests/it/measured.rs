//! What a store reports for metrics, on both databases.

use std::fmt::Debug;
use std::sync::{Arc, Mutex};

use restwright::auth::Access;
use restwright::prelude::*;
use restwright::report::{Report, SampleValue};
use restwright::testing::TestClient;
use restwright_resource::Store;
use restwright_sql::SqlStore;
use serde::{Deserialize, Serialize};
use tracing::field::Field;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use crate::databases::SqliteFile;
use crate::requests::outbox::on_postgres;

/// A town.
#[derive(Clone, Serialize, Deserialize, Resource)]
#[resource(path = "/towns")]
struct Town {
    #[property(id)]
    id: i64,
    #[property(unique)]
    name: String,
}

/// Returns the value of a sample with these labels. The value of a histogram is the number of durations.
pub(crate) fn value(report: &Report, name: &str, labels: &[(&'static str, &str)]) -> Option<f64> {
    let sample =
        report.samples().iter().find(|sample| sample.name() == name && sample.labels().eq(labels.iter().copied()))?;
    Some(match sample.value() {
        SampleValue::Gauge(value) => value,
        SampleValue::Counter(count) => count as f64,
        SampleValue::Histogram(durations) => durations.count() as f64,
        other => panic!("{other:?}"),
    })
}

fn check(url: &str) {
    let store = SqlStore::new(url).migrate();
    let api = Api::builder(Configuration::new("towns", "1.0.0")).resource::<Town>(store.clone(), Access::public());
    let api = api.build().unwrap();
    let client = TestClient::new(api.clone());
    client.start().unwrap();
    let create = |name: &str| client.post("/towns").json(&serde_json::json!({ "name": name })).send();
    create("Ulm").assert_status(201);
    create("Bonn").assert_status(201);
    create("Bonn").assert_status(409);
    client.get("/towns").send().assert_status(200);
    let held = client.block_on(async {
        let again = store.begin_attempt(2).await.unwrap();
        (api.report(), again)
    });
    let (report, again) = held;
    let operation = |name| [("db_collection_name", "towns"), ("db_operation_name", name)];
    let count = |labels: &[(&'static str, &str)]| value(&report, "db_client_operation_duration_seconds", labels);
    assert_eq!((count(&operation("insert")), count(&operation("list"))), (Some(3.0), Some(1.0)), "{report:?}");
    let failures = |kind| value(&report, "db_client_failures", &[("kind", kind)]);
    assert_eq!((failures("unique"), failures("unavailable"), failures("other")), (Some(1.0), Some(0.0), Some(0.0)));
    let connections = |state| value(&report, "db_client_connections", &[("state", state)]);
    assert_eq!(connections("used"), Some(1.0), "{report:?}");
    assert!(value(&report, "db_client_connections_max", &[]) >= Some(4.0), "{report:?}");
    assert!(value(&report, "db_client_connection_wait_seconds", &[]) >= Some(4.0), "{report:?}");
    for (name, expected) in [
        ("db_client_connections_pending", 0.0),
        ("db_client_connection_failures", 0.0),
        ("db_client_transactions_retried", 1.0),
    ] {
        assert_eq!(value(&report, name, &[]), Some(expected), "{name}");
    }
    drop(again);
    client.stop();
    let report = api.report();
    assert_eq!(value(&report, "db_client_connections", &[("state", "used")]), Some(0.0), "{report:?}");
}

#[test]
fn statements_and_connections_are_reported_on_sqlite() {
    check(&SqliteFile::new().url());
}

#[test]
fn statements_and_connections_are_reported_on_postgresql() {
    on_postgres(|schema| check(&schema.url()));
}

/// A subscriber that records the spans for exported traces.
#[derive(Clone, Default)]
struct Spans(Arc<Mutex<Vec<String>>>);

impl Subscriber for Spans {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "restwright::export"
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut text = String::new();
        span.record(&mut |field: &Field, value: &dyn Debug| text += &format!("{field}={value:?} "));
        let mut spans = self.0.lock().unwrap();
        spans.push(text);
        Id::from_u64(spans.len() as u64)
    }

    fn record(&self, id: &Id, values: &Record<'_>) {
        let mut spans = self.0.lock().unwrap();
        let text = &mut spans[usize::try_from(id.into_u64()).unwrap() - 1];
        values.record(&mut |field: &Field, value: &dyn Debug| *text += &format!("{field}={value:?} "));
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &Event<'_>) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

#[test]
fn each_statement_has_a_span_without_values() {
    restwright_tests::alone("measured::each_statement_has_a_span_without_values", || {
        let spans = Spans::default();
        tracing::subscriber::with_default(spans.clone(), || {
            let api = Api::builder(Configuration::new("towns", "1.0.0"));
            let api =
                api.resource::<Town>(SqlStore::new("sqlite::memory:").migrate(), Access::public()).build().unwrap();
            let client = TestClient::new(api);
            client.start().unwrap();
            client.post("/towns").json(&serde_json::json!({ "name": "a secret" })).send().assert_status(201);
            client.get("/towns/1").send().assert_status(200);
            client.stop();
        });
        let span = |operation: &str| {
            format!(
                "otel.kind=\"client\" db.system.name=\"sqlite\" db.operation.name=\"{operation}\" db.collection.name=\"towns\" otel.name={operation} towns "
            )
        };
        assert_eq!(*spans.0.lock().unwrap(), [span("insert"), span("find")]);
    });
}

/// Returns the number of views that workers ran themselves. A worker opens its connection in the background, so only later views use it.
fn inline_views(store: SqlStore) -> f64 {
    let api = Api::builder(Configuration::new("towns", "1.0.0")).resource::<Town>(store.migrate(), Access::public());
    let api = api.build().unwrap();
    let client = TestClient::new(api.clone());
    client.start().unwrap();
    client.post("/towns").json(&serde_json::json!({"name": "Ulm"})).send().assert_status(201);
    let inline = || value(&api.report(), "store_inline_reads", &[("outcome", "ended")]).unwrap_or_default();
    for _ in 0..200 {
        client.get("/towns/1").send().assert_status(200);
        if inline() > 0.0 {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let before = inline();
    for _ in 0..10 {
        client.get("/towns/1").send().assert_status(200);
        client.get("/towns/2").send().assert_status(404);
        // Has a total, and changes a row.
        client.get("/towns").send().assert_status(200);
        client.patch("/towns/1").json(&serde_json::json!({"name": "Ulm"})).send().assert_status(200);
    }
    let after = inline();
    client.stop();
    after - before
}

#[test]
fn workers_run_short_reads_themselves() {
    let file = SqliteFile::new();
    // Two views, and the read of the patch.
    assert_eq!(inline_views(file.store()), 30.0);
    assert_eq!(inline_views(SqliteFile::new().store().reads_on_threads()), 0.0);
    assert_eq!(inline_views(SqlStore::new("sqlite::memory:")), 0.0);
}

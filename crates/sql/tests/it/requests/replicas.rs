//! Stale lists with a failing replica, and the reports of readiness and metrics.

use std::num::NonZeroU32;
use std::thread;
use std::time::Duration;

use restwright::auth::Access;
use restwright::prelude::*;
use restwright_core::report::SampleValue;
use restwright_list::ValueType;
use restwright_resource::{Endpoints, Store};
use restwright_sql::{SqlStatements, SqlStore, StorePart};
use restwright_tests::Log;
use sea_query::{Expr, Query};
use serde::{Deserialize, Serialize};
use tracing::Level;

use super::gate::Gate;
use super::outbox::on_postgres;
use super::server::{send, with_server};

/// A name of a city.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/cities")]
struct City {
    #[property(id)]
    id: i64,
    name: String,
}

fn api<S: Store + Clone>(store: &S) -> Api {
    let cities = Endpoints::<City>::new(store.clone(), Access::public()).stale_lists();
    Api::builder(Configuration::new("cities", "1.0.0")).module(&cities).build().unwrap()
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

/// Returns the values of the replica's gauge and counter.
fn reported(api: &Api) -> (Option<SampleValue>, Option<SampleValue>) {
    let report = api.readiness().report();
    let value = |name| report.samples().iter().find(|sample| sample.name() == name).map(|sample| sample.value());
    (value("store_replica_used"), value("store_replica_fallbacks"))
}

/// Returns the states of the components, except the server.
fn states(api: &Api) -> (bool, Vec<(String, bool)>) {
    runtime().block_on(async {
        let states = api.readiness().states().await;
        let components = states.components().iter().skip(1);
        (states.is_ready(), components.map(|state| (state.name().to_owned(), state.is_ready())).collect())
    })
}

fn expected(states: [(&str, bool); 3]) -> Vec<(String, bool)> {
    states.map(|(name, is_ready)| (name.to_owned(), is_ready)).to_vec()
}

#[test]
fn stale_lists_are_read_from_the_primary_while_the_replica_is_down() {
    on_postgres(|primary| {
        on_postgres(|replica| {
            let names = ["primary", "replica"];
            for (schema, name) in [primary, replica].into_iter().zip(names) {
                let city = format!(r#"{{"name": "{name}"}}"#);
                let api = api(&schema.store().migrate());
                with_server(api, 1, |address| assert_eq!(send(address, "POST /cities", &city).0, 201));
            }
            let gate = Gate::default();
            let store = primary.store().read_from(gate.url(replica));
            let api = api(&store);
            with_server(api.clone(), 1, |address| {
                let listed = || {
                    let (status, body) = send(address, "GET /cities", "");
                    assert_eq!(status, 200, "{body}");
                    names.into_iter().find(|name| body.contains(name)).unwrap()
                };
                assert_eq!(listed(), "replica");
                assert_eq!(reported(&api), (Some(SampleValue::Gauge(1.0)), Some(SampleValue::Counter(0))));
                gate.set_shut(true);
                gate.cut_all();
                // Each list reads its rows with their number.
                assert_eq!([listed(), listed(), listed()], ["primary"; 3]);
                assert_eq!(reported(&api), (Some(SampleValue::Gauge(0.0)), Some(SampleValue::Counter(3))));
                let parts = [("PostgreSQL", true), ("PostgreSQL writes", true), ("PostgreSQL replica", false)];
                assert_eq!(states(&api), (true, expected(parts)));
                gate.set_shut(false);
                thread::sleep(Duration::from_millis(1_200));
                assert_eq!([listed(), listed()], ["replica"; 2]);
                assert_eq!(reported(&api).0, Some(SampleValue::Gauge(1.0)));
            });
        });
    });
}

#[test]
fn sql_store_passes_its_settings_to_the_store_inside() {
    on_postgres(|primary| {
        on_postgres(|replica| {
            runtime().block_on(async {
                for schema in [primary, replica] {
                    let api = api(&schema.store().migrate());
                    api.start().await.unwrap();
                    api.stop().await;
                }
            });
            runtime().block_on(replica.run("INSERT INTO cities (name, row_version) VALUES ('replica', 1)"));
            let store = SqlStore::new(primary.url())
                .connections(NonZeroU32::MIN)
                .queue(0)
                .read_from(replica.url())
                .requires([StorePart::Replica])
                .serializable()
                .transaction_pooler();
            with_server(api(&store), 1, |address| {
                let (status, body) = send(address, "GET /cities", "");
                assert!(status == 200 && body.contains("replica"), "{body}");
            });
            runtime().block_on(async {
                let mut transaction = store.begin().await.unwrap();
                let level = Query::select().expr(Expr::cust("current_setting('transaction_isolation')")).to_owned();
                let rows = transaction.fetch(&level).await.unwrap();
                assert_eq!(rows[0].value(0, ValueType::Text).unwrap(), "serializable".into());
                let limit = "(SELECT reset_val FROM pg_settings WHERE name = 'statement_timeout')";
                let rows = transaction.fetch(Query::select().expr(Expr::cust(limit))).await.unwrap();
                // Only the transaction has a limit, not the connection.
                assert_eq!(rows[0].value(0, ValueType::Text).unwrap(), "0".into());
                // There is one connection, and no statement may wait for it.
                let refused = store.begin().await.err().map(|error| error.to_string()).unwrap_or_default();
                assert!(refused.contains("too many statements are waiting"), "{refused}");
            });
        });
    });
}

#[test]
fn an_outage_of_the_replica_is_logged_at_its_start_and_end() {
    on_postgres(|schema| {
        let gate = Gate::default();
        gate.set_shut(true);
        let store = schema.store().migrate().read_from(gate.url(schema));
        let api = api(&store);
        runtime().block_on(api.start()).unwrap();
        let log = Log::up_to(Level::INFO);
        let client = restwright::testing::TestClient::new(api);
        log.during(|| {
            for _ in 0..3 {
                client.get("/cities").send().assert_status(200);
            }
            gate.set_shut(false);
            thread::sleep(Duration::from_millis(1_200));
            client.get("/cities").send().assert_status(200);
        });
        let lines: Vec<_> = log.take("").into_iter().filter(|line| line.contains("replica")).collect();
        let [begun, ended] = lines.as_slice() else { panic!("{lines:?}") };
        assert!(begun.starts_with("WARN") && begun.contains("lists are read from the primary"), "{begun}");
        assert!(ended.starts_with("INFO") && ended.contains("from the replica again"), "{ended}");
    });
}

#[test]
fn the_service_is_not_ready_while_a_required_replica_is_down() {
    on_postgres(|schema| {
        let gate = Gate::default();
        gate.set_shut(true);
        let store = schema.store().migrate().read_from(gate.url(schema));
        let store = store.requires([StorePart::Reads, StorePart::Replica]);
        runtime().block_on(async {
            let api = api(&store);
            api.start().await.unwrap();
            let failures = api.ready().await.unwrap_err();
            let names: Vec<_> = failures.iter().map(|failure| failure.component()).collect();
            assert_eq!(names, ["PostgreSQL replica"]);
            api.stop().await;
        });
    });
}

#[test]
fn the_service_starts_on_a_read_only_database_if_only_reads_are_required() {
    on_postgres(|schema| {
        runtime().block_on(async {
            let writable = api(&schema.store().migrate());
            writable.start().await.unwrap();
            writable.ready().await.unwrap();
            writable.stop().await;
            let url = format!("{}%20-cdefault_transaction_read_only%3Don", schema.url());
            let api = api(&SqlStore::new(url).requires([StorePart::Reads]));
            api.start().await.unwrap();
            api.ready().await.unwrap();
            api.stop().await;
        });
    });
}

#[test]
fn the_service_is_not_ready_after_its_database_becomes_read_only() {
    on_postgres(|schema| {
        runtime().block_on(async {
            let role = format!("{}_user", schema.name);
            schema.run(&format!("CREATE ROLE {role} LOGIN; GRANT ALL ON SCHEMA {} TO {role}", schema.name)).await;
            let url = schema.url();
            let (_, place) = url.split_once('@').unwrap();
            let api = api(&SqlStore::new(format!("postgres://{role}@{place}")).migrate());
            api.start().await.unwrap();
            api.ready().await.unwrap();
            let sql = format!(
                "ALTER ROLE {role} SET default_transaction_read_only = on; \
                 SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '{role}'"
            );
            schema.run(&sql).await;
            let mut names = Vec::new();
            // The connections from before must be replaced.
            for _ in 0..50 {
                let failures = api.ready().await.unwrap_err();
                names = failures.iter().map(|failure| failure.component().to_owned()).collect();
                if names == ["PostgreSQL writes"] {
                    break;
                }
                tokio::time::sleep(std::time::Duration::from_millis(100)).await;
            }
            assert_eq!(names, ["PostgreSQL writes"]);
            api.stop().await;
            schema.run(&format!("DROP OWNED BY {role}; DROP ROLE {role}")).await;
        });
    });
}

//! Connections and their workers: the effects of a blocked worker and of dropped requests.

use std::net::SocketAddr;
use std::thread;
use std::time::{Duration, Instant};

use restwright::auth::Access;
use restwright::prelude::*;
use restwright_resource::{Endpoints, Store};
use restwright_sql::PostgresStore;
use serde::{Deserialize, Serialize};

use super::outbox::on_postgres;
use super::server::{send, with_server};

/// A job.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/jobs")]
struct Job {
    #[property(id)]
    id: i64,
    title: String,
}

fn api(store: &PostgresStore) -> Api {
    let jobs = Endpoints::<Job, _>::new(store.clone(), Access::public());
    // The handler blocks its worker, which real handlers must not do.
    let block = Route::get("/block").id("block").public().handler(async |()| {
        thread::sleep(Duration::from_secs(5));
        Ok(Data("done"))
    });
    Api::builder(Configuration::new("jobs", "1.0.0")).module(&jobs).controller(block).build().unwrap()
}

/// Sends a request, and returns the status and the duration.
fn timed(address: SocketAddr, request: &str, body: &str) -> (u16, Duration) {
    let started = Instant::now();
    (send(address, request, body).0, started.elapsed())
}

#[test]
fn a_blocked_worker_does_not_delay_queries_of_others() {
    on_postgres(|schema| {
        let store = schema.store().migrate();
        with_server(api(&store), 2, |address| {
            // Opens the connections of each worker.
            for _ in 0..8 {
                assert_eq!(send(address, "POST /jobs", r#"{"title": "quick"}"#).0, 201);
            }
            let blocking = thread::spawn(move || send(address, "GET /block", "").0);
            thread::sleep(Duration::from_millis(200));
            let began = Instant::now();
            // Connections are assigned to the workers in turn, and some wait for the blocked worker.
            let requests: Vec<_> = (0..20).map(|_| thread::spawn(move || timed(address, "GET /jobs/1", ""))).collect();
            let mut took: Vec<_> = requests.into_iter().map(|request| request.join().unwrap()).collect();
            took.sort_by_key(|(_, took)| *took);
            assert!(took.iter().all(|(status, _)| *status == 200), "{took:?}");
            let quick = took.iter().filter(|(_, took)| *took < Duration::from_secs(1)).count();
            assert!(quick >= 10, "{took:?}");
            assert!(began.elapsed() < Duration::from_secs(8), "{took:?}");
            assert_eq!(blocking.join().unwrap(), 200);
        });
    });
}

/// Drops requests, as the host does when the client disconnects or the deadline passes.
#[test]
fn dropped_requests_leave_all_connections_usable() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    on_postgres(|schema| {
        let store = schema.store();
        runtime.block_on(async {
            for _ in 0..32 {
                // Opening a connection may take longer than the time limit of the statement.
                let mut transaction = store.begin().await.unwrap();
                let slow = async {
                    let statement = sqlx::query("SELECT pg_sleep(3)");
                    statement.execute(PostgresStore::connection(&mut transaction)).await
                };
                assert!(tokio::time::timeout(Duration::from_millis(50), slow).await.is_err());
            }
            let began = Instant::now();
            let transaction = store.begin().await.unwrap();
            store.commit(transaction).await.unwrap();
            assert!(began.elapsed() < Duration::from_secs(1), "{:?}", began.elapsed());
        });
    });
}

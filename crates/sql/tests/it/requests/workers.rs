//! Connections and their workers: the effects of a blocked worker and of dropped requests.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use restwright::auth::Access;
use restwright::prelude::*;
use restwright_resource::{Endpoints, Store};
use restwright_sql::{SqlStatements, SqlStore};
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

fn api(store: &SqlStore, is_over: &Arc<AtomicBool>) -> Api {
    let jobs = Endpoints::<Job>::new(store.clone(), Access::public());
    // The handler blocks its worker, which real handlers must not do.
    let is_over = is_over.clone();
    let block = Route::get("/block").id("block").public().handler(async move |()| {
        while !is_over.load(Ordering::Relaxed) {
            thread::sleep(Duration::from_millis(10));
        }
        Ok(Data("done"))
    });
    Api::builder(Configuration::new("jobs", "1.0.0")).module(&jobs).controller(block).build().unwrap()
}

/// Sets a flag when it is dropped, so the server can stop after a failed assertion, too.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn a_blocked_worker_does_not_delay_queries_of_others() {
    on_postgres(|schema| {
        let store = schema.store().migrate();
        let is_over = Arc::default();
        with_server(api(&store, &is_over), 2, |address| {
            // Opens the connections of each worker.
            for _ in 0..8 {
                assert_eq!(send(address, "POST /jobs", r#"{"title": "quick"}"#).0, 201);
            }
            let blocking = thread::spawn(move || send(address, "GET /block", "").0);
            thread::sleep(Duration::from_millis(200));
            let over = Over(&is_over);
            // Connections are assigned to the workers in turn, and some wait for the blocked worker.
            let (sender, statuses) = mpsc::channel();
            for _ in 0..20 {
                let sender = sender.clone();
                thread::spawn(move || sender.send(send(address, "GET /jobs/1", "").0));
            }
            let next = || statuses.recv_timeout(Duration::from_secs(15)).expect("a response");
            assert_eq!([(); 10].map(|()| next()), [200; 10], "while a worker is blocked");
            drop(over);
            assert_eq!([(); 10].map(|()| next()), [200; 10]);
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
                    let statement = sqlx::query("SELECT pg_sleep(30)");
                    statement.execute(transaction.postgres().unwrap()).await
                };
                assert!(tokio::time::timeout(Duration::from_millis(50), slow).await.is_err());
            }
            let began = Instant::now();
            let transaction = store.begin().await.unwrap();
            store.commit(transaction).await.unwrap();
            assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
        });
    });
}

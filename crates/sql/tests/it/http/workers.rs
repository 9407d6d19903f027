//! Connections and the workers that use them: what blocks one worker, and what clients leave behind that hang up.

use std::net::{SocketAddr, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use restwright::auth::Access;
use restwright::prelude::*;
use restwright_resource::{Endpoints, HookContext, Hooks};
use restwright_sql::PostgresStore;
use serde::{Deserialize, Serialize};

use super::outbox::on_postgres;
use super::server::{begin, send, with_server};

/// A job.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/jobs")]
struct Job {
    #[property(id)]
    id: i64,
    title: String,
}

/// A slow statement in the transaction of a request.
struct Slow;

impl Hooks<Job, PostgresStore> for Slow {
    async fn after_create(&self, context: &mut HookContext<'_, PostgresStore>, job: &Job) -> Result<()> {
        if job.title == "slow" {
            let slept = sqlx::query("SELECT pg_sleep(3)").execute(context.transaction()).await;
            slept.map_err(Problem::internal)?;
        }
        Ok(())
    }
}

fn api(store: &PostgresStore) -> Api {
    let jobs = Endpoints::<Job, _>::new(store.clone(), Access::public()).hooks(Slow);
    // A handler that blocks its worker, which it should not.
    let block = Route::get("/block").id("block").public().handler(async |()| {
        thread::sleep(Duration::from_secs(5));
        Ok(Data("done"))
    });
    Api::builder(Configuration::new("jobs", "1.0.0")).module(&jobs).controller(block).build().unwrap()
}

/// Resets connections, as the systems of clients that are gone do. One that is closed in order may still wait for its response.
fn reset(streams: Vec<TcpStream>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        for stream in streams {
            stream.set_nonblocking(true).unwrap();
            tokio::net::TcpStream::from_std(stream).unwrap().set_zero_linger().unwrap();
        }
    });
}

/// Sends a request, and returns the status with the time that it took.
fn timed(address: SocketAddr, request: &str, body: &str) -> (u16, Duration) {
    let started = Instant::now();
    (send(address, request, body).0, started.elapsed())
}

#[test]
fn a_blocked_worker_delays_no_query_of_the_others() {
    on_postgres(|schema| {
        let store = schema.store().migrate();
        with_server(api(&store), 2, |address| {
            // Each worker opens its connections.
            for _ in 0..8 {
                assert_eq!(send(address, "POST /jobs", r#"{"title": "quick"}"#).0, 201);
            }
            let blocking = thread::spawn(move || send(address, "GET /block", "").0);
            thread::sleep(Duration::from_millis(200));
            let began = Instant::now();
            // Connections go to the workers in turn, and those of the blocked one wait for it.
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

#[test]
fn clients_that_hang_up_leave_all_connections() {
    on_postgres(|schema| {
        let store = schema.store().migrate();
        with_server(api(&store), 2, |address| {
            assert_eq!(send(address, "POST /jobs", r#"{"title": "quick"}"#).0, 201);
            let streams: Vec<_> = (0..200).map(|_| begin(address, "POST /jobs", r#"{"title": "slow"}"#)).collect();
            thread::sleep(Duration::from_millis(500));
            reset(streams);
            thread::sleep(Duration::from_millis(200));
            for _ in 0..8 {
                let (status, took) = timed(address, "POST /jobs", r#"{"title": "quick"}"#);
                assert!(status == 201 && took < Duration::from_secs(1), "{status} {took:?}");
            }
            // Nothing of those that hung up was kept.
            assert!(send(address, "GET /jobs", "").1.contains("\"total\":9"));
        });
    });
}

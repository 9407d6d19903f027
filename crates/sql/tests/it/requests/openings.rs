//! Connections that open slowly, cannot be opened, or are lost in only one worker.

use std::io::ErrorKind;
use std::net::TcpListener;
use std::num::NonZeroU32;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use restwright::auth::Access;
use restwright::prelude::*;
use restwright_core::Component;
use restwright_resource::{Endpoints, Store};
use restwright_sql::SqlStore;
use serde::{Deserialize, Serialize};

use super::gate::Gate;
use super::outbox::on_postgres;
use super::server::{send, with_server};

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

async fn works(store: &SqlStore) -> bool {
    match store.begin().await {
        Ok(transaction) => store.commit(transaction).await.is_ok(),
        Err(_) => false,
    }
}

/// A town.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/towns")]
struct Town {
    #[property(id)]
    id: i64,
    name: String,
}

fn api(store: &SqlStore) -> Api {
    let towns = Endpoints::<Town>::new(store.clone(), Access::public());
    Api::builder(Configuration::new("towns", "1.0.0")).module(&towns).build().unwrap()
}

#[test]
fn requests_succeed_after_a_slow_connection_has_opened() {
    on_postgres(|schema| {
        let gate = Gate::default();
        let wait = Duration::from_millis(200);
        gate.delay(wait + Duration::from_millis(400));
        let store = SqlStore::new(gate.url(schema)).wait(wait).migrate();
        with_server(api(&store), 1, |address| {
            let began = Instant::now();
            let mut statuses = Vec::new();
            while statuses.last() != Some(&200) && began.elapsed() < Duration::from_secs(60) {
                statuses.push(send(address, "GET /towns", "").0);
            }
            assert!(statuses.iter().rev().skip(1).all(|status| *status == 503), "{statuses:?}");
            assert!(statuses.len() > 1 && statuses.last() == Some(&200), "{statuses:?}");
        });
    });
}

#[test]
fn a_slow_connection_does_not_delay_requests_if_another_is_free() {
    on_postgres(|schema| {
        let gate = Gate::default();
        let store = SqlStore::new(gate.url(schema)).connections(NonZeroU32::new(2).unwrap());
        runtime().block_on(async {
            let first = store.begin().await.unwrap();
            gate.delay(Duration::from_secs(20));
            let began = Instant::now();
            let free = async {
                tokio::time::sleep(Duration::from_millis(50)).await;
                store.commit(first).await.unwrap();
            };
            let (second, ()) = tokio::join!(works(&store), free);
            assert!(second && began.elapsed() < Duration::from_secs(15), "{:?}", began.elapsed());
        });
    });
}

#[test]
fn a_rejected_port_fails_immediately_and_names_the_address() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let store = SqlStore::new(format!("postgres://shelter@127.0.0.1:{port}/shelter")).wait(Duration::from_mins(2));
    let began = Instant::now();
    let error = runtime().block_on(store.begin()).unwrap_err().to_string();
    let refused = std::io::Error::from(ErrorKind::ConnectionRefused).to_string();
    assert!(error.contains(&format!("`127.0.0.1:{port}`")) && error.to_lowercase().contains(&refused), "{error}");
    assert!(began.elapsed() < Duration::from_mins(1), "{:?}", began.elapsed());
}

#[test]
fn the_number_of_opened_connections_is_limited() {
    on_postgres(|schema| {
        let gate = Gate::default();
        let wait = Duration::from_millis(100);
        let store = SqlStore::new(gate.url(schema)).wait(wait).connections(NonZeroU32::new(2).unwrap());
        gate.delay(Duration::from_millis(500));
        runtime().block_on(async {
            for _ in 0..4 {
                assert!(!works(&store).await);
            }
            tokio::time::sleep(Duration::from_millis(700)).await;
            for _ in 0..4 {
                assert!(works(&store).await);
            }
            assert_eq!(gate.accepted(), 2);
        });
    });
}

#[test]
fn a_worker_without_a_connection_is_not_ready_even_if_another_has_one() {
    on_postgres(|schema| {
        let gate = Gate::default();
        let store = SqlStore::new(gate.url(schema)).wait(Duration::from_millis(500));
        let (send, received) = mpsc::channel();
        let other = store.clone();
        let worker = thread::spawn(move || {
            runtime().block_on(async {
                assert!(works(&other).await);
                let (end, ended) = tokio::sync::oneshot::channel::<()>();
                send.send(end).unwrap();
                // The worker waits for requests.
                let _ = ended.await;
            });
        });
        let end = received.recv().unwrap();
        runtime().block_on(async {
            assert!(works(&store).await);
            store.ready().await.unwrap();
            gate.set_shut(true);
            // Closes the connection of the other worker.
            gate.cut(0);
            tokio::time::sleep(Duration::from_millis(1_200)).await;
            assert!(works(&store).await);
            let error = store.ready().await.unwrap_err().to_string();
            assert!(error.contains("cannot connect to `127.0.0.1:"), "{error}");
            drop(end);
            worker.join().unwrap();
            // An ended worker serves no requests.
            store.ready().await.unwrap();
        });
    });
}

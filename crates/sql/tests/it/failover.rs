//! Creates with idempotency keys while the primary of PostgreSQL fails.

use std::collections::BTreeMap;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU16, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use restwright::auth::Access;
use restwright::prelude::*;
use restwright_resource::Endpoints;
use restwright_resource::idempotency::Idempotency;
use restwright_sql::{SqlIdempotency, SqlStore};
use serde::{Deserialize, Serialize};
use serde_json::json;
use sqlx::Connection;

use crate::cluster::Cluster;
use crate::idempotency::Callers;
use crate::requests::server::{send_with, with_server};

const CLIENTS: usize = 8;

/// The time before the primary fails, and the time after it.
const BEFORE: Duration = Duration::from_secs(3);
const AFTER: Duration = Duration::from_secs(5);

/// An order.
#[derive(Clone, Serialize, Deserialize, Resource)]
#[resource(path = "/orders")]
struct Order {
    #[property(id)]
    id: i64,
    code: String,
}

/// Forwards connections to the port in `target`, as the address of a primary that a cluster manager moves.
fn forward(target: &'static AtomicU16) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let Ok(server) = TcpStream::connect(("127.0.0.1", target.load(Ordering::Relaxed))) else { continue };
            let (from_server, to_client) = (server.try_clone().unwrap(), client.try_clone().unwrap());
            thread::spawn(move || copy(from_server, to_client));
            thread::spawn(move || copy(client, server));
        }
    });
    port
}

fn copy(mut from: TcpStream, mut to: TcpStream) {
    let _ = std::io::copy(&mut from, &mut to);
    let _ = to.shutdown(std::net::Shutdown::Both);
}

/// Creates orders until `is_over`, each with its key until it is created. Returns the codes of the created orders, and the longest time of one.
fn create_orders(address: SocketAddr, next: &AtomicUsize, is_over: &AtomicBool) -> (Vec<String>, Duration) {
    let (mut created, mut longest) = (Vec::new(), Duration::ZERO);
    while !is_over.load(Ordering::Relaxed) {
        let code = format!("order-{}", next.fetch_add(1, Ordering::Relaxed));
        let began = Instant::now();
        loop {
            let headers = [("X-Caller", "ann"), ("Idempotency-Key", &*code)];
            let (status, body) = send_with(address, "POST /orders", &headers, &json!({"code": code}).to_string());
            match status {
                201 => break,
                409 | 503 => thread::sleep(Duration::from_millis(50)),
                _ => panic!("{status}: {body}"),
            }
            assert!(began.elapsed() < Duration::from_secs(30), "{status}: {body}");
        }
        longest = longest.max(began.elapsed());
        created.push(code);
    }
    (created, longest)
}

/// Runs a failover. Prints what was created, lost and created twice, and returns the numbers of lost and of repeated orders.
fn run(name: &str, settings: &str, fail: impl FnOnce(&mut Cluster, &AtomicU16)) -> (usize, usize) {
    let mut cluster = Cluster::start(&format!("failover-{}", name.replace(' ', "-")), settings);
    let target: &AtomicU16 = Box::leak(Box::new(AtomicU16::new(cluster.ports[0])));
    let url = format!("postgres://postgres@127.0.0.1:{}/postgres?sslmode=disable", forward(target));
    let store = SqlStore::new(url).migrate();
    let idempotency = Idempotency::new(SqlIdempotency::new(&store));
    let orders = Endpoints::<Order>::new(store, Access::authenticated("key")).idempotency(idempotency);
    let configuration = Configuration::new("shop", "1.0.0").authenticator("key", Callers);
    let api = Api::builder(configuration).module(&orders).build().unwrap();
    let (next, is_over, created) = (AtomicUsize::new(0), AtomicBool::new(false), Mutex::new(Vec::new()));
    with_server(api, 2, |address| {
        thread::scope(|scope| {
            let client = || {
                let made = create_orders(address, &next, &is_over);
                created.lock().unwrap().push(made);
            };
            let clients: Vec<_> = (0..CLIENTS).map(|_| scope.spawn(client)).collect();
            thread::sleep(BEFORE);
            fail(&mut cluster, target);
            thread::sleep(AFTER);
            is_over.store(true, Ordering::Relaxed);
            clients.into_iter().for_each(|client| client.join().unwrap());
        });
    });
    let (codes, longest): (Vec<_>, Vec<_>) = created.into_inner().unwrap().into_iter().unzip();
    let (codes, longest) = (codes.concat(), longest.into_iter().max().unwrap_or_default());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let stored: Vec<(String, i64)> = runtime.block_on(async {
        let url = format!("postgres://postgres@127.0.0.1:{}/postgres?sslmode=disable", target.load(Ordering::Relaxed));
        let mut connection = sqlx::PgConnection::connect(&url).await.unwrap();
        sqlx::query_as("SELECT code, count(*) FROM orders GROUP BY code").fetch_all(&mut connection).await.unwrap()
    });
    let stored: BTreeMap<_, _> = stored.into_iter().collect();
    let lost = codes.iter().filter(|code| !stored.contains_key(*code)).count();
    let twice = stored.values().filter(|count| **count > 1).count();
    println!("{name}: {} created, {lost} lost, {twice} twice, the longest took {longest:?}", codes.len());
    assert!(codes.len() > CLIENTS * 2, "{name}: {}", codes.len());
    (lost, twice)
}

fn promote(cluster: &mut Cluster, target: &AtomicU16, signal: &str) {
    cluster.end_primary(signal);
    cluster.promote_standby();
    target.store(cluster.ports[1], Ordering::Relaxed);
}

#[test]
#[ignore = "starts database servers; run by `.ci/long databases`"]
fn a_failover_loses_no_created_order_and_creates_none_twice() {
    let synchronous = "synchronous_standby_names = '*'\n";
    assert_eq!(
        run("restart after a crash", "", |cluster, _| {
            cluster.end_primary("-QUIT");
            cluster.server(0);
        }),
        (0, 0)
    );
    assert_eq!(run("stop and promotion", "", |cluster, target| promote(cluster, target, "-INT")), (0, 0));
    let crash = |cluster: &mut Cluster, target: &AtomicU16| promote(cluster, target, "-QUIT");
    assert_eq!(run("crash and promotion of a synchronous standby", synchronous, crash), (0, 0));
    // These settings allow the server to lose the last commits, so lost orders are only printed.
    let (_, twice) = run("crash and promotion of an asynchronous standby", "", crash);
    assert_eq!(twice, 0);
    let (_, twice) =
        run("restart after a crash without synchronous_commit", "synchronous_commit = off\n", |cluster, _| {
            cluster.end_primary("-QUIT");
            cluster.server(0);
        });
    assert_eq!(twice, 0);
}

//! Commits that have begun: neither a deadline nor a client that is gone cuts them off.

use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use restwright::prelude::*;
use restwright::testing::TestClient;
use restwright_resource::{CommittedChange, Hooks};
use serde_json::{Value, json};

use super::counting_store::CountingStore;
use super::declare::Customer;
use super::socket::{begin, with_server};
use super::tenants::{configuration, scoped};

const DELAY: Duration = Duration::from_millis(300);

/// Notes what was committed, after a time.
#[derive(Clone)]
struct Committed {
    titles: Arc<Mutex<Vec<String>>>,
    delay: Duration,
}

impl Hooks<Customer, CountingStore> for Committed {
    async fn after_commit(&self, change: &CommittedChange<Customer>) {
        tokio::time::sleep(self.delay).await;
        if let CommittedChange::Created(customer) = change {
            self.titles.lock().unwrap().push(customer.title.clone());
        }
    }
}

impl Committed {
    fn after(delay: Duration) -> Self {
        Self { titles: Arc::default(), delay }
    }

    fn titles(&self) -> Vec<String> {
        self.titles.lock().unwrap().clone()
    }
}

fn api(store: &CountingStore, committed: &Committed, deadline: Duration) -> Api {
    let customers = scoped::<Customer>(store).batch().hooks(committed.clone()).hook_timeout(Duration::from_millis(40));
    Api::builder(configuration().deadline(deadline)).module(&customers).build().unwrap()
}

#[tokio::test]
async fn a_deadline_cuts_no_commit_off() {
    let (store, committed) = (CountingStore::default(), Committed::after(Duration::from_millis(50)));
    let client = TestClient::new(api(&store, &committed, Duration::from_millis(80))).with_header("X-Caller", "a");
    store.delay_commits(DELAY);
    let response = client.post("/customers").json(&json!({"title": "Ada"})).await;
    response.assert_status(503).assert_problem("deadline_exceeded").assert_documented();
    assert_eq!(committed.titles(), [""; 0]);
    // A store with one writer would let the next one wait.
    tokio::time::sleep(DELAY * 2).await;
    let batch = json!({"data": [{"title": "Bo"}, {"title": "Cy"}]});
    client.post("/customers/batch").json(&batch).await.assert_status(503);
    assert_eq!(committed.titles(), ["Ada"]);
    tokio::time::sleep(DELAY * 2).await;
    assert_eq!(committed.titles(), ["Ada", "Bo", "Cy"]);
    let listed: Value = client.get("/customers?order_by=title").await.json();
    assert_eq!(listed["pagination"]["total"], 3);
}

#[tokio::test]
async fn what_follows_a_commit_holds_no_response_up() {
    let (store, committed) = (CountingStore::default(), Committed::after(DELAY));
    let client = TestClient::new(api(&store, &committed, Duration::from_millis(200))).with_header("X-Caller", "a");
    client.post("/customers").json(&json!({"title": "Ada"})).await.assert_status(201).assert_documented();
    assert_eq!(committed.titles(), [""; 0]);
    tokio::time::sleep(DELAY * 2).await;
    assert_eq!(committed.titles(), ["Ada"]);
}

#[test]
fn a_client_that_hangs_up_cuts_no_commit_off() {
    let (store, committed) = (CountingStore::default(), Committed::after(Duration::from_millis(50)));
    store.delay_commits(DELAY);
    with_server(api(&store, &committed, Duration::from_secs(5)), |address| {
        let body = r#"{"title": "Ada"}"#;
        // What is not read of the response, here that the body may come, makes the end of the connection a reset.
        let headers = ["X-Caller: a", "Expect: 100-continue"];
        let stream = begin(address, "POST /customers", &headers, body.len(), body);
        let started = Instant::now();
        let wait = |is_done: &dyn Fn() -> bool| {
            while !is_done() && started.elapsed() < Duration::from_secs(20) {
                thread::sleep(Duration::from_millis(5));
            }
        };
        let calls = Mutex::new(Vec::new());
        wait(&|| {
            calls.lock().unwrap().extend(store.take_calls());
            calls.lock().unwrap().iter().any(|call| call.starts_with("commit"))
        });
        // The commit has begun and takes its time.
        drop(stream);
        assert_eq!(committed.titles(), [""; 0]);
        wait(&|| !committed.titles().is_empty());
        assert_eq!(committed.titles(), ["Ada"]);
    });
}

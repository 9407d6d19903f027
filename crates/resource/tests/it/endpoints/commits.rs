//! A started commit continues after a deadline or the disconnection of the client.

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

/// Records committed changes after a delay.
#[derive(Clone)]
struct Committed {
    titles: Arc<Mutex<Vec<String>>>,
    delay: Duration,
}

impl Hooks<Customer> for Committed {
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
async fn a_commit_continues_after_the_deadline() {
    let (store, committed) = (CountingStore::default(), Committed::after(Duration::from_millis(50)));
    let client = TestClient::new(api(&store, &committed, Duration::from_millis(80))).with_header("X-Caller", "a");
    store.delay_commits(DELAY);
    let response = client.post("/customers").json(&json!({"title": "Ada"})).await;
    response.assert_status(503).assert_problem("deadline_exceeded").assert_documented();
    assert_eq!(committed.titles(), [""; 0]);
    // In a store with one writer, the next request would otherwise wait.
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
async fn hooks_after_a_commit_do_not_delay_the_response() {
    let (store, committed) = (CountingStore::default(), Committed::after(DELAY));
    let client = TestClient::new(api(&store, &committed, Duration::from_millis(200))).with_header("X-Caller", "a");
    client.post("/customers").json(&json!({"title": "Ada"})).await.assert_status(201).assert_documented();
    assert_eq!(committed.titles(), [""; 0]);
    tokio::time::sleep(DELAY * 2).await;
    assert_eq!(committed.titles(), ["Ada"]);
}

#[test]
fn a_commit_continues_after_the_client_disconnects() {
    let (store, committed) = (CountingStore::default(), Committed::after(Duration::from_millis(50)));
    store.delay_commits(DELAY);
    with_server(api(&store, &committed, Duration::from_secs(5)), |address| {
        let body = r#"{"title": "Ada"}"#;
        // The client does not read the interim response, so closing the connection resets it.
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
        // The commit has started and is slow.
        drop(stream);
        assert_eq!(committed.titles(), [""; 0]);
        wait(&|| !committed.titles().is_empty());
        assert_eq!(committed.titles(), ["Ada"]);
    });
}

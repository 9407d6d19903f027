//! A well-behaved client that records its responses.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::json;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};

use crate::http::Client;
use crate::scenario::spread;

/// The pause between two requests.
const PAUSE: Duration = Duration::from_millis(20);

pub struct Bystander {
    is_over: Arc<AtomicBool>,
    task: JoinHandle<Seen>,
}

#[derive(Default)]
pub struct Seen {
    pub times: Vec<Duration>,
    pub failures: Vec<String>,
}

impl Seen {
    pub fn figures(&self) -> String {
        format!("{} requests: {}, {} failed", self.times.len(), spread(self.times.clone()), self.failures.len())
    }

    pub fn longest(&self) -> Duration {
        self.times.iter().copied().max().unwrap_or_default()
    }
}

impl Bystander {
    /// Starts to send requests, on one connection or on a new one for each request.
    pub fn start(port: u16, keeps_connection: bool) -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        let task = tokio::spawn(watch(port, keeps_connection, is_over.clone()));
        Self { is_over, task }
    }

    pub async fn stop(self) -> Seen {
        self.is_over.store(true, Ordering::Relaxed);
        self.task.await.expect("the bystander does not panic")
    }
}

async fn watch(port: u16, keeps_connection: bool, is_over: Arc<AtomicBool>) -> Seen {
    let pet = json!({"name": "Rex", "age": 7, "tags": ["small"]});
    let requests = [
        ("GET", "/health", None, 200),
        ("POST", "/pets", Some(&pet), 200),
        ("GET", "/pets?age[gte]=3&name[contains]=1&order_by=-name&page=2&limit=5", None, 200),
        ("GET", "/files/private/x", None, 200),
        ("GET", "/files/../private", None, 404),
    ];
    let mut seen = Seen::default();
    let mut client = Client::new(port);
    for (method, path, body, status) in requests.into_iter().cycle() {
        if is_over.load(Ordering::Relaxed) {
            break;
        }
        if !keeps_connection {
            client = Client::new(port);
        }
        let begin = Instant::now();
        let response = client.send(method, path, &[], body).await;
        seen.times.push(begin.elapsed());
        match response {
            Ok(response) if response.status == status => {}
            Ok(response) => {
                let body = String::from_utf8_lossy(&response.body).into_owned();
                seen.failures.push(format!("{method} {path}: {} {body}", response.status));
            }
            Err(error) => seen.failures.push(format!("{method} {path}: {error}")),
        }
        sleep(PAUSE).await;
    }
    seen
}

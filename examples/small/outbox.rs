//! Send an event for each new order: a hook writes it to an outbox in the transaction of the order, and a component sends it.
//!
//! `cargo run -p restwright-examples --example outbox`, then
//! `curl -s -H 'Content-Type: application/json' -d '{"article": "lamp", "quantity": 2}' http://127.0.0.1:8080/orders`.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use restwright::auth::Access;
use restwright::prelude::*;
use restwright::report::Report;
use restwright::resource::{Endpoints, EntityStore, HookContext, Hooks, Scope};
use restwright::sql::SqlStore;
use serde::{Deserialize, Serialize};

/// An order of a customer.
#[derive(Clone, Serialize, Deserialize, Resource)]
#[resource(path = "/orders", without(update, delete))]
struct Order {
    #[property(id)]
    id: i64,
    #[property(min_length = 1, max_length = 100)]
    article: String,
    #[property(minimum = 1)]
    quantity: i64,
}

/// An event that is not sent yet. It has no endpoints.
#[derive(Clone, Serialize, Deserialize, Resource)]
#[resource(path = "/events")]
struct Event {
    #[property(id)]
    id: i64,
    text: String,
}

struct Outbox;

impl Hooks<Order> for Outbox {
    async fn after_create(&self, context: &mut HookContext<'_>, order: &Order) -> Result<()> {
        let text = format!("order {}: {} x {}", order.id, order.quantity, order.article);
        // The store sets the identifier. If this fails, the order is not stored either.
        context.insert(Event { id: 0, text }).await?;
        Ok(())
    }
}

/// Sends the oldest events and deletes them. After a crash in between, it sends an event twice, and receivers detect this by the id.
async fn send_events(store: &SqlStore, send: fn(&Event)) -> Result<()> {
    let mut events = EntityStore::<Event>::new(store, &Scope::new());
    for event in events.first(&(), 100).await? {
        send(&event.entity);
        events.delete(&event.entity.id, None).await?;
    }
    Ok(())
}

/// Sends the events every second.
struct Courier {
    store: SqlStore,
    send: fn(&Event),
    /// The number of events that are not sent yet.
    waiting: Arc<AtomicU64>,
}

impl Component for Courier {
    fn name(&self) -> &str {
        "courier"
    }

    async fn start(&self) -> Result<(), ComponentError> {
        let (store, send, waiting) = (self.store.clone(), self.send, self.waiting.clone());
        tokio::spawn(async move {
            let mut second = tokio::time::interval(Duration::from_secs(1));
            loop {
                second.tick().await;
                if let Err(problem) = send_events(&store, send).await {
                    tracing::warn!("the events are not sent: {problem}");
                }
                if let Ok(count) = EntityStore::<Event>::new(&store, &Scope::new()).count(&()).await {
                    waiting.store(count, Ordering::Relaxed);
                }
            }
        });
        Ok(())
    }

    #[expect(clippy::cast_precision_loss, reason = "an outbox has far fewer than 2^52 events")]
    fn report(&self, report: &mut Report) {
        let waiting = self.waiting.load(Ordering::Relaxed) as f64;
        report.gauge("outbox_events", "Events that are not sent yet.", waiting);
    }
}

fn api(store: SqlStore, send: fn(&Event)) -> Result<Api, Box<dyn std::error::Error>> {
    // The table of an entity without endpoints.
    store.declare(&Event::definition())?;
    let orders = Endpoints::<Order>::new(store.clone(), Access::public()).hooks(Outbox);
    let configuration = Configuration::new("orders", "1.0.0");
    Ok(Api::builder(configuration)
        .module(&orders)
        .component(Courier { store, send, waiting: Arc::default() })
        .build()?)
}

#[expect(clippy::print_stdout, reason = "stands for a message broker")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let store = SqlStore::new("sqlite://orders.db").migrate();
    let api = api(store, |event| println!("sent event {}: {}", event.id, event.text))?;
    Ok(restwright::run(restwright::serve(api, "127.0.0.1:8080"))?)
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use restwright::testing::TestClient;
    use serde_json::json;

    use super::*;

    static SENT: Mutex<Vec<String>> = Mutex::new(Vec::new());

    #[tokio::test]
    async fn sends_one_event_for_each_stored_order() {
        let store = SqlStore::new("sqlite::memory:").migrate();
        let send = |event: &Event| SENT.lock().unwrap().push(event.text.clone());
        let client = TestClient::new(api(store.clone(), send).unwrap());
        client.api().start().await.unwrap();
        let order = |quantity: i64| client.post("/orders").json(&json!({"article": "lamp", "quantity": quantity}));
        order(2).await.assert_status(201).assert_documented();
        order(0).await.assert_violations([("body", "/quantity", "minimum")]);

        let scope = Scope::new();
        let mut events = EntityStore::<Event>::new(&store, &scope);
        let all_are_sent = async {
            while events.count(&()).await.unwrap() > 0 {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(30), all_are_sent).await.unwrap();
        assert_eq!(*SENT.lock().unwrap(), ["order 1: 2 x lamp"]);
    }
}

//! The sent orders, and the check that the server stores each of them correctly.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::Scenario;
use crate::http::{Client, Response};

/// The maximum time that the claim of a dead process may last.
const CLAIM_PATIENCE: Duration = Duration::from_secs(60);

/// The maximum time for which a list is repeated.
const LIST_PATIENCE: Duration = Duration::from_secs(10);

/// The orders of a scenario by their number. The clients share them.
#[derive(Clone, Default)]
pub struct Orders(Arc<Mutex<Sent>>);

#[derive(Default)]
struct Sent {
    next: usize,
    acknowledged: HashMap<usize, String>,
    unknown: Vec<usize>,
    longest_retry: Duration,
}

impl Orders {
    pub fn next(&self) -> usize {
        let mut sent = self.0.lock().expect("no client panics");
        sent.next += 1;
        sent.next
    }

    pub fn acknowledged(&self) -> usize {
        self.0.lock().expect("no client panics").acknowledged.len()
    }

    pub fn unknown(&self) -> usize {
        self.0.lock().expect("no client panics").unknown.len()
    }

    pub fn longest_retry(&self) -> Duration {
        self.0.lock().expect("no client panics").longest_retry
    }

    /// Records the result of a create. A 201 is acknowledged. After any other result, it is unknown whether the order exists.
    pub fn note(&self, number: usize, ended: &io::Result<Response>) {
        let mut sent = self.0.lock().expect("no client panics");
        match ended {
            Ok(response) if response.status == 201 => drop(sent.acknowledged.insert(number, response.id())),
            _ => sent.unknown.push(number),
        }
    }

    /// Sends the next order and records its result.
    pub async fn send_next(&self, client: &mut Client) -> io::Result<Response> {
        let number = self.next();
        let ended = send(client, number).await;
        self.note(number, &ended);
        ended
    }

    /// Repeats each create with an unknown result with its key, until it is acknowledged.
    pub async fn repeat_unknown(&self, scenario: &Scenario, client: &mut Client) {
        let unknown = std::mem::take(&mut self.0.lock().expect("no client panics").unknown);
        let mut is_hopeless = false;
        for number in unknown {
            let start = Instant::now();
            let ended = loop {
                let ended = send(client, number).await;
                let is_claimed = ended.as_ref().is_ok_and(|response| matches!(response.status, 409 | 503));
                if !is_claimed || is_hopeless || start.elapsed() > CLAIM_PATIENCE {
                    break ended;
                }
                tokio::time::sleep(Duration::from_millis(100)).await;
            };
            let is_acknowledged = ended.as_ref().is_ok_and(|response| response.status == 201);
            scenario.expect(is_acknowledged, || format!("order {number}, repeated with its key: {}", shown(&ended)));
            is_hopeless |= !is_acknowledged;
            self.note(number, &ended);
            let mut sent = self.0.lock().expect("no client panics");
            sent.longest_retry = sent.longest_retry.max(start.elapsed());
        }
    }

    /// Checks that every acknowledged order exists once, is complete, and has one entry in the outbox, and that no other order exists twice.
    pub async fn check(&self, scenario: &Scenario, client: &mut Client) {
        let (orders, outbox) = match (list(client, "/orders").await, list(client, "/outbox").await) {
            (Ok(orders), Ok(outbox)) => (orders, outbox),
            (orders, outbox) => {
                let errors = [orders.err(), outbox.err()];
                return scenario.expect(false, || format!("the orders could not be listed: {errors:?}"));
            }
        };
        let mut numbers: HashMap<usize, String> = HashMap::new();
        let mut entries: HashMap<&str, usize> = HashMap::new();
        for entry in &outbox {
            *entries.entry(text(entry, "order_id")).or_default() += 1;
        }
        for found in &orders {
            let id = text(found, "id");
            let number = text(found, "article").strip_prefix("article-").and_then(|number| number.parse().ok());
            let number: usize = number.unwrap_or_default();
            let sent = body(number);
            // The handwritten application has no costs.
            let members = if scenario.has_strangers() { 4 } else { 3 };
            let members = &["article", "quantity", "note", "cost"][..members];
            let is_whole = members.iter().all(|member| found[member] == sent[member]);
            scenario.expect(is_whole, || format!("order {number} is not whole: {found}"));
            let other = numbers.insert(number, id.to_owned());
            scenario.expect(other.is_none(), || format!("order {number} exists twice: {id} and {other:?}"));
            let count = entries.remove(id).unwrap_or_default();
            scenario.expect(count == 1, || format!("order {number} has {count} entries in the outbox"));
        }
        scenario.expect(entries.is_empty(), || format!("{} entries of the outbox have no order", entries.len()));
        if scenario.has_strangers() {
            check_stranger(scenario, &mut client.stranger(), orders.first().map(|order| text(order, "id"))).await;
        }
        for (number, id) in &self.0.lock().expect("no client panics").acknowledged {
            let found = numbers.get(number);
            scenario.expect(found == Some(id), || format!("order {number} was acknowledged as {id}, found: {found:?}"));
        }
    }
}

/// Checks that a caller who may see no order and no cost sees neither.
async fn check_stranger(scenario: &Scenario, stranger: &mut Client, order: Option<&str>) {
    let listed = list(stranger, "/orders").await;
    let is_empty = listed.as_ref().is_ok_and(Vec::is_empty);
    scenario.expect(is_empty, || format!("a stranger lists {listed:?}"));
    if let Some(order) = order {
        let viewed = stranger.get(&format!("/orders/{order}")).await;
        let is_missing = viewed.as_ref().is_ok_and(|viewed| viewed.status == 404);
        scenario.expect(is_missing, || format!("a stranger views an order: {}", shown(&viewed)));
    }
    let priced = stranger.send("POST", "/orders", &[], Some(&body(1))).await;
    let is_unknown = priced
        .as_ref()
        .is_ok_and(|priced| priced.status == 422 && priced.json()["errors"][0]["code"] == "unknown_property");
    scenario.expect(is_unknown, || format!("a stranger sends a cost: {}", shown(&priced)));
}

/// Creates the order with a number, with this number as its key.
pub async fn send(client: &mut Client, number: usize) -> io::Result<Response> {
    client.create("/orders", &format!("order-{number}"), &body(number)).await
}

pub fn body(number: usize) -> Value {
    let note = format!("{number} ").repeat(number * 7 % 200);
    json!({"article": format!("article-{number}"), "quantity": number % 50 + 1, "note": note.trim_end(), "cost": number})
}

/// Returns all items of a list. A 503 is repeated for a while: a connection of the server may have broken a moment ago.
pub async fn list(client: &mut Client, path: &str) -> io::Result<Vec<Value>> {
    let (mut all, start) = (Vec::new(), Instant::now());
    for page in 1.. {
        let page = format!("{path}?page={page}&limit=1000");
        let mut response = client.get(&page).await?;
        while response.status == 503 && start.elapsed() < LIST_PATIENCE {
            tokio::time::sleep(Duration::from_millis(50)).await;
            response = client.get(&page).await?;
        }
        let body = response.json();
        let Some(items) = body["data"].as_array().filter(|_| response.status == 200) else {
            return Err(io::Error::other(format!("{path}: {}", shown(&Ok(response)))));
        };
        all.extend_from_slice(items);
        if items.len() < 1000 {
            break;
        }
    }
    Ok(all)
}

pub fn shown(ended: &io::Result<Response>) -> String {
    match ended {
        Ok(response) => format!("{} {}", response.status, String::from_utf8_lossy(&response.body)),
        Err(error) => error.to_string(),
    }
}

fn text<'v>(item: &'v Value, member: &str) -> &'v str {
    item[member].as_str().unwrap_or_default()
}

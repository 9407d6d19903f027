//! The sent animals, whose changes share transactions, and the check that the database stores each of them correctly.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use serde_json::json;
use sqlx::{Connection, Row, SqliteConnection};

use super::Scenario;
use super::orders::shown;
use crate::http::{Client, Response};

/// The maximum time during which a writer receives only responses with 503.
const PATIENCE: Duration = Duration::from_secs(60);

/// A state of an animal in the database.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum State {
    Absent,
    Created,
    Patched,
}

/// The possible states of each animal, by its number.
pub type States = HashMap<usize, Vec<State>>;

/// The animals of a scenario. The clients share them.
#[derive(Clone, Default)]
pub struct Animals(Arc<Mutex<Sent>>);

#[derive(Default)]
struct Sent {
    states: States,
    /// The number of acknowledged creates.
    acknowledged: usize,
    unavailable: usize,
}

impl Animals {
    /// Returns the number of acknowledged creates.
    pub fn acknowledged(&self) -> usize {
        self.sent().acknowledged
    }

    /// Returns the number of sent creates.
    pub fn created(&self) -> usize {
        self.sent().states.len()
    }

    /// Returns the number of responses with 503.
    pub fn unavailable(&self) -> usize {
        self.sent().unavailable
    }

    pub fn states(&self) -> States {
        self.sent().states.clone()
    }

    /// Creates animals until the server is gone or a number of them is acknowledged. Returns the responses other than 201.
    pub async fn create(self, mut client: Client, target: usize) -> Vec<String> {
        let mut rejected = Vec::new();
        while rejected.len() < 10 && self.acknowledged() < target {
            match self.create_next(&mut client).await {
                (_, Ok(response)) if response.status == 201 => {}
                (_, Ok(response)) => rejected.push(shown(&Ok(response))),
                (_, Err(_)) => break,
            }
        }
        rejected
    }

    /// Creates, patches and deletes animals until the server is gone or a number of creates is acknowledged. Returns the responses other than 2xx
    /// and 503 with `Retry-After`.
    pub async fn change(self, mut client: Client, target: usize) -> Vec<String> {
        let (mut rejected, mut last_success) = (Vec::new(), Instant::now());
        while rejected.len() < 10 && self.acknowledged() < target {
            let (number, mut ended) = self.create_next(&mut client).await;
            if let Ok(created) = &ended
                && created.status == 201
            {
                last_success = Instant::now();
                let path = format!("/animals/{}", created.id());
                ended = match number % 4 {
                    0 | 1 => self.patch(&mut client, number, &path).await,
                    2 => self.delete(&mut client, number, &path).await,
                    _ => continue,
                };
            }
            match &ended {
                Ok(response) if response.is_success() => {}
                Ok(response) if response.is_unavailable() && last_success.elapsed() < PATIENCE => {
                    tokio::time::sleep(Duration::from_millis(10)).await;
                }
                Ok(_) => rejected.push(shown(&ended)),
                Err(_) => break,
            }
        }
        rejected
    }

    /// Creates the next animal, and returns its number.
    pub async fn create_next(&self, client: &mut Client) -> (usize, io::Result<Response>) {
        let number = self.created_number();
        let body = json!({"name": format!("group {number}"), "species": "cat", "weight_kg": 4.5});
        let ended = client.send("POST", "/animals", &[], Some(&body)).await;
        self.note(number, &ended, State::Created);
        (number, ended)
    }

    async fn patch(&self, client: &mut Client, number: usize, path: &str) -> io::Result<Response> {
        self.sent().states.entry(number).or_default().push(State::Patched);
        let ended = client.send("PATCH", path, &[], Some(&json!({"species": "dog", "weight_kg": 5.5}))).await;
        self.note(number, &ended, State::Patched);
        ended
    }

    async fn delete(&self, client: &mut Client, number: usize, path: &str) -> io::Result<Response> {
        self.sent().states.entry(number).or_default().push(State::Absent);
        let ended = client.send("DELETE", path, &[], None).await;
        self.note(number, &ended, State::Absent);
        ended
    }

    /// Chooses the number of the next animal, which exists or does not exist until its create is acknowledged.
    fn created_number(&self) -> usize {
        let states = &mut self.sent().states;
        let number = states.len();
        states.insert(number, vec![State::Absent, State::Created]);
        number
    }

    /// Records the result of a change. After any other result than a success, it is unknown whether the database contains the change.
    fn note(&self, number: usize, ended: &io::Result<Response>, state: State) {
        let mut sent = self.sent();
        match ended {
            Ok(response) if response.is_success() => {
                sent.acknowledged += usize::from(state == State::Created);
                sent.states.insert(number, vec![state]);
            }
            Ok(response) => sent.unavailable += usize::from(response.status == 503),
            Err(_) => {}
        }
    }

    fn sent(&self) -> MutexGuard<'_, Sent> {
        self.0.lock().expect("no client panics")
    }
}

/// Checks that a database has each animal at most once, and in one of its possible states. An animal without possible states was created later.
pub async fn check(scenario: &Scenario, states: &States, url: &str) {
    let mut connection = SqliteConnection::connect(url).await.expect("the database opens");
    let select = sqlx::query(
        "select name, count(*), min(species), min(weight_kg) from animals where name like 'group %' group by name",
    );
    let rows = select.fetch_all(&mut connection).await.expect("the animals are read");
    connection.close().await.expect("the database closes");
    let mut found = HashMap::new();
    for row in rows {
        let (name, count): (String, i64) = (row.get(0), row.get(1));
        scenario.expect(count == 1, || format!("{name} exists {count} times in {url}"));
        let values: (String, f64) = (row.get(2), row.get(3));
        let state = match (values.0.as_str(), values.1) {
            ("cat", 4.5) => State::Created,
            ("dog", 5.5) => State::Patched,
            _ => {
                scenario.expect(false, || format!("{name} is {values:?} in {url}"));
                continue;
            }
        };
        found.insert(name, state);
    }
    for (number, possible) in states {
        let state = found.get(&format!("group {number}")).copied().unwrap_or(State::Absent);
        scenario
            .expect(possible.contains(&state), || format!("group {number} is {state:?}, not {possible:?}, in {url}"));
    }
}

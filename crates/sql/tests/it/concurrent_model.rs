//! Compares the rows that 64 concurrent writers leave with a model of the responses that they received.

use std::collections::{BTreeMap, HashSet};
use std::net::SocketAddr;
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use restwright::auth::Access;
use restwright::prelude::*;
use restwright_resource::Endpoints;
use restwright_sql::SqlStore;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::runtime::Builder;

use crate::databases::SqliteFile;
use crate::groups::groups;
use crate::requests::server::{Received, exchange, send, with_server};

const WRITERS: u64 = 64;

/// The number of changes that each writer sends.
const CHANGES: u64 = 30;

/// The number of unique names. Several writers choose the same name.
const NAMES: u64 = 200;

/// A token.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Resource)]
#[resource(path = "/tokens")]
struct Token {
    #[property(id)]
    id: i64,
    #[property(unique)]
    name: String,
    worth: i64,
    #[property(version)]
    version: i64,
}

/// Records each change of a token in the order of the transactions.
const RECORDED: &str = "
    CREATE TABLE recorded (number INTEGER PRIMARY KEY, method TEXT, id INTEGER, name TEXT, worth INTEGER, version INTEGER);
    CREATE TRIGGER created AFTER INSERT ON tokens BEGIN
        INSERT INTO recorded VALUES (NULL, 'POST', NEW.id, NEW.name, NEW.worth, NEW.version);
    END;
    CREATE TRIGGER patched AFTER UPDATE ON tokens BEGIN
        INSERT INTO recorded VALUES (NULL, 'PATCH', NEW.id, NEW.name, NEW.worth, NEW.version);
    END;
    CREATE TRIGGER deleted AFTER DELETE ON tokens BEGIN
        INSERT INTO recorded VALUES (NULL, 'DELETE', OLD.id, OLD.name, OLD.worth, OLD.version);
    END;";

/// A change that a writer sends.
struct Change {
    method: &'static str,
    id: Option<i64>,
    /// The version in `If-Match`, and the entity tag.
    expected: Option<(i64, String)>,
    body: Value,
}

/// The changes and responses of all writers.
#[derive(Default)]
struct History {
    /// The successful changes, each with the token in its response.
    acknowledged: Vec<(Change, Option<Token>)>,
    rejected: Vec<(Change, u16)>,
    /// The tokens in responses, and their entity tags.
    received: Vec<(Token, String)>,
}

/// Random numbers (xorshift64*).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % bound
    }

    /// Chooses a new token, or a change of one of the last received tokens. Each change has a different worth.
    fn change(&mut self, received: &[(Token, String)], worth: u64) -> Change {
        let name = format!("token {}", self.below(NAMES));
        let last = received.len().saturating_sub(usize::try_from(self.below(100)).unwrap() + 1);
        let (choice, is_conditional) = (self.below(10), self.below(2) == 0);
        let Some((token, tag)) = received.get(last).filter(|_| choice > 3) else {
            return Change { method: "POST", id: None, expected: None, body: json!({"name": name, "worth": worth}) };
        };
        let (id, expected) = (Some(token.id), is_conditional.then(|| (token.version, tag.clone())));
        let (method, body) = match choice {
            4..7 => ("PATCH", json!({"worth": worth})),
            7..9 => ("PATCH", json!({"name": name, "worth": worth})),
            _ => ("DELETE", Value::Null),
        };
        Change { method, id, expected, body }
    }
}

impl Change {
    fn send(&self, address: SocketAddr) -> Received {
        let path = self.id.map_or("/tokens".to_owned(), |id| format!("/tokens/{id}"));
        let headers: Vec<_> = self.expected.iter().map(|(_, tag)| ("If-Match", tag.as_str())).collect();
        let body = if self.body.is_null() { String::new() } else { self.body.to_string() };
        exchange(address, &format!("{} {path}", self.method), &headers, &body)
    }

    fn described(&self) -> String {
        format!("{} {:?} {:?} {}", self.method, self.id, self.expected, self.body)
    }
}

impl History {
    fn add(&mut self, change: Change, response: &Received) {
        if !(200..300).contains(&response.status) {
            return self.rejected.push((change, response.status));
        }
        let body: Value = serde_json::from_str(&response.body).unwrap_or_default();
        let token = serde_json::from_value::<Token>(body["data"].clone()).ok();
        let tag = response.header("etag").unwrap_or_default().to_owned();
        self.received.extend(token.clone().map(|token| (token, tag)));
        self.acknowledged.push((change, token));
    }

    /// Makes the recorded changes one after the other, and returns the remaining tokens. Panics if the responses do not match the recorded
    /// changes.
    fn replay(mut self, recorded: Vec<(String, Token)>) -> Vec<Token> {
        let mut tokens: BTreeMap<i64, Token> = BTreeMap::new();
        for (method, token) in recorded {
            let shown = format!("{method} {token:?}");
            let before = tokens.remove(&token.id);
            let is_made = |(change, response): &(Change, Option<Token>)| {
                let is_expected = match (&change.expected, &before) {
                    (Some((version, _)), Some(before)) => *version == before.version,
                    (expected, _) => expected.is_none(),
                };
                let is_response = response.as_ref().map_or(change.id == Some(token.id), |response| *response == token);
                change.method == method && is_expected && is_response
            };
            let place = self.acknowledged.iter().position(is_made);
            let (change, _) = self.acknowledged.remove(place.unwrap_or_else(|| panic!("{shown} was not acknowledged")));
            if method == "DELETE" {
                assert_eq!(before, Some(token), "{shown}");
                continue;
            }
            let mut after = before.map_or_else(|| json!({}), |before| json!(before));
            change.body.as_object().unwrap().iter().for_each(|(name, value)| after[name] = value.clone());
            (after["id"], after["version"]) = (token.id.into(), token.version.into());
            assert_eq!(json!(token), after, "{shown}");
            assert!(tokens.values().all(|other| other.name != token.name), "{shown} violates the unique constraint");
            tokens.insert(token.id, token);
        }
        let lost: Vec<_> = self.acknowledged.iter().map(|(change, _)| change.described()).collect();
        assert_eq!(lost, [""; 0], "acknowledged changes that were not made");
        tokens.into_values().collect()
    }

    /// Checks the statuses of the changes that were rejected.
    fn check_rejected(&self) {
        let names: HashSet<&str> = self.received.iter().map(|(token, _)| token.name.as_str()).collect();
        for (change, status) in &self.rejected {
            let is_possible = match status {
                404 => change.id.is_some(),
                409 => change.body["name"].as_str().is_some_and(|name| names.contains(name)),
                412 => change.expected.is_some(),
                _ => false,
            };
            assert!(is_possible, "{status} for {}", change.described());
        }
    }
}

/// Returns rows of tokens with their first column.
async fn rows(store: &SqlStore, select: &'static str) -> Vec<(String, Token)> {
    let read = move |connection: &mut rusqlite::Connection| {
        let mut select = connection.prepare(select)?;
        let rows = select.query_map([], |row| {
            let token = Token { id: row.get(1)?, name: row.get(2)?, worth: row.get(3)?, version: row.get(4)? };
            Ok((row.get(0)?, token))
        })?;
        rows.collect()
    };
    store.with_sqlite(read).await.unwrap()
}

#[test]
fn rows_after_64_writers_match_the_responses() {
    let file = SqliteFile::new();
    let patience = Duration::from_secs(60);
    let store = file.store().wait(patience).statement_timeout(patience).migrate();
    let tokens = Endpoints::<Token>::new(store.clone(), Access::public());
    let api = Api::builder(Configuration::new("tokens", "1.0.0")).module(&tokens).build().unwrap();
    let history = Mutex::new(History::default());
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    with_server(api, 2, |address| {
        // The response shows that the store has started, so it does not detect the triggers.
        assert_eq!(send(address, "GET /tokens", "").0, 200);
        runtime.block_on(store.with_sqlite(|connection| connection.execute_batch(RECORDED))).unwrap();
        thread::scope(|scope| {
            for writer in 0..WRITERS {
                let history = &history;
                scope.spawn(move || {
                    let mut random = Random(0x9E37_79B9_7F4A_7C15_u64.wrapping_mul(writer + 1));
                    for number in 0..CHANGES {
                        let change = random.change(&history.lock().unwrap().received, writer * CHANGES + number);
                        let response = change.send(address);
                        history.lock().unwrap().add(change, &response);
                    }
                });
            }
        });
    });
    let history = history.into_inner().unwrap();
    let mut counts = BTreeMap::new();
    let rejected = history.rejected.iter().map(|(change, status)| (change.method, *status));
    let acknowledged = history.acknowledged.iter().map(|(change, _)| (change.method, 200));
    rejected.chain(acknowledged).for_each(|kind| *counts.entry(kind).or_insert(0) += 1);
    for kind in [("POST", 200), ("PATCH", 200), ("DELETE", 200), ("POST", 409), ("PATCH", 404), ("PATCH", 412)] {
        assert!(counts.contains_key(&kind), "{kind:?} in {counts:?}");
    }
    history.check_rejected();

    let (groups, changes) = groups(&store);
    let acknowledged = u64::try_from(history.acknowledged.len()).unwrap();
    assert!(acknowledged <= changes && changes > groups, "{groups} groups of {changes} changes: {counts:?}");
    let recorded =
        runtime.block_on(rows(&store, "SELECT method, id, name, worth, version FROM recorded ORDER BY number"));
    let stored = runtime.block_on(rows(&store, "SELECT '', id, name, worth, version FROM tokens ORDER BY id"));
    let stored: Vec<_> = stored.into_iter().map(|(_, token)| token).collect();
    assert_eq!(history.replay(recorded), stored);
}

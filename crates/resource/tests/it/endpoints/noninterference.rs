//! Noninterference: what a caller may not see changes nothing in any response to that caller.
//!
//! Two runs get the same random requests by `bob`. Between them, `ann` and `cid` make hidden writes in the second run only. Status, headers and body
//! are compared byte for byte. Identifiers, versions and request ids derive from the number of the request.

use std::collections::BTreeSet;

use restwright::http::Method;
use restwright::testing::{TestClient, TestResponse};
use restwright_resource::reproducible;
use serde_json::Value;

use super::counting_store::{CountingStore, PAIRS};
use super::drawn_requests::{Draw, KINDS, Kind, Random, Sent};
use super::secret_rows::api;

/// The pairs of requests after which both runs start again without rows.
const PAIRS_OF_A_RUN: usize = 400;

/// A use of something that the resources accept with `reveals`, or of a right that no policy mentions. It must be found as a difference.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Revealed {
    /// Hidden notes have the unique codes of `bob`.
    Codes,
    /// Hidden pages have the identifiers that `bob` chooses.
    Slugs,
    /// Hidden receipts take integers of the store.
    Numbers,
    /// Hidden notes refer to folders of `bob`.
    References,
    /// `bob` loses a right that changes responses, but not what he sees.
    Rights,
}

/// One of the two runs.
struct Run {
    client: TestClient,
    store: CountingStore,
}

impl Run {
    fn new(store: CountingStore) -> Self {
        Self { client: TestClient::new(api(&store)), store }
    }

    /// Sends a request. `number` is the number of the request, from which everything that the service generates derives.
    async fn send(&self, caller: &str, request: &Sent, number: u64) -> TestResponse {
        self.store.take_calls();
        let method = Method::from_bytes(request.method.as_bytes()).unwrap();
        let sent = self.client.request(method, &request.path).header("X-Caller", caller);
        let sent = sent.header("X-Request-Id", format!("request-{number}"));
        let sent = request.headers.iter().fold(sent, |sent, (name, value)| sent.header(name, value));
        let sent = match &request.body {
            Some(body) => sent.body("application/json", body.clone()),
            None => sent,
        };
        reproducible(number, async { sent.await }).await
    }

    /// Returns `true` if `ann` sees a note, and `bob` does not.
    async fn hides_note(&self, path: &str) -> bool {
        let note = Sent::new(Kind::Note, "GET", path.trim_end_matches("/lines"));
        self.send("ann", &note, 0).await.status() == 200 && self.send("bob", &note, 0).await.status() == 404
    }
}

/// The two runs, and what both contain.
struct World {
    without: Run,
    with: Run,
    /// The identifiers of each kind. The first run does not contain the hidden rows.
    ids: [Vec<String>; KINDS],
    /// The folders of `ann` that both runs contain.
    folders: Vec<String>,
    cursor: String,
    /// The next or previous page of the last list that has one.
    page: String,
    tag: String,
}

impl World {
    fn new(open: &impl Fn() -> CountingStore) -> Self {
        let (without, with) = (Run::new(open()), Run::new(open()));
        let (cursor, page, tag) = (String::new(), "/pages".to_owned(), "\"0\"".to_owned());
        Self { without, with, ids: Default::default(), folders: Vec::new(), cursor, page, tag }
    }

    fn draw<'d>(&'d self, random: &'d mut Random) -> Draw<'d> {
        Draw { random, ids: &self.ids, folders: &self.folders, cursor: &self.cursor, page: &self.page, tag: &self.tag }
    }

    /// Notes the identifiers, the cursor and the entity tag of a response.
    fn note(&mut self, request: &Sent, response: &TestResponse) {
        let json: Value = serde_json::from_str(response.text()).unwrap_or_default();
        let cursors = ["next_cursor", "previous_cursor"].map(|cursor| json["pagination"][cursor].as_str());
        if let Some(cursor) = cursors.into_iter().flatten().next() {
            let list = request.path.split("&cursor=").next().unwrap_or_default();
            self.page = format!("{list}&cursor={cursor}");
            self.cursor = cursor.to_owned();
        }
        if let Some(tag) = response.header("etag") {
            self.tag = tag.to_owned();
        }
        if response.status() != 201 {
            return;
        }
        let created = json["data"].as_array().cloned().unwrap_or_else(|| vec![json["data"].clone()]);
        for one in created {
            let id = match &one["id"] {
                Value::Null => one["slug"].as_str().unwrap_or_default().to_owned(),
                Value::String(id) => id.clone(),
                id => id.to_string(),
            };
            let ids = &mut self.ids[request.kind as usize];
            if !ids.contains(&id) {
                ids.push(id);
            }
        }
    }

    /// Sends a write of another caller to the second run, if `bob` cannot see its effect.
    async fn write_hidden(&mut self, hidden: &Sent, caller: &str, number: u64) {
        let is_on_note = hidden.path.starts_with("/notes/");
        if is_on_note && !self.with.hides_note(&hidden.path).await {
            return;
        }
        let response = self.with.send(caller, hidden, number).await;
        self.note(hidden, &response);
    }
}

/// Returns everything that a client receives.
fn received(response: &TestResponse) -> (u16, Vec<(String, Vec<u8>)>, String) {
    let headers = response.headers().iter().map(|(name, value)| (name.to_string(), value.as_bytes().to_vec()));
    (response.status().as_u16(), headers.collect(), response.text().to_owned())
}

/// Sends so many pairs of requests to stores that `open` makes, notes their statuses, and returns the first difference with its number.
pub(crate) async fn difference(
    open: impl Fn() -> CountingStore,
    revealed: Option<Revealed>,
    seed: u64,
    pairs: usize,
    statuses: &mut BTreeSet<u16>,
) -> Option<String> {
    let mut world = World::new(&open);
    let mut random = Random(seed);
    for pair in 0..pairs {
        if pair % PAIRS_OF_A_RUN == 0 {
            world = World::new(&open);
        }
        let mut number = 4 * u64::try_from(pair).unwrap() + 1;
        if random.below(2) == 0 {
            let (caller, hidden) = world.draw(&mut random).hidden_write(revealed);
            world.write_hidden(&hidden, caller, number).await;
        }
        number += 1;
        if random.below(12) == 0 {
            // A caller with more rights, whose responses may differ. What is stored is equal.
            let elevated = if revealed == Some(Revealed::Rights) { "bob peek" } else { "bob all" };
            let request = world.draw(&mut random).keyed_folder();
            world.without.send(elevated, &request, number).await;
            let response = world.with.send(elevated, &request, number).await;
            world.note(&request, &response);
        }
        number += 1;
        let (caller, request) = match random.below(12) {
            0 => ("ann", world.draw(&mut random).public()),
            _ => ("bob", world.draw(&mut random).request()),
        };
        let left = world.without.send(caller, &request, number).await;
        let right = world.with.send(caller, &request, number).await;
        statuses.insert(left.status().as_u16());
        if caller == "bob" && received(&left) != received(&right) {
            let (left, right) = (received(&left), received(&right));
            return Some(format!("seed {seed}, pair {pair}: {request:?}\n{left:?}\n{right:?}"));
        }
        world.note(&request, &right);
        if caller == "ann" && request.kind == Kind::Folder && left.status() == 201 {
            world.folders.extend(world.ids[Kind::Folder as usize].last().cloned());
        }
    }
    None
}

fn number(variable: &str, usual: usize) -> usize {
    std::env::var(variable).map_or(usual, |number| number.parse().unwrap())
}

#[tokio::test]
async fn what_a_caller_cannot_see_changes_no_response() {
    let seed = number("RESTWRIGHT_SEED", 20_261_124) as u64;
    println!("seed {seed}");
    let mut statuses = BTreeSet::new();
    let pairs = number("RESTWRIGHT_PAIRS", PAIRS);
    let found = difference(CountingStore::default, None, seed, pairs, &mut statuses).await;
    assert!(found.is_none(), "{}", found.unwrap_or_default());
    println!("{pairs} pairs without a difference; statuses {statuses:?}");
    let expected = [200, 201, 204, 400, 403, 404, 405, 409, 412, 422];
    assert!(expected.iter().all(|status| statuses.contains(status)), "{statuses:?}");
}

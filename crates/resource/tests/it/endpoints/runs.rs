//! Runs of random requests by several callers on the resources with policies and permissions. Identifiers, versions and request ids derive from the
//! number of the request, so the responses of two runs can be compared byte for byte.

use restwright::http::Method;
use restwright::testing::{TestClient, TestResponse};
use restwright_resource::reproducible;
use serde_json::Value;

use super::counting_store::CountingStore;
use super::drawn_requests::Draw;
use super::secret_rows::api;
use super::sent::{KINDS, Kind, Random, Revealed, Sent};

/// The requests after which a run starts again without rows.
pub(super) const REQUESTS_OF_A_RUN: usize = 400;

/// A store, and the Api that uses it.
pub(super) struct Run {
    client: TestClient,
    store: CountingStore,
}

impl Run {
    pub(super) fn new(store: CountingStore) -> Self {
        Self { client: TestClient::new(api(&store)), store }
    }

    /// Sends a request. `number` is the number of the request, from which everything that the service generates derives.
    pub(super) async fn send(&self, caller: &str, request: &Sent, number: u64) -> TestResponse {
        self.store.take_calls();
        let method = Method::from_bytes(request.method.as_bytes()).unwrap();
        let sent = self.client.request(method, &request.path).header("X-Caller", caller);
        let sent = sent.header("X-Request-Id", format!("request-{number}"));
        let sent = request.headers.iter().fold(sent, |sent, (name, value)| sent.header(name, value));
        let sent = match &request.body {
            Some(body) => sent.body(request.media_type, body.clone()),
            None => sent,
        };
        reproducible(number, async { sent.await }).await
    }

    /// Returns `true` if `ann` sees a note, and `bob` does not.
    pub(super) async fn hides_note(&self, path: &str) -> bool {
        let note = Sent::new(Kind::Note, "GET", path);
        self.send("ann", &note, 0).await.status() == 200 && self.send("bob", &note, 0).await.status() == 404
    }
}

/// What responses have shown.
pub(super) struct Seen {
    /// The identifiers of each kind. A run does not contain the rows that are hidden from it.
    ids: [Vec<String>; KINDS],
    /// The folders of `ann` that both runs contain.
    folders: Vec<String>,
    /// The notes of `ann` that both runs contain.
    notes: Vec<String>,
    /// The notes of `bob`, some of which are deleted.
    own_notes: Vec<String>,
    cursor: String,
    /// The next or previous page of the last list that has one.
    page: String,
    tag: String,
}

impl Seen {
    pub(super) fn new() -> Self {
        Self {
            ids: Default::default(),
            folders: Vec::new(),
            notes: Vec::new(),
            own_notes: Vec::new(),
            cursor: String::new(),
            page: "/pages".to_owned(),
            tag: "\"0\"".to_owned(),
        }
    }

    fn draw<'d>(&'d self, random: &'d mut Random) -> Draw<'d> {
        let Self { ids, folders, notes, own_notes, cursor, page, tag } = self;
        Draw { random, ids, folders, notes, own_notes, cursor, page, tag }
    }

    /// Notes the identifiers, the cursor and the entity tag of a response.
    pub(super) fn note(&mut self, request: &Sent, response: &TestResponse) {
        let json: Value = serde_json::from_str(response.text()).unwrap_or_default();
        let cursors = ["next_cursor", "previous_cursor"].map(|cursor| json["pagination"][cursor].as_str());
        let cursor = cursors.into_iter().flatten().next();
        if let Some(cursor) = cursor {
            self.cursor = cursor.to_owned();
        }
        if let Some(cursor) = cursor.filter(|_| request.method != "QUERY") {
            let list = request.path.split("&cursor=").next().unwrap_or_default();
            self.page = format!("{list}&cursor={cursor}");
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

    /// Notes the response to a request that both runs get.
    pub(super) fn note_shared(&mut self, caller: &str, request: &Sent, response: &TestResponse) {
        self.note(request, response);
        if caller == "ann" && request.kind == Kind::Folder && response.status() == 201 {
            self.folders.extend(self.ids[Kind::Folder as usize].last().cloned());
        }
        if caller == "ann" && request.kind == Kind::Note && response.status() == 201 {
            self.notes.extend(self.ids[Kind::Note as usize].last().cloned());
        }
        if caller == "bob" && request.kind == Kind::Note && response.status() == 201 {
            let json: Value = serde_json::from_str(response.text()).unwrap_or_default();
            let created = json["data"].as_array().cloned().unwrap_or_else(|| vec![json["data"].clone()]);
            let own = created.iter().filter(|one| one["owner"] == "bob").filter_map(|one| one["id"].as_str());
            self.own_notes.extend(own.map(str::to_owned));
        }
    }
}

/// A request to two runs, and who can see its effect.
pub(super) enum Step {
    /// A write with other values in each run, which `bob` cannot see.
    Values(&'static str, [Sent; 2]),
    /// A write to the second run, which `bob` cannot see.
    Hidden(&'static str, Sent),
    /// A request to both runs, whose responses may differ. What is stored is equal.
    Elevated(&'static str, Sent),
    /// A request to both runs.
    Both(&'static str, Sent),
}

/// Draws the steps before and with one request.
pub(super) fn steps(seen: &Seen, random: &mut Random, revealed: Option<Revealed>, number: u64) -> Vec<Step> {
    let mut steps = Vec::new();
    if random.below(8) == 0 {
        let (caller, values) = seen.draw(random).hidden_values(number);
        steps.push(Step::Values(caller, values));
    }
    if random.below(2) == 0 {
        let (caller, hidden) = seen.draw(random).hidden_write(revealed);
        steps.push(Step::Hidden(caller, hidden));
    }
    if random.below(12) == 0 {
        let elevated = if revealed == Some(Revealed::Rights) { "bob peek" } else { "bob all" };
        steps.push(Step::Elevated(elevated, seen.draw(random).keyed_folder()));
    }
    steps.push(match random.below(12) {
        0 => Step::Both("ann", seen.draw(random).public()),
        _ => Step::Both("bob", seen.draw(random).request()),
    });
    steps
}

/// Returns everything that a client receives.
pub(super) fn received(response: &TestResponse) -> (u16, Vec<(String, Vec<u8>)>, String) {
    let headers = response.headers().iter().map(|(name, value)| (name.to_string(), value.as_bytes().to_vec()));
    (response.status().as_u16(), headers.collect(), response.text().to_owned())
}

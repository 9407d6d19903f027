//! Noninterference: what a caller may not see changes nothing in any response to that caller.
//!
//! Two runs get the same random requests by `bob`. Between them, `ann` makes hidden writes in the second run only. Status, headers and body
//! are compared, with identifiers by their number, and without request ids, dates, entity tags and the content of cursors.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use restwright::auth::{Access, Identity};
use restwright::list::CursorKey;
use restwright::prelude::*;
use restwright::testing::{TestClient, TestResponse};
use restwright_resource::idempotency::{Idempotency, MemoryIdempotencyStore};
use restwright_resource::{Endpoints, HookContext, NoBody, RowPolicy, Rows};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

use super::counting_store::{CountingStore, PAIRS};
use super::policies::Callers;

/// A folder, which its owner sees.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/folders", policy = Own, reveals(notes))]
struct Folder {
    #[property(id)]
    id: Uuid,
    #[property(filter(eq, contains), sort)]
    owner: String,
    #[property(filter(eq, gt), sort)]
    size: i64,
}

/// A note, which its owner sees, and everybody if it is public.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/notes", policy = Notes, reveals(code, folder_id), batch, put)]
struct Note {
    #[property(id)]
    id: Uuid,
    #[property(filter(eq, contains), sort)]
    owner: String,
    is_public: bool,
    #[property(filter(eq, gt, is_null), sort)]
    size: Option<i64>,
    #[property(unique)]
    code: Option<String>,
    #[property(references(Folder))]
    folder_id: Option<Uuid>,
}

/// A line of a note.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/notes/{note_id}/lines", pagination = cursor, put)]
struct Line {
    #[property(id)]
    id: Uuid,
    #[property(parent(Note))]
    note_id: Uuid,
    #[property(sort)]
    text: String,
}

struct Own;

impl RowPolicy<Folder> for Own {
    fn visible(&self, caller: &Identity) -> Rows {
        Rows::matching(Folder::FIELDS.owner.eq(caller.subject().unwrap_or_default()))
    }
}

struct Notes;

impl RowPolicy<Note> for Notes {
    fn visible(&self, caller: &Identity) -> Rows {
        Rows::matching(Note::FIELDS.is_public.eq(true)).or(self.writable(caller))
    }

    fn writable(&self, caller: &Identity) -> Rows {
        Rows::matching(Note::FIELDS.owner.eq(caller.subject().unwrap_or_default()))
    }
}

/// SplitMix64.
#[derive(Clone)]
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % u64::try_from(bound).unwrap()).unwrap()
    }

    fn one<'t>(&mut self, of: &[&'t str]) -> &'t str {
        of[self.below(of.len())]
    }
}

/// One of the two runs.
struct Run {
    client: TestClient,
    /// The identifiers by their number, which is the same in both runs.
    ids: [Vec<String>; 3],
    numbers: HashMap<String, usize>,
    cursor: String,
}

const FOLDERS: usize = 0;
const NOTES: usize = 1;
const LINES: usize = 2;

impl Run {
    fn new(store: CountingStore) -> Self {
        let access = || Access::authenticated("caller");
        let keys = Idempotency::new(MemoryIdempotencyStore::new());
        let grow = async |note: &mut Note, _: NoBody, context: &mut HookContext<'_, CountingStore>| {
            let seen = context.store::<Note>().count(&()).await?;
            note.size = i64::try_from(seen).ok();
            Ok(())
        };
        let folders = Endpoints::<Folder, _>::new(store.clone(), access());
        let notes = Endpoints::<Note, _>::new(store.clone(), access()).idempotency(keys).action("grow", access(), grow);
        let lines = Endpoints::<Line, _>::new(store, access());
        let configuration =
            Configuration::new("notes", "1.0.0").with(CursorKey::new([7; 32])).authenticator("caller", Callers);
        let api = Api::builder(configuration).module(&folders).module(&notes).module(&lines).build().unwrap();
        Self { client: TestClient::new(api), ids: Default::default(), numbers: HashMap::new(), cursor: String::new() }
    }

    fn know(&mut self, kind: usize, id: String) {
        self.numbers.insert(id.clone(), kind * 1_000_000 + self.ids[kind].len());
        self.ids[kind].push(id);
    }

    /// Sends a request in which `{kind:number}` stands for an identifier, and notes what it created.
    async fn send(&mut self, caller: &str, request: &Sent) -> TestResponse {
        let path = self.filled(&request.path);
        let sent = match request.method {
            "GET" => self.client.get(&path),
            "POST" => self.client.post(&path),
            "PATCH" => self.client.patch(&path),
            "PUT" => self.client.put(&path),
            _ => self.client.delete(&path),
        };
        let sent = sent.header("X-Caller", caller);
        let sent = request.key.iter().fold(sent, |sent, key| sent.header("Idempotency-Key", key));
        let body = request.body.as_ref().map(|body| self.filled(&body.to_string()));
        let sent = match body {
            Some(body) => sent.json(&serde_json::from_str::<Value>(&body).unwrap()),
            None => sent,
        };
        let response = sent.await;
        let json: Value = serde_json::from_str(response.text()).unwrap_or_default();
        if let Some(cursor) = json["pagination"]["next_cursor"].as_str() {
            self.cursor = cursor.to_owned();
        }
        let is_create = response.status() == 201;
        let created = json["data"].as_array().cloned().unwrap_or_else(|| vec![json["data"].clone()]);
        for id in created.iter().filter(|_| is_create).filter_map(|one| one["id"].as_str()) {
            if !self.numbers.contains_key(id) {
                self.know(request.kind, id.to_owned());
            }
        }
        response
    }

    fn filled(&self, text: &str) -> String {
        let mut filled = text.replace("{cursor}", &self.cursor);
        for (kind, ids) in self.ids.iter().enumerate() {
            let mut rest = filled.clone();
            filled.clear();
            let mark = format!("<{kind}:");
            while let Some((before, after)) = rest.split_once(&mark) {
                let (number, after) = after.split_once('>').unwrap();
                filled.push_str(before);
                let missing = || format!("018f0000-0000-7000-8000-{number:0>12}");
                filled.push_str(
                    &number.parse::<usize>().ok().and_then(|number| ids.get(number)).cloned().unwrap_or_else(missing),
                );
                rest = after.to_owned();
            }
            filled.push_str(&rest);
        }
        filled
    }

    /// Returns what is compared of a response.
    fn shown(&self, response: &TestResponse) -> (u16, BTreeMap<String, String>, String) {
        let left_out = ["date", "etag", "x-request-id", "link"];
        let headers = response.headers().iter().filter(|(name, _)| !left_out.contains(&name.as_str()));
        let headers = headers.map(|(name, value)| (name.to_string(), self.numbered(value.to_str().unwrap())));
        let mut body: Value = serde_json::from_str(response.text()).unwrap_or_default();
        if let Some(body) = body.as_object_mut() {
            body.remove("request_id");
        }
        for cursor in ["next_cursor", "previous_cursor"] {
            if let Some(Value::String(cursor)) = body.pointer_mut(&format!("/pagination/{cursor}")) {
                *cursor = "a cursor".to_owned();
            }
        }
        (response.status().as_u16(), headers.collect(), self.numbered(&body.to_string()))
    }

    fn numbered(&self, text: &str) -> String {
        let is_part = |character: char| !(character.is_ascii_alphanumeric() || character == '-');
        let number = |part: &str| self.numbers.get(part.trim_end_matches(is_part)).map(|number| format!("#{number}"));
        let parts = text.split_inclusive(is_part);
        parts.map(|part| number(part).unwrap_or_else(|| part.to_owned())).collect()
    }
}

/// A request.
struct Sent {
    method: &'static str,
    kind: usize,
    path: String,
    body: Option<Value>,
    key: Option<String>,
}

/// Draws requests. Each identifier is drawn by itself: one that is visible, hidden or missing.
struct Draw<'r>(&'r mut Random, [usize; 3]);

impl Draw<'_> {
    fn id(&mut self, kind: usize) -> String {
        let known = self.1[kind] + 2;
        // The last ones more often, since the earlier ones may be gone.
        let number = if self.0.below(2) == 0 { known - 1 - self.0.below(known.min(12)) } else { self.0.below(known) };
        format!("<{kind}:{number}>")
    }

    fn note(&mut self) -> Value {
        let mut note = json!({"owner": self.0.one(&["bob", "bob", "bob", "ann"]), "is_public": self.0.below(2) == 0});
        if self.0.below(2) == 0 {
            note["folder_id"] = json!(self.id(FOLDERS));
        }
        if self.0.below(3) == 0 {
            note["size"] = json!(self.0.below(5));
        }
        if self.0.below(3) == 0 {
            note["code"] = json!(format!("c{}", self.0.below(40)));
        }
        note
    }

    fn request(&mut self) -> Sent {
        let (note, folder, line) = (self.id(NOTES), self.id(FOLDERS), self.id(LINES));
        let filter = self.0.one(&[
            "",
            "&owner=ann",
            "&owner[contains]=n",
            "&size[gt]=1",
            "&size[is_null]=true",
            "&order_by=-size",
            "&order_by=owner,-size",
            "&order_by=nothing",
            "&owner[gt]=b",
        ]);
        let limit = 1 + self.0.below(4);
        let (kind, method, path, body) = match self.0.below(24) {
            0 => (FOLDERS, "POST", "/folders".to_owned(), Some(json!({"owner": "bob", "size": self.0.below(9)}))),
            1 => (FOLDERS, "GET", format!("/folders?limit={limit}"), None),
            2 => (FOLDERS, "GET", format!("/folders/{folder}"), None),
            3 => (FOLDERS, "PATCH", format!("/folders/{folder}"), Some(json!({"size": self.0.below(9)}))),
            4 => (FOLDERS, "DELETE", format!("/folders/{folder}"), None),
            5..=7 => (NOTES, "POST", "/notes".to_owned(), Some(self.note())),
            8 => {
                let several: Vec<_> = (0..1 + self.0.below(3)).map(|_| self.note()).collect();
                (NOTES, "POST", "/notes/batch".to_owned(), Some(json!({"data": several})))
            }
            9 => (NOTES, "GET", format!("/notes?limit={limit}&page={}{filter}", 1 + self.0.below(3)), None),
            10 => (NOTES, "GET", format!("/notes?limit=100{filter}"), None),
            11 | 12 => (NOTES, "GET", format!("/notes/{note}"), None),
            13 => (NOTES, "PATCH", format!("/notes/{note}"), Some(json!({"is_public": self.0.below(2) == 0}))),
            14 => (NOTES, "PATCH", format!("/notes/{note}"), Some(json!({"folder_id": folder}))),
            15 => (NOTES, "PATCH", format!("/notes/{note}"), Some(json!({"size": "wrong", "id": note}))),
            16 => (NOTES, "PUT", format!("/notes/{note}"), Some(self.note())),
            17 => (NOTES, "DELETE", format!("/notes/{note}"), None),
            18 => (NOTES, "POST", format!("/notes/{note}/grow"), None),
            19 => (LINES, "POST", format!("/notes/{note}/lines"), Some(json!({"text": self.0.one(&["a", "b"])}))),
            20 => (LINES, "GET", format!("/notes/{note}/lines?limit={limit}"), None),
            21 => (LINES, "GET", format!("/notes/{note}/lines?limit={limit}&cursor={{cursor}}"), None),
            22 => (LINES, "GET", format!("/notes/{note}/lines/{line}"), None),
            _ => (LINES, "PUT", format!("/notes/{note}/lines/{line}"), Some(json!({"text": "c"}))),
        };
        let is_keyed = method == "POST" && kind == NOTES && self.0.below(4) == 0;
        let key = is_keyed.then(|| format!("key-{}", self.0.below(30)));
        Sent { method, kind, path, body, key }
    }

    /// Returns a write of `ann` that `bob` cannot see.
    fn hidden(&mut self, takes_codes: bool) -> Sent {
        let mut note = json!({"owner": "ann", "is_public": false, "size": self.0.below(5)});
        note["code"] = match takes_codes {
            true => json!(format!("c{}", self.0.below(40))),
            false => json!(format!("hidden-{}", self.0.below(1_000_000))),
        };
        let (kind, method, path, body) = match self.0.below(5) {
            0 => (FOLDERS, "POST", "/folders".to_owned(), json!({"owner": "ann", "size": self.0.below(9)})),
            1 => (LINES, "POST", format!("/notes/{}/lines", self.id(NOTES)), json!({"text": "hidden"})),
            _ => (NOTES, "POST", "/notes".to_owned(), note),
        };
        Sent { method, kind, path, body: Some(body), key: None }
    }
}

/// Sends so many pairs of requests to stores that `open` makes, notes their statuses, and returns the first difference with its number.
///
/// If the hidden notes `takes_codes`, they have the unique values that `bob` uses, which `reveals(code)` accepts.
pub(crate) async fn difference(
    open: impl Fn() -> CountingStore,
    takes_codes: bool,
    seed: u64,
    pairs: usize,
    statuses: &mut BTreeSet<u16>,
) -> Option<String> {
    let (mut without, mut with) = (Run::new(open()), Run::new(open()));
    let mut random = Random(seed);
    for number in 0..pairs {
        if number % 400 == 0 {
            (without, with) = (Run::new(open()), Run::new(open()));
        }
        let known = [FOLDERS, NOTES, LINES].map(|kind| with.ids[kind].len());
        if random.below(3) == 0 {
            let hidden = Draw(&mut random, known).hidden(takes_codes);
            // A line is hidden only below a note that is.
            let is_hidden = hidden.kind != LINES || with.is_hidden_note(&hidden.path).await;
            if is_hidden {
                with.send("ann", &hidden).await;
            }
            for kind in [FOLDERS, NOTES, LINES] {
                while without.ids[kind].len() < with.ids[kind].len() {
                    without.know(kind, Uuid::now_v7().to_string());
                }
            }
            continue;
        }
        let is_of_ann = random.below(12) == 0;
        let request = if is_of_ann { public() } else { Draw(&mut random, known).request() };
        let caller = if is_of_ann { "ann" } else { "bob" };
        let (left, right) = (without.send(caller, &request).await, with.send(caller, &request).await);
        statuses.insert(left.status().as_u16());
        let (left, right) = (without.shown(&left), with.shown(&right));
        if left != right {
            let Sent { method, path, body, key, .. } = request;
            return Some(format!("seed {seed}, pair {number}: {method} {path} {body:?} {key:?}\n{left:?}\n{right:?}"));
        }
    }
    None
}

/// Returns a write of `ann` that `bob` sees.
fn public() -> Sent {
    let body = Some(json!({"owner": "ann", "is_public": true}));
    Sent { method: "POST", kind: NOTES, path: "/notes".to_owned(), body, key: None }
}

impl Run {
    async fn is_hidden_note(&mut self, path: &str) -> bool {
        let note = path.trim_end_matches("/lines").to_owned();
        let view = Sent { method: "GET", kind: NOTES, path: note, body: None, key: None };
        self.send("ann", &view).await.status() == 200 && self.send("bob", &view).await.status() == 404
    }
}

fn number(variable: &str, usual: usize) -> usize {
    std::env::var(variable).map_or(usual, |number| number.parse().unwrap())
}

#[tokio::test]
async fn what_a_caller_cannot_see_changes_no_response() {
    let seed = number("RESTWRIGHT_SEED", 20_261_124) as u64;
    println!("seed {seed}");
    let mut statuses = BTreeSet::new();
    let found = difference(CountingStore::default, false, seed, number("RESTWRIGHT_PAIRS", PAIRS), &mut statuses).await;
    assert!(found.is_none(), "{}", found.unwrap_or_default());
    assert!([200, 201, 204, 403, 404, 422].iter().all(|status| statuses.contains(status)), "{statuses:?}");
}

//! The files of entities.

mod declarations;
mod ends;
mod operations;

use std::fs;
use std::path::Path;
use std::time::Duration;

use restwright::auth::{Access, Identity};
use restwright::files::FolderStore;
use restwright::list::Value as FieldValue;
use restwright::prelude::*;
use restwright::problem::catalogue;
use restwright::testing::{TestClient, TestResponse};
use restwright_resource::{Endpoints, HookContext, Hooks, RowPolicy, Rows, StoredFile};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::callers::Callers;
use super::counting_store::CountingStore;

/// A case of a tenant, which its owner sees.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/cases", policy = Own, reveals(id), batch, put, json_patch, export)]
struct Case {
    #[property(id)]
    id: i64,
    #[property(scope)]
    tenant: String,
    owner: String,
    #[property(file, max_size = 1_000, accept = "image/*", check_content)]
    photo: Option<StoredFile>,
    #[property(file, read = "read", write = "write")]
    final_report: Option<StoredFile>,
    #[property(deleted_at)]
    deleted_at: Option<jiff::Timestamp>,
}

struct Own;

impl RowPolicy<Case> for Own {
    fn visible(&self, caller: &Identity) -> Rows {
        Rows::matching(Case::FIELDS.owner.eq(caller.subject().unwrap_or_default()))
    }
}

/// A hook that rejects bitmaps.
struct NoBitmaps;

impl Hooks<Case> for NoBitmaps {
    async fn before_update(&self, _: &mut HookContext<'_>, _: &Case, case: &mut Case) -> Result<()> {
        match &case.photo {
            Some(photo) if photo.media_type() == "image/bmp" => Err(Problem::new(catalogue::CONFLICT)),
            _ => Ok(()),
        }
    }
}

/// A note of a case, which a delete of the case does not keep.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/notes", batch)]
struct Note {
    #[property(id)]
    id: uuid::Uuid,
    #[property(file)]
    scan: Option<StoredFile>,
}

/// An Api with files in a new folder.
struct Cases {
    client: TestClient,
    folder: tempfile::TempDir,
}

/// The callers: two of one tenant, and one of another.
const ANN: &str = "a-ann read write";
const BOB: &str = "a-bob read write";
const EVE: &str = "b-eve read write";

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n and the rest";
const GIF: &[u8] = b"GIF89a and the rest";

fn api(folder: &Path) -> Api {
    let (store, files) = (CountingStore::default(), FolderStore::new(folder));
    let tenant = |caller: &Identity| Some(FieldValue::from(caller.subject()?.split('-').next()?.to_owned()));
    let cases = Endpoints::<Case>::new(store.clone(), Access::authenticated("caller"));
    let cases = cases.scope("tenant", tenant).hooks(NoBitmaps).files(files.clone());
    let notes = Endpoints::<Note>::new(store, Access::public()).files(files);
    let configuration = Configuration::new("cases", "1.0.0").authenticator("caller", Callers);
    Api::builder(configuration).module(&cases).module(&notes).build().unwrap()
}

impl Cases {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { client: TestClient::new(api(folder.path())), folder }
    }

    /// Creates a case of the first caller, and returns its path.
    fn create(&self) -> String {
        let body = json!({"owner": "a-ann"});
        let created = self.client.post("/cases").header("X-Caller", ANN).json(&body).send();
        created.assert_status(201).assert_documented();
        created.header("location").unwrap().to_owned()
    }

    fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> TestResponse {
        let method = method.parse().unwrap();
        let request = self.client.request(method, path);
        let request = headers.iter().fold(request, |request, (name, value)| request.header(name, value));
        let request = if body.is_empty() { request } else { request.body("image/png", body.to_vec()) };
        let response = request.send();
        response.assert_documented();
        response
    }

    fn ann(&self, method: &str, path: &str, body: &[u8]) -> TestResponse {
        self.send(method, path, &[("X-Caller", ANN)], body)
    }

    /// Returns the names of all stored files.
    fn files(&self) -> Vec<String> {
        let mut found = Vec::new();
        for folder in ["cases/photo", "cases/final_report", "notes/scan"] {
            let listed = fs::read_dir(self.folder.path().join(folder)).into_iter().flatten();
            found.extend(listed.map(|file| format!("{folder}/{}", file.unwrap().file_name().display())));
        }
        found
    }

    /// Waits until the number of stored files is `count`. Files are deleted after the response.
    fn wait_for_files(&self, count: usize) {
        for _ in 0..200 {
            if self.files().len() == count {
                return;
            }
            self.client.block_on(async { tokio::time::sleep(Duration::from_millis(10)).await });
        }
        panic!("{:?}, expected {count}", self.files());
    }
}

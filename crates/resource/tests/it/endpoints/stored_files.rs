//! The files of entities.

use std::fs::{self, File};
use std::io::Read;
use std::net::Shutdown;
use std::path::Path;
use std::time::{Duration, SystemTime};

use restwright::auth::{Access, Identity};
use restwright::files::FolderStore;
use restwright::list::Value as FieldValue;
use restwright::prelude::*;
use restwright::testing::{TestClient, TestResponse};
use restwright_resource::{Endpoints, RowPolicy, Rows, StoredFile};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::callers::Callers;
use super::counting_store::CountingStore;
use super::socket::{begin, with_server};

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
    let cases = Endpoints::<Case, _>::new(store.clone(), Access::authenticated("caller"));
    let cases = cases.scope("tenant", tenant).files(files.clone());
    let notes = Endpoints::<Note, _>::new(store, Access::public()).files(files);
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

#[test]
fn a_file_is_uploaded_loaded_replaced_and_deleted() {
    let cases = Cases::new();
    let path = cases.create();
    let photo = format!("{path}/photo");
    cases.ann("GET", &photo, b"").assert_problem("not_found");
    cases.ann("DELETE", &photo, b"").assert_problem("not_found");
    let first = cases.ann("PUT", &photo, PNG);
    let data = first.assert_status(201).json::<Value>();
    let sha256 = "8fd214381bde91b2640ee9a6c4b0c144443f643d713b5eb6e219d563ca4c8e9f";
    assert_eq!(data["data"], json!({"media_type": "image/png", "size": PNG.len(), "sha256": sha256}));
    // The entity contains the same object, without the key.
    let entity = cases.ann("GET", &path, b"").json::<Value>();
    assert_eq!(entity["data"]["photo"], data["data"]);
    let exported = cases.send("GET", "/cases", &[("X-Caller", ANN), ("Accept", "text/csv")], b"");
    assert!(exported.text().contains("image/png") && !exported.text().contains("cases/photo"), "{}", exported.text());

    let found = cases.ann("GET", &photo, b"");
    assert_eq!(found.assert_status(200).bytes(), PNG);
    for (name, value) in [
        ("content-type", "image/png"),
        ("content-disposition", "attachment; filename=\"photo\""),
        ("x-content-type-options", "nosniff"),
        ("content-security-policy", "default-src 'none'; sandbox"),
        ("etag", first.header("etag").unwrap()),
    ] {
        found.assert_header(name, value);
    }
    assert!(cases.ann("HEAD", &photo, b"").assert_status(200).bytes().is_empty());
    let part = cases.send("GET", &photo, &[("X-Caller", ANN), ("Range", "bytes=1-3")], b"");
    assert_eq!(part.assert_status(206).bytes(), "PNG");
    let tag = first.header("etag").unwrap();
    cases.send("GET", &photo, &[("X-Caller", ANN), ("If-None-Match", tag)], b"").assert_status(304);

    let second = cases.ann("PUT", &photo, GIF);
    assert_eq!(second.assert_status(200).json::<Value>()["data"]["media_type"], "image/gif", "of the content");
    cases.wait_for_files(1);
    assert_eq!(cases.ann("GET", &photo, b"").bytes(), GIF);
    for (headers, status) in [
        (("If-Match", tag), 412),
        (("If-None-Match", "*"), 412),
        (("If-Match", second.header("etag").unwrap()), 200),
        (("If-Match", tag), 412),
    ] {
        cases.send("PUT", &photo, &[("X-Caller", ANN), headers], PNG).assert_status(status);
        cases.wait_for_files(1);
    }
    cases.send("DELETE", &photo, &[("X-Caller", ANN), ("If-Match", tag)], b"").assert_status(412);
    cases.ann("DELETE", &photo, b"").assert_status(204);
    cases.ann("GET", &photo, b"").assert_problem("not_found");
    assert_eq!(cases.ann("GET", &path, b"").json::<Value>()["data"]["photo"], Value::Null);
    cases.wait_for_files(0);
}

#[test]
fn uploads_that_are_not_accepted_leave_nothing() {
    let cases = Cases::new();
    let photo = format!("{}/photo", cases.create());
    let large = [PNG, &[b'x'; 1_000]].concat();
    let long = format!("image/{}", "x".repeat(200));
    for (path, media_type, body, code) in [
        (photo.as_str(), "text/html", PNG, "unsupported_media_type"),
        (&photo, "image/", PNG, "unsupported_media_type"),
        (&photo, "image/png\u{e4}", PNG, "unsupported_media_type"),
        (&photo, &long, PNG, "unsupported_media_type"),
        (&photo, "image/png", b"<script>alert(1)</script>", "unsupported_media_type"),
        (&photo, "image/png", b"", "unsupported_media_type"),
        (&photo, "image/png", &large, "body_too_large"),
        ("/cases/99/photo", "image/png", PNG, "not_found"),
        ("/cases/x/photo", "image/png", PNG, "invalid_request"),
    ] {
        let request = cases.client.put(path).header("X-Caller", ANN).body(media_type, body.to_vec());
        request.send().assert_problem(code).assert_documented();
        cases.wait_for_files(0);
    }
    // The length of this body is not announced.
    let pieces = futures_util::stream::iter([PNG.to_vec(), large].map(|piece| Ok(piece.into())));
    let body = restwright::http::BodyStream::new(pieces);
    let request = cases.client.put(&photo).header("X-Caller", ANN).header("Content-Type", "image/png");
    request.stream(body).send().assert_problem("body_too_large");
    cases.wait_for_files(0);
}

#[test]
fn callers_without_the_row_or_the_field_have_no_file() {
    let cases = Cases::new();
    let path = cases.create();
    let (photo, report) = (format!("{path}/photo"), format!("{path}/final-report"));
    cases.ann("PUT", &photo, PNG).assert_status(201);
    cases.ann("PUT", &report, PNG).assert_status(201).assert_header("cache-control", "private");
    cases.ann("GET", &report, b"").assert_status(200).assert_header("cache-control", "private");
    for (caller, path, expected) in [
        (BOB, &photo, [404, 404, 404]),
        (EVE, &photo, [404, 404, 404]),
        ("a-ann", &report, [404, 404, 404]),
        ("a-ann write", &report, [404, 404, 404]),
        ("a-ann read", &report, [200, 403, 403]),
        ("", &photo, [401, 401, 401]),
    ] {
        let headers: &[_] = if caller.is_empty() { &[] } else { &[("X-Caller", caller)] };
        let statuses = ["GET", "PUT", "DELETE"].map(|method| {
            let body = if method == "PUT" { PNG } else { b"" };
            cases.send(method, path, headers, body).status().as_u16()
        });
        assert_eq!(statuses, expected, "{caller} {path}");
        cases.wait_for_files(2);
    }
    // A missing file, a hidden entity and a hidden field have the same response.
    let hidden = cases.send("GET", &report, &[("X-Caller", "a-ann")], b"");
    let missing = cases.send("GET", &report.replace("/1/", "/2/"), &[("X-Caller", "a-ann")], b"");
    let body = |response: &TestResponse| {
        let mut body = response.json::<Value>();
        body["request_id"].take();
        body
    };
    assert_eq!(body(&hidden), body(&missing));
}

#[test]
fn the_field_cannot_be_set_in_other_ways() {
    let cases = Cases::new();
    let path = cases.create();
    cases.ann("PUT", &format!("{path}/photo"), PNG).assert_status(201);
    let shown = cases.ann("GET", &path, b"").json::<Value>()["data"]["photo"].clone();
    let other = json!({"media_type": "text/html", "size": 1, "sha256": "0".repeat(64)});
    let stored = json!("cases/photo/1.0 1 0 text/html");
    for (method, path, photo, status) in [
        ("PATCH", path.as_str(), &shown, 200),
        ("PATCH", &path, &other, 422),
        ("PATCH", &path, &stored, 422),
        ("PATCH", &path, &Value::Null, 422),
        ("PUT", &path, &shown, 200),
        ("PUT", &path, &other, 422),
        ("POST", "/cases", &other, 422),
        ("POST", "/cases", &stored, 422),
    ] {
        let request = cases.client.request(method.parse().unwrap(), path).header("X-Caller", ANN);
        let response = request.json(&json!({"owner": "a-ann", "photo": photo})).send();
        response.assert_status(status).assert_documented();
    }
    for (operation, status) in [
        (json!({"op": "test", "path": "/photo", "value": shown}), 200),
        (json!({"op": "remove", "path": "/photo"}), 422),
        (json!({"op": "replace", "path": "/photo/media_type", "value": "text/html"}), 422),
        (json!({"op": "copy", "from": "/photo", "path": "/final_report"}), 422),
    ] {
        let patch = cases.client.patch(&path).header("X-Caller", ANN);
        let patch = patch.body("application/json-patch+json", json!([operation]).to_string());
        patch.send().assert_status(status).assert_documented();
    }
    assert_eq!(cases.ann("GET", &format!("{path}/photo"), b"").bytes(), PNG);
}

#[test]
fn files_are_deleted_with_their_entity() {
    let cases = Cases::new();
    let note = || {
        let created = cases.client.post("/notes").json(&json!({})).send();
        let path = created.header("location").unwrap().to_owned();
        cases.send("PUT", &format!("{path}/scan"), &[], PNG).assert_status(201);
        path
    };
    let notes = [note(), note(), note()];
    cases.wait_for_files(3);
    cases.send("DELETE", &notes[0], &[], b"").assert_status(204);
    cases.wait_for_files(2);
    let ids: Vec<_> = notes[1..].iter().map(|path| json!({"id": path.rsplit('/').next()})).collect();
    let deleted = cases.client.post("/notes/batch/delete").json(&json!({"data": ids})).send();
    deleted.assert_status(204);
    cases.wait_for_files(0);
}

#[test]
fn files_without_an_entity_are_deleted_after_a_day() {
    let cases = Cases::new();
    let path = cases.create();
    cases.ann("PUT", &format!("{path}/photo"), PNG).assert_status(201);
    let kept = cases.files();
    let random = "0123456789abcdef0123456789abcdef";
    let (old, now) = (SystemTime::now() - Duration::from_hours(25), SystemTime::now());
    let folder = cases.folder.path().join("cases/photo");
    for (name, modified) in [
        (format!("1.{random}"), old),
        (format!("77.{random}"), old),
        (format!("78.{random}"), now),
        ("README.txt".to_owned(), old),
        (format!("x.{random}"), old),
        ("79.0123".to_owned(), old),
    ] {
        let file = File::create(folder.join(name)).unwrap();
        file.set_modified(modified).unwrap();
    }
    File::options().write(true).open(cases.folder.path().join(&kept[0])).unwrap().set_modified(old).unwrap();
    // Deleted entities stay in the store with their files.
    let deleted = cases.create();
    cases.ann("PUT", &format!("{deleted}/photo"), PNG).assert_status(201);
    cases.ann("DELETE", &deleted, b"").assert_status(204);
    assert_eq!(cases.files().len(), 8);
    cases.files().iter().filter(|name| name.contains("photo/2.")).for_each(|name| {
        File::options().write(true).open(cases.folder.path().join(name)).unwrap().set_modified(old).unwrap();
    });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        cases.client.api().start().await.unwrap();
        for (minutes, count) in [(9, 8), (2, 6)] {
            tokio::task::yield_now().await;
            tokio::time::pause();
            tokio::time::advance(Duration::from_mins(minutes)).await;
            tokio::time::resume();
            for _ in 0..100 {
                if cases.files().len() == count && minutes == 2 {
                    break;
                }
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
            assert_eq!(cases.files().len(), count, "{minutes} minutes later");
        }
        // The connections of the store belong to the runtime of the client, so nothing stops here.
    });
    let left = cases.files();
    assert!(left.contains(&kept[0]) && left.iter().any(|name| name.contains("photo/2.")), "{left:?}");
    assert!(!left.iter().any(|name| name.ends_with(&format!("/1.{random}")) || name.contains("/77.")), "{left:?}");
}

#[test]
fn interrupted_uploads_leave_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let count = || fs::read_dir(folder.path().join("notes/scan")).into_iter().flatten().count();
    with_server(api(folder.path()), |address| {
        let mut created = String::new();
        begin(address, "POST /notes", &[], 2, "{}").read_to_string(&mut created).unwrap();
        let path = created.lines().find_map(|line| line.strip_prefix("location: ")).unwrap();
        let upload =
            |body: &str| begin(address, &format!("PUT {path}/scan"), &["Content-Type: text/plain"], 600_000, body);
        // A client that leaves, one that stops sending, and one that closes its side.
        let wait = |expected: usize| {
            let is_reached = (0..300).any(|_| {
                std::thread::sleep(Duration::from_millis(10));
                count() == expected
            });
            assert!(is_reached, "{} files, expected {expected}", count());
        };
        let left = upload(&"x".repeat(300_000));
        wait(1);
        drop(left);
        wait(0);
        let mut slow = String::new();
        upload(&"x".repeat(300_000)).read_to_string(&mut slow).unwrap();
        assert!(slow.starts_with("HTTP/1.1 408 "), "{slow}");
        wait(0);
        let mut half = upload("x");
        half.shutdown(Shutdown::Write).unwrap();
        let mut response = String::new();
        half.read_to_string(&mut response).unwrap();
        assert!(response.starts_with("HTTP/1.1 400 "), "{response}");
        wait(0);
    });
}

#[test]
fn concurrent_uploads_leave_the_file_of_the_last_one() {
    let folder = tempfile::tempdir().unwrap();
    let scans = || fs::read_dir(folder.path().join("notes/scan")).unwrap().map(|file| file.unwrap().path());
    with_server(api(folder.path()), |address| {
        let mut created = String::new();
        begin(address, "POST /notes", &[], 2, "{}").read_to_string(&mut created).unwrap();
        let path = created.lines().find_map(|line| line.strip_prefix("location: ")).unwrap();
        let upload = |text: &str| {
            let mut response = String::new();
            let mut stream =
                begin(address, &format!("PUT {path}/scan"), &["Content-Type: text/plain"], text.len(), text);
            stream.read_to_string(&mut response).unwrap();
            let status = response.split(' ').nth(1).unwrap_or_default().to_owned();
            assert!(["200", "201"].contains(&status.as_str()), "{response}");
            status
        };
        let statuses: Vec<_> = std::thread::scope(|scope| {
            let uploads = (0..40).map(|number| {
                scope.spawn({
                    let upload = &upload;
                    move || upload(&format!("upload {number}"))
                })
            });
            uploads.collect::<Vec<_>>().into_iter().map(|upload| upload.join().unwrap()).collect()
        });
        assert_eq!(statuses.iter().filter(|status| *status == "201").count(), 1, "only the first one creates the file");
        let is_one = (0..200).any(|_| {
            std::thread::sleep(Duration::from_millis(10));
            scans().count() == 1
        });
        assert!(is_one, "{:?}", scans().collect::<Vec<_>>());
        let mut found = String::new();
        begin(address, &format!("GET {path}/scan"), &[], 0, "").read_to_string(&mut found).unwrap();
        let content = fs::read_to_string(scans().next().unwrap()).unwrap();
        assert!(found.starts_with("HTTP/1.1 200 ") && found.ends_with(&content), "{found}");
    });
}

/// A resource whose identifiers are texts.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/countries")]
struct Country {
    #[property(id(given))]
    code: String,
    #[property(file)]
    flag: Option<StoredFile>,
}

/// A resource whose media types are wrong.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
struct Wrong {
    #[property(id)]
    id: i64,
    #[property(file, accept = "images")]
    scan: Option<StoredFile>,
}

#[test]
fn declarations_that_cannot_work_do_not_build() {
    fn error(module: &impl restwright::Module) -> String {
        Api::builder(Configuration::new("files", "1.0.0")).module(module).build().unwrap_err().to_string()
    }
    let notes = || Endpoints::<Note, _>::new(CountingStore::default(), Access::public());
    let countries = Endpoints::<Country, _>::new(CountingStore::default(), Access::public());
    let wrong = Endpoints::<Wrong, _>::new(CountingStore::default(), Access::public());
    let store = FolderStore::new("unused");
    for (error, expected) in [
        (error(&notes()), "the field `scan` of `notes` is a file, but the endpoints have no store for files"),
        (error(&countries.files(store.clone())), "requires an identifier that is an integer or a UUID"),
        (
            error(&notes().file(restwright::schema::file("id")).files(store.clone())),
            "`id` of `notes` must be a field of the type `Option<StoredFile>`",
        ),
        (error(&wrong.files(store)), "`images` is not a media type; write media types such as \"image/*\""),
    ] {
        assert!(error.contains(expected), "{error}");
    }
}

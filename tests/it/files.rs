//! The example with documents and files.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

use restwright::testing::TestClient;
use serde_json::{Value, json};

/// A temporary folder, which is deleted when the value is dropped.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let name = format!("restwright-documents-{}-{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn form(title: &str, file_name: &str, media_type: &str, content: &str) -> String {
    format!(
        "--XX\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\n{title}\r\n\
         --XX\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{file_name}\"\r\nContent-Type: {media_type}\r\n\r\n\
         {content}\r\n--XX--\r\n"
    )
}

#[test]
fn documents_are_sent_downloaded_and_deleted() {
    let folder = Folder::new();
    let client = TestClient::new(files::api(folder.0.clone()).unwrap());
    let create = |form: String| client.post("/documents").body("multipart/form-data; boundary=XX", form).send();
    let created = create(form("Plan", "../pl\u{e4}n.txt", "text/plain", "0123456789"));
    created.assert_status(201).assert_documented().assert_header("Location", "/documents/1/file");
    let document =
        json!({ "id": 1, "title": "Plan", "file_name": "pl\u{e4}n.txt", "media_type": "text/plain", "size": 10 });
    assert_eq!(client.get("/documents").send().assert_documented().json::<Value>(), json!({ "data": [document] }));

    let part = client.get("/documents/1/file").header("Range", "bytes=2-4").send();
    part.assert_status(206).assert_documented().assert_header("Content-Type", "text/plain");
    part.assert_header("Content-Disposition", "attachment; filename=\"pl_n.txt\"; filename*=UTF-8''pl%C3%A4n.txt");
    assert_eq!(part.text(), "234");

    for (form, pointer) in
        [(form("", "a.txt", "text/plain", ""), "/title"), (form("Page", "a.html", "text/html", "<script>"), "/file")]
    {
        let problem = create(form).assert_problem("invalid_request").json::<Value>();
        assert_eq!(problem["errors"][0]["pointer"], pointer);
    }
    client.delete("/documents/1").send().assert_status(204);
    client.get("/documents/1/file").send().assert_problem("not_found");
    assert_eq!(std::fs::read_dir(&folder.0).unwrap().count(), 0);
}

#[test]
fn the_page_is_served_next_to_the_endpoints() {
    let folder = Folder::new();
    let client = TestClient::new(files::api(folder.0.clone()).unwrap());
    for (path, media_type) in [
        ("/", "text/html; charset=utf-8"),
        ("/page.js", "text/javascript; charset=utf-8"),
        ("/documents", "application/json"),
        ("/docs", "text/html; charset=utf-8"),
    ] {
        client.get(path).send().assert_status(200).assert_header("Content-Type", media_type);
    }
    client.get("/missing.js").send().assert_problem("not_found");
}

#[test]
fn remarks_reach_all_clients() {
    let folder = Folder::new();
    let client = TestClient::new(files::api(folder.0.clone()).unwrap());
    client.block_on(async {
        let mut ann = client.get("/discussion").websocket().await.unwrap();
        let mut bo = client.get("/discussion").websocket().await.unwrap();
        // A client hears what is said after its handler has begun.
        for (number, text) in [(1, "first"), (2, "second")] {
            ann.send(&json!({ "text": text })).await;
            for socket in [&mut ann, &mut bo] {
                assert_eq!(socket.receive::<Value>().await, Some(json!({ "number": number, "text": text })));
            }
        }
        ann.send(&json!({ "text": "" })).await;
        assert_eq!(ann.closed().await, (1007, "/text: must have at least 1 character".to_owned()));
    });
}

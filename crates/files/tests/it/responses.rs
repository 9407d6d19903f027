//! Headers and failures of files.

use restwright::files::FileResponse;
use restwright::http::HeaderValue;
use restwright::prelude::*;
use restwright::testing::TestClient;

use crate::folder::Folder;

fn client<F, Fut>(file: F) -> TestClient
where
    F: Fn() -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<FileResponse>> + 'static,
{
    let file = Route::get("/file").id("file").public().handler(async move |()| file().await);
    TestClient::new(Api::builder(Configuration::new("files", "1.0.0")).controller(file).build().unwrap())
}

#[test]
fn a_file_has_its_type_and_name() {
    let folder = Folder::new();
    let path = folder.write("photo.PNG", "png");
    let client = client(move || {
        let path = path.clone();
        async move { Ok(FileResponse::open(path).await?.attachment("Caf\u{e9}.png")) }
    });
    let response = client.get("/file").send();
    response.assert_status(200).assert_documented();
    for (name, value) in [
        ("Content-Type", "image/png"),
        ("Content-Disposition", "attachment; filename=\"Caf_.png\"; filename*=UTF-8''Caf%C3%A9.png"),
        ("X-Content-Type-Options", "nosniff"),
        ("Last-Modified", "Tue, 14 Nov 2023 22:13:20 GMT"),
    ] {
        response.assert_header(name, value);
    }
}

#[test]
fn bytes_have_no_type_unless_it_is_set() {
    let plain = client(async || Ok(FileResponse::from_bytes("abc")));
    plain.get("/file").send().assert_header("Content-Type", "application/octet-stream");
    let html = client(async || {
        let file = FileResponse::from_bytes("<p>").content_type(HeaderValue::from_static("text/html"));
        Ok(file.inline("page.html"))
    });
    let response = html.get("/file").send();
    response.assert_header("Content-Type", "text/html");
    response.assert_header("Content-Disposition", "inline; filename=\"page.html\"");
}

#[test]
fn missing_files_and_folders_are_not_found() {
    let folder = Folder::new();
    folder.write("inside/a.txt", "");
    let path = folder.path().to_owned();
    for name in ["missing", "inside", "inside/a.txt/b", "a\0b"] {
        let path = path.join(name);
        let client = client(move || FileResponse::open(path.clone()));
        client.get("/file").send().assert_problem("not_found").assert_documented();
    }
}

#[test]
fn a_pipe_is_not_a_file() {
    let folder = Folder::new();
    let path = folder.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
    client(move || FileResponse::open(path.clone())).get("/file").send().assert_problem("not_found");
}

#[test]
fn an_empty_file_has_no_ranges() {
    let folder = Folder::new();
    let path = folder.write("empty", "");
    let client = client(move || FileResponse::open(path.clone()));
    assert_eq!(client.get("/file").send().assert_status(200).text(), "");
    client.get("/file").header("Range", "bytes=0-").send().assert_problem("range_not_satisfiable");
    client.get("/file").header("Range", "bytes=-1").send().assert_status(200);
}

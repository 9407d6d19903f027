//! Folders of static files.

use std::fs;
use std::os::unix::fs::symlink;

use restwright::auth::{Authentication, Authenticator, Identity};
use restwright::files::StaticFiles;
use restwright::http::HttpRequest;
use restwright::operation::SecurityScheme;
use restwright::prelude::*;
use restwright::testing::TestClient;

use crate::folder::Folder;
use crate::hosts::on_both_hosts;
use crate::raw::{get, raw};

fn site() -> Folder {
    let folder = Folder::new();
    for (name, content) in [
        ("dist/index.html", "<p>index"),
        ("dist/css/main.css", "main{}"),
        ("dist/assets/app-3f2a9c1b.js", "run()"),
        ("dist/assets/app-3f2a9c1b.js.gz", "gzipped"),
        ("dist/assets/app-3f2a9c1b.js.br", "brotli"),
        ("dist/a b/\u{e4}.txt", "umlaut"),
        ("dist/.env", "SECRET"),
        ("dist/.git/config", "SECRET"),
        ("dist/mounted/..2026_11_29/page.json", "mounted"),
        ("dist/mounted/..2026_11_29/.env", "SECRET"),
        ("secret.txt", "SECRET"),
        ("dist-2/other.txt", "SECRET"),
    ] {
        folder.write(name, content);
    }
    let inside = |name: &str| folder.path().join(name);
    symlink(inside("secret.txt"), inside("dist/leak.txt")).unwrap();
    symlink(inside("dist-2"), inside("dist/leak")).unwrap();
    symlink(inside("dist/css/main.css"), inside("dist/linked.css")).unwrap();
    symlink(inside("dist/.env"), inside("dist/env.txt")).unwrap();
    symlink(".git", inside("dist/git")).unwrap();
    symlink("loop.txt", inside("dist/loop.txt")).unwrap();
    symlink("loop", inside("dist/loop")).unwrap();
    // The files of a ConfigMap of Kubernetes.
    symlink("..2026_11_29", inside("dist/mounted/..data")).unwrap();
    symlink("..data/page.json", inside("dist/mounted/page.json")).unwrap();
    symlink("..data/.env", inside("dist/mounted/env.txt")).unwrap();
    folder
}

fn api(folder: &Folder) -> Api {
    let page = StaticFiles::new(folder.path().join("dist")).spa("index.html").immutable_below("assets");
    let plain = StaticFiles::new(folder.path().join("dist"));
    let own = Route::get("/app/own").id("own").public().handler(async |()| Ok(Data("own")));
    let builder = Api::builder(Configuration::new("site", "1.0.0")).controller(own);
    let builder = builder.group(Group::new("/app").public().module(page));
    builder.group(Group::new("/plain").public().module(plain)).build().unwrap()
}

#[test]
fn files_have_their_types_and_cache_headers() {
    let folder = site();
    let client = TestClient::new(api(&folder));
    for (path, body, media_type, cache) in [
        ("/app/", "<p>index", "text/html; charset=utf-8", "no-cache"),
        ("/app/index.html", "<p>index", "text/html; charset=utf-8", "no-cache"),
        ("/app/css/main.css", "main{}", "text/css; charset=utf-8", "no-cache"),
        ("/app/linked.css", "main{}", "text/css; charset=utf-8", "no-cache"),
        ("/app/mounted/page.json", "mounted", "application/json", "no-cache"),
        (
            "/app/assets/app-3f2a9c1b.js",
            "run()",
            "text/javascript; charset=utf-8",
            "public, max-age=31536000, immutable",
        ),
        ("/app/a%20b/%C3%A4.txt", "umlaut", "text/plain; charset=utf-8", "no-cache"),
        ("/plain/css/main.css", "main{}", "text/css; charset=utf-8", "no-cache"),
    ] {
        let response = client.get(path).send();
        response.assert_status(200).assert_header("Content-Type", media_type).assert_header("Cache-Control", cache);
        response.assert_header("X-Content-Type-Options", "nosniff");
        assert_eq!(response.text(), body, "{path}");
        let length = body.len().to_string();
        let head = client.head(path).send();
        assert_eq!(head.assert_status(200).assert_header("Content-Length", &length).text(), "", "{path}");
    }
    // A route of the Api has precedence.
    assert_eq!(client.get("/app/own").send().text(), r#"{"data":"own"}"#);
    client.post("/app/css/main.css").body("text/css", "x").send().assert_problem("method_not_allowed");
}

/// Accepts every caller.
struct Everyone;

impl Authenticator for Everyone {
    fn describe(&self) -> SecurityScheme {
        SecurityScheme::bearer("JWT")
    }

    async fn authenticate(&self, _: &mut HttpRequest) -> Authentication {
        Authentication::Identity(Identity::builder("ann").scopes(["read"]).build())
    }
}

#[test]
fn no_shared_cache_keeps_files_of_a_group_with_access() {
    let folder = site();
    let files = StaticFiles::new(folder.path().join("dist")).immutable_below("assets");
    let configuration = Configuration::new("site", "1.0.0").authenticator("everyone", Everyone);
    let group = Group::new("/app").authorize("everyone", ["read"]).module(files);
    let client = TestClient::new(Api::builder(configuration).group(group).build().unwrap());
    for (path, value) in [
        ("/app/css/main.css", "private, no-cache"),
        ("/app/assets/app-3f2a9c1b.js", "private, max-age=31536000, immutable"),
    ] {
        client.get(path).send().assert_status(200).assert_header("Cache-Control", value);
    }
}

#[test]
fn stored_codings_are_chosen_by_weight() {
    let folder = site();
    let client = TestClient::new(api(&folder));
    let path = "/app/assets/app-3f2a9c1b.js";
    for (accepted, body, coding) in [
        ("gzip, deflate, br, zstd", "brotli", Some("br")),
        ("gzip", "gzipped", Some("gzip")),
        ("gzip;q=0.9, br;q=0.1", "gzipped", Some("gzip")),
        ("br;q=0, *", "gzipped", Some("gzip")),
        ("identity", "run()", None),
        ("", "run()", None),
    ] {
        let response = client.get(path).header("Accept-Encoding", accepted).send();
        response.assert_status(200).assert_header("Vary", "Accept-Encoding");
        response.assert_header("Content-Type", "text/javascript; charset=utf-8");
        assert_eq!((response.text(), response.header("Content-Encoding")), (body, coding), "{accepted}");
        let tag = response.header("ETag").unwrap().to_owned();
        let again = client.get(path).header("Accept-Encoding", accepted).header("If-None-Match", &tag).send();
        again.assert_status(304);
    }
}

#[test]
fn a_page_has_its_own_routes() {
    let folder = site();
    let client = TestClient::new(api(&folder));
    let html = "text/html,application/xhtml+xml,*/*;q=0.8";
    for (path, accepted, status) in [
        ("/app/orders/7", html, 200),
        ("/app/orders", html, 200),
        ("/app/orders", "application/json", 404),
        ("/app/missing.js", html, 404),
        ("/plain/orders", html, 404),
    ] {
        let response = client.get(path).header("Accept", accepted).send();
        assert_eq!(response.status().as_u16(), status, "{path} {accepted}");
        if status == 200 {
            assert_eq!(response.assert_header("Cache-Control", "no-cache").text(), "<p>index");
        }
    }
}

#[test]
fn no_path_leaves_the_folder() {
    let folder = site();
    let api = api(&folder);
    assert_eq!(fs::read_to_string(folder.path().join("dist/leak.txt")).unwrap(), "SECRET");
    on_both_hosts(
        || api.clone(),
        |address| {
            for path in [
                "/leak.txt",
                "/leak/other.txt",
                "/.env",
                "/.git/config",
                "/env.txt",
                "/git/config",
                "/loop.txt",
                "/loop/main.css",
                "/mounted/env.txt",
                "/mounted/..data/page.json",
                "/../secret.txt",
                "/css/../../secret.txt",
                "/%2e%2e/secret.txt",
                "/%2e%2e%2fsecret.txt",
                "/..%5csecret.txt",
                "/css%2fmain.css",
                "/css%5cmain.css",
                "/index.html%00.css",
                "/%00",
                "/css",
                "/css/",
                "//css/main.css",
                "/css//main.css",
                "/css/./main.css",
                "/index.html/",
                "/C:/Windows",
            ] {
                for prefix in ["/app", "/plain"] {
                    let response = raw(address, &get(&format!("{prefix}{path}"), "Accept: application/json\r\n"));
                    let is_rejected = response.starts_with("HTTP/1.1 404") || response.starts_with("HTTP/1.1 400");
                    assert!(is_rejected, "{prefix}{path} {response}");
                    assert!(!response.contains("SECRET"), "{prefix}{path} {response}");
                }
            }
            let response = raw(address, &get("/app/css/main.css", "Range: bytes=0-3\r\n"));
            assert!(response.starts_with("HTTP/1.1 206") && response.ends_with("main"), "{response}");
        },
    );
}

#[test]
fn a_missing_folder_stops_the_start() {
    let folder = Folder::new();
    let module = StaticFiles::new(folder.path().join("missing"));
    let api = Api::builder(Configuration::new("site", "1.0.0")).group(Group::new("").public().module(module));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let error = runtime.block_on(api.build().unwrap().start()).unwrap_err().to_string();
    assert!(error.contains("missing` does not exist; build the page"), "{error}");
    runtime.block_on(self::api(&site()).start()).unwrap();
}

#[test]
fn a_folder_needs_an_access() {
    let errors =
        Api::builder(Configuration::new("site", "1.0.0")).module(&StaticFiles::new("dist")).build().unwrap_err();
    assert!(errors.to_string().contains("access"), "{errors}");
}

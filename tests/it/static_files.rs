//! Static files with the middleware that compresses responses.

use restwright::files::StaticFiles;
use restwright::prelude::*;
use restwright::production::Compression;
use restwright::testing::TestClient;

#[test]
fn compression_keeps_stored_codings() {
    let folder = tempfile::tempdir().unwrap();
    let script = "run();\n".repeat(1000);
    for (name, content) in [("app.js", script.as_str()), ("app.js.gz", "gzipped"), ("app.js.br", "brotli")] {
        std::fs::write(folder.path().join(name), content).unwrap();
    }
    let page = Group::new("/app").public().module(StaticFiles::new(folder.path()));
    let builder = Api::builder(Configuration::new("site", "1.0.0")).middleware(Compression::new());
    let client = TestClient::new(builder.group(page).build().unwrap());
    for (accepted, body, coding) in [
        ("gzip, deflate, br, zstd", "brotli", Some("br")),
        ("gzip", "gzipped", Some("gzip")),
        ("br;q=0, *", "gzipped", Some("gzip")),
        ("identity", script.as_str(), None),
    ] {
        let response = client.get("/app/app.js").header("Accept-Encoding", accepted).send();
        response.assert_status(200).assert_header("Vary", "Accept-Encoding");
        assert_eq!((response.text(), response.header("Content-Encoding")), (body, coding), "{accepted}");
    }
}

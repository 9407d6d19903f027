use super::{Wire, api, get, head, server, text};
use crate::server::Server;
use restwright::production::{Compression, CompressionLevel, ContentCoding};

#[test]
fn the_coding_is_that_which_the_client_prefers() {
    let server = server();
    for (accept, expected) in [
        ("", ""),
        ("Accept-Encoding:", ""),
        ("Accept-Encoding: gzip", "gzip"),
        ("Accept-Encoding: br", "br"),
        ("Accept-Encoding: zstd", "zstd"),
        ("Accept-Encoding: gzip, deflate, br, zstd", "zstd"),
        ("Accept-Encoding: gzip;q=1.0, br;q=0.5, *;q=0", "gzip"),
        ("Accept-Encoding: identity;q=1, gzip;q=0.5", ""),
        ("Accept-Encoding: identity;q=0, br;q=0.1", "br"),
        ("Accept-Encoding: identity;q=0", ""),
        ("Accept-Encoding: gzip;q=0\r\nAccept-Encoding: br", "br"),
        ("Accept-Encoding: deflate", ""),
        ("Accept-Encoding: gzip;q=nonsense", ""),
    ] {
        for path in ["/text/5000", "/text/200000"] {
            let reply = get(&server, path, &[accept]);
            assert_eq!((reply.status, reply.header("content-encoding").as_str()), (200, expected), "{path} {accept}");
            assert_eq!(reply.header("vary"), "Accept-Encoding", "{accept}");
            let size = path.rsplit('/').next().unwrap().parse().unwrap();
            assert!(reply.decoded() == text(size), "{path} {accept}");
            assert_eq!(reply.body.len() < size / 4, !expected.is_empty(), "{path} {accept}");
        }
    }
}

#[test]
fn head_has_the_fields_of_get() {
    let server = server();
    for (path, accept) in [
        ("/text/5000", "Accept-Encoding: gzip"),
        ("/text/5000", "Accept-Encoding: zstd"),
        ("/text/5000", ""),
        ("/text/200000", "Accept-Encoding: br"),
        ("/version", "Accept-Encoding: br"),
        ("/pieces", "Accept-Encoding: gzip"),
        ("/none", "Accept-Encoding: gzip"),
    ] {
        let fields = |reply: &Wire| {
            let names = ["content-encoding", "content-length", "content-type", "vary", "etag"];
            (reply.status, names.map(|name| reply.header(name)))
        };
        let request = head(&server, &format!("HEAD {path}"), &[accept]);
        let found = super::exchange(&server, &request);
        assert_eq!(fields(&found), fields(&get(&server, path, &[accept])), "{path} {accept}");
        assert!(found.body.is_empty());
    }
}

#[test]
fn settings_hold() {
    let every = "Accept-Encoding: gzip, br, zstd";
    let start = |compression: Compression| Server::start(api(compression).unwrap());
    let coding = |server: &Server, path: &str| get(server, path, &[every]).header("content-encoding");
    let server = start(Compression::new().codings([ContentCoding::Gzip, ContentCoding::Brotli]).minimum_size(100));
    assert_eq!(["/text/99", "/text/100", "/text/200000"].map(|path| coding(&server, path)), ["", "gzip", "gzip"]);
    let server = start(Compression::new());
    assert_eq!(["/text/1023", "/text/1024"].map(|path| coding(&server, path)), ["", "zstd"]);
    // A small response has `Vary` too, because the next one at its URL may be larger.
    for path in ["/text/0", "/text/1023", "/text/1024"] {
        assert_eq!(get(&server, path, &[every]).header("vary"), "Accept-Encoding", "{path}");
    }
    let server = start(Compression::new().minimum_size(0));
    assert_eq!(["/text/0", "/text/1", "/none"].map(|path| coding(&server, path)), ["", "", ""]);
    // The levels do what they say, in all codings.
    let sizes = [CompressionLevel::Fastest, CompressionLevel::Balanced, CompressionLevel::Smallest].map(|level| {
        let server = start(Compression::new().level(level));
        ["gzip", "br", "zstd"].map(|coding| {
            let reply = get(&server, "/text/60000", &[&format!("Accept-Encoding: {coding}")]);
            assert!(reply.header("content-encoding") == coding && reply.decoded() == text(60_000));
            reply.body.len()
        })
    });
    let [fastest, balanced, smallest] = sizes;
    assert!(fastest[0] > balanced[0] && balanced[0] >= smallest[0], "{sizes:?}");
    assert!(fastest[1] > balanced[1] && fastest[1] > smallest[1], "{sizes:?}");
    assert!(fastest != smallest && fastest[2] != balanced[2], "{sizes:?}");
}

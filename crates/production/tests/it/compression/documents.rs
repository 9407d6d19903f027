use restwright::Documentation;
use restwright::prelude::*;
use restwright::production::Compression;

use super::{exchange, get, head};
use crate::server::Server;

fn api() -> Api {
    let api = Api::builder(Configuration::new("shop", "1.0.0")).middleware(Compression::new());
    let routes = (0..200).map(|number| Route::get(format!("/items/{number}")).id(format!("viewItem{number}")).public());
    let api = routes.fold(api.module(&Documentation::public()), |api, route| {
        api.controller(route.description("Returns an item.".repeat(20)).handler(async |()| Ok(Data("Rex"))))
    });
    api.build().unwrap()
}

/// A body of more than 64 KiB that is not kept is sent in chunks.
#[test]
fn documents_are_compressed_whole_and_kept() {
    let server = Server::start(api());
    for path in ["/openapi.json", "/openapi-3.0.json", "/openapi-3.2.json", "/docs/page.css"] {
        let plain = get(&server, path, &[]);
        assert_eq!((plain.status, plain.header("content-encoding")), (200, String::new()), "{path}");
        assert!(path.starts_with("/docs") || plain.body.len() > 64 * 1024, "{path}: {}", plain.body.len());
        for coding in ["gzip", "br", "zstd"] {
            let accept = format!("Accept-Encoding: {coding}");
            let first = get(&server, path, &[&accept]);
            let tag = format!("{};{coding}\"", plain.header("etag").trim_end_matches('"'));
            for (name, expected) in [
                ("content-encoding", coding),
                ("vary", "Accept-Encoding"),
                ("etag", &tag),
                ("content-length", &first.body.len().to_string()),
            ] {
                assert_eq!(first.header(name), expected, "{path} {coding} {name}");
            }
            assert!(first.body.len() * 2 < plain.body.len() && first.decoded() == plain.body, "{path} {coding}");
            assert_eq!(get(&server, path, &[&accept]).body, first.body, "{path} {coding}");
            let known = get(&server, path, &[&accept, &format!("If-None-Match: {tag}")]);
            assert_eq!((known.status, known.header("etag"), known.body.len()), (304, tag, 0), "{path} {coding}");
            let without_body = exchange(&server, &head(&server, &format!("HEAD {path}"), &[&accept]));
            for name in ["content-encoding", "content-length", "etag", "vary"] {
                assert_eq!(without_body.header(name), first.header(name), "{path} {coding} {name}");
            }
        }
    }
}

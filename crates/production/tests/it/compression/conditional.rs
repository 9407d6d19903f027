use super::{get, server};

/// `sha256` of the content, as `Caching` has it.
fn content_tag() -> String {
    get(&server(), "/content", &[]).header("etag").trim_matches('"').to_owned()
}

#[test]
fn tags_are_of_the_coding() {
    let server = server();
    let content = content_tag();
    let tag = |suffix: &str| format!("\"{content}{suffix}\"");
    for (path, accept, expected) in [
        ("/version", "", "\"5\"".to_owned()),
        ("/version", "gzip", "\"5;gzip\"".to_owned()),
        ("/version", "br", "\"5;br\"".to_owned()),
        ("/version", "zstd", "\"5;zstd\"".to_owned()),
        ("/weak", "gzip", "W/\"5;gzip\"".to_owned()),
        ("/small", "gzip", "\"5\"".to_owned()),
        ("/content", "", tag("")),
        ("/content", "gzip", tag(";gzip")),
    ] {
        let reply = get(&server, path, &[&format!("Accept-Encoding: {accept}")]);
        assert_eq!(reply.header("etag"), expected, "{path} {accept}");
        assert_eq!(reply.header("content-encoding").is_empty(), !expected.contains(';'), "{path} {accept}");
    }
    // Nobody can tell what it means.
    let foreign = get(&server, "/foreign", &["Accept-Encoding: gzip"]);
    assert_eq!((foreign.header("etag"), foreign.header("content-encoding")), ("\"5;own\"".to_owned(), String::new()));
}

#[test]
fn conditions_hold_in_the_codings_that_the_client_accepts() {
    let server = server();
    for (path, accept, condition, expected) in [
        // A 304 has the tag that the 200 in the same coding has.
        ("/version", "gzip", "If-None-Match: \"5;gzip\"", "304 \"5;gzip\""),
        ("/version", "gzip, br", "If-None-Match: \"5;br\"", "304 \"5;br\""),
        ("/version", "gzip", "If-None-Match: \"5\"", "304 \"5\""),
        ("/version", "", "If-None-Match: \"5\"", "304 \"5\""),
        ("/small", "gzip", "If-None-Match: \"5\"", "304 \"5\""),
        ("/small", "gzip", "If-None-Match: \"4\"", "200 \"5\""),
        ("/weak", "br", "If-None-Match: W/\"5;br\"", "304 W/\"5;br\""),
        ("/weak", "br", "If-None-Match: \"5;br\"", "304 W/\"5;br\""),
        ("/version", "zstd", "If-None-Match: *", "304 \"5\""),
        ("/version", "gzip", "If-None-Match: \"4\", \"5;gzip\"", "304 \"5;gzip\""),
        ("/version", "gzip", "If-None-Match: \"4;gzip\"\r\nIf-None-Match: \"5;gzip\"", "304 \"5;gzip\""),
        // A coding that is of somebody else, such as a proxy.
        ("/version", "gzip", "If-None-Match: \"5;deflate\"", "304 \"5;deflate\""),
        // Another state.
        ("/version", "gzip", "If-None-Match: \"4;gzip\"", "200 \"5;gzip\""),
        ("/version", "gzip", "If-None-Match: nonsense;", "200 \"5;gzip\""),
        // The client cannot use what it has.
        ("/version", "", "If-None-Match: \"5;gzip\"", "200 \"5\""),
        ("/version", "br", "If-None-Match: \"5;gzip\"", "200 \"5;br\""),
        ("/version", "br, gzip;q=0", "If-None-Match: \"5;gzip\", \"5;br\"", "304 \"5;br\""),
        // Strong comparison, with the state in any coding.
        ("/version", "gzip", "If-Match: \"5\"", "200 \"5;gzip\""),
        ("/version", "gzip", "If-Match: \"5;br\"", "200 \"5;gzip\""),
        ("/version", "gzip", "If-Match: \"4;gzip\"", "412 "),
        ("/weak", "gzip", "If-Match: W/\"5;gzip\"", "412 "),
    ] {
        for method in ["GET", "HEAD"] {
            let request =
                super::head(&server, &format!("{method} {path}"), &[&format!("Accept-Encoding: {accept}"), condition]);
            let reply = super::exchange(&server, &request);
            let found = format!("{} {}", reply.status, reply.header("etag"));
            assert_eq!(found, expected, "{method} {path} {accept} {condition}");
            let varies = if reply.status >= 400 { "" } else { "Accept-Encoding" };
            assert_eq!(reply.header("vary"), varies, "{method} {path} {accept} {condition}");
        }
    }
    let content = content_tag();
    let known = format!("If-None-Match: \"{content};gzip\"");
    let reply = get(&server, "/content", &["Accept-Encoding: gzip", &known]);
    assert_eq!((reply.status, reply.header("etag")), (304, format!("\"{content};gzip\"")));
}

#[test]
fn ranges_are_those_of_the_body_as_it_is() {
    let server = server();
    // The route shows the conditions that it got.
    for (headers, expected) in [
        (["Range: bytes=10-", "If-Range: \"5\""], "bytes=10- \"5\""),
        (["Range: bytes=10-", "If-Range: Sun, 22 Nov 2026 22:22:22 GMT"], "bytes=10- Sun, 22 Nov 2026 22:22:22 GMT"),
        (["Range: bytes=10-", ""], "bytes=10- "),
        // It has the first 10 bytes of a compressed body.
        (["Range: bytes=10-", "If-Range: \"5;gzip\""], " "),
    ] {
        assert_eq!(get(&server, "/range", &headers).json()["data"], expected, "{headers:?}");
    }
}

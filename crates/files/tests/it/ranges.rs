//! Ranges of files, bytes and streams (RFC 9110, section 14).

use std::error::Error;
use std::ops::Range;

use futures_util::stream;
use restwright::body::Bytes;
use restwright::conditional::EntityTag;
use restwright::files::FileResponse;
use restwright::prelude::*;
use restwright::testing::TestClient;

use crate::folder::Folder;

const DIGITS: &str = "0123456789";

fn pieces(range: Range<u64>) -> impl futures_util::Stream<Item = Result<Bytes, Box<dyn Error>>> {
    let digits = &DIGITS.as_bytes()[usize::try_from(range.start).unwrap()..usize::try_from(range.end).unwrap()];
    stream::iter(digits.iter().map(|byte| Ok(Bytes::from(vec![*byte]))).collect::<Vec<_>>())
}

/// An Api with the ten digits as a file, as bytes, as a content that can be read from any position, and as a stream.
fn client(folder: &Folder) -> TestClient {
    let path = folder.write("digits.txt", DIGITS);
    let file = Route::get("/file").id("file").public().handler(async move |()| FileResponse::open(&path).await);
    let bytes = Route::get("/bytes").id("bytes").public();
    let bytes = bytes.handler(async |()| Ok(FileResponse::from_bytes(DIGITS).tag(EntityTag::strong("digits"))));
    let reader = Route::get("/reader").id("reader").public();
    let reader = reader.handler(async |()| Ok(FileResponse::from_reader(10, pieces)));
    let streamed = Route::get("/stream").id("stream").public();
    let streamed = streamed.handler(async |()| Ok(FileResponse::from_stream(10, pieces(0..10))));
    let api = Api::builder(Configuration::new("files", "1.0.0"));
    TestClient::new(api.controller(file).controller(bytes).controller(reader).controller(streamed).build().unwrap())
}

#[test]
fn one_range_is_a_part() {
    let folder = Folder::new();
    let client = client(&folder);
    for path in ["/file", "/bytes", "/reader"] {
        for (range, content_range, body) in [
            ("bytes=0-0", "bytes 0-0/10", "0"),
            ("bytes=2-4", "bytes 2-4/10", "234"),
            ("bytes=7-", "bytes 7-9/10", "789"),
            ("bytes=-2", "bytes 8-9/10", "89"),
            ("bytes=0-99", "bytes 0-9/10", DIGITS),
        ] {
            let response = client.get(path).header("Range", range).send();
            response.assert_status(206).assert_documented().assert_header("Content-Range", content_range);
            assert_eq!(response.text(), body, "{path} {range}");
        }
        let response = client.get(path).header("Range", "bytes=10-").send();
        response
            .assert_problem("range_not_satisfiable")
            .assert_documented()
            .assert_header("Content-Range", "bytes */10");
    }
}

#[test]
fn other_ranges_select_the_whole() {
    let folder = Folder::new();
    let client = client(&folder);
    for range in ["bytes=0-1,3-4", "bytes=4-2", "lines=1-2", "bytes", "bytes=a-"] {
        let response = client.get("/file").header("Range", range).send();
        assert_eq!(response.assert_status(200).assert_header("Accept-Ranges", "bytes").text(), DIGITS, "{range}");
    }
    // `Range` exists only for `GET`.
    let response = client.head("/file").header("Range", "bytes=0-1").send();
    response.assert_status(200).assert_header("Content-Length", "10");
    let response = client.get("/stream").header("Range", "bytes=0-1").send();
    assert_eq!(response.assert_status(200).assert_header("Accept-Ranges", "none").text(), DIGITS);
}

#[test]
fn rejects_ten_thousand_ranges() {
    let folder = Folder::new();
    let ranges = format!("bytes={}", vec!["0-0"; 10_000].join(","));
    let response = client(&folder).get("/file").header("Range", &ranges).send();
    response.assert_problem("range_not_satisfiable");
}

#[test]
fn if_range_requires_the_same_state() {
    let folder = Folder::new();
    let client = client(&folder);
    let whole = client.get("/file").send();
    let tag = whole.header("ETag").unwrap().to_owned();
    let modified = whole.header("Last-Modified").unwrap().to_owned();
    assert_eq!(modified, "Tue, 14 Nov 2023 22:13:20 GMT");
    for (condition, status) in [
        (tag.as_str(), 206),
        (modified.as_str(), 206),
        (&format!("W/{tag}"), 200),
        ("\"other\"", 200),
        ("Tue, 14 Nov 2023 22:13:19 GMT", 200),
        ("Tue, 14 Nov 2023 22:13:21 GMT", 200),
        ("yesterday", 200),
        ("", 200),
    ] {
        let response = client.get("/file").header("Range", "bytes=0-1").header("If-Range", condition).send();
        assert_eq!(response.status().as_u16(), status, "{condition}");
    }
    let coded = client.get("/bytes").header("Range", "bytes=0-1").header("If-Range", "\"digits;gzip\"").send();
    coded.assert_status(200);
}

#[test]
fn a_repeated_header_selects_the_whole() {
    let folder = Folder::new();
    let client = client(&folder);
    let tag = client.get("/file").send().header("ETag").unwrap().to_owned();
    for (first, second) in [(tag.as_str(), tag.as_str()), (&tag, "\"other\""), ("\"other\"", &tag), (&tag, "")] {
        let request = client.get("/file").header("Range", "bytes=0-1");
        let response = request.header("If-Range", first).header("If-Range", second).send();
        assert_eq!(response.assert_status(200).text(), DIGITS, "{first} {second}");
    }
    let response = client.get("/file").header("Range", "bytes=0-1").header("Range", "bytes=0-1").send();
    assert_eq!(response.assert_status(200).text(), DIGITS);
}

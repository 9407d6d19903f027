#![no_main]
//! The headers `Range` and `If-Range` for a file of 100 bytes. A 206 contains exactly the bytes that its `Content-Range` names, a 416 the
//! length, and a 200 the whole file.

use libfuzzer_sys::{Corpus, fuzz_target};
use restwright::conditional::EntityTag;
use restwright::files::FileResponse;
use restwright::prelude::*;
use restwright::testing::TestClient;

const LENGTH: usize = 100;

fn content() -> Vec<u8> {
    (0..100).collect()
}

thread_local! {
    static CLIENT: TestClient = {
        let file = Route::get("/file").id("file").public();
        let file = file.handler(async |()| Ok(FileResponse::from_bytes(content()).tag(EntityTag::strong("1"))));
        let api = Api::builder(Configuration::new("files", "1.0.0")).controller(file).build().expect("an Api");
        TestClient::new(api)
    };
}

fuzz_target!(|input: &[u8]| -> Corpus {
    let Ok(text) = std::str::from_utf8(input) else { return Corpus::Reject };
    let (range, condition) = text.split_once('\n').unwrap_or((text, ""));
    let is_header = |text: &str| text.chars().all(|character| (' '..='~').contains(&character));
    if !is_header(range) || !is_header(condition) {
        return Corpus::Reject;
    }
    CLIENT.with(|client| {
        let mut request = client.get("/file").header("Range", range);
        if !condition.is_empty() {
            request = request.header("If-Range", condition);
        }
        let response = request.send();
        response.assert_documented();
        let content_range = response.header("Content-Range").map(str::to_owned);
        match response.status().as_u16() {
            200 => assert_eq!((response.bytes().to_vec(), content_range), (content(), None)),
            206 => {
                let content_range = content_range.expect("a range");
                let positions = content_range.strip_prefix("bytes ").and_then(|range| range.strip_suffix("/100"));
                let (first, last) = positions.and_then(|range| range.split_once('-')).expect("positions");
                let (first, last): (usize, usize) = (first.parse().expect("a number"), last.parse().expect("a number"));
                assert!(first <= last && last < LENGTH);
                assert_eq!(response.bytes().to_vec(), content()[first..=last]);
                assert!(condition.is_empty() || condition.trim() == "\"1\"");
            }
            416 => assert_eq!(content_range.as_deref(), Some("bytes */100")),
            other => panic!("{other}"),
        }
    });
    Corpus::Keep
});

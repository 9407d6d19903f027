//! Conditional requests for files (RFC 9110, section 13).

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use restwright::files::FileResponse;
use restwright::prelude::*;
use restwright::testing::TestClient;

use crate::folder::{Folder, set_modified};

fn client(folder: &Folder) -> TestClient {
    let path = folder.path().join("a.txt");
    let file = Route::get("/file").id("file").public().handler(async move |()| FileResponse::open(&path).await);
    TestClient::new(Api::builder(Configuration::new("files", "1.0.0")).controller(file).build().unwrap())
}

#[test]
fn tags_have_precedence_over_dates() {
    let folder = Folder::new();
    folder.write("a.txt", "text");
    let client = client(&folder);
    let tag = client.get("/file").send().assert_status(200).header("ETag").unwrap().to_owned();
    let (before, same, after) =
        ("Tue, 14 Nov 2023 22:13:19 GMT", "Tue, 14 Nov 2023 22:13:20 GMT", "Tue, 14 Nov 2023 22:13:21 GMT");
    for (headers, status) in [
        (vec![("If-None-Match", tag.as_str())], 304),
        (vec![("If-None-Match", "\"other\"")], 200),
        (vec![("If-None-Match", "*")], 304),
        (vec![("If-Modified-Since", before)], 200),
        (vec![("If-Modified-Since", same)], 304),
        (vec![("If-Modified-Since", after)], 304),
        (vec![("If-Modified-Since", "tomorrow")], 200),
        (vec![("If-None-Match", "\"other\""), ("If-Modified-Since", same)], 200),
        (vec![("If-Match", tag.as_str())], 200),
        (vec![("If-Match", "\"other\"")], 412),
        (vec![("If-Unmodified-Since", before)], 412),
        (vec![("If-Unmodified-Since", same)], 200),
        (vec![("If-Match", tag.as_str()), ("If-Unmodified-Since", before)], 200),
        (vec![("If-Match", "\"other\""), ("If-None-Match", tag.as_str())], 412),
        (vec![("If-Unmodified-Since", before), ("If-None-Match", tag.as_str())], 412),
        (vec![("If-Unmodified-Since", before), ("If-None-Match", "*")], 412),
        (vec![("If-None-Match", "unquoted")], 200),
        (vec![("If-None-Match", "unquoted"), ("If-Modified-Since", same)], 200),
        (vec![("If-Match", "unquoted")], 422),
        // The conditions come before the range.
        (vec![("If-None-Match", tag.as_str()), ("Range", "bytes=0-0")], 304),
        (vec![("If-Modified-Since", same), ("Range", "bytes=99-")], 304),
    ] {
        for method in ["GET", "HEAD"] {
            let request = if method == "GET" { client.get("/file") } else { client.head("/file") };
            let response = headers.iter().fold(request, |request, (name, value)| request.header(name, value)).send();
            assert_eq!(response.status().as_u16(), status, "{method} {headers:?}");
            if status == 304 {
                response.assert_documented().assert_header("ETag", &tag);
                assert_eq!((response.header("Content-Type"), response.text()), (None, ""));
            }
        }
    }
}

/// Sends every combination of the four preconditions, and compares the status with the steps of RFC 9110, section 13.2.2.
#[test]
fn preconditions_are_evaluated_in_the_order_of_the_rfc() {
    let folder = Folder::new();
    folder.write("a.txt", "text");
    let client = client(&folder);
    let tag = client.get("/file").send().assert_status(200).header("ETag").unwrap().to_owned();
    let (before, same) = ("Tue, 14 Nov 2023 22:13:19 GMT", "Tue, 14 Nov 2023 22:13:20 GMT");
    // Each value with the result of its comparison: the tag is in the list, or the file was changed after the date.
    let tags = [None, Some((tag.as_str(), true)), Some(("\"other\"", false)), Some(("*", true))];
    let dates = [None, Some((before, true)), Some((same, false))];
    let mut combinations = vec![];
    for matches in tags {
        for unmodified in dates {
            for none_match in tags {
                combinations.extend(dates.map(|modified| (matches, unmodified, none_match, modified)));
            }
        }
    }
    assert_eq!(combinations.len(), 4 * 3 * 4 * 3);
    for (matches, unmodified, none_match, modified) in combinations {
        let expected = match (matches, unmodified, none_match, modified) {
            (Some((_, false)), ..) | (None, Some((_, true)), ..) => 412,
            (.., Some((_, true)), _) | (.., None, Some((_, false))) => 304,
            _ => 200,
        };
        let headers = [
            ("If-Match", matches),
            ("If-Unmodified-Since", unmodified),
            ("If-None-Match", none_match),
            ("If-Modified-Since", modified),
        ];
        for request in [client.get("/file"), client.head("/file")] {
            let sent = headers.iter().filter_map(|(name, value)| Some((name, value.as_ref()?.0)));
            let response = sent.fold(request, |request, (name, value)| request.header(name, value)).send();
            assert_eq!(response.status().as_u16(), expected, "{headers:?}");
        }
    }
}

#[test]
fn a_file_that_has_just_changed_has_a_weak_tag() {
    let folder = Folder::new();
    let path = folder.write("a.txt", "text");
    set_modified(&path, SystemTime::now() + Duration::from_secs(60));
    let client = client(&folder);
    let tag = client.get("/file").send().header("ETag").unwrap().to_owned();
    assert!(tag.starts_with("W/"), "{tag}");
    client.get("/file").header("Range", "bytes=0-0").header("If-Range", &tag).send().assert_status(200);
    client.get("/file").header("If-None-Match", &tag).send().assert_status(304);
}

#[test]
fn a_repeated_date_is_ignored() {
    let folder = Folder::new();
    folder.write("a.txt", "text");
    let client = client(&folder);
    let before = "Tue, 14 Nov 2023 22:13:19 GMT";
    let after = "Tue, 14 Nov 2023 22:13:21 GMT";
    for (name, date, status) in [("If-Modified-Since", after, 304), ("If-Unmodified-Since", before, 412)] {
        assert_eq!(client.get("/file").header(name, date).send().status().as_u16(), status, "{name}");
        client.get("/file").header(name, date).header(name, date).send().assert_status(200);
    }
}

#[test]
fn times_of_reproducible_builds_identify_nothing() {
    let folder = Folder::new();
    let path = folder.write("a.txt", "text");
    set_modified(&path, UNIX_EPOCH + Duration::from_secs(1));
    let response = client(&folder).get("/file").send();
    response.assert_status(200).assert_documented();
    assert_eq!((response.header("ETag"), response.header("Last-Modified")), (None, None));
}

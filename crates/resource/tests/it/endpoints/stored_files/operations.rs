//! Uploads and downloads.

use restwright::testing::TestResponse;
use serde_json::{Value, json};

use super::{ANN, BOB, Cases, EVE, GIF, PNG};

#[test]
fn a_file_is_uploaded_loaded_replaced_and_deleted() {
    let cases = Cases::new();
    let path = cases.create();
    let photo = format!("{path}/photo");
    cases.ann("GET", &photo, b"").assert_problem("not_found");
    cases.ann("DELETE", &photo, b"").assert_problem("not_found");
    let first = cases.ann("PUT", &photo, PNG);
    let data = first.assert_status(201).json::<Value>();
    let sha256 = "8fd214381bde91b2640ee9a6c4b0c144443f643d713b5eb6e219d563ca4c8e9f";
    assert_eq!(data["data"], json!({"media_type": "image/png", "size": PNG.len(), "sha256": sha256}));
    // The entity contains the same object, without the key.
    let entity = cases.ann("GET", &path, b"").json::<Value>();
    assert_eq!(entity["data"]["photo"], data["data"]);
    let exported = cases.send("GET", "/cases", &[("X-Caller", ANN), ("Accept", "text/csv")], b"");
    assert!(exported.text().contains("image/png") && !exported.text().contains("cases/photo"), "{}", exported.text());

    let found = cases.ann("GET", &photo, b"");
    assert_eq!(found.assert_status(200).bytes(), PNG);
    for (name, value) in [
        ("content-type", "image/png"),
        ("content-disposition", "attachment; filename=\"photo\""),
        ("x-content-type-options", "nosniff"),
        ("content-security-policy", "default-src 'none'; sandbox"),
        ("etag", first.header("etag").unwrap()),
    ] {
        found.assert_header(name, value);
    }
    assert!(cases.ann("HEAD", &photo, b"").assert_status(200).bytes().is_empty());
    let part = cases.send("GET", &photo, &[("X-Caller", ANN), ("Range", "bytes=1-3")], b"");
    assert_eq!(part.assert_status(206).bytes(), "PNG");
    let tag = first.header("etag").unwrap();
    cases.send("GET", &photo, &[("X-Caller", ANN), ("If-None-Match", tag)], b"").assert_status(304);

    let second = cases.ann("PUT", &photo, GIF);
    assert_eq!(second.assert_status(200).json::<Value>()["data"]["media_type"], "image/gif", "of the content");
    cases.wait_for_files(1);
    assert_eq!(cases.ann("GET", &photo, b"").bytes(), GIF);
    for (headers, status) in [
        (("If-Match", tag), 412),
        (("If-None-Match", "*"), 412),
        (("If-Match", second.header("etag").unwrap()), 200),
        (("If-Match", tag), 412),
    ] {
        cases.send("PUT", &photo, &[("X-Caller", ANN), headers], PNG).assert_status(status);
        cases.wait_for_files(1);
    }
    let part = cases.send("PUT", &photo, &[("X-Caller", ANN), ("Content-Range", "bytes 0-3/25")], &PNG[..4]);
    part.assert_problem("malformed_request");
    assert_eq!(cases.ann("GET", &photo, b"").bytes(), PNG, "a part does not replace the file");
    cases.wait_for_files(1);
    cases.send("DELETE", &photo, &[("X-Caller", ANN), ("If-Match", tag)], b"").assert_status(412);
    cases.ann("DELETE", &photo, b"").assert_status(204);
    cases.ann("GET", &photo, b"").assert_problem("not_found");
    assert_eq!(cases.ann("GET", &path, b"").json::<Value>()["data"]["photo"], Value::Null);
    cases.wait_for_files(0);
}

#[test]
fn uploads_that_are_not_accepted_leave_nothing() {
    let cases = Cases::new();
    let photo = format!("{}/photo", cases.create());
    let large = [PNG, &[b'x'; 1_000]].concat();
    let long = format!("image/{}", "x".repeat(200));
    for (path, media_type, body, code) in [
        (photo.as_str(), "text/html", PNG, "unsupported_media_type"),
        (&photo, "image/", PNG, "unsupported_media_type"),
        (&photo, "image/png\u{e4}", PNG, "unsupported_media_type"),
        (&photo, &long, PNG, "unsupported_media_type"),
        (&photo, "image/png", b"<script>alert(1)</script>", "unsupported_media_type"),
        (&photo, "image/png", b"", "unsupported_media_type"),
        // A hook rejects it after it was received.
        (&photo, "image/bmp", b"BM and the rest", "conflict"),
        (&photo, "image/png", &large, "body_too_large"),
        ("/cases/99/photo", "image/png", PNG, "not_found"),
        ("/cases/x/photo", "image/png", PNG, "invalid_request"),
    ] {
        let request = cases.client.put(path).header("X-Caller", ANN).body(media_type, body.to_vec());
        request.send().assert_problem(code).assert_documented();
        cases.wait_for_files(0);
    }
    // The length of this body is not announced.
    let pieces = futures_util::stream::iter([PNG.to_vec(), large].map(|piece| Ok(piece.into())));
    let body = restwright::http::BodyStream::new(pieces);
    let request = cases.client.put(&photo).header("X-Caller", ANN).header("Content-Type", "image/png");
    request.stream(body).send().assert_problem("body_too_large");
    cases.wait_for_files(0);
}

#[test]
fn callers_without_the_row_or_the_field_have_no_file() {
    let cases = Cases::new();
    let path = cases.create();
    let (photo, report) = (format!("{path}/photo"), format!("{path}/final-report"));
    cases.ann("PUT", &photo, PNG).assert_status(201);
    cases.ann("PUT", &report, PNG).assert_status(201).assert_header("cache-control", "private, no-cache");
    cases.ann("GET", &report, b"").assert_status(200).assert_header("cache-control", "private, no-cache");
    for (caller, path, expected) in [
        (BOB, &photo, [404, 404, 404]),
        (EVE, &photo, [404, 404, 404]),
        ("a-ann", &report, [404, 404, 404]),
        ("a-ann write", &report, [404, 404, 404]),
        ("a-ann read", &report, [200, 403, 403]),
        ("", &photo, [401, 401, 401]),
    ] {
        let headers: &[_] = if caller.is_empty() { &[] } else { &[("X-Caller", caller)] };
        let statuses = ["GET", "PUT", "DELETE"].map(|method| {
            let body = if method == "PUT" { PNG } else { b"" };
            cases.send(method, path, headers, body).status().as_u16()
        });
        assert_eq!(statuses, expected, "{caller} {path}");
        cases.wait_for_files(2);
    }
    // A missing file, a hidden entity and a hidden field have the same response.
    let hidden = cases.send("GET", &report, &[("X-Caller", "a-ann")], b"");
    let missing = cases.send("GET", &report.replace("/1/", "/2/"), &[("X-Caller", "a-ann")], b"");
    let body = |response: &TestResponse| {
        let mut body = response.json::<Value>();
        body["request_id"].take();
        body
    };
    assert_eq!(body(&hidden), body(&missing));
}

#[test]
fn the_field_cannot_be_set_in_other_ways() {
    let cases = Cases::new();
    let path = cases.create();
    cases.ann("PUT", &format!("{path}/photo"), PNG).assert_status(201);
    let shown = cases.ann("GET", &path, b"").json::<Value>()["data"]["photo"].clone();
    let other = json!({"media_type": "text/html", "size": 1, "sha256": "0".repeat(64)});
    let stored = json!("cases/photo/1.0 1 0 text/html");
    for (method, path, photo, status) in [
        ("PATCH", path.as_str(), &shown, 200),
        ("PATCH", &path, &other, 422),
        ("PATCH", &path, &stored, 422),
        ("PATCH", &path, &Value::Null, 422),
        ("PUT", &path, &shown, 200),
        ("PUT", &path, &other, 422),
        ("POST", "/cases", &other, 422),
        ("POST", "/cases", &stored, 422),
    ] {
        let request = cases.client.request(method.parse().unwrap(), path).header("X-Caller", ANN);
        let response = request.json(&json!({"owner": "a-ann", "photo": photo})).send();
        response.assert_status(status).assert_documented();
    }
    for (operation, status) in [
        (json!({"op": "test", "path": "/photo", "value": shown}), 200),
        (json!({"op": "remove", "path": "/photo"}), 422),
        (json!({"op": "replace", "path": "/photo/media_type", "value": "text/html"}), 422),
        (json!({"op": "copy", "from": "/photo", "path": "/final_report"}), 422),
    ] {
        let patch = cases.client.patch(&path).header("X-Caller", ANN);
        let patch = patch.body("application/json-patch+json", json!([operation]).to_string());
        patch.send().assert_status(status).assert_documented();
    }
    assert_eq!(cases.ann("GET", &format!("{path}/photo"), b"").bytes(), PNG);
}

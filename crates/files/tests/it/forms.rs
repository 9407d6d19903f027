//! Forms in all three formats.

use restwright::files::{FileStream, UploadedFile};
use restwright::prelude::*;
use restwright::testing::{TestClient, TestResponse};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Deserialize, Schema)]
struct NewPhoto {
    #[property(min_length = 1, max_length = 5)]
    title: String,
    #[property(minimum = 1)]
    width: Option<u32>,
    #[serde(default)]
    tags: Vec<String>,
    #[property(max_size = 10, accept = "image/*")]
    photo: UploadedFile,
    #[serde(default)]
    #[property(max_items = 2, items(max_size = 3))]
    others: Vec<UploadedFile>,
}

#[derive(Request)]
struct CreatePhoto {
    #[body(json, form, multipart)]
    form: NewPhoto,
}

#[derive(Deserialize, Schema)]
struct NewVideo {
    title: String,
    #[property(max_size = 200_000, accept = "video/mp4")]
    video: FileStream,
}

#[derive(Request)]
struct CreateVideo {
    #[body(multipart)]
    form: NewVideo,
}

#[derive(Serialize, Deserialize, Schema)]
struct Address {
    city: String,
    #[property(minimum = 1)]
    number: u32,
}

#[derive(Serialize, Deserialize, Schema)]
struct Order {
    #[property(max_length = 5)]
    name: String,
    gift: Option<bool>,
    address: Address,
    #[serde(default)]
    lines: Vec<Address>,
}

#[derive(Request)]
struct CreateOrder {
    #[body(json, form)]
    order: Order,
}

async fn shown(file: &UploadedFile) -> Result<Value> {
    let bytes = file.bytes().await.map_err(Problem::internal)?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    Ok(json!({ "name": file.file_name(), "type": file.content_type(), "size": file.size(), "text": text }))
}

pub(crate) fn api() -> Api {
    let photo = Route::post("/photos").id("createPhoto").public().body_limit(4_000_000);
    let photo = photo.handler(async |CreatePhoto { form }| {
        let mut others = Vec::new();
        for file in &form.others {
            others.push(shown(file).await?);
        }
        let photo = shown(&form.photo).await?;
        let shown =
            json!({ "title": form.title, "width": form.width, "tags": form.tags, "photo": photo, "others": others });
        Ok(Data(shown))
    });
    let video = Route::post("/videos").id("createVideo").public().handler(async |CreateVideo { mut form }| {
        let (mut size, mut sum) = (0, 0_u64);
        while let Some(piece) = form.video.next().await? {
            size += piece.len();
            sum += piece.iter().map(|byte| u64::from(*byte)).sum::<u64>();
        }
        Ok(Data(json!({ "title": form.title, "size": size, "sum": sum, "name": form.video.file_name() })))
    });
    let order = Route::post("/orders").id("createOrder").public();
    let order = order.handler(async |request: CreateOrder| Ok(Data(request.order)));
    let api = Api::builder(Configuration::new("forms", "1.0.0"));
    api.controller(photo).controller(video).controller(order).build().unwrap()
}

/// A part of a form: the name, the file name with the media type of a file, and the content.
pub(crate) type Part<'p> = (&'p str, Option<(&'p str, &'p str)>, &'p [u8]);

/// Writes a form with the boundary `XX`.
pub(crate) fn form(parts: &[Part<'_>]) -> Vec<u8> {
    let mut body = Vec::new();
    for (name, file, content) in parts {
        body.extend_from_slice(format!("--XX\r\nContent-Disposition: form-data; name=\"{name}\"").as_bytes());
        if let Some((file_name, media_type)) = file {
            body.extend_from_slice(format!("; filename=\"{file_name}\"\r\nContent-Type: {media_type}").as_bytes());
        }
        body.extend_from_slice(b"\r\n\r\n");
        body.extend_from_slice(content);
        body.extend_from_slice(b"\r\n");
    }
    body.extend_from_slice(b"--XX--\r\n");
    body
}

fn post(path: &str, parts: &[Part<'_>]) -> TestResponse {
    TestClient::new(api()).post(path).body("multipart/form-data; boundary=XX", form(parts)).send()
}

const PNG: Option<(&str, &str)> = Some(("a.png", "image/png"));

#[test]
fn a_form_with_files_is_read_by_its_schema() {
    let response = post(
        "/photos",
        &[
            ("title", None, b"Bo"),
            ("width", None, b"7"),
            ("tags", None, b"a"),
            ("photo", Some(("../\u{e4}.png", "image/png")), b"1\r\n--X\r\n"),
            ("others", Some(("b", "text/plain")), b"b"),
            ("tags", None, b"b"),
            ("others", Some(("", "text/plain")), b"c"),
        ],
    );
    response.assert_status(200).assert_documented();
    let expected = json!({
        "title": "Bo",
        "width": 7,
        "tags": ["a", "b"],
        "photo": { "name": "\u{e4}.png", "type": "image/png", "size": 8, "text": "1\r\n--X\r\n" },
        "others": [
            { "name": "b", "type": "text/plain", "size": 1, "text": "b" },
            { "name": null, "type": "text/plain", "size": 1, "text": "c" },
        ],
    });
    assert_eq!(response.json::<Value>()["data"], expected);
}

/// Returns the pointers and the codes of the violations.
pub(crate) fn violations(response: &TestResponse) -> Vec<(String, String)> {
    let problem: Value = response.assert_problem("invalid_request").json();
    let errors = problem["errors"].as_array().unwrap().iter();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    errors.map(|error| (text(&error["pointer"]), text(&error["code"]))).collect()
}

#[test]
fn violations_of_fields_and_files_are_reported_together() {
    let long = [0; 11];
    for (parts, expected) in [
        (vec![], vec![("/title", "required"), ("/photo", "required")]),
        (
            vec![("title", None, &b"longer"[..]), ("width", None, b"0"), ("photo", PNG, &long)],
            vec![("/photo", "max_size"), ("/title", "max_length"), ("/width", "minimum")],
        ),
        (vec![("title", None, b"Bo"), ("photo", Some(("a.pdf", "application/pdf")), b"")], vec![("/photo", "accept")]),
        // A file input without a file.
        (
            vec![("title", None, b"Bo"), ("photo", Some(("", "application/octet-stream")), b"")],
            vec![("/photo", "required")],
        ),
        (vec![("title", PNG, b"Bo"), ("photo", PNG, b"")], vec![("/title", "type")]),
        (vec![("title", None, b"Bo"), ("photo", None, b"0")], vec![("/photo", "type")]),
        (vec![("title", None, b"Bo"), ("photo", PNG, b""), ("photo", PNG, b"")], vec![("/photo", "too_many_values")]),
        // The content of a second file is skipped.
        (vec![("title", None, b"Bo"), ("photo", PNG, b""), ("photo", PNG, &long)], vec![("/photo", "too_many_values")]),
        (
            vec![("title", None, b"Bo"), ("photo", PNG, b""), ("others", PNG, b""), ("others", PNG, b"1234")],
            vec![("/others/1", "max_size")],
        ),
        (
            vec![
                ("title", None, b"Bo"),
                ("photo", PNG, b""),
                ("others", PNG, b""),
                ("others", PNG, b""),
                ("others", PNG, b""),
            ],
            vec![("/others", "max_items")],
        ),
    ] {
        let response = post("/photos", &parts);
        let found = violations(&response);
        let found: Vec<_> = found.iter().map(|(pointer, code)| (pointer.as_str(), code.as_str())).collect();
        assert_eq!(found, expected, "{parts:?}");
    }
}

#[test]
fn json_contains_no_file() {
    let client = TestClient::new(api());
    for photo in [json!(0), json!("a"), json!(null)] {
        let response = client.post("/photos").json(&json!({ "title": "Bo", "photo": photo })).send();
        assert_eq!(violations(&response)[0].0, "/photo", "{photo}");
    }
}

#[test]
fn the_last_file_is_read_in_pieces() {
    const MP4: Option<(&str, &str)> = Some(("a.mp4", "video/mp4"));
    let content = [3; 150_000];
    let response = post("/videos", &[("title", None, b"Bo"), ("video", MP4, &content)]);
    let expected = json!({ "title": "Bo", "size": 150_000, "sum": 450_000, "name": "a.mp4" });
    assert_eq!(response.assert_status(200).assert_documented().json::<Value>()["data"], expected);
    let large = [3; 200_001];
    post("/videos", &[("title", None, b"Bo"), ("video", MP4, &large)]).assert_problem("body_too_large");
    let png = post("/videos", &[("title", None, b"Bo"), ("video", PNG, b"")]);
    assert_eq!(violations(&png), [("/video".to_owned(), "accept".to_owned())]);
    let late = post("/videos", &[("video", MP4, b"1"), ("title", None, b"Bo")]);
    assert_eq!(violations(&late), [("/title".to_owned(), "required".to_owned())]);
    let after = post("/videos", &[("title", None, b"Bo"), ("video", MP4, b"1"), ("other", None, b"Bo")]);
    after.assert_problem("malformed_body");
}

#[test]
fn rejects_malformed_bodies() {
    let client = TestClient::new(api());
    let head = "Content-Disposition: form-data; name=\"title\"\r\n\r\n";
    let long = format!("--XX\r\nX: {}\r\n{head}a\r\n--XX--", "x".repeat(64 * 1024));
    let preamble = format!("{}\r\n--XX--", "x".repeat(9_000));
    for (body, detail) in [
        ("", "ends before its last boundary"),
        ("--XX", "ends before its last boundary"),
        ("--XX\r\n", "ends before its last boundary"),
        (&format!("--XX\r\n{head}a"), "ends before its last boundary"),
        (&format!("--XX\r\n{head}a\r\n--XX"), "ends before its last boundary"),
        (&format!("--XXY\r\n{head}a\r\n--XX--"), "followed by a line break"),
        (&format!("--XX\n{head}a\r\n--XX--"), "followed by a line break"),
        ("--XX\r\nContent-Disposition: form-data\r\n\r\na\r\n--XX--", "has no name"),
        ("--XX\r\n\r\na\r\n--XX--", "has no `Content-Disposition`"),
        (
            &format!("--XX\r\nContent-Type: multipart/mixed; boundary=YY\r\n{head}--YY--\r\n--XX--"),
            "must not contain parts",
        ),
        (&format!("--XX\r\nContent-Encoding: gzip\r\n{head}a\r\n--XX--"), "without `Content-Encoding`"),
        (&format!("--XX\r\nContent-Type: text/plain; charset=latin1\r\n{head}a\r\n--XX--"), "must be UTF-8"),
        (&long, "at most 8 KiB"),
        (&preamble, "first 8 KiB"),
    ] {
        let response = client.post("/photos").body("multipart/form-data; boundary=XX", body.to_owned()).send();
        let response = response.assert_problem("malformed_body").assert_documented();
        assert!(response.text().contains(detail), "{body:.80} {}", response.text());
    }
    for media_type in
        ["multipart/form-data", "multipart/form-data; boundary=", "multipart/form-data; boundary=\"a\u{e4}\""]
    {
        client.post("/photos").body(media_type, "").send().assert_problem("malformed_body");
    }
    let invalid = [b"--XX\r\n".as_slice(), head.as_bytes(), b"\xff\r\n--XX--"].concat();
    client.post("/photos").body("multipart/form-data; boundary=XX", invalid).send().assert_problem("malformed_body");
}

#[test]
fn an_empty_part_and_text_around_the_boundaries_are_allowed() {
    let client = TestClient::new(api());
    let head = |name: &str| format!("Content-Disposition: form-data; name=\"{name}\"");
    let photo = format!("{}; filename=a\r\nContent-Type: image/png", head("photo"));
    let body = format!(
        "preamble\r\n--XX \t\r\n{}\r\n\r\nBo\r\n--XX\r\n{photo}\r\n\r\n--XX\r\n{}\r\n\r\n\r\n--XX--\r\nepilogue",
        head("title"),
        head("width")
    );
    let response = client.post("/photos").body("multipart/form-data; boundary=\"XX\"", body).send();
    let response = response.assert_status(200).json::<Value>();
    assert_eq!((&response["data"]["photo"]["size"], &response["data"]["width"]), (&json!(0), &json!(null)));
}

#[test]
fn limits_of_parts() {
    let many: Vec<Part<'_>> = vec![("tags", None, b"a"); 1_001];
    post("/photos", &many).assert_problem("body_too_large");
    // Inputs without a file.
    let absent: Vec<Part<'_>> = vec![("photo", Some(("", "application/octet-stream")), b""); 1_001];
    post("/photos", &absent).assert_problem("body_too_large");
    let text = vec![b'a'; 1024 * 1024 + 1];
    post("/photos", &[("title", None, &text)]).assert_problem("body_too_large");
    let body = vec![b'a'; 4_000_001];
    post("/photos", &[("photo", PNG, &body)]).assert_problem("body_too_large");
}

#[test]
fn a_form_is_read_by_the_same_schema_as_json() {
    let client = TestClient::new(api());
    let expected = json!({
        "name": "a &\u{e4}",
        "gift": true,
        "address": { "city": "Z", "number": 7 },
        "lines": [{ "city": "A", "number": 1 }],
    });
    client.post("/orders").json(&expected).send().assert_status(200);
    let form = "name=a+%26%C3%A4&gift=on&address[city]=Z&address%5Bnumber%5D=7&lines[0][city]=A&lines[0][number]=1";
    for media_type in ["application/x-www-form-urlencoded", "Application/X-WWW-Form-Urlencoded; charset=utf-8"] {
        let response = client.post("/orders").body(media_type, form).send();
        assert_eq!(response.assert_status(200).assert_documented().json::<Value>()["data"], expected);
    }
    let invalid = "name=longer&address[number]=0&address[number2]=1&lines=a&gift=yes";
    let response = client.post("/orders").body("application/x-www-form-urlencoded", invalid).send();
    let mut found = violations(&response);
    found.sort();
    let expected = [
        ("/address/city", "required"),
        ("/address/number", "minimum"),
        ("/gift", "type"),
        ("/lines/0", "type"),
        ("/name", "max_length"),
    ];
    assert_eq!(found, expected.map(|(pointer, code)| (pointer.to_owned(), code.to_owned())));
    for form in ["name=%FF", "name=\u{e4}%"] {
        let response = client.post("/orders").body("application/x-www-form-urlencoded", form).send();
        assert!([400, 422].contains(&response.status().as_u16()), "{form}");
    }
    let many = vec!["a=1"; 1_001].join("&");
    let response = client.post("/orders").body("application/x-www-form-urlencoded", many).send();
    response.assert_problem("body_too_large");
}

#[test]
fn an_unsupported_media_type_lists_the_formats() {
    let client = TestClient::new(api());
    for (path, accepted) in [
        ("/photos", "application/json, application/x-www-form-urlencoded, multipart/form-data"),
        ("/videos", "multipart/form-data"),
        ("/orders", "application/json, application/x-www-form-urlencoded"),
    ] {
        for media_type in ["text/plain", "application/xml"] {
            let response = client.post(path).body(media_type, "a").send();
            response.assert_problem("unsupported_media_type").assert_header("Accept", accepted);
            assert!(response.text().contains(accepted), "{}", response.text());
        }
    }
    client.post("/videos").json(&json!({})).send().assert_problem("unsupported_media_type");
}

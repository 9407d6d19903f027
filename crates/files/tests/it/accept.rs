//! The media types of the files of a form.

use restwright::files::{FileStream, UploadedFile};
use restwright::prelude::*;
use restwright::testing::{TestClient, TestResponse};
use serde::Deserialize;

use crate::forms;

#[derive(Deserialize, Schema)]
struct Optional {
    video: Option<FileStream>,
    title: String,
}

#[derive(Request)]
struct SendOptional {
    #[body(multipart)]
    form: Optional,
}

#[derive(Deserialize, Schema)]
struct Texts {
    #[property(accept = "text/plain")]
    text: Option<UploadedFile>,
    #[property(accept = "text/csv, application/octet-stream")]
    table: Option<UploadedFile>,
    #[property(accept = "text/plain")]
    stream: Option<FileStream>,
}

#[derive(Request)]
struct SendTexts {
    #[body(multipart)]
    form: Texts,
}

/// Sends a form with a title and a part with these headers.
fn send(path: &str, headers: &str, content: &str) -> TestResponse {
    let title = "--XX\r\nContent-Disposition: form-data; name=title\r\n\r\nBo\r\n";
    let body = format!("{title}--XX\r\n{headers}\r\n\r\n{content}\r\n--XX--");
    TestClient::new(forms::api()).post(path).body("multipart/form-data; boundary=XX", body).send()
}

/// Returns the code of the only violation, or `ok`.
fn verdict(response: &TestResponse, pointer: &str) -> String {
    if response.status() == 200 {
        return "ok".to_owned();
    }
    match &forms::violations(response)[..] {
        [(found, code)] if found == pointer => code.clone(),
        found => panic!("{found:?}"),
    }
}

#[test]
fn a_part_is_absent_only_without_a_name_and_content() {
    for (path, property, accepted) in [("/photos", "photo", "image/png"), ("/videos", "video", "video/mp4")] {
        for (name, content, media_type, expected) in [
            ("; filename=\"a\"", "x", accepted, "ok"),
            ("; filename=\"a\"", "x", "text/html", "accept"),
            ("; filename=\"a\"", "", accepted, "ok"),
            ("; filename=\"a\"", "", "text/html", "accept"),
            ("; filename=\"\"", "x", accepted, "ok"),
            ("; filename=\"\"", "x", "text/html", "accept"),
            ("; filename=\"\"", "", accepted, "required"),
            ("; filename=\"\"", "", "text/html", "required"),
            // A text field.
            ("", "x", accepted, "type"),
            ("", "x", "text/html", "type"),
            ("", "", accepted, "type"),
            ("", "", "text/html", "type"),
        ] {
            let headers =
                format!("Content-Disposition: form-data; name={property}{name}\r\nContent-Type: {media_type}");
            let response = send(path, &headers, content);
            assert_eq!(verdict(&response, &format!("/{property}")), expected, "{headers}: {content}");
        }
    }
}

#[test]
fn a_streamed_file_can_be_absent() {
    let route = Route::post("/optional").id("optional").public();
    let route = route.handler(async |SendOptional { form }| Ok(Data((form.video.is_some(), form.title))));
    let api = Api::builder(Configuration::new("optional", "1.0.0")).controller(route).build().unwrap();
    // The parts after an absent file are read.
    let body = forms::form(&[("video", Some(("", "application/octet-stream")), b""), ("title", None, b"Bo")]);
    let response = TestClient::new(api).post("/optional").body("multipart/form-data; boundary=XX", body).send();
    assert_eq!(response.assert_status(200).text(), r#"{"data":[false,"Bo"]}"#);
}

#[test]
fn a_part_without_a_media_type_is_plain_text() {
    let route = Route::post("/texts").id("texts").public();
    let route = route.handler(async |SendTexts { form }| {
        let file = form.text.or(form.table);
        let name = form.stream.as_ref().and_then(FileStream::file_name);
        let name = name.or(file.as_ref().and_then(UploadedFile::file_name));
        Ok(Data((name, file.and_then(|file| file.content_type().map(str::to_owned)))))
    });
    let api = Api::builder(Configuration::new("texts", "1.0.0")).controller(route).build().unwrap();
    let client = TestClient::new(api);
    let reason = "must have one of these media types: text/csv, application/octet-stream; \
                  the part has no `Content-Type`, so it is text/plain";
    for (part, expected) in [
        ("name=text; filename=a", Ok("[\"a\",null]")),
        ("name=stream; filename=a", Ok("[\"a\",null]")),
        (
            "name=text; filename=a\r\nContent-Type: text/plain; charset=utf-8",
            Ok("[\"a\",\"text/plain; charset=utf-8\"]"),
        ),
        ("name=text; filename=a\r\nContent-Type: text/html", Err("must have one of these media types: text/plain\"")),
        ("name=table; filename=a", Err(reason)),
        // `filename*` names a file, too.
        ("name=text; filename*=UTF-8''%C3%A4", Ok("[\"\u{e4}\",null]")),
        ("name=stream; filename*=UTF-8''%C3%A4", Ok("[\"\u{e4}\",null]")),
        ("name=table; filename*=UTF-8''a", Err(reason)),
        ("name=text; filename*=UTF-8''a\r\nContent-Type: text/html", Err("media types: text/plain\"")),
    ] {
        let body = format!("--XX\r\nContent-Disposition: form-data; {part}\r\n\r\nx\r\n--XX--");
        let response = client.post("/texts").body("multipart/form-data; boundary=XX", body).send();
        match expected {
            Ok(data) => assert_eq!(response.assert_status(200).text(), format!("{{\"data\":{data}}}"), "{part}"),
            Err(message) => {
                assert!(response.assert_problem("invalid_request").text().contains(message), "{}", response.text());
            }
        }
    }
}

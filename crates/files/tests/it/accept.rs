//! The media types of the files of a form.

use restwright::files::FileStream;
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

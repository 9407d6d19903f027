//! `check_content`: the first bytes of a file decide about its media type.

use restwright::files::{FileStream, UploadedFile};
use restwright::prelude::*;
use restwright::testing::{TestClient, TestResponse};
use serde::Deserialize;
use serde_json::json;

use crate::forms::form;

#[derive(Deserialize, Schema)]
struct Photo {
    #[property(accept = "image/*, application/pdf", check_content)]
    photo: Option<UploadedFile>,
    #[serde(default)]
    #[property(items(accept = "image/png", check_content))]
    others: Vec<UploadedFile>,
}

#[derive(Request)]
struct SendPhoto {
    #[body(multipart)]
    form: Photo,
}

#[derive(Deserialize, Schema)]
struct Video {
    #[property(accept = "video/*", check_content, max_size = 200_000)]
    video: FileStream,
}

#[derive(Request)]
struct SendVideo {
    #[body(multipart)]
    form: Video,
}

fn post(path: &str, name: &str, media_type: &str, content: &[u8]) -> TestResponse {
    let photo = Route::post("/photos").id("sendPhoto").public().body_limit(4_000_000);
    let photo = photo.handler(async |SendPhoto { form }| {
        let file = form.photo.iter().chain(&form.others).next();
        let size = file.map_or(0, UploadedFile::size);
        Ok(Data(json!([file.and_then(|file| file.content_type().map(str::to_owned)), size])))
    });
    let video = Route::post("/videos").id("sendVideo").public();
    let video = video.handler(async |SendVideo { mut form }| {
        let (media_type, mut bytes) = (form.video.content_type(), Vec::new());
        while let Some(piece) = form.video.next().await? {
            bytes.extend_from_slice(&piece);
        }
        let is_whole = bytes.iter().skip(12).enumerate().all(|(index, byte)| usize::from(*byte) == index % 251);
        Ok(Data(json!([media_type, bytes.len(), is_whole])))
    });
    let api = Api::builder(Configuration::new("content", "1.0.0"));
    let client = TestClient::new(api.controller(photo).controller(video).build().unwrap());
    let body = form(&[(name, Some(("a", media_type)), content)]);
    let response = client.post(path).body("multipart/form-data; boundary=XX", body).send();
    response.assert_documented();
    response
}

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
const PDF: &[u8] = b"%PDF-1.7\n";
const HTML: &[u8] = b"<!DOCTYPE html><script>alert(1)</script>";
const MP4: &[u8] = b"\0\0\0\x14ftypisom";

#[test]
fn the_first_bytes_decide_about_the_media_type() {
    let large = [PNG, &[0; 300_000]].concat();
    for (name, declared, content, expected) in [
        ("photo", "image/png", PNG, Ok(json!(["image/png", 16]))),
        // The type of the content replaces the declared one.
        ("photo", "image/gif", PNG, Ok(json!(["image/png", 16]))),
        ("photo", "image/png", PDF, Ok(json!(["application/pdf", 9]))),
        ("photo", "image/png", &large, Ok(json!(["image/png", 300_016]))),
        ("photo", "image/png", HTML, Err("text/html")),
        ("photo", "image/svg+xml", b"<svg onload=alert(1)>", Err("of an unknown type")),
        ("photo", "image/png", b"MZ\x90\0", Err("application/vnd.microsoft.portable-executable")),
        ("photo", "image/png", b"just text", Err("of an unknown type")),
        ("photo", "image/png", b"", Err("of an unknown type")),
        ("photo", "image/png", &PNG[..3], Err("of an unknown type")),
        ("others", "image/png", PNG, Ok(json!(["image/png", 16]))),
        ("others", "image/png", PDF, Err("application/pdf")),
    ] {
        let response = post("/photos", name, declared, content);
        let pointer = if name == "photo" { "/photo" } else { "/others/0" };
        match expected {
            Ok(expected) => drop(response.assert_json(&json!({ "data": expected }))),
            Err(found) => {
                response.assert_violations([("body", pointer, "accept")]);
                let message = &response.violations()[0].message;
                assert!(message.ends_with(&format!("; the content is {found}")), "{message}");
            }
        }
    }
    // The declared type is checked first.
    let response = post("/photos", "photo", "text/html", PNG);
    response.assert_violations([("body", "/photo", "accept")]);
    assert!(!response.violations()[0].message.contains("content"));
}

#[test]
fn the_start_of_a_streamed_file_is_checked_before_the_handler() {
    for size in [0, 1, 8_000, 8_180, 8_181, 100_000] {
        let rest: Vec<u8> = (0..size).map(|index| u8::try_from(index % 251).unwrap()).collect();
        let response = post("/videos", "video", "video/mp4", &[MP4, &rest].concat());
        response.assert_json(&json!({ "data": ["video/mp4", size + 12, true] }));
    }
    post("/videos", "video", "video/mp4", HTML).assert_violations([("body", "/video", "accept")]);
    post("/videos", "video", "video/mp4", b"").assert_violations([("body", "/video", "accept")]);
    post("/videos", "video", "video/mp4", &[MP4, &[0; 200_000]].concat()).assert_status(413);
}

#[test]
fn the_content_is_compared_with_declared_media_types() {
    #[derive(Deserialize, Schema)]
    #[allow(dead_code, reason = "only its schema is used")]
    struct Anything {
        #[property(check_content)]
        file: UploadedFile,
    }

    #[derive(Request)]
    struct SendAnything {
        #[body(multipart)]
        #[allow(dead_code, reason = "only its schema is used")]
        form: Anything,
    }

    let send = Route::post("/").id("send").public().handler(async |_: SendAnything| Ok(NoContent));
    let errors = Api::builder(Configuration::new("content", "1.0.0")).controller(send).build().unwrap_err().to_string();
    let sentence = "The property `file` of `Anything`: `check_content` compares the content with the media types of \
                    `accept`; set `accept` too.";
    assert!(errors.contains(sentence), "{errors}");
}

//! Objects in forms: as JSON, as clients of the document send them, and as one field for each property.

use std::collections::BTreeMap;

use restwright::files::UploadedFile;
use restwright::openapi::Document;
use restwright::prelude::*;
use restwright::testing::{TestClient, TestResponse};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::forms::violations;

#[derive(Serialize, Deserialize, Schema)]
struct Address {
    street: String,
    #[property(max_length = 5)]
    city: String,
}

#[derive(Serialize, Deserialize, Schema)]
struct Line {
    article: String,
    #[property(minimum = 1)]
    count: u32,
}

#[derive(Serialize, Deserialize, Schema)]
#[serde(untagged)]
enum Payment {
    Card { card: String },
    Transfer { iban: String },
}

#[derive(Serialize, Deserialize, Schema)]
struct Order {
    name: String,
    age: Option<i64>,
    #[serde(default)]
    tags: Vec<String>,
    address: Option<Address>,
    #[serde(default)]
    lines: Vec<Line>,
    #[serde(default)]
    labels: BTreeMap<String, i64>,
    payment: Option<Payment>,
    extra: Option<Value>,
}

#[derive(Request)]
struct CreateOrder {
    #[body(form, multipart)]
    order: Order,
}

#[derive(Deserialize, Schema)]
struct Cover {
    title: String,
    #[property(max_size = 3, accept = "image/png")]
    picture: UploadedFile,
}

#[derive(Deserialize, Schema)]
struct Album {
    attachment: Option<UploadedFile>,
    cover: Cover,
}

#[derive(Request)]
struct CreateAlbum {
    #[body(multipart)]
    form: Album,
}

fn api() -> Api {
    let order = Route::post("/orders").id("createOrder").public();
    let order = order.handler(async |CreateOrder { order }| Ok(Data(order)));
    let album = Route::post("/albums").id("createAlbum").public();
    let album = album.handler(async |CreateAlbum { form }| {
        let attachment = form.attachment.map(|file| file.size());
        Ok(Data(json!({ "title": form.cover.title, "size": form.cover.picture.size(), "attachment": attachment })))
    });
    let api = Api::builder(Configuration::new("forms", "1.0.0"));
    api.controller(order).controller(album).build().unwrap()
}

/// Sends parts, each with the parameters and fields after its name, and its content.
fn post(path: &str, parts: &[(&str, &str, &str)]) -> TestResponse {
    let part = |(name, rest, content): &(&str, &str, &str)| {
        format!("--XX\r\nContent-Disposition: form-data; name=\"{name}\"{rest}\r\n\r\n{content}\r\n")
    };
    let body = parts.iter().map(part).collect::<String>() + "--XX--\r\n";
    TestClient::new(api()).post(path).body("multipart/form-data; boundary=XX", body).send()
}

/// A part of JSON, as generated clients send it.
const JSON: &str = "\r\nContent-Type: application/json";
/// A part of JSON, as browsers send a `Blob`.
const BLOB: &str = "; filename=\"blob\"\r\nContent-Type: application/json";
const PLAIN: &str = "\r\nContent-Type: text/plain; charset=utf-8";
const PNG: &str = "; filename=\"a.png\"\r\nContent-Type: image/png";

const ADDRESS: &str = r#"{"street":"S","city":"C"}"#;
const LINES: &str = r#"[{"article":"a","count":1},{"article":"b","count":2}]"#;

#[test]
fn the_document_and_the_service_agree_on_objects() {
    let expected = json!({
        "name": "Ada",
        "age": null,
        "tags": ["a", "b"],
        "address": { "street": "S", "city": "C" },
        "lines": [{ "article": "a", "count": 1 }, { "article": "b", "count": 2 }],
        "labels": { "x": 1 },
        "payment": { "card": "7" },
        "extra": null,
    });
    let (line, other) = (r#"{"article":"a","count":1}"#, r#"{"article":"b","count":2}"#);
    let (labels, payment) = (r#"{"x":1}"#, r#"{"card":"7"}"#);
    let name = [("name", "", "Ada"), ("tags", "", "a"), ("tags", "", "b")];
    for (sender, parts) in [
        (
            "generated clients",
            vec![
                ("address", JSON, ADDRESS),
                ("lines", JSON, line),
                ("lines", JSON, other),
                ("labels", JSON, labels),
                ("payment", JSON, payment),
            ],
        ),
        (
            "a whole list",
            vec![
                ("address", JSON, ADDRESS),
                ("lines", JSON, LINES),
                ("labels", JSON, labels),
                ("payment", JSON, payment),
            ],
        ),
        (
            "a Blob",
            vec![
                ("address", BLOB, ADDRESS),
                ("lines", BLOB, LINES),
                ("labels", BLOB, labels),
                ("payment", BLOB, payment),
            ],
        ),
        (
            "no media type",
            vec![("address", "", ADDRESS), ("lines", "", LINES), ("labels", "", labels), ("payment", "", payment)],
        ),
        (
            "text/plain",
            vec![
                ("address", PLAIN, ADDRESS),
                ("lines", PLAIN, line),
                ("lines", PLAIN, other),
                ("labels", PLAIN, labels),
                ("payment", PLAIN, payment),
            ],
        ),
        (
            "brackets",
            vec![
                ("address[street]", "", "S"),
                ("address[city]", "", "C"),
                ("lines[0]", JSON, line),
                ("lines[1][article]", "", "b"),
                ("lines[1][count]", "", "2"),
                ("labels[x]", "", "1"),
                ("payment[card]", "", "7"),
            ],
        ),
    ] {
        let response = post("/orders", &[&name[..], &parts].concat());
        assert_eq!(response.assert_status(200).assert_documented().json::<Value>()["data"], expected, "{sender}");
    }
    let client = TestClient::new(api());
    let form = format!(
        "name=Ada&tags=a&tags=b&address={ADDRESS}&lines={line}&lines={other}&labels={labels}&payment={payment}"
    );
    let form = form.replace('"', "%22").replace('{', "%7B").replace('}', "%7D");
    let response = client.post("/orders").body("application/x-www-form-urlencoded", form).send();
    assert_eq!(response.assert_status(200).json::<Value>()["data"], expected);

    let document = serde_json::to_value(Document::from_api(&api())).unwrap();
    let content = &document["paths"]["/orders"]["post"]["requestBody"]["content"];
    let json = json!({ "contentType": "application/json" });
    let encoding = json!({ "address": json, "labels": json, "lines": json, "payment": json });
    for media_type in ["multipart/form-data", "application/x-www-form-urlencoded"] {
        assert_eq!(content[media_type]["encoding"], encoding, "{media_type}");
    }
    // A file is not JSON, so an object with a file is sent as one field for each property.
    let content = &document["paths"]["/albums"]["post"]["requestBody"]["content"];
    assert_eq!(content["multipart/form-data"]["encoding"], Value::Null);
}

#[test]
fn a_json_part_is_read_for_any_property() {
    let parts = [
        ("name", JSON, r#""Ada \u00e4""#),
        ("age", "\r\nContent-Type: Application/JSON; charset=utf-8", "7"),
        ("tags", JSON, r#"["a","b"]"#),
        ("extra", JSON, r#"[{"a":1.5}]"#),
    ];
    let data = &post("/orders", &parts).assert_status(200).json::<Value>()["data"];
    assert_eq!((&data["name"], &data["age"]), (&json!("Ada \u{e4}"), &json!(7)));
    assert_eq!((&data["tags"], &data["extra"]), (&json!(["a", "b"]), &json!([{ "a": 1.5 }])));
    // Where a string is allowed, only a label makes a text JSON.
    let parts = [("name", "", "\"Ada\""), ("tags", PLAIN, r#"["a"]"#), ("extra", "", "{}"), ("age", PLAIN, "7")];
    let data = &post("/orders", &parts).assert_status(200).json::<Value>()["data"];
    assert_eq!((&data["name"], &data["tags"]), (&json!("\"Ada\""), &json!([r#"["a"]"#])));
    assert_eq!((&data["extra"], &data["age"]), (&json!("{}"), &json!(7)));
}

#[test]
fn violations_in_json_parts_have_the_path_of_the_property() {
    let name = ("name", "", "Ada");
    let deep = "[".repeat(127);
    for (part, expected) in [
        (("address", JSON, r#"{"street":"S"}"#), ("/address/city", "required")),
        (("address", JSON, r#"{"street":"S","city":"longer"}"#), ("/address/city", "max_length")),
        (("address", JSON, r#"{"street":"S","city":"C","city":"D"}"#), ("/address/city", "duplicate_property")),
        (("address", JSON, "7"), ("/address", "type")),
        (("address", "", "here"), ("/address", "type")),
        (("address", JSON, "here"), ("/address", "format")),
        (("address", JSON, ""), ("/address", "format")),
        (("lines", JSON, r#"[{"article":"a","count":0}]"#), ("/lines/0/count", "minimum")),
        (("lines", "", r#"{"article":"a","count":0}"#), ("/lines/0/count", "minimum")),
        (("labels", JSON, r#"{"x":"1"}"#), ("/labels/x", "type")),
        (("payment", JSON, "{}"), ("/payment/card", "required")),
        (("age", JSON, "\"7\""), ("/age", "type")),
        (("tags", JSON, "[1]"), ("/tags/0", "type")),
        (("extra", JSON, deep.as_str()), ("/extra", "format")),
        // A file for a property that does not exist.
        (("other", BLOB, "{}"), ("/other", "type")),
    ] {
        let found = violations(&post("/orders", &[name, part]));
        assert_eq!(found, [(expected.0.to_owned(), expected.1.to_owned())], "{part:?}");
    }
    let response = post("/orders", &[name, ("address", "\r\nContent-Type: application/json; charset=latin1", "{}")]);
    response.assert_problem("malformed_body");
    let long = format!("\"{}\"", "x".repeat(1024 * 1024));
    post("/orders", &[name, ("extra", JSON, &long)]).assert_problem("body_too_large");
}

#[test]
fn json_refers_to_no_file() {
    let fields = [("cover[title]", "", "T"), ("cover[picture]", PNG, "123")];
    let data = &post("/albums", &fields).assert_status(200).json::<Value>()["data"];
    assert_eq!(data, &json!({ "title": "T", "size": 3, "attachment": null }));
    // The number would refer to a file that is larger than `max_size` allows, and of another media type.
    let attachment = ("attachment", "; filename=\"a\"\r\nContent-Type: text/html", "123456");
    for (part, pointer) in [
        (("cover", JSON, r#"{"title":"T","picture":0}"#), "/cover"),
        (("cover", BLOB, r#"{"title":"T","picture":0}"#), "/cover"),
        (("cover", "", r#"{"title":"T","picture":0}"#), "/cover"),
        (("cover[picture]", JSON, "0"), "/cover/picture"),
        (("cover[picture]", "", "0"), "/cover/picture"),
    ] {
        let response = post("/albums", &[attachment, part]);
        assert_eq!(violations(&response)[0].0, pointer, "{part:?}");
    }
    let response = post("/albums", &[attachment, ("cover[title]", "", "T"), ("cover[picture]", JSON, "0")]);
    assert_eq!(violations(&response), [("/cover/picture".to_owned(), "type".to_owned())]);
}

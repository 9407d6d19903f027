//! One form with every kind of property, from the programs of `.ci/forms`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;
use std::{env, fs};

use restwright::files::UploadedFile;
use restwright::openapi::Document;
use restwright::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::hosts::on_both_hosts;

#[derive(Serialize, Deserialize, Schema)]
struct Address {
    city: String,
    zip: u32,
}

#[derive(Serialize, Deserialize, Schema)]
struct Line {
    article: String,
    count: u32,
}

#[derive(Serialize, Deserialize, Schema)]
#[serde(rename_all = "snake_case")]
enum Kind {
    First,
    Second,
}

#[derive(Serialize, Deserialize, Schema)]
#[serde(untagged)]
enum Payment {
    Card { card: String },
    Transfer { iban: String },
}

#[derive(Serialize, Deserialize, Schema)]
struct Form {
    text: String,
    json_text: String,
    empty_text: String,
    integer: i64,
    number: f64,
    flag: bool,
    kind: Kind,
    day: jiff::civil::Date,
    at: jiff::civil::DateTime,
    start: jiff::civil::Time,
    instant: jiff::Timestamp,
    nothing: Option<i64>,
    absent: Option<String>,
    tags: Vec<String>,
    numbers: Vec<i64>,
    empty_list: Vec<i64>,
    pair: (i64, String),
    address: Address,
    lines: Vec<Line>,
    labels: BTreeMap<String, i64>,
    payment: Payment,
    #[serde(skip_serializing)]
    #[property(max_size = 100, accept = "image/png")]
    file: Option<UploadedFile>,
    #[serde(default, skip_serializing)]
    files: Vec<UploadedFile>,
}

#[derive(Request)]
struct SendForm {
    #[body(form, multipart)]
    form: Form,
}

/// The form without a choice of formats, because the client of openapi-python-client sends all of them together.
#[derive(Request)]
struct SendParts {
    #[body(multipart)]
    form: Form,
}

async fn shown(form: Form) -> Result<Data<Value>> {
    let mut files = Vec::new();
    for file in form.file.iter().chain(&form.files) {
        let bytes = file.bytes().await.map_err(Problem::internal)?;
        files.push(json!([file.file_name(), file.content_type(), bytes.to_vec()]));
    }
    Ok(Data(json!({ "form": form, "files": files })))
}

fn api() -> Api {
    let form = Route::post("/forms").id("sendForm").public().handler(async |SendForm { form }| shown(form).await);
    let parts = Route::post("/parts").id("sendParts").public().handler(async |SendParts { form }| shown(form).await);
    Api::builder(Configuration::new("forms", "1.0.0")).controller(form).controller(parts).build().unwrap()
}

fn expected(is_multipart: bool) -> Value {
    let form = json!({
        "text": "Zo\u{eb} \"7\"\r\n{x} & y=z+1%",
        "json_text": "{\"a\":1}",
        "empty_text": "",
        "integer": 42,
        "number": 1.5,
        "flag": true,
        "kind": "second",
        "day": "2024-02-29",
        "at": "2024-07-18T11:00:00",
        "start": "12:30:00",
        "instant": "2024-07-18T11:00:00Z",
        "nothing": null,
        "absent": null,
        "tags": ["a", "[\"b\"]"],
        "numbers": [1, 2],
        "empty_list": [],
        "pair": [1, "x"],
        "address": { "city": "Z\u{fc}rich", "zip": 8000 },
        "lines": [{ "article": "a", "count": 1 }, { "article": "b", "count": 2 }],
        "labels": { "x": 1, "y z": 2 },
        "payment": { "card": "7" },
    });
    let files = json!([
        ["\u{e4} \"7\".png", "image/png", b"\x89PNG\r\n--\r\n\0"],
        ["a.json", "application/json", b"{\"a\":1}"],
        ["b.txt", "text/plain", b""],
    ]);
    json!({ "data": { "form": form, "files": if is_multipart { files } else { json!([]) } } })
}

/// The ways in which each program sends the form. A way that is left out fails.
const WAYS: [(&str, &str, &[&str]); 5] = [
    (
        "python3",
        "senders.py",
        &[
            "requests, a part for each item",
            "requests, one part",
            "requests, text parts",
            "requests, brackets",
            "urlencoded requests, JSON",
            "urlencoded requests, brackets",
            "httpx, a part for each item",
            "httpx, one part",
            "httpx, brackets",
            "urlencoded httpx, JSON",
            "aiohttp, a part for each item",
            "aiohttp, one part",
            "aiohttp, text parts",
            "aiohttp, brackets",
            "urlencoded aiohttp, JSON",
            "urlencoded urllib, brackets",
        ],
    ),
    (
        "node",
        "senders.mjs",
        &[
            "undici, a Blob for each item",
            "undici, one Blob",
            "undici, text parts",
            "urlencoded undici, JSON",
            "Node's fetch, a Blob for each item",
            "Node's fetch, one Blob",
            "Node's fetch, text parts",
            "urlencoded Node's fetch, JSON",
        ],
    ),
    (
        "bash",
        "senders.sh",
        &[
            "curl, a part for each item",
            "curl, one part",
            "curl, text parts",
            "curl, brackets",
            "urlencoded curl, JSON",
        ],
    ),
    (
        "python3",
        "senders_browser.py",
        &[
            "Chromium, brackets",
            "urlencoded Chromium, brackets",
            "Chromium, JSON in inputs",
            "urlencoded Chromium, JSON in inputs",
        ],
    ),
    ("bash", "senders_generated.sh", &["openapi-python-client"]),
];

#[test]
#[ignore = "needs the programs that .ci/forms/run installs"]
fn each_program_sends_the_same_form() {
    let tools = env::var("RESTWRIGHT_SENDERS").expect("run .ci/forms/run, which sets RESTWRIGHT_SENDERS");
    let document = serde_json::to_string(&Document::from_api(&api())).unwrap();
    fs::write(Path::new(&tools).join("openapi.json"), document).unwrap();
    on_both_hosts(api, |address| {
        for (program, script, ways) in WAYS {
            let script = Path::new(&tools).join(script);
            let command = Command::new(program).arg(script).env("API_URL", format!("http://{address}")).output();
            let output = command.unwrap_or_else(|error| panic!("{program} does not start: {error}"));
            let (lines, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
            let mut sent = BTreeSet::new();
            for (way, body) in lines.lines().filter_map(|line| line.split_once('\t')) {
                let body: Value = serde_json::from_str(body).unwrap_or_else(|error| panic!("{way}: {error}: {body}"));
                assert_eq!(body, expected(!way.starts_with("urlencoded")), "{way}: {body:#}");
                sent.insert(way);
            }
            assert!(output.status.success(), "{program}: {lines} {errors}");
            assert_eq!(sent, ways.iter().copied().collect(), "{program} left out a way: {lines} {errors}");
        }
    });
}

//! Bodies of many items, as JSON lines and as CSV.

use restwright::files::ItemStream;
use restwright::prelude::*;
use restwright::problem::catalogue::CONFLICT;
use restwright::testing::TestClient;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A book.
#[derive(Debug, Serialize, Deserialize, Schema)]
#[serde(deny_unknown_fields)]
struct Book {
    #[property(min_length = 2)]
    title: String,
    pages: Option<u32>,
    #[serde(default)]
    tags: Vec<String>,
    #[serde(default)]
    is_new: bool,
    note: Option<String>,
    author: Option<Author>,
}

#[derive(Debug, Serialize, Deserialize, Schema)]
struct Author {
    name: String,
}

#[derive(Request)]
struct Import {
    #[body]
    books: ItemStream<Book>,
}

fn client() -> TestClient {
    let import = Route::post("/import").id("import").public().body_limit(10_000_000).problem(CONFLICT).handler(
        async |mut request: Import| {
            let mut books = Vec::new();
            while let Some(book) = request.books.next().await? {
                if book.title == "taken" {
                    return Err(Problem::new(CONFLICT).below(&request.books.pointer()));
                }
                books.push(serde_json::to_value(book).map_err(Problem::internal)?);
            }
            Ok(Data(books))
        },
    );
    TestClient::new(Api::builder(Configuration::new("books", "1.0.0")).controller(import).build().unwrap())
}

/// Sends a body, and returns the status with the books, or with the code, the pointer and the line of each violation.
fn sent(media_type: &str, body: &str) -> (u16, Value) {
    let response = client().post("/import").body(media_type, body.to_owned()).send();
    response.assert_documented();
    let json: Value = response.json();
    let violation = |one: &Value| {
        format!("{} {} {}", one["code"].as_str().unwrap(), one["pointer"].as_str().unwrap(), one["params"]["line"])
    };
    let found = match (&json["data"], &json["errors"]) {
        (Value::Array(books), _) => json!(books),
        (_, Value::Array(errors)) => json!(errors.iter().map(violation).collect::<Vec<_>>()),
        _ => {
            let detail = json["detail"].as_str().unwrap_or_default();
            let line = detail.split_once("line ").map(|(_, rest)| rest);
            let digits = line.map(|rest| rest.chars().take_while(char::is_ascii_digit).collect::<String>());
            json!([json["code"], digits])
        }
    };
    (response.status().as_u16(), found)
}

#[test]
fn items_are_read_one_by_one() {
    let book = |title: &str, more: Value| {
        let mut book =
            json!({"title": title, "pages": null, "tags": [], "is_new": false, "note": null, "author": null});
        book.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        book
    };
    let all = json!({"pages": 7, "tags": ["a"], "is_new": true, "note": "x,\n\"y\"", "author": {"name": "Ada"}});
    for (media_type, body, expected) in [
        ("application/jsonl", "", json!([])),
        (
            "application/jsonl",
            "{\"title\": \"Emma\"}\n\n{\"title\": \"Ulysses\", \"pages\": 7}",
            json!([book("Emma", json!({})), book("Ulysses", json!({"pages": 7}))]),
        ),
        ("application/x-ndjson; charset=utf-8", "{\"title\": \"Emma\"}\r\n", json!([book("Emma", json!({}))])),
        ("text/csv", "title\r\nEmma\r\n", json!([book("Emma", json!({}))])),
        (
            "text/csv; charset=utf-8; header=present",
            "pages,title,tags,is_new,note,author\r\n7,Emma,\"[\"\"a\"\"]\",true,\"x,\n\"\"y\"\"\",\"{\"\"name\"\":\"\"Ada\"\"}\"\r\n,Ulysses,,,,\r\n",
            json!([book("Emma", all), book("Ulysses", json!({}))]),
        ),
        ("text/csv", "title,author[name]\nEmma,Ada", json!([book("Emma", json!({"author": {"name": "Ada"}}))])),
    ] {
        assert_eq!(sent(media_type, body), (200, expected), "{body}");
    }
}

#[test]
fn csv_has_the_booleans_of_data_tools() {
    let (status, books) = sent("text/csv", "title,is_new\nEmma,True\nEmma,FALSE\nEmma,t\nEmma,0\nEmma,on\n");
    let found: Vec<_> = books.as_array().unwrap().iter().map(|book| &book["is_new"]).collect();
    assert_eq!((status, found), (200, vec![&json!(true), &json!(false), &json!(true), &json!(false), &json!(true)]));
    assert_eq!(sent("text/csv", "title,is_new\nEmma,yes\n"), (422, json!(["type /0/is_new 2"])));
}

#[test]
fn csv_distinguishes_null_from_an_empty_text() {
    let notes = |body: &str| {
        let (status, found) = sent("text/csv", body);
        let books = found.as_array().unwrap().iter();
        (status, books.map(|book| book.get("note").unwrap_or(book).clone()).collect::<Vec<_>>())
    };
    for (body, expected) in [
        ("title,note\nEmma,\nEmma,\"\"\nEmma,a\n", (200, vec![json!(null), json!(""), json!("a")])),
        // A spreadsheet writes an empty text without quotes, and some programs quote all cells.
        ("title,pages\n,7\n", (422, vec![json!("min_length /0/title 2")])),
        ("\"title\",\"pages\",\"author\",\"is_new\"\n\"Emma\",\"\",\"\",\"\"\n", (200, vec![json!(null)])),
    ] {
        assert_eq!(notes(body), expected, "{body}");
    }
}

#[test]
fn the_last_line_may_contain_the_number_of_rows() {
    for (body, expected) in [
        ("{\"$rows\": 0}", (200, json!([]))),
        (
            "{\"title\": \"Emma\"}\n{\"$rows\":1}\n\n",
            (200, json!([{"title": "Emma", "pages": null, "tags": [], "is_new": false, "note": null, "author": null}])),
        ),
        // The file is incomplete, or does not end here.
        ("{\"title\": \"Emma\"}\n{\"$rows\":2}\n", (422, json!(["invalid /1/$rows 2"]))),
        ("{\"$rows\":0}\n{\"title\": \"Emma\"}\n", (422, json!(["invalid /0/$rows 1"]))),
        // Items, which lack what items need.
        ("{\"$rows\":-1}\n", (422, json!(["unknown_property /0/$rows 1", "required /0/title 1"]))),
        ("{\"$rows\":0,\"title\":\"Emma\"}\n", (422, json!(["unknown_property /0/$rows 1"]))),
    ] {
        assert_eq!(sent("application/jsonl", body), expected, "{body}");
    }
}

#[test]
fn errors_name_the_line() {
    let long = format!("{{\"title\": \"{}", "x".repeat(1_100_000));
    let quote = format!("title\nEmma\n\"{}", "x".repeat(1_100_000));
    for (media_type, body, expected) in [
        ("application/json", "{}", (415, json!(["unsupported_media_type", null]))),
        (
            "application/jsonl",
            "\n{\"title\": \"Emma\"}\n{\"title\": \"E\", \"x\": 1}",
            (422, json!(["min_length /1/title 3", "unknown_property /1/x 3"])),
        ),
        ("application/jsonl", "{\"title\": \"Emma\"}\n{\"title\"}\n", (400, json!(["malformed_body", "2"]))),
        ("application/jsonl", &long, (413, json!(["body_too_large", "1"]))),
        ("application/jsonl", "{\"title\": \"taken\"}", (409, json!(["conflict", null]))),
        (
            "text/csv",
            "title,pages\r\nEmma,7\r\n\r\nE,x\r\n",
            (422, json!(["min_length /1/title 4", "type /1/pages 4"])),
        ),
        ("text/csv", "title,pages\nEmma\n", (422, json!(["invalid /0 2"]))),
        ("text/csv", "title,colour\nEmma,red\n", (422, json!(["unknown_property /0/colour 1"]))),
        ("text/csv", "title,tags\nEmma,\"[1\"\n", (422, json!(["type /0/tags 2"]))),
        ("text/csv", "title,title\nEmma,Emma\n", (422, json!(["too_many_values /0/title 2"]))),
        ("text/csv", "title\nEmma\n\"Ulysses\n", (400, json!(["malformed_body", "3"]))),
        ("text/csv", &quote, (413, json!(["body_too_large", "3"]))),
    ] {
        let shown: String = body.chars().take(80).collect();
        assert_eq!(sent(media_type, body), expected, "{shown}");
    }
    let encoded = client().post("/import").body("text/csv", "title\n").header("Content-Encoding", "gzip").send();
    encoded.assert_status(415).assert_documented();
}

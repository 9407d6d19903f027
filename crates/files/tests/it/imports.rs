//! The columns and the encoding of files that clients import.

use restwright::files::ItemStream;
use restwright::openapi::Document;
use restwright::prelude::*;
use restwright::testing::{TestClient, TestResponse};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A product.
#[derive(Debug, Serialize, Deserialize, Schema)]
#[serde(rename_all = "camelCase")]
struct Product {
    #[serde(skip_deserializing)]
    id: i64,
    code: String,
    unit_price: Option<f64>,
    made_in: Option<Place>,
}

#[derive(Debug, Serialize, Deserialize, Schema)]
struct Place {
    city: String,
}

#[derive(Request)]
struct Import {
    #[body]
    products: ItemStream<Product>,
}

fn api() -> Api {
    let import = Route::post("/import").id("import").public().handler(async |mut request: Import| {
        let mut products = Vec::new();
        while let Some(product) = request.products.next().await? {
            products.push(product);
        }
        Ok(Data(products))
    });
    Api::builder(Configuration::new("shop", "1.0.0")).controller(import).build().unwrap()
}

/// Programs in `.ci/programs/documents` generate clients of this document.
#[test]
fn the_document_of_an_import_is_the_document_that_generators_read() {
    let expected: Value =
        serde_json::from_str(include_str!("../../../../.ci/programs/documents/imports.json")).unwrap();
    assert_eq!(serde_json::to_value(Document::from_api(&api())).unwrap(), expected);
}

fn sent(media_type: &str, body: &[u8]) -> TestResponse {
    let response = TestClient::new(api()).post("/import").body(media_type, body.to_vec()).send();
    response.assert_documented();
    response
}

#[test]
fn a_column_without_a_property_is_a_violation_that_names_the_nearest() {
    for (header, expected) in [
        ("Code", vec!["/0/Code is not a known column; did you mean `code`?"]),
        ("code,unit_price", vec!["/0/unit_price is not a known column; did you mean `unitPrice`?"]),
        ("code,madeIn.city", vec!["/0/madeIn.city is not a known column; did you mean `madeIn[city]`?"]),
        ("code,madeIn[town]", vec!["/0/madeIn[town] is not a known column; did you mean `madeIn[city]`?"]),
        ("code,colour", vec!["/0/colour is not a known column"]),
        // Clients cannot set the property `id`.
        ("code,ids", vec!["/0/ids is not a known column"]),
        (",code", vec!["/0/ must have the name of a property, because a column needs a name"]),
        (
            "code;unitPrice",
            vec!["/0/code;unitPrice is the only column; separate the columns with commas, not with semicolons"],
        ),
        (
            "code\tunitPrice",
            vec!["/0/code\tunitPrice is the only column; separate the columns with commas, not with tabs"],
        ),
        (
            "codes,price,code",
            vec!["/0/codes is not a known column; did you mean `code`?", "/0/price is not a known column"],
        ),
    ] {
        let response = sent("text/csv", format!("{header}\nA1\n").as_bytes());
        let found = response.assert_status(422).violations();
        let shown: Vec<_> = found.iter().map(|one| format!("{} {}", one.pointer, one.message)).collect();
        assert_eq!(shown, expected, "{header}");
        assert!(found.iter().all(|one| one.params["line"] == 1), "{header}");
    }
    let many = (0..1_000).map(|number| format!("codes{number}")).collect::<Vec<_>>().join(",");
    let found = sent("text/csv", many.as_bytes()).assert_status(422).violations();
    assert!(found.len() <= 100 && found[0].message.contains("`code`") && !found[9].message.contains("`code`"));
}

#[test]
fn a_column_that_clients_cannot_set_is_ignored() {
    let product: Value = sent("text/csv", b"id,code,madeIn[city]\n7,A1,Bern\n").assert_status(200).json();
    assert_eq!(product["data"], json!([{"id": 0, "code": "A1", "unitPrice": null, "madeIn": {"city": "Bern"}}]));
}

#[test]
fn the_encoding_of_csv_and_of_json_lines_is_utf_8() {
    let csv: (&str, &[u8]) = ("text/csv", "\u{feff}\"code\"\nä\n".as_bytes());
    let lines: (&str, &[u8]) = ("application/jsonl", "\u{feff}{\"code\": \"ä\"}\n".as_bytes());
    let other: (&str, &[u8]) = ("application/x-ndjson", lines.1);
    for (media_type, body) in [csv, lines, other] {
        for (parameters, expected) in [
            ("", 200),
            ("; charset=UTF-8", 200),
            ("; header=present; charset=\"utf-8\"", 200),
            ("; charset=windows-1252", 415),
            ("; charset=iso-8859-1", 415),
        ] {
            let response = sent(&format!("{media_type}{parameters}"), body);
            response.assert_status(expected);
            if expected == 200 {
                assert_eq!(response.json::<Value>()["data"][0]["code"], "ä", "{media_type}{parameters}");
            }
        }
    }
}

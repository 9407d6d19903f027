#![no_main]
//! Bodies of CSV and JSON lines. A response is the items, a problem of the body, or violations; it is as the document says. The items
//! that were read are the same if they are sent again as JSON lines.

use libfuzzer_sys::{Corpus, fuzz_target};
use restwright::files::ItemStream;
use restwright::prelude::*;
use restwright::testing::TestClient;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Schema)]
struct Address {
    city: String,
    #[property(minimum = 1)]
    number: u32,
}

#[derive(Serialize, Deserialize, Schema)]
struct Item {
    #[property(max_length = 9)]
    name: Option<String>,
    age: Option<i64>,
    price: Option<f64>,
    gift: Option<bool>,
    #[serde(default)]
    tags: Vec<String>,
    address: Option<Address>,
}

#[derive(Request)]
struct Import {
    #[body]
    items: ItemStream<Item>,
}

thread_local! {
    static CLIENT: TestClient = {
        let import = Route::post("/items").id("importItems").public();
        let import = import.handler(async |mut request: Import| {
            let mut items = Vec::new();
            while let Some(item) = request.items.next().await? {
                items.push(item);
            }
            Ok(Data(items))
        });
        let api = Api::builder(Configuration::new("items", "1.0.0"));
        TestClient::new(api.controller(import).build().expect("an Api"))
    };
}

fuzz_target!(|input: &[u8]| -> Corpus {
    let Some((kind, body)) = input.split_first() else { return Corpus::Reject };
    let media_type = if kind % 2 == 0 { "text/csv" } else { "application/jsonl" };
    CLIENT.with(|client| {
        let response = client.post("/items").body(media_type, body.to_vec()).send();
        assert!([200, 400, 413, 422].contains(&response.status().as_u16()), "{}", response.text());
        response.assert_documented();
        if response.status() == 200 {
            let read: serde_json::Value = response.json();
            let items = read["data"].as_array().into_iter().flatten();
            let lines: String = items.map(|item| format!("{item}\n")).collect();
            let again = client.post("/items").body("application/jsonl", lines).send();
            assert_eq!(again.assert_status(200).text(), response.text());
        }
    });
    Corpus::Keep
});

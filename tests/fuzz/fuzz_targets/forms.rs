#![no_main]
//! Bodies of `multipart/form-data` and `application/x-www-form-urlencoded`. A response is the form, a problem of the body, or violations; it
//! is as the document says. What is read from a form is the same if it is sent again as JSON.

use libfuzzer_sys::{Corpus, fuzz_target};
use restwright::files::UploadedFile;
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
struct Order {
    #[property(max_length = 9)]
    name: Option<String>,
    age: Option<i64>,
    price: Option<f64>,
    gift: Option<bool>,
    #[serde(default)]
    tags: Vec<String>,
    address: Option<Address>,
    #[serde(default)]
    lines: Vec<Address>,
}

#[derive(Deserialize, Schema)]
struct Cover {
    city: String,
    #[property(max_size = 20, accept = "image/*")]
    f: UploadedFile,
}

#[derive(Deserialize, Schema)]
struct Upload {
    #[property(max_length = 9)]
    a: Option<String>,
    #[property(max_size = 20, accept = "image/*")]
    f: Option<UploadedFile>,
    #[property(accept = "image/*, application/zip", check_content)]
    h: Option<UploadedFile>,
    #[serde(default)]
    #[property(max_items = 3)]
    g: Vec<UploadedFile>,
    // JSON contains no number of a file.
    cover: Option<Cover>,
    address: Option<Address>,
    #[serde(default)]
    lines: Vec<Address>,
    tags: Option<Vec<String>>,
}

#[derive(Request)]
struct CreateOrder {
    #[body(json, form)]
    order: Order,
}

#[derive(Request)]
struct SendFiles {
    #[body(form, multipart)]
    form: Upload,
}

thread_local! {
    static CLIENT: TestClient = {
        let order = Route::post("/orders").id("createOrder").public();
        let order = order.handler(async |request: CreateOrder| Ok(Data(request.order)));
        let files = Route::post("/files").id("sendFiles").public();
        let files = files.handler(async |SendFiles { form }| {
            let mut size = form.a.map_or(0, |text| text.len());
            size += form.tags.map_or(0, |tags| tags.len());
            assert!(form.address.iter().chain(&form.lines).all(|address| address.number > 0));
            size += form.cover.as_ref().map_or(0, |cover| cover.city.len());
            let cover = form.cover.as_ref().map(|cover| &cover.f);
            assert!(cover.into_iter().chain(&form.f).all(|file| file.size() <= 20));
            for file in form.f.iter().chain(&form.h).chain(&form.g).chain(cover) {
                let bytes = file.bytes().await.map_err(Problem::internal)?;
                assert_eq!(u64::try_from(bytes.len()), Ok(file.size()));
                assert!(file.file_name().is_none_or(|name| !name.contains(['/', '\\', '\0'])));
                size += bytes.len();
            }
            Ok(Data(size))
        });
        let api = Api::builder(Configuration::new("forms", "1.0.0"));
        TestClient::new(api.controller(order).controller(files).build().expect("an Api"))
    };
}

fuzz_target!(|input: &[u8]| -> Corpus {
    let Some((kind, body)) = input.split_first() else { return Corpus::Reject };
    CLIENT.with(|client| match kind % 2 {
        0 => {
            let media_type = "multipart/form-data; boundary=b";
            let response = client.post("/files").body(media_type, body.to_vec()).send();
            assert!([200, 400, 413, 422].contains(&response.status().as_u16()), "{}", response.text());
            response.assert_documented();
        }
        _ => {
            let response = client.post("/orders").body("application/x-www-form-urlencoded", body.to_vec()).send();
            assert!([200, 400, 413, 422].contains(&response.status().as_u16()), "{}", response.text());
            response.assert_documented();
            if response.status() == 200 {
                let read: serde_json::Value = response.json();
                let again = client.post("/orders").json(&read["data"]).send();
                assert_eq!(again.assert_status(200).text(), response.text());
            }
        }
    });
    Corpus::Keep
});

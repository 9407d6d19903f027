//! Server-sent events, forms with files and ranges in a browser.

use std::error::Error;

use futures_util::{StreamExt, stream};
use restwright::body::RawBody;
use restwright::files::{FileResponse, UploadedFile};
use restwright::prelude::*;
use restwright::{Event, EventStream};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{Chromium, TURN, serve};

/// What happens to pets.
#[derive(Serialize, Schema)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Change {
    Created { name: String },
    Deleted { id: i64 },
}

#[derive(Request)]
struct WatchPets {
    /// The id of the last event that the client has seen.
    #[header("Last-Event-ID")]
    last: Option<i64>,
}

#[derive(Deserialize, Schema)]
struct NewPhoto {
    title: String,
    #[property(max_size = 100_000, accept = "image/*")]
    photo: UploadedFile,
    missing: Option<UploadedFile>,
}

#[derive(Request)]
struct CreatePhoto {
    #[body(form, multipart)]
    form: NewPhoto,
}

#[derive(Response)]
#[response(status = 200, content_type = "text/html")]
struct Page(#[body] RawBody);

/// The events after the last one that the client has. The first connection breaks off after two events.
fn changes(last: Option<i64>) -> EventStream<Change> {
    let created = |name: &str| Change::Created { name: name.to_owned() };
    let first = [
        Ok(Event::new(created("Bo\n\u{e4}")).id(1).retry(std::time::Duration::from_millis(50))),
        Ok(Event::new(Change::Deleted { id: 7 }).id(2).name("deleted")),
    ];
    let events: Vec<Result<Event<Change>, Box<dyn Error>>> = match last {
        None => first.into_iter().chain([Err("broken".into())]).collect(),
        Some(last) => vec![Ok(Event::new(created("Ada")).id(last + 1))],
    };
    EventStream::new(stream::iter(events).chain(stream::pending()))
}

#[test]
#[ignore = "it needs Chromium, and the gate runs it"]
fn an_event_source_receives_typed_events_and_continues_after_the_last_id() {
    let _turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let watch = Route::get("/changes").id("watchPets").public();
    let watch = watch.handler(async |request: WatchPets| Ok(changes(request.last)));
    let page = Route::get("/page").id("page").public().hidden();
    let page = page.handler(async |()| Ok(Page(RawBody("<!doctype html><title>events</title>".into()))));
    let api = Api::builder(Configuration::new("events", "1.0.0")).controller(watch).controller(page).build().unwrap();
    let url = serve(api);
    let Some(mut browser) = Chromium::open(&format!("{url}/page")) else { return };
    browser.evaluate(
        "window.received = []; window.source = new EventSource('/changes');
         const add = (event) => received.push([event.type, event.lastEventId, JSON.parse(event.data)]);
         source.onmessage = add; source.addEventListener('deleted', add); true",
    );
    browser.wait("received.length === 3");
    let received = browser.evaluate("source.close(); JSON.stringify(received)");
    let received: serde_json::Value = serde_json::from_str(received.as_str().unwrap()).unwrap();
    assert_eq!(
        received,
        json!([
            ["message", "1", { "kind": "created", "name": "Bo\n\u{e4}" }],
            ["deleted", "2", { "kind": "deleted", "id": 7 }],
            ["message", "3", { "kind": "created", "name": "Ada" }],
        ])
    );
}

const FORM: &str = r#"<!doctype html><meta charset=utf-8><title>form</title><form method="post" enctype="multipart/form-data" action="/photos">
<input name="title" value="B&auml; &quot;7&quot;"><input type="file" name="photo"><input type="file" name="missing"><button>send</button></form>"#;

#[test]
#[ignore = "it needs Chromium, and the gate runs it"]
fn a_form_sends_a_file_and_a_part_of_it_is_read() {
    let _turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let page = Route::get("/page").id("page").public().hidden();
    let page = page.handler(async |()| Ok(Page(RawBody(FORM.into()))));
    let create = Route::post("/photos").id("createPhoto").public().body_limit(1_000_000);
    let create = create.handler(async |CreatePhoto { form }| {
        let photo = &form.photo;
        let bytes = photo.bytes().await.map_err(Problem::internal)?;
        let sum: u64 = bytes.iter().map(|byte| u64::from(*byte)).sum();
        let shown =
            json!([form.title, photo.file_name(), photo.content_type(), photo.size(), sum, form.missing.is_none()]);
        Ok(Data(shown))
    });
    let file = Route::get("/digits").id("digits").public();
    let file = file.handler(async |()| Ok(FileResponse::from_bytes("0123456789")));
    let api = Api::builder(Configuration::new("photos", "1.0.0"));
    let url = serve(api.controller(page).controller(create).controller(file).build().unwrap());
    let Some(mut browser) = Chromium::open(&format!("{url}/page")) else { return };
    browser.wait("document.querySelector('[name=photo]') !== null");
    let fetched = browser.evaluate(
        r#"(async () => {
            const bytes = new Uint8Array(80000).fill(3);
            const files = new DataTransfer();
            files.items.add(new File([bytes], 'a "b".png', { type: 'image/png' }));
            document.querySelector('[name=photo]').files = files.files;
            const response = await fetch('/photos', { method: 'POST', body: new FormData(document.querySelector('form')) });
            const text = await (await fetch('/digits', { headers: { Range: 'bytes=2-4' } })).text();
            const tooLarge = new FormData();
            tooLarge.append('photo', new File([new Uint8Array(100001)], 'b.png', { type: 'image/png' }));
            const problem = await (await fetch('/photos', { method: 'POST', body: tooLarge })).json();
            return JSON.stringify([await response.json(), text, problem.errors.map((error) => error.pointer + ' ' + error.code)]);
        })()"#,
    );
    let fetched: serde_json::Value = serde_json::from_str(fetched.as_str().unwrap()).unwrap();
    assert_eq!(
        fetched,
        json!([
            { "data": ["B\u{e4} \"7\"", "a \"b\".png", "image/png", 80_000, 240_000, true] },
            "234",
            ["/photo max_size", "/title required"],
        ])
    );
    // The form itself, without a file.
    browser
        .evaluate("document.querySelector('[name=photo]').value = ''; setTimeout(() => document.querySelector('form').submit(), 50); true");
    std::thread::sleep(std::time::Duration::from_secs(1));
    browser.wait("document.body.innerText.includes('invalid_request')");
    assert!(browser.text("body").contains("/photo"), "{}", browser.text("body"));
}

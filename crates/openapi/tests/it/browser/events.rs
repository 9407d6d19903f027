//! Server-sent events and ranges of files in a browser.

use std::error::Error;

use futures_util::{StreamExt, stream};
use restwright::body::RawBody;
use restwright::prelude::*;
use restwright::{Event, EventStream};
use serde::Serialize;
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

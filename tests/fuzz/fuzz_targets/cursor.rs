#![no_main]
//! Cursors for lists whose cursors are authenticated. The first byte chooses a list and what the rest is: a cursor as it is, or changes to
//! a cursor that the server made. A cursor is accepted if and only if the server made it for the same list. Everything else is a 422 at
//! `cursor`.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use restwright::list::{Cursor, CursorKey, Filter, SortBag, apply};
use restwright::prelude::*;
use restwright::testing::TestClient;
use serde::Serialize;
use serde_json::Value;

#[derive(Serialize, Schema, Record)]
struct Event {
    id: i64,
    name: String,
    weight: Option<f64>,
}

#[derive(Clone, Copy, Sort)]
enum EventSort {
    #[sort(id)]
    Id,
    Name,
    Weight,
}

#[derive(Filters)]
struct EventFilters {
    #[filter(eq, contains)]
    name: Filter<String>,
}

#[derive(Request)]
struct ListEvents {
    filters: EventFilters,
    sort: SortBag<EventSort>,
    cursor: Cursor,
}

const LISTS: [&str; 4] =
    ["/events?", "/events?order_by=-name,weight&", "/events?name[contains]=a&order_by=weight&", "/others?"];

struct Lists {
    client: TestClient,
    /// The cursors that the server made for each list.
    made: [BTreeSet<String>; 4],
}

thread_local! {
    static STATE: Lists = {
        let names = ["", "a", "b\u{e4}", "aa", "z"];
        let event = |id: i64| {
            let weight = (id % 2 == 0).then_some(id as f64 / 4.0);
            Arc::new(Event { id, name: names[id as usize].to_owned(), weight })
        };
        let events: Arc<Vec<_>> = Arc::new((0..5).map(event).collect());
        let mut builder = Api::builder(Configuration::new("events", "1.0.0").with(CursorKey::new([7; 32])));
        for path in ["events", "others"] {
            let events = Arc::clone(&events);
            let route = Route::get(format!("/{path}")).id(path).public();
            builder = builder.controller(route.handler(move |request: ListEvents| {
                let events = Arc::clone(&events);
                async move {
                    let ListEvents { filters, sort, cursor } = request;
                    Ok(cursor.respond(apply(&filters, &sort, &cursor, events.iter()).cloned()))
                }
            }));
        }
        let client = TestClient::new(builder.build().expect("an Api"));
        let made = LISTS.map(|list| walk(&client, list));
        Lists { client, made }
    };
}

/// Returns all cursors that lead through a list.
fn walk(client: &TestClient, list: &str) -> BTreeSet<String> {
    let (mut made, mut targets) = (BTreeSet::new(), vec![format!("{list}limit=1")]);
    while let Some(target) = targets.pop() {
        let response = client.get(target).send();
        assert_eq!(response.status(), 200);
        for name in ["current_cursor", "next_cursor", "previous_cursor"] {
            let body: Value = response.json();
            if let Some(cursor) = body["pagination"][name].as_str()
                && made.insert(cursor.to_owned())
            {
                targets.push(format!("{list}limit=1&cursor={cursor}"));
            }
        }
    }
    made
}

fuzz_target!(|bytes: &[u8]| {
    let Some((choice, rest)) = bytes.split_first() else { return };
    let number = usize::from(choice & 3);
    STATE.with(|Lists { client, made }| {
        let cursor = if choice & 4 == 0 {
            rest.to_vec()
        } else {
            let Some((of, changes)) = rest.split_first() else { return };
            let of = usize::from(*of);
            let known: Vec<_> = made[of & 3].iter().collect();
            let mut cursor = known[(of >> 2) % known.len()].clone().into_bytes();
            for change in changes.chunks_exact(2) {
                let place = usize::from(change[0]) % cursor.len();
                cursor[place] ^= change[1];
            }
            cursor
        };
        let encoded = cursor.iter().fold(String::new(), |mut text, byte| {
            write!(text, "%{byte:02x}").expect("memory");
            text
        });
        let response = client.get(format!("{}limit=2&cursor={encoded}", LISTS[number])).send();
        let is_known = std::str::from_utf8(&cursor).is_ok_and(|cursor| made[number].contains(cursor));
        match (response.status().as_u16(), is_known) {
            (200, true) => {}
            (422, false) => assert!(response.violations().iter().all(|violation| violation.pointer == "/cursor")),
            // No cursor, or a query that is not UTF-8.
            (200, false) => assert!(cursor.is_empty()),
            (400, false) => assert!(std::str::from_utf8(&cursor).is_err()),
            (status, _) => panic!("{status} for {:?}", String::from_utf8_lossy(&cursor)),
        }
    });
});

//! The live feed of the tracker.

use std::future::IntoFuture;

use restwright::auth::NewApiKey;
use serde_json::{Value, json};

use super::{PERSONS, Rows, Tracker, rows};

/// Sends requests while five persons watch the tickets, and returns what each of them has seen.
fn watched(tracker: &Tracker, requests: &[(&str, &str, &str, Value)]) -> Vec<Vec<(String, String)>> {
    let client = &tracker.client;
    let request = |method: &str, path: &str, key: &NewApiKey| {
        client.request(method.parse().unwrap(), path).header("X-Api-Key", key.text())
    };
    let key = |person: &str| &tracker.keys[PERSONS.iter().position(|(name, ..)| *name == person).unwrap()];
    client.block_on(async {
        let feeds = tracker.keys.iter().map(|key| request("GET", "/tickets/changes", key).into_future());
        let feeds = futures_util::future::join_all(feeds);
        let changes = async {
            for (person, method, path, body) in requests {
                let response = request(method, path, key(person)).json(body).await;
                assert!(response.status().is_success(), "{response:?}");
            }
            client.api().begin_stop(); // the feeds have no end
        };
        let (feeds, ()) = futures_util::future::join(feeds, changes).await;
        let events = feeds.iter().map(|feed| {
            feed.assert_status(200).assert_documented();
            let events = feed.text().lines().filter_map(|line| line.strip_prefix("data: ")).collect::<Vec<_>>();
            let events = events.into_iter().map(|event| serde_json::from_str::<Value>(event).unwrap());
            let text = |value: &Value| value.as_str().unwrap().to_owned();
            events.map(|event| (text(&event["kind"]), text(&event["id"]))).collect()
        });
        events.collect()
    })
}

#[test]
fn the_feed_contains_the_changes_that_its_caller_can_see() {
    let tracker = Tracker::open("sqlite::memory:");
    let Rows { public, private, .. } = rows(&tracker);
    let id = |path: &str| path.rsplit('/').next().unwrap().to_owned();
    let change = |kind: &str, path: &str| (kind.to_owned(), id(path));
    let close = format!("{public}/close");
    let seen = watched(
        &tracker,
        &[
            ("max", "PATCH", &private, json!({"title": "Dark"})),
            ("max", "PATCH", &private, json!({"private": false})),
            ("max", "PATCH", &private, json!({"private": true, "assignee": "mia"})),
            ("max", "POST", &close, json!({})),
            ("ada", "DELETE", &private, json!({})),
        ],
    );
    let (changed, closed) = (change("changed", &private), change("changed", &public));
    let (appeared, gone) = (change("appeared", &private), change("disappeared", &private));
    let author = [&changed, &changed, &changed, &closed, &gone];
    let viewer = [&appeared, &gone, &closed];
    let assignee = [&appeared, &changed, &closed, &gone];
    let none: [&(String, String); 0] = [];
    let expected: [&[&(String, String)]; 5] = [&viewer, &author, &assignee, &author, &none];
    for ((seen, expected), (person, ..)) in seen.iter().zip(expected).zip(PERSONS) {
        assert_eq!(seen.iter().collect::<Vec<_>>(), expected, "{person}");
    }
}

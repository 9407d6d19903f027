//! Concurrent updates of one entity.

use std::rc::Rc;
use std::thread;

use restwright::auth::Access;
use restwright::prelude::*;
use restwright::testing::TestClient;
use restwright_resource::{Endpoints, Resource};
use serde_json::{Value, json};

use super::declare::{Contract, Customer};
use super::tenants::configuration;
use super::{FailingStore, api, id};

const WRITERS: usize = 32;

/// Sends the same update from several concurrent tasks, whose statements alternate, and returns the statuses.
async fn update(client: &Rc<TestClient>, path: &str, tag: Option<&str>) -> Vec<u16> {
    let tasks: Vec<_> = (0..WRITERS)
        .map(|number| {
            let (client, path, tag) = (Rc::clone(client), path.to_owned(), tag.map(str::to_owned));
            tokio::task::spawn_local(async move {
                let mut request = client.patch(path);
                if let Some(tag) = tag {
                    request = request.header("If-Match", tag);
                }
                let response = request.json(&json!({"chip": number})).await;
                response.assert_documented();
                response.status().as_u16()
            })
        })
        .collect();
    let mut statuses = Vec::new();
    for task in tasks {
        statuses.push(task.await.unwrap());
    }
    statuses.sort_unstable();
    statuses
}

async fn updates(client: &TestClient, path: &str) -> (u64, String) {
    let response = client.get(path).await;
    let updates = response.json::<Value>()["data"]["updates"].as_u64().unwrap();
    (updates, response.header("etag").unwrap().to_owned())
}

async fn shelter() -> (Rc<TestClient>, String) {
    let client = TestClient::new(api(&Endpoints::new(FailingStore::default(), Access::public())));
    let created = client.post("/animals").json(&json!({"name": "Ada", "species": "dog"})).await;
    let path = format!("/animals/{}", id(&created));
    (Rc::new(client), path)
}

#[tokio::test(flavor = "local")]
async fn one_update_succeeds_per_version() {
    let (client, path) = shelter().await;
    let mut tag = updates(&client, &path).await.1;
    let mut expected = vec![412; WRITERS];
    expected[0] = 200;
    for round in 1..=5 {
        assert_eq!(update(&client, &path, Some(&tag)).await, expected);
        let (updates, next) = updates(&client, &path).await;
        assert_eq!(updates, round);
        tag = next;
    }
}

#[tokio::test(flavor = "local")]
async fn concurrent_updates_without_a_version_are_all_applied() {
    let (client, path) = shelter().await;
    for tag in [None, Some("*")] {
        let before = updates(&client, &path).await.0;
        assert_eq!(update(&client, &path, tag).await, vec![200; WRITERS]);
        assert_eq!(updates(&client, &path).await.0, before + WRITERS as u64);
    }
}

#[test]
fn concurrent_updates_from_threads_are_all_applied() {
    let api = api(&Endpoints::new(FailingStore::default(), Access::public()));
    let client = TestClient::new(api.clone());
    let created = client.post("/animals").json(&json!({"name": "Ada", "species": "dog"})).send();
    let path = format!("/animals/{}", id(&created));
    thread::scope(|scope| {
        for number in 0..WRITERS {
            let (api, path) = (api.clone(), &path);
            scope.spawn(move || {
                TestClient::new(api).patch(path).json(&json!({"chip": number})).send().assert_status(200);
            });
        }
    });
    assert_eq!(client.get(&path).send().json::<Value>()["data"]["updates"], WRITERS);
}

#[tokio::test(flavor = "local")]
async fn concurrent_puts_of_a_missing_entity_create_it_once() {
    fn endpoints<R: Resource>(store: &FailingStore) -> Endpoints<R> {
        Endpoints::new(store.clone(), Access::authenticated("caller")).scope_claim("tenant", "tenant")
    }
    let store = FailingStore::default();
    // Contracts refer to customers.
    let api = Api::builder(configuration()).module(&endpoints::<Contract>(&store).put());
    let client = Rc::new(TestClient::new(api.module(&endpoints::<Customer>(&store)).build().unwrap()));
    let tasks: Vec<_> = (0..WRITERS)
        .map(|number| {
            let (client, body) = (Rc::clone(&client), json!({"id": "c", "title": number.to_string()}));
            tokio::task::spawn_local(async move {
                let response = client.put("/contracts/c").header("X-Caller", "a").json(&body).await;
                response.assert_documented();
                response.status().as_u16()
            })
        })
        .collect();
    let mut statuses = Vec::new();
    for task in tasks {
        statuses.push(task.await.unwrap());
    }
    statuses.sort_unstable();
    let mut expected = vec![200; WRITERS];
    expected[WRITERS - 1] = 201;
    assert_eq!(statuses, expected);
}

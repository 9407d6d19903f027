//! Requests with a key whose change cannot be written at the end, or whose first run fails.

use std::rc::Rc;

use futures_util::future::join_all;
use restwright::auth::{Access, Identity};
use restwright::prelude::*;
use restwright::testing::{TestClient, TestResponse};
use restwright_list::{Comparison, Expression};
use restwright_resource::idempotency::Idempotency;
use restwright_resource::{Endpoints, RowPolicy, Rows};
use restwright_sql::{SqlIdempotency, SqlStore};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{Callers, Database, Parcel, on_both, outcome};
use crate::databases::{PostgresSchema, SqliteFile};

/// A folder of a user.
#[derive(Clone, Serialize, Deserialize, Resource)]
#[resource(path = "/folders", policy = Own, reveals(id))]
struct Folder {
    #[property(id)]
    id: Uuid,
    #[property(max_length = 20)]
    owner: String,
}

/// Shows each caller the own folders only.
struct Own;

impl RowPolicy<Folder> for Own {
    fn visible(&self, caller: &Identity) -> Rows {
        let subject = caller.subject().unwrap_or_default().to_owned();
        Rows::matching(Expression::condition("owner", Comparison::Eq(subject.into())))
    }
}

/// A sheet in a folder.
#[derive(Clone, Serialize, Deserialize, Resource)]
#[resource(path = "/sheets", reveals(folder_id))]
struct Sheet {
    #[property(id)]
    id: Uuid,
    #[property(references(Folder))]
    folder_id: Uuid,
    #[property(unique)]
    title: String,
    #[property(version)]
    version: i64,
}

/// A ticket, whose identifier the database generates.
#[derive(Clone, Serialize, Deserialize, Resource)]
#[resource(path = "/tickets")]
struct Ticket {
    #[property(id)]
    id: i64,
    title: String,
}

/// Starts an Api with a resource in `store`, whose keys are in `keys`. `folders` is another resource of the Api.
async fn start<R: Resource>(store: &SqlStore, keys: &SqlStore, folders: Option<Endpoints<Folder>>) -> TestClient {
    let idempotency = Idempotency::new(SqlIdempotency::new(keys));
    let endpoints = Endpoints::<R>::new(store.clone(), Access::authenticated("key")).idempotency(idempotency);
    let configuration = Configuration::new("desk", "1.0.0").authenticator("key", Callers);
    let api = folders.iter().fold(Api::builder(configuration), |api, folders| api.module(folders)).module(&endpoints);
    let api = api.build().unwrap();
    api.start().await.unwrap();
    TestClient::new(api).with_header("X-Caller", "ann")
}

async fn send(client: &TestClient, method: &str, path: &str, key: Option<&str>, body: &Value) -> TestResponse {
    let request = if method == "POST" { client.post(path) } else { client.patch(path) };
    let request = key.into_iter().fold(request, |request, key| request.header("Idempotency-Key", key));
    let response = request.json(body).await;
    response.assert_documented();
    response
}

/// The policy of the folders is checked after the change, because the table of the sheets has a trigger.
#[tokio::test]
async fn a_conflict_before_the_second_check_of_a_policy_is_a_409() {
    on_both(async |database| {
        for event in ["INSERT", "UPDATE"] {
            let start = async || {
                let store = SqlStore::new(database.url()).migrate();
                let folders = Endpoints::<Folder>::new(store.clone(), Access::authenticated("key"));
                start::<Sheet>(&store, &store, Some(folders)).await
            };
            start().await.api().stop().await;
            // A store reads the triggers at its start.
            add_trigger(database, event).await;
            let client = start().await;
            let mut outcomes = Vec::new();
            for key in [None, Some(event)] {
                let key = |number: usize| key.map(|key| format!("{key}-{number}"));
                let mut ids = Vec::new();
                for _ in 0..2 {
                    let folder = client.post("/folders").json(&json!({"owner": "ann"})).await;
                    ids.push(folder.assert_status(201).json::<Value>()["data"]["id"].clone());
                }
                let sheet = |folder: usize, number: usize| {
                    let title = format!("{event} {:?} {number}", key(0));
                    json!({"folder_id": ids[folder], "title": title})
                };
                let created = send(&client, "POST", "/sheets", key(1).as_deref(), &sheet(0, 1)).await;
                let path = created.header("location").unwrap().to_owned();
                let responses = [
                    created,
                    send(&client, "POST", "/sheets", key(2).as_deref(), &sheet(0, 2)).await,
                    send(&client, "POST", "/sheets", key(3).as_deref(), &sheet(0, 2)).await,
                    send(&client, "PATCH", &path, key(4).as_deref(), &sheet(1, 2)).await,
                    send(&client, "PATCH", &path, key(5).as_deref(), &sheet(1, 3)).await,
                ];
                outcomes.push(responses.map(|response| response.status().as_u16()));
            }
            assert_eq!(outcomes, [[201, 201, 409, 409, 200]; 2], "{event}");
            client.api().stop().await;
        }
    })
    .await;
}

async fn add_trigger(database: &Database, event: &str) {
    match database {
        Database::Sqlite(file) => {
            let url = file.url();
            let connection = rusqlite::Connection::open(url.strip_prefix("sqlite://").unwrap()).unwrap();
            let sql = format!(
                "DROP TRIGGER IF EXISTS touched;
                 CREATE TRIGGER touched AFTER {event} ON sheets WHEN NEW.title = 'touch' BEGIN
                 UPDATE sheets SET title = 'touched' WHERE id = NEW.id; END"
            );
            connection.execute_batch(&sql).unwrap();
        }
        Database::Postgres(schema) => {
            let sql = format!(
                "CREATE OR REPLACE FUNCTION touch() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$;
                 DROP TRIGGER IF EXISTS touched ON sheets;
                 CREATE TRIGGER touched BEFORE {event} ON sheets FOR EACH ROW EXECUTE FUNCTION touch()"
            );
            schema.run(&sql).await;
        }
    }
}

/// Sends creates with keys to two processes at the same time. Each is executed once. `name` is a property of the entity.
async fn each_is_executed_once<R: Resource>([store, keys]: [&str; 2], path: &str, name: &str) {
    let mut clients = Vec::new();
    for _ in 0..2 {
        let (store, keys) = (SqlStore::new(store).migrate(), SqlStore::new(keys).migrate());
        clients.push(start::<R>(&store, &keys, None).await);
    }
    let clients = Rc::new(clients);
    for round in 0..20 {
        let sent = (0..8).map(|number| {
            let (clients, body) = (Rc::clone(&clients), json!({name: format!("round {round}")}));
            async move {
                outcome(&send(&clients[number % 2], "POST", path, Some(&format!("key-{round}")), &body).await)
            }
        });
        let outcomes = join_all(sent).await;
        let count = |wanted: &str| outcomes.iter().filter(|outcome| *outcome == wanted).count();
        assert_eq!((count("201"), count("201 replay")), (1, 7), "{outcomes:?}");
    }
    for client in clients.iter() {
        client.api().stop().await;
    }
}

#[tokio::test]
async fn two_processes_create_an_entity_with_a_generated_identifier_once() {
    on_both(async |database| {
        each_is_executed_once::<Ticket>([&database.url(); 2], "/tickets", "title").await;
    })
    .await;
}

#[tokio::test]
async fn two_processes_with_keys_in_another_database_execute_a_request_once() {
    let Some(schema) = PostgresSchema::new().await else { return };
    let file = SqliteFile::new();
    each_is_executed_once::<Parcel>([&file.url(), &schema.url()], "/parcels", "label").await;
    schema.drop().await;
}

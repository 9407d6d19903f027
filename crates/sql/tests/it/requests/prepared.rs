//! Slow steps before the transaction, which do not block other writers.

use std::sync::{Arc, mpsc};
use std::thread;

use restwright::auth::Access;
use restwright::prelude::*;
use restwright_resource::{Endpoints, InputContext};
use restwright_sql::SqlStore;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::sync::Notify;

use super::outbox::on_postgres;
use super::server::{send, with_server};
use crate::databases::SqliteFile;

/// A user.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/users", put, batch)]
struct User {
    #[property(id)]
    id: i64,
    name: String,
    #[property(write_only, min_length = 8, max_length = 200)]
    password: String,
}

/// A category.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/categories")]
struct Category {
    #[property(id)]
    id: i64,
    name: String,
}

/// Creates a category while a step of another request waits, for each kind of request with a step.
fn check(store: &SqlStore) {
    let (entered, steps) = mpsc::channel();
    let release = Arc::new(Notify::new());
    let wait = move |name: &str| {
        let (is_slow, entered, release) = (name == "slow", entered.clone(), Arc::clone(&release));
        async move {
            if is_slow {
                entered.send(Arc::clone(&release)).unwrap();
                release.notified().await;
            }
            Ok(())
        }
    };
    let (new, update, act) = (wait.clone(), wait.clone(), wait);
    let users = Endpoints::<User>::new(store.clone(), Access::public())
        .prepare_new(async move |user: &mut NewUser, _: &InputContext<'_>| {
            user.password = format!("hash of {}", user.password);
            new(&user.name).await
        })
        .prepare_update(async move |changes: &mut UserChanges, _: &InputContext<'_>| {
            let name = changes.name.value().cloned().unwrap_or_default();
            update(&name).await
        })
        .prepared_action(
            "rename",
            Access::public(),
            async move |body: Name, _: &InputContext<'_>| act(&body.name).await.map(|()| body.name),
            async |user: &mut User, name: String, _: &mut _| {
                user.name = name;
                Ok(())
            },
        );
    let categories = Endpoints::<Category>::new(store.clone(), Access::public());
    let api = Api::builder(Configuration::new("shop", "1.0.0")).module(&users).module(&categories).build().unwrap();
    with_server(api, 2, |address| {
        let user = |name: &str| json!({"name": name, "password": "12345678"});
        assert_eq!(send(address, "POST /users", &user("Ada").to_string()).0, 201);
        for (request, body, status) in [
            ("POST /users", user("slow"), 201),
            ("PUT /users/1", user("slow"), 200),
            ("POST /users/batch", json!({"data": [user("Bo"), user("slow")]}), 201),
            ("PATCH /users/1", json!({"name": "slow"}), 200),
            ("PATCH /users/batch", json!({"data": [{"id": 1, "changes": {"name": "slow"}}]}), 200),
            ("POST /users/1/rename", json!({"name": "slow"}), 200),
        ] {
            thread::scope(|scope| {
                let slow = scope.spawn(|| send(address, request, &body.to_string()));
                let release = steps.recv().unwrap();
                // The step waits until this request has its response.
                let neighbour = send(address, "POST /categories", &json!({"name": "Books"}).to_string());
                release.notify_one();
                assert_eq!((neighbour.0, slow.join().unwrap().0), (201, status), "{request}: {}", neighbour.1);
            });
        }
        let (_, listed) = send(address, "GET /categories", "");
        let listed: Value = serde_json::from_str(&listed).unwrap();
        assert_eq!(listed["pagination"]["total"], 6);
    });
}

/// The body of the action.
#[derive(Deserialize, Schema)]
struct Name {
    name: String,
}

#[test]
fn a_slow_step_does_not_hold_the_writer_of_sqlite() {
    let file = SqliteFile::new();
    check(&SqlStore::new(file.url()).migrate());
}

#[test]
fn a_slow_step_holds_no_transaction_on_postgresql() {
    on_postgres(|schema| check(&SqlStore::new(schema.url()).migrate()));
}

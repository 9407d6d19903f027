//! Many concurrent requests that change the same rows of PostgreSQL.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use restwright::auth::Access;
use restwright::prelude::*;
use restwright_resource::idempotency::Idempotency;
use restwright_resource::{Endpoints, HookContext, Hooks};
use restwright_sql::{SqlIdempotency, SqlStore};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::outbox::on_postgres;
use super::server::{send, send_with, with_server};
use crate::databases::PostgresSchema;
use crate::idempotency::Callers;

const CLIENTS: usize = 16;

/// An article of a shop.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/articles", tag = "Articles")]
struct Article {
    #[property(id(given), max_length = 30)]
    code: String,
    stock: i64,
    #[property(read_only)]
    revision: i64,
}

/// Counts the changes of an article.
struct CountRevisions;

impl Hooks<Article> for CountRevisions {
    async fn before_update(&self, _: &mut HookContext<'_>, before: &Article, article: &mut Article) -> Result<()> {
        tokio::time::sleep(Duration::from_millis(5)).await;
        article.revision = before.revision + 1;
        Ok(())
    }
}

/// Sets the number of earlier articles in each article. Two concurrent transactions must not find the same number.
struct CountArticles;

impl Hooks<Article> for CountArticles {
    async fn before_create(&self, context: &mut HookContext<'_>, article: &mut Article) -> Result<()> {
        let before = context.store::<Article>().count(&()).await?;
        article.revision = i64::try_from(before).map_err(Problem::internal)?;
        Ok(())
    }
}

fn articles(schema: &PostgresSchema, change: impl FnOnce(SqlStore) -> SqlStore) -> Endpoints<Article> {
    Endpoints::new(change(schema.store().migrate()), Access::public()).batch()
}

fn api(articles: &Endpoints<Article>) -> Api {
    Api::builder(Configuration::new("shop", "1.0.0")).module(articles).build().unwrap()
}

/// Sends requests by several concurrent clients, and returns the statuses.
fn send_all(address: SocketAddr, count: usize, request: impl Fn(usize) -> (String, Value) + Sync) -> Vec<u16> {
    send_each(count, |number| {
        let (request, body) = request(number);
        send(address, &request, &body.to_string()).0
    })
}

fn send_each(count: usize, send: impl Fn(usize) -> u16 + Sync) -> Vec<u16> {
    let next = AtomicUsize::new(0);
    let client = || {
        let numbers =
            std::iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed)).take_while(|number| *number < count);
        numbers.map(&send).collect::<Vec<_>>()
    };
    thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS).map(|_| scope.spawn(client)).collect();
        clients.into_iter().flat_map(|client| client.join().unwrap()).collect()
    })
}

fn number_of(statuses: &[u16], status: u16) -> usize {
    statuses.iter().filter(|found| **found == status).count()
}

fn updates(articles: &Endpoints<Article>) -> (usize, Value) {
    let mut outcome = (0, Value::Null);
    with_server(api(articles), 4, |address| {
        assert_eq!(send(address, "POST /articles", r#"{"code": "pen", "stock": 0}"#).0, 201);
        let patch = |number| ("PATCH /articles/pen".to_owned(), json!({"stock": number}));
        let statuses = send_all(address, 240, patch);
        outcome = (number_of(&statuses, 200), serde_json::from_str(&send(address, "GET /articles/pen", "").1).unwrap());
        assert_eq!(outcome.0, 240, "{} are 503", number_of(&statuses, 503));
    });
    outcome
}

#[test]
fn all_updates_of_one_row_succeed() {
    on_postgres(|schema| {
        updates(&articles(schema, |store| store));
    });
}

#[test]
fn all_updates_of_one_row_with_hooks_succeed() {
    on_postgres(|schema| {
        let (_, article) = updates(&articles(schema, |store| store).hooks(CountRevisions));
        assert_eq!(article["data"]["revision"], 240);
    });
}

#[test]
fn all_serializable_updates_of_one_row_succeed() {
    on_postgres(|schema| {
        let (_, article) = updates(&articles(schema, SqlStore::serializable).hooks(CountRevisions));
        assert_eq!(article["data"]["revision"], 240);
    });
}

/// Returns a batch of ten articles from `first` on. Every second batch has the opposite order.
fn batch(number: usize, first: usize) -> (String, Value) {
    let mut articles: Vec<_> =
        (first..first + 10).map(|article| json!({"code": format!("article-{article}"), "stock": number})).collect();
    if number % 2 == 1 {
        articles.reverse();
    }
    ("POST /articles/batch".to_owned(), json!({"data": articles}))
}

#[test]
fn serializable_batches_that_read_each_others_rows_all_succeed() {
    on_postgres(|schema| {
        let articles = articles(schema, SqlStore::serializable).hooks(CountArticles);
        with_server(api(&articles), 2, |address| {
            let statuses = send_all(address, 30, |number| batch(number, number * 10));
            assert_eq!(number_of(&statuses, 201), 30, "{} are 503", number_of(&statuses, 503));
        });
    });
}

/// In opposite orders, each would wait for a row of the other, until PostgreSQL ends one of them after a second.
#[test]
fn serializable_batches_of_the_same_rows_do_not_wait_for_each_other() {
    on_postgres(|schema| {
        let articles = articles(schema, SqlStore::serializable);
        with_server(api(&articles), 2, |address| {
            let began = Instant::now();
            let statuses = send_all(address, 30, |number| batch(number, number / 6));
            assert_eq!((number_of(&statuses, 201), number_of(&statuses, 409)), (1, 29), "{statuses:?}");
            println!("30 batches took {:?}", began.elapsed());
        });
    });
}

/// The key and the article are committed with the response, so the conflict appears at the commit.
#[test]
fn serializable_creates_with_idempotency_keys_all_succeed() {
    on_postgres(|schema| {
        let store = schema.store().migrate().serializable();
        let idempotency = Idempotency::new(SqlIdempotency::new(&store));
        let articles = Endpoints::<Article>::new(store, Access::authenticated("key")).hooks(CountArticles);
        let configuration = Configuration::new("shop", "1.0.0").authenticator("key", Callers);
        let api = Api::builder(configuration).module(&articles.idempotency(idempotency)).build().unwrap();
        with_server(api, 2, |address| {
            let statuses = send_each(60, |number| {
                let (code, body) =
                    (format!("article-{number}"), json!({"code": format!("article-{number}"), "stock": 0}));
                let headers = [("X-Caller", "ann"), ("Idempotency-Key", &*code)];
                send_with(address, "POST /articles", &headers, &body.to_string()).0
            });
            assert_eq!(number_of(&statuses, 201), 60, "{} are 503", number_of(&statuses, 503));
        });
    });
}

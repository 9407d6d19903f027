//! Hooks that write another row in the transaction of the request, in the SQL of the database.

use std::net::SocketAddr;

use restwright::auth::Access;
use restwright::prelude::*;
use restwright::problem::catalogue;
use restwright_resource::{Endpoints, HookContext, Hooks, Store};
use restwright_sql::{Database, SqlStatements, SqlStore};
use sea_query::{Alias, Query};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::server::{send, with_server};
use crate::databases::{PostgresSchema, SqliteFile};

/// An order.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/orders")]
pub(crate) struct Order {
    #[property(id)]
    id: i64,
    #[property(unique)]
    title: String,
}

/// A message to send later. Its resource returns the committed messages.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/messages")]
pub(crate) struct Message {
    #[property(id)]
    id: i64,
    text: String,
}

/// A line of an order, deleted with the order. Its hooks do not run then, so the hook of the order writes the messages.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/orders/{order_id}/lines")]
pub(crate) struct Line {
    #[property(id)]
    id: i64,
    #[property(parent(Order, on_delete = cascade))]
    order_id: i64,
    title: String,
}

struct Outbox;

/// Fails if it runs for a delete by a cascade.
struct NoDeletes;

impl Hooks<Line> for NoDeletes {
    async fn before_delete(&self, _: &mut HookContext<'_>, line: &Line) -> Result<()> {
        Err(Problem::internal(format!("the hook of {} ran", line.title)))
    }
}

/// Returns the result of the hook for the title of an order, after the message was written.
fn outcome(order: &Order) -> Result<()> {
    match order.title.as_str() {
        "refuse" => Err(Problem::new(catalogue::FORBIDDEN).detail("not today")),
        _ => Ok(()),
    }
}

/// Runs a statement with rusqlite on the connection of the request.
async fn run_on_sqlite(
    context: &mut HookContext<'_>,
    sql: &'static str,
    value: impl rusqlite::ToSql + Send + 'static,
) -> Result<()> {
    let run = move |connection: &mut rusqlite::Connection| connection.execute(sql, [value]);
    context.transaction().with_sqlite(run).await.map(drop).map_err(Problem::internal)
}

/// Runs a statement with `sqlx::query` on the connection of the request.
async fn run_on_postgres<V>(context: &mut HookContext<'_>, sql: &'static str, value: V) -> Result<()>
where
    V: for<'v> sqlx::Encode<'v, sqlx::Postgres> + sqlx::Type<sqlx::Postgres> + Send + 'static,
{
    let connection = context.transaction().postgres()?;
    sqlx::query(sql).bind(value).execute(connection).await.map(drop).map_err(Problem::internal)
}

/// Writes a message on the connection of the request.
macro_rules! outbox {
    ($hooks:ident, $database:ident, $run:ident, $insert:literal, $delete:literal) => {
        /// Hooks in the SQL of one database.
        struct $hooks;

        impl Hooks<Order> for $hooks {
            fn check(&self, store: &dyn Store) -> Result<(), String> {
                SqlStore::check(store, Database::$database)
            }

            async fn before_delete(&self, context: &mut HookContext<'_>, order: &Order) -> Result<()> {
                $run(context, $delete, order.id).await
            }

            async fn after_create(&self, context: &mut HookContext<'_>, order: &Order) -> Result<()> {
                if order.title == "swallow" {
                    assert!($run(context, "INSERT INTO nowhere VALUES (1)", 1).await.is_err());
                    return Ok(());
                }
                $run(context, $insert, order.title.clone()).await?;
                outcome(order)
            }
        }
    };
}

outbox!(
    SqliteOutbox,
    Sqlite,
    run_on_sqlite,
    "INSERT INTO messages (text, row_version) VALUES (?, 1)",
    "INSERT INTO messages (text, row_version) SELECT title, 1 FROM lines WHERE order_id = ? ORDER BY id"
);
outbox!(
    PostgresOutbox,
    Postgres,
    run_on_postgres,
    "INSERT INTO messages (text, row_version) VALUES ($1, 1)",
    "INSERT INTO messages (text, row_version) SELECT title, 1 FROM lines WHERE order_id = $1 ORDER BY id"
);

/// Writes a message with sea-query on either database.
impl Hooks<Order> for Outbox {
    async fn before_delete(&self, context: &mut HookContext<'_>, order: &Order) -> Result<()> {
        for line in context.store::<Line>().first(Line::FIELDS.order_id.eq(order.id), 100).await? {
            context.insert(Message { id: 0, text: line.entity.title }).await?;
        }
        Ok(())
    }

    async fn after_create(&self, context: &mut HookContext<'_>, order: &Order) -> Result<()> {
        let table = if order.title == "swallow" { "nowhere" } else { "messages" };
        let mut insert = Query::insert();
        insert.into_table(Alias::new(table)).columns(["text", "row_version"].map(Alias::new));
        insert.values_panic([order.title.as_str().into(), 1_i64.into()]);
        let inserted = context.transaction().execute(&insert).await;
        if order.title != "swallow" {
            inserted.map_err(Problem::internal)?;
        }
        outcome(order)
    }
}

fn api<S: Store + Clone>(store: &S, hooks: impl Hooks<Order>) -> Api {
    let orders = Endpoints::<Order>::new(store.clone(), Access::public()).hooks(hooks).batch();
    let messages = Endpoints::<Message>::new(store.clone(), Access::public());
    let lines = Endpoints::<Line>::new(store.clone(), Access::public()).hooks(NoDeletes);
    Api::builder(Configuration::new("shop", "1.0.0")).module(&orders).module(&messages).module(&lines).build().unwrap()
}

fn listed(address: SocketAddr, path: &str, name: &str) -> Vec<String> {
    let body: Value = serde_json::from_str(&send(address, &format!("GET {path}"), "").1).unwrap();
    body["data"].as_array().unwrap().iter().map(|one| one[name].as_str().unwrap().to_owned()).collect()
}

/// Creates orders and checks that a message exists if and only if its order exists. A hook that ignores an error makes the commit fail.
fn check(api: Api) {
    with_server(api, 1, |address| {
        let create = |title: &str| send(address, "POST /orders", &json!({"title": title}).to_string()).0;
        let statuses = ["first", "refuse", "first", "swallow", "second"].map(create);
        assert_eq!(statuses, [201, 403, 409, 500, 201]);
        let batch = json!({"data": [{"title": "third"}, {"title": "refuse"}]}).to_string();
        assert_eq!(send(address, "POST /orders/batch", &batch).0, 403);
        assert_eq!(listed(address, "/messages", "text"), ["first", "second"]);
        assert_eq!(listed(address, "/orders", "title"), ["first", "second"]);
        for line in ["pens", "paper"] {
            assert_eq!(send(address, "POST /orders/1/lines", &json!({"title": line}).to_string()).0, 201);
        }
        assert_eq!(send(address, "DELETE /orders/1", "").0, 204);
        assert_eq!(listed(address, "/messages", "text"), ["first", "second", "pens", "paper"]);
        assert_eq!(send(address, "GET /orders/1/lines", "").0, 404);
    });
}

#[test]
fn hooks_write_with_rusqlite() {
    let file = SqliteFile::new();
    check(api(&file.store().migrate(), SqliteOutbox));
}

#[test]
fn hooks_write_with_sqlx_on_postgres() {
    on_postgres(|schema| check(api(&schema.store().migrate(), PostgresOutbox)));
}

#[test]
fn hooks_write_with_sea_query_on_either_database() {
    let file = SqliteFile::new();
    check(api(&SqlStore::new(file.url()).migrate(), Outbox));
    on_postgres(|schema| check(api(&SqlStore::new(schema.url()).migrate(), Outbox)));
}

/// Runs a test on a separate schema.
pub(crate) fn on_postgres(test: impl FnOnce(&PostgresSchema)) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let Some(schema) = runtime.block_on(PostgresSchema::new()) else { return };
    test(&schema);
    runtime.block_on(schema.drop());
}

#[test]
fn hooks_of_one_database_are_rejected_on_the_other() {
    let file = SqliteFile::new();
    let error = |store: SqlStore| {
        let orders = Endpoints::<Order>::new(store, Access::public()).hooks(PostgresOutbox);
        Api::builder(Configuration::new("shop", "1.0.0")).module(&orders).build().err().map(|error| error.to_string())
    };
    let found = error(SqlStore::new(file.url())).unwrap_or_default();
    assert!(
        found.contains("PostgresOutbox` of `orders`: they use PostgreSQL, but the store is not on PostgreSQL"),
        "{found}"
    );
    assert_eq!(error(SqlStore::new("postgres://localhost/shop")), None);
}

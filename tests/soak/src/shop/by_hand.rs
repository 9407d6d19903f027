//! The handwritten application, on axum and sqlx. The scenarios themselves are tested with it as the reference.

use std::future::Future;

use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};
use sqlx::any::AnyPoolOptions;
use sqlx::{Any, AnyPool, Connection, Row, SqlSafeStr, Transaction};
use uuid::Uuid;

use super::STATEMENT_TIMEOUT;
use crate::process;

const TABLES: &[&str] = &[
    "create table if not exists orders (id text primary key, article text not null, quantity bigint not null, note text not null)",
    "create table if not exists outbox (id text primary key, order_id text not null, article text not null)",
    "create table if not exists counters (id text primary key, name text not null, count bigint not null, version bigint not null)",
    "create table if not exists entries (id text primary key, amount bigint not null, number bigint not null, total bigint not null)",
    "create table if not exists kept (name text primary key, body text not null)",
];

pub fn serve(url: &str) {
    let listener = process::listen();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    runtime.expect("a runtime").block_on(async {
        let shop = Shop::open(url).await.expect("the database opens");
        let app = Router::new()
            .route("/orders", post(create_order).get(list_orders))
            .route("/orders/{id}", get(view_order))
            .route("/outbox", get(list_outbox))
            .route("/counters", post(create_counter))
            .route("/counters/{id}", get(view_counter).patch(change_counter).delete(delete_counter))
            .route("/entries", post(create_entry).get(list_entries))
            .with_state(shop);
        listener.set_nonblocking(true).expect("a new socket accepts options");
        let listener = tokio::net::TcpListener::from_std(listener).expect("a bound socket");
        axum::serve(listener, app).await.expect("the server runs");
    });
}

#[derive(Clone)]
struct Shop {
    pool: AnyPool,
    begin: &'static str,
}

enum Failure {
    Status(StatusCode),
    Database(sqlx::Error),
}

impl From<sqlx::Error> for Failure {
    fn from(error: sqlx::Error) -> Self {
        eprintln!("{error}");
        Self::Database(error)
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        match self {
            Self::Status(status) => status,
            Self::Database(_) => StatusCode::SERVICE_UNAVAILABLE,
        }
        .into_response()
    }
}

impl Shop {
    async fn open(url: &str) -> sqlx::Result<Self> {
        sqlx::any::install_default_drivers();
        let is_sqlite = url.starts_with("sqlite");
        let options = AnyPoolOptions::new().max_connections(if is_sqlite { 1 } else { 16 });
        // SQLite ends a transaction itself when the disk is full. The rollback by sqlx then fails, and sqlx considers the transaction open.
        let options = options.before_acquire(|connection, _| {
            Box::pin(async move {
                connection.ping().await?;
                Ok(!connection.is_in_transaction())
            })
        });
        let pool = options.acquire_timeout(STATEMENT_TIMEOUT).connect(url).await?;
        if is_sqlite {
            sqlx::query("pragma journal_mode = wal").execute(&pool).await?;
            sqlx::query("pragma synchronous = full").execute(&pool).await?;
        }
        for table in TABLES {
            // Two processes that start together may both find no table.
            if sqlx::query(*table).execute(&pool).await.is_err() {
                sqlx::query(*table).execute(&pool).await?;
            }
        }
        Ok(Self { pool, begin: if is_sqlite { "begin immediate" } else { "begin isolation level serializable" } })
    }

    /// Runs a transaction, and repeats it after conflicts.
    async fn run<T, F: Future<Output = Result<T, Failure>>>(
        &self,
        work: impl Fn(Transaction<'static, Any>) -> F,
    ) -> Result<T, Failure> {
        let mut failed = Failure::Status(StatusCode::SERVICE_UNAVAILABLE);
        for _ in 0..100 {
            let attempt = async { work(self.pool.begin_with(self.begin.into_sql_str()).await?).await };
            match tokio::time::timeout(STATEMENT_TIMEOUT, attempt).await {
                Ok(Err(Failure::Database(sqlx::Error::Database(error))))
                    if matches!(error.code().as_deref(), Some("40001" | "40P01" | "23505")) =>
                {
                    failed = Failure::Database(sqlx::Error::Database(error));
                }
                Ok(done) => return done,
                Err(_) => return Err(Failure::Status(StatusCode::SERVICE_UNAVAILABLE)),
            }
        }
        Err(failed)
    }

    async fn rows(&self, query: &'static str, values: &[String]) -> Result<Vec<sqlx::any::AnyRow>, Failure> {
        let mut statement = sqlx::query(query);
        for value in values {
            statement = statement.bind(value.clone());
        }
        let rows = tokio::time::timeout(STATEMENT_TIMEOUT, statement.fetch_all(&self.pool)).await;
        Ok(rows.map_err(|_| Failure::Status(StatusCode::SERVICE_UNAVAILABLE))??)
    }
}

type Created = Result<(StatusCode, Json<Value>), Failure>;

#[derive(Clone, Deserialize)]
struct NewOrder {
    article: String,
    quantity: i64,
    note: String,
}

async fn create_order(State(shop): State<Shop>, headers: HeaderMap, Json(new): Json<NewOrder>) -> Created {
    let key = headers.get("Idempotency-Key").and_then(|key| key.to_str().ok()).map(str::to_owned);
    let body = shop.run(async |mut transaction| {
        if let Some(key) = &key {
            let kept = sqlx::query("select body from kept where name = $1").bind(key.clone());
            if let Some(kept) = kept.fetch_optional(&mut *transaction).await? {
                return Ok(kept.get::<String, _>(0));
            }
        }
        let id = Uuid::now_v7().to_string();
        sqlx::query("insert into orders (id, article, quantity, note) values ($1, $2, $3, $4)")
            .bind(id.clone())
            .bind(new.article.clone())
            .bind(new.quantity)
            .bind(new.note.clone())
            .execute(&mut *transaction)
            .await?;
        sqlx::query("insert into outbox (id, order_id, article) values ($1, $2, $3)")
            .bind(Uuid::now_v7().to_string())
            .bind(id.clone())
            .bind(new.article.clone())
            .execute(&mut *transaction)
            .await?;
        let body = order(&id, &new.article, new.quantity, &new.note).to_string();
        if let Some(key) = &key {
            let keep =
                sqlx::query("insert into kept (name, body) values ($1, $2)").bind(key.clone()).bind(body.clone());
            keep.execute(&mut *transaction).await?;
        }
        transaction.commit().await?;
        Ok(body)
    });
    let data: Value = serde_json::from_str(&body.await?).unwrap_or_default();
    Ok((StatusCode::CREATED, Json(json!({"data": data}))))
}

fn order(id: &str, article: &str, quantity: i64, note: &str) -> Value {
    json!({"id": id, "article": article, "quantity": quantity, "note": note})
}

#[derive(Deserialize)]
struct Page {
    page: i64,
    limit: i64,
}

impl Page {
    fn window(&self) -> String {
        format!("{} offset {}", self.limit, (self.page - 1) * self.limit)
    }

    async fn list(
        &self,
        shop: &Shop,
        table: &str,
        each: impl Fn(&sqlx::any::AnyRow) -> Value,
    ) -> Result<Json<Value>, Failure> {
        let order = if table == "entries" { "number" } else { "id" };
        let statement = format!("select * from {table} order by {order} limit {}", self.window());
        let rows = sqlx::query(sqlx::AssertSqlSafe(statement)).fetch_all(&shop.pool).await?;
        Ok(Json(json!({"data": rows.iter().map(each).collect::<Vec<_>>()})))
    }
}

async fn list_orders(State(shop): State<Shop>, Query(page): Query<Page>) -> Result<Json<Value>, Failure> {
    page.list(&shop, "orders", |row| order(row.get(0), row.get(1), row.get(2), row.get(3))).await
}

async fn view_order(State(shop): State<Shop>, Path(id): Path<String>) -> Result<Json<Value>, Failure> {
    let rows = shop.rows("select id, article, quantity, note from orders where id = $1", &[id]).await?;
    let row = rows.first().ok_or(Failure::Status(StatusCode::NOT_FOUND))?;
    Ok(Json(json!({"data": order(row.get(0), row.get(1), row.get(2), row.get(3))})))
}

async fn list_outbox(State(shop): State<Shop>, Query(page): Query<Page>) -> Result<Json<Value>, Failure> {
    let entry = |row: &sqlx::any::AnyRow| json!({"id": row.get::<String, _>(0), "order_id": row.get::<String, _>(1), "article": row.get::<String, _>(2)});
    page.list(&shop, "outbox", entry).await
}

async fn create_counter(State(shop): State<Shop>, Json(new): Json<Value>) -> Created {
    let (id, name) = (Uuid::now_v7().to_string(), new["name"].as_str().unwrap_or_default().to_owned());
    let data = json!({"id": id, "name": name, "count": 0});
    shop.run(async |mut transaction| {
        sqlx::query("insert into counters (id, name, count, version) values ($1, $2, 0, 1)")
            .bind(id.clone())
            .bind(name.clone())
            .execute(&mut *transaction)
            .await?;
        Ok(transaction.commit().await?)
    })
    .await?;
    Ok((StatusCode::CREATED, Json(json!({"data": data}))))
}

fn counter(id: &str, name: &str, count: i64, version: i64) -> Response {
    let tag = [(header::ETAG, format!("\"{version}\""))];
    (tag, Json(json!({"data": {"id": id, "name": name, "count": count}}))).into_response()
}

async fn view_counter(State(shop): State<Shop>, Path(id): Path<String>) -> Result<Response, Failure> {
    let rows = shop.rows("select id, name, count, version from counters where id = $1", &[id]).await?;
    let row = rows.first().ok_or(Failure::Status(StatusCode::NOT_FOUND))?;
    Ok(counter(row.get(0), row.get(1), row.get(2), row.get(3)))
}

async fn change_counter(
    State(shop): State<Shop>,
    Path(id): Path<String>,
    headers: HeaderMap,
    Json(changes): Json<Value>,
) -> Result<Response, Failure> {
    let expected = headers.get(header::IF_MATCH).and_then(|tag| tag.to_str().ok());
    let name = changes["name"].as_str().unwrap_or_default();
    shop.run(async |mut transaction| {
        let found = sqlx::query("select count, version from counters where id = $1").bind(id.clone());
        let found = found.fetch_optional(&mut *transaction).await?.ok_or(Failure::Status(StatusCode::NOT_FOUND))?;
        let (count, version) = (found.get::<i64, _>(0) + 1, found.get::<i64, _>(1));
        if expected.is_some_and(|expected| expected != format!("\"{version}\"")) {
            return Err(Failure::Status(StatusCode::PRECONDITION_FAILED));
        }
        sqlx::query("update counters set name = $2, count = $3, version = $4 where id = $1")
            .bind(id.clone())
            .bind(name.to_owned())
            .bind(count)
            .bind(version + 1)
            .execute(&mut *transaction)
            .await?;
        transaction.commit().await?;
        Ok(counter(&id, name, count, version + 1))
    })
    .await
}

async fn delete_counter(State(shop): State<Shop>, Path(id): Path<String>) -> Result<StatusCode, Failure> {
    shop.run(async |mut transaction| {
        let deleted =
            sqlx::query("delete from counters where id = $1").bind(id.clone()).execute(&mut *transaction).await?;
        transaction.commit().await?;
        if deleted.rows_affected() == 0 {
            Err(Failure::Status(StatusCode::NOT_FOUND))
        } else {
            Ok(StatusCode::NO_CONTENT)
        }
    })
    .await
}

async fn create_entry(State(shop): State<Shop>, Json(new): Json<Value>) -> Created {
    let amount = new["amount"].as_i64().unwrap_or_default();
    let data = shop.run(async |mut transaction| {
        let last = sqlx::query("select number, total from entries order by number desc limit 1");
        let last = last.fetch_optional(&mut *transaction).await?;
        let (number, total) = last.map_or((0, 0), |row| (row.get::<i64, _>(0), row.get::<i64, _>(1)));
        let (id, number, total) = (Uuid::now_v7().to_string(), number + 1, total + amount);
        sqlx::query("insert into entries (id, amount, number, total) values ($1, $2, $3, $4)")
            .bind(id.clone())
            .bind(amount)
            .bind(number)
            .bind(total)
            .execute(&mut *transaction)
            .await?;
        transaction.commit().await?;
        Ok(json!({"id": id, "amount": amount, "number": number, "total": total}))
    });
    Ok((StatusCode::CREATED, Json(json!({"data": data.await?}))))
}

async fn list_entries(State(shop): State<Shop>, Query(page): Query<Page>) -> Result<Json<Value>, Failure> {
    let entry = |row: &sqlx::any::AnyRow| json!({"id": row.get::<String, _>(0), "amount": row.get::<i64, _>(1), "number": row.get::<i64, _>(2), "total": row.get::<i64, _>(3)});
    page.list(&shop, "entries", entry).await
}

//! Animals by crudcrate, on axum and SeaORM: `restwright-soak-crudcrate <address of SQLite>`.

use std::io::Read;
use std::net::TcpListener;

use axum::Router;
use chrono::Utc;
use crudcrate::{ApiError, EntityToModels};
use sea_orm::SqlxSqliteConnector;
use sea_orm::entity::prelude::*;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use uuid::Uuid;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel, EntityToModels)]
#[sea_orm(table_name = "animals")]
#[crudcrate(api_struct = "Animal", generate_router, create::one::pre = check_new, update::one::pre = check_changes)]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    #[crudcrate(primary_key, exclude(create, update), on_create = Uuid::now_v7())]
    pub id: Uuid,
    #[crudcrate(filterable, sortable)]
    pub name: String,
    #[crudcrate(filterable)]
    pub species: String,
    #[crudcrate(filterable)]
    pub weight_kg: Option<f64>,
    #[crudcrate(sortable, exclude(create, update), on_create = Utc::now().timestamp_micros())]
    pub created_at: i64,
    #[crudcrate(exclude(create, update), on_create = 1)]
    pub version: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

/// The same bounds as by hand.
async fn check_new<C: ConnectionTrait>(_: &C, new: &AnimalCreate) -> Result<(), ApiError> {
    check(Some(&new.name), Some(&new.species), new.weight_kg)
}

async fn check_changes<C: ConnectionTrait>(_: &C, _: Uuid, changes: &AnimalUpdate) -> Result<(), ApiError> {
    let species = changes.species.as_ref().and_then(Option::as_deref);
    check(changes.name.as_ref().and_then(Option::as_deref), species, changes.weight_kg.flatten())
}

fn check(name: Option<&str>, species: Option<&str>, weight_kg: Option<f64>) -> Result<(), ApiError> {
    let mut errors = Vec::new();
    if name.is_some_and(|name| !(1..=100).contains(&name.chars().count())) {
        errors.push("name: 1 to 100 characters".to_owned());
    }
    if species.is_some_and(|species| !["bird", "cat", "dog"].contains(&species)) {
        errors.push("species: bird, cat or dog".to_owned());
    }
    if weight_kg.is_some_and(|weight| !(0.0..=10_000.0).contains(&weight)) {
        errors.push("weight_kg: 0 to 10,000".to_owned());
    }
    if errors.is_empty() { Ok(()) } else { Err(ApiError::validation_failed(errors)) }
}

/// Serves the database at a path on a free port, which it prints, until its input ends.
fn main() {
    let url = std::env::args().nth(1).expect("an address of SQLite");
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    println!("{}", listener.local_addr().expect("a bound socket").port());
    std::thread::spawn(|| {
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        std::process::exit(0);
    });
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    runtime.expect("a runtime").block_on(async {
        let options: SqliteConnectOptions = url.parse().expect("an address of SQLite");
        // As the other servers have it.
        let options =
            options.journal_mode(SqliteJournalMode::Wal).synchronous(SqliteSynchronous::Full).foreign_keys(true);
        let pool = SqlitePoolOptions::new().connect_with(options).await.expect("the database opens");
        let app =
            Router::new().nest("/animals", Animal::router(&SqlxSqliteConnector::from_sqlx_sqlite_pool(pool)).into());
        listener.set_nonblocking(true).expect("a fresh socket takes options");
        let listener = tokio::net::TcpListener::from_std(listener).expect("a bound socket");
        axum::serve(listener, app).await.expect("the server runs");
    });
}

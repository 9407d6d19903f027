//! A database of a test, which also runs the SQL of other programs.

use restwright_core::Component;
use restwright_resource::EntityDefinition;
use restwright_sql::{SqlStore, TableMapping};
use sqlx::{AssertSqlSafe, Connection, Row};

use crate::databases::{PostgresSchema, SqliteFile};

pub(crate) enum Database {
    Sqlite(SqliteFile),
    Postgres(PostgresSchema),
}

/// Runs a test on each available database.
pub(crate) async fn on_each(test: impl AsyncFn(&Database)) {
    test(&Database::Sqlite(SqliteFile::new())).await;
    on_postgres(test).await;
}

pub(crate) async fn on_sqlite(test: impl AsyncFn(&Database)) {
    test(&Database::Sqlite(SqliteFile::new())).await;
}

pub(crate) async fn on_postgres(test: impl AsyncFn(&Database)) {
    if let Some(schema) = PostgresSchema::new().await {
        let database = Database::Postgres(schema);
        test(&database).await;
        if let Database::Postgres(schema) = database {
            schema.drop().await;
        }
    }
}

/// Runs a test in a separate database of PostgreSQL.
pub(crate) async fn on_own_postgres(test: impl AsyncFn(&Database)) {
    if let Some(schema) = PostgresSchema::in_new_database().await {
        let database = Database::Postgres(schema);
        test(&database).await;
        if let Database::Postgres(schema) = database {
            schema.drop_database().await;
        }
    }
}

impl Database {
    /// Returns a store with these definitions.
    pub(crate) fn store(&self, definitions: &[EntityDefinition]) -> SqlStore {
        self.mapped(definitions, Vec::new())
    }

    pub(crate) fn mapped(&self, definitions: &[EntityDefinition], mappings: Vec<TableMapping>) -> SqlStore {
        let store = mappings.into_iter().fold(SqlStore::new(self.url()), SqlStore::table);
        definitions.iter().for_each(|definition| store.declare(definition).unwrap());
        store
    }

    pub(crate) fn migrating(&self, definitions: &[EntityDefinition]) -> SqlStore {
        let store = SqlStore::new(self.url()).migrate();
        definitions.iter().for_each(|definition| store.declare(definition).unwrap());
        store
    }

    pub(crate) fn is_postgres(&self) -> bool {
        matches!(self, Self::Postgres(_))
    }

    pub(super) fn url(&self) -> String {
        match self {
            Self::Sqlite(file) => file.url(),
            Self::Postgres(schema) => schema.url(),
        }
    }

    /// Returns the major version of the PostgreSQL server.
    pub(crate) async fn server_version(&self) -> u32 {
        let version = self.texts("SELECT current_setting('server_version_num')").await.remove(0);
        version.parse::<u32>().unwrap() / 10_000
    }

    /// Runs SQL, which may contain several statements.
    pub(crate) async fn run(&self, sql: &str) {
        match self {
            Self::Sqlite(file) => {
                let url = format!("{}?mode=rwc", file.url());
                let mut connection = sqlx::SqliteConnection::connect(&url).await.unwrap();
                let ran = sqlx::raw_sql(AssertSqlSafe(sql.to_owned())).execute(&mut connection).await;
                ran.unwrap_or_else(|error| panic!("{error}: {sql}"));
                connection.close().await.unwrap();
            }
            Self::Postgres(schema) => schema.run(sql).await,
        }
    }

    /// Runs SQL on one connection, which may contain several statements. Returns the error of a failure.
    pub(super) async fn try_run(&self, sql: &str) -> Result<(), String> {
        let statements = || sqlx::raw_sql(AssertSqlSafe(sql.to_owned()));
        let ran = match self {
            Self::Sqlite(file) => {
                let mut connection = sqlx::SqliteConnection::connect(&file.url()).await.unwrap();
                let ran = statements().execute(&mut connection).await.map(drop);
                connection.close().await.unwrap();
                ran
            }
            Self::Postgres(schema) => {
                let mut connection = sqlx::PgConnection::connect(&schema.url()).await.unwrap();
                let ran = statements().execute(&mut connection).await.map(drop);
                connection.close().await.unwrap();
                ran
            }
        };
        ran.map_err(|error| error.to_string())
    }

    /// Returns the first column of each row as a string.
    pub(crate) async fn texts(&self, sql: &str) -> Vec<String> {
        match self {
            Self::Sqlite(file) => {
                let mut connection = sqlx::SqliteConnection::connect(&file.url()).await.unwrap();
                let rows = sqlx::query(AssertSqlSafe(sql.to_owned())).fetch_all(&mut connection).await.unwrap();
                rows.iter().map(|row| row.get(0)).collect()
            }
            Self::Postgres(schema) => {
                let mut connection = sqlx::PgConnection::connect(&schema.url()).await.unwrap();
                let rows = sqlx::query(AssertSqlSafe(sql.to_owned())).fetch_all(&mut connection).await.unwrap();
                rows.iter().map(|row| row.get(0)).collect()
            }
        }
    }

    /// Returns the names of all tables, columns and indexes with their types.
    pub(crate) async fn schema(&self) -> Vec<String> {
        match self {
            Self::Sqlite(_) => {
                self.texts("SELECT type || ' ' || name || ' ' || coalesce(sql, '') FROM sqlite_master ORDER BY name")
                    .await
            }
            Self::Postgres(schema) => {
                let name = &schema.name;
                let columns = "table_name || '.' || column_name || ' ' || data_type || ' ' || is_nullable";
                let columns = format!("SELECT {columns} FROM information_schema.columns WHERE table_schema = '{name}'");
                let indexes = format!("SELECT indexdef FROM pg_indexes WHERE schemaname = '{name}'");
                let keys = format!(
                    "SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = '{name}'::regnamespace"
                );
                self.texts(&format!("{columns} UNION ALL {indexes} UNION ALL {keys} ORDER BY 1")).await
            }
        }
    }
}

/// Starts a store and returns the message of a failure.
pub(crate) async fn start(store: &SqlStore) -> Result<(), String> {
    store.start().await.map_err(|error| error.to_string())
}

pub(crate) fn progress(store: &SqlStore) -> Option<String> {
    store.progress()
}

pub(crate) async fn ready(store: &SqlStore) -> Result<(), String> {
    store.ready().await.map_err(|error| error.to_string())
}

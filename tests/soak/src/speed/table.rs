//! The table of all servers, and its rows.

use sqlx::{Connection, PgConnection, SqliteConnection};

use crate::database::Database;

/// The animal of views and patches.
pub const ID: &str = "01900000-0000-0000-0000-000000000017";

const SQLITE: &str = "
create table animals (
    id blob primary key not null,
    name text not null,
    species text not null,
    weight_kg real,
    created_at integer not null,
    version integer not null
);
create index animals_species_weight on animals (species, weight_kg);
create index animals_name_idx on animals (name, id);
create index animals_created_at_idx on animals (created_at, id);";

const POSTGRES: &str = r#"
create table animals (
    id uuid primary key,
    name text collate "C" not null,
    species text not null,
    weight_kg double precision,
    created_at timestamptz not null,
    version bigint not null
);
create index animals_species_weight on animals (species, weight_kg);
create index animals_name_idx on animals (name, id);
create index animals_created_at_idx on animals (created_at, id);"#;

/// Creates the table with this number of animals.
pub async fn fill(database: &Database, rows: u32) {
    let values = |id: &str, created_at: &str| {
        format!(
            "select {id}, 'Animal ' || (i * 7919 % 100000), case i % 3 when 0 then 'bird' when 1 then 'cat' else 'dog' end,
                case when i % 10 > 0 then i * 31 % 1000 / 10.0 end, {created_at}, 1 from numbers"
        )
    };
    match database {
        Database::Sqlite { .. } => {
            let values = values("unhex(printf('0190%028x', i))", "1795334400000000");
            // Without `analyze`, which applications do not run. After it, SQLite avoids the `upper(species)` of crudcrate by trying each existing
            // species.
            let statement = format!(
                "pragma journal_mode = wal; {SQLITE}
                 with recursive numbers(i) as (select 1 union all select i + 1 from numbers where i < {rows})
                 insert into animals {values}; pragma wal_checkpoint(truncate)"
            );
            let mut connection = SqliteConnection::connect(&database.url()).await.expect("the database opens");
            sqlx::raw_sql(sqlx::AssertSqlSafe(statement)).execute(&mut connection).await.expect("the table is made");
            connection.close().await.expect("the database closes");
        }
        Database::Postgres { .. } => {
            let values = values("('0190' || lpad(to_hex(i), 28, '0'))::uuid", "timestamptz '2026-11-22T08:00:00Z'");
            let statement = format!(
                "{POSTGRES} insert into animals
                 with numbers as (select generate_series(1, {rows}) as i) {values}; analyze animals"
            );
            let mut connection = PgConnection::connect(&database.url()).await.expect("the database opens");
            sqlx::raw_sql(sqlx::AssertSqlSafe(statement)).execute(&mut connection).await.expect("the table is made");
        }
    }
}

//! The statements, the same for both databases.

use std::future::Future;

use sqlx::{PgPool, Postgres, QueryBuilder, Sqlite, SqlitePool};
use uuid::Uuid;

use super::{Animal, ListQuery};

const COLUMNS: &str = "select id, name, species, weight_kg, created_at, version from animals";

pub trait Animals: Clone + Send + Sync + 'static {
    fn find(&self, id: Uuid) -> impl Future<Output = sqlx::Result<Option<Animal>>> + Send;

    fn insert(&self, animal: &Animal) -> impl Future<Output = sqlx::Result<()>> + Send;

    /// Updates the animal if its version is the stored one. Returns `false` otherwise.
    fn update(&self, animal: &Animal) -> impl Future<Output = sqlx::Result<bool>> + Send;

    fn list(
        &self,
        query: &ListQuery,
        order: &'static str,
        limit: i64,
        offset: i64,
    ) -> impl Future<Output = sqlx::Result<Vec<Animal>>> + Send;

    fn count(&self, query: &ListQuery) -> impl Future<Output = sqlx::Result<i64>> + Send;
}

macro_rules! filter {
    ($statement:ident, $query:ident) => {
        let mut word = " where ";
        if let Some(species) = $query.species {
            $statement.push(word).push("species = ").push_bind(species);
            word = " and ";
        }
        if let Some(weight) = $query.weight_from {
            $statement.push(word).push("weight_kg >= ").push_bind(weight);
            word = " and ";
        }
        if let Some(weight) = $query.weight_below {
            $statement.push(word).push("weight_kg < ").push_bind(weight);
        }
    };
}

macro_rules! animals {
    ($pool:ty, $database:ty) => {
        impl Animals for $pool {
            async fn find(&self, id: Uuid) -> sqlx::Result<Option<Animal>> {
                let statement = "select id, name, species, weight_kg, created_at, version from animals where id = $1";
                sqlx::query_as(statement).bind(id).fetch_optional(self).await
            }

            async fn insert(&self, animal: &Animal) -> sqlx::Result<()> {
                sqlx::query(
                    "insert into animals (id, name, species, weight_kg, created_at, version) values ($1, $2, $3, $4, $5, $6)",
                )
                .bind(animal.id)
                .bind(&animal.name)
                .bind(animal.species)
                .bind(animal.weight_kg)
                .bind(animal.created_at)
                .bind(animal.version)
                .execute(self)
                .await
                .map(drop)
            }

            async fn update(&self, animal: &Animal) -> sqlx::Result<bool> {
                let updated = sqlx::query(
                    "update animals set name = $1, species = $2, weight_kg = $3, version = version + 1 where id = $4 and version = $5",
                )
                .bind(&animal.name)
                .bind(animal.species)
                .bind(animal.weight_kg)
                .bind(animal.id)
                .bind(animal.version)
                .execute(self)
                .await?;
                Ok(updated.rows_affected() == 1)
            }

            async fn list(
                &self,
                query: &ListQuery,
                order: &'static str,
                limit: i64,
                offset: i64,
            ) -> sqlx::Result<Vec<Animal>> {
                let mut statement = QueryBuilder::<$database>::new(COLUMNS);
                filter!(statement, query);
                statement.push(" order by ").push(order).push(" limit ").push_bind(limit).push(" offset ").push_bind(offset);
                statement.build_query_as().fetch_all(self).await
            }

            async fn count(&self, query: &ListQuery) -> sqlx::Result<i64> {
                let mut statement = QueryBuilder::<$database>::new("select count(*) from animals");
                filter!(statement, query);
                statement.build_query_scalar().fetch_one(self).await
            }
        }
    };
}

animals!(SqlitePool, Sqlite);
animals!(PgPool, Postgres);

//! The statements, the same for both databases, and how sqlx runs them.

use std::future::Future;

use sqlx::{PgPool, Postgres, QueryBuilder, Sqlite, SqlitePool};
use uuid::Uuid;

use super::{Animal, AnimalChanges, Failure, ListQuery};

pub const FIND: &str = "select id, name, species, weight_kg, created_at, version from animals where id = $1";
pub const INSERT: &str =
    "insert into animals (id, name, species, weight_kg, created_at, version) values ($1, $2, $3, $4, $5, $6)";
pub const UPDATE: &str =
    "update animals set name = $1, species = $2, weight_kg = $3, version = version + 1 where id = $4 and version = $5";
pub const LIST: &str = "select id, name, species, weight_kg, created_at, version from animals";
pub const COUNT: &str = "select count(*) from animals";

pub trait Animals: Clone + Send + Sync + 'static {
    fn find(&self, id: Uuid) -> impl Future<Output = Result<Option<Animal>, Failure>> + Send;

    fn insert(&self, animal: &Animal) -> impl Future<Output = Result<(), Failure>> + Send;

    /// Changes the animal, and tries again if another request changes it in between. Returns `None` if there is no such animal.
    fn change(&self, id: Uuid, changes: AnimalChanges) -> impl Future<Output = Result<Option<Animal>, Failure>> + Send;

    fn list(
        &self,
        query: &ListQuery,
        order: &'static str,
        limit: i64,
        offset: i64,
    ) -> impl Future<Output = Result<Vec<Animal>, Failure>> + Send;

    fn count(&self, query: &ListQuery) -> impl Future<Output = Result<i64, Failure>> + Send;
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

pub(super) use filter;

macro_rules! animals {
    ($pool:ty, $database:ty) => {
        impl Animals for $pool {
            async fn find(&self, id: Uuid) -> Result<Option<Animal>, Failure> {
                Ok(sqlx::query_as(FIND).bind(id).fetch_optional(self).await?)
            }

            async fn insert(&self, animal: &Animal) -> Result<(), Failure> {
                sqlx::query(INSERT)
                    .bind(animal.id)
                    .bind(&animal.name)
                    .bind(animal.species)
                    .bind(animal.weight_kg)
                    .bind(animal.created_at)
                    .bind(animal.version)
                    .execute(self)
                    .await?;
                Ok(())
            }

            async fn change(&self, id: Uuid, changes: AnimalChanges) -> Result<Option<Animal>, Failure> {
                loop {
                    let Some(mut animal) = self.find(id).await? else { return Ok(None) };
                    animal.change(&changes);
                    let updated = sqlx::query(UPDATE)
                        .bind(&animal.name)
                        .bind(animal.species)
                        .bind(animal.weight_kg)
                        .bind(animal.id)
                        .bind(animal.version)
                        .execute(self)
                        .await?;
                    if updated.rows_affected() == 1 {
                        animal.version += 1;
                        return Ok(Some(animal));
                    }
                }
            }

            async fn list(
                &self,
                query: &ListQuery,
                order: &'static str,
                limit: i64,
                offset: i64,
            ) -> Result<Vec<Animal>, Failure> {
                let mut statement = QueryBuilder::<$database>::new(LIST);
                filter!(statement, query);
                statement
                    .push(" order by ")
                    .push(order)
                    .push(" limit ")
                    .push_bind(limit)
                    .push(" offset ")
                    .push_bind(offset);
                Ok(statement.build_query_as().fetch_all(self).await?)
            }

            async fn count(&self, query: &ListQuery) -> Result<i64, Failure> {
                let mut statement = QueryBuilder::<$database>::new(COUNT);
                filter!(statement, query);
                Ok(statement.build_query_scalar().fetch_one(self).await?)
            }
        }
    };
}

animals!(SqlitePool, Sqlite);
animals!(PgPool, Postgres);

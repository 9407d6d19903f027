//! Keep the entities of resources in a JSON file, with a custom store.
//!
//! `cargo run -p restwright-examples --example custom_store`, then
//! `curl -s -H 'Content-Type: application/json' -d '{"title": "Buy milk"}' http://127.0.0.1:8080/notes` and `cat notes.json`.

use std::convert::Infallible;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::sync::Arc;

use restwright::auth::Access;
use restwright::list::{Expression, ListSlice, Uncounted, Value, apply};
use restwright::prelude::*;
use restwright::resource::{
    Entity, EntityDefinition, ListQuery, Repository, Scope, Statement, Store, StoreError, Version, Versioned,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tokio::sync::Mutex;

/// A note.
#[derive(Clone, Serialize, Deserialize, Resource)]
#[resource(path = "/notes")]
struct Note {
    #[property(id)]
    id: i64,
    #[property(min_length = 1, max_length = 100, unique, filter(contains), sort)]
    title: String,
}

/// The name of a definition, and an entity of it.
type Row<R> = (String, Versioned<R>);

/// A store in a file. A clone is a handle to the same entities.
#[derive(Clone)]
struct FileStore<R> {
    path: PathBuf,
    rows: Arc<Mutex<Vec<Row<R>>>>,
}

impl<R: Entity + Clone + Serialize + DeserializeOwned> FileStore<R> {
    fn open(path: impl Into<PathBuf>) -> std::io::Result<Self> {
        let path = path.into();
        let rows: Vec<(String, i64, R)> = match std::fs::read(&path) {
            Ok(json) => serde_json::from_slice(&json)?,
            Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(error),
        };
        let rows =
            rows.into_iter().map(|(name, version, entity)| (name, Versioned::new(entity, Version::new(version))));
        Ok(Self { path, rows: Arc::new(Mutex::new(rows.collect())) })
    }

    /// Changes a copy of the rows, writes it to the file, and keeps it.
    async fn change<T>(&self, change: impl FnOnce(&mut Vec<Row<R>>) -> Result<T, StoreError>) -> Result<T, StoreError> {
        let mut rows = self.rows.lock().await;
        let mut changed = rows.clone();
        let value = change(&mut changed)?;
        let json: Vec<_> = changed.iter().map(|(name, row)| (name, row.version.number(), &row.entity)).collect();
        let json = serde_json::to_vec_pretty(&json).map_err(StoreError::failed)?;
        // A rename replaces the file as a whole, so a crash leaves the former file or the new one.
        let new = self.path.with_extension("new");
        std::fs::write(&new, json).and_then(|()| std::fs::rename(&new, &self.path)).map_err(StoreError::unavailable)?;
        *rows = changed;
        Ok(value)
    }
}

impl<R: Entity + Clone + Serialize + DeserializeOwned> Store for FileStore<R> {
    // Statements never have a transaction, so hooks and batches are not supported.
    type Transaction = Infallible;
    type Connection = Infallible;

    fn connection(transaction: &mut Infallible) -> &mut Infallible {
        transaction
    }

    async fn begin(&self) -> Result<Infallible, StoreError> {
        Err(StoreError::failed("this store has no transactions"))
    }

    async fn commit(&self, transaction: Infallible) -> Result<(), StoreError> {
        match transaction {}
    }
}

impl<R: Entity + Clone + Serialize + DeserializeOwned> Repository<R> for FileStore<R> {
    async fn find(&self, statement: Statement<'_, Self>, id: &Value<'_>) -> Result<Option<Versioned<R>>, StoreError> {
        let key = statement.key(id)?;
        let rows = self.rows.lock().await;
        Ok(find(&rows, statement.definition(), statement.scope(), &key).map(|(_, row)| row.clone()))
    }

    async fn list(
        &self,
        statement: Statement<'_, Self>,
        query: &ListQuery<'_>,
    ) -> Result<ListSlice<Versioned<R>, Uncounted>, StoreError> {
        let filter = statement.restrict_query(query)?;
        let rows = self.rows.lock().await;
        Ok(apply(filter, &query.order, &query.window, of(&rows, statement.definition())).cloned().without_total())
    }

    async fn count(&self, statement: Statement<'_, Self>, filter: &Expression) -> Result<u64, StoreError> {
        let filter = statement.restrict(filter)?;
        let rows = self.rows.lock().await;
        Ok(of(&rows, statement.definition()).filter(|row| filter.holds(*row)).count() as u64)
    }

    async fn insert(&self, statement: Statement<'_, Self>, mut entity: R) -> Result<Versioned<R>, StoreError> {
        let definition = statement.definition();
        // Random, so an identifier that is deleted and inserted again has other versions.
        let version = Version::random();
        if statement.prepare_insert(&mut entity, version)? {
            statement.set(&mut entity, definition.identifier(), version.number().into())?;
        }
        self.change(|rows| put(rows, definition, rows.len(), Versioned::new(entity, version))).await
    }

    async fn update(
        &self,
        statement: Statement<'_, Self>,
        mut entity: R,
        expected: Option<Version>,
    ) -> Result<Versioned<R>, StoreError> {
        let definition = statement.definition();
        let version = Version::random();
        statement.prepare_update(&mut entity, version)?;
        self.change(|rows| {
            let found = find(rows, definition, statement.scope(), &definition.key(&entity));
            // An entity never moves to another scope.
            let is_same_scope = |row: &Versioned<R>| definition.scope_values(row) == definition.scope_values(&entity);
            let (index, _) = expect(found.filter(|(_, row)| is_same_scope(row)), expected)?;
            put(rows, definition, index, Versioned::new(entity, version))
        })
        .await
    }

    async fn delete(
        &self,
        statement: Statement<'_, Self>,
        id: &Value<'_>,
        expected: Option<Version>,
    ) -> Result<(), StoreError> {
        let key = statement.key(id)?;
        self.change(|rows| {
            let (index, _) = expect(find(rows, statement.definition(), statement.scope(), &key), expected)?;
            rows.remove(index);
            Ok(())
        })
        .await
    }
}

/// Returns the entities of a definition.
fn of<'r, R>(rows: &'r [Row<R>], definition: &EntityDefinition) -> impl Iterator<Item = &'r Versioned<R>> {
    rows.iter().filter(|(name, _)| name == definition.name()).map(|(_, row)| row)
}

/// Returns the entity with a key and its index. An entity of another scope does not exist.
fn find<'r, R: Entity>(
    rows: &'r [Row<R>],
    definition: &EntityDefinition,
    scope: &Scope,
    key: &[Value<'static>],
) -> Option<(usize, &'r Versioned<R>)> {
    let rows = rows.iter().enumerate().filter(|(_, (name, _))| name == definition.name());
    rows.map(|(index, (_, row))| (index, row)).find(|(_, row)| definition.key(*row) == key && scope.admits(*row))
}

/// Returns a found entity if it has the expected version.
fn expect<R>(
    found: Option<(usize, &Versioned<R>)>,
    expected: Option<Version>,
) -> Result<(usize, &Versioned<R>), StoreError> {
    let (index, row) = found.ok_or(StoreError::NotFound)?;
    let is_expected = expected.is_none_or(|expected| expected == row.version);
    if is_expected { Ok((index, row)) } else { Err(StoreError::StaleVersion) }
}

/// Stores an entity at an index, unless another one has its key or one of its unique values.
fn put<R: Entity + Clone>(
    rows: &mut Vec<Row<R>>,
    definition: &EntityDefinition,
    index: usize,
    row: Versioned<R>,
) -> Result<Versioned<R>, StoreError> {
    let keys = |row: &Versioned<R>| -> Vec<_> {
        // The identifier comes first, so the error names it if several are taken.
        let identifier = (vec![definition.identifier().to_owned().into()], definition.key(row));
        let unique = definition.unique_keys(row).map(|(fields, key)| (fields.to_vec(), key));
        [identifier].into_iter().chain(unique).collect()
    };
    let others = rows.iter().enumerate().filter(|(other, (name, _))| *other != index && name == definition.name());
    let taken: Vec<_> = others.flat_map(|(_, (_, other))| keys(other)).collect();
    if let Some((fields, _)) = keys(&row).into_iter().find(|key| taken.contains(key)) {
        return Err(StoreError::Conflict { fields });
    }
    rows.splice(index..rows.len().min(index + 1), [(definition.name().to_owned(), row.clone())]);
    Ok(row)
}

fn api(store: FileStore<Note>) -> Result<Api, BuildErrors> {
    Api::builder(Configuration::new("notes", "1.0.0")).resource::<Note>(store, Access::public()).build()
}

fn main() -> Result<(), restwright::ServeError> {
    let store = FileStore::open("notes.json")?;
    restwright::run(restwright::serve(api(store)?, "127.0.0.1:8080"))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use restwright::resource::conformance::{Conformance, Topic};
    use restwright::testing::TestClient;
    use serde_json::json;

    use super::*;

    /// Returns a new folder.
    fn folder(test: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("restwright-{test}-{}", std::process::id()));
        std::fs::create_dir(&folder).unwrap();
        folder
    }

    #[tokio::test]
    async fn passes_the_suite_of_stores() {
        let (folder, files) = (folder("file-store-suite"), AtomicUsize::new(0));
        let open = async || FileStore::open(folder.join(files.fetch_add(1, Ordering::Relaxed).to_string())).unwrap();
        let suite = Conformance::new()
            .without(Topic::Transactions)
            .without(Topic::References)
            .without(Topic::DeletedEntities)
            .without(Topic::Existence);
        suite.run(open).await.unwrap();
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn keeps_notes_after_a_restart() {
        let folder = folder("file-store");
        let start = || TestClient::new(api(FileStore::open(folder.join("notes.json")).unwrap()).unwrap());
        let created = start().post("/notes").json(&json!({"title": "Buy milk"})).send();
        let location = created.assert_status(201).assert_documented().header("location").unwrap();

        let client = start();
        assert_eq!(client.get(location).send().assert_documented().text(), created.text());
        client.post("/notes").json(&json!({"title": "Buy milk"})).send().assert_problem("conflict");
        std::fs::remove_dir_all(folder).unwrap();
    }
}

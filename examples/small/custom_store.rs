//! Keep the entities of resources in a JSON file, with a custom store.
//!
//! `cargo run -p restwright-examples --example custom_store`, then
//! `curl -s -H 'Content-Type: application/json' -d '{"title": "Buy milk"}' http://127.0.0.1:8080/notes` and `cat notes.json`.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::sync::Arc;

use restwright::auth::Access;
use restwright::extend::resource::{
    Change, EntityDefinition, Read, ReadResult, Row, RowError, Statement, Store, StoreError, StoreFuture, Version,
    Versioned,
};
use restwright::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
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

/// The versions and the values of entities, by the name of their definition.
type Saved = BTreeMap<String, Vec<(i64, Map<String, Json>)>>;

/// A store in a file. A clone is a handle to the same entities.
#[derive(Clone)]
struct FileStore {
    path: PathBuf,
    saved: Arc<Mutex<Saved>>,
}

impl FileStore {
    fn open(path: impl Into<PathBuf>) -> std::io::Result<Self> {
        let path = path.into();
        let saved = match std::fs::read(&path) {
            Ok(json) => serde_json::from_slice(&json)?,
            Err(error) if error.kind() == ErrorKind::NotFound => Saved::new(),
            Err(error) => return Err(error),
        };
        Ok(Self { path, saved: Arc::new(Mutex::new(saved)) })
    }

    /// Writes the rows of a definition to the file, and keeps them.
    fn save(
        &self,
        saved: &mut Saved,
        definition: &EntityDefinition,
        rows: &[Versioned<Row>],
    ) -> Result<(), StoreError> {
        let entity = |row: &Versioned<Row>| Ok::<_, RowError>((row.version.number(), row.entity.to_json()?));
        let mut changed = saved.clone();
        changed.insert(definition.name().to_owned(), rows.iter().map(entity).collect::<Result<_, _>>()?);
        let json = serde_json::to_vec_pretty(&changed).map_err(StoreError::failed)?;
        // A rename replaces the file as a whole, so a crash leaves the former file or the new one.
        let new = self.path.with_extension("new");
        std::fs::write(&new, json).and_then(|()| std::fs::rename(&new, &self.path)).map_err(StoreError::unavailable)?;
        *saved = changed;
        Ok(())
    }
}

/// Returns the rows of a definition.
fn rows(saved: &Saved, definition: &EntityDefinition) -> Result<Vec<Versioned<Row>>, StoreError> {
    let saved = saved.get(definition.name()).into_iter().flatten();
    let row = |(version, entity): &(i64, Map<String, Json>)| {
        Ok(Versioned::new(Row::from_json(definition, entity)?, Version::new(*version)))
    };
    saved.map(row).collect()
}

impl Store for FileStore {
    fn read<'a>(&'a self, statement: Statement<'a>, read: Read<'a>) -> StoreFuture<'a, ReadResult> {
        Box::pin(async move {
            let saved = self.saved.lock().await;
            statement.read_rows(read, &rows(&saved, statement.definition())?)
        })
    }

    fn write<'a>(&'a self, statement: Statement<'a>, change: Change) -> StoreFuture<'a, Option<Versioned<Row>>> {
        Box::pin(async move {
            let mut saved = self.saved.lock().await;
            let mut rows = rows(&saved, statement.definition())?;
            let written = statement.write_rows(change, &mut rows)?;
            self.save(&mut saved, statement.definition(), &rows)?;
            Ok(written)
        })
    }
}

fn api(store: FileStore) -> Result<Api, BuildErrors> {
    Api::builder(Configuration::new("notes", "1.0.0")).resource::<Note>(store, Access::public()).build()
}

fn main() -> Result<(), restwright::ServeError> {
    let store = FileStore::open("notes.json")?;
    restwright::run(restwright::serve(api(store)?, "127.0.0.1:8080"))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use restwright::testing::TestClient;
    use restwright_conformance::{Conformance, Topic};
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

//! Defines [`Sweep`], which starts the store of files and deletes files without an entity.

use std::collections::HashSet;
use std::future::poll_fn;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use restwright_core::runtime::log;
use restwright_core::{Component, ComponentError, Problem, Result};
use restwright_files::{FileStore, ListedFile, ListedFiles, SharedFileStore};
use restwright_list::{Comparison, Expression, SortBag, SortFields, Value, Window};
use tokio::task::JoinHandle;

use super::operations::{delete_file, folder};
use super::{FileField, StoredFile};
use crate::endpoints::operate::entities::Entities;
use crate::store::{ListQuery, Read, Statement};

/// The time from the start until the first sweep.
const FIRST: Duration = Duration::from_secs(10 * 60);

/// The time between two sweeps.
const INTERVAL: Duration = Duration::from_secs(24 * 60 * 60);

/// The age at which a file without an entity is deleted. No upload takes so long.
const AGE: Duration = Duration::from_secs(24 * 60 * 60);

/// The number of files whose entities are read together.
const BATCH: usize = 500;

/// Starts the store of the files of a resource. Deletes the files of interrupted uploads, and of entities that were deleted
/// with another entity, unless statements depend on the caller: the component may not see every entity then.
pub(super) struct Sweep {
    name: String,
    folders: Arc<Folders>,
    task: Mutex<Option<JoinHandle<()>>>,
}

struct Folders {
    entities: Arc<Entities>,
    store: SharedFileStore,
    fields: Vec<Arc<str>>,
}

impl Sweep {
    pub(super) fn new(entities: &Arc<Entities>, store: &SharedFileStore, fields: &[FileField]) -> Self {
        let folders = Folders {
            entities: Arc::clone(entities),
            store: store.clone(),
            fields: fields.iter().map(|field| Arc::clone(&field.name)).collect(),
        };
        let name = format!("files of {}", entities.info.definition.name());
        Self { name, folders: Arc::new(folders), task: Mutex::new(None) }
    }

    fn replace(&self, task: Option<JoinHandle<()>>) {
        let before = std::mem::replace(&mut *self.task.lock().unwrap_or_else(PoisonError::into_inner), task);
        before.iter().for_each(JoinHandle::abort);
    }
}

impl Component for Sweep {
    fn name(&self) -> &str {
        &self.name
    }

    async fn start(&self) -> Result<(), ComponentError> {
        let folders = Arc::clone(&self.folders);
        folders.store.start().await?;
        if folders.entities.store.is_per_caller() {
            return Ok(());
        }
        self.replace(Some(tokio::spawn(async move {
            tokio::time::sleep(FIRST).await;
            loop {
                folders.sweep().await;
                tokio::time::sleep(INTERVAL).await;
            }
        })));
        Ok(())
    }

    async fn stop(&self) {
        self.replace(None);
    }
}

impl Folders {
    async fn sweep(&self) {
        for field in &self.fields {
            let folder = folder(self.entities.info.definition.name(), field);
            match self.sweep_folder(field, self.store.list(&folder)).await {
                Ok(0) => {}
                Ok(deleted) => log(|| tracing::info!(deleted, folder, "files without an entity were deleted")),
                Err(error) => log(|| tracing::warn!(%error, folder, "files without an entity were not deleted")),
            }
        }
    }

    /// Deletes the files of a field that no entity refers to. Returns the number of deleted files.
    async fn sweep_folder(&self, field: &str, mut listed: ListedFiles) -> Result<usize> {
        let (mut old, mut deleted) = (Vec::new(), 0);
        loop {
            let listed = poll_fn(|context| listed.as_mut().poll_next(context)).await.transpose()?;
            let is_end = listed.is_none();
            old.extend(listed.filter(is_old).map(|file| file.key));
            if old.len() >= BATCH || is_end {
                deleted += self.delete_unknown(field, std::mem::take(&mut old)).await?;
            }
            if is_end {
                return Ok(deleted);
            }
        }
    }

    async fn delete_unknown(&self, field: &str, mut keys: Vec<String>) -> Result<usize> {
        let definition = &self.entities.info.definition;
        let mut identifiers: Vec<_> = keys.iter().filter_map(|key| self.identifier(key)).collect();
        identifiers.sort_unstable();
        identifiers.dedup();
        if identifiers.is_empty() {
            return Ok(0);
        }
        let filter = Expression::condition(definition.identifier().to_owned(), Comparison::In(identifiers));
        let fields = SortFields::by_identifier(definition.identifier().to_owned());
        let Some(order) = SortBag::among(&fields, []) else { return Ok(0) };
        let query = ListQuery::of(filter, order, Window::skip(0, u32::MAX));
        let store = &self.entities.store;
        let read = Read::List { query: &query, is_counted: false };
        let listed = store.read(Statement::new(definition).with_deleted(), read).await.map_err(Problem::internal)?;
        let files = listed.rows.items.iter().filter_map(|row| StoredFile::parse(row.entity.value(field).as_text()?));
        let kept: HashSet<_> = files.map(|file| file.key).collect();
        keys.retain(|key| !kept.contains(key) && self.identifier(key).is_some());
        for key in &keys {
            delete_file(&self.store, key).await;
        }
        Ok(keys.len())
    }

    /// Returns the identifier in a key. Returns `None` for a file that no upload has stored.
    fn identifier(&self, key: &str) -> Option<Value<'static>> {
        let (id, random) = key.rsplit('/').next()?.split_once('.')?;
        let is_random = random.len() == 32 && random.bytes().all(|byte| byte.is_ascii_hexdigit());
        let integer = || id.parse().ok().map(|id: i64| Value::from(&id).into_owned());
        let uuid = || id.parse().ok().map(Value::Uuid);
        integer().or_else(uuid).filter(|_| is_random)
    }
}

fn is_old(file: &ListedFile) -> bool {
    SystemTime::now().duration_since(file.modified).is_ok_and(|age| age > AGE)
}

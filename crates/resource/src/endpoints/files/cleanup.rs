//! Defines [`Cleanup`], which deletes the files of entities after a commit.

use std::future::ready;
use std::sync::Arc;

use restwright_core::Result;
use restwright_core::runtime::{BoxFuture, LocalBoxFuture};
use restwright_core::schema::Mode;
use restwright_files::SharedFileStore;

use super::StoredFile;
use super::operations::delete_file;
use crate::endpoints::erased::any_entity::AnyEntity;
use crate::endpoints::operate::hook_context::HookContext;
use crate::endpoints::operate::hooks::{CommittedChange, ErasedChange, ErasedHooks, Moment};

/// Deletes the files of an entity after it has left the store, and a file after the entity refers to another file.
pub(in crate::endpoints) struct Cleanup {
    pub(super) store: SharedFileStore,
    pub(super) fields: Vec<Arc<str>>,
    /// `true` if deleted entities stay in the store.
    pub(super) keeps_deleted: bool,
}

impl Cleanup {
    /// Returns the keys of the files that an entity no longer refers to.
    fn keys(&self, before: &dyn AnyEntity, after: Option<&dyn AnyEntity>) -> Vec<String> {
        let key = |entity: &dyn AnyEntity, field: &str| {
            entity.value(field).as_text().and_then(StoredFile::parse).map(|file| file.key)
        };
        let fields = self.fields.iter();
        let changed = fields.filter_map(|field| {
            let before = key(before, field);
            let after = after.and_then(|after| key(after, field));
            before.filter(|before| Some(before) != after.as_ref())
        });
        changed.collect()
    }
}

impl ErasedHooks for Cleanup {
    fn name(&self) -> &'static str {
        "files"
    }

    fn run_in(&self, mode: Mode) -> bool {
        matches!(mode, Mode::Update | Mode::Delete)
    }

    fn run<'a, 'q: 'a>(
        &'a self,
        _: &'a mut HookContext<'_>,
        _: Moment<'a, 'q>,
    ) -> Result<LocalBoxFuture<'a, Result<()>>> {
        Ok(Box::pin(ready(Ok(()))))
    }

    fn after_commit<'a>(&'a self, change: &ErasedChange) -> Result<BoxFuture<'a, ()>> {
        let keys = match change {
            CommittedChange::Created(_) => Vec::new(),
            CommittedChange::Deleted(_) if self.keeps_deleted => Vec::new(),
            CommittedChange::Updated { before, after } => self.keys(&**before, Some(&**after)),
            CommittedChange::Deleted(entity) => self.keys(&**entity, None),
        };
        Ok(Box::pin(async move {
            for key in keys {
                delete_file(&self.store, &key).await;
            }
        }))
    }
}

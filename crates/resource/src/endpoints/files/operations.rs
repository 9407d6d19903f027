//! Runs the operations on the file of an entity.

use std::cell::Cell;
use std::future::ready;
use std::sync::Arc;

use restwright_core::conditional::{EntityTag, Preconditions};
use restwright_core::http::HeaderValue;
use restwright_core::problem::catalogue;
use restwright_core::runtime::{LocalBoxFuture, log};
use restwright_core::{Controller, NoContent, Problem, Result, Route};
use restwright_files::{FileStore, SharedFileStore};
use restwright_list::Value;
use tracing::Instrument;
use uuid::Uuid;

use super::response::{Download, Uploaded};
use super::upload::Upload;
use super::{FileField, StoredFile};
use crate::endpoints::caller::call::Call;
use crate::endpoints::caller::problem::Failure;
use crate::endpoints::erased::any_entity::{AnyEntity, AnyIdentifier};
use crate::endpoints::operate::act::Act;
use crate::endpoints::operate::entities::Entities;
use crate::endpoints::operate::hook_context::HookContext;
use crate::endpoints::operate::unit::Unit;
use crate::endpoints::serve::controllers::{ChangeTarget, with_problems_of_changes};
use crate::endpoints::serve::request::{Both, EntityRequest, Identifier};

/// The number of times that a download looks for the file of an entity. A concurrent upload deletes the earlier file.
const ATTEMPTS: u32 = 3;

type Shared = (Arc<Entities>, FileField);

pub(super) fn download(route: Route, (entities, field): Shared) -> impl Controller {
    let route = route.problem(catalogue::NOT_FOUND).problem(catalogue::UNAVAILABLE);
    route.handler(async move |request: EntityRequest<Identifier>| {
        let (call, Identifier(id)) = (&request.call, request.part);
        field.check_readable(call)?;
        for _ in 0..ATTEMPTS {
            let file = field.of(&*entities.view(call, &*id).await?.entity).ok_or_else(missing)?;
            if let Some(response) = field.store.open(&file.key).await? {
                let media_type = HeaderValue::from_str(&file.media_type).map_err(Problem::internal)?;
                let response = response.content_type(media_type).attachment(&field.name).tag(tag(&file));
                return Ok(Download::new(response, call.rights.are_guarded()));
            }
        }
        Err(Problem::internal(format!("the file store does not contain the `{}` of an entity", field.name)))
    })
}

pub(super) fn upload(route: Route, (entities, field): Shared) -> impl Controller {
    let route = with_problems_of_changes(route).problem(catalogue::FORBIDDEN);
    route.handler(async move |request: EntityRequest<ChangeTarget, Upload>| {
        let (call, Both(Identifier(id), preconditions)) = (&request.call, request.part);
        entities.check_changeable(call, &*id, &preconditions, &field).await?;
        let file = Incomplete::receive(&entities, &*id, &field, request.body).await?;
        let set = SetFile::new(&field, &preconditions, Some(&file));
        let is_created = match entities.set_file(call, &*id, &set).await {
            Ok(is_created) => is_created,
            Err(problem) => {
                // The outcome of a commit may be unknown, and then the entity may refer to the file.
                if problem.status().is_client_error() {
                    delete_file(&field.store, &file.key).await;
                }
                return Err(problem);
            }
        };
        let tag = tag(&file);
        Ok::<_, Problem>(Uploaded { file, tag, is_created, is_private: call.rights.are_guarded() })
    })
}

pub(super) fn delete(route: Route, (entities, field): Shared) -> impl Controller {
    let route = with_problems_of_changes(route).problem(catalogue::FORBIDDEN);
    route.handler(async move |request: EntityRequest<ChangeTarget>| {
        let (call, Both(Identifier(id), preconditions)) = (&request.call, request.part);
        field.check_writable(call)?;
        let set = SetFile::new(&field, &preconditions, None);
        entities.set_file(call, &*id, &set).await?;
        Ok(NoContent)
    })
}

impl FileField {
    /// Returns the file of an entity.
    fn of(&self, entity: &dyn AnyEntity) -> Option<StoredFile> {
        entity.value(&self.name).as_text().and_then(StoredFile::parse)
    }

    /// Fails with a 404 if the caller may not read the field, as for an entity without a file.
    fn check_readable(&self, call: &Call) -> Result<()> {
        if call.rights.may_read(&self.name) { Ok(()) } else { Err(missing()) }
    }

    /// Fails with a 404 or a 403 if the caller may not read or write the field.
    fn check_writable(&self, call: &Call) -> Result<()> {
        self.check_readable(call)?;
        if call.rights.may_write(&self.name) { Ok(()) } else { Err(Problem::new(catalogue::FORBIDDEN)) }
    }
}

fn missing() -> Problem {
    Problem::new(catalogue::NOT_FOUND)
}

/// Returns the entity tag of a file. Each upload has another tag.
fn tag(file: &StoredFile) -> EntityTag {
    EntityTag::strong(file.key.rsplit('.').next().unwrap_or_default())
}

/// Checks the preconditions of a change against the current file.
fn check(preconditions: &Preconditions, file: Option<&StoredFile>) -> Result<()> {
    preconditions.check(file.map(tag).as_ref())
}

impl Entities {
    /// Checks that an upload would succeed, before its content is received.
    async fn check_changeable(
        &self,
        call: &Call,
        id: &dyn AnyIdentifier,
        preconditions: &Preconditions,
        field: &FileField,
    ) -> Result<()> {
        field.check_writable(call)?;
        self.run(call, Some(id), async |_| {
            let found = Unit::read(self, call).await?.get_writable(id).await?;
            check(preconditions, field.of(&*found.entity).as_ref()).map_err(Failure::from)
        })
        .await
    }

    /// Sets the file of an entity. Returns `true` if the entity had none.
    async fn set_file(&self, call: &Call, id: &dyn AnyIdentifier, set: &SetFile<'_>) -> Result<bool> {
        self.act(call, id, None, &set.field.name, set).await?;
        Ok(!set.had_file.get())
    }
}

/// Sets the file of an entity in the transaction of an update.
struct SetFile<'f> {
    field: &'f FileField,
    preconditions: &'f Preconditions,
    file: Option<&'f StoredFile>,
    /// `true` if the entity had a file in the last attempt.
    had_file: Cell<bool>,
}

impl<'f> SetFile<'f> {
    fn new(field: &'f FileField, preconditions: &'f Preconditions, file: Option<&'f StoredFile>) -> Self {
        Self { field, preconditions, file, had_file: Cell::new(false) }
    }
}

impl Act for SetFile<'_> {
    fn act<'a>(
        &'a self,
        entity: &'a mut (dyn AnyEntity + 'static),
        _: &'a mut HookContext<'_>,
    ) -> Result<LocalBoxFuture<'a, Result<()>>> {
        let Self { field, preconditions, file, had_file } = self;
        let before = field.of(entity);
        check(preconditions, before.as_ref())?;
        had_file.set(before.is_some());
        if before.is_none() && file.is_none() {
            return Err(missing());
        }
        let value = file.map_or(Value::Null, |file| Value::from(file.to_string()));
        if !entity.set_value(&field.name, value) {
            return Err(Problem::internal(format!("`Entity::set_value` must accept the file `{}`", field.name)));
        }
        Ok(Box::pin(ready(Ok(()))))
    }
}

/// A file that is being received. It is deleted when this value is dropped.
struct Incomplete {
    store: SharedFileStore,
    key: String,
}

impl Incomplete {
    /// Stores the content of an upload under a new key. The caller must delete the file if no entity refers to it.
    async fn receive(
        entities: &Entities,
        id: &dyn AnyIdentifier,
        field: &FileField,
        mut upload: Upload,
    ) -> Result<StoredFile> {
        upload.check_content(&field.limits).await?;
        let id = match entities.info.identifier(id.to_value()) {
            Value::Integer(id) => id.to_string(),
            Value::Uuid(id) => id.to_string(),
            _ => {
                return Err(Problem::internal(
                    "the identifier of an entity with a file is neither an integer nor a UUID",
                ));
            }
        };
        let folder = folder(entities.info.definition.name(), &field.name);
        let key = format!("{folder}/{id}.{}", Uuid::new_v4().simple());
        let mut incomplete = Self { store: field.store.clone(), key };
        field.store.put(&incomplete.key, &mut upload.content).await?;
        let key = std::mem::take(&mut incomplete.key);
        Ok(StoredFile::new(key, upload.content.size(), upload.content.sha256(), upload.media_type))
    }
}

impl Drop for Incomplete {
    fn drop(&mut self) {
        let (store, key) = (self.store.clone(), std::mem::take(&mut self.key));
        let Some(runtime) = tokio::runtime::Handle::try_current().ok().filter(|_| !key.is_empty()) else { return };
        let deleting = async move { delete_file(&store, &key).await };
        runtime.spawn(deleting.in_current_span());
    }
}

/// Returns the folder of the files in a field.
pub(super) fn folder(definition: &str, field: &str) -> String {
    format!("{definition}/{field}")
}

/// Deletes a file that no entity refers to. If it fails, the file is deleted later.
pub(super) async fn delete_file(store: &SharedFileStore, key: &str) {
    if let Err(error) = store.delete(key).await {
        log(|| tracing::warn!(%error, key, "a file was not deleted; it is deleted later"));
    }
}

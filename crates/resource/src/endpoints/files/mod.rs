//! Adds the endpoints of files to a resource.

mod cleanup;
mod limits;
mod operations;
mod response;
mod stored_file;
mod sweep;
mod upload;

use std::sync::Arc;

use restwright_core::schema::{Mode, Property, Registry};
use restwright_core::{BuildError, BuildErrorKind, Route};
use restwright_files::{FileStore, SharedFileStore};
use restwright_list::ValueType;
use restwright_runtime::{ApiBuilder, Group};

pub use self::stored_file::StoredFile;

use self::cleanup::Cleanup;
use self::limits::FileLimits;
use self::sweep::Sweep;
use crate::definition::{EntityDefinition, IdentifierKind};
use crate::endpoints::declare::names::capitalised;
use crate::endpoints::serve::resource_routes::{ResourceRoutes, hidden_words};
use crate::endpoints::{Endpoints, Resource};

/// The file fields of a resource, and the store of their files.
#[derive(Default)]
pub(super) struct DeclaredFiles {
    pub(super) store: Option<SharedFileStore>,
    pub(super) fields: Vec<Property>,
}

/// One file field of a resource.
#[derive(Clone)]
pub(super) struct FileField {
    store: SharedFileStore,
    name: Arc<str>,
    limits: Arc<FileLimits>,
}

impl<R: Resource> Endpoints<R> {
    /// Declares that a field contains a [`StoredFile`], with the constraints of the file. `#[property(file)]` calls it.
    ///
    /// Adds `GET`, `PUT` and `DELETE` at a path such as `/animals/{id}/photo`. The `GET` has the access of a view, the others have the access of an
    /// update.
    pub fn file(mut self, file: impl Into<Property>) -> Self {
        self.declared.files.fields.push(file.into());
        self
    }

    /// Sets the store of the files of this resource. It may also store the files of other resources.
    ///
    /// Files are deleted with their entity. Every 24 hours, the endpoints also delete the files that no entity refers to and that are older than 24 hours,
    /// such as the files of interrupted uploads. The store must therefore contain the files of one database only. Nothing is deleted in this way if
    /// statements of the database depend on the caller, because the endpoints may not see every entity.
    pub fn files(mut self, store: impl FileStore) -> Self {
        self.declared.files.store = Some(SharedFileStore::new(store));
        self
    }
}

impl DeclaredFiles {
    /// Returns an error if the files cannot be stored or their entities cannot be found.
    fn error(&self, definition: &EntityDefinition) -> Option<String> {
        let first = self.fields.first()?.name();
        let entity = definition.name();
        if self.store.is_none() {
            return Some(format!(
                "the field `{first}` of `{entity}` is a file, but the endpoints have no store for files; add one, such as \
                 `.files(FolderStore::new(\"files\"))`"
            ));
        }
        let identifier = match definition.identifier_kind() {
            IdentifierKind::Given(value_type) => value_type,
            IdentifierKind::Integer => ValueType::Integer,
            IdentifierKind::Uuid => ValueType::Uuid,
        };
        if !matches!(identifier, ValueType::Integer | ValueType::Uuid) {
            return Some(format!(
                "the field `{first}` of `{entity}` is a file, which requires an identifier that is an integer or a UUID"
            ));
        }
        let is_file = |field: &&Property| {
            definition
                .get(field.name())
                .is_some_and(|field| field.is_nullable() && field.value_type() == ValueType::Text)
        };
        let other = self.fields.iter().find(|field| !is_file(field))?;
        Some(format!("`{}` of `{entity}` must be a field of the type `Option<StoredFile>`", other.name()))
    }

    /// Returns the hooks that delete files after a commit, if the resource has files.
    pub(super) fn cleanup(&self, definition: &EntityDefinition) -> Option<Cleanup> {
        let store = self.store.clone().filter(|_| !self.fields.is_empty())?;
        let names = self.fields.iter().map(|field| field.name().into()).collect();
        Some(Cleanup { store, fields: names, keeps_deleted: definition.deletion_field().is_some() })
    }
}

impl ResourceRoutes<'_> {
    /// Adds the endpoints of each file to the group of the resource, and the component that deletes files without an entity.
    pub(super) fn add_files(&self, group: Group, api: ApiBuilder) -> (Group, ApiBuilder) {
        let declared = &self.endpoints.files;
        if let Some(error) = declared.error(&self.info.definition) {
            return (group, api.error(BuildError::new(BuildErrorKind::Route, error)));
        }
        let Some(store) = declared.store.as_ref().filter(|_| !declared.fields.is_empty()) else { return (group, api) };
        let fields = declared.fields.iter().map(|property| FileField {
            store: store.clone(),
            name: property.name().into(),
            limits: Arc::new(FileLimits::new(property.clone(), &mut Registry::new())),
        });
        let fields: Vec<_> = fields.collect();
        let group = fields.iter().fold(group, |group, field| self.add_file(group, field));
        (group, api.component(Sweep::new(&self.entities, store, &fields)))
    }

    fn add_file(&self, mut group: Group, field: &FileField) -> Group {
        let words = field.name.replace('_', " ");
        let path = format!("/{{id}}/{}", field.name.replace('_', "-"));
        let suffix: String = field.name.split('_').map(capitalised).collect();
        let one = &self.info.names.singular;
        let route = |mode, route, verb: &str, sentence: &str, hint: &str| {
            let id = format!("{verb}{}{suffix}", self.info.names.id);
            let summary = format!("{sentence} the {words} of one {one}");
            let hidden = hidden_words(&self.info.definition, &self.info.names.plural);
            let description = format!("{sentence}s the file. {hint} {hidden}");
            self.route(mode, route, id, summary).description(description.trim_end().replace("  ", " "))
        };
        let entities = || (Arc::clone(&self.entities), field.clone());
        if !self.endpoints.without.contains(&Mode::View) {
            let hint = "It is sent as an attachment.";
            let route_of_get = route(Mode::View, Route::get(&path), "download", "Return", hint);
            group = group.controller(operations::download(route_of_get, entities()));
        }
        if !self.endpoints.without.contains(&Mode::Update) {
            let hint = "An earlier file is deleted.";
            let route_of_put = field.limits.apply(route(Mode::Update, Route::put(&path), "upload", "Store", hint));
            group = group.controller(operations::upload(route_of_put, entities()));
            let route_of_delete = route(Mode::Update, Route::delete(&path), "delete", "Delete", "");
            group = group.controller(operations::delete(route_of_delete, entities()));
        }
        group
    }
}

//! Creates the routes of a resource's endpoints.

use std::sync::Arc;

use restwright_core::operation::TagObject;
use restwright_core::schema::Mode;
use restwright_core::{BuildError, BuildErrorKind, Route};
use restwright_runtime::{ApiBuilder, Group, Module};

use super::controllers;
use super::query::QUERY_PATH;
use super::resource_routes::{BATCH, BATCH_DELETE, ResourceRoutes};
use crate::definition::IdentifierKind;
use crate::endpoints::declare::names::capitalised;
use crate::endpoints::declare::registered::Registered;
use crate::endpoints::includes::Sources;
use crate::endpoints::{Declared, Endpoints, Resource};

impl<R: Resource> Module for Endpoints<R> {
    fn register(&self, api: ApiBuilder) -> ApiBuilder {
        self.declared.register(api)
    }
}

impl Declared {
    fn register(&self, mut api: ApiBuilder) -> ApiBuilder {
        let path = format!("{}{}", api.prefix(), self.info.path);
        if let Err(message) = api.module_state::<Registered>().add(self, path) {
            return api.error(BuildError::new(BuildErrorKind::Route, message));
        }
        for hooks in &self.hooks {
            if let Err(reason) = hooks.check(&*self.store) {
                let message = format!(
                    "the hooks or the presenter `{}` of `{}`: {reason}",
                    hooks.name(),
                    self.info.definition.name()
                );
                api = api.error(BuildError::new(BuildErrorKind::Route, message));
            }
        }
        let operations = ResourceRoutes::new(self, api.module_state::<Sources>().clone());
        let names = &operations.info.names;
        let (one, all, several) = (&names.singular, &names.plural, &names.plural_id);
        let id = |verb: &str| format!("{verb}{}", names.id);
        let entities = || Arc::clone(&operations.entities);
        let path = "/{id}";
        let mut tag = TagObject::new(self.tag.clone().unwrap_or_else(|| names.tag()));
        if !operations.info.description.is_empty() {
            tag = tag.description(operations.info.description.clone());
        }
        let mut group = Group::new(&operations.info.path).tag(tag);

        if !self.without.contains(&Mode::Create) {
            let route = operations.route(Mode::Create, Route::post(""), id("create"), format!("Create a new {one}"));
            group =
                group.group(operations.once_for_one(Mode::Create).controller(controllers::create(route, entities())));
        }
        if self.info.batch.is_some() {
            let route = Route::post(BATCH);
            let route = operations.route(Mode::Create, route, format!("create{several}"), format!("Create {all}"));
            group = group.group(operations.once(Mode::Create).controller(controllers::create_batch(route, entities())));
        }
        if !self.without.contains(&Mode::List) {
            let route = operations.list_route(Route::get(""), format!("list{several}"), format!("List {all}"));
            group = group.controller(controllers::list(route, entities(), Arc::clone(&operations.related)));
            let route = operations.query_route(Route::query(""), format!("query{several}"));
            group = group.controller(controllers::query(route, entities(), Arc::clone(&operations.related)));
            if self.info.has_query_path {
                let route = operations.query_route(Route::post(QUERY_PATH), format!("query{several}ByPost"));
                group = group.controller(controllers::query(route, entities(), Arc::clone(&operations.related)));
            }
        }
        if !self.without.contains(&Mode::View) {
            let route = operations.route(Mode::View, Route::get(path), id("view"), format!("Show one {one}"));
            group = group.controller(controllers::view(route, entities()));
        }
        if !self.without.contains(&Mode::Update) {
            let route = operations.route(Mode::Update, Route::patch(path), id("update"), format!("Change one {one}"));
            group =
                group.group(operations.once_for_one(Mode::Update).controller(controllers::update(route, entities())));
        }
        if self.info.batch.is_some() && !self.without.contains(&Mode::Update) {
            let route = Route::patch(BATCH);
            let route = operations.route(Mode::Update, route, format!("update{several}"), format!("Change {all}"));
            group = group.group(operations.once(Mode::Update).controller(controllers::update_batch(route, entities())));
        }
        if self.info.batch.is_some() && !self.without.contains(&Mode::Delete) {
            let route = Route::post(BATCH_DELETE);
            let route = operations.route(Mode::Delete, route, format!("delete{several}"), format!("Delete {all}"));
            group = group.group(operations.once(Mode::Delete).controller(controllers::delete_batch(route, entities())));
        }
        if self.puts {
            let route = operations.route(Mode::Update, Route::put(path), id("replace"), format!("Replace one {one}"));
            let controller = controllers::put(route, entities());
            group = match self.info.definition.identifier_kind() {
                // The access of the group applies in addition to the access of the route.
                IdentifierKind::Given(_) => {
                    let creating = Group::new("").access(self.access.get(Mode::Create).clone());
                    group.group(creating.controller(controller))
                }
                _ => group.controller(controller),
            };
        }
        if !self.without.contains(&Mode::Delete) {
            let route = operations.route(Mode::Delete, Route::delete(path), id("delete"), format!("Delete one {one}"));
            group = match self.deletes_with_entity {
                true => group.controller(controllers::delete_with_entity(route, entities())),
                false => group.controller(controllers::delete(route, entities())),
            };
        }
        #[cfg(feature = "files")]
        let (group, api) = operations.add_files(group, api);
        let mut group = group;
        for action in &self.actions {
            let (words, verb) = action.words();
            let route = Route::post(action.path());
            let route = operations.route(Mode::Update, route, id(&verb), format!("{} one {one}", capitalised(&words)));
            let route = route.access(action.access.clone());
            let route = action.mistake().into_iter().fold(route, |route, mistake| route.with(mistake));
            group = group.group((action.register)(operations.once(Mode::Update), route, entities()));
        }
        api.group(group)
    }
}

//! Actions: operations of an application on one entity.

use std::sync::Arc;

use restwright_core::auth::Access;
use restwright_core::body::ReadBody;
use restwright_core::conditional::Tagged;
use restwright_core::{Controller, Data, Problem, Result, Route};
use restwright_runtime::Group;

use super::controllers::{Change, with_problems_of_changes};
use super::entities::{Entities, tag};
use super::hook_context::HookContext;
use super::request::{Both, EntityRequest, Identifier};
use crate::resource::Resource;
use crate::store::{Repository, Store};

/// A setting of the route of an action whose name is none.
pub(super) struct ActionMistake(pub(super) String);

/// An action before it has a route.
pub(super) struct Action<R: Resource, S: Store> {
    pub(super) name: String,
    pub(super) access: Access,
    pub(super) register: Register<R, S>,
}

/// Adds the endpoint of an action to a group.
type Register<R, S> = Arc<dyn Fn(Group, Route, Arc<Entities<R, S>>) -> Group + Send + Sync>;

impl<R: Resource, S: Repository<R>> Action<R, S> {
    pub(super) fn new<B, F>(name: String, access: Access, run: F) -> Self
    where
        B: ReadBody + Clone + 'static,
        F: AsyncFn(&mut R, B, &mut HookContext<'_, S>) -> Result<()> + Send + Sync + 'static,
    {
        let (run, of) = (Arc::new(run), name.clone());
        let register: Register<R, S> = Arc::new(move |group, route, entities| {
            group.controller(controller(of.clone(), Arc::clone(&run), route, entities))
        });
        Self { name, access, register }
    }

    /// Returns the path of the action below that of all entities.
    pub(super) fn path(&self) -> String {
        format!("/{{id}}/{}", self.name)
    }

    /// Returns the name in sentences and in the ids of operations: `send again` and `sendAgain`.
    pub(super) fn words(&self) -> (String, String) {
        let mut words = self.name.split('-');
        let mut id = words.next().unwrap_or_default().to_owned();
        for word in words {
            let mut characters = word.chars();
            id.extend(characters.next().map(|first| first.to_ascii_uppercase()));
            id.push_str(characters.as_str());
        }
        (self.name.replace('-', " "), id)
    }

    /// Returns an error if the name cannot be a segment of a path and a part of an id.
    pub(super) fn mistake(&self) -> Option<ActionMistake> {
        let is_word = |word: &str| {
            word.starts_with(|first: char| first.is_ascii_lowercase())
                && word.chars().all(|character| character.is_ascii_lowercase() || character.is_ascii_digit())
        };
        (!self.name.split('-').all(is_word)).then(|| {
            ActionMistake(format!(
                "the action `{}` is a segment of a path; name it with lower-case letters, digits and hyphens, such as `close` or `send-again`",
                self.name
            ))
        })
    }
}

fn controller<R, S, B, F>(name: String, run: Arc<F>, route: Route, entities: Arc<Entities<R, S>>) -> impl Controller
where
    R: Resource,
    S: Repository<R>,
    B: ReadBody + Clone + 'static,
    F: AsyncFn(&mut R, B, &mut HookContext<'_, S>) -> Result<()> + Send + Sync + 'static,
{
    with_problems_of_changes(route).handler(async move |request: EntityRequest<R, Change<R>, B>| {
        let Both(Identifier(id), preconditions) = request.part;
        let body = request.body;
        let changed = entities
            .act(
                &request.call,
                &id,
                &preconditions,
                &name,
                &async |entity: &mut R, context: &mut HookContext<'_, S>| run(entity, body.clone(), context).await,
            )
            .await?;
        Ok::<_, Problem>(Tagged::new(tag(changed.version), Data(R::View::from(changed.entity))))
    })
}

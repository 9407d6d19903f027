//! Defines actions, which are custom operations on one entity.

use std::marker::PhantomData;
use std::sync::Arc;

use restwright_core::auth::Access;
use restwright_core::body::ReadBody;
use restwright_core::conditional::Tagged;
use restwright_core::runtime::LocalBoxFuture;
use restwright_core::{Controller, Problem, Result, Route};
use restwright_runtime::Group;

use super::controllers::{ChangeTarget, with_problems_of_changes};
use super::request::{Both, EntityRequest, Identifier};
use crate::endpoints::declare::settings::ActionMistake;
use crate::endpoints::erased::any_entity::{AnyEntity, typed_mut};
use crate::endpoints::includes::embedded;
use crate::endpoints::operate::act::Act;
use crate::endpoints::operate::entities::{Entities, tag};
use crate::endpoints::operate::hook_context::HookContext;
use crate::endpoints::operate::steps::{InputContext, within};
use crate::endpoints::respond::shown::Shown;
use crate::endpoints::respond::view::View;
use crate::endpoints::{Endpoints, Resource};

/// An action that was declared, but has no route yet.
pub(in crate::endpoints) struct Action {
    pub(super) name: String,
    pub(super) access: Access,
    pub(super) register: Register,
}

/// A function that adds the endpoint of an action to a group.
type Register = Arc<dyn Fn(Group, Route, Arc<Entities>) -> Group + Send + Sync>;

/// The function of an action for entities of the resource `R`, with an input of type `I`.
struct Acts<R, I, F> {
    run: Arc<F>,
    input: I,
    resource: PhantomData<fn() -> R>,
}

impl<R, I, F> Act for Acts<R, I, F>
where
    R: Resource,
    I: Clone,
    F: AsyncFn(&mut R, I, &mut HookContext<'_>) -> Result<()>,
{
    fn act<'a>(
        &'a self,
        entity: &'a mut (dyn AnyEntity + 'static),
        context: &'a mut HookContext<'_>,
    ) -> Result<LocalBoxFuture<'a, Result<()>>> {
        let entity = typed_mut(entity)?;
        Ok(Box::pin((self.run)(entity, self.input.clone(), context)))
    }
}

impl<R: Resource> Endpoints<R> {
    /// Adds an [action](Self::action) with a step before its transaction. `prepare` receives the body and returns the input of `run`.
    ///
    /// `prepare` runs once per request, within the time limit of [a hook](Self::hook_timeout). `run` runs in the transaction, with a clone of the input
    /// in each attempt.
    ///
    #[cfg_attr(not(doctest), doc = include_str!("../../doc_examples/endpoints_prepared_action.md"))]
    pub fn prepared_action<B, I, P, F>(
        mut self,
        name: impl Into<String>,
        access: impl Into<Access>,
        prepare: P,
        run: F,
    ) -> Self
    where
        B: ReadBody + 'static,
        I: Clone + 'static,
        P: AsyncFn(B, &InputContext<'_>) -> Result<I> + Send + Sync + 'static,
        F: AsyncFn(&mut R, I, &mut HookContext<'_>) -> Result<()> + Send + Sync + 'static,
    {
        self.declared.actions.push(Action::new::<R, B, I, P, F>(name.into(), access.into(), prepare, run));
        self
    }
}

impl Action {
    pub(super) fn new<R, B, I, P, F>(name: String, access: Access, prepare: P, run: F) -> Self
    where
        R: Resource,
        B: ReadBody + 'static,
        I: Clone + 'static,
        P: AsyncFn(B, &InputContext<'_>) -> Result<I> + Send + Sync + 'static,
        F: AsyncFn(&mut R, I, &mut HookContext<'_>) -> Result<()> + Send + Sync + 'static,
    {
        let (functions, of) = ((Arc::new(prepare), Arc::new(run)), name.clone());
        let register: Register = Arc::new(move |group, route, entities| {
            group.controller(controller::<R, B, I, P, F>(of.clone(), functions.clone(), route, entities))
        });
        Self { name, access, register }
    }

    /// Returns the path of the action, relative to the path of the list.
    pub(super) fn path(&self) -> String {
        format!("/{{id}}/{}", self.name)
    }

    /// Returns the name of the action as separate words and in camel case, such as `send again` and `sendAgain`.
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

    /// Returns an error if the name of the action is not valid in a path segment or in an operation id.
    pub(super) fn mistake(&self) -> Option<ActionMistake> {
        let is_word = |word: &str| {
            word.starts_with(|first: char| first.is_ascii_lowercase())
                && word.chars().all(|character| character.is_ascii_lowercase() || character.is_ascii_digit())
        };
        (!self.name.split('-').all(is_word)).then(|| {
            ActionMistake(format!(
                "the name of the action `{}` is a path segment and must consist of lower-case letters, digits and hyphens, such as `close` or `send-again`",
                self.name
            ))
        })
    }
}

fn controller<R, B, I, P, F>(
    name: String,
    (prepare, run): (Arc<P>, Arc<F>),
    route: Route,
    entities: Arc<Entities>,
) -> impl Controller
where
    R: Resource,
    B: ReadBody + 'static,
    I: Clone + 'static,
    P: AsyncFn(B, &InputContext<'_>) -> Result<I> + Send + Sync + 'static,
    F: AsyncFn(&mut R, I, &mut HookContext<'_>) -> Result<()> + Send + Sync + 'static,
{
    with_problems_of_changes(route).handler(async move |request: EntityRequest<ChangeTarget, B>| {
        let Both(Identifier(id), preconditions) = request.part;
        let context = InputContext::new(&request.call)?;
        let preparing = within(entities.hook_timeout, &name, prepare(request.body, &context));
        let input = request.call.claim.once(preparing).await?;
        let action = Acts { run: Arc::clone(&run), input, resource: PhantomData::<fn() -> R> };
        let changed = entities.act(&request.call, &*id, Some(&preconditions), &name, &action).await?;
        let computed =
            embedded(&entities.info, &request.call, request.includes.as_deref(), || vec![&*changed.entity]).await?;
        let shown = Shown::new(&request.call, View(changed.entity)).with(computed);
        Ok::<_, Problem>(Tagged::new(tag(changed.version, &request.call), shown))
    })
}

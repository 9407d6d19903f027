//! The controllers: a route and a function each.

use std::sync::Arc;

use restwright_core::conditional::{Preconditions, Tagged};
use restwright_core::problem::catalogue;
use restwright_core::{Controller, Data, NoContent, Problem, Route};
use restwright_list::SortBag;

use super::ResourcePagination;
use super::batch::{CreatedBatch, NewBatch};
use super::body::{MergePatch, Replacement};
use super::created::CreatedEntity;
use super::entities::{Entities, Put, tag};
use super::plain_text::PlainText;
use super::put::PutResponse;
use super::request::{Both, EntityRequest, Identifier, Nothing};
use crate::resource::Resource;
use crate::store::Repository;

type Shared<R, S> = Arc<Entities<R, S>>;

pub(super) fn create<R: Resource, S: Repository<R>>(route: Route, entities: Shared<R, S>) -> impl Controller {
    let route = route.problem(catalogue::CONFLICT).problem(catalogue::UNAVAILABLE);
    route.handler(async move |request: EntityRequest<R, Nothing, PlainText<R::New>>| {
        let created = entities.create(&request.call, request.body.0).await?;
        Ok(Tagged::new(tag(created.version), CreatedEntity::<R>::new(created.entity)))
    })
}

pub(super) fn create_batch<R: Resource, S: Repository<R>>(route: Route, entities: Shared<R, S>) -> impl Controller {
    let route = route.problem(catalogue::CONFLICT).problem(catalogue::UNAVAILABLE);
    route.handler(async move |request: EntityRequest<R, Nothing, PlainText<NewBatch<R::New>>>| {
        let created = entities.create_batch(&request.call, request.body.0.data).await?;
        Ok(CreatedBatch::<R>::new(created))
    })
}

pub(super) fn view<R: Resource, S: Repository<R>>(route: Route, entities: Shared<R, S>) -> impl Controller {
    let route = route.problem(catalogue::NOT_FOUND).problem(catalogue::UNAVAILABLE);
    route.handler(async move |request: EntityRequest<R, Identifier<R>>| {
        let found = entities.view(&request.call, &request.part.0).await?;
        Ok(Tagged::new(tag(found.version), Data(R::View::from(found.entity))))
    })
}

type ListParts<R> = Both<<R as Resource>::Filters, Both<SortBag<<R as Resource>::Sort>, <R as Resource>::Pagination>>;

pub(super) fn list<R: Resource, S: Repository<R>>(route: Route, entities: Shared<R, S>) -> impl Controller {
    let route = route.problem(catalogue::UNAVAILABLE);
    route.handler(async move |request: EntityRequest<R, ListParts<R>>| {
        let Both(filters, Both(sort, page)) = request.part;
        let (listed, total) = entities.list(&request.call, &filters, &sort, &page).await?;
        Ok(ResourcePagination::respond::<R, R::Item>(&page, listed, total))
    })
}

/// The parts of a request that changes the entity with an identifier.
pub(super) type Change<R> = Both<Identifier<R>, Preconditions>;

pub(super) fn with_problems_of_changes(route: Route) -> Route {
    [catalogue::NOT_FOUND, catalogue::CONFLICT, catalogue::UNAVAILABLE].into_iter().fold(route, Route::problem)
}

pub(super) fn update<R: Resource, S: Repository<R>>(route: Route, entities: Shared<R, S>) -> impl Controller {
    with_problems_of_changes(route).handler(async move |request: EntityRequest<R, Change<R>, MergePatch<R>>| {
        let Both(Identifier(id), preconditions) = request.part;
        let updated = entities.update(&request.call, &id, &preconditions, &request.body.0).await?;
        Ok(Tagged::new(tag(updated.version), Data(R::View::from(updated.entity))))
    })
}

pub(super) fn put<R: Resource, S: Repository<R>>(route: Route, entities: Shared<R, S>) -> impl Controller {
    with_problems_of_changes(route).handler(async move |request: EntityRequest<R, Change<R>, Replacement<R>>| {
        let Both(Identifier(id), preconditions) = request.part;
        Ok(match entities.put(&request.call, &id, &preconditions, &request.body.0).await? {
            Put::Created(entity) => PutResponse::<R>::created(entity),
            Put::Replaced(entity) => PutResponse::<R>::replaced(entity),
        })
    })
}

pub(super) fn delete<R: Resource, S: Repository<R>>(route: Route, entities: Shared<R, S>) -> impl Controller {
    with_problems_of_changes(route).handler(async move |request: EntityRequest<R, Change<R>>| {
        let Both(Identifier(id), preconditions) = request.part;
        entities.delete(&request.call, &id, &preconditions, false).await?;
        Ok(NoContent)
    })
}

pub(super) fn delete_with_entity<R: Resource, S: Repository<R>>(
    route: Route,
    entities: Shared<R, S>,
) -> impl Controller {
    with_problems_of_changes(route).handler(async move |request: EntityRequest<R, Change<R>>| {
        let Both(Identifier(id), preconditions) = request.part;
        let deleted = entities.delete(&request.call, &id, &preconditions, true).await?;
        let entity = deleted.ok_or_else(|| Problem::internal("the deleted entity was not read"))?;
        Ok(Data(R::View::from(entity)))
    })
}

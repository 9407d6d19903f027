//! The five controllers: a route and a function each.

use std::sync::Arc;

use restwright_core::conditional::{Preconditions, Tagged};
use restwright_core::problem::catalogue;
use restwright_core::{Controller, Data, NoContent, Route};
use restwright_list::SortBag;

use super::ResourcePagination;
use super::created::CreatedEntity;
use super::entities::{Entities, tag};
use super::merge_patch::MergePatch;
use super::request::{BodyRequest, Both, Identifier, Nothing, PartRequest};
use crate::resource::Resource;
use crate::store::Repository;

type Shared<R, S> = Arc<Entities<R, S>>;

pub(super) fn create<R: Resource, S: Repository<R>>(route: Route, entities: Shared<R, S>) -> impl Controller {
    let route = route.problem(catalogue::CONFLICT).problem(catalogue::UNAVAILABLE);
    route.handler(async move |BodyRequest { body, .. }: BodyRequest<R, Nothing, R::New>| {
        let created = entities.create(body).await?;
        Ok(Tagged::new(tag(created.version), CreatedEntity(created.entity)))
    })
}

pub(super) fn view<R: Resource, S: Repository<R>>(route: Route, entities: Shared<R, S>) -> impl Controller {
    let route = route.problem(catalogue::NOT_FOUND).problem(catalogue::UNAVAILABLE);
    route.handler(async move |PartRequest { part: Identifier(id), .. }: PartRequest<R, Identifier<R>>| {
        let found = entities.view(&id).await?;
        Ok(Tagged::new(tag(found.version), Data(found.entity)))
    })
}

type ListParts<R> = Both<<R as Resource>::Filters, Both<SortBag<<R as Resource>::Sort>, <R as Resource>::Pagination>>;

pub(super) fn list<R: Resource, S: Repository<R>>(route: Route, entities: Shared<R, S>) -> impl Controller {
    let route = route.problem(catalogue::UNAVAILABLE);
    route.handler(async move |request: PartRequest<R, ListParts<R>>| {
        let Both(filters, Both(sort, page)) = request.part;
        let (listed, total) = entities.list(&filters, &sort, &page).await?;
        Ok(ResourcePagination::respond::<R, R::Item>(&page, listed, total))
    })
}

/// A request that changes the entity with an identifier.
type Change<R> = Both<Identifier<R>, Preconditions>;

pub(super) fn update<R: Resource, S: Repository<R>>(route: Route, entities: Shared<R, S>) -> impl Controller {
    let problems = [catalogue::NOT_FOUND, catalogue::CONFLICT, catalogue::UNAVAILABLE];
    let route = problems.into_iter().fold(route, Route::problem);
    route.handler(async move |request: BodyRequest<R, Change<R>, MergePatch<R::Update>>| {
        let Both(Identifier(id), preconditions) = request.part;
        let updated = entities.update(&id, &preconditions, &request.body.0).await?;
        Ok(Tagged::new(tag(updated.version), Data(updated.entity)))
    })
}

pub(super) fn delete<R: Resource, S: Repository<R>>(route: Route, entities: Shared<R, S>) -> impl Controller {
    let problems = [catalogue::NOT_FOUND, catalogue::CONFLICT, catalogue::UNAVAILABLE];
    let route = problems.into_iter().fold(route, Route::problem);
    route.handler(async move |request: PartRequest<R, Change<R>>| {
        let Both(Identifier(id), preconditions) = request.part;
        entities.delete(&id, &preconditions).await?;
        Ok(NoContent)
    })
}

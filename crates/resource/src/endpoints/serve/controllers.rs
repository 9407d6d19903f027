//! Creates a controller for each operation of a resource.

use std::sync::Arc;

use restwright_core::conditional::{EntityTag, Preconditions, Tagged};
use restwright_core::problem::catalogue;
use restwright_core::{Controller, NoContent, Problem, Result, Route};

use super::query::QueryRequest;
use super::request::{Both, EntityRequest, Identifier, Nothing};
use crate::endpoints::caller::call::Call;
use crate::endpoints::erased::any_entity::references;
use crate::endpoints::export::{Listed, Rows, SelectedFormat};
use crate::endpoints::includes::{Includes, RelatedFields, embedded};
use crate::endpoints::operate::entities::{Entities, tag};
use crate::endpoints::read::batch::NewEntities;
use crate::endpoints::read::batch_changes::{ChangedEntities, DeletedEntities};
use crate::endpoints::read::body::Replacement;
use crate::endpoints::read::list_request::ListRequest;
use crate::endpoints::read::plain_text::PlainText;
use crate::endpoints::read::update_body::UpdateBody;
use crate::endpoints::respond::created::CreatedEntity;
use crate::endpoints::respond::page::ListedPage;
use crate::endpoints::respond::replaced::PutResponse;
use crate::endpoints::respond::shown::Shown;
use crate::endpoints::respond::view::View;
use crate::endpoints::respond::viewed_batch::ViewedBatch;

type Shared = Arc<Entities>;

pub(super) fn create(route: Route, entities: Shared) -> impl Controller {
    let route = route.problem(catalogue::CONFLICT).problem(catalogue::UNAVAILABLE);
    route.handler(async move |request: EntityRequest<Nothing, PlainText>| {
        let created = entities.create(&request.call, request.body.0).await?;
        let computed =
            embedded(&entities.info, &request.call, request.includes.as_deref(), || vec![&*created.entity]).await?;
        let shown = Shown::new(&request.call, CreatedEntity(created.entity)).with(computed);
        Ok(Tagged::new(tag(created.version, &request.call), shown))
    })
}

pub(super) fn create_batch(route: Route, entities: Shared) -> impl Controller {
    let route = route.problem(catalogue::CONFLICT).problem(catalogue::UNAVAILABLE);
    route.handler(async move |request: EntityRequest<Nothing, NewEntities>| {
        let created = entities.create_batch(&request.call, request.body.0).await?;
        let computed =
            embedded(&entities.info, &request.call, request.includes.as_deref(), || references(&created)).await?;
        Ok(Shown::new(&request.call, ViewedBatch(created)).with(computed))
    })
}

pub(super) fn update_batch(route: Route, entities: Shared) -> impl Controller {
    with_problems_of_batches(route).handler(async move |request: EntityRequest<Nothing, ChangedEntities>| {
        let updated = entities.update_batch(&request.call, request.body.0).await?;
        let computed =
            embedded(&entities.info, &request.call, request.includes.as_deref(), || references(&updated)).await?;
        Ok(Shown::new(&request.call, ViewedBatch(updated)).with(computed))
    })
}

pub(super) fn delete_batch(route: Route, entities: Shared) -> impl Controller {
    with_problems_of_batches(route).handler(async move |request: EntityRequest<Nothing, DeletedEntities>| {
        entities.delete_batch(&request.call, request.body.0).await?;
        Ok(NoContent)
    })
}

fn with_problems_of_batches(route: Route) -> Route {
    let problems = [catalogue::CONFLICT, catalogue::PRECONDITION_FAILED, catalogue::UNAVAILABLE];
    problems.into_iter().fold(route, Route::problem)
}

pub(super) fn view(route: Route, entities: Shared) -> impl Controller {
    let route = route.problem(catalogue::NOT_FOUND).problem(catalogue::UNAVAILABLE);
    route.handler(async move |request: EntityRequest<Identifier>| {
        let found = entities.view(&request.call, &*request.part.0).await?;
        let embedded =
            embedded(&entities.info, &request.call, request.includes.as_deref(), || vec![&*found.entity]).await?;
        let tag = match &embedded {
            Some(embedded) => embedded.tag(&EntityTag::strong(found.version.number()), request.call.rights.variant()),
            None => tag(found.version, &request.call),
        };
        Ok(Tagged::new(tag, Shown::new(&request.call, View(found.entity)).with(embedded)))
    })
}

pub(super) fn list(route: Route, entities: Shared, related: Arc<RelatedFields>) -> impl Controller {
    let route = route.problem(catalogue::UNAVAILABLE);
    let listed = async move |request: EntityRequest<Both<ListRequest, SelectedFormat>>| {
        listed(&entities, &related, (request.call, request.includes), request.part).await
    };
    route.handler(listed)
}

/// A list whose parameters are in the body.
pub(super) fn query(route: Route, entities: Shared, related: Arc<RelatedFields>) -> impl Controller {
    let route = route.problem(catalogue::UNAVAILABLE);
    route.handler(async move |request: QueryRequest| {
        listed(&entities, &related, (request.call, request.includes), request.part).await
    })
}

async fn listed(
    entities: &Arc<Entities>,
    related: &RelatedFields,
    (call, includes): (Call, Option<Box<Includes>>),
    Both(list, SelectedFormat(format)): Both<ListRequest, SelectedFormat>,
) -> Result<Listed> {
    let list = related.resolve(list, &call)?;
    if let Some(format) = format {
        return Listed::export(format, Rows::new(entities, (call, includes), list)?).await;
    }
    let (listed, total) = entities.list(&call, &list).await?;
    let embedded = embedded(&entities.info, &call, includes.as_deref(), || references(&listed.items)).await?;
    Ok(Listed::Page(Shown::new(&call, ListedPage { page: list.page, listed, total }).with(embedded)))
}

/// The identifier and the preconditions of a request that changes one entity.
pub(in crate::endpoints) type ChangeTarget = Both<Identifier, Preconditions>;

pub(in crate::endpoints) fn with_problems_of_changes(route: Route) -> Route {
    [catalogue::NOT_FOUND, catalogue::CONFLICT, catalogue::UNAVAILABLE].into_iter().fold(route, Route::problem)
}

pub(super) fn update(route: Route, entities: Shared) -> impl Controller {
    with_problems_of_changes(route).handler(async move |request: EntityRequest<ChangeTarget, UpdateBody>| {
        let Both(Identifier(id), preconditions) = request.part;
        let updated = entities.update(&request.call, &*id, &preconditions, request.body).await?;
        let computed =
            embedded(&entities.info, &request.call, request.includes.as_deref(), || vec![&*updated.entity]).await?;
        let shown = Shown::new(&request.call, View(updated.entity)).with(computed);
        Ok(Tagged::new(tag(updated.version, &request.call), shown))
    })
}

pub(super) fn put(route: Route, entities: Shared) -> impl Controller {
    with_problems_of_changes(route).handler(async move |request: EntityRequest<ChangeTarget, Replacement>| {
        let Both(Identifier(id), preconditions) = request.part;
        let (entity, is_created) = entities.put(&request.call, &*id, &preconditions, request.body.0).await?;
        let computed = embedded(&entities.info, &request.call, request.includes.as_deref(), || vec![&*entity]).await?;
        Ok(Shown::new(&request.call, PutResponse { entity, is_created }).with(computed))
    })
}

pub(super) fn delete(route: Route, entities: Shared) -> impl Controller {
    with_problems_of_changes(route).handler(async move |request: EntityRequest<ChangeTarget>| {
        let Both(Identifier(id), preconditions) = request.part;
        entities.delete(&request.call, &*id, &preconditions, false).await?;
        Ok(NoContent)
    })
}

pub(super) fn delete_with_entity(route: Route, entities: Shared) -> impl Controller {
    with_problems_of_changes(route).handler(async move |request: EntityRequest<ChangeTarget>| {
        let Both(Identifier(id), preconditions) = request.part;
        let deleted = entities.delete(&request.call, &*id, &preconditions, true).await?;
        let entity = deleted.ok_or_else(|| Problem::internal("the deleted entity was not read"))?;
        let computed = embedded(&entities.info, &request.call, request.includes.as_deref(), || vec![&*entity]).await?;
        Ok(Shown::new(&request.call, View(entity)).with(computed))
    })
}

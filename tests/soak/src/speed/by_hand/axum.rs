//! Animals on axum.

use std::net::TcpListener;

use axum::extract::rejection::{JsonRejection, QueryRejection};
use axum::extract::{FromRequest, FromRequestParts, Path, State};
use axum::http::StatusCode;
use axum::http::header::{CONTENT_TYPE, ETAG, LOCATION};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use uuid::Uuid;

use super::{AnimalChanges, Animals, Data, Failure, ListQuery, NewAnimal};

pub async fn serve(listener: TcpListener, animals: impl Animals) -> std::io::Result<()> {
    listener.set_nonblocking(true)?;
    axum::serve(tokio::net::TcpListener::from_std(listener)?, router(animals)).await
}

fn router<A: Animals>(animals: A) -> Router {
    Router::new()
        .route("/animals", get(list::<A>).post(create::<A>))
        .route("/animals/{id}", get(view::<A>).patch(change::<A>))
        .with_state(animals)
}

/// A body with the error responses of this application.
#[derive(FromRequest)]
#[from_request(via(Json), rejection(Failure))]
struct Body<T>(T);

#[derive(FromRequestParts)]
#[from_request(via(axum::extract::Query), rejection(Failure))]
struct Query<T>(T);

impl From<JsonRejection> for Failure {
    fn from(rejection: JsonRejection) -> Self {
        Self::invalid(rejection)
    }
}

impl From<QueryRejection> for Failure {
    fn from(rejection: QueryRejection) -> Self {
        Self::invalid(rejection)
    }
}

async fn create<A: Animals>(State(animals): State<A>, Body(new): Body<NewAnimal>) -> Result<Response, Failure> {
    let animal = super::create(&animals, new).await?;
    let headers = [(LOCATION, format!("/animals/{}", animal.id)), (ETAG, tag(animal.version))];
    Ok((StatusCode::CREATED, headers, Json(Data { data: animal })).into_response())
}

async fn view<A: Animals>(State(animals): State<A>, Path(id): Path<Uuid>) -> Result<Response, Failure> {
    let animal = super::view(&animals, id).await?;
    Ok(([(ETAG, tag(animal.version))], Json(Data { data: animal })).into_response())
}

async fn change<A: Animals>(
    State(animals): State<A>,
    Path(id): Path<Uuid>,
    Body(changes): Body<AnimalChanges>,
) -> Result<Response, Failure> {
    let animal = super::change(&animals, id, changes).await?;
    Ok(([(ETAG, tag(animal.version))], Json(Data { data: animal })).into_response())
}

async fn list<A: Animals>(State(animals): State<A>, Query(query): Query<ListQuery>) -> Result<Response, Failure> {
    Ok(Json(super::list(&animals, query).await?).into_response())
}

fn tag(version: i64) -> String {
    format!("\"{version}\"")
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or_default();
        (status, [(CONTENT_TYPE, "application/problem+json")], self.body()).into_response()
    }
}
